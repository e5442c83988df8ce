"""The verb ``check-scene`` for houses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_the_map_of_a_house_is_not_drawn(tmp_path: Path) -> None:
    done = invoke(["check-scene", str(FILES[0]), "--picture", str(tmp_path / "map.png")])
    assert done.exit_code == 2
    assert "one room" in done.stderr


SLOTS = ("--slot", "object=Mug", "--slot", "receptacle=Fridge")
VERBS = [("generate", "alfred", "--out", "out"), ("compile", "alfred/pick_and_place_simple", *SLOTS)]


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_tasks_are_not_planned_in_houses(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke([*words, "--scene", str(FILES[0])])
    assert done.exit_code == 31
    assert "this is a house" in done.stderr
    assert "check-scene" in done.stderr
