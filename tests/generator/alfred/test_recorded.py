"""What in a room a recording's ids mean: the thing itself, or the nearest of its kind."""

from __future__ import annotations

import pytest

from chorewright.generator.alfred.recorded import match
from chorewright.problems.household.rooms import load_room

APPLE, BASIN = "Apple|+00.99|+00.94|-01.11", "Sink|+00.16|+00.82|-01.80|SinkBasin"
LEFT, RIGHT = "Cabinet|-01.66|+02.06|-01.68", "Cabinet|+01.16|+02.06|-01.02"


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        (APPLE, APPLE),
        (BASIN, BASIN),
        ("Apple|+02.00|+01.00|+00.10", APPLE),
        ("Apple|+02.00|+01.00|+00.10|AppleSliced_2", f"{APPLE}|AppleSliced_2"),
        ("Sink|+02.00|+01.00|+00.10|SinkBasin", BASIN),
        ("Cabinet|-01.90|+02.00|-01.80", LEFT),
        ("Cabinet|+01.40|+02.00|-01.30", RIGHT),
        ("Shelf|-01.70|+02.10|-01.70", LEFT),  # the room has no shelf: what stands there
        ("Unicorn|+10.00|+01.00|+10.00", "Unicorn|+10.00|+01.00|+10.00"),
        ("Bathtub|+10.00|+01.00|+10.00|BathtubBasin", "Bathtub|+10.00|+01.00|+10.00|BathtubBasin"),
        ("Apple|here|and|there", "Apple|here|and|there"),
        ("Apple", "Apple"),
        ("", ""),
    ],
)
def test_an_id_means_the_thing_itself_or_the_nearest_of_its_kind(told: str, meant: str) -> None:
    assert match(load_room("FloorPlan8"), told) == meant
