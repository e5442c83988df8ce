"""Moving the agent: steps on the standing points, turns, looks and teleports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import cos, hypot, radians, sin

from chorewright.problems.household.free_space import HEAD, PIVOT, STEP_OVER, walk_from
from chorewright.problems.household.houses.standing import DOORWAY
from chorewright.problems.household.scene import GRID, Point, points_around
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household import refusals
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

HIGHEST, LOWEST = -30.0, 60.0
"""The camera's limits in degrees below the horizontal."""

FINEST, COARSEST = 0.02, 2.0
"""Metres between the points that GetReachablePositions can be asked for."""

TOUCHES = 0.3
"""Metres from a point where the agent cannot stand to what is said to block it."""

TURNS: Mapping[str, float] = {"Ahead": 0.0, "Back": 180.0, "Left": 270.0, "Right": 90.0}
"""Degrees to the right of where the agent looks, by the ways that it moves."""

_QUARTERS: Mapping[float, Point] = {0.0: (0, 1), 90.0: (1, 0), 180.0: (0, -1), 270.0: (-1, 0)}


def rotate(room: Room, call: SimulatorAction, sign: int) -> None:
    """Turn the agent to the right, or with a negative sign to the left."""
    degrees = refusals.number(call, "degrees", room.settings.turn) or room.settings.turn
    room.rotation = (room.rotation + sign * degrees) % 360.0


def look(room: Room, call: SimulatorAction, sign: int) -> None:
    """Tilt the camera down, or with a negative sign up."""
    degrees = refusals.number(call, "degrees", room.settings.tilt) or room.settings.tilt
    if degrees < 0:
        raise refusals.bad(call, "degrees", degrees)
    horizon = room.horizon + sign * degrees
    if sign < 0 and horizon < HIGHEST:
        raise refusals.Refusal(refusals.LOOK_UP_LIMIT, what=-HIGHEST)
    if sign > 0 and horizon > LOWEST:
        raise refusals.Refusal(refusals.LOOK_DOWN_LIMIT, what=LOWEST)
    room.horizon = horizon


def stand_up(room: Room, call: SimulatorAction, standing: bool) -> None:
    """Let the agent stand, or crouch."""
    room.standing = standing


def teleport(room: Room, call: SimulatorAction) -> None:
    """Put the agent somewhere; what the call does not name stays as it is.

    Takes ``position`` {x, y, z} or ``x`` and ``z`` in metres, ``rotation`` as degrees or {x, y, z},
    ``horizon``, ``standing``; the height is always the room's. With ``forceAction`` the agent may stand
    anywhere. Other agents are not in the way: they may be about to be put elsewhere.
    """
    source = refusals.part(call, "position") or call
    x, z = refusals.number(source, "x", room.x * GRID) / GRID, refusals.number(source, "z", room.z * GRID) / GRID
    rotation = room.rotation
    if refusals.flag(call, "rotateOnTeleport", default=True):
        told = call.arguments.get("rotation")
        where, name = (SimulatorAction(call.action, told), "y") if isinstance(told, Mapping) else (call, "rotation")
        rotation = refusals.number(where, name, rotation)
    horizon = refusals.number(call, "horizon", room.horizon)
    if room.settings.any_tilt:
        horizon = (horizon + 180.0) % 360.0 - 180.0
    elif not HIGHEST <= horizon <= LOWEST:
        raise refusals.bad(call, "horizon", horizon)
    if not refusals.is_forced(call) and _nearest(x, z) not in room.walkable | room.grid:
        raise refusals.Refusal(refusals.NO_STANDING_POINT, what=f"({x * GRID:.2f}, {z * GRID:.2f})")
    room.x, room.z = _snap(x), _snap(z)
    room.rotation = rotation % 360.0
    room.horizon = horizon
    room.standing = refusals.flag(call, "standing", default=room.standing)


def reachable_positions(room: Room, call: SimulatorAction) -> object:
    """Return the points that the agent can walk to as position vectors.

    These are the standing points in the scene's order. With another ``gridSize`` in metres they are as far apart,
    counted from where the agent is, and each lies by a standing point. Other agents may move away, so points around
    them are among these.
    """
    step = refusals.number(call, "gridSize", GRID) or GRID
    if step != GRID:
        if not FINEST <= step <= COARSEST:
            raise refusals.bad(call, "gridSize", step)
        return _lattice(room, step / GRID)
    ground = room.walkable | room.grid
    seen = walk_from(_nearest(room.x, room.z), ground.__contains__)
    points = (*room.origin.grid, *sorted(ground - frozenset(room.origin.grid)))
    return [{"x": x * GRID, "y": room.origin.agent_y, "z": z * GRID} for x, z in points if (x, z) in seen]


def _lattice(room: Room, step: float) -> object:
    """Return the points of a lattice that the agent can walk to in steps of so many units of ``GRID``, by place."""

    def place(point: Point) -> tuple[float, float]:
        return room.x + point[0] * step, room.z + point[1] * step

    seen = walk_from((0, 0), lambda point: _nearest(*place(point)) in room.walkable)
    height = room.origin.agent_y
    return [{"x": round(x * GRID, 6), "y": height, "z": round(z * GRID, 6)} for x, z in map(place, sorted(seen))]


def move(room: Room, call: SimulatorAction, turn: float) -> None:
    """Move the agent by ``moveMagnitude`` metres, so many degrees to the right of where it looks."""
    metres = refusals.number(call, "moveMagnitude", GRID) if call.arguments else GRID
    heading = (room.rotation + turn) % 360.0
    quarter = _QUARTERS.get(heading)
    if metres == GRID and quarter is not None:
        x, z = room.x + quarter[0], room.z + quarter[1]
        if (x, z) not in room.walkable and _nearest(x, z) not in room.walkable:
            raise _block(room, x, z, metres)
        room.x, room.z = x, z
    else:
        _walk(room, metres or GRID, heading)


def _walk(room: Room, metres: float, heading: float) -> None:
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


def _block(room: Room, x: float, z: float, metres: float) -> refusals.Refusal:
    """Return the refusal that names what stands where the agent wanted to go."""
    for each in room.bystanders:
        if _nearest(x, z) in points_around(each.pose.x, each.pose.z):
            return refusals.Refusal(refusals.BLOCKED, what=each.name, metres=metres)
    near = [
        (floor_distance(x * GRID, z * GRID, body.centre, body.size), index, body.object_id)
        for index, body in enumerate(room.objects.values())
        if not room.kind(body.object_id).item
        and body.top > room.origin.agent_y - PIVOT + STEP_OVER
        and body.bottom < room.origin.agent_y - PIVOT + HEAD
    ]
    near += [
        (floor_distance(x * GRID, z * GRID, door.centre, door.size), -1, door.object_id)
        for door in room.doors.values()
        if not door.attributes.is_open and door.kind == DOORWAY
    ]
    gap, _, what = min(near, default=(1.0, 0, "wall"))
    return refusals.Refusal(refusals.BLOCKED, what=what if gap < TOUCHES else "wall", metres=metres)


def _nearest(x: float, z: float) -> Point:
    return (round(x), round(z))


def _snap(value: float) -> float:
    """Return a coordinate free of rounding noise, whole where it is nearly so."""
    return round(value) if abs(value - round(value)) < 1e-3 else round(value, 6)


# Shortest ways over the standing points: AI2-THOR's GetShortestPath and GetShortestPathToPoint.


def to_object(room: Room, call: SimulatorAction) -> object:
    """Return the corners of a shortest way to the standing point nearest to an object.

    The object is named by ``objectId``, or is the one of ``objectType`` that is nearest to the start; the way starts
    at ``position`` {x, y, z}, else where the agent stands.
    """
    start = _point(room, call, "position")
    if call.arguments.get("objectId"):
        bodies = [room.find(refusals.text(call, "objectId"))]
    else:
        kind = refusals.text(call, "objectType")
        bodies = [body for body in room.objects.values() if body.kind == kind and not body.is_consumed]
        if not bodies:
            raise refusals.Refusal(refusals.UNKNOWN_OBJECT, what=kind)
    came = walk_from(start, room.walkable.__contains__)
    gaps = [
        (floor_distance(x * GRID, z * GRID, body.centre, body.size), hypot(x - start[0], z - start[1]), (x, z))
        for body in bodies
        for x, z in came
    ]
    return _corners(room, came, min(gaps)[2])


def to_point(room: Room, call: SimulatorAction) -> object:
    """Return the corners of a shortest way to the standing point at ``target`` {x, y, z}."""
    start = _point(room, call, "position")
    if call.arguments.get("target") is None:
        raise refusals.missing(call, "target")
    goal = _point(room, call, "target")
    came = walk_from(start, room.walkable.__contains__)
    if goal not in came:
        raise refusals.Refusal(refusals.NO_WAY, what=f"({goal[0] * GRID:.2f}, {goal[1] * GRID:.2f})")
    return _corners(room, came, goal)


def _point(room: Room, call: SimulatorAction, name: str) -> Point:
    """Return the standing point that a call names, or where the agent stands."""
    told = refusals.part(call, name)
    if told is None:
        return round(room.x), round(room.z)
    x, z = refusals.number(told, "x") / GRID, refusals.number(told, "z") / GRID
    if (round(x), round(z)) not in room.walkable:
        raise refusals.Refusal(refusals.NO_STANDING_POINT, what=f"({x * GRID:.2f}, {z * GRID:.2f})")
    return round(x), round(z)


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


def interactable_poses(room: Room, call: SimulatorAction) -> object:
    """Return the poses from which an object is visible, among all or among those that the call allows.

    ``positions``, ``rotations``, ``horizons`` and ``standings`` restrict them. The agent stays where it is.
    """
    body = room.find(refusals.text(call, "objectId"))
    rotations = _numbers(call, "rotations", ROTATIONS)
    horizons = _numbers(call, "horizons", HORIZONS)
    standings = [bool(value) for value in _numbers(call, "standings", STANDINGS)]
    points = _points(room, call)
    count = len(points) * len(rotations) * len(horizons) * len(standings)
    if count > MOST_POSES:
        raise refusals.Refusal(refusals.TOO_MUCH, action=call.action, what=f"{count} poses", most=MOST_POSES)
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


def _points(room: Room, call: SimulatorAction) -> list[tuple[float, float]]:
    """Return the points, in units of the grid, that the agent may stand on."""
    if call.arguments.get("positions") is None:
        return list(room.origin.grid)
    found: list[tuple[float, float]] = []
    for point in refusals.several(call, "positions", ()):
        match point:
            case {"x": int() | float() as x, "z": int() | float() as z}:
                found.append((x / GRID, z / GRID))
            case _:
                raise refusals.bad(call, "positions", point)
    return [(x, z) for x, z in found if (round(x), round(z)) in room.walkable]


def _numbers(call: SimulatorAction, name: str, default: Sequence[float]) -> list[float]:
    values: list[float] = []
    for value in refusals.several(call, name, default):
        if not isinstance(value, int | float) or not abs(value) <= 360:
            raise refusals.bad(call, name, value)
        values.append(float(value))
    return values
