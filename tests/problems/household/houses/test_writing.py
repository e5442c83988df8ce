"""Houses written, and read again."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

from chorewright.errors import StorageError
from chorewright.problems.household.houses.house import (
    EXTERIOR,
    ROOM_TYPES,
    AgentStart,
    House,
    HousePart,
    HouseRoom,
    HouseThing,
    Material,
    Opening,
    Wall,
    edges,
)
from chorewright.problems.household.houses.reading import house_record, load_house, write_house
from tests.problems.household.houses.test_reading import NEW, OLD, document


def test_a_file_of_the_newer_schema_is_written_as_it_was_read() -> None:
    assert house_record(load_house(NEW)) == document(NEW)
    assert house_record(load_house(OLD)) == document(NEW)


def test_written_houses_are_read_as_they_were(tmp_path: Path) -> None:
    generator = random.Random("houses")
    path = tmp_path / "house.json"
    for _ in range(100):
        house = _house(generator)
        write_house(house, path)
        text = path.read_bytes()
        again = load_house(path)
        assert again == house
        write_house(again, path)
        assert path.read_bytes() == text


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        write_house(load_house(NEW), tmp_path / "nowhere" / "house.json")


def test_members_that_are_not_used_are_kept(tmp_path: Path) -> None:
    value = document()
    value["objects"][0]["color"] = {"r": 1, "g": 0, "b": 0}
    value["walls"][3]["material"]["color"] = {"r": 0.1, "g": 0.2, "b": 0.3, "a": 1}
    value["ours"] = {"seed": 7}
    path = tmp_path / "house.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    house = load_house(path)
    assert house.walls[3].material == Material("BrickWall", (0.1, 0.2, 0.3, 1.0))
    assert house_record(house) == value


def _house(generator: random.Random) -> House:
    """A row of rooms with doors, windows and things drawn at random."""
    depth, height = generator.uniform(2, 8), generator.uniform(2.3, 3.2)
    ends = [0.0]
    for _ in range(generator.randrange(1, 6)):
        ends.append(ends[-1] + generator.uniform(2, 6))
    rooms, walls, doors, windows = [], [], [], []
    for number, (west, east) in enumerate(pairwise(ends), 2):
        floor = ((west, 0.0), (west, depth), (east, depth), (east, 0.0))
        name = f"room|{number}"
        kind = generator.choice(sorted(ROOM_TYPES.values()))
        rooms.append(HouseRoom(name, kind, floor, _material(generator), rest={"ceilings": [], "children": []}))
        for side, (start, end) in enumerate(edges(floor)):
            inner = Wall(f"wall|{number}|{side}", name, start, end, 0.0, height, _material(generator))
            walls.append(inner)
            outer = side in (1, 3) or (side == 0 and west == 0) or (side == 2 and east == ends[-1])
            if outer:
                walls.append(Wall(f"wall|exterior|{number}|{side}", EXTERIOR, end, start, 0.0, height))
            if outer and generator.random() < 0.5:
                sides = (f"wall|{number}|{side}", f"wall|exterior|{number}|{side}")
                windows.append(_opening(generator, f"window|{number}|{side}", (name, name), sides, inner, None))
        if west:
            between = (f"room|{number - 1}", name)
            sides = (f"wall|{number - 1}|2", f"wall|{number}|0")
            openness = generator.choice((None, 0.0, 1.0))
            west_wall = next(wall for wall in walls if wall.wall_id == sides[1])
            doors.append(_opening(generator, f"door|{number - 1}|{number}", between, sides, west_wall, openness))
    things = tuple(_thing(generator, f"{number}", 1) for number in range(generator.randrange(12)))
    agent = AgentStart((ends[1] / 2, 0.95, depth / 2), (0.0, 90.0, 0.0), 30.0, generator.choice((True, None)))
    metadata = {"warnings": {}, "roomSpecId": f"{len(rooms)}-room"}
    return House(tuple(rooms), tuple(walls), tuple(doors), tuple(windows), things, agent, {"lights": []}, metadata)


def _material(generator: random.Random) -> Material:
    color = tuple(generator.random() for _ in "rgb") if generator.random() < 0.5 else None
    return Material(generator.choice(("Wood", "Tiles")), color, {"unlit": True} if generator.random() < 0.2 else {})


def _opening(
    generator: random.Random,
    name: str,
    rooms: tuple[str, str],
    walls: tuple[str, str],
    wall: Wall,
    openness: float | None,
) -> Opening:
    left = generator.uniform(0, wall.length - 1)
    low, high = (left, 0.0, 0.0), (left + 1, generator.uniform(1, 2.2), 0.0)
    openable = None if openness is None else generator.random() < 0.5
    return Opening(name, "Doorway_1", rooms, walls, low, high, (left + 0.5, 1.0, 0.0), openable, openness)


def _thing(generator: random.Random, name: str, levels: int) -> HouseThing:
    def place() -> tuple[float, float, float]:
        return generator.uniform(0, 9), generator.uniform(0, 2), generator.uniform(0, 9)

    children = tuple(_thing(generator, f"{name}|{child}", 0) for child in range(generator.randrange(4) * levels))
    names = [f"Part|{name}|{part}" for part in range(generator.randrange(3) * levels)]
    parts = tuple(
        HousePart(each, "StoveKnob", place(), (0.1, 0.2, generator.uniform(0.1, 1)), 90.0, tuple(names[:number]))
        for number, each in enumerate(names)
    )
    return HouseThing(
        f"Thing|{name}",
        "Mug_3",
        place(),
        (0.0, generator.uniform(0, 360), 0.0),
        generator.random() < 0.5,
        generator.choice((None, 0.0, generator.random())),
        generator.choice((None, True, False)),
        generator.choice((None, True, False)),
        children,
        {"layer": "Procedural1", "material": None} if generator.random() < 0.5 else {},
        parts,
        "Part|0|0" if not levels else None,
    )
