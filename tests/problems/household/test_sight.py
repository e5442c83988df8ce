"""Stand poses, against the demonstrations' and against the geometry they promise."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.corpora.demonstrations import demonstrations, layouts, pose, room_name, visited_grids
from benchmarks.corpora.reference import Corpus
from chorewright.problems.household.containment import matters
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.navigation import MOST_POSES, Grid
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, Pose, facing, horizon_towards
from chorewright.problems.household.sight import (
    REACH,
    fixture_pose,
    floor_distance,
    item_pose,
    poses_around,
    reaches,
    sees,
    stand_pose,
    touches,
)
from tests.reference import each_corpus


@pytest.mark.parametrize(
    ("dx", "dz", "rotation"), [(0, 1, 0), (1, 0, 1), (0, -1, 2), (-1, 0, 3), (1, 1, 0), (-1, -1, 2), (0, 0, 0)]
)
def test_facing(dx: float, dz: float, rotation: int) -> None:
    assert facing(dx, dz) == rotation


@pytest.mark.parametrize(
    ("camera", "target", "distance", "horizon"),
    [(1.65, 1.65, 1.0, 0), (1.65, 0.9, 0.75, 45), (1.65, 0.0, 0.1, 60), (1.65, 3.0, 0.2, -30), (1.65, 2.0, 1.0, -15)],
)
def test_horizon(camera: float, target: float, distance: float, horizon: int) -> None:
    assert horizon_towards(camera, target, distance) == horizon


@pytest.mark.parametrize(
    ("rotation", "horizon", "target", "seen"),
    [
        (0, 0, (0.0, 1.65, 1.0), True),
        (0, 0, (0.55, 1.65, 1.0), True),
        (0, 0, (0.6, 1.65, 1.0), False),
        (0, 0, (0.0, 1.65, -1.0), False),
        (1, 0, (1.0, 1.65, 0.0), True),
        (3, 0, (-1.0, 1.65, 0.0), True),
        (0, 45, (0.0, 0.9, 0.75), True),
        (0, 45, (0.0, 1.65, 1.0), False),
        (2, 30, (0.0, 1.2, -0.8), True),
    ],
)
def test_sees(rotation: int, horizon: int, target: tuple[float, float, float], seen: bool) -> None:
    assert sees(Pose(0, 0, rotation, horizon), 0.9, target) == seen


@each_corpus
def test_item_poses_are_the_demonstrations(corpus: Corpus) -> None:
    """Of the pickups in the open, 99.5 % are done from exactly the pose that the policy gives."""
    same = total = 0
    for demonstration in demonstrations(corpus):
        grid = visited_grids()[room_name(demonstration)]
        moved, location = set(), None
        for number, subgoal in enumerate(demonstration["high"]):
            if subgoal["a"] == "GotoLocation":
                location = subgoal["loc"]
            elif subgoal["a"] == "PickupObject" and demonstration["high"][number - 1]["a"] == "GotoLocation":
                around = subgoal.get("rc")
                behind_door = around and shipped_kinds()[around[0]].closable
                if "oc" in subgoal and location and not behind_door and subgoal["o"] not in moved:
                    total += 1
                    ours = item_pose(grid, demonstration["init"][1], tuple(subgoal["oc"][1:]))
                    same += ours == pose(location)
            if "o" in subgoal:
                moved.add(subgoal["o"])
    assert total > 600
    assert same / total > 0.985


def test_fixtures_can_be_touched() -> None:
    """Every fixture that matters has a pose but 3 of 3,309, and from there it is in reach and in view."""
    missing: Counter[str] = Counter()
    total = 0
    for name in room_names():
        scene = load_room(name)
        grid = Grid.of(scene)
        for thing in scene.objects:
            if thing.traits.item or not matters(thing):
                continue
            total += 1
            found = stand_pose(scene, grid, thing)
            if found is None:
                missing[thing.kind] += 1
                continue
            assert (found.x, found.z) in grid
            assert touches(found, scene.agent_y, thing.centre, thing.size), (name, thing.object_id, found)
    assert total > 3000
    assert missing == {"TowelHolder": 1, "Faucet": 1, "ShowerHead": 1}


def test_a_grid_keeps_few_poses() -> None:
    scene = load_room("FloorPlan1")
    grid = Grid(scene.grid)
    table = next(each for each in scene.objects if each.traits.receptacle)
    first = fixture_pose(grid, scene.agent_y, table)
    for step in range(2 * MOST_POSES):
        moved = replace(table, centre=(table.centre[0], table.centre[1] + step / 1_000, table.centre[2]))
        fixture_pose(grid, scene.agent_y, moved)
    assert len(grid.poses) <= MOST_POSES
    assert fixture_pose(grid, scene.agent_y, table) == first


def test_poses_around_are_all_that_reach() -> None:
    """Points are looked for in a rectangle; none is missed."""
    room = load_room("FloorPlan5")
    grid = Grid.of(room)
    for thing in room.objects:
        near = {
            point
            for point in grid.points
            if floor_distance(point[0] * GRID, point[1] * GRID, thing.centre, thing.size) <= REACH
        }
        half = thing.size[0] / 2 + REACH, thing.size[2] / 2 + REACH
        assert near <= set(grid.within(thing.centre[0], thing.centre[2], half[0] + 1e-9, half[1] + 1e-9))
        found = poses_around(grid, room.agent_y, thing)
        assert {(one.x, one.z) for one in found} <= near
        assert all(reaches(one, room.agent_y, thing.centre, thing.size) for one in found)


def test_items_can_be_touched() -> None:
    for name in room_names():
        scene = load_room(name)
        grid = Grid.of(scene)
        for thing in scene.objects:
            if thing.traits.item:
                found = stand_pose(scene, grid, thing)
                assert found is None or touches(found, scene.agent_y, thing.centre, thing.size)
                policy = item_pose(grid, scene.agent_y, thing.position)
                assert policy is not None
                if reaches(policy, scene.agent_y, thing.centre, thing.size):
                    assert found == policy


def test_poses_before_receptacles_are_near_the_demonstrations() -> None:
    """Where the demonstrations stand, our rule of reach holds too; we stand close, mostly turned alike."""
    total = touched = near = alike = 0
    for name in room_names():
        scene = load_room(name)
        objects = {thing.object_id: thing for thing in scene.objects}
        grid = Grid.of(scene)
        for object_id, (x, z, rotation, horizon, _) in layouts()[name]["receptacle_poses"].items():
            thing = objects.get(object_id)
            ours = stand_pose(scene, grid, thing) if thing else None
            if thing is None or ours is None:
                continue
            theirs = Pose(x, z, rotation % 4, horizon)
            total += 1
            touched += touches(theirs, scene.agent_y, thing.centre, thing.size)
            near += abs(ours.x - x) + abs(ours.z - z) <= 3
            alike += ours.rotation == theirs.rotation
    assert total >= 539
    assert touched / total > 0.97
    assert near / total > 0.75
    assert alike / total > 0.8


def test_in_front_of_doors() -> None:
    """Fridges and microwaves are opened from their front, as far off as the agent's body at least."""
    for name in room_names():
        scene = load_room(name)
        for thing in scene.objects:
            if thing.kind in ("Fridge", "Microwave"):
                found = stand_pose(scene, Grid.of(scene), thing)
                assert found is not None
                assert floor_distance(found.x * GRID, found.z * GRID, thing.centre, thing.size) >= 0.2
