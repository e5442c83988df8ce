"""The hand: how it is moved and turned with what it holds, until something is in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import dist, floor

from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.scene import SceneObject, Vector
from chorewright.replay.household import refusals
from chorewright.replay.household.motion import free_way, obstacle_at
from chorewright.replay.household.room import Room
from chorewright.replay.household.sweep import direction, displace
from chorewright.replay.simulator import SimulatorAction


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
    item = thing_in_hand(room, "rotate")
    _turn(room, item, (pitch, yaw + room.rotation, roll))


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
