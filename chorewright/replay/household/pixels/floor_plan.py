"""The lines of a house on its map: walls, doors, windows, and what the rooms are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from PIL import ImageDraw, ImageFont

from chorewright.problems.household.houses.building import Building, solid_walls
from chorewright.problems.household.houses.house import Corner, House, Opening
from chorewright.problems.household.houses.scenes import largest_rectangle

Place: TypeAlias = Callable[[float, float], tuple[float, float]]
"""Pixels of a place in metres (x, z)."""

WALL, OPEN, SHUT, GLASS, NAME, PAPER = (
    (36, 38, 44),
    (96, 170, 110),
    (166, 84, 60),
    (110, 180, 230),
    (30, 32, 36),
    (255, 255, 255),
)


def draw_floor_plan(draw: ImageDraw.ImageDraw, at: Place, building: Building, size: int) -> None:
    """Draw walls dark, windows blue, doors green or, where one cannot walk through, brown; write the rooms' kinds.

    Args:
        draw: Onto the map.
        at: Where places are on it.
        building: The house.
        size: Pixels on a side of the map.
    """
    house, width = building.house, max(2, size // 120)
    for start, end in solid_walls(house):
        draw.line((at(*start), at(*end)), fill=WALL, width=width)
    for opening, ink in _openings(house):
        for start, end in _holes(house, opening):
            draw.line((at(*start), at(*end)), fill=ink, width=width)
    font = ImageFont.load_default(max(9.0, size / 46))
    for room in house.rooms:
        west, south, east, north = largest_rectangle(room)
        place = at((west + east) / 2, (south + north) / 2)
        draw.text(
            place, room.kind.replace("_", " "), fill=NAME, anchor="mm", font=font, stroke_width=2, stroke_fill=PAPER
        )


def _openings(house: House) -> Iterator[tuple[Opening, tuple[int, int, int]]]:
    for window in house.windows:
        yield window, GLASS
    for door in house.doors:
        yield door, OPEN if door.passable and not door.outside else SHUT


def _holes(house: House, opening: Opening) -> Iterator[tuple[Corner, Corner]]:
    """Yield the ends of an opening's hole on the plan, in its first wall."""
    wall = next(wall for wall in house.walls if wall.wall_id == opening.walls[0])
    for hole in house.holes(wall):
        if hole.opening_id == opening.opening_id:
            yield wall.at(hole.left), wall.at(hole.right)
