"""Shortest paths against Dijkstra's algorithm over places found by walking, and over the house's walls."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest

from benchmarks.originals.walks import goals_of, shortest_metres, visible_from, walked_graph, walls_graph
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import named_scene
from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.objectnav.world import (
    ACTIONS,
    LOOK,
    SETTINGS,
    Goals,
    NavigationTask,
    NavigationWorld,
    follow,
    shortest_way,
    walking_steps,
    way_to,
)

SCENES = ("FloorPlan7", "FloorPlan212", "FloorPlan303", "FloorPlan411", "house:3", "house:19")
TARGETS = ("Mug", "Television", "Bed", "Toilet", "Apple", "Chair", "SprayBottle")
RENDERER = Renderer()


def scene_of(name: str) -> Scene:
    return named_scene(name, shipped_kinds())


def starts(name: str, count: int) -> Iterator[tuple[Scene, str, Goals]]:
    """Scenes with a start and a target that is there, drawn from the scene's name."""
    scene, rng = scene_of(name), np.random.default_rng(sum(name.encode()))
    points = sorted(Grid.of(scene).reachable(scene.agent))
    there = [kind for kind in TARGETS if any(body.kind == kind for body in scene.objects)]
    for _ in range(count):
        start = Pose(*points[int(rng.integers(len(points)))], int(rng.integers(4)), 30)
        target = there[int(rng.integers(len(there)))]
        moved, goals = goals_of(scene, target, start, RENDERER)
        yield moved, target, goals


CORNER = frozenset({(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)})
"""Two steps north, then two east."""


@pytest.mark.parametrize(
    ("start", "end", "actions"),
    [
        (Pose(0, 1, 3, 30), Pose(0, 2, 3, 30), "RotateRight MoveAhead RotateLeft"),
        (Pose(0, 0, 0, 30), Pose(2, 2, 1, 30), "MoveAhead MoveAhead RotateRight MoveAhead MoveAhead"),
        (Pose(0, 0, 2, 30), Pose(0, 0, 0, 30), "RotateRight RotateRight"),
        (Pose(1, 2, 1, 0), Pose(2, 2, 0, 60), "MoveAhead RotateLeft LookDown LookDown"),
        (Pose(2, 2, 3, 30), Pose(0, 1, 2, 0), "MoveAhead MoveAhead RotateLeft MoveAhead LookUp"),
        (Pose(2, 2, 3, 30), Pose(2, 2, 3, 30), ""),
    ],
)
def test_ways_round_a_corner(start: Pose, end: Pose, actions: str) -> None:
    way = way_to(CORNER, start, [end])
    assert way is not None
    assert (" ".join(way.actions), way.end) == (actions, end)
    assert way.metres == 0.25 * actions.count("MoveAhead")
    assert way_to(CORNER, start, [Pose(1, 1, 0, 30)]) is None


@pytest.mark.parametrize("name", SCENES)
def test_paths_are_as_short_as_those_of_an_independent_search(name: str) -> None:
    graph, world = walked_graph(scene_of(name)), ThorWorld(SETTINGS)
    for scene, target, goals in starts(name, 6):
        way = shortest_way(frozenset(scene.grid), scene.agent, goals)
        assert (None if way is None else way.metres) == shortest_metres(scene, target, graph, world)


@pytest.mark.parametrize("name", SCENES)
def test_a_path_leads_where_the_target_is_visible(name: str) -> None:
    world = NavigationWorld()
    for scene, target, goals in starts(name, 4):
        way = shortest_way(frozenset(scene.grid), scene.agent, goals)
        if way is None:
            continue
        world.reset(NavigationTask("", scene, target, way.metres))
        for action in way.actions:
            assert world.step(action).success
        world.step("Done")
        assert world.success
        assert world.walked == way.metres
        assert world.left() == 0.0
        assert [*follow(scene.agent, way.actions)][-1:] in ([], [world.pose])
        simulator = ThorWorld(SETTINGS)
        simulator.reset(scene)
        assert visible_from(scene, way.end, target, simulator)


def fewest_actions(graph: nx.Graph, start: Pose, metres: float, goals: Goals) -> int:
    """Brute force: the fewest actions of all those with so many metres, over single actions."""
    best: dict[Pose, tuple[float, int]] = {start: (0.0, 0)}
    queue = [(0.0, 0, start)]
    while queue:
        walked, count, pose = heapq.heappop(queue)
        if walked == metres and goals.sees(pose):
            return count
        for action in ACTIONS[:-1]:
            (there,) = follow(pose, [action])
            further = walked + 0.25 * (action == "MoveAhead")
            if action == "MoveAhead" and not graph.has_edge((pose.x, pose.z), (there.x, there.z)):
                continue
            if further <= metres and -30 <= there.horizon <= 60 and (further, count + 1) < best.get(there, (99.0, 0)):
                best[there] = (further, count + 1)
                heapq.heappush(queue, (further, count + 1, there))
    raise AssertionError("there is no such way")


@pytest.mark.parametrize("name", SCENES[:4])
def test_of_the_shortest_paths_it_has_the_fewest_actions(name: str) -> None:
    graph = walked_graph(scene_of(name))
    for scene, _, goals in starts(name, 3):
        way = shortest_way(frozenset(scene.grid), scene.agent, goals)
        if way is not None:
            assert len(way.actions) == fewest_actions(graph, scene.agent, way.metres, goals)
            assert all(abs(pose.horizon) % LOOK == 0 for pose in follow(scene.agent, way.actions))


@pytest.mark.parametrize("seed", [2, 3, 11])
def test_steps_in_houses_lead_through_no_wall(seed: int) -> None:
    scene, house = scene_of(f"house:{seed}"), named_house(f"house:{seed}")
    graph = walls_graph(scene, house)
    start = (scene.agent.x, scene.agent.z)
    assert walking_steps(frozenset(scene.grid), start) == nx.single_source_shortest_path_length(graph, start)


def test_a_thing_behind_a_door_is_no_target() -> None:
    scene = scene_of("house:3")
    bodies = {body.object_id: body for body in scene.objects}
    hidden = {
        body.object_id
        for body in scene.objects
        for holder in (bodies[name] for name in body.parents)
        if holder.traits.closable and not holder.attributes.is_open
    }
    assert hidden
    for kind in {bodies[name].kind for name in hidden}:
        assert not hidden & {body.object_id for body in Goals(scene, kind, RENDERER).bodies}
