"""Scenes of a user's own: read, shortened, mended with a note, made into datasets; or refused with all mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ChorewrightError, InputErrors, UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.household.own_scenes import load_scenes, own_scene, read_own_scene
from chorewright.generator.household.remarks import scene_report
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import load_room
from chorewright.replay.household.world import ThorWorld

Metadata = dict[str, Any]


def metadata(room: str = "FloorPlan4") -> Metadata:
    """A room as an event's metadata, with its standing points."""
    scene = load_room(room)
    world = ThorWorld()
    world.reset(scene)
    made = json.loads(json.dumps(world.metadata()))
    points = [{"x": x / 4, "y": scene.agent_y, "z": z / 4} for x, z in scene.grid]
    return {**made, "lastAction": "GetReachablePositions", "actionReturn": points}


def unknown_kinds(made: Metadata) -> None:
    for record in made["objects"]:
        if record["objectType"] == "Kettle" or record["objectType"] == "Pan":
            record["objectType"] = "Robot"


def stranded_agent(made: Metadata) -> None:
    made["agent"]["position"] |= {"x": 40.0, "z": -40.0}


def no_agent(made: Metadata) -> None:
    del made["agent"]


def missing_keys(made: Metadata) -> None:
    for record in made["objects"]:
        for key in ("isOpen", "isToggled", "parentReceptacles", "rotation", "assetId", "temperature"):
            record.pop(key, None)


def broken_records(made: Metadata) -> None:
    del made["objects"][1]["objectType"]
    made["objects"][3]["position"] = "here"
    made["objects"][5]["objectId"] = made["objects"][4]["objectId"]


def empty_room(made: Metadata) -> None:
    made["objects"] = [record for record in made["objects"] if record["objectType"] in ("Floor", "CounterTop")]


def nowhere_to_stand(made: Metadata) -> None:
    made["actionReturn"] = []


def whole_event(made: Metadata) -> None:
    inner = dict(made)
    made.clear()
    made["metadata"] = inner


GOOD: dict[str, tuple[Callable[[Metadata], None], str]] = {
    "as it is": (lambda made: None, ""),
    "unknown kinds": (unknown_kinds, "kinds that are not known stay where they are: Robot"),
    "stranded agent": (stranded_agent, "the agent is off the standing points"),
    "no agent": (no_agent, ""),
    "missing keys": (missing_keys, ""),
    "a whole event": (whole_event, ""),
}


def written(folder: Path, change: Callable[[Metadata], None], name: str = "mine") -> Path:
    made = metadata()
    change(made)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(made), "utf-8")
    return path


@pytest.mark.parametrize("case", GOOD)
def test_a_scene_is_read_with_notes_on_what_was_mended(case: str, tmp_path: Path) -> None:
    change, said = GOOD[case]
    own = read_own_scene(written(tmp_path, change))
    assert (own.scene.agent.x, own.scene.agent.z) in own.scene.grid
    assert own.scene.name == "mine"
    assert own.scene.room_kind == "kitchen"
    assert [said in each for each in own.notes] == [True] * bool(said)


def test_the_shortened_text_is_the_same_scene(tmp_path: Path) -> None:
    path = written(tmp_path, lambda made: None)
    ((name, text),) = load_scenes([str(path)]).files
    assert len(text) < len(path.read_text("utf-8")) / 2
    room = load_room("FloorPlan4")
    found = own_scene("mine", text, shipped_kinds()).scene
    assert name == "scenes/mine"
    assert found.grid == room.grid
    assert [(each.kind, each.object_id) for each in found.objects] == [
        (each.kind, each.object_id) for each in room.objects
    ]


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    written(tmp_path, broken_records, "one")
    written(tmp_path, nowhere_to_stand, "two")
    with pytest.raises(InputErrors) as caught:
        load_scenes([str(tmp_path)])
    messages = [error.message for error in caught.value.errors]
    assert len(messages) == 4
    for said in ("'objectType' is missing", "expected an object", "is that of object 4 too", "nobody can stand"):
        assert any(said in message for message in messages), said
    assert all(error.location is not None and error.location.path for error in caught.value.errors)


def test_names_must_differ(tmp_path: Path) -> None:
    path = written(tmp_path, lambda made: None, "FloorPlan4")
    with pytest.raises(UsageError, match="two scenes are called 'FloorPlan4'"):
        load_scenes([str(path)])
    with pytest.raises(UsageError, match="there is no file"):
        load_scenes(["none.json"])


def test_episodes_are_made_in_it(tmp_path: Path) -> None:
    files = load_scenes([str(written(tmp_path, stranded_agent))]).files
    options = (("scenes", ("mine",)), ("tasks", ("alfred/pick_and_place_simple",)))
    config = GenerateConfig("alfred", 2, options=options, task_files=files)
    benchmark = BENCHMARKS.find("alfred")
    for index, assignment in enumerate(benchmark.assign(config, 2)):
        assert assignment.scene == "mine"
        made = benchmark.episode(index, config, assignment)
        assert made.outcome.accepted
        assert made.room.name == "mine"


def test_an_empty_room_suits_no_task(tmp_path: Path) -> None:
    files = load_scenes([str(written(tmp_path, empty_room))]).files
    config = GenerateConfig("alfred", 1, options=(("scenes", ("mine",)),), task_files=files)
    with pytest.raises(ChorewrightError, match="none of the tasks is possible in any of the rooms"):
        BENCHMARKS.find("alfred").assign(config, 1)


def test_the_report_draws_the_scene_and_counts_what_is_reached() -> None:
    scene = load_room("FloorPlan4")
    report = scene_report(scene)
    drawn = "".join(report.map)
    assert drawn.count(".") + drawn.count("@") == len(scene.grid)
    assert drawn.count("@") == 1
    reach = dict(report.reach)
    assert all(count > 0 for name, count in reach.items() if name not in report.unreachable)
    assert {name for name, count in reach.items() if count == 0} <= set(report.unreachable)
    assert dict(report.tasks)["alfred/pick_and_place_simple"] > 20
