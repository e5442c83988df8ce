"""A house's doors in a room that changes: hung, opened and closed. A shut door stops walking, view and reach."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.doors import door_objects, in_doorway, shut_doors, swung
from chorewright.problems.household.scene import Bystander, Point, SceneObject
from chorewright.replay.household.refusals import IN_DOORWAY, Refusal


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
