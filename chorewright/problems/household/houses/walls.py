"""What of a house's walls stops those who walk and look: segments on the plan, less the holes that are open."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.problems.household.houses.house import Corner, House, Wall

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
