"""What the check finds wrong with houses that are damaged on purpose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.problems.household.houses.assets import assets, kind_of
from chorewright.problems.household.houses.design.rules import rules_of
from chorewright.problems.household.houses.house import House, HouseThing
from chorewright.problems.household.houses.source import HouseRequest, generated_house, house_problems

NEEDS = rules_of("rich").needs


@pytest.fixture(scope="module")
def house() -> House:
    return generated_house(1, HouseRequest((4, 4)))


def with_things(house: House, *things: HouseThing) -> House:
    return replace(house, things=things)


def test_a_sound_house(house: House) -> None:
    assert house_problems(house, NEEDS) == ()


def test_a_shut_door(house: House) -> None:
    doors = tuple(replace(door, openable=True, openness=0.0) for door in house.doors)
    assert any("cannot be walked to" in each for each in house_problems(replace(house, doors=doors)))


def test_furniture_twice_at_a_place(house: House) -> None:
    bed = next(thing for thing in house.things if kind_of(thing.asset) == "Bed")
    second = replace(bed, thing_id="Bed|9|9", parts=(), children=())
    found = house_problems(with_things(house, *house.things, second))
    assert f"{bed.thing_id} and Bed|9|9 overlap" in found


@pytest.mark.parametrize(("turn", "overlap"), [(0.0, True), (45.0, False)])
def test_turned_things_overlap_only_if_they_touch(house: House, turn: float, overlap: bool) -> None:
    x, z = house.rooms[0].polygon[0]
    width, _, depth = assets()["Bed_1"].size
    apart = width * 0.75
    assert width < apart * 2**0.5 < depth
    one = HouseThing("Bed|1|1", "Bed_1", (x + 2.0, 0.5, z + 2.0), (0.0, turn, 0.0))
    other = HouseThing("Bed|1|2", "Bed_1", (x + 2.0 + apart, 0.5, z + 2.0 - apart), (0.0, turn, 0.0))
    found = house_problems(with_things(house, one, other))
    assert ("Bed|1|1 and Bed|1|2 overlap" in found) == overlap


def test_things_in_walls_and_outside(house: House) -> None:
    first = house.things[0]
    x, z = house.rooms[0].polygon[0]
    inside = replace(first, position=(x, first.position[1], z), children=(), parts=())
    assert any("sticks out of" in each or "in no room" in each for each in house_problems(with_things(house, inside)))
    far = replace(first, position=(-50.0, 0.5, -50.0))
    assert f"{first.thing_id} is in no room" in house_problems(with_things(house, far))
    item = next(each.asset_id for each in assets().values() if "Receptacle" not in each.properties)
    lost = HouseThing("Item|9|9", item, (-50.0, 0.5, -50.0), (0.0, 0.0, 0.0))
    assert house_problems(with_things(house, lost)).count("Item|9|9 is in no room") == 1


def test_what_is_missing(house: House) -> None:
    found = house_problems(with_things(house), NEEDS)
    kitchen = next(room.room_id for room in house.rooms if room.kind == "kitchen")
    assert f"{kitchen} has no StoveBurner" in found
    assert f"{kitchen} has no Fridge" in found


def test_a_start_in_a_wall(house: House) -> None:
    assert house.agent is not None
    x, z = house.rooms[0].polygon[0]
    astray = replace(house, agent=replace(house.agent, position=(x, 0.95, z)))
    assert "the agent starts where nobody can stand" in house_problems(astray)
