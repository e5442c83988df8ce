"""Likelihoods against counts that are facts of iTHOR's rooms."""

from __future__ import annotations

from chorewright.replay.objectnav.agents import chance_in_room

KINDS = ("kitchen", "living_room", "bedroom", "bathroom")


def likeliest(kind: str) -> str:
    return max(KINDS, key=lambda room: chance_in_room(kind, room))


def test_things_are_likeliest_where_people_have_them() -> None:
    expected = {"Toilet": "bathroom", "Bed": "bedroom", "Fridge": "kitchen", "Sofa": "living_room"}
    assert {kind: likeliest(kind) for kind in expected} == expected


def test_nothing_is_certain_and_nothing_ruled_out() -> None:
    for kind in ("Toilet", "GarbageCan", "Mug"):
        assert all(0.0 < chance_in_room(kind, room) < 1.0 for room in KINDS)
    assert chance_in_room("GarbageCan", "bedroom") > 0.95
    assert chance_in_room("Toilet", "kitchen") < 0.05


def test_of_what_nobody_knows_all_rooms_are_as_likely() -> None:
    assert len({chance_in_room("Gramophone", room) for room in KINDS}) == 1
    assert 0.0 < chance_in_room("Mug", "house") < 1.0
