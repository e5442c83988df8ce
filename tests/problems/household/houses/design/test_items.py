"""Small things on surfaces: as many as are laid, inside, apart from each other, and not where they do not fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from chorewright.problems.household.houses.design.items import ItemSurface, Scatterer
from chorewright.problems.household.kinds import shipped_kinds


class Piece(SimpleNamespace):
    """A piece that only keeps what is laid on it."""

    def add_child(self, *told: Any) -> None:
        self.children.append(told)


def surface(width: float, ceiling: float = 9.0, kind: str = "CounterTop") -> ItemSurface:
    piece: Any = Piece(room=0, children=[])
    return ItemSurface(piece, shipped_kinds()[kind], (0.0, 0.0, width, width), 0.9, ceiling, None, [])


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize(
    ("where", "most"),
    [(surface(2.0), 5), (surface(0.01), 0), (surface(2.0, 0.91), 0), (surface(1.0, 9.0, "StoveBurner"), 1)],
)
def test_a_thing_is_laid_once_for_each_time_that_it_is_said_to_lie(
    where: ItemSurface, most: int, reached: bool
) -> None:
    ground: Any = SimpleNamespace(reaches=lambda room, place: reached)
    rules: Any = SimpleNamespace()
    where.piece.children.clear()
    where.taken.clear()
    where.count = 0
    scatterer = Scatterer(ground, rules, np.random.default_rng(1))
    laid = [scatterer._lay("Pan", [[where]], [1.0], 40) for _ in range(5)]
    assert sum(laid) == len(where.piece.children) == where.count == (most if reached else 0)
    for number, (left, bottom, right, top) in enumerate(where.taken):
        assert most == 1 or (0.0 < left < right < where.box[2] and 0.0 < bottom < top < where.box[3])
        for other in where.taken[:number]:
            assert right <= other[0] or other[2] <= left or top <= other[1] or other[3] <= bottom


def test_a_kind_that_lies_nowhere_is_not_laid() -> None:
    where, anything = surface(2.0), cast("Any", SimpleNamespace())
    scatterer = Scatterer(anything, anything, np.random.default_rng(1))
    assert not scatterer._lay("Pan", [[where]], [0.0], 40)
    assert not scatterer._lay("Unicorn", [[where]], [1.0], 40)
    assert where.count == 0
