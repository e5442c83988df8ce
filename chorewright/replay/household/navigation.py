"""Moving the agent: steps on the standing points, turns, looks and teleports."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import product
from math import cos, hypot, radians, sin

from chorewright.problems.household.free_space import HEAD, PIVOT, STEP_OVER
from chorewright.problems.household.houses.doors import DOORWAY
from chorewright.problems.household.scene import GRID, Point, points_around
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household.refusals import (
    BAD_ARGUMENT,
    BLOCKED,
    LOOK_DOWN_LIMIT,
    LOOK_UP_LIMIT,
    MISSING_ARGUMENT,
    NO_STANDING_POINT,
    NO_WAY,
    TOO_MUCH,
    UNKNOWN_OBJECT,
    Arguments,
    Refusal,
    flag,
    is_forced,
    number,
    text,
)
from chorewright.replay.household.room import Room

HIGHEST, LOWEST = -30.0, 60.0
"""The camera's limits in degrees below the horizontal."""

FINEST, COARSEST = 0.02, 2.0
"""Metres between the points that GetReachablePositions can be asked for."""

TOUCHES = 0.3
"""Metres from a point where the agent cannot stand to what is said to block it."""

_QUARTERS: Mapping[float, Point] = {0.0: (0, 1), 90.0: (1, 0), 180.0: (0, -1), 270.0: (-1, 0)}
_MAGNITUDE = "moveMagnitude"


def move_ahead(room: Room, arguments: Arguments) -> object:
    return _move(room, arguments, 0.0, "MoveAhead")


def move_back(room: Room, arguments: Arguments) -> object:
    return _move(room, arguments, 180.0, "MoveBack")


def move_left(room: Room, arguments: Arguments) -> object:
    return _move(room, arguments, 270.0, "MoveLeft")


def move_right(room: Room, arguments: Arguments) -> object:
    return _move(room, arguments, 90.0, "MoveRight")


def rotate_left(room: Room, arguments: Arguments) -> object:
    degrees = number(arguments, "degrees", room.settings.turn, "RotateLeft") or room.settings.turn
    room.rotation = (room.rotation - degrees) % 360.0
    return None


def rotate_right(room: Room, arguments: Arguments) -> object:
    degrees = number(arguments, "degrees", room.settings.turn, "RotateRight") or room.settings.turn
    room.rotation = (room.rotation + degrees) % 360.0
    return None


def look_up(room: Room, arguments: Arguments) -> object:
    degrees = number(arguments, "degrees", room.settings.tilt, "LookUp") or room.settings.tilt
    if room.horizon - degrees < HIGHEST:
        raise Refusal(LOOK_UP_LIMIT, what=-HIGHEST)
    room.horizon -= degrees
    return None


def look_down(room: Room, arguments: Arguments) -> object:
    degrees = number(arguments, "degrees", room.settings.tilt, "LookDown") or room.settings.tilt
    if room.horizon + degrees > LOWEST:
        raise Refusal(LOOK_DOWN_LIMIT, what=LOWEST)
    room.horizon += degrees
    return None


def stand(room: Room, arguments: Arguments) -> object:
    room.standing = True
    return None


def crouch(room: Room, arguments: Arguments) -> object:
    room.standing = False
    return None


def teleport(room: Room, arguments: Arguments) -> object:
    """Put the agent somewhere; what the call does not name stays as it is.

    Takes ``position`` {x, y, z} or ``x`` and ``z`` in metres, ``rotation`` as degrees or {x, y, z},
    ``horizon``, ``standing``; the height is always the room's. With ``forceAction`` the agent may stand
    anywhere. Other agents are not in the way: they may be about to be put elsewhere.
    """
    where = arguments.get("position")
    if where is not None and not isinstance(where, Mapping):
        raise Refusal(BAD_ARGUMENT, action="Teleport", what=repr(where), name="position")
    source: Arguments = where if isinstance(where, Mapping) else arguments
    x = number(source, "x", room.x * GRID, "Teleport") / GRID
    z = number(source, "z", room.z * GRID, "Teleport") / GRID
    rotation = room.rotation
    if flag(arguments, "rotateOnTeleport", default=True):
        turned = arguments.get("rotation")
        rotation = (
            number(turned, "y", rotation, "Teleport")
            if isinstance(turned, Mapping)
            else number(arguments, "rotation", rotation, "Teleport")
        )
    horizon = number(arguments, "horizon", room.horizon, "Teleport")
    if room.settings.any_tilt:
        horizon = (horizon + 180.0) % 360.0 - 180.0
    elif not HIGHEST <= horizon <= LOWEST:
        raise Refusal(BAD_ARGUMENT, action="Teleport", what=horizon, name="horizon")
    if not is_forced(arguments) and _nearest(x, z) not in room.walkable | room.grid:
        raise Refusal(NO_STANDING_POINT, what=f"({x * GRID:.2f}, {z * GRID:.2f})")
    room.x, room.z = _snap(x), _snap(z)
    room.rotation = rotation % 360.0
    room.horizon = horizon
    room.standing = flag(arguments, "standing", default=room.standing)
    return None


def reachable_positions(room: Room, arguments: Arguments) -> object:
    """Return the points that the agent can walk to as position vectors.

    These are the standing points in the scene's order. With another ``gridSize`` in metres they are as far apart,
    counted from where the agent is, and each lies by a standing point. Other agents may move away, so points around
    them are among these.
    """
    action = "GetReachablePositions"
    step = number(arguments, "gridSize", GRID, action) or GRID
    if step != GRID:
        if not FINEST <= step <= COARSEST:
            raise Refusal(BAD_ARGUMENT, action=action, what=step, name="gridSize")
        return _lattice(room, step / GRID)
    start = _nearest(room.x, room.z)
    ground = room.walkable | room.grid
    seen, stack = {start}, [start]
    while stack:
        x, z = stack.pop()
        for east, north in _QUARTERS.values():
            point = (x + east, z + north)
            if point in ground and point not in seen:
                seen.add(point)
                stack.append(point)
    points = (*room.origin.grid, *sorted(ground - frozenset(room.origin.grid)))
    return [{"x": x * GRID, "y": room.origin.agent_y, "z": z * GRID} for x, z in points if (x, z) in seen]


def _lattice(room: Room, step: float) -> object:
    """Return the points of a lattice that the agent can walk to in steps of so many units of ``GRID``, by place."""

    def place(point: Point) -> tuple[float, float]:
        return room.x + point[0] * step, room.z + point[1] * step

    seen, stack = {(0, 0)}, [(0, 0)]
    while stack:
        x, z = stack.pop()
        for east, north in _QUARTERS.values():
            point = (x + east, z + north)
            if point not in seen and _nearest(*place(point)) in room.walkable:
                seen.add(point)
                stack.append(point)
    height = room.origin.agent_y
    return [{"x": round(x * GRID, 6), "y": height, "z": round(z * GRID, 6)} for x, z in map(place, sorted(seen))]


def _move(room: Room, arguments: Arguments, turn: float, action: str) -> object:
    metres = number(arguments, _MAGNITUDE, GRID, action) if arguments else GRID
    heading = (room.rotation + turn) % 360.0
    quarter = _QUARTERS.get(heading)
    if metres == GRID and quarter is not None:
        x, z = room.x + quarter[0], room.z + quarter[1]
        if (x, z) not in room.walkable and _nearest(x, z) not in room.walkable:
            raise _block(room, x, z, metres)
        room.x, room.z = x, z
        return None
    return _walk(room, metres or GRID, heading)


def _walk(room: Room, metres: float, heading: float) -> object:
    """Move any distance in any direction; every point on the way must be near a standing point."""
    units = metres / GRID
    east, north = sin(radians(heading)), cos(radians(heading))
    steps = max(1, round(abs(units)))
    x, z = room.x, room.z
    for step in range(1, steps + 1):
        x, z = room.x + units * east * step / steps, room.z + units * north * step / steps
        if _nearest(x, z) not in room.walkable:
            raise _block(room, x, z, metres)
    room.x, room.z = _snap(x), _snap(z)
    return None


def _block(room: Room, x: float, z: float, metres: float) -> Refusal:
    """Return the refusal that names what stands where the agent wanted to go."""
    for each in room.bystanders:
        if _nearest(x, z) in points_around(each.pose.x, each.pose.z):
            return Refusal(BLOCKED, what=each.name, metres=metres)
    near = [
        (floor_distance(x * GRID, z * GRID, body.centre, body.size), index, body.object_id)
        for index, body in enumerate(room.objects.values())
        if not room.kind(body.object_id).item
        and body.centre[1] + body.size[1] / 2 > room.origin.agent_y - PIVOT + STEP_OVER
        and body.centre[1] - body.size[1] / 2 < room.origin.agent_y - PIVOT + HEAD
    ]
    near += [
        (floor_distance(x * GRID, z * GRID, door.centre, door.size), -1, door.object_id)
        for door in room.doors.values()
        if not door.attributes.is_open and door.kind == DOORWAY
    ]
    gap, _, what = min(near, default=(1.0, 0, "wall"))
    return Refusal(BLOCKED, what=what if gap < TOUCHES else "wall", metres=metres)


def _nearest(x: float, z: float) -> Point:
    return (round(x), round(z))


def _snap(value: float) -> float:
    """Return a coordinate free of rounding noise, whole where it is nearly so."""
    return round(value) if abs(value - round(value)) < 1e-3 else round(value, 6)


# Shortest ways over the standing points: AI2-THOR's GetShortestPath and GetShortestPathToPoint.


def to_object(room: Room, arguments: Arguments) -> object:
    """Return the corners of a shortest way to the standing point nearest to an object.

    The object is named by ``objectId``, or is the one of ``objectType`` that is nearest to the start; the way starts
    at ``position`` {x, y, z}, else where the agent stands.
    """
    action = "GetShortestPath"
    start = _point(room, arguments, "position", action)
    if arguments.get("objectId"):
        bodies = [room.find(text(arguments, "objectId", action))]
    else:
        kind = text(arguments, "objectType", action)
        bodies = [body for body in room.objects.values() if body.kind == kind and not body.is_consumed]
        if not bodies:
            raise Refusal(UNKNOWN_OBJECT, what=kind)
    came = _ways(room, start)
    gaps = [
        (floor_distance(x * GRID, z * GRID, body.centre, body.size), hypot(x - start[0], z - start[1]), (x, z))
        for body in bodies
        for x, z in came
    ]
    return _corners(room, came, min(gaps)[2])


def to_point(room: Room, arguments: Arguments) -> object:
    """Return the corners of a shortest way to the standing point at ``target`` {x, y, z}."""
    action = "GetShortestPathToPoint"
    start = _point(room, arguments, "position", action)
    if arguments.get("target") is None:
        raise Refusal(MISSING_ARGUMENT, action=action, what="target")
    goal = _point(room, arguments, "target", action)
    came = _ways(room, start)
    if goal not in came:
        raise Refusal(NO_WAY, what=f"({goal[0] * GRID:.2f}, {goal[1] * GRID:.2f})")
    return _corners(room, came, goal)


def _point(room: Room, arguments: Arguments, name: str, action: str) -> Point:
    """Return the standing point that a call names, or where the agent stands."""
    told = arguments.get(name)
    if told is None:
        return round(room.x), round(room.z)
    if not isinstance(told, Mapping):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(told), name=name)
    x, z = (number(told, axis, 0.0, action) / GRID for axis in "xz")
    if (round(x), round(z)) not in room.walkable:
        raise Refusal(NO_STANDING_POINT, what=f"({x * GRID:.2f}, {z * GRID:.2f})")
    return round(x), round(z)


def _ways(room: Room, start: Point) -> dict[Point, Point]:
    """Return the point before each one that can be walked to, on a shortest way; the start's is itself."""
    came, queue = {start: start}, deque([start])
    while queue:
        x, z = queue.popleft()
        for point in ((x, z + 1), (x + 1, z), (x, z - 1), (x - 1, z)):
            if point in room.walkable and point not in came:
                came[point] = (x, z)
                queue.append(point)
    return came


def _corners(room: Room, came: Mapping[Point, Point], goal: Point) -> dict[str, object]:
    """Return a way's start, turns and end in AI2-THOR's form."""
    way = [goal]
    while came[way[-1]] != way[-1]:
        way.append(came[way[-1]])
    way.reverse()
    kept = [
        point
        for place, point in enumerate(way)
        if place in (0, len(way) - 1)
        or (way[place + 1][0] - point[0], way[place + 1][1] - point[1])
        != (point[0] - way[place - 1][0], point[1] - way[place - 1][1])
    ]
    height = room.origin.agent_y
    return {"corners": [{"x": x * GRID, "y": height, "z": z * GRID} for x, z in kept]}


# The poses from which an object can be seen and reached: AI2-THOR's GetInteractablePoses.


ROTATIONS, HORIZONS, STANDINGS = (0.0, 90.0, 180.0, 270.0), (-30.0, 0.0, 30.0, 60.0), (True, False)


MOST_POSES = 100_000
"""Poses that one call may ask about."""


def interactable_poses(room: Room, arguments: Arguments) -> object:
    """Return the poses from which an object is visible, among all or among those that the call allows.

    ``positions``, ``rotations``, ``horizons`` and ``standings`` restrict them. The agent stays where it is.
    """
    action = "GetInteractablePoses"
    body = room.find(text(arguments, "objectId", action))
    rotations = _numbers(arguments, "rotations", ROTATIONS, action)
    horizons = _numbers(arguments, "horizons", HORIZONS, action)
    standings = [bool(value) for value in _numbers(arguments, "standings", STANDINGS, action)]
    points = _points(room, arguments, action)
    count = len(points) * len(rotations) * len(horizons) * len(standings)
    if count > MOST_POSES:
        raise Refusal(TOO_MUCH, action=action, what=f"{count} poses", most=MOST_POSES)
    before = room.x, room.z, room.rotation, room.horizon, room.standing
    found = []
    try:
        for point, turn, tilt, stands in product(points, rotations, horizons, standings):
            (room.x, room.z), room.rotation, room.horizon, room.standing = point, turn, tilt, stands
            if room.visible(body):
                found.append(_pose(room))
    finally:
        room.x, room.z, room.rotation, room.horizon, room.standing = before
    return found


def _pose(room: Room) -> dict[str, object]:
    x, y, z = room.place()
    turned = {"rotation": room.rotation, "horizon": room.horizon, "standing": room.standing}
    return {"x": x, "y": y, "z": z, **turned}


def _points(room: Room, arguments: Arguments, action: str) -> list[tuple[float, float]]:
    """Return the points, in units of the grid, that the agent may stand on."""
    asked = arguments.get("positions")
    if asked is None:
        return list(room.origin.grid)
    if isinstance(asked, str) or not isinstance(asked, Sequence):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(asked), name="positions")
    found: list[tuple[float, float]] = []
    for point in asked:
        match point:
            case {"x": int() | float() as x, "z": int() | float() as z}:
                found.append((x / GRID, z / GRID))
            case _:
                raise Refusal(BAD_ARGUMENT, action=action, what=repr(point), name="positions")
    return [(x, z) for x, z in found if (round(x), round(z)) in room.walkable]


def _numbers(arguments: Arguments, name: str, default: Sequence[float], action: str) -> list[float]:
    asked = arguments.get(name)
    if asked is None:
        return list(default)
    if isinstance(asked, str) or not isinstance(asked, Sequence):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(asked), name=name)
    values: list[float] = []
    for value in asked:
        if not isinstance(value, int | float) or not abs(value) <= 360:
            raise Refusal(BAD_ARGUMENT, action=action, what=repr(value), name=name)
        values.append(float(value))
    return values
