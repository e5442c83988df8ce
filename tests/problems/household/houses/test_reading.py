"""Files of houses: what is read of both schemas, and what is refused, where and why."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ChorewrightError, InputError, InputErrors
from chorewright.files.json_node import root
from chorewright.files.json_source import bare, json_path, parse_json
from chorewright.problems.household.houses.house import House, Material
from chorewright.problems.household.houses.reading import house_of, is_house, load_house
from tests.command import ROOT
from tests.problems.household.houses.damage import DAMAGES, damaged

FOLDER = ROOT / "tests" / "corpus" / "houses"
NEW = FOLDER / "three_rooms.json"
OLD = FOLDER / "three_rooms_0_0_1.json"


def document(path: Path = NEW) -> Any:
    return json.loads(path.read_text("utf-8"))


def read(value: Any) -> House:
    return house_of(root(bare(value)))


def test_a_house_is_read() -> None:
    house = load_house(NEW)
    assert [(room.room_id, room.kind, room.area) for room in house.rooms] == [
        ("room|2", "living_room", 27.0),
        ("room|3", "kitchen", 12.0),
        ("room|4", "bathroom", 9.0),
    ]
    assert len(house.walls) == 22
    assert sum(wall.exterior for wall in house.walls) == 7
    assert sum(wall.empty is True for wall in house.walls) == 2
    assert [(door.opening_id, door.outside, door.passable) for door in house.doors] == [
        ("door|2|3", False, True),
        ("door|2|4", False, True),
        ("door|1|2", True, False),
    ]
    assert len(house.windows) == 2
    assert len(house.things) == 9
    assert [thing.thing_id for thing in house.all_things()][:2] == ["Sofa|2|0", "Pillow|2|0|1"]
    assert sum(1 for _ in house.all_things()) == 14
    assert house.agent is not None
    assert house.agent.rotation == (0.0, 90.0, 0.0)
    assert house.metadata["roomSpecId"] == "ours"


def test_the_older_schema_is_upgraded() -> None:
    assert load_house(OLD) == load_house(NEW)


def test_a_file_without_schema_is_an_older_one() -> None:
    value = document(OLD)
    del value["metadata"]["schema"]
    assert read(value) == load_house(NEW)
    value["version"] = "0.0.0"
    assert read(value) == load_house(NEW)


def test_a_colour_beside_the_name_of_a_material_is_the_materials() -> None:
    value = document(OLD)
    value["walls"][4]["color"] = {"r": 0.7, "g": 0.8, "b": 0.9}
    wall = read(value).walls[4]
    assert wall.material == Material("PureWhite", (0.7, 0.8, 0.9))
    assert wall.rest == {"color": {"r": 0.7, "g": 0.8, "b": 0.9}}


def test_an_opening_of_an_unknown_asset_stands_in_the_middle_of_its_hole() -> None:
    value = document(OLD)
    value["doors"][1] |= {"assetId": "door_of_ours", "assetOffset": {"x": 0, "y": 0, "z": 0}}
    assert read(value).doors[1].position == pytest.approx((0.925, 1.05, 0.0))


def test_positions_of_known_assets_are_near_the_middle_of_the_hole() -> None:
    for each in (*load_house(OLD).doors, *load_house(OLD).windows):
        for axis in (0, 1):
            assert abs(each.position[axis] - (each.low[axis] + each.high[axis]) / 2) < 0.05


def test_a_wall_starts_at_the_first_of_its_lowest_corners_wherever_these_are_listed() -> None:
    value = document()
    house = read(value)
    for wall in value["walls"]:
        low, high = sorted(wall["polygon"], key=lambda corner: corner["y"])[:2], wall["polygon"]
        wall["polygon"] = [low[0], low[1], *reversed([corner for corner in high if corner["y"] > 0])]
    assert read(value) == house


def test_what_may_be_left_out() -> None:
    value = document()
    for key in ("doors", "windows", "objects", "metadata", "proceduralParameters"):
        del value[key]
    value["metadata"] = {"schema": "1.0.0"}
    whole = load_house(NEW)
    assert read(value) == replace(whole, doors=(), windows=(), things=(), agent=None, parameters={}, metadata={})


def test_a_floor_may_repeat_its_first_corner() -> None:
    value = document()
    for room in value["rooms"]:
        room["floorPolygon"].append(dict(room["floorPolygon"][0]))
    assert read(value) == load_house(NEW)


def test_things_may_have_the_same_id() -> None:
    value = document()
    value["objects"][1]["id"] = value["objects"][0]["id"]
    assert len({thing.thing_id for thing in read(value).things}) == 8


def test_all_mistakes_are_told_at_once() -> None:
    value = document()
    value["doors"][0]["assetId"] = 3
    value["windows"][1]["room0"] = "room|33"
    value["objects"][2]["position"]["y"] = "low"
    with pytest.raises(InputErrors) as raised:
        read(value)
    places = [error.location.json_path for error in raised.value.errors if error.location]
    assert places == ["$.doors[0].assetId", "$.windows[1].room0", "$.objects[2].position.y"]
    assert raised.value.errors[1].hint == "did you mean 'room|3'?"


@pytest.mark.parametrize("path", [NEW, OLD], ids=["1.0.0", "0.0.1"])
def test_damaged_files_are_refused_with_place_and_reason(path: Path) -> None:
    generator = random.Random(f"damaged {path.name}")
    names = set()
    for number in range(200):
        name, broken, steps = damaged(document(path), generator)
        names.add(name)
        source = parse_json(json.dumps(broken, indent=1), "damaged.json")
        with pytest.raises(InputError) as raised:
            house_of(root(source))
        error = raised.value.errors[0] if isinstance(raised.value, InputErrors) else raised.value
        place = error.location
        assert place is not None, (number, name)
        assert place.json_path == json_path(steps), (number, name, str(error))
        assert place.path == "damaged.json"
        assert place.line is not None
        assert place.source_line
        assert error.message
    assert names == set(DAMAGES)


def test_cut_off_files_are_refused(tmp_path: Path) -> None:
    text = NEW.read_text("utf-8").rstrip()
    generator = random.Random("cut off")
    for _ in range(50):
        path = tmp_path / "cut.json"
        path.write_text(text[: generator.randrange(len(text))], encoding="utf-8")
        with pytest.raises(InputError) as raised:
            load_house(path)
        assert raised.value.location is not None
        assert raised.value.location.line is not None


def test_whatever_is_changed_a_house_or_an_error_comes_out() -> None:
    generator = random.Random("anything")
    refused = 0
    for _ in range(400):
        broken = copy.deepcopy(document(generator.choice((NEW, OLD))))
        _change(broken, generator)
        error = _error(broken)
        refused += error is not None
        assert error is None or error.location is not None
    assert 150 < refused < 400


def _error(value: Any) -> ChorewrightError | None:
    try:
        read(value)
    except ChorewrightError as error:
        return error
    return None


def _change(value: Any, generator: random.Random) -> None:
    """Replace, remove or repeat a value somewhere within."""
    while True:
        key = generator.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        inner = value[key]
        if isinstance(inner, dict | list) and inner and generator.random() < 0.8:
            value = inner
            continue
        strange = (None, True, -1, 1e300, "", "exterior", [], {}, [[]], {"x": 1, "y": 2, "z": 3}, "0.0.1")
        if generator.random() < 0.3:
            del value[key]
        else:
            value[key] = generator.choice(strange)
        return


@pytest.mark.parametrize("value", [None, [], 3, "house", {}, {"objects": []}])
def test_what_is_no_house_is_refused(value: Any) -> None:
    assert not is_house(value)
    with pytest.raises(InputError) as raised:
        read(value)
    assert raised.value.hint
