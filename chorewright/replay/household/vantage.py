"""The poses from which an object can be seen and reached: AI2-THOR's GetInteractablePoses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from chorewright.problems.household.scene import GRID
from chorewright.replay.household.refusals import BAD_ARGUMENT, TOO_MUCH, Arguments, Refusal, text
from chorewright.replay.household.room import Room

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
