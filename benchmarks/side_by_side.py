"""The same work by this version and by an older one, in turn on the same machine: how many times its processor time.

    python -m benchmarks.side_by_side PYTHON [--rounds N] [--save] [--json FILE]

PYTHON is the interpreter of an environment where the older version is installed. Each round runs each work by both;
one before, in which kernels compile, does not count. Seconds are of whole processes, with their start.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.command import benchmark_parser, from_rich, given_path, keep
from benchmarks.results import Figure, Report, Target
from benchmarks.start import run

SLOWER = 1.03
"""Times the older version's processor time that a work may take."""

GAMES = """
import numpy as np
from chorewright.environments import alfworld
env = alfworld(infos=("admissible_commands",), max_steps=None)
rng = np.random.default_rng(0)
for number in range(60):
    _, info = env.reset(seed=number)
    for _ in range(200):
        known = info["admissible_commands"]
        *_, info = env.step(known[int(rng.integers(len(known)))])
"""
"""The same commands for both where the same are admissible."""

MAKE = "-m chorewright generate {} --workers 0 --out {}"
DRAW = "-m chorewright replay alfred --render rgb --workers 0"


@dataclass(frozen=True, slots=True)
class Work:
    """What both versions do.

    Attributes:
        name: The figure's name.
        label: What it is.
        words: The interpreter's arguments.
        makes: The folder that it makes, which has to be empty.
    """

    name: str
    label: str
    words: tuple[str, ...]
    makes: str


def making(name: str, label: str, options: str) -> Work:
    """Return the work of making a dataset named like it."""
    return Work(name, label, tuple(MAKE.format(options, name).split()), name)


WORKS = (
    making("alfred", "40 episodes of ALFRED", "alfred -n 40"),
    making("handmethat", "30 episodes of HandMeThat 2", "handmethat -n 30"),
    making("teach", "12 sessions of TEACh", "teach -n 12"),
    making("blocks", "200 problems of the blocks world, planned", "pddl --domain blocks -n 200"),
    making("logistics", "200 problems of logistics, planned", "pddl --domain logistics -n 200"),
    Work("frames", "frames of the episodes of ALFRED", tuple(DRAW.split()), "alfred/frames"),
    Work("games", "12,000 commands in 60 text games", ("-c", GAMES), "nothing"),
)


@dataclass(frozen=True, slots=True)
class Version:
    """An installed version, and the folder in which it works.

    Attributes:
        python: Its interpreter.
        folder: An empty folder.
        seconds: Processor seconds of each round by the work's name.
    """

    python: Path
    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def work(self, work: Work) -> None:
        """Do a work and note its seconds."""
        shutil.rmtree(self.folder / work.makes, ignore_errors=True)
        # This checkout's path, which the launcher needs, would hide the version that is installed.
        took = run(["env", "-u", "PYTHONPATH", str(self.python), *work.words], self.folder, {})
        self.seconds.setdefault(work.name, []).append(took.cpu)


def compare(now: Version, before: Version, rounds: int) -> None:
    """Let both versions do all works so many times, and once more at first."""
    for number in range(rounds + 1):
        for work in WORKS:
            # Who is first changes from round to round.
            for version in (now, before) if number % 2 else (before, now):
                version.work(work)
            seconds = [version.seconds[work.name][-1] for version in (now, before)]
            print(f"round {number}, {work.label}: {seconds[0]:.2f} and {seconds[1]:.2f} s", file=sys.stderr)


def main() -> None:
    """Print and keep how many times the older version's processor time each work takes."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("python", type=given_path, metavar="PYTHON", help="the older version's interpreter")
    parser.add_argument(
        "--rounds", type=int, choices=range(1, 21), default=5, metavar="N", help="how often both do each work"
    )
    arguments = parser.parse_args()
    with TemporaryDirectory() as own, TemporaryDirectory() as other:
        # Not resolved: a virtual environment's interpreter is a link.
        now, before = Version(Path(sys.executable), Path(own)), Version(arguments.python.absolute(), Path(other))
        compare(now, before, arguments.rounds)
    figures = []
    shown = RichTable("work", "now, s", "before, s", "times")
    for work in WORKS:
        pairs = [*zip(now.seconds[work.name], before.seconds[work.name], strict=True)][1:]
        times = median(one / other for one, other in pairs)
        shown.add_row(work.label, *(f"{median(some):.2f}" for some in zip(*pairs, strict=True)), f"{times:.2f}")
        label = f"{work.label}: times the older version's processor time"
        figures.append(Figure(work.name, label, times, digits=2, target=Target("at most", SLOWER)))
    Console().print(shown)
    explanation = "Whole processes, in turn on one machine; the medians of pairs. What is made may differ."
    title = "Beside an older version"
    report = Report("side_by_side", "Command line and store", title, explanation, tuple(figures), (from_rich(shown),))
    keep(arguments, report)


if __name__ == "__main__":
    main()
