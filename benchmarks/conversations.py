"""Conversations for fine-tuning: episodes generated, told and loaded, by the expert and by the agent that explores.

    python -m benchmarks.conversations [--episodes 10000] [--workers 2] [--folder FOLDER] [--datasets PYTHON]
                                       [--save] [--json FILE]

``generate alfred`` makes the episodes with two workers, ``export --format chat`` tells them: with wrong turns and
thoughts, and by the exploring agent. ``PYTHON`` has the package datasets, whose ``load_dataset`` reads both. With
``--folder`` all of it is kept, and episodes that are there are not made again; then the time of making is not told.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target

MOST_SECONDS = 600
WAYS = {
    "expert": ("the expert, 10 % wrong turns", ("--noise", "0.1", "--thoughts")),
    "exploring": ("the agent that explores", ("--exploring", "--thoughts")),
}
"""Names, labels and options of the exports."""

LOAD = """
import sys
from pathlib import Path
import datasets
files = [str(path) for path in sorted(Path(sys.argv[1]).glob("data/*.jsonl"))]
print(len(datasets.load_dataset("json", data_files=files, cache_dir=sys.argv[2], split="train")))
"""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds that a command took, by the clock and of the processor."""

    clock: float
    processor: float


def run(*words: object) -> Took:
    """Run a verb of chorewright in a process of its own."""

    def processor() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    began, before = time.monotonic(), processor()
    subprocess.run([sys.executable, "-m", "chorewright", *map(str, words)], check=True)
    return Took(time.monotonic() - began, processor() - before)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the conversations of an export."""
    for path in sorted(folder.glob("data/*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def figures(folder: Path, episodes: int, workers: int, python: str | None) -> Iterator[Figure]:
    """Make and tell so many episodes; yield what that took and what it came to."""
    data = folder / "data"
    begun = data.exists()
    made = run("generate", "alfred", "--out", data, "-n", episodes, "--annotations", 1, "--demonstrations", 1,
               "--workers", workers)  # fmt: skip
    if not begun:
        yield Figure("generate_cpu", "generating, of the processor", made.processor, "s", digits=0)
    for name, (label, options) in WAYS.items():
        target = folder / name
        told = run("export", data, "--format", "chat", "--out", target, *options)
        if not begun:
            yield Figure(f"{name}_clock", f"generated and told by {label}, by the clock",
                         made.clock + told.clock, "s", digits=0, target=Target("at most", MOST_SECONDS))  # fmt: skip
        yield Figure(f"{name}_cpu", f"telling by {label}, of the processor", told.processor, "s", digits=0)
        every = list(rows(target))
        yield Figure(f"{name}_rows", f"episodes told by {label}", len(every), of=episodes)
        turns = [len(row["messages"]) // 2 for row in every]
        yield Figure(f"{name}_commands", f"commands of a conversation, {label}", sum(turns) / len(turns), digits=1)
        if name == "expert":
            astray = sum(len(row["astray"]) for row in every)
            yield Figure("astray", "of these, wrong turns", 100 * astray / sum(turns), "%", digits=1)
        if python is not None:
            command = [python, "-c", LOAD, str(target), str(folder / "cache")]
            loaded = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            yield Figure(f"{name}_loaded", f"of these, rows that `datasets.load_dataset` reads, {label}", loaded,
                         of=len(every), target=Target("at least", 100))  # fmt: skip


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes that are made and told")
    parser.add_argument("--workers", type=int, default=2, help="processes that make them")
    parser.add_argument("--folder", type=Path, help="where episodes and conversations are kept")
    parser.add_argument("--datasets", metavar="PYTHON", help="a Python that has the package datasets")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        found = tuple(figures(folder, arguments.episodes, arguments.workers, arguments.datasets))
    for figure in found:
        print(f"{figure.label}: {figure.forms[-1]}")
    keep(arguments, Report(
        name="conversations",
        group="ALFRED",
        title="Conversations for fine-tuning",
        explanation="ALFRED's episodes as messages, from `generate` to files that `datasets` reads.",
        figures=found,
    ))  # fmt: skip


if __name__ == "__main__":
    main()
