"""Seeing: the frustum test against thousands of sampled points, the reach against a fine raster."""

from __future__ import annotations

import math
import random

import pytest

from chorewright.problems.household.scene import Vector
from chorewright.problems.household.sight import floor_distance, in_view, view_planes
from tests.replay.household.toy import CHEST, EGG, FRIDGE, MICROWAVE, MUG, do, world


def seen(point: Vector, rotation: float, horizon: float, half: float) -> bool:
    """Return whether a point relative to the camera is in its picture: by projection."""
    turn, tilt = math.radians(rotation), math.radians(horizon)
    right = point[0] * math.cos(turn) - point[2] * math.sin(turn)
    ahead = point[0] * math.sin(turn) + point[2] * math.cos(turn)
    depth = ahead * math.cos(tilt) - point[1] * math.sin(tilt)
    up = ahead * math.sin(tilt) + point[1] * math.cos(tilt)
    slope = math.tan(math.radians(half))
    return depth > 0 and abs(right) <= slope * depth and abs(up) <= slope * depth


def test_the_frustum_test_agrees_with_sampled_points() -> None:
    dice = random.Random(3)
    visible = wrong = 0
    for _ in range(1500):
        rotation, horizon = dice.choice([0, 90, 180, 270]), dice.choice([-30, 0, 15, 45, 60])
        half = dice.choice([30.0, 35.0, 45.0])
        centre = tuple(dice.uniform(-2, 2) for _ in range(3))
        size = tuple(dice.choice([0.05, 0.2, 0.8]) for _ in range(3))
        points = [tuple(centre[axis] + size[axis] * dice.uniform(-0.5, 0.5) for axis in range(3)) for _ in range(60)]
        sampled = any(seen(point, rotation, horizon, half) for point in points)
        answer = in_view(view_planes(rotation, horizon, math.tan(math.radians(half))), (0.0, 0.0, 0.0), centre, size)
        assert answer or not sampled
        visible += answer
        wrong += answer and not sampled
    assert visible > 100
    assert wrong < 0.25 * visible  # boxes that only touch the view


@pytest.mark.parametrize(
    ("camera", "centre", "size", "metres"),
    [
        ((0.0, 1.5, 0.0), (2.0, 0.0, 0.0), (1.0, 0.1, 1.0), 1.5),
        ((0.0, 1.5, 0.0), (3.0, 9.0, 4.0), (0.0, 0.0, 0.0), 5.0),
        ((0.2, 0.0, 0.1), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.0),
        ((-2.0, 0.0, 2.0), (0.0, 0.0, 0.0), (2.0, 1.0, 2.0), math.sqrt(2.0)),
    ],
)
def test_reach_is_measured_on_the_floor_to_the_nearest_point(
    camera: Vector, centre: Vector, size: Vector, metres: float
) -> None:
    assert floor_distance(camera[0], camera[2], centre, size) == pytest.approx(metres)


def test_what_is_behind_far_or_shut_in_is_not_visible() -> None:
    made = world()
    assert made.visible(MUG)
    assert not made.visible(CHEST)
    assert not made.visible("Nothing|n")
    do(made, "RotateRight", degrees=180)
    assert made.visible(CHEST)
    assert not made.visible(MUG)
    do(made, "Teleport", x=0.5, z=-0.5, rotation=0, horizon=15)
    assert "m away" in do(made, "OpenObject", FRIDGE).error_message


def test_a_closed_door_hides_what_is_inside() -> None:
    made = world()
    do(made, "PickupObject", EGG)
    assert do(made, "OpenObject", MICROWAVE).success
    assert do(made, "PutObject", MICROWAVE).success
    assert made.visible(EGG)
    assert do(made, "CloseObject", MICROWAVE).success
    assert not made.visible(EGG)
    event = do(made, "PickupObject", EGG)
    assert not event.success
    assert MICROWAVE in event.error_message
    assert do(made, "PickupObject", EGG, forceAction=True).success
