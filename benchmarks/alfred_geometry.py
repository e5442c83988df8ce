"""Geometry of places as one sees them: what is left, ahead, near, between, at a wall, on which part.

The check of spatial phrases (``alfred_references``) computes it from boxes and poses, by none of the speaker's code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject, Vector
from chorewright.rsa.household.directives import Leg

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The directions of the four headings, in grid steps of x and z."""


def walked_path(leg: Leg) -> tuple[list[tuple[float, float]], list[int]]:
    """Return the points of a walk in metres, and the heading at each."""
    x, z, heading = leg.pose.x, leg.pose.z, leg.pose.rotation
    points, headings = [(x * GRID, z * GRID)], [heading]
    for name in leg.actions:
        if name.startswith("MoveAhead"):
            x, z = x + STEPS[heading][0], z + STEPS[heading][1]
        elif name.startswith("Rotate"):
            heading = (heading + (1 if "Right" in name else 3)) % 4
        points.append((x * GRID, z * GRID))
        headings.append(heading)
    return points, headings


def nearest(thing: SceneObject, anchors: Sequence[SceneObject], pose: Pose) -> SceneObject:
    """Return the anchor, not the thing itself, that is nearest to a thing."""
    others = [each for each in anchors if each.object_id != thing.object_id] or list(anchors)
    point = meant_point(thing, pose)
    return min(others, key=lambda each: (gap(point, each), each.object_id))


def meant_point(thing: SceneObject, pose: Pose) -> Vector:
    """Return the point that is meant by a thing: its middle; of one wider than a metre the spot that is faced."""
    if max(thing.size[0], thing.size[2]) <= 1.0:
        return thing.centre
    dx, dz = STEPS[pose.rotation]
    faced = (pose.x * GRID + 0.6 * dx, pose.z * GRID + 0.6 * dz)
    clip = [
        min(max(value, thing.centre[axis] - thing.size[axis] / 2), thing.centre[axis] + thing.size[axis] / 2)
        for value, axis in zip(faced, (0, 2), strict=True)
    ]
    return clip[0], thing.centre[1], clip[1]


def seen_from(point: Vector, pose: Pose) -> tuple[float, float, float]:
    """Return how far a point is to the right of a pose, how high, and how far ahead."""
    dx, dz = point[0] - pose.x * GRID, point[2] - pose.z * GRID
    angle = math.radians(90 * pose.rotation)
    return dx * math.cos(angle) - dz * math.sin(angle), point[1], dx * math.sin(angle) + dz * math.cos(angle)


def ahead(point: Vector, pose: Pose) -> float:
    """Return how far a point is ahead of a pose."""
    return seen_from(point, pose)[2]


def aside(thing: SceneObject, anchor: SceneObject, pose: Pose) -> float:
    """Return how far a thing is to the right of an anchor, as seen from a pose."""
    return seen_from(meant_point(thing, pose), pose)[0] - seen_from(anchor.centre, pose)[0]


def gap(point: Vector, body: SceneObject) -> float:
    """Return the distance on the floor from a point to a thing's box."""
    return math.hypot(*(max(0.0, abs(point[axis] - body.centre[axis]) - body.size[axis] / 2) for axis in (0, 2)))


def angle_between(point: Vector, first: SceneObject, second: SceneObject) -> float:
    """Return the angle between the ways from a point to two things, in degrees."""
    a, b = ((each.centre[0] - point[0], each.centre[2] - point[2]) for each in (first, second))
    length = math.hypot(*a) * math.hypot(*b)
    return math.degrees(math.acos(max(-1.0, min(1.0, (a[0] * b[0] + a[1] * b[1]) / length)))) if length else 0.0


def floor_edges(scene: Scene) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the edges of the floor: of its box, or of the standing points where the room has no floor."""
    for body in scene.objects:
        if body.kind == "Floor":
            (x, _, z), (width, _, depth) = body.centre, body.size
            return (x - width / 2, z - depth / 2), (x + width / 2, z + depth / 2)
    xs, zs = ([point[axis] * GRID for point in scene.grid] for axis in (0, 1))
    return (min(xs) - 0.5, min(zs) - 0.5), (max(xs) + 0.5, max(zs) + 0.5)


def walls_near(thing: SceneObject, scene: Scene) -> int:
    """Return along how many axes a thing is near the floor's edge."""
    low, high = floor_edges(scene)
    return sum(
        min(
            thing.centre[axis] - thing.size[axis] / 2 - low[place],
            high[place] - thing.centre[axis] - thing.size[axis] / 2,
        )
        <= 0.7
        for place, axis in enumerate((0, 2))
    )


def lies_on_part(item: SceneObject, holder: SceneObject, part: int, pose: Pose) -> bool:
    """Whether an item lies on a part of what holds it: -1 left, 1 right, 0 middle, 2 back, -2 front."""
    own, middle = seen_from(item.centre, pose), seen_from(holder.centre, pose)
    if part == 0:
        sides = sorted((holder.size[0], holder.size[2]))
        return math.hypot(own[0] - middle[0], own[2] - middle[2]) <= 0.4 * sides[1]
    return part * (own[0] - middle[0]) > 0 if abs(part) == 1 else part * (own[2] - middle[2]) > 0
