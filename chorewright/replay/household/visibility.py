"""What the agent sees and reaches: camera frustum against boxes, and horizontal distance to them.

An object is visible when it is in reach (AI2-THOR: 1.5 m on the floor plane), its box meets the camera's
view, and no closed receptacle is around it. Occlusion by other objects is not modelled without pixels.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import cos, hypot, radians, sin, sqrt
from typing import Protocol, TypeAlias

from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.doors import door_objects, in_doorway, shut_doors, swung
from chorewright.problems.household.scene import Bystander, Point, SceneObject, Vector
from chorewright.replay.household.refusals import IN_DOORWAY, Refusal

Planes: TypeAlias = tuple[Vector, ...]
"""Inward normals of the planes through the camera that bound its view."""


@lru_cache(maxsize=1024)
def view_planes(rotation: float, horizon: float, half_angle: float) -> Planes:
    """Return the four side planes of a square view.

    Args:
        rotation: Degrees about the vertical; 0 looks along +z, 90 along +x.
        horizon: Degrees below the horizontal.
        half_angle: Degrees between the middle of the view and its edge; below 90.
    """
    turn, tilt, half = radians(rotation), radians(horizon), radians(half_angle)
    forward = (sin(turn) * cos(tilt), -sin(tilt), cos(turn) * cos(tilt))
    right = (cos(turn), 0.0, -sin(turn))
    up = (sin(turn) * sin(tilt), cos(tilt), cos(turn) * sin(tilt))
    inward, across = sin(half), cos(half)
    return tuple(
        (
            forward[0] * inward + sign * side[0] * across,
            forward[1] * inward + sign * side[1] * across,
            forward[2] * inward + sign * side[2] * across,
        )
        for side in (right, up)
        for sign in (1.0, -1.0)
    )


def in_view(planes: Planes, camera: Vector, centre: Vector, size: Vector) -> bool:
    """Return whether no plane of the view has the whole box outside; a box around the camera is in view."""
    x, y, z = centre[0] - camera[0], centre[1] - camera[1], centre[2] - camera[2]
    half_x, half_y, half_z = size[0] / 2, size[1] / 2, size[2] / 2
    return all(a * x + b * y + c * z + abs(a) * half_x + abs(b) * half_y + abs(c) * half_z >= 0 for a, b, c in planes)


def floor_distance(camera: Vector, centre: Vector, size: Vector) -> float:
    """Return the distance on the floor plane from the camera to the nearest point of a box, in metres."""
    beyond_x = max(abs(centre[0] - camera[0]) - size[0] / 2, 0.0)
    beyond_z = max(abs(centre[2] - camera[2]) - size[2] / 2, 0.0)
    return hypot(beyond_x, beyond_z)


def distance(one: Vector, other: Vector) -> float:
    """Return the straight distance between two points, in metres."""
    return sqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2)


# A house's doors in a room that changes: hung, opened and closed. A shut door stops walking, view and reach.


class HasDoors(Protocol):
    """What of a room its doors concern; see ``room.Room``."""

    x: float
    z: float
    grid: frozenset[Point]
    walkable: frozenset[Point]
    doors: dict[str, SceneObject]
    kept_out: dict[str, tuple[frozenset[Point], frozenset[Point]]]
    building: Building | None
    bystanders: tuple[Bystander, ...]


def hang_doors(room: HasDoors, building: Building) -> None:
    """Give a room a house's doors; nobody stands in the doorways of those that are shut."""
    room.doors = {door.object_id: door for door in door_objects(building)}
    room.grid |= frozenset(building.beyond)
    room.walkable |= frozenset(building.beyond)
    for door in shut_doors(building.house):
        _keep_out(room, building, door.opening_id)


def swing(room: HasDoors, door_id: str, is_open: bool) -> None:
    """Open or close a door.

    Raises:
        Refusal: Somebody stands in the doorway that is to be closed.
    """
    assert room.building is not None
    if is_open:
        grid, walkable = room.kept_out.pop(door_id, (frozenset(), frozenset()))
        room.grid |= grid
        room.walkable |= walkable
    else:
        standing = {each.name: (each.pose.x, each.pose.z) for each in room.bystanders}
        for name, point in {"the agent": (round(room.x), round(room.z)), **standing}.items():
            if in_doorway(room.building.house, door_id, (point,)):
                raise Refusal(IN_DOORWAY, what=door_id, where=name)
        _keep_out(room, room.building, door_id)
    door = room.doors[door_id]
    room.doors[door_id] = replace(door, attributes=replace(door.attributes, is_open=is_open))
    room.building = swung(room.building, door_id, is_open)


def _keep_out(room: HasDoors, building: Building, door_id: str) -> None:
    near = in_doorway(building.house, door_id, room.grid | room.walkable)
    room.kept_out[door_id] = (room.grid & near, room.walkable & near)
    room.grid -= near
    room.walkable -= near
