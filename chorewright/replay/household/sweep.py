"""Boxes on their way: after how many metres one meets another, or a wall, which is a segment on the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import cos, dist, inf, sin, tan
from typing import TypeAlias

from chorewright.problems.household.houses.building import Segment
from chorewright.problems.household.scene import SceneObject, Vector

APART = 0.001
"""Metres that are left between what moves and what stops it."""

ROUNDING = 1e-4
"""Metres of overlap that are none: places have four decimals."""

RESTING = 0.02
"""Metres by which the boxes of two things overlap where one stands on the other; less where one is flat."""

THIN = 0.4
"""The part of a flat thing's height that is at most let through where another stands on it."""


@dataclass(frozen=True, slots=True)
class Brick:
    """An axis-aligned box in the room: of a thing, a part of one, or an agent."""

    name: str
    centre: Vector
    size: Vector
    is_agent: bool = False

    @classmethod
    def of(cls, body: SceneObject, by: Vector = (0.0, 0.0, 0.0)) -> Brick:
        """Return a thing's box, moved."""
        return cls(body.object_id, displace(body.centre, by), body.size)


def displace(place: Vector, by: Vector, metres: float = 1.0) -> Vector:
    """Return a place moved so many times by a vector."""
    return (place[0] + metres * by[0], place[1] + metres * by[1], place[2] + metres * by[2])


Rectangle: TypeAlias = tuple[float, float, float, float]
"""The middle and half the sides of a rectangle on the plan: x, z, width, depth."""


def area_around(boxes: Sequence[Brick], by: Vector = (0.0, 0.0, 0.0)) -> Rectangle:
    """Return a rectangle around boxes and around where they are after a motion."""
    low_x, high_x, low_z, high_z = (
        sign * max(sign * (box.centre[axis] + way) + box.size[axis] / 2 for box in boxes for way in (0.0, by[axis]))
        for axis in (0, 2)
        for sign in (-1, 1)
    )
    return (low_x + high_x) / 2, (low_z + high_z) / 2, (high_x - low_x) / 2, (high_z - low_z) / 2


def way_to_wall(walls: Iterable[Segment], boxes: Sequence[Brick], way: Vector, metres: float) -> float:
    """Return how far boxes can go together, at most so many metres, if only walls are in the way."""
    best = metres
    area = area_around(boxes, displace((0.0, 0.0, 0.0), way, metres))
    for wall in walls if way[0] or way[2] else ():
        if _is_near(wall, area):
            best = min(best, *(max(_gap_to_wall(box, wall, way) - APART, 0.0) for box in boxes))
    return best


def draw_back(walls: Iterable[Segment], boxes: Sequence[Brick], start: Vector, end: Vector) -> Vector:
    """Return how far boxes come together on a straight way from a start to an end, if only walls are in the way."""
    way, metres = direction(start, end)
    free = way_to_wall(walls, boxes, way, metres)
    return end if free == metres else displace(start, way, free)


def direction(start: Vector, end: Vector) -> tuple[Vector, float]:
    """Return the unit vector from a place to another, and the metres between them; of one place, no vector."""
    metres = dist(start, end)
    if not metres:
        return (0.0, 0.0, 0.0), 0.0
    return displace((0.0, 0.0, 0.0), displace(end, start, -1.0), 1 / metres), metres


def _is_near(wall: Segment, area: Rectangle) -> bool:
    (x, z, width, depth), ((x0, z0), (x1, z1)) = area, wall
    return (
        min(x0, x1) <= x + width and max(x0, x1) >= x - width and min(z0, z1) <= z + depth and max(z0, z1) >= z - depth
    )


def depths(box: Brick, other: Brick) -> Vector:
    """Return by how much two boxes overlap along each axis; where one is not positive, they do not."""
    across, up, along = (_reach(box, other, axis) - abs(other.centre[axis] - box.centre[axis]) for axis in range(3))
    return across, up, along


def _reach(box: Brick, other: Brick, axis: int) -> float:
    """Return how far the middles of two boxes are from each other along an axis where the boxes begin to overlap."""
    rest = min(RESTING, THIN * box.size[1], THIN * other.size[1]) if axis == 1 else ROUNDING
    return (box.size[axis] + other.size[axis]) / 2 - rest


def gap_to(box: Brick, other: Brick, way: Vector) -> float:
    """Return the metres after which a box on its way meets another; infinite if it does not."""
    first, last = -inf, inf
    for axis in range(3):
        off = other.centre[axis] - box.centre[axis]
        reach = _reach(box, other, axis)
        if way[axis]:
            enter, leave = sorted(((off - reach) / way[axis], (off + reach) / way[axis]))
            first, last = max(first, enter), min(last, leave)
        elif abs(off) >= reach:
            return inf
    if first >= last or last <= 0:
        return inf
    return first if first > 0 else _gap_within(box, other, way)


def _gap_within(box: Brick, other: Brick, way: Vector) -> float:
    """Return the same for boxes that overlap: nothing if the way leads deeper into the other, else infinite.

    One around the middle of the other is no obstacle, unless it is an agent: it is a counter around a corner, or holds
    the other.
    """
    off = [other.centre[axis] - box.centre[axis] for axis in range(3)]
    nested = any(all(abs(off[axis]) < each.size[axis] / 2 for axis in range(3)) for each in (box, other))
    if nested and not other.is_agent:
        return inf
    overlap = depths(box, other)
    axis = min((0, 2) if other.is_agent else range(3), key=lambda each: overlap[each])
    return 0.0 if way[axis] * off[axis] > 0 else inf


def _gap_to_wall(box: Brick, wall: Segment, way: Vector) -> float:
    """Return the metres after which a box on its way meets a wall; nothing if it is in it and goes farther in."""
    first, last = -inf, inf
    for east, north, low, high in _spans(box, wall):
        speed = east * way[0] + north * way[2]
        if abs(speed) > 1e-9:
            enter, leave = sorted((low / speed, high / speed))
            first, last = max(first, enter), min(last, leave)
        elif low >= 0 or high <= 0:
            return inf
    if first >= last or last <= 0:
        return inf
    if first > 0:
        return first
    east, north, low, high = tuple(_spans(box, wall))[-1]
    return 0.0 if (low + high) * (east * way[0] + north * way[2]) > 0 else inf


def is_across(box: Brick, wall: Segment) -> bool:
    """Return whether a wall is in a box, and not only a little, as where a thing stands at it."""
    return all(low + RESTING < 0 < high - RESTING for *_, low, high in _spans(box, wall))


def _spans(box: Brick, wall: Segment) -> Iterator[tuple[float, float, float, float]]:
    """Yield directions on the plan, and between which metres along each a box would overlap a wall: across it last."""
    (x0, z0), (x1, z1) = wall
    length = dist(*wall)
    for east, north in ((1.0, 0.0), (0.0, 1.0), ((z1 - z0) / length, (x0 - x1) / length)):
        reach = (abs(east) * box.size[0] + abs(north) * box.size[2]) / 2 - ROUNDING
        middle = east * box.centre[0] + north * box.centre[2]
        low, high = sorted((east * x0 + north * z0 - middle, east * x1 + north * z1 - middle))
        yield east, north, low - reach, high + reach


# Where a thing is held if there is room.


ARM_LENGTH = 0.35
"""Metres between the camera and the near side of what is held."""

LOW = 0.5
"""How far below the picture's middle what is held begins, as a fraction of its half height."""


def place_in_hand(camera: Vector, turn: float, tilt: float, lens: float, size: Vector, stretched: Vector) -> Vector:
    """Return where the middle of a thing is held: before the camera, low in its picture.

    Args:
        camera: Where it is.
        turn, tilt: Its rotation and how far it looks down, in radians.
        lens: Its field of view in radians.
        size: The thing's.
        stretched: How far the hand has been moved: right, up and ahead in metres.
    """
    half, side = size[1] / 2, max(size[0], size[2]) / 2
    deep, tall = half * abs(sin(tilt)) + side * cos(tilt), half * cos(tilt) + side * abs(sin(tilt))
    ahead = ARM_LENGTH + deep
    down = LOW * tan(lens / 2) * (ahead + deep) + tall
    level = ahead * cos(tilt) - down * sin(tilt)
    right, up, forward = stretched
    x, y, z = camera
    return (
        x + (level + forward) * sin(turn) + right * cos(turn),
        y - ahead * sin(tilt) - down * cos(tilt) + up,
        z + (level + forward) * cos(turn) - right * sin(turn),
    )
