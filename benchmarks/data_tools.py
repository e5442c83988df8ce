"""Datasets made of others: seconds of ``chorewright data`` for 10,000 episodes.

    python -m benchmarks.data_tools [--dataset DIR] [--episodes N] [--imports [--work DIR]] [--save] [--json FILE]

Twenty samples of one dataset of ALFRED's (300 episodes are generated if none is given) are merged to N episodes; these
are then merged with nothing, filtered, sampled, split and relabelled, each result verified. The seconds are those of
the whole command by the clock, Python's start included. With ``--imports`` small exports are imported and exported
again instead, and their files compared; ``--work`` keeps them, and the same command goes on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.command import ROOT, benchmark_parser, given_path, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.export_marker import MARKER

SOURCES = 20
MOST_SECONDS = 30.0
COMMANDS = {
    "filter": ("filter", "--where", "length > 30 AND instructions.text LIKE '%the%'"),
    "sample": ("sample", "--fraction", "0.5"),
    "split": ("split", "--into", "train=0.8", "--into", "test=0.2"),
    "relabel": ("relabel", "--to", "train=0.8", "--to", "validation=0.2", "--together", "room"),
}


ROUNDS = {
    "alfred": ("ALFRED's tree", ("generate", "alfred", "-n", 20)),
    "calvin": ("CALVIN's folder", ("generate", "calvin", "-n", 10, "--length", 2, "--replays", "none")),
    "teach": ("TEACh's games", ("generate", "teach", "-n", 10)),
}
"""What is imported and exported again, by format: what it is called, and the command that makes the episodes."""


def take(*words: object) -> float:
    """Run a command of ours; return its seconds by the clock."""
    begin = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "chorewright", *map(str, words)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    return time.monotonic() - begin


def measure(source: Path, folder: Path, episodes: int) -> Report:
    """Return what each command takes."""
    each = min(len(Dataset(str(source))), -(-episodes // SOURCES))
    count = -(-episodes // each)
    samples = [folder / f"sample-{number}" for number in range(count)]
    for number, sample in enumerate(samples):
        take("data", "sample", source, "-n", each, "--seed", number, "--out", sample)
    whole = folder / "merge"
    seconds = {"merge": take("data", "merge", *samples, "--out", whole)}
    for name, words in COMMANDS.items():
        seconds[name] = take("data", words[0], whole, *words[1:], "--out", folder / name)
    for made in (whole, *(folder / name for name in COMMANDS if name != "split"), *(folder / "split").iterdir()):
        take("verify", made)
    size = sum(file.stat().st_size for file in (whole / "data").iterdir()) / 1e6
    total = len(Dataset(str(whole)))
    target = Target("at most", MOST_SECONDS)
    figures = [
        Figure(name, f"{name} {total:,} episodes ({size:.0f} MB)", value, "s", digits=1, target=target)
        for name, value in seconds.items()
    ]
    told = "Seconds of each command of `chorewright data` by the clock, from samples of one dataset of ALFRED's."
    return Report("data_tools", "Command line and store", "Datasets made of others", told, tuple(figures))


def go_round(folder: Path) -> Report:
    """Return how many files of exports are the same after these were imported and exported again."""
    figures = []
    for form, (name, words) in ROUNDS.items():
        made, one, imported, other = (folder / f"{form}-{each}" for each in ("made", "one", "imported", "other"))
        take(*words, "--out", made)
        take("export", made, "--format", form, "--out", one)
        take("data", "import", one, "--format", form, "--out", imported)
        take("export", imported, "--format", form, "--out", other)
        files = {path.relative_to(tree) for tree in (one, other) for path in tree.rglob("*") if path.is_file()}
        files -= {Path(MARKER)}
        same = sum(_content(one / file) == _content(other / file) for file in files)
        label = f"files of {name} that are the same after import and export"
        figures.append(Figure(form, label, same, of=len(files), target=Target("at least", 100)))
    told = "Files of exports that are the same after `chorewright data import` and `export`, without pictures."
    return Report("data_tools-import", "Command line and store", "Imports", told, tuple(figures))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def main() -> None:
    """Run the benchmark."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--dataset", type=given_path, help="a dataset to take samples of")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--imports", action="store_true", help="compare files of exports that are imported")
    parser.add_argument("--work", type=Path, help="where these are made; by default a folder that is removed")
    asked: argparse.Namespace = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if asked.imports:
            keep(asked, go_round(asked.work.resolve() if asked.work else Path(name)))
            return
        source = asked.dataset or Path(name) / "source"
        if not asked.dataset:
            take("generate", "alfred", "-n", 300, "--out", source)
        keep(asked, measure(source.resolve(), Path(name), asked.episodes))


if __name__ == "__main__":
    main()
