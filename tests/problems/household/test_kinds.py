"""Sizes of kinds: boxes of sensible metres, for all kinds of which a size is known and no others."""

from __future__ import annotations

import pytest

from chorewright.problems.household.kinds import shapes, shipped_kinds, usual_size

METRES = [("Fridge", 1.2, 2.5), ("Mug", 0.05, 0.2), ("Bed", 0.4, 2.0), ("CreditCard", 0.0, 0.1), ("Toilet", 0.4, 1.2)]


@pytest.mark.parametrize(("kind", "least", "most"), METRES)
def test_heights_are_sensible(kind: str, least: float, most: float) -> None:
    assert least < usual_size(shipped_kinds()[kind], (9.0, 9.0, 9.0))[1] < most


def test_sizes_are_boxes_of_the_kinds_that_have_one() -> None:
    sizes = [shape.size for shape in shapes().values() if shape.size is not None]
    assert all(len(size) == 3 and all(0 <= side < 6 for side in size) for size in sizes)
    for kind, shape in shapes().items():
        if shape.size is None and kind in shipped_kinds() and shipped_kinds()[kind].size is None:
            assert usual_size(shipped_kinds()[kind], (9.0, 9.0, 9.0)) == (9.0, 9.0, 9.0)
