"""An episode of ALFRED's benchmark driven from start to goal by AI2-THOR's own client, with masks and ids."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.production.line import run
from chorewright.problems.household.containment import model_name, objects_metadata
from chorewright.problems.household.scene import GRID

pytestmark = pytest.mark.slow
TASKS = ("pick_and_place_simple", "pick_clean_then_place_in_recep", "pick_heat_then_place_in_recep")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "chorewright-thor"
    start = f'exec {sys.executable} -m chorewright.replay.household.server.program "$@"'
    path.write_text(f"#!/bin/sh\n{start}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("task", TASKS)
def test_an_episode_reaches_its_goal_through_the_client(task: str, program: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    from chorewright.replay.household import controller

    config = GenerateConfig("alfred", 1, options=(("tasks", (f"alfred/{task}",)), ("scenes", ("FloorPlan10",))))
    run(config, tmp_path / "dataset", workers=0)
    episode = next(iter(Dataset(tmp_path / "dataset")))
    assert episode.outcome.accepted
    settings = {"renderInstanceSegmentation": True, "fieldOfView": 60, "cameraY": 0.75}
    driven = controller(episode.room.name, local_executable_path=str(program), **settings)
    try:
        drive(driven, episode)
        told = {each["objectId"]: each for each in driven.last_event.metadata["objects"]}
    finally:
        driven.stop()
    *_, last = HouseholdMoments(world_for_alfred).moments(episode)
    for expected in objects_metadata(last.world.scene):
        got = told[expected["objectId"]]
        for name in ("parentReceptacles", "isOpen", "isToggled", "isDirty", "isSliced", "isPickedUp"):
            assert got[name] == expected[name], (expected["objectId"], name)
        assert got["position"] == pytest.approx(expected["position"], abs=1e-3)
    slots = dict(episode.parameters)
    assert any(
        body["objectType"] == slots["object"] and slots["receptacle"] in kinds_around(body, told)
        for body in told.values()
    ), "ALFRED's first condition"


def kinds_around(body: dict[str, object], told: dict[str, dict[str, object]]) -> list[object]:
    return [told[name]["objectType"] for name in body["parentReceptacles"] or ()]


def drive(driven: object, episode: Episode) -> None:
    """Set the room up as the episode has it, then do its steps; what is touched has a mask before."""
    room = episode.room
    poses = [
        {
            "objectName": model_name(body.kind, body.asset),
            "position": dict(zip("xyz", body.position, strict=True)),
            "rotation": dict(zip("xyz", body.rotation, strict=True)),
        }
        for body in room.objects
        if body.traits.item
    ]
    states = [] if not room.dirty_and_empty else ["CanBeDirty", "CanBeFilled"]
    for change in states:
        driven.step("SetStateOfAllObjects", StateChange=change, forceAction=change == "CanBeDirty")
    driven.step("SetObjectPoses", objectPoses=poses)
    pose = {"x": room.agent.x * GRID, "y": room.agent_y, "z": room.agent.z * GRID}
    driven.step("TeleportFull", position=pose, rotation=room.agent.rotation * 90, horizon=room.agent.horizon)
    for step in episode.steps:
        call = json.loads(step.arguments)
        name = call.pop("action", step.action)
        touched = call.get("receptacleObjectId") or call.get("objectId")
        if touched:
            assert touched in driven.last_event.instance_masks, (name, touched)
        degrees = {"degrees": 15} if name.startswith("Look") else {}
        event = driven.step(name, **call, **degrees)
        assert event.metadata["lastActionSuccess"], (name, call, event.metadata["errorMessage"])
