"""A house as its scenes know it: which room a place is in, and whether walls are between two places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.houses.house import Corner, House, Point, Vector, Wall

# What of a house's walls stops those who walk and look: segments on the plan, less the holes that are open.


Segment = tuple[Corner, Corner]
"""Two ends, x and z in metres."""


def solid_walls(house: House) -> tuple[Segment, ...]:
    """Return the walls as segments: without empty ones, and without the holes of frames and open doors inside.

    Windows and doors to the outside are part of their walls. Of the two sides of a wall, one is returned.
    """
    passages = frozenset(door.opening_id for door in house.doors if door.passable and not door.outside)
    found: dict[frozenset[Corner], Segment] = {}
    for wall in house.walls:
        if not wall.empty:
            for segment in _pieces(house, wall, passages):
                found.setdefault(frozenset(segment), segment)
    return tuple(found.values())


def _pieces(house: House, wall: Wall, passages: frozenset[str]) -> Iterator[Segment]:
    """Yield what is left of a wall between its passages."""
    holes = sorted((hole.left, hole.right) for hole in house.holes(wall) if hole.opening_id in passages)
    reached = 0.0
    for left, right in (*holes, (wall.length, wall.length)):
        if left > reached:
            yield wall.at(reached), wall.at(left)
        reached = max(reached, right)


SHORT = 0.05
"""Metres before a thing at which looks and hands are there: what hangs at a wall may be a little in it."""

PARTS = 0.35
"""Where on a box, as a share of its sides from its middle, one may see it."""

Segments: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Building:
    """The rooms and walls of a house; its things are a scene's objects.

    Attributes:
        house: The house; its things may be left out.
        beyond: Points where one can stand, and to which one can walk only if doors are opened that are shut. They are
            not stored with episodes.
    """

    house: House
    beyond: tuple[Point, ...] = ()

    @cached_property
    def room_kinds(self) -> tuple[str, ...]:
        """The kinds of its rooms, each once, in the house's order."""
        return tuple(dict.fromkeys(room.kind for room in self.house.rooms))

    def is_open(self, x: float, z: float, to_x: float, to_z: float) -> bool:
        """Return whether no wall is between two places, but for the last ``SHORT`` metres."""
        return not _is_blocked(self._walls, x, z, to_x, to_z, SHORT)

    def open_from(self, places: Segments, to_x: float, to_z: float) -> npt.NDArray[np.bool_]:
        """Return from which places (x, z), one a row, no wall is before another, but for the last ``SHORT`` metres."""
        found: npt.NDArray[np.bool_] = ~_all_blocked(self._walls, np.ascontiguousarray(places), to_x, to_z, SHORT)
        return found

    def shows(self, x: float, z: float, centre: Vector, size: Vector) -> bool:
        """Return whether no wall is between a place and some part of a box.

        Counted are the middle of the box, and places towards its edges that are on the same side of the walls.
        """
        if self.is_open(x, z, centre[0], centre[2]):
            return True
        return any(
            self.is_open(x, z, *part) and self.is_open(centre[0], centre[2], *part) for part in _parts(centre, size)
        )

    @cached_property
    def walls(self) -> tuple[Segment, ...]:
        """What stops those who walk, and whatever is moved: see ``solid_walls``."""
        return tuple(wall for wall in solid_walls(self.house) if wall[0] != wall[1])

    @cached_property
    def _walls(self) -> Segments:
        return np.array([(*start, *end) for start, end in self.walls], np.float64).reshape(-1, 4)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Building) and self.house == other.house)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.house.rooms, self.house.walls))

    def __reduce__(self) -> tuple[type[Building], tuple[House, tuple[Point, ...]]]:
        return Building, (self.house, self.beyond)


def _parts(centre: Vector, size: Vector) -> Iterator[tuple[float, float]]:
    """Yield places of a box beside its middle: towards its sides and corners."""
    for across in (-PARTS, 0.0, PARTS):
        for along in (-PARTS, 0.0, PARTS):
            if across or along:
                yield centre[0] + across * size[0], centre[2] + along * size[2]


@njit()
def _is_blocked(walls: Segments, x: float, z: float, to_x: float, to_z: float, short: float) -> bool:
    """Return whether a segment, less a piece at its end, crosses or touches a wall."""
    dx, dz = to_x - x, to_z - z
    length = np.sqrt(dx * dx + dz * dz)
    if length <= short:
        return False
    share = (length - short) / length
    dx, dz = dx * share, dz * share
    for k in range(walls.shape[0]):
        a, b = walls[k, 0] - x, walls[k, 1] - z
        c, d = walls[k, 2] - x, walls[k, 3] - z
        one, other = dx * b - dz * a, dx * d - dz * c
        if one * other > 0.0:
            continue
        wx, wz = c - a, d - b
        here, there = wx * -b - wz * -a, wx * (dz - b) - wz * (dx - a)
        if here * there <= 0.0:
            return True
    return False


@njit()
def _all_blocked(walls: Segments, places: Segments, to_x: float, to_z: float, short: float) -> npt.NDArray[np.bool_]:
    """Return for each place whether ``_is_blocked``."""
    found = np.zeros(len(places), np.bool_)
    for number in range(len(places)):
        found[number] = _is_blocked(walls, places[number, 0], places[number, 1], to_x, to_z, short)
    return found
