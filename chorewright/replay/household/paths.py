"""Shortest ways over the standing points: AI2-THOR's GetShortestPath and GetShortestPathToPoint."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from math import hypot

from chorewright.problems.household.scene import GRID, Point
from chorewright.replay.household.arguments import Arguments, number, text
from chorewright.replay.household.refusals import (
    BAD_ARGUMENT,
    MISSING_ARGUMENT,
    NO_STANDING_POINT,
    NO_WAY,
    UNKNOWN_OBJECT,
    Refusal,
)
from chorewright.replay.household.room import Room
from chorewright.replay.household.visibility import floor_distance


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
        bodies = [body for body in room.objects.values() if body.kind == kind and not body.consumed]
        if not bodies:
            raise Refusal(UNKNOWN_OBJECT, what=kind)
    came = _ways(room, start)
    gaps = [
        (floor_distance((x * GRID, 0.0, z * GRID), body.centre, body.size), hypot(x - start[0], z - start[1]), (x, z))
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
