"""What a house has around its things: the floor of each room, walls with holes, frames, doors, windows, ceilings.

A wall is drawn from the side of its room only, so that what lies behind it is hidden from there. One looks through
frames and open doors inside; outer doors, doors that are shut and windows fill their holes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from chorewright.problems.household.houses.house import Corner, Hole, House, HouseRoom, Opening, Wall, area_with_sign
from chorewright.replay.drawing.solids import Float, Solid
from chorewright.replay.household.pixels.drawing import Mesh, mesh_of, surface_row
from chorewright.replay.household.pixels.looks import looks

HEIGHT = 2.6
"""Metres of rooms without walls."""

SKIRTING, OUT = 0.09, 0.012
"""Metres: how high skirting boards are, and how far they stand out."""

FRAME, DEPTH = 0.07, 0.03
"""Metres: how wide a frame is around its hole, and how far it stands out."""

LEAF, PANE = "white", "pane"
"""The paints of doors and windows."""

_Piece = tuple[Solid, Float]


def house_shell(house: House, name: str) -> tuple[Mapping[str, Mesh], Mesh]:
    """Return the floors by the ids of their rooms, and all the rest as one.

    Args:
        house: The house.
        name: The scene's, which decides colours.
    """
    paints = looks().paints
    floors = {}
    pieces: list[_Piece] = []
    openings = {each.opening_id: each for each in (*house.doors, *house.windows)}
    for room in house.rooms:
        own = [wall for wall in house.walls if wall.room_id == room.room_id]
        look = f"{name} {room.room_id}"
        floors[room.room_id] = mesh_of(
            [(_level(room, room.level, up=True), surface_row(paints[f"floor:{room.kind}"], look))]
        )
        top = max((wall.top for wall in own), default=room.level + HEIGHT)
        pieces.append((_level(room, top, up=False), surface_row(paints["ceiling"], look)))
        wall_row = surface_row(paints[f"wall:{room.kind}"], look)
        for wall in own:
            if wall.empty or not wall.length:
                continue
            holes = sorted(house.holes(wall), key=lambda hole: hole.left)
            pieces += [(solid, wall_row) for solid in _wall(wall, room, holes)]
            pieces += _trim(wall, room, holes, openings, name)
    return floors, mesh_of(pieces)


def _level(room: HouseRoom, height: float, up: bool) -> Solid:
    """Return a room's floor or ceiling."""
    triangles = np.array(list(_triangles(room.polygon)))
    points = np.insert(triangles, 1, height, axis=2)
    normals = np.zeros_like(points)
    normals[..., 1] = 1.0 if up else -1.0
    return Solid(points, normals, triangles)


def _triangles(polygon: Sequence[Corner]) -> Iterator[tuple[Corner, Corner, Corner]]:
    """Cut a polygon into triangles, ear by ear."""
    left = list(polygon) if area_with_sign(tuple(polygon)) > 0 else list(reversed(polygon))
    while len(left) > 3:
        for place in range(len(left)):
            before, ear, after = left[place - 1], left[place], left[(place + 1) % len(left)]
            area = area_with_sign((before, ear, after))
            others = (each for each in left if each not in (before, ear, after))
            if area == 0 or (area > 0 and not any(_within((before, ear, after), each) for each in others)):
                break
        if area > 0:
            yield before, ear, after
        del left[place]
    if area_with_sign(tuple(left)) > 0:
        yield left[0], left[1], left[2]


def _within(triangle: tuple[Corner, Corner, Corner], corner: Corner) -> bool:
    """Return whether a place is in a triangle whose corners run anticlockwise, or on its edge."""
    first, second, third = triangle
    return all(area_with_sign((a, b, corner)) >= 0 for a, b in pairwise((first, second, third, first)))


def _inward(wall: Wall, room: HouseRoom) -> Float:
    """Return the direction from a wall into its room, (x, z)."""
    (x0, z0), (x1, z1) = wall.start, wall.end
    way = np.array((z0 - z1, x1 - x0)) / wall.length
    x, z = (x0 + x1) / 2 + 0.02 * way[0], (z0 + z1) / 2 + 0.02 * way[1]
    return way if room.contains(float(x), float(z)) else -way


def _wall(wall: Wall, room: HouseRoom, holes: Sequence[Hole]) -> Iterator[Solid]:
    """Yield a wall's upright strips, less its holes."""
    cuts = sorted({0.0, wall.length, *(each for hole in holes for each in (hole.left, hole.right))})
    for left, right in pairwise(cuts):
        reached = 0.0
        there = sorted((hole.bottom, hole.top) for hole in holes if hole.left <= left and right <= hole.right)
        for low, high in (*there, (wall.top - wall.bottom, 0.0)):
            if low > reached:
                yield _panel(wall, room, (left, reached, right, low))
            reached = max(reached, high)


def _panel(wall: Wall, room: HouseRoom, span: tuple[float, float, float, float], out: float = 0.0) -> Solid:
    """Return a rectangle in a wall's plane: left, bottom, right and top in metres in the wall's frame.

    Args:
        wall: The wall.
        room: The room that it faces.
        span: The rectangle.
        out: Metres before the wall.
    """
    way = _inward(wall, room)
    (x0, z0), (x1, z1) = (np.array(wall.at(metres)) + out * way for metres in (span[0], span[2]))
    low, high = wall.bottom + span[1], wall.bottom + span[3]
    a, b, c, d = (x0, low, z0), (x1, low, z1), (x1, high, z1), (x0, high, z0)
    points = np.array(((a, b, c), (a, c, d)))
    normals = np.broadcast_to(np.array((way[0], 0.0, way[1])), points.shape).copy()
    flat = ((span[0], low), (span[2], low), (span[2], high), (span[0], high))
    return Solid(points, normals, np.array(([flat[0], flat[1], flat[2]], [flat[0], flat[2], flat[3]])))


def _trim(
    wall: Wall, room: HouseRoom, holes: Sequence[Hole], openings: Mapping[str, Opening], name: str
) -> Iterator[_Piece]:
    """Yield a wall's skirting, the frames of its holes, and what fills them."""
    paints = looks().paints
    board, frame = surface_row(paints["skirting"], name), surface_row(paints["frame"], name)
    reached = 0.0
    doors = [(hole.left, hole.right) for hole in holes if hole.bottom < SKIRTING]
    for left, right in (*doors, (wall.length, wall.length)):
        if left > reached:
            yield _panel(wall, room, (reached, 0.0, left, SKIRTING), OUT), board
        reached = max(reached, right)
    for hole in holes:
        opening = openings[hole.opening_id]
        door = hole.bottom < SKIRTING
        foot = 0.0 if door else hole.bottom - FRAME
        yield _panel(wall, room, (hole.left - FRAME, foot, hole.left, hole.top + FRAME), DEPTH), frame
        yield _panel(wall, room, (hole.right, foot, hole.right + FRAME, hole.top + FRAME), DEPTH), frame
        yield _panel(wall, room, (hole.left, hole.top, hole.right, hole.top + FRAME), DEPTH), frame
        if not door:
            yield _panel(wall, room, (hole.left, foot, hole.right, hole.bottom), DEPTH), frame
        span = (hole.left, hole.bottom, hole.right, hole.top)
        if not door:
            yield _panel(wall, room, span), surface_row(paints[PANE], name)
        elif opening.outside or not opening.passable:
            yield _panel(wall, room, span), surface_row(paints[LEAF], name)
