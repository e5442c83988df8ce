"""The way out of the house: growth and cost of the production line, reading, and exports.

    python -m benchmarks.exchange line|reading|export|frames [--sizes N...] [--dataset DIR] [--save] [--json FILE]

``line`` makes datasets of a benchmark whose episodes cost nothing: what remains is the line itself, at each of the
sizes, and a dataset that grows from 1,000 to 3,000 episodes beside one made at once. ``reading`` reads a dataset of
ALFRED's as episodes and as columns, ``export`` writes one of CALVIN's for LeRobot and in CALVIN's layout; ``frames``
draws pictures from one of CALVIN's as a training loop asks for them, beside videos of the same frames that LeRobot
decodes (``--lerobot PYTHON``, of an environment that has it; PyAV otherwise). All make their dataset if none is given.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.dataset as arrow_dataset

from benchmarks.command import ROOT, benchmark_parser, given_path, keep
from benchmarks.frames import drawn_beside_decoded
from benchmarks.results import Figure, Peer, Report, Table, Target
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.attempts import Attempt
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.production.line import run
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.trajectory import trajectories_of

LIGHT = "benchmarks.exchange:LightBenchmark"
SMALL, LARGE = 1000, 3000
GROUP = "Command line and store"


class LightBenchmark(Benchmark[int, None]):
    """Episodes that take no time: what a dataset of them costs is the line's own."""

    name = LIGHT

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return assignments that differ in little."""
        return [Assignment(index, f"task-{index % 7}", (), "", "train") for index in range(count)]

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[object]
    ) -> Iterator[int]:
        """Yield how many steps an episode has: ten to forty."""
        yield int(rng.integers(10, 40))

    def attempt(self, config: GenerateConfig, candidate: int) -> Attempt[int, None]:
        """Accept it."""
        return Attempt(candidate, None)

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: Attempt[int, None], rng: np.random.Generator
    ) -> Episode:
        """Return an episode of so many steps."""
        count = attempt.candidate
        return dataclasses.replace(
            blank, seed=blank.index, domain_sha256="0" * 64, problem_sha256="1" * 64, goal=f"(counted {count})",
            plan_cost=float(count), planner="none", segments=(Segment("Count", ()),),
            steps=tuple(Step("Count", 0, f'{{"number": {n}}}', True, (("counted", f"n{n}"),)) for n in range(count)),
            instructions=(Instruction(f"Count to {count}.", "goal"),),
        )  # fmt: skip


def launched(folder: Path, episodes: int) -> tuple[float, float]:
    """Make a light dataset in one process; return its CPU seconds and peak megabytes."""
    command = [sys.executable, "-m", "chorewright", "generate", LIGHT, "-n", str(episodes), "--workers", "0"]
    with tempfile.NamedTemporaryFile() as said:
        launch = [sys.executable, "-S", "-m", "benchmarks.launch", said.name, *command, "--out", str(folder)]
        subprocess.run(launch, cwd=ROOT, check=True, capture_output=True)
        took = json.loads(Path(said.name).read_text("utf-8"))
    if took["exit"] != 0:
        raise SystemExit(f"generate ended with exit code {took['exit']}")
    return float(took["seconds"]), float(took["megabytes"])


def sums(folder: Path) -> list[str]:
    """Return the checksums of a dataset's shards, in order."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("data/*"))]


def line(arguments: argparse.Namespace, folder: Path) -> Report:
    """Measure the production line at several sizes, and a dataset that grows."""
    rows, each, most = [], [], []
    empty, _ = launched(folder / "empty", 1)
    for size in arguments.sizes:
        seconds, megabytes = launched(folder / str(size), size)
        each.append(1000 * (seconds - empty) / size)
        most.append(megabytes)
        rows.append((f"{size:,}", f"{seconds:.1f} s", f"{each[-1]:.2f} ms", f"{megabytes:.0f} MB"))
        print(" | ".join(rows[-1]), flush=True)
    run(GenerateConfig(LIGHT, SMALL), folder / "grown", workers=0)
    before = sums(folder / "grown")
    run(GenerateConfig(LIGHT, LARGE), folder / "grown", workers=0)
    run(GenerateConfig(LIGHT, LARGE), folder / "at_once", workers=0)
    grown, whole = sums(folder / "grown"), sums(folder / "at_once")
    equal = sum(one == other for one, other in zip(grown, whole, strict=True))
    kept = grown[: len(before)] == before
    print(f"{equal} of {len(whole)} shards equal; the first {len(before)} {'kept' if kept else 'CHANGED'}")
    figures = (
        Figure("grown", f"shards of {LARGE:,} grown from {SMALL:,} that equal those of {LARGE:,} at once",
               equal, of=len(whole), target=Target("at least", 100)),
        Figure("kept", "shards of the smaller dataset that are kept", len(before) * kept, of=len(before),
               target=Target("at least", 100)),
        Figure("episode", f"CPU time of an episode at {arguments.sizes[-1]:,}", each[-1], "ms", digits=2),
        Figure("slower", f"that time at {arguments.sizes[-1]:,} beside {arguments.sizes[0]:,}", each[-1] / each[0],
               digits=2, target=Target("at most", 1.1)),
        Figure("larger", "peak memory, the same", most[-1] / most[0], digits=2, target=Target("at most", 1.1)),
    )  # fmt: skip
    table = Table(("episodes", "CPU time", "an episode", "peak memory"), tuple(rows))
    explanation = (
        "A benchmark whose episodes cost nothing, made in one process: what remains is the line and the store."
    )
    return Report("exchange-line", GROUP, "The production line alone, and growth", explanation, figures, (table,))


def glance(episode: Episode) -> object:
    """Return what a loop over instructions reads of an episode."""
    return episode.task, episode.instructions[0].text, len(episode.steps)


def all_of(episode: Episode) -> object:
    """Return every field of an episode."""
    return [getattr(episode, each.name) for each in dataclasses.fields(episode)]


def fastest(count: int, work: Callable[[], object], times: int = 5) -> float:
    """Return how many a CPU second at best: other jobs on the same cores slow a process's own seconds, too."""
    return max(rate(count, work) for _ in range(times))


def rate(count: int, work: Callable[[], object]) -> float:
    """Return how many a CPU second."""
    begun = time.process_time()
    work()
    return count / (time.process_time() - begun)


def reading(arguments: argparse.Namespace, folder: Path) -> Report:
    """Measure a dataset of ALFRED's as it is read."""
    path = arguments.dataset or folder / "alfred"
    if arguments.dataset is None:
        run(GenerateConfig("alfred", 100), path)
    dataset = Dataset(path)
    count, size = len(dataset), sum(each.stat().st_size for each in path.glob("data/*"))
    sum(1 for _ in dataset)  # warm

    def loop(look: Callable[[Episode], object]) -> float:
        return fastest(count, lambda: sum(look(episode) is not None for episode in Dataset(path)))

    iteration, whole = loop(glance), loop(all_of)
    places = random.Random(1).choices(range(count), k=2000)
    dataset = Dataset(path)
    jumps = fastest(len(places), lambda: sum(glance(dataset[place]) is not None for place in places))
    names = ("task", "split", "seed")
    columns = fastest(count * 20, lambda: [Dataset(path).table(*names) for _ in range(20)])
    files = [str(each) for each in sorted(path.glob("data/*"))]
    arrow = fastest(
        count * 20,
        lambda: [arrow_dataset.dataset(files).to_table(columns=list(names), use_threads=False) for _ in range(20)],
    )
    lists = fastest(count, lambda: arrow_dataset.dataset(files).to_table(use_threads=False).to_pylist())
    print(f"pyarrow's rows as dictionaries: {lists:.0f}/s")
    print(f"{count} episodes of {size / count:.0f} bytes; {iteration:.0f}/s in order ({whole:.0f}/s whole), "
          f"{jumps:.0f}/s at random, {columns:.0f}/s as columns (pyarrow {arrow:.0f}/s)")  # fmt: skip
    figures = (
        Figure("bytes", "bytes of an episode of ALFRED's", size / count, "bytes", digits=0,
               target=Target("at most", 4500)),
        Figure("iteration", "episodes a CPU second in order: task, sentence and number of steps", iteration, digits=0,
               target=Target("at least", 4000)),
        Figure("whole", "episodes a CPU second in order, with every field and the whole scene", whole, digits=0,
               peers=(Peer("pyarrow, rows as dictionaries", f"{lists:,.0f}", "the same run"),)),
        Figure("random", "episodes a CPU second at random places, the same three", jumps, digits=0,
               target=Target("at least", 2000)),
        Figure("columns", "rows of three columns a CPU second, the manifest read and shards checked each time", columns,
               digits=0, peers=(Peer("pyarrow, nothing checked", f"{arrow:,.0f}", "the same run"),)),
    )  # fmt: skip
    explanation = (
        f"{count} generated episodes of ALFRED's in one process, as Episode values and as columns; best of five runs."
    )
    return Report("exchange-reading", GROUP, "Reading a dataset", explanation, figures)


def export(arguments: argparse.Namespace, folder: Path) -> Report:
    """Measure exports of a dataset of CALVIN's."""
    path = arguments.dataset or folder / "calvin"
    if arguments.dataset is None:
        run(GenerateConfig("calvin", 1), path, workers=0)
    dataset = Dataset(path)
    frames = sum(len(trajectories_of("calvin").sentences(each).tasks) for each in dataset)
    stored = sum(each.stat().st_size for each in path.glob("data/*"))
    make_exporter("lerobot", {"workers": 0, "size": 64}).write(dataset, folder / "warm")  # compiles kernels
    rows, sizes, rates = [], {}, {}
    for name, form, options in (
        ("LeRobot, h264", "lerobot", {"workers": 0}),
        ("LeRobot, PNG", "lerobot", {"workers": 0, "pictures": "png"}),
        ("LeRobot, no pictures", "lerobot", {"workers": 0, "pictures": "none"}),
        ("CALVIN's layout, pictures", "calvin", {"images": True}),
    ):
        target = folder / name.replace(" ", "_").replace("'", "")
        rates[name] = rate(frames, lambda: make_exporter(form, options).write(dataset, target))  # noqa: B023
        sizes[name] = sum(each.stat().st_size for each in target.rglob("*") if each.is_file())
        here = f"{rates[name]:.0f}" if "workers" in options else "in other processes"
        rows.append((name, here, f"{sizes[name] / 1e6:.1f} MB"))
        print(" | ".join(rows[-1]), flush=True)
    video, layout = "LeRobot, h264", "CALVIN's layout, pictures"
    figures = (
        Figure("frames", "frames a CPU second, two h264 videos, drawing among it", rates[video], digits=0,
               target=Target("at least", 150)),
        Figure("smaller", "times smaller than CALVIN's layout", sizes[layout] / sizes[video], digits=1,
               target=Target("at least", 10)),
        Figure("stored", "bytes of a frame in the dataset, without pictures", stored / frames, "bytes", digits=0),
    )  # fmt: skip
    table = Table(("export", "frames a CPU second", "size"), tuple(rows))
    explanation = f"{frames:,} frames of CALVIN's table with two cameras (200 and 84 pixels), exported by one process."
    return Report("exchange-export", GROUP, "Exports for training", explanation, figures, (table,))


def frames(arguments: argparse.Namespace, folder: Path) -> Report:
    """Measure pictures that are drawn when they are asked for, beside videos."""
    path = arguments.dataset or folder / "calvin"
    if arguments.dataset is None:
        run(GenerateConfig("calvin", 6), path, workers=0)
    video = folder / "lerobot"
    make_exporter("lerobot", {"workers": 0}).write(Dataset(path), video)
    return drawn_beside_decoded(path, video, arguments.lerobot, GROUP)


PARTS = {"line": line, "reading": reading, "export": export, "frames": frames}


def main() -> None:
    """Measure one part."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000], metavar="N")
    parser.add_argument("--dataset", type=given_path, metavar="DIR", help="a dataset to read or export")
    parser.add_argument("--lerobot", default=sys.executable, metavar="PYTHON", help="an interpreter that has lerobot")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        keep(arguments, PARTS[arguments.part](arguments, Path(name)))


if __name__ == "__main__":
    main()
