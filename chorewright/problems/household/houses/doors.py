"""Doors of a house as objects: where they are, which of them open, and the same house with one of them swung."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import atan2, cos, degrees, hypot, sin

from chorewright.problems.household.free_space import AGENT_RADIUS
from chorewright.problems.household.houses.building import Building, Segment
from chorewright.problems.household.houses.house import House, Opening
from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import GRID, Attributes, Point, SceneObject

DOORWAY, DOORFRAME = "Doorway", "Doorframe"
"""AI2-THOR's objectTypes of doors with a leaf, and of those without."""

THICK = 0.1
"""Metres of a door's box across its wall."""

_ROUNDING = 1e-6


def opens(door: Opening) -> bool:
    """Return whether agents can open and close a door: it has a leaf, and leads to another room."""
    return bool(door.openable) and door.openness is not None and not door.outside


def threshold(house: House, door: Opening) -> Segment:
    """Return where a door is on the plan: the two sides of its hole, in its first wall."""
    wall = next(wall for wall in house.walls if wall.wall_id == door.walls[0])
    return wall.at(door.low[0]), wall.at(door.high[0])


def door_objects(building: Building) -> Iterator[SceneObject]:
    """Yield a house's doors as objects; of the vocabulary they are no kinds, so no task is about them."""
    house = building.house
    for door in house.doors:
        (x0, z0), (x1, z1) = threshold(house, door)
        turn, width = atan2(z0 - z1, x1 - x0), hypot(x1 - x0, z1 - z0)
        wall = next(wall for wall in house.walls if wall.wall_id == door.walls[0])
        low, high = wall.bottom + door.low[1], wall.bottom + door.high[1]
        centre = (round((x0 + x1) / 2, 4), round((low + high) / 2, 4), round((z0 + z1) / 2, 4))
        across, along = abs(cos(turn)), abs(sin(turn))
        size = (across * width + along * THICK, high - low, along * width + across * THICK)
        leaf = not door.asset.startswith(DOORFRAME)
        kind = DOORWAY if leaf else DOORFRAME
        yield SceneObject(
            door.opening_id,
            kind,
            centre,
            (0.0, round(degrees(turn) % 360, 4), 0.0),
            centre,
            (round(size[0], 4), round(size[1], 4), round(size[2], 4)),
            asset=door.asset,
            attributes=Attributes(is_open=leaf and door.passable and not door.outside),
            traits=Traits(kind, frozenset({"openable"} if opens(door) else ())),
        )


def swung(building: Building, door_id: str, openness: float) -> Building:
    """Return the building with a door opened so far, from 0 to 1."""
    doors = tuple(
        replace(door, openness=openness) if door.opening_id == door_id else door for door in building.house.doors
    )
    return Building(replace(building.house, doors=doors), building.beyond)


def all_open(house: House) -> House:
    """Return the house with all doors open that agents can open."""
    return replace(house, doors=tuple(replace(door, openness=1.0) if opens(door) else door for door in house.doors))


def shut_doors(house: House) -> Sequence[Opening]:
    """Return the doors that agents can open and that are shut."""
    return [door for door in house.doors if opens(door) and not door.passable]


def in_doorway(house: House, door_id: str, points: Iterable[Point]) -> frozenset[Point]:
    """Return the points where nobody can stand while a door is shut."""
    door = next(door for door in house.doors if door.opening_id == door_id)
    start, end = threshold(house, door)
    return frozenset(point for point in points if _gap(point, start, end) < AGENT_RADIUS - _ROUNDING)


def _gap(point: Point, start: tuple[float, float], end: tuple[float, float]) -> float:
    """Return metres from a point to a segment."""
    x, z = point[0] * GRID - start[0], point[1] * GRID - start[1]
    dx, dz = end[0] - start[0], end[1] - start[1]
    share = min(max((x * dx + z * dz) / (dx * dx + dz * dz), 0.0), 1.0)
    return hypot(x - share * dx, z - share * dz)
