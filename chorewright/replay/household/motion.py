"""One rule of motion: a box goes as far as nothing is in its way, whatever moves it.

Thrown, pushed, pulled, dropped, placed, carried or turned: walls, shut doors, furniture, other things and the agents
stop a thing. All of them are boxes but the walls, which are segments on the plan. What overlaps a thing already and
does not go deeper into it is not stopped by it: boxes are larger than what they stand for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import hypot

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import AGENT_RADIUS, PIVOT, STEP_OVER
from chorewright.problems.household.houses.building import Segment
from chorewright.problems.household.houses.standing import threshold
from chorewright.problems.household.scene import GRID, Vector
from chorewright.replay.household import sweep
from chorewright.replay.household.pixels.walls import bounds
from chorewright.replay.household.room import Room

TALL = 3.0
"""Metres from the floor up to which an agent's box goes: what is let go above its head would fall on it."""

SAMPLE = 0.05
"""Metres between the places of a way that are looked up on the plan."""

NEAR_FEET = 0.5
"""Metres from a standing point within which a place is in the room."""

WALL = "a wall"
"""What stops a thing that no other thing stops."""


def free_way(
    room: Room,
    boxes: Sequence[sweep.Brick],
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
    area = sweep.area_around(boxes, sweep.displace((0.0, 0.0, 0.0), way, metres))
    for obstacle in _obstacles(room, area, {*ignored, *(box.name for box in boxes)}, past_agent):
        for box in boxes:
            gap = sweep.gap_to(box, obstacle, way)
            if gap < best:
                best, name = gap, obstacle.name
    if name:
        best = max(best - sweep.APART, 0.0)
    free = sweep.way_to_wall(_walls(room), boxes, way, best)
    if free < best:
        best, name = free, WALL
    inside = best if past_agent else _inside(room, boxes[0], way, best)
    return (best, name) if inside == best else (inside, WALL)


def obstacle_at(
    room: Room, boxes: Sequence[sweep.Brick], ignored: Collection[str] = (), past_agent: bool = False
) -> str:
    """Return what is where boxes are to be put, empty if nothing is; out of the room there are walls."""
    there = sweep.area_around(boxes)
    for obstacle in _obstacles(room, there, {*ignored, *(box.name for box in boxes)}, past_agent):
        if any(all(depth > 0 for depth in sweep.depths(box, obstacle)) for box in boxes):
            return obstacle.name
    if any(sweep.is_across(box, wall) for wall in _walls(room) for box in boxes):
        return WALL
    return "" if is_inside(room, boxes[0].centre[0], boxes[0].centre[2], boxes[0].name) else WALL


def thing_across(room: Room, door_id: str) -> str:
    """Return the id of a thing that stands where a door of the house shuts, empty if there is none."""
    assert room.building is not None
    house, held = room.building.house, _in_hands(room)
    sides = threshold(house, next(door for door in house.doors if door.opening_id == door_id))
    things = (body for name, body in room.objects.items() if name not in held and not body.is_consumed)
    return next((body.object_id for body in things if sweep.is_across(sweep.Brick.of(body), sides)), "")


def _in_hands(room: Room) -> set[str]:
    """Return what agents hold, and what is in or on that."""
    held = [name for name in (room.holding, *room.carried) if name is not None and name in room.objects]
    return {*held, *(inner for name in held for inner in room.within(name))}


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


def _inside(room: Room, box: sweep.Brick, way: Vector, metres: float) -> float:
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


def _obstacles(room: Room, near: sweep.Rectangle, ignored: Collection[str], past_agent: bool) -> Iterator[sweep.Brick]:
    """Yield what in a part of the room can be in the way, the walls aside."""
    floor = room.origin.agent_y - PIVOT
    x, z, width, depth = near
    passed = {*ignored, *_in_hands(room)}
    for name, body in room.objects.items():
        centre, size = body.centre, body.size
        if abs(centre[0] - x) > width + size[0] / 2 or abs(centre[2] - z) > depth + size[2] / 2:
            continue
        flat = body.kind == "Floor" or (not body.traits.item and centre[1] + size[1] / 2 < floor + STEP_OVER)
        if name not in passed and not flat and not body.is_consumed:
            yield sweep.Brick(name, centre, size)
    if not past_agent:
        yield _agent(room, "the agent", room.x, room.z)
    for each in room.bystanders:
        yield _agent(room, each.name, each.pose.x, each.pose.z)


def _agent(room: Room, name: str, x: float, z: float) -> sweep.Brick:
    floor = room.origin.agent_y - PIVOT
    return sweep.Brick(name, (x * GRID, floor + TALL / 2, z * GRID), (2 * AGENT_RADIUS, TALL, 2 * AGENT_RADIUS), True)


def _walls(room: Room) -> Sequence[Segment]:
    """Return the walls of a house as its doors are now; of a room, the sides of the rectangle that it lies in."""
    if room.building is not None:
        return room.building.walls
    if not room.sides:
        west, _, south, east, _, north = bounds(room.origin)
        corners = ((west, south), (west, north), (east, north), (east, south))
        room.sides = tuple((corners[k - 1], corners[k]) for k in range(4))
    return room.sides
