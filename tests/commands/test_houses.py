"""The verb ``check-scene`` for houses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from chorewright.replay.household.pixels.map_view import GLASS, OPEN, SHUT, WALL
from tests.command import ROOT, invoke

FILES = [ROOT / "tests" / "corpus" / "houses" / name for name in ("three_rooms.json", "three_rooms_0_0_1.json")]


@pytest.mark.parametrize("path", FILES, ids=["1.0.0", "0.0.1"])
def test_a_house_is_told_of(path: Path) -> None:
    done = invoke(["check-scene", str(path)])
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"{path.stem}: a house of 3 rooms, 3 doors, 2 windows, 14 things"
    assert lines[1] == "  room|2: living_room, 27.0 m2; HousePlant, Pillow, Sofa, Stool, Television"
    assert lines[2] == "    door|2|3 to room|3, a frame"
    assert lines[4] == "    door|1|2 to the outside, shut"


def test_a_house_as_json() -> None:
    done = invoke(["check-scene", str(FILES[0]), "--json"])
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert [room["kind"] for room in record["rooms"]] == ["living_room", "kitchen", "bathroom"]
    assert record["doors"][0] == {"door": "door|2|3", "rooms": ["room|2", "room|3"], "state": "a frame"}
    assert record["things"] == 14


def test_a_damaged_house(tmp_path: Path) -> None:
    path = tmp_path / "house.json"
    value = json.loads(FILES[0].read_text("utf-8"))
    del value["walls"]
    path.write_text(json.dumps(value), encoding="utf-8")
    done = invoke(["check-scene", str(path)])
    assert done.exit_code == 31
    assert "the key 'walls' is missing" in done.stderr


def test_the_map_of_a_house_has_walls(tmp_path: Path) -> None:
    """In the text ``#`` parts the rooms; in the picture there are dark lines where walls are, and none in doors."""
    done = invoke(["check-scene", str(FILES[0]), "--picture", str(tmp_path / "map.png")])
    assert done.exit_code == 0
    rows = [line for line in done.stdout.splitlines() if line.count("#") > 8]
    assert len(rows) >= 3
    with Image.open(tmp_path / "map.png") as picture:
        inks = {ink for _, ink in picture.convert("RGB").getcolors(100_000) or ()}
    assert {WALL, OPEN, SHUT, GLASS} <= inks


def test_a_generated_house_is_told_of() -> None:
    done = invoke(["check-scene", "house:1", "--json"])
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["room"] == ("house" if len(record["rooms"]) > 1 else record["rooms"][0]["kind"])
    assert not record["house_notes"]


PLACE = ("alfred/pick_and_place_simple", "--slot", "object=Mug", "--slot", "receptacle=Fridge")


@pytest.mark.parametrize("scene", [str(FILES[0]), "house:1"], ids=["file", "generated"])
def test_a_task_is_compiled_and_planned_in_a_house(scene: str, tmp_path: Path) -> None:
    done = invoke(["compile", *PLACE, "--scene", scene, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.stderr
    assert invoke(["plan", str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl")]).exit_code == 0


def test_houses_that_are_not_there() -> None:
    for word, message in (("house:x", "there is no house 'house:x'"), ("houses:9-3", "'houses:9-3' are 0 houses")):
        done = invoke(["generate", "alfred", "-n", "1", "--out", "nowhere", "--scenes", word])
        assert done.exit_code == 2
        assert message in done.stderr
