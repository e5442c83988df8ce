"""Ids of the older build: each object bears at most one, and an id once given stays."""

from __future__ import annotations

from dataclasses import replace

from chorewright.problems.household.rooms import load_room
from chorewright.replay.household.room import ALFRED_SETTINGS, Room
from chorewright.replay.household.server.older import OlderNames


def test_two_older_ids_near_one_thing_mean_two_things() -> None:
    room = Room(replace(load_room("FloorPlan1"), name="Unrecorded"), ALFRED_SETTINGS)
    names = OlderNames(room)
    own = [name for name, body in room.objects.items() if body.kind == "Cabinet"]
    x, y, z = room.objects[own[0]].position
    asked = [f"Cabinet|{x + shift:+06.2f}|{y:+06.2f}|{z:+06.2f}" for shift in (0.03, 0.04, -0.03)]
    count = len(room.objects)
    for number, name in enumerate(asked, 1):
        assert names.adopt(name)
        assert set(asked[:number]) <= set(room.objects)
        assert not names.adopt(name), "it bears the id already"
    assert len(room.objects) == count
    assert sum(body.kind == "Cabinet" for body in room.objects.values()) == len(own)
    assert len(own) > len(asked)


def test_what_is_no_id_or_of_no_kind_is_left_alone() -> None:
    room = Room(load_room("FloorPlan1"), ALFRED_SETTINGS)
    names, before = OlderNames(room), set(room.objects)
    for wanted in (None, 3, "", "Cabinet", "Cabinet|a|b|c", "Unicorn|+00.00|+01.00|+00.00", next(iter(before))):
        assert not names.adopt(wanted)
    assert set(room.objects) == before
