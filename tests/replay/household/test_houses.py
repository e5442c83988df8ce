"""Houses behind AI2-THOR's clients: ``CreateHouse`` as client 5.0.0 sends it, houses by name, and refusals."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from chorewright.problems.household.houses.reading import house_record
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.houses.standing import opens, standing_points
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.replay.household.server.service import Service

PROGRAM = [sys.executable, "-m", "chorewright.replay.household.server.program"]


def sent(name: str) -> dict[str, Any]:
    """Return a house as a client reads it from a file."""
    house: dict[str, Any] = json.loads(json.dumps(house_record(named_house(name))))
    return house


def told(service: Service, action: str, **arguments: object) -> dict[str, Any]:
    """Do an action and return what a client reads."""
    return dict(service.answer({"action": action, **arguments}).metadata)


@pytest.fixture
def service() -> Service:
    started = Service()
    assert told(started, "Reset", sceneName="Procedural")["sceneName"] == "Procedural"
    assert told(started, "Initialize", gridSize=0.25, fieldOfView=60)["lastActionSuccess"]
    return started


@pytest.mark.parametrize("name", ["house:0", "house:3"])
def test_a_house_is_created(service: Service, name: str) -> None:
    house = named_house(name)
    seen = told(service, "CreateHouse", house=sent(name))
    assert seen["lastActionSuccess"], seen["errorMessage"]
    assert seen["fov"] == 60
    scene = house_scene(house, name)
    assert {each["objectId"] for each in seen["objects"]} == {
        *(each.object_id for each in scene.objects),
        *(door.opening_id for door in house.doors),
    }
    assert house.agent is not None
    assert (seen["agent"]["position"]["x"], seen["agent"]["position"]["z"]) == house.agent.position[::2]
    points = told(service, "GetReachablePositions")["actionReturn"]
    standing = standing_points(house, shipped_kinds())
    assert {(round(each["x"] * 4), round(each["z"] * 4)) for each in points} <= standing.keys()
    assert len(points) > len(standing) / 2
    for room in house.rooms:
        assert any(room.contains(each["x"], each["z"]) for each in points), room.room_id


def test_another_house_follows_and_rooms_after_it(service: Service) -> None:
    first = told(service, "CreateHouse", house=sent("house:0"))
    second = told(service, "CreateHouse", house=sent("house:1"))
    assert {each["objectId"] for each in first["objects"]} != {each["objectId"] for each in second["objects"]}
    assert told(service, "Reset", sceneName="house:1")["sceneName"] == "house:1"
    assert told(service, "Reset", sceneName="FloorPlan1_physics")["sceneName"] == "FloorPlan1_physics"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("rooms", 0, "roomType"), "Cellar", "$.rooms[0].roomType"),
        (("walls",), {}, "$.walls"),
        (("objects", 0, "position", "x"), None, "$.objects[0].position.x"),
    ],
)
def test_what_is_no_house_is_refused_and_changes_nothing(
    service: Service, path: tuple[str | int, ...], value: object, said: str
) -> None:
    before = told(service, "CreateHouse", house=sent("house:0"))
    damaged: Any = sent("house:1")
    part = damaged
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    after = told(service, "CreateHouse", house=damaged)
    assert not after["lastActionSuccess"]
    assert said in after["errorMessage"]
    assert after["objects"] == before["objects"]
    assert not told(service, "CreateHouse")["lastActionSuccess"]
    assert not told(service, "Reset", sceneName="house:x")["lastActionSuccess"]


def test_clients_open_and_close_doors(service: Service) -> None:
    house = named_house("house:3")
    assert told(service, "CreateHouse", house=sent("house:3"))["lastActionSuccess"]
    before = told(service, "GetReachablePositions")["actionReturn"]
    closed = 0
    for door in house.doors:
        asked = {"objectId": door.opening_id, "forceAction": True}
        after = told(service, "CloseObject", **asked)
        assert after["lastActionSuccess"] == opens(door), after["errorMessage"]
        (record,) = (each for each in after["objects"] if each["objectId"] == door.opening_id)
        assert not record["isOpen"]
        closed += opens(door)
    assert closed
    assert len(told(service, "GetReachablePositions")["actionReturn"]) < len(before)
    for door in house.doors:
        told(service, "OpenObject", objectId=door.opening_id, forceAction=True)
    assert told(service, "GetReachablePositions")["actionReturn"] == before


def test_the_unmodified_client_resets_to_a_house(tmp_path: Path) -> None:
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    from chorewright.replay.household import controller

    program = tmp_path / "chorewright-thor"
    program.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    house = sent("house:2")
    driven = controller("FloorPlan1", local_executable_path=str(program), width=200, height=200)
    try:
        event = driven.reset(house)
        assert event.metadata["lastActionSuccess"], event.metadata["errorMessage"]
        assert event.metadata["sceneName"] == "Procedural"
        assert event.frame.shape == (200, 200, 3)
        assert driven.step("TeleportFull", **house["metadata"]["agent"])
        assert driven.step("RotateRight")
    finally:
        driven.stop()
