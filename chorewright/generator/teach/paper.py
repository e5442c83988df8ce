"""TEACh's figures beside a dataset's: Padmakumar et al. 2022, Table 2 and section 3.3."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import PaperFigure

_SESSIONS, _UTTERANCES, _FOLLOWER, _ACTIONS = 3_047, 13.67, 131.80, 164.65
_SAID = (("Commander", 8.40), ("Follower", 5.25))


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some sessions beside those of people's."""
    steps, told = [], []
    for episode in episodes:
        dialogue = json.loads(dict(episode.extras)["dialogue"])
        said = [each["agent"] for each in dialogue if each["action"] == "Text"]
        steps.append((len(episode.steps), len(episode.steps) + len(dialogue)))
        told.append((said.count(0), said.count(1)))
    return [
        PaperFigure("sessions", f"{len(steps):,}", f"{_SESSIONS:,}"),
        PaperFigure("utterances a session", f"{fmean(map(sum, told)):.2f}", f"{_UTTERANCES:.2f}"),
        *(
            PaperFigure(f"those of the {who}", f"{fmean(each[agent] for each in told):.2f}", f"{people:.2f}")
            for agent, (who, people) in enumerate(_SAID)
        ),
        PaperFigure("actions of the Follower", f"{fmean(each for each, _ in steps):.1f}", f"{_FOLLOWER:.1f}"),
        PaperFigure("all actions", f"{fmean(each for _, each in steps):.1f}", f"{_ACTIONS:.1f}"),
    ]
