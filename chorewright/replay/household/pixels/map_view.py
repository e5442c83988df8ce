"""A map: the room from above, without its ceiling, with the agent, where it went, and what it handled.

A house has the lines of its walls, doors and windows on it, and what its rooms are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import atan, cos, degrees, radians, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.problems.household.houses.building import Building, solid_walls
from chorewright.problems.household.houses.house import Corner, House, Opening
from chorewright.problems.household.houses.scenes import largest_rectangle
from chorewright.problems.household.scene import GRID, Pose, Scene, Vector
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pixels.walls import bounds

Ink: TypeAlias = tuple[int, int, int]

Place: TypeAlias = Callable[[float, float], tuple[float, float]]
"""Pixels of a place in metres (x, z)."""

WALL, OPEN, SHUT, GLASS = (36, 38, 44), (96, 170, 110), (166, 84, 60), (110, 180, 230)
PATH, AGENT, MARK, PAPER, TEXT = (214, 60, 52), (30, 96, 190), (246, 176, 40), (255, 255, 255), (30, 32, 36)
HEIGHT = 60.0
"""Metres above the floor of the camera: things hardly lean outwards."""

MARGIN, LINE = 0.15, 14


def map_camera(scene: Scene, size: int, aspect: float = 1.0) -> Camera:
    """Return a camera that looks down on the whole room, north up.

    Args:
        scene: The room.
        size: Pixels on a side.
        aspect: How many times as wide as high the picture shall be that the room must fit into.
    """
    west, floor, south, east, _, north = bounds(scene)
    half = max((east - west) / aspect, north - south) / 2 + MARGIN
    middle = ((west + east) / 2, floor + HEIGHT, (south + north) / 2)
    return Camera(middle, 0.0, 90.0, 2 * degrees(atan(half / (HEIGHT - 1.0))), size, size)


def map_view(
    renderer: Renderer, scene: Scene, size: int, path: Sequence[Pose] = (), marks: Mapping[str, Vector] | None = None
) -> NDArray[np.uint8]:
    """Return a map of a scene, (height, size, 3), of a house with its walls; a legend below it adds to its height.

    Args:
        renderer: Draws the room.
        scene: The room, with the agent where it is now.
        size: Pixels of a side of the map.
        path: The poses that the agent went through.
        marks: Places to point out, by their names, numbered in this order.
    """
    camera = map_camera(scene, size)
    image = Image.fromarray(renderer.frame(scene, camera).rgb)
    draw = ImageDraw.Draw(image)
    floor = bounds(scene)[1]

    def at(x: float, z: float) -> tuple[float, float]:
        place = camera.project((x, floor + 0.05, z))
        assert place is not None
        return place[0], place[1]

    if scene.building is not None:
        draw_floor_plan(draw, at, scene.building, size)
    scale = abs(at(1.0, 0.0)[0] - at(0.0, 0.0)[0])
    points = [at(pose.x * GRID, pose.z * GRID) for pose in path]
    if len(points) > 1:
        draw.line(points, fill=PATH, width=max(2, size // 150), joint="curve")
    for number, place in enumerate((marks or {}).values(), 1):
        _dot(draw, at(place[0], place[2]), max(6.0, 0.13 * scale), MARK, str(number))
    _arrow(draw, at, scene.agent)
    legend = [f"{number} {name}" for number, name in enumerate(marks or {}, 1)]
    return np.asarray(_with_legend(image, legend))


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
            place, room.kind.replace("_", " "), fill=TEXT, anchor="mm", font=font, stroke_width=2, stroke_fill=PAPER
        )


def _openings(house: House) -> Iterator[tuple[Opening, Ink]]:
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


def _dot(draw: ImageDraw.ImageDraw, at: tuple[float, float], radius: float, ink: Ink, text: str) -> None:
    x, y = at
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink, outline=TEXT)
    draw.text((x, y), text, fill=TEXT, anchor="mm", font=ImageFont.load_default(max(8.0, 1.3 * radius)))


def _arrow(draw: ImageDraw.ImageDraw, at: Place, pose: Pose) -> None:
    """The agent, pointing where it looks."""
    turn, x, z = radians(90 * pose.rotation), pose.x * GRID, pose.z * GRID
    shape = ((0.24, 0.0), (-0.16, 0.16), (-0.08, 0.0), (-0.16, -0.16))
    corners = [at(x + a * sin(turn) + b * cos(turn), z + a * cos(turn) - b * sin(turn)) for a, b in shape]
    draw.polygon(corners, fill=AGENT, outline=PAPER)


def _with_legend(image: Image.Image, lines: Sequence[str]) -> Image.Image:
    if not lines:
        return image
    columns = max(1, image.width // 150)
    rows = -(-len(lines) // columns)
    whole = Image.new("RGB", (image.width, image.height + LINE * rows + 6), PAPER)
    whole.paste(image)
    draw = ImageDraw.Draw(whole)
    for number, line in enumerate(lines):
        row, column = divmod(number, columns)
        draw.text((4 + column * 150, image.height + 3 + LINE * row), line, fill=TEXT)
    return whole
