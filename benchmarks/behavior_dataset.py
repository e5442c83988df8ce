"""One dataset of BEHAVIOR's activities made, verified and counted, with sentences to read.

    python -m benchmarks.behavior_dataset [--episodes 1016] [--read 50] [--workers 2] [--folder DIR]
                                          [--save] [--json FILE]

The dataset is what ``generate behavior --version 1k`` makes. ``--read`` prints as many sentences drawn at random.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.dataset.store.dataset import Dataset

EPISODES, ACTIVITIES = 1000, 900
"""How many episodes there shall be, over how many activities."""


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=1016)
    parser.add_argument("--read", type=int, default=0, help="print so many sentences")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="keep the dataset here")
    asked = parser.parse_args()
    console = Console(soft_wrap=True)
    with TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary) / "activities"
        words = ("generate", "behavior", "--version", "1k", "--episodes", asked.episodes, "--out", folder)
        began = time.perf_counter()
        made = _chorewright(*words, "--workers", asked.workers)
        seconds = time.perf_counter() - began
        verified = _chorewright("verify", folder)
        console.print(made.stdout.splitlines()[-1] if made.stdout else made.stderr)
        console.print((verified.stdout or verified.stderr).splitlines()[-1])
        dataset = Dataset(folder)
        episodes = list(dataset)
        rng = np.random.default_rng(0)
        for place in rng.integers(len(episodes), size=asked.read):
            episode = episodes[int(place)]
            said = [each.text for each in episode.instructions if each.annotation == 0]
            step = said[int(rng.integers(1, len(said)))]
            console.print(f"{episode.task}: {said[0]} | {step}", markup=False)
        size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    goals = [each.text for episode in episodes for each in episode.instructions if each.level == "goal"]
    steps = Counter(each.text for episode in episodes for each in episode.instructions if each.level == "step")
    figures = (
        Figure("episodes", "accepted episodes", len(episodes), of=asked.episodes, target=Target("at least", 98.4)),
        Figure("activities", "different activities", len({each.task for each in episodes}), digits=0),
        Figure("verified", "datasets that verify accepts", int(verified.returncode == 0), of=1),
        Figure("actions", "actions of a plan, mean", float(np.mean([len(each.plan) for each in episodes])), digits=1),
        Figure("goals", "different wordings of goals", len(set(goals)), of=len(goals)),
        Figure("steps", "different sentences of steps", len(steps), digits=0),
        Figure("size", "bytes of an episode", size / len(episodes), digits=0),
        Figure("seconds", "making all of it", seconds, "s", digits=0),
    )
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    explanation = f"generate behavior --version 1k --episodes {asked.episodes}, {asked.workers} workers."
    keep(asked, Report("behavior_dataset", "BEHAVIOR", "A dataset of BEHAVIOR-1K", explanation, figures))


def _chorewright(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "chorewright", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=7200, check=False)


if __name__ == "__main__":
    main()
