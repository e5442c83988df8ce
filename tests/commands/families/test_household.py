"""What is said of a house."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.commands.families.household import house_report, rooms_in_reach
from chorewright.problems.household.houses.house import House, Wall
from chorewright.problems.household.houses.reading import load_house
from tests.problems.household.houses.test_reading import NEW


@pytest.fixture(scope="module")
def house() -> House:
    return load_house(NEW)


def test_rooms_have_doors_and_things(house: House) -> None:
    report = house_report(house)
    assert [[door.opening_id for door in room.doors] for room in report.rooms] == [
        ["door|2|3", "door|2|4", "door|1|2"],
        ["door|2|3"],
        ["door|2|4"],
    ]
    assert report.rooms[2].things == (("Faucet", 1), ("Sink", 1), ("Toilet", 1))
    assert sum(count for room in report.rooms for _, count in room.things) == 14
    assert report.notes == ("assets that are not AI2-THOR's: stool_of_ours",)


def test_rooms_are_joined_by_frames_open_doors_and_empty_walls(house: House) -> None:
    assert rooms_in_reach(house) == (("room|2", "room|3", "room|4"),)
    without = replace(house, doors=())
    assert rooms_in_reach(without) == (("room|2", "room|3"), ("room|4",))
    for change in ((0.004, 0.0), (0.0, 0.004)):  # files have the ends of a shared wall's sides up to some mm apart
        assert rooms_in_reach(replace(without, walls=shifted(house, change))) == rooms_in_reach(without)
    assert rooms_in_reach(replace(without, walls=shifted(house, (0.02, 0.0))))[0] == ("room|2",)
    solid = replace(without, walls=tuple(replace(wall, empty=None) for wall in house.walls))
    assert rooms_in_reach(solid) == (("room|2",), ("room|3",), ("room|4",))
    shut = tuple(replace(door, openness=0.0) for door in house.doors)
    assert rooms_in_reach(replace(solid, doors=shut)) == rooms_in_reach(solid)


def shifted(house: House, change: tuple[float, float]) -> tuple[Wall, ...]:
    """Return a house's walls, those of its first room moved."""
    (dx, dz), first = change, house.rooms[0].room_id

    def moved(at: tuple[float, float]) -> tuple[float, float]:
        return at[0] + dx, at[1] + dz

    return tuple(
        replace(wall, start=moved(wall.start), end=moved(wall.end)) if wall.room_id == first else wall
        for wall in house.walls
    )


def test_notes(house: House) -> None:
    assert house.agent is not None
    fridge, sofa = house.things[4], house.things[0]
    odd = replace(
        house,
        doors=(),
        things=(replace(fridge, position=(20.0, 1.0, 1.0)), sofa, sofa),
        agent=replace(house.agent, position=(-3.0, 0.95, 0.0)),
    )
    assert house_report(odd).notes == (
        "no way leads between room|2, room|3 and room|4, as the doors stand",
        "in no room: Fridge|3|0",
        "ids of several things: Sofa|2|0, Pillow|2|0|1",
        "the agent starts in no room",
    )
    assert "does not say where the agent starts" in house_report(replace(house, agent=None)).notes[-1]
