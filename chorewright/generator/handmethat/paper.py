"""HandMeThat's figures beside a dataset's: Wan et al. 2022."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.production.benchmark import PaperFigure

_EPISODES = (10_000, 116_146)
_LEVELS = ((25.0, 25.0, 25.0, 25.0), (3.5, 67.6, 24.4, 4.6))
"""Per cent of each level in versions 1 and 2."""
_SEEN, _PLAN = 15, 25


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some episodes beside those of the paper's datasets, versions 1 and 2."""
    tasks = [task_of(each) for each in episodes]
    levels = Counter(each.level for each in tasks)
    return [
        PaperFigure("episodes", f"{len(tasks):,}", "{:,} and {:,}".format(*_EPISODES)),
        PaperFigure("actions of the human's plan", f"{fmean(len(each.plan) for each in tasks):.1f}", f"{_PLAN}"),
        PaperFigure("those that the robot sees", f"{fmean(each.observed for each in tasks):.1f}", f"{_SEEN}"),
        *(
            PaperFigure(f"level {level}", f"{100 * levels[level] / len(tasks):.1f} %", f"{old:.1f} % and {new:.1f} %")
            for level, (old, new) in enumerate(zip(*_LEVELS, strict=True), 1)
        ),
    ]
