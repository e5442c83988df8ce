"""Which other searches a long plan is given, and what they may spend; searches and improvement are played by hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.search import anytime
from chorewright.planner.search.anytime import MOST, SHARE, START, improve_among_rivals
from chorewright.planner.search.improvement import LONG
from chorewright.planner.search.search import Budget, Prepared, SearchResult


@dataclass
class Played:
    """Searches that find plans of given lengths; a plan costs what it is long, and improvement leaves it so."""

    lengths: dict[str, int]
    spent: int = 30
    asked: list[tuple[str, int | None]] = field(default_factory=list)

    def cost_of(self, found: SearchResult) -> int:
        return len(found.operators or ())

    def satisfice(self, prepared: object, search: str, *rest: object) -> SearchResult:
        budget = rest[-1]
        assert isinstance(budget, Budget)
        self.asked.append((search, budget.evaluations))
        length = self.lengths.get(search)
        return SearchResult(None if length is None else (0,) * length, None, self.spent)

    def improve(self, prepared: object, operators: tuple[int, ...], *rest: object) -> SearchResult:
        assert isinstance(rest[-1], int)
        assert rest[-1] >= 0
        return SearchResult(operators, None, 7)


@pytest.mark.parametrize(
    ("first", "search", "budget", "lengths", "asked", "length"),
    [
        (10, "gbfs", 9_000, {"lazy": LONG, "ehc": LONG + 9}, [("lazy", 220), ("ehc", 220)], LONG),
        (10, "gbfs", 9_000, {"lazy": LONG + 9, "ehc": 3}, [("lazy", 220), ("ehc", 220)], 3),
        (10, "lazy", 9_000, {"lazy": 1, "ehc": None}, [("ehc", 220)], LONG + 5),
        (10, "ehc", 100, {"lazy": 2}, [("lazy", 93)], 2),
        (10, "gbfs", 100, {}, [("lazy", 93), ("ehc", 63)], LONG + 5),
        (10, "gbfs", 30, {}, [("lazy", 23)], LONG + 5),  # the first has spent it all
        (2_500, "gbfs", 90_000, {"lazy": 2, "ehc": 1}, [("lazy", MOST), ("ehc", MOST)], 1),
        (5_000, "gbfs", 90_000, {"lazy": 2, "ehc": 1}, [], LONG + 5),  # it took half of what is usual
    ],
)
def test_other_searches_get_their_share_of_what_is_left(
    first: int,
    search: str,
    budget: int,
    lengths: dict[str, int],
    asked: list[tuple[str, int]],
    length: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played = Played(lengths)
    monkeypatch.setattr(anytime, "satisfice", played.satisfice)
    monkeypatch.setattr(anytime, "improve", played.improve)
    start = SearchResult((0,) * (LONG + 5), None, first)
    best = improve_among_rivals(cast(Prepared, played), start, search, 10_000, Budget(budget, 10**6, NEVER))
    assert (SHARE, START) == (2, 200)
    assert played.asked == asked
    assert best.operators is not None
    assert len(best.operators) == length
    got = sum(lengths.get(name) is not None for name, _ in asked)
    assert best.evaluations == 7 + played.spent * len(asked) + 7 * got
    short = replace(start, operators=(0,) * LONG)
    played.asked.clear()
    improve_among_rivals(cast(Prepared, played), short, search, 10_000, Budget(budget, 10**6, NEVER))
    assert played.asked == []
