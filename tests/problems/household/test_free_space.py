"""Where an agent can stand, judged by boxes."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.problems.household.free_space import (
    extent,
    features,
    floor_level,
    free_points,
    largest_component,
    obstacles,
)
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Point, SceneObject, Vector


def thing(kind: str, centre: Vector, size: Vector, parents: tuple[str, ...] = ()) -> SceneObject:
    name = f"{kind}|{centre}"
    return SceneObject(name, kind, centre, (0.0, 0.0, 0.0), centre, size, parents, traits=shipped_kinds()[kind])


FLOOR = thing("Floor", (0.0, -0.05, 0.0), (4.0, 0.1, 4.0))
WALLS = (
    thing("Window", (0.0, 1.5, 2.0), (1.0, 1.0, 0.1)),
    thing("Painting", (0.0, 1.5, -2.0), (1.0, 1.0, 0.1)),
    thing("LightSwitch", (2.0, 1.2, 0.0), (0.1, 0.1, 0.1)),
    thing("Mirror", (-2.0, 1.5, 0.0), (0.1, 1.0, 1.0)),
)
TABLE = thing("DiningTable", (0.0, 0.4, 0.0), (1.0, 0.8, 1.0), (FLOOR.object_id,))


@pytest.mark.parametrize(
    ("other", "stops"),
    [
        (TABLE, True),
        (thing("Shelf", (0.0, 1.9, 0.0), (1.0, 0.2, 1.0)), False),  # above the head
        (thing("DogBed", (0.0, 0.02, 0.0), (1.0, 0.04, 1.0)), False),  # stepped over
        (thing("Mug", (0.0, 0.05, 0.0), (0.1, 0.1, 0.1)), False),  # an item
        (FLOOR, False),
    ],
)
def test_obstacles(other: SceneObject, stops: bool) -> None:
    assert bool(obstacles([other], 0.0)) == stops


def test_walls_and_table_leave_a_ring() -> None:
    points = free_points([FLOOR, *WALLS, TABLE], 0.0)
    assert (0, 0) not in points  # in the table
    assert (2, 0) not in points  # at its edge, nearer than the agent is wide
    assert (3, 0) in points
    assert (8, 0) not in points  # in the wall
    assert all(abs(x) <= 7 and abs(z) <= 7 for x, z in points)
    assert largest_component(points) == points


def test_extent_is_within_walls_and_floor() -> None:
    assert extent([FLOOR, *WALLS]) == pytest.approx((-1.75, 1.75, -1.75, 1.75))
    assert extent([FLOOR]) == (-2.0, 2.0, -2.0, 2.0)
    assert extent([]) == (0.0, 0.0, 0.0, 0.0)


def test_features_are_the_distances_to_the_nearest_thing_that_they_are_about() -> None:
    mug = thing("Mug", (1.5, 0.9, 1.0), (0.1, 0.1, 0.1))
    fridge = thing("Fridge", (1.5, 1.0, -1.5), (0.6, 2.0, 0.6))
    raster, found = features([FLOOR, *WALLS, TABLE, mug, fridge], 0.0)
    for name, other in (("DiningTable", TABLE), ("*item", mug), ("*door", fridge)):
        dx = np.abs(raster.x - other.centre[0]) - other.size[0] / 2
        dz = np.abs(raster.z - other.centre[2]) - other.size[2] / 2
        away = np.hypot(dx.clip(0), dz.clip(0))
        gap, _ = found[name]
        assert ((gap <= 0) == (away == 0)).all()
        assert np.allclose(gap.clip(0), away, atol=1e-6)
    assert "*item" not in features([FLOOR, TABLE], 0.0)[1]


def test_a_counter_along_three_walls_is_not_all_solid() -> None:
    counter = thing("CounterTop", (0.0, 0.9, 0.0), (4.0, 0.02, 4.0))
    assert (0, 0) in free_points([FLOOR, *WALLS, counter], 0.0)


@pytest.mark.parametrize(
    ("bottoms", "level"),
    [([], 0.0), ([0.0, 0.01, 0.02], 0.0), ([0.22, 0.22, 0.23, 0.9], 0.22), ([-0.4, 0.0, 0.0, 0.0, 0.0, 0.01], 0.0)],
)
def test_floor_level(bottoms: list[float], level: float) -> None:
    standing = [
        thing("Chair", (float(number), bottom + 0.5, 0.0), (0.5, 1.0, 0.5), (FLOOR.object_id,))
        for number, bottom in enumerate(bottoms)
    ]
    assert floor_level([FLOOR, *standing]) == pytest.approx(level)


@pytest.mark.parametrize(
    ("points", "largest"),
    [
        (set(), set()),
        ({(0, 0), (0, 1), (5, 5)}, {(0, 0), (0, 1)}),
        ({(0, 0), (1, 1)}, {(0, 0)}),  # corners do not connect; of equals the lowest
    ],
)
def test_largest_component(points: set[Point], largest: set[Point]) -> None:
    assert largest_component(points) == largest
