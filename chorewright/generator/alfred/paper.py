"""ALFRED's figures beside a dataset's: Shridhar et al. 2020, and what is counted in its released demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import PaperFigure

_DIRECTIVES, _DEMONSTRATIONS = 25_743, 8_055
_STEPS, _SUBGOALS, _CONDITIONS, _SLICED = 49.69, 7.50, 2.551, 13.8
"""Means of the 7,080 released demonstrations that have a plan; of sliced objects per cent."""


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some episodes beside the paper's."""
    every = list(episodes)
    told = fmean(len({text.annotation for text in each.instructions if text.level == "goal"}) for each in every)
    sliced = 100 * fmean("sliced" in each.task for each in every)
    return [
        PaperFigure("demonstrations", f"{len(every):,}", f"{_DEMONSTRATIONS:,}"),
        PaperFigure("actions a demonstration", f"{fmean(len(each.steps) for each in every):.1f}", f"{_STEPS:.1f}"),
        PaperFigure("sub-goals, the end among them", _mean([len(each.segments) for each in every]), f"{_SUBGOALS:.1f}"),
        PaperFigure("goal conditions", _mean([len(each.outcome.conditions) for each in every]), f"{_CONDITIONS:.1f}"),
        PaperFigure("tasks with a sliced object", f"{sliced:.1f} %", f"{_SLICED:.1f} %"),
        PaperFigure("directives a demonstration", f"{told:.1f}", f"{_DIRECTIVES / _DEMONSTRATIONS:.1f}"),
    ]


def _mean(counts: Sequence[int]) -> str:
    return f"{fmean(counts):.1f}"
