"""What is done at one place, summed up: closing what a thing was taken from or put into is part of that."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chorewright.rsa.household.directives import Leg
from chorewright.rsa.teach.deeds import DeedReader, visits_of

WALK, TAKE = Leg("GotoLocation"), Leg("PickupObject", "Mug|1", "Fridge|1")
OPEN, CLOSE = Leg("OpenObject", "Fridge|1"), Leg("CloseObject", "Fridge|1")
LAY, OTHER = Leg("PutObject", "Mug|1", "Fridge|1"), Leg("CloseObject", "Cabinet|1")


@pytest.mark.parametrize(
    ("legs", "deeds"),
    [
        ((WALK, TAKE), [("get", (1,))]),
        ((WALK, OPEN, TAKE, CLOSE), [("open", (1,)), ("get", (2, 3))]),
        ((WALK, OPEN, LAY, CLOSE), [("open", (1,)), ("put", (2, 3))]),
        ((WALK, LAY, OTHER), [("put", (1,)), ("close", (2,))]),
        ((WALK, LAY, OTHER, CLOSE), [("put", (1,)), ("close", (2,)), ("close", (3,))]),
        ((WALK, CLOSE), [("close", (1,))]),
        ((WALK, LAY, TAKE), [("put", (1,)), ("get", (2,))]),
        ((WALK, OPEN, CLOSE), [("open", (1,)), ("close", (2,))]),
    ],
)
def test_deeds_sum_up_what_belongs_together(legs: Sequence[Leg], deeds: list[tuple[str, tuple[int, ...]]]) -> None:
    found = DeedReader(legs, (), lambda number, name: None, {}).deeds(range(len(legs)))
    assert [(deed.key, deed.legs) for deed in found] == deeds


def test_a_visit_is_a_walk_and_what_is_done_at_its_end() -> None:
    legs = (OPEN, TAKE, WALK, LAY, WALK, WALK, CLOSE, Leg("NoOp"))
    assert visits_of(legs) == [[0, 1], [2, 3], [4], [5, 6]]
    assert visits_of(()) == []
