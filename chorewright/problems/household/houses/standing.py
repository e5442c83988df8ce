"""Where an agent can stand in a house (on floors, clear of walls and of the turned boxes of things), and its doors.

Neighbouring points are a step apart. No step crosses a wall, since both of its ends keep ``AGENT_RADIUS`` from the wall
and are nearer to each other than twice that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import atan2, cos, degrees, dist, hypot, radians, sin

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.free_space import AGENT_RADIUS, HEAD, STEP_OVER
from chorewright.problems.household.houses.assets import kind_of, turn_box
from chorewright.problems.household.houses.building import Building, Segment, solid_walls
from chorewright.problems.household.houses.house import GRID, House, HouseThing, Opening, Point, edges
from chorewright.problems.household.kinds import Kinds, Traits, shipped_kinds
from chorewright.problems.household.scene import Attributes, SceneObject

NOWHERE = -1
"""The number of the room of places outside of the house."""

_ROUNDING = 1e-6
"""Metres that a point may be too near to a wall, so that rounding decides nothing."""

Rows = npt.NDArray[np.float64]


def standing_points(house: House, kinds: Kinds | None = None) -> dict[Point, int]:
    """Return the points of the grid where an agent can stand, in order, each with the number of its room.

    What can be picked up, what is lower than a step and what hangs higher than the agent is not in the way; nor are
    things of which nobody says how large they are. Doors to the outside are never walked through.

    Args:
        house: The house.
        kinds: What things are; the shipped kinds by default.
    """
    corners = np.array([corner for room in house.rooms for corner in room.polygon], np.float64)
    low = np.floor(corners.min(axis=0) / GRID).astype(np.int64)
    high = np.ceil(corners.max(axis=0) / GRID).astype(np.int64)
    rooms = np.full((high[0] - low[0] + 1, high[1] - low[1] + 1), NOWHERE, np.int32)
    _paint(rooms, low, _room_edges(house))
    obstacles = [*_wall_boxes(house), *_thing_boxes(house, kinds or shipped_kinds())]
    _clear(rooms, low, np.array(obstacles, np.float64).reshape(-1, 6), AGENT_RADIUS - _ROUNDING)
    standing = np.argwhere(rooms != NOWHERE)
    numbers = rooms[standing[:, 0], standing[:, 1]].tolist()
    return {(x, z): number for (x, z), number in zip((standing + low).tolist(), numbers, strict=True)}


def _room_edges(house: House) -> Rows:
    rows = [(number, *a, *b) for number, room in enumerate(house.rooms) for a, b in edges(room.polygon)]
    return np.array(rows, np.float64)


Obstacle = tuple[float, float, float, float, float, float]
"""Middle (x, z), half the width and depth, cosine and sine of the angle by which it is turned."""


def _wall_boxes(house: House) -> Iterator[Obstacle]:
    for (x0, z0), (x1, z1) in solid_walls(house):
        turn = atan2(z0 - z1, x1 - x0)
        yield (x0 + x1) / 2, (z0 + z1) / 2, dist((x0, z0), (x1, z1)) / 2, 0.0, cos(turn), sin(turn)


def _thing_boxes(house: House, kinds: Kinds) -> Iterator[Obstacle]:
    level = house.rooms[0].level
    for thing in house.all_things():
        box = turn_box(thing)
        if box is None or _item(thing, kinds) or box.top < level + STEP_OVER or box.bottom > level + HEAD:
            continue
        turn = radians(box.yaw)
        yield box.centre[0], box.centre[2], box.size[0] / 2, box.size[2] / 2, cos(turn), sin(turn)


def _item(thing: HouseThing, kinds: Kinds) -> bool:
    kind = kind_of(thing.asset, thing.thing_id)
    return kind is not None and kinds[kind].item


@njit()
def _paint(rooms: npt.NDArray[np.int32], low: npt.NDArray[np.int64], sides: Rows) -> None:
    """Write the number of its room to each point on a floor; by the even-odd rule, as ``HouseRoom.contains``.

    Args:
        rooms: To be filled; one row for each x.
        low: The point (x, z) of its first cell.
        sides: Edges of floors, room by room: number of the room, start and end.
    """
    for row in range(rooms.shape[0]):
        for column in range(rooms.shape[1]):
            x, z = (low[0] + row) * GRID, (low[1] + column) * GRID
            number, inside = -1.0, False
            for k in range(sides.shape[0]):
                if sides[k, 0] != number:
                    if inside:
                        break
                    number = sides[k, 0]
                x0, z0, x1, z1 = sides[k, 1], sides[k, 2], sides[k, 3], sides[k, 4]
                if (z0 > z) != (z1 > z) and x < x0 + (z - z0) / (z1 - z0) * (x1 - x0):
                    inside = not inside
            if inside:
                rooms[row, column] = int(number)


@njit()
def _clear(rooms: npt.NDArray[np.int32], low: npt.NDArray[np.int64], boxes: Rows, radius: float) -> None:
    """Write -1 to every point that is nearer than a radius to a box; ``boxes`` are rows of ``Obstacle``."""
    for k in range(boxes.shape[0]):
        x, z, half_width, half_depth, across, along = boxes[k]
        reach_x = abs(across) * half_width + abs(along) * half_depth + radius
        reach_z = abs(along) * half_width + abs(across) * half_depth + radius
        first_row = max(int(np.ceil((x - reach_x) / GRID)) - low[0], 0)
        last_row = min(int(np.floor((x + reach_x) / GRID)) - low[0], rooms.shape[0] - 1)
        first_column = max(int(np.ceil((z - reach_z) / GRID)) - low[1], 0)
        last_column = min(int(np.floor((z + reach_z) / GRID)) - low[1], rooms.shape[1] - 1)
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                dx, dz = (low[0] + row) * GRID - x, (low[1] + column) * GRID - z
                gap_x = max(abs(dx * across - dz * along) - half_width, 0.0)
                gap_z = max(abs(dx * along + dz * across) - half_depth, 0.0)
                if gap_x * gap_x + gap_z * gap_z < radius * radius:
                    rooms[row, column] = -1


# Doors of a house as objects: where they are, which of them open, and the same house with one of them swung.


DOORWAY, DOORFRAME = "Doorway", "Doorframe"
"""AI2-THOR's objectTypes of doors with a leaf, and of those without."""

THICK = 0.1
"""Metres of a door's box across its wall."""


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
