"""The results of the paper's players in HandMeThat: the rows of Tables 2, 3, 5 and 6, to print beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.replay.handmethat.evaluation import Played
from chorewright.rsa.handmethat.meanings import Quest


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one of the paper's players at one level.

    Attributes:
        score: The mean score; None where the paper gives none.
        success: The share of the episodes won.
        moves: The mean number of moves of those; None if none was.
    """

    score: float | None
    success: float
    moves: float | None


def paper_rows(version: int, fully_observable: bool) -> Mapping[str, tuple[Cell, ...]]:
    """Return a table of the paper: each player's results at levels 1 to 4.

    Args:
        version: 1 or 2 of the dataset.
        fully_observable: Whether all objects are seen at all times.
    """
    return _tables()[version, fully_observable]


def likely_version(played: Iterable[Played]) -> int:
    """Return the version that episodes appear to be of: 2, in which things are only brought, or 1."""
    return 2 if all(each.quest == Quest.BRING_ME.value for each in played) else 1


@lru_cache(maxsize=1)
def _tables() -> Mapping[tuple[int, bool], Mapping[str, tuple[Cell, ...]]]:
    path = resources.files("chorewright.replay") / "data" / "handmethat_paper.json"
    document = json.loads(path.read_text("utf-8"))
    return {
        (version, seen == "fully"): {
            player: tuple(Cell(score, success / 100, moves) for score, success, moves in cells)
            for player, cells in document[str(version)][seen].items()
        }
        for version in (1, 2)
        for seen in ("fully", "partially")
    }
