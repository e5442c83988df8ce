"""Doors of houses as objects: opened and closed, a shut one stops walking, view, reach and the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import networkx as nx
import numpy as np
import pytest

from chorewright.problems.household.houses.house import House, Opening
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.houses.standing import opens, threshold
from chorewright.problems.household.scene import GRID, Point, Pose, Scene
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Event, SimulatorAction


def house_with_a_door() -> tuple[House, Opening]:
    """A generated house, and a door in it with a leaf, by which alone one gets to a room."""
    for seed in range(200):
        house = named_house(f"house:{seed}")
        inner = [door for door in house.doors if not door.outside]
        graph = nx.MultiGraph([door.rooms for door in inner])
        open_walls = any(wall.empty for wall in house.walls)
        for door in inner:
            left = nx.MultiGraph(graph)
            left.remove_edge(*door.rooms)
            if opens(door) and len(house.rooms) >= 3 and not open_walls and not nx.is_connected(left):
                return house, door
    raise AssertionError("no house has such a door")


HOUSE, DOOR = house_with_a_door()


def shut(house: House, door: Opening) -> House:
    doors = tuple(replace(each, openness=0.0) if each is door else each for each in house.doors)
    return replace(house, doors=doors)


def call(world: ThorWorld, action: str, **arguments: object) -> Event:
    return world.step(SimulatorAction(action, cast("Mapping[str, Any]", arguments)))


def world_of(house: House) -> ThorWorld:
    world = ThorWorld()
    world.reset(house_scene(house, "house"))
    return world


def before_the_door(scene: Scene) -> tuple[Pose, Pose]:
    """Poses on both sides of the door that face it, some steps away."""
    (x0, z0), (x1, z1) = threshold(HOUSE, DOOR)
    x, z = (x0 + x1) / 2 / GRID, (z0 + z1) / 2 / GRID
    across = abs(x1 - x0) > abs(z1 - z0)  # the wall runs west to east
    poses: dict[bool, Pose] = {}
    for px, pz in sorted(scene.grid, key=lambda point: abs(point[0] - x) + abs(point[1] - z)):
        along, away = (px - x, pz - z) if across else (pz - z, px - x)
        if abs(along) <= 1 and 1.2 <= abs(away) <= 4:
            facing = (2 if away > 0 else 0) if across else (3 if away > 0 else 1)
            poses.setdefault(away > 0, Pose(px, pz, facing, 0))
    return poses[True], poses[False]


def stand(world: ThorWorld, pose: Pose) -> None:
    where = {"x": pose.x * GRID, "y": 0.9, "z": pose.z * GRID}
    assert call(
        world, "TeleportFull", position=where, rotation=90.0 * pose.rotation, horizon=float(pose.horizon)
    ).success


def reached(world: ThorWorld) -> set[Point]:
    points = cast("list[dict[str, float]]", call(world, "GetReachablePositions").action_return)
    return {(round(each["x"] / GRID), round(each["z"] / GRID)) for each in points}


def record(world: ThorWorld, object_id: str) -> Mapping[str, Any]:
    objects = cast("list[Mapping[str, Any]]", world.metadata()["objects"])
    (found,) = (each for each in objects if each["objectId"] == object_id)
    return found


def test_doors_are_objects_that_open_or_do_not() -> None:
    world = world_of(HOUSE)
    stand(world, before_the_door(world.scene())[0])
    for door in HOUSE.doors:
        told = record(world, door.opening_id)
        assert told["objectType"] == ("Doorframe" if door.asset.startswith("Doorframe") else "Doorway")
        assert told["assetId"] == door.asset
        assert told["openable"] == opens(door)
        assert not told["pickupable"]
    assert record(world, DOOR.opening_id)["isOpen"]
    assert record(world, DOOR.opening_id)["visible"]
    outer = next(door for door in HOUSE.doors if door.outside)
    refused = call(world, "OpenObject", objectId=outer.opening_id)
    assert refused.error_message == f"{outer.opening_id} is not openable."
    assert not call(world, "PickupObject", objectId=DOOR.opening_id).success
    assert not call(world, "OpenObject", objectId="door|77|78").success


def test_a_shut_door_stops_walking_and_an_open_one_does_not() -> None:
    world = world_of(HOUSE)
    near, far = before_the_door(world.scene())
    everywhere = reached(world)
    stand(world, near)
    assert call(world, "CloseObject", objectId=DOOR.opening_id).success
    assert not record(world, DOOR.opening_id)["isOpen"]
    here = reached(world)
    assert (near.x, near.z) in here
    assert (far.x, far.z) not in here
    steps = 0
    while (walked := call(world, "MoveAhead")).success:
        steps += 1
    assert walked.error_message.startswith(DOOR.opening_id)
    assert steps < 4
    rooms = {HOUSE.room_at(x * GRID, z * GRID) for x, z in here}
    assert len(rooms) < len(HOUSE.rooms)
    assert call(world, "OpenObject", objectId=DOOR.opening_id).success
    assert reached(world) == everywhere
    for _ in range(4):
        call(world, "MoveAhead")
    assert HOUSE.room_at(world.room.x * GRID, world.room.z * GRID) is HOUSE.room_at(far.x * GRID, far.z * GRID)


def test_a_shut_door_hides_what_is_behind_it() -> None:
    world = world_of(HOUSE)
    near, _ = before_the_door(world.scene())
    stand(world, near)
    world.room.settings = replace(world.room.settings, reach=20.0)
    before, depths = {each for each in world.room.objects if world.visible(each)}, world.frame(200).depth
    assert call(world, "CloseObject", objectId=DOOR.opening_id).success
    after, shallow = {each for each in world.room.objects if world.visible(each)}, world.frame(200).depth
    here = HOUSE.room_at(near.x * GRID, near.z * GRID)
    assert after <= before
    assert any(HOUSE.room_at(*_floor(world, each)) is not here for each in before)
    middle = slice(80, 120)
    assert np.median(shallow[middle, middle]) < np.median(depths[middle, middle])
    for each in before - after:
        assert HOUSE.room_at(*_floor(world, each)) is not here
        assert not call(world, "PickupObject", objectId=each).success
    assert call(world, "OpenObject", objectId=DOOR.opening_id).success
    assert np.array_equal(world.frame(200).depth, depths)


def _floor(world: ThorWorld, object_id: str) -> tuple[float, float]:
    x, _, z = world.room.objects[object_id].centre
    return x, z


def test_a_door_is_opened_once_and_not_from_afar_or_in_the_way() -> None:
    world = world_of(HOUSE)
    near, _ = before_the_door(world.scene())
    stand(world, near)
    assert call(world, "OpenObject", objectId=DOOR.opening_id).error_message == f"{DOOR.opening_id} is already open."
    (x0, z0), (x1, z1) = threshold(HOUSE, DOOR)
    away = max(world.scene().grid, key=lambda point: abs(point[0] * GRID - x0) + abs(point[1] * GRID - z0))
    stand(world, Pose(*away, 0, 0))
    assert not call(world, "CloseObject", objectId=DOOR.opening_id).success
    stand(world, near)
    for _ in range(6):
        if abs(world.room.x * GRID - (x0 + x1) / 2) + abs(world.room.z * GRID - (z0 + z1) / 2) < 0.19:
            break
        call(world, "MoveAhead")
    said = call(world, "CloseObject", objectId=DOOR.opening_id, forceAction=True)
    assert said.error_message == f"{DOOR.opening_id} cannot be closed: the agent stands in the doorway."
    assert record(world, DOOR.opening_id)["isOpen"]


def test_a_door_that_the_house_has_shut_opens_to_the_rooms_behind() -> None:
    closed = shut(HOUSE, DOOR)
    world, whole = world_of(closed), reached(world_of(HOUSE))
    scene = world.scene()
    assert set(scene.grid) < whole
    assert reached(world) == set(scene.grid)
    found = next(pose for pose in before_the_door(house_scene(HOUSE, "house")) if (pose.x, pose.z) in scene.grid)
    stand(world, found)
    assert call(world, "OpenObject", objectId=DOOR.opening_id).success
    assert reached(world) == whole
    assert call(world, "CloseObject", objectId=DOOR.opening_id).success
    assert reached(world) == set(scene.grid)


@pytest.mark.parametrize("times", [1, 3])
def test_closing_and_opening_leaves_all_as_it_was(times: int) -> None:
    world = world_of(HOUSE)
    near, _ = before_the_door(world.scene())
    stand(world, near)
    before, grid = world.scene(), world.room.walkable
    for _ in range(times):
        assert call(world, "CloseObject", objectId=DOOR.opening_id).success
        assert call(world, "OpenObject", objectId=DOOR.opening_id).success
    assert world.scene() == before
    assert world.room.walkable == grid
    assert world.scene().building == before.building
