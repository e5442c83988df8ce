"""CALVIN's figures beside a dataset's: Mees et al. 2022."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import PaperFigure

_TASKS, _SENTENCES, _HOURS, _CHAIN, _FPS = 34, 389, 24, 5, 30


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some chains beside the paper's."""
    tasks, sentences, frames, longest = set(), set(), 0, 0
    for episode in episodes:
        tasks |= {segment.action for segment in episode.segments}
        sentences |= {each.text for each in episode.instructions}
        frames += len(episode.steps)
        longest = max(longest, len(episode.segments))
    return [
        PaperFigure("tasks", f"{len(tasks)}", f"{_TASKS}"),
        PaperFigure("different sentences", f"{len(sentences)}", f"{_SENTENCES}"),
        PaperFigure("hours at 30 frames a second", f"{frames / _FPS / 3600:.2f}", f"about {_HOURS}, of play"),
        PaperFigure("tasks in the longest chain", f"{longest}", f"{_CHAIN}, in evaluation"),
    ]
