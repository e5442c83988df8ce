"""What a client points at in the agent's picture, by relative coordinates from the top left corner."""

from __future__ import annotations

from typing import TypeAlias

from chorewright.problems.containment import is_receptacle
from chorewright.problems.scene import Vector
from chorewright.replay.thor.arguments import Arguments, number
from chorewright.replay.thor.pixels.camera import Camera
from chorewright.replay.thor.pixels.renderer import Frame
from chorewright.replay.thor.refusals import BAD_ARGUMENT, MISSING_ARGUMENT, Reason, Refused
from chorewright.replay.thor.room import Room

Pixel: TypeAlias = tuple[int, int]
"""Row and column."""

NO_TARGET = Reason("ObjectNotFound", "No target found at {what} of the picture.")


def points(arguments: Arguments) -> bool:
    """Return whether a call points at something instead of naming it."""
    return not arguments.get("objectId") and "x" in arguments and "y" in arguments


def pixel(arguments: Arguments, frame: Frame, action: str) -> Pixel:
    """Return the pixel that a call's ``x`` and ``y`` mean.

    Raises:
        Refused: One is missing, or not between 0 and 1.
    """
    height, width = frame.instances.shape
    places = []
    for name in ("x", "y"):
        if arguments.get(name) is None:
            raise Refused(MISSING_ARGUMENT, action=action, what=name)
        value = number(arguments, name, -1.0, action)
        if not 0 <= value <= 1:
            raise Refused(BAD_ARGUMENT, action=action, what=value, name=name)
        places.append(value)
    return min(int(places[1] * height), height - 1), min(int(places[0] * width), width - 1)


def object_at(frame: Frame, where: Pixel) -> str | None:
    """Return the id of the object that is seen at a pixel; walls and the sky are none."""
    seen = int(frame.instances[where])
    name = frame.names[seen] if seen >= 0 else ""
    return name if "|" in name else None


def point_at(frame: Frame, camera: Camera, where: Pixel) -> Vector | None:
    """Return the point in the room that is seen at a pixel, or None where nothing is."""
    depth = float(frame.depth[where])
    if depth <= 0:
        return None
    right, up, forward = camera.axes()
    focal = camera.focal_length
    across = (where[1] + 0.5 - camera.width / 2) / focal
    above = (camera.height / 2 - where[0] - 0.5) / focal
    ray = depth * (forward + across * right + above * up)
    x, y, z = (round(p + float(r), 4) for p, r in zip(camera.position, ray, strict=True))
    return x, y, z


def receptacle_at(room: Room, frame: Frame, where: Pixel) -> str | None:
    """Return the receptacle that is seen at a pixel, or that holds what is seen there."""
    seen = object_at(frame, where)
    if seen is None or seen not in room.objects:
        return None
    for name in (seen, *room.around(seen)):
        if is_receptacle(room.objects[name]):
            return name
    return None
