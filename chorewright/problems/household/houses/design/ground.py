"""The floor of a house while it is furnished: what is taken, what is kept clear, and where an agent can still stand.

Boxes of things are rectangles along the axes. A thing is set down only if all places where an agent can stand remain
connected, so that no thing and no room is ever shut off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.free_space import AGENT_RADIUS, HEAD
from chorewright.problems.household.houses.design.plan import HousePlan
from chorewright.problems.household.scene import GRID, Point

Rectangle = tuple[float, float, float, float]
"""Low x, low z, high x, high z, in metres."""

REACH = 1.4
"""Metres from a standing point within which things are reached, with a margin to the simulator's 1.5."""

_TOUCHING = 1e-4
"""Metres by which boxes that touch may seem to overlap."""

Raster = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class StandingBody:
    """A thing's rectangle, and how high its top is."""

    rectangle: Rectangle
    top: float


@dataclass(slots=True)
class RoomGround:
    """What stands in a room, and what is kept clear there."""

    bodies: list[StandingBody] = field(default_factory=list)
    zones: list[Rectangle] = field(default_factory=list)


class Ground:
    """The floor of a house."""

    def __init__(self, plan: HousePlan, points: dict[Point, int]) -> None:
        """Begin with a house without things.

        Args:
            plan: Its rooms.
            points: Where one can stand in it, with the numbers of the rooms.
        """
        self.plan = plan
        self.owner = {square: number for number, region in enumerate(plan.regions) for square in region}
        self.rooms = [RoomGround() for _ in plan.regions]
        places = np.array(list(points), np.int64).reshape(-1, 2)
        self.low = places.min(axis=0)
        self.raster = np.full(tuple(places.max(axis=0) - self.low + 1), -1, np.int32)
        self.raster[tuple((places - self.low).T)] = list(points.values())

    def snapshot(self, room: int) -> tuple[Raster, list[StandingBody], list[Rectangle]]:
        """Return what ``restore`` needs to take back all that is done from now on in a room."""
        here = self.rooms[room]
        return self.raster.copy(), list(here.bodies), list(here.zones)

    def restore(self, room: int, state: tuple[Raster, list[StandingBody], list[Rectangle]]) -> None:
        """Take back what was done in a room since a snapshot."""
        self.raster = state[0].copy()
        self.rooms[room] = RoomGround(list(state[1]), list(state[2]))

    def is_inside(self, room: int, box: Rectangle) -> bool:
        """Whether a rectangle lies on a room's floor."""
        unit, owner = self.plan.unit, self.owner
        columns = range(floor((box[0] + _TOUCHING) / unit), floor((box[2] - _TOUCHING) / unit) + 1)
        rows = range(floor((box[1] + _TOUCHING) / unit), floor((box[3] - _TOUCHING) / unit) + 1)
        return all(owner.get((column, row)) == room for column in columns for row in rows)

    def is_free(self, room: int, box: Rectangle, above: float = 0.0) -> bool:
        """Whether nothing in a room stands in a rectangle, as far as it is higher than a height."""
        return not any(body.top > above and _overlap(body.rectangle, box) for body in self.rooms[room].bodies)

    def is_allowed(self, room: int, box: Rectangle) -> bool:
        """Whether a rectangle lies on a room's floor, and nothing stands there or is to be kept clear."""
        here = self.rooms[room]
        return (
            self.is_inside(room, box)
            and not any(_overlap(zone, box) for zone in here.zones)
            and not any(_overlap(body.rectangle, box) for body in here.bodies)
        )

    def put(self, room: int, box: Rectangle, bottom: float, top: float, reached: bool) -> bool:
        """Put a thing into a rectangle; return whether all remains connected, and ``reached`` things are reached.

        If not, nothing is put there.
        """
        x0, z0, x1, z1 = box
        if bottom <= HEAD:
            covered = self.raster.copy()
            _cover(covered, self.low[0], self.low[1], x0, z0, x1, z1, AGENT_RADIUS)
            if not _is_connected(covered):
                return False
        else:
            covered = self.raster
        if reached and not _is_reached(covered, self.low[0], self.low[1], x0, z0, x1, z1, REACH, room):
            return False
        self.raster = covered
        self.rooms[room].bodies.append(StandingBody(box, top))
        return True

    def note(self, room: int, box: Rectangle, top: float) -> None:
        """Note a thing that is in nobody's way."""
        self.rooms[room].bodies.append(StandingBody(box, top))

    def keep_clear(self, room: int, box: Rectangle) -> None:
        """Let nothing be put into a rectangle any more."""
        self.rooms[room].zones.append(box)

    def reaches(self, room: int, box: Rectangle) -> bool:
        """Whether a rectangle can be reached from somewhere in a room."""
        return bool(_is_reached(self.raster, self.low[0], self.low[1], *box, REACH, room))

    def points(self) -> list[Point]:
        """Return where an agent can stand, in order."""
        return [(x, z) for x, z in (np.argwhere(self.raster >= 0) + self.low).tolist()]


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return (
        one[0] < other[2] - _TOUCHING
        and other[0] < one[2] - _TOUCHING
        and one[1] < other[3] - _TOUCHING
        and other[1] < one[3] - _TOUCHING
    )


@njit()
def _cover(raster: Raster, low_x: int, low_z: int, x0: float, z0: float, x1: float, z1: float, radius: float) -> None:
    """Write -1 to all points that are nearer than a radius to a rectangle."""
    first_row = max(int(np.ceil((x0 - radius) / GRID)) - low_x, 0)
    last_row = min(int(np.floor((x1 + radius) / GRID)) - low_x, raster.shape[0] - 1)
    first_column = max(int(np.ceil((z0 - radius) / GRID)) - low_z, 0)
    last_column = min(int(np.floor((z1 + radius) / GRID)) - low_z, raster.shape[1] - 1)
    for row in range(first_row, last_row + 1):
        for column in range(first_column, last_column + 1):
            x, z = (low_x + row) * GRID, (low_z + column) * GRID
            dx = max(x0 - x, 0.0, x - x1)
            dz = max(z0 - z, 0.0, z - z1)
            if dx * dx + dz * dz < radius * radius:
                raster[row, column] = -1


@njit()
def _is_connected(raster: Raster) -> bool:
    """Whether all points are connected by single steps; false if there are none."""
    rows, columns = raster.shape
    seen = np.zeros((rows, columns), np.bool_)
    border = np.empty(rows * columns, np.int64)
    count, size = 0, 0
    for row in range(rows):
        for column in range(columns):
            if raster[row, column] >= 0:
                count += 1
                if size == 0:
                    border[0] = row * columns + column
                    seen[row, column] = True
                    size = 1
    taken = 0
    while taken < size:
        row, column = border[taken] // columns, border[taken] % columns
        taken += 1
        for turn in range(4):
            near_row = row + (turn == 0) - (turn == 1)
            near_column = column + (turn == 2) - (turn == 3)
            if not (0 <= near_row < rows and 0 <= near_column < columns):
                continue
            if raster[near_row, near_column] >= 0 and not seen[near_row, near_column]:
                seen[near_row, near_column] = True
                border[size] = near_row * columns + near_column
                size += 1
    return count > 0 and size == count


@njit()
def _is_reached(
    raster: Raster, low_x: int, low_z: int, x0: float, z0: float, x1: float, z1: float, reach: float, room: int
) -> bool:
    """Whether a point of a room is within reach of a rectangle."""
    first_row = max(int(np.ceil((x0 - reach) / GRID)) - low_x, 0)
    last_row = min(int(np.floor((x1 + reach) / GRID)) - low_x, raster.shape[0] - 1)
    first_column = max(int(np.ceil((z0 - reach) / GRID)) - low_z, 0)
    last_column = min(int(np.floor((z1 + reach) / GRID)) - low_z, raster.shape[1] - 1)
    for row in range(first_row, last_row + 1):
        for column in range(first_column, last_column + 1):
            if raster[row, column] == room:
                x, z = (low_x + row) * GRID, (low_z + column) * GRID
                dx = max(x0 - x, 0.0, x - x1)
                dz = max(z0 - z, 0.0, z - z1)
                if dx * dx + dz * dz <= reach * reach:
                    return True
    return False
