"""Shortest ways, against networkx and against the demonstrations."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora.demonstrations import demonstrations, policy_length, room_name, visited_grids, walks
from benchmarks.corpora.reference import Corpus
from chorewright.problems.household.free_space import STEPS
from chorewright.problems.household.navigation import Grid, looks
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Point, Pose
from tests.reference import each_corpus


def graph(points: tuple[Point, ...]) -> nx.DiGraph:
    """The same world as a graph over (x, z, rotation, horizon)."""
    world = nx.DiGraph()
    known = set(points)
    horizons = range(-30, 61, 15)
    for x, z in points:
        for rotation, (dx, dz) in enumerate(STEPS):
            for horizon in horizons:
                here = (x, z, rotation, horizon)
                for turn in (1, 3):
                    world.add_edge(here, (x, z, (rotation + turn) % 4, horizon))
                for tilt in (-15, 15):
                    if horizon + tilt in horizons:
                        world.add_edge(here, (x, z, rotation, horizon + tilt))
                if (x + dx, z + dz) in known:
                    world.add_edge(here, (x + dx, z + dz, rotation, horizon))
    return world


def walk(pose: Pose, actions: tuple[str, ...], grid: Grid) -> Pose:
    """Carry out a route, asserting that each step is possible."""
    x, z, rotation, horizon = pose.x, pose.z, pose.rotation, pose.horizon
    for action in actions:
        if action == "MoveAhead":
            x, z = x + STEPS[rotation][0], z + STEPS[rotation][1]
        elif action.startswith("Rotate"):
            rotation = (rotation + (1 if action == "RotateRight" else 3)) % 4
        else:
            horizon += 15 if action == "LookDown" else -15
        assert (x, z) in grid
        assert -30 <= horizon <= 60
    return Pose(x, z, rotation, horizon)


def random_poses(grid: Grid, count: int, seed: int) -> list[Pose]:
    rng = np.random.default_rng(seed)
    return [
        Pose(*grid.points[rng.integers(len(grid.points))], int(rng.integers(4)), int(rng.integers(-2, 5)) * 15)
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", ["FloorPlan5", "FloorPlan218", "FloorPlan311", "FloorPlan402"])
def test_distances_are_those_of_networkx(name: str) -> None:
    grid = Grid.of(load_room(name))
    world = graph(grid.points)
    poses = random_poses(grid, 12, 7)
    matrix = grid.distances(poses)
    for row, first in enumerate(poses):
        lengths = nx.single_source_shortest_path_length(world, (first.x, first.z, first.rotation, first.horizon))
        for column, second in enumerate(poses):
            expected = lengths[(second.x, second.z, second.rotation, second.horizon)]
            assert matrix[row, column] == expected


@settings(max_examples=200, deadline=None)
@given(points=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1), seed=st.integers(0, 99))
def test_routes_lead_there_and_are_shortest(points: set[Point], seed: int) -> None:
    grid = Grid(sorted(points))
    first, second = random_poses(grid, 2, seed)
    route = grid.route(first, second)
    distance = grid.distances([first, second])[0, 1]
    if route is None:
        assert distance == -1
        assert (second.x, second.z) not in grid.reachable(first)
        return
    assert (second.x, second.z) in grid.reachable(first)
    assert len(route) == distance
    assert walk(first, route, grid) == second


def test_off_the_grid() -> None:
    grid = Grid([(0, 0), (5, 5)])
    here, away, island = Pose(0, 0, 0, 30), Pose(1, 0, 0, 30), Pose(5, 5, 0, 30)
    assert grid.route(away, here) is None
    assert grid.distances([here, away, island]).tolist() == [[0, -1, -1], [-1, -1, -1], [-1, -1, 0]]
    assert grid.reachable(away) == frozenset()
    assert Grid([]).distances([here]).tolist() == [[-1]]


def test_all_points_that_are_connected_share_one_set() -> None:
    """However many games begin in a room, it keeps one set a component."""
    islands = [{(0, 0), (0, 1), (1, 1)}, {(5, 5)}, {(3, 0), (3, 1)}]
    grid = Grid([point for island in islands for point in island])
    for island in islands:
        found = [grid.reachable(Pose(*point, rotation, 30)) for point in island for rotation in range(4)]
        assert found[0] == island
        assert len(set(map(id, found))) == 1


@pytest.mark.parametrize(
    ("start", "goal", "route"),
    [
        (Pose(0, 0, 0, 30), Pose(0, 0, 0, 30), ""),
        (Pose(0, 0, 0, 30), Pose(0, 0, 2, 30), "RotateLeft RotateLeft"),
        (Pose(0, 0, 0, 30), Pose(0, 2, 0, 30), "MoveAhead MoveAhead"),
        (Pose(0, 0, 0, 0), Pose(1, 1, 1, 60), "LookDown LookDown LookDown MoveAhead RotateRight MoveAhead LookDown"),
        (Pose(0, 0, 0, 60), Pose(0, 1, 0, 60), "MoveAhead"),
        (Pose(0, 0, 0, 60), Pose(0, 1, 0, 30), "LookUp MoveAhead LookUp"),
        (Pose(0, 0, 0, 30), Pose(1, 1, 0, 30), "RotateRight MoveAhead RotateLeft MoveAhead"),
    ],
)
def test_routes_are_natural(start: Pose, goal: Pose, route: str) -> None:
    grid = Grid([(x, z) for x in range(3) for z in range(3)])
    assert grid.route(start, goal) == tuple(route.split())


def test_nearest_point() -> None:
    grid = Grid([(0, 0), (1, 0), (1, 1)])
    assert grid.nearest(0.3, 0.3) == (1, 1)
    assert grid.nearest(-5.0, 0.0) == (0, 0)


@each_corpus
def test_never_longer_than_the_demonstrations(corpus: Corpus) -> None:
    """On the points the demonstrations visit: their length is the policy's, ours is never more."""
    total = policy = ours = theirs = 0
    for demonstration in demonstrations(corpus):
        grid = visited_grids()[room_name(demonstration)]
        for start, goal, actions in walks(demonstration):
            distance = int(grid.distances([start, goal])[0, 1])
            if distance == -1:
                continue
            total += 1
            policy += policy_length(start, goal, distance - looks(start, goal)) == len(actions)
            route = grid.route(start, goal)
            assert route is not None
            assert len(route) == distance <= len(actions)
            ours, theirs = ours + len(route), theirs + len(actions)
    assert total > 2000
    assert policy / total > 0.998
    assert ours / theirs < 0.98
