"""One rule of motion: a box goes as far as nothing is in its way, whatever moves it.

Thrown, pushed, pulled, dropped, placed, carried or turned: walls, shut doors, furniture, other things and the agents
stop a thing. All of them are boxes but the walls, which are segments on the plan. What overlaps a thing already and
does not go deeper into it is not stopped by it: boxes are larger than what they stand for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import dist, hypot, inf
from typing import TYPE_CHECKING, TypeAlias

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import AGENT_RADIUS, PIVOT, STEP_OVER
from chorewright.problems.household.houses.building import Segment
from chorewright.problems.household.houses.doors import threshold
from chorewright.problems.household.scene import GRID, SceneObject, Vector
from chorewright.replay.household.pixels.walls import bounds

if TYPE_CHECKING:
    from chorewright.replay.household.room import Room

TALL = 3.0
"""Metres from the floor up to which an agent's box goes: what is let go above its head would fall on it."""

APART = 0.001
"""Metres that are left between what moves and what stops it."""

ROUNDING = 1e-4
"""Metres of overlap that are none: places have four decimals."""

RESTING = 0.02
"""Metres by which the boxes of two things overlap where one stands on the other; less where one is flat."""

THIN = 0.4
"""The part of a flat thing's height that is at most let through where another stands on it."""

SAMPLE = 0.05
"""Metres between the places of a way that are looked up on the plan."""

NEAR_FEET = 0.5
"""Metres from a standing point within which a place is in the room."""

WALL = "a wall"
"""What stops a thing that no other thing stops."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box in the room: of a thing, a part of one, or an agent."""

    name: str
    centre: Vector
    size: Vector
    is_agent: bool = False

    @classmethod
    def of(cls, body: SceneObject, by: Vector = (0.0, 0.0, 0.0)) -> Box:
        """Return a thing's box, moved."""
        return cls(body.object_id, moved(body.centre, by), body.size)


def moved(place: Vector, by: Vector, metres: float = 1.0) -> Vector:
    """Return a place moved so many times by a vector."""
    return (place[0] + metres * by[0], place[1] + metres * by[1], place[2] + metres * by[2])


def boxes_of(room: Room, object_id: str, centre: Vector | None = None) -> list[Box]:
    """Return the boxes of a thing and of all that it holds, as they are or with the thing's middle elsewhere."""
    body = room.objects[object_id]
    by = (0.0, 0.0, 0.0) if centre is None else moved(centre, body.centre, -1.0)
    return [Box.of(room.objects[name], by) for name in (object_id, *room.within(object_id))]


def free_way(
    room: Room,
    boxes: Sequence[Box],
    way: Vector,
    metres: float,
    ignored: Collection[str] = (),
    past_agent: bool = False,
) -> tuple[float, str]:
    """Return how far boxes can go together, at most so many metres, and what stops them there.

    Args:
        room: Where they are.
        boxes: What moves. None of them is in the way of another.
        way: The direction, a unit vector.
        metres: How far they go if nothing is in the way.
        ignored: Ids of things that are not in the way.
        past_agent: Whether the agent that acts is not in the way either: the thing is in its hands.

    Returns:
        The metres, and the id or name of what is in the way; empty if nothing is.
    """
    best, name = metres, ""
    swept = _swept(boxes, moved((0.0, 0.0, 0.0), way, metres))
    for obstacle in _obstacles(room, swept, {*ignored, *(box.name for box in boxes)}, past_agent):
        for box in boxes:
            gap = _gap(box, obstacle, way)
            if gap < best:
                best, name = gap, obstacle.name
    if name:
        best = max(best - APART, 0.0)
    free = way_to_wall(room, boxes, way, best)
    if free < best:
        best, name = free, WALL
    inside = best if past_agent else _inside(room, boxes[0], way, best)
    return (best, name) if inside == best else (inside, WALL)


def way_to_wall(room: Room, boxes: Sequence[Box], way: Vector, metres: float) -> float:
    """Return how far boxes can go together, at most so many metres, if only walls and shut doors are in the way."""
    best = metres
    for wall in _walls(room, _swept(boxes, moved((0.0, 0.0, 0.0), way, metres))) if way[0] or way[2] else ():
        best = min(best, *(max(_gap_to_wall(box, wall, way) - APART, 0.0) for box in boxes))
    return best


def obstacle_at(room: Room, boxes: Sequence[Box], ignored: Collection[str] = (), past_agent: bool = False) -> str:
    """Return what is where boxes are to be put, empty if nothing is; out of the room there are walls."""
    there = _swept(boxes)
    for obstacle in _obstacles(room, there, {*ignored, *(box.name for box in boxes)}, past_agent):
        if any(all(depth > 0 for depth in _depths(box, obstacle)) for box in boxes):
            return obstacle.name
    if any(_is_across(box, wall) for wall in _walls(room, there) for box in boxes):
        return WALL
    return "" if is_inside(room, boxes[0].centre[0], boxes[0].centre[2], boxes[0].name) else WALL


def thing_across(room: Room, door_id: str) -> str:
    """Return the id of a thing that stands where a door of the house shuts, empty if there is none."""
    assert room.building is not None
    house = room.building.house
    sides = threshold(house, next(door for door in house.doors if door.opening_id == door_id))
    (x0, z0), (x1, z1) = sides
    hole = Box("", ((x0 + x1) / 2, 0.0, (z0 + z1) / 2), (abs(x1 - x0), 0.0, abs(z1 - z0)))
    things = (body for body in _obstacles(room, _swept([hole]), (), True) if not body.is_agent)
    return next((body.name for body in things if _is_across(body, sides)), "")


def is_inside(room: Room, x: float, z: float, name: str = "") -> bool:
    """Return whether a place is in the house, or over furniture of the room or near where the agent can stand.

    Args:
        room: The room or house.
        x, z: The place in metres.
        name: The id of a thing that tells nothing about it.
    """
    if room.building is not None:
        return room.building.house.room_at(x, z) is not None
    for body in room.objects.values():
        over = all(abs(v - body.centre[a]) <= body.size[a] / 2 for v, a in ((x, 0), (z, 2)))
        furniture = not body.traits.item and body.kind != "Floor" and is_receptacle(body)
        if over and furniture and body.object_id != name:
            return True
    return any(hypot(x - east * GRID, z - north * GRID) <= NEAR_FEET for east, north in room.origin.grid)


def _inside(room: Room, box: Box, way: Vector, metres: float) -> float:
    """Return how far of a way the middle of a box stays in the room; all of it, if it is not in the room now."""
    x, _, z = box.centre
    if not (way[0] or way[2]) or not is_inside(room, x, z, box.name):
        return metres
    reached = 0.0
    while reached < metres:
        step = min(reached + SAMPLE, metres)
        if not is_inside(room, x + step * way[0], z + step * way[2], box.name):
            return reached
        reached = step
    return metres


Rectangle: TypeAlias = tuple[float, float, float, float]
"""The middle and half the sides of a rectangle on the plan: x, z, width, depth."""


def _swept(boxes: Sequence[Box], by: Vector = (0.0, 0.0, 0.0)) -> Rectangle:
    """Return a rectangle around boxes and around where they are after a motion."""
    low_x, high_x, low_z, high_z = (
        sign * max(sign * (box.centre[axis] + way) + box.size[axis] / 2 for box in boxes for way in (0.0, by[axis]))
        for axis in (0, 2)
        for sign in (-1, 1)
    )
    return (low_x + high_x) / 2, (low_z + high_z) / 2, (high_x - low_x) / 2, (high_z - low_z) / 2


def _obstacles(room: Room, near: Rectangle, ignored: Collection[str], past_agent: bool) -> Iterator[Box]:
    """Yield what in a part of the room can be in the way, the walls aside."""
    floor = room.origin.agent_y - PIVOT
    x, z, width, depth = near
    in_hands = [held for held in (room.holding, *room.carried) if held is not None and held in room.objects]
    passed = {*ignored, *in_hands, *(inner for held in in_hands for inner in room.within(held))}
    for name, body in room.objects.items():
        centre, size = body.centre, body.size
        if abs(centre[0] - x) > width + size[0] / 2 or abs(centre[2] - z) > depth + size[2] / 2:
            continue
        flat = body.kind == "Floor" or (not body.traits.item and centre[1] + size[1] / 2 < floor + STEP_OVER)
        if name not in passed and not flat and not body.is_consumed:
            yield Box(name, centre, size)
    if not past_agent:
        yield _agent(room, "the agent", room.x, room.z)
    for each in room.bystanders:
        yield _agent(room, each.name, each.pose.x, each.pose.z)


def _agent(room: Room, name: str, x: float, z: float) -> Box:
    floor = room.origin.agent_y - PIVOT
    return Box(name, (x * GRID, floor + TALL / 2, z * GRID), (2 * AGENT_RADIUS, TALL, 2 * AGENT_RADIUS), True)


def _walls(room: Room, near: Rectangle) -> Iterator[Segment]:
    """Yield the walls in a part of a house, as its doors are now; of a room, the sides of its rectangle."""
    if room.building is None and not room.sides:
        west, _, south, east, _, north = bounds(room.origin)
        corners = ((west, south), (west, north), (east, north), (east, south))
        room.sides = tuple((corners[k - 1], corners[k]) for k in range(4))
    x, z, width, depth = near
    for wall in room.sides if room.building is None else room.building.walls:
        (x0, z0), (x1, z1) = wall
        if (
            min(x0, x1) <= x + width
            and max(x0, x1) >= x - width
            and min(z0, z1) <= z + depth
            and max(z0, z1) >= z - depth
        ):
            yield wall


def _depths(box: Box, other: Box) -> Vector:
    """Return by how much two boxes overlap along each axis; where one is not positive, they do not."""
    across, up, along = (_reach(box, other, axis) - abs(other.centre[axis] - box.centre[axis]) for axis in range(3))
    return across, up, along


def _reach(box: Box, other: Box, axis: int) -> float:
    """Return how far the middles of two boxes are from each other along an axis where the boxes begin to overlap."""
    rest = min(RESTING, THIN * box.size[1], THIN * other.size[1]) if axis == 1 else ROUNDING
    return (box.size[axis] + other.size[axis]) / 2 - rest


def _gap(box: Box, other: Box, way: Vector) -> float:
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


def _gap_within(box: Box, other: Box, way: Vector) -> float:
    """Return the same for boxes that overlap: nothing if the way leads deeper into the other, else infinite.

    One around the middle of the other is no obstacle, unless it is an agent: it is a counter around a corner, or holds
    the other.
    """
    off = [other.centre[axis] - box.centre[axis] for axis in range(3)]
    nested = any(all(abs(off[axis]) < each.size[axis] / 2 for axis in range(3)) for each in (box, other))
    if nested and not other.is_agent:
        return inf
    depths = _depths(box, other)
    axis = min((0, 2) if other.is_agent else range(3), key=lambda each: depths[each])
    return 0.0 if way[axis] * off[axis] > 0 else inf


def _gap_to_wall(box: Box, wall: Segment, way: Vector) -> float:
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


def _is_across(box: Box, wall: Segment) -> bool:
    """Return whether a wall is in a box, and not only a little, as where a thing stands at it."""
    return all(low + RESTING < 0 < high - RESTING for *_, low, high in _spans(box, wall))


def _spans(box: Box, wall: Segment) -> Iterator[tuple[float, float, float, float]]:
    """Yield directions on the plan, and between which metres along each a box would overlap a wall: across it last."""
    (x0, z0), (x1, z1) = wall
    length = dist(*wall)
    for east, north in ((1.0, 0.0), (0.0, 1.0), ((z1 - z0) / length, (x0 - x1) / length)):
        reach = (abs(east) * box.size[0] + abs(north) * box.size[2]) / 2 - ROUNDING
        middle = east * box.centre[0] + north * box.centre[2]
        low, high = sorted((east * x0 + north * z0 - middle, east * x1 + north * z1 - middle))
        yield east, north, low - reach, high + reach
