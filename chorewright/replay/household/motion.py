"""One rule of motion: a box goes as far as nothing is in its way, whatever moves it; the hand goes by it.

Thrown, pushed, pulled, dropped, placed, carried or turned: walls, shut doors, furniture, other things and the agents
stop a thing. All of them are boxes but the walls, which are segments on the plan. What overlaps a thing already and
does not go deeper into it is not stopped by it: boxes are larger than what they stand for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import dist, floor, hypot

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import AGENT_RADIUS, PIVOT, STEP_OVER
from chorewright.problems.household.houses.building import Segment
from chorewright.problems.household.houses.standing import threshold
from chorewright.problems.household.scene import GRID, SceneObject, Vector
from chorewright.replay.household import refusals, sweep
from chorewright.replay.household.pixels.walls import bounds
from chorewright.replay.household.room import Room
from chorewright.replay.household.sweep import direction, displace
from chorewright.replay.simulator import SimulatorAction

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


# The hand: how it is moved and turned with what it holds, until something is in the way.


def way_of_hand(room: Room, object_id: str, start: Vector, end: Vector) -> tuple[Vector, str]:
    """Return how far a thing in the hand comes on a straight way, and what stops it; empty if nothing does."""
    way, metres = direction(start, end)
    free, blocker = free_way(room, room.bricks(object_id, start), way, metres, past_agent=True)
    return (displace(start, way, free), blocker) if blocker else (end, "")


WAYS: Mapping[str, Vector] = {
    "Ahead": (0.0, 0.0, 1.0),
    "Back": (0.0, 0.0, -1.0),
    "Left": (-1.0, 0.0, 0.0),
    "Right": (1.0, 0.0, 0.0),
    "Up": (0.0, 1.0, 0.0),
    "Down": (0.0, -1.0, 0.0),
}
"""Directions in which what is held is moved: right, up and ahead, seen from the agent."""


def move_held(room: Room, call: SimulatorAction) -> None:
    """Move what is held by ``ahead``, ``right`` and ``up`` metres, seen from the agent."""
    _stretch(
        room,
        (refusals.number(call, "right"), refusals.number(call, "up"), refusals.number(call, "ahead")),
        refusals.flag(call, "forceVisible"),
    )


def move_held_along(room: Room, call: SimulatorAction, way: Vector) -> None:
    """Move what is held by ``moveMagnitude`` metres in a direction."""
    metres = refusals.number(call, "moveMagnitude")
    _stretch(room, (metres * way[0], metres * way[1], metres * way[2]), refusals.flag(call, "forceVisible"))


def rotate_hand(room: Room, call: SimulatorAction) -> None:
    """Turn what is held to ``x``, ``y`` and ``z`` degrees (AI2-THOR 2), seen from the agent."""
    pitch, yaw, roll = (refusals.number(call, axis) for axis in "xyz")
    _turn(room, thing_in_hand(room, "rotate"), (pitch, yaw + room.rotation, roll))


def rotate_held(room: Room, call: SimulatorAction) -> None:
    """Turn what is held by ``pitch``, ``yaw`` and ``roll`` degrees, or to a ``rotation`` {x, y, z} in the room."""
    item = thing_in_hand(room, "rotate")
    if isinstance(call.arguments.get("rotation"), Mapping):
        x, y, z = refusals.vector(call, "rotation")
    else:
        by = [refusals.number(call, name) for name in ("pitch", "yaw", "roll")]
        x, y, z = (before + more for before, more in zip(item.rotation, by, strict=True))
    _turn(room, item, (x, y, z))


def thing_in_hand(room: Room, what: str) -> SceneObject:
    """Return what is held.

    Raises:
        Refusal: Nothing is; there is nothing to do what is asked for with.
    """
    if room.holding is None:
        raise refusals.Refusal(refusals.HAND_EMPTY, what=what)
    return room.objects[room.holding]


def _stretch(room: Room, by: Vector, seen: bool) -> None:
    """Move the hand; it stays in the agent's reach and above the floor, and in view if that is asked for.

    Raises:
        Refusal: It cannot come there, or something is in the way of what it holds.
    """
    item, before = thing_in_hand(room, "move"), room.stretched
    room.carry()
    start = room.objects[item.object_id].centre
    room.stretched = displace(before, by)
    place, camera = room.hand(item.size), room.camera()
    metres = dist(place, camera)
    low = place[1] - item.size[1] / 2 < room.origin.agent_y - PIVOT
    out = seen and not room.shows(place, item.size, 0.0)
    _, blocker = way_of_hand(room, item.object_id, start, place)
    if metres > room.settings.reach or low or out or blocker:
        room.stretched = before
        if out:
            raise refusals.Refusal(refusals.NOT_VISIBLE, what=item.object_id)
        if blocker and metres <= room.settings.reach and not low:
            raise refusals.Refusal(refusals.IN_THE_WAY, what=item.object_id, where=blocker)
        raise refusals.Refusal(
            refusals.TOO_FAR, what=item.object_id, metres=round(metres, 2), reach=room.settings.reach
        )
    room.carry()


def _turn(room: Room, item: SceneObject, rotation: Vector) -> None:
    """Turn what is held; its box turns by quarter turns about the vertical, to which small turns add up.

    Raises:
        Refusal: There is no room for the box where it would be held.
    """
    quarters = _quarter(rotation[1]) - _quarter(item.rotation[1])
    width, height, depth = item.size
    size = (depth, height, width) if quarters % 2 else item.size
    room.carry()
    before = room.objects[item.object_id]
    turned = replace(before, rotation=(rotation[0] % 360, rotation[1] % 360, rotation[2] % 360), size=size)
    blocked = obstacle_at(room, room.bricks(item.object_id), past_agent=True)
    room.objects[item.object_id] = turned
    blocker = obstacle_at(room, room.bricks(item.object_id, room.grip(item.object_id)), past_agent=True)
    if blocker and not blocked:
        room.objects[item.object_id] = before
        raise refusals.Refusal(refusals.IN_THE_WAY, what=item.object_id, where=blocker)
    room.carry()


def _quarter(degrees: float) -> int:
    """Return which quarter of a turn, each about its middle, an angle is in."""
    return floor((degrees + 45.0) / 90.0)
