"""Outlines of regions of squares: the floor's corners and the walls, clockwise, each with who is on its other side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chorewright.problems.household.houses.design.plan import Plan, Square, Squares
from chorewright.problems.household.houses.house import Corner

OUTSIDE = -1
"""The number of what is outside of the house."""

Side = tuple[Square, Square]
"""Two corners of squares: a side of a square, the square to its right."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A straight piece of a room's edge with one neighbour; the room is to its right."""

    start: Corner
    end: Corner
    neighbour: int

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return abs(self.end[0] - self.start[0]) + abs(self.end[1] - self.start[1])

    @property
    def along(self) -> Square:
        """The direction from start to end."""
        return _direction(self.start, self.end)

    @property
    def inward(self) -> Square:
        """The direction into the room."""
        dx, dz = self.along
        return dz, -dx

    def at(self, metres: float) -> Corner:
        """Return the place so many metres from the start."""
        dx, dz = self.along
        return self.start[0] + dx * metres, self.start[1] + dz * metres


def room_outline(plan: Plan, number: int) -> tuple[Stretch, ...]:
    """Return the edge of a room, clockwise, divided at corners and where the neighbour changes."""
    owner = {square: room for room, region in enumerate(plan.regions) for square in region}
    pieces: list[tuple[Square, Square, int]] = []
    for start, end in _ring(plan.regions[number]):
        neighbour = owner.get(_left_square(start, end), OUTSIDE)
        if pieces and pieces[-1][2] == neighbour and _direction(*pieces[-1][:2]) == _direction(start, end):
            pieces[-1] = (pieces[-1][0], end, neighbour)
        else:
            pieces.append((start, end, neighbour))
    return tuple(Stretch(_metres(plan, start), _metres(plan, end), other) for start, end, other in pieces)


def corners(outline: tuple[Stretch, ...]) -> tuple[Corner, ...]:
    """Return the corners of an outline where its direction changes."""
    return tuple(
        stretch.start
        for before, stretch in zip((outline[-1], *outline[:-1]), outline, strict=True)
        if before.along != stretch.along
    )


def _metres(plan: Plan, corner: Square) -> Corner:
    return round(corner[0] * plan.unit, 3), round(corner[1] * plan.unit, 3)


def _ring(region: Squares) -> Iterator[Side]:
    """Yield the sides around a region, clockwise, from a corner where its direction changes."""
    following: dict[Square, list[Square]] = {}
    for column, row in sorted(region):
        for start, end, other in (
            ((column, row), (column, row + 1), (column - 1, row)),
            ((column, row + 1), (column + 1, row + 1), (column, row + 1)),
            ((column + 1, row + 1), (column + 1, row), (column + 1, row)),
            ((column + 1, row), (column, row), (column, row - 1)),
        ):
            if other not in region:
                following.setdefault(start, []).append(end)
    first = min(following)
    place, heading = first, (0, 1)
    while True:
        ends = following[place]
        end = ends[0] if len(ends) == 1 else next(each for each in ends if _direction(place, each) == _right(heading))
        yield place, end
        heading = _direction(place, end)
        place = end
        if place == first:
            return


def _right(heading: Square) -> Square:
    return heading[1], -heading[0]


def _direction(start: Corner | Square, end: Corner | Square) -> Square:
    dx, dz = end[0] - start[0], end[1] - start[1]
    return (dx > 0) - (dx < 0), (dz > 0) - (dz < 0)


def _left_square(start: Square, end: Square) -> Square:
    """Return the square to the left of a side."""
    dx, dz = _direction(start, end)
    if (dx, dz) == (0, 1):
        return start[0] - 1, start[1]
    if (dx, dz) == (1, 0):
        return start[0], start[1]
    if (dx, dz) == (0, -1):
        return start[0], end[1]
    return end[0], end[1] - 1
