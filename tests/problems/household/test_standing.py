"""Standing points inferred from furniture, and what is learned for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.alfred_demos import snap
from benchmarks.shipped.rooms import Example, Regression
from chorewright.problems.household.containment import objects_metadata
from chorewright.problems.household.free_space import (
    PIVOT,
    Profiles,
    features,
    largest_component,
    likely_points,
    load_shipped_profiles,
)
from chorewright.problems.household.metadata import scene_from_metadata
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Pose
from tests.problems.household.test_free_space import FLOOR, TABLE, WALLS

THINGS = [FLOOR, *WALLS, TABLE]


def test_a_room_of_a_few_things() -> None:
    points = likely_points(THINGS, 0.0)
    assert (3, 0) in points
    assert (0, 0) not in points  # deep in the table
    assert not any(abs(x) > 8 or abs(z) > 8 for x, z in points)  # beyond the walls
    assert likely_points([FLOOR], 0.0) == set()


def test_rooms_are_read_without_their_points() -> None:
    room = load_room("FloorPlan10")
    scene = scene_from_metadata(objects_metadata(room), name="mine")
    known, found = set(room.grid), set(scene.grid)
    assert len(known & found) > 0.9 * len(known)
    assert len(known & found) > 0.6 * len(found)
    assert largest_component(found) == found


def test_an_agent_off_the_points_is_put_on_the_nearest_of_the_connected_ones() -> None:
    points = ((0, 0), (0, 1), (0, 2), (5, 0))
    assert snap(points, Pose(0, 1, 2, 45)) == Pose(0, 1, 2, 45)
    assert snap(points, Pose(4, 0, 1, 30)) == Pose(0, 0, 1, 30)
    assert snap(points, Pose(5, 0, 1, 30)) == Pose(0, 0, 1, 30)  # alone on an island
    assert snap((), Pose(1, 2, 3, 0)) == Pose(1, 2, 3, 0)


def test_learning_finds_the_optimum_of_all_and_of_the_others() -> None:
    names = ("FloorPlan401", "FloorPlan402", "FloorPlan403")
    rooms = [load_room(name) for name in names]
    examples = [Example.of(room.objects, room.agent_y - PIVOT, set(room.grid)) for room in rooms]
    regression = Regression(examples)
    learned = regression.fit()
    assert _likelihood(learned, examples) > _likelihood(Profiles(learned.bias, {}), examples) + 100
    others, left_out = Regression(examples[:2]).fit(), regression.without(2)
    best, reached = _likelihood(others, examples[:2]), _likelihood(left_out, examples[:2])
    assert reached == pytest.approx(best, rel=0.02)
    assert _likelihood(left_out, examples[2:]) < _likelihood(learned, examples[2:]) - 1


def test_shipped_profiles_name_features() -> None:
    room = load_room("FloorPlan1")
    _, found = features(room.objects, room.agent_y - PIVOT)
    weights = load_shipped_profiles().weights
    assert all(len(weights[name]) == len(edges) for name, (_, edges) in found.items() if name in weights)
    assert sum(name in weights for name in found) > 0.8 * len(found)


def test_nobody_stands_deep_in_a_thing_whatever_the_odds() -> None:
    large = replace(TABLE, size=(2.0, 0.8, 2.0))
    raster, chances = Profiles(9.0, {}).chances([FLOOR, *WALLS, large], 0.0)
    assert (0, 0) not in raster.points(chances > 0)
    assert (4, 0) in raster.points(chances > 0)


def test_one_may_stand_in_the_box_of_a_worktop_around_a_corner() -> None:
    counter = replace(TABLE, kind="CounterTop", size=(2.3, 0.02, 1.6))
    straight = replace(counter, size=(2.3, 0.02, 0.9))
    for thing, free in ((counter, True), (straight, False)):
        raster, chances = Profiles(9.0, {}).chances([FLOOR, *WALLS, thing], 0.0)
        assert ((0, 0) in raster.points(chances > 0)) is free


def _likelihood(profiles: Profiles, examples: list[Example]) -> float:
    total = 0.0
    for example in examples:
        odds = np.full(example.raster.x.shape, profiles.bias)
        for name, (metres, edges) in example.features.items():
            weights = np.array((*profiles.weights.get(name, (0.0,) * len(edges)), 0.0))
            odds += weights[np.searchsorted(edges, metres)]
        signs = np.where(example.known, 1.0, -1.0)
        total -= float(np.logaddexp(0.0, -signs * odds.ravel()).sum())
    return total
