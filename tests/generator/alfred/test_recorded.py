"""What a recording says, and what in a room its ids mean: the thing itself, or the nearest of its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.files.json_source import parse_json
from chorewright.generator.alfred.recorded import match, parse_recording
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Pose
from tests.commands.test_saying import recording

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


def test_subgoals_have_the_things_that_their_calls_name(tmp_path: Path) -> None:
    read = parse_recording(parse_json(recording(tmp_path).read_text("utf-8")))
    mug = "Mug|+00.00|+01.00|+01.00"
    pickup, put = read.segments
    assert (pickup.action, pickup.object_id, pickup.steps) == ("PickupObject", mug, (("PickupObject", mug, ""),))
    assert (put.receptacle, put.steps) == ("SinkBasin|0|0|0", (("PutObject", mug, ""),))
    assert (read.room, read.start, dict(read.slots)) == (
        "FloorPlan1",
        Pose(0, 0, 0, 30),
        {"object": "Mug", "receptacle": "SinkBasin"},
    )
