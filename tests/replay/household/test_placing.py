"""Where things come to lie: off each other while there is room, from wherever the agent looks."""

from __future__ import annotations

import itertools

import pytest

from chorewright.problems.household.scene import SceneObject, Vector
from chorewright.replay.household.placing import free_place
from chorewright.replay.household.room import ALFRED_SETTINGS, Room
from tests.replay.household.toy import COUNTER, EGG, FRIDGE, MUG, PAN, kitchen


def overlap(place: Vector, item: SceneObject, other: SceneObject) -> bool:
    return all(
        abs(place[axis] - other.centre[axis]) < (item.size[axis] + other.size[axis]) / 2 - 1e-9 for axis in range(3)
    )


@pytest.mark.parametrize("item", [MUG, EGG, PAN])
def test_places_are_on_the_receptacle_and_off_what_lies_there(item: str) -> None:
    room = Room(kitchen(), ALFRED_SETTINGS)
    count = 0
    poses = itertools.product(range(-2, 3), (-2, -1, 0), (0, 90, 180, 270), (0, 30, 60), (COUNTER, FRIDGE))
    for room.x, room.z, room.rotation, room.horizon, name in poses:
        receptacle, body = room.objects[name], room.objects[item]
        place = free_place(room, body, receptacle, forced=False)
        if place is None:
            continue
        count += 1
        others = [room.objects[each] for each in room.contents.get(name, ()) if each != item]
        assert not any(overlap(place, body, other) for other in others if room.kind(other.object_id).item)
        for axis in (0, 2):
            assert abs(place[axis] - receptacle.centre[axis]) <= receptacle.size[axis] / 2 + 1e-6
    assert count > 50
