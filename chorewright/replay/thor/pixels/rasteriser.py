"""The compiled rasteriser: which triangle is nearest at each pixel, then one shading of each pixel.

Triangles are cut off at the near plane, projected, and filled by rows with a buffer of inverse depths; only
then is each pixel shaded once. All arithmetic is plain IEEE, in one order: the same bytes everywhere.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.compiled import njit

PLAIN, WOOD, STONE, TILES, CLOTH, STRIPES, LEAVES, PRINT, RINGS, PLANKS = range(10)
"""Textures."""

DIRTY, GLOW = 3, 4
SURFACE = 12
"""A surface's row: texture, scale, contrast, dirt, glow, colour (3), second colour (3), seed."""

PLANES = 12
"""A triangle's row: light (4), u (4), v (4), each a + b x + c y + d z of the room's coordinates."""


@njit(cache=True, nogil=True, error_model="numpy")
def _fill(
    x0: Any,
    y0: Any,
    i0: Any,
    x1: Any,
    y1: Any,
    i1: Any,
    x2: Any,
    y2: Any,
    i2: Any,
    t: Any,
    near: Any,
    who: Any,
) -> None:
    height, width = near.shape
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0.0:
        return
    if area < 0.0:
        x1, y1, i1, x2, y2, i2 = x2, y2, i2, x1, y1, i1
        area = -area
    top = max(0, ceil(min(y0, y1, y2) - 0.5))
    bottom = min(height - 1, floor(max(y0, y1, y2) - 0.5))
    if top > bottom:
        return
    left_most, right_most = min(x0, x1, x2) - 0.5, max(x0, x1, x2) - 0.5
    if right_most < 0.0 or left_most > width - 1:
        return
    step_x = ((i1 - i0) * (y2 - y0) - (i2 - i0) * (y1 - y0)) / area
    step_y = ((x1 - x0) * (i2 - i0) - (x2 - x0) * (i1 - i0)) / area
    for row in range(top, bottom + 1):
        y = row + 0.5
        low, high = max(left_most, -0.5), min(right_most, width - 0.5)
        for k in range(3):
            if k == 0:
                ax, ay, bx, by = x0, y0, x1, y1
            elif k == 1:
                ax, ay, bx, by = x1, y1, x2, y2
            else:
                ax, ay, bx, by = x2, y2, x0, y0
            # Inside is (bx - ax) (y - ay) - (by - ay) (x - ax) >= 0.
            if by == ay:
                if (bx - ax) * (y - ay) < 0.0:
                    high = low - 1.0
            else:
                cross = ax + (bx - ax) * (y - ay) / (by - ay) - 0.5
                if by > ay:
                    high = min(high, cross)
                else:
                    low = max(low, cross)
        first, last = max(0, ceil(low)), min(width - 1, floor(high))
        if first > last:
            continue
        inverse = i0 + (first + 0.5 - x0) * step_x + (y - y0) * step_y
        for column in range(first, last + 1):
            if inverse > near[row, column]:
                near[row, column] = inverse
                who[row, column] = t
            inverse += step_x


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(
    points: Any,
    facing: Any,
    starts: Any,
    spheres: Any,
    eye: Any,
    axes: Any,
    focal: Any,
    closest: Any,
    near: Any,
    who: Any,
) -> None:
    """Fill ``near`` (inverse depths) and ``who`` (triangles), both of the picture's size.

    ``starts`` are the first triangles of the groups, ``spheres`` balls around them (x, y, z, radius): groups
    out of view are passed over. ``facing`` are the triangles' outward directions: those turned away too.
    """
    height, width = near.shape
    middle_x, middle_y = width / 2.0, height / 2.0
    side_x = np.sqrt(focal * focal + middle_x * middle_x)
    side_y = np.sqrt(focal * focal + middle_y * middle_y)
    corner = np.empty((3, 3))
    cut = np.empty((4, 3))
    for group in range(starts.shape[0] - 1):
        dx, dy, dz = spheres[group, 0] - eye[0], spheres[group, 1] - eye[1], spheres[group, 2] - eye[2]
        radius = spheres[group, 3]
        forward = axes[2, 0] * dx + axes[2, 1] * dy + axes[2, 2] * dz
        if forward + radius < closest:
            continue
        right = axes[0, 0] * dx + axes[0, 1] * dy + axes[0, 2] * dz
        if abs(right) * focal - forward * middle_x > radius * side_x:
            continue
        up = axes[1, 0] * dx + axes[1, 1] * dy + axes[1, 2] * dz
        if abs(up) * focal - forward * middle_y > radius * side_y:
            continue
        for t in range(starts[group], starts[group + 1]):
            x, y, z = points[t, 0, 0] - eye[0], points[t, 0, 1] - eye[1], points[t, 0, 2] - eye[2]
            if facing[t, 0] * x + facing[t, 1] * y + facing[t, 2] * z >= 0.0:
                continue
            behind = 0
            for k in range(3):
                x, y, z = points[t, k, 0] - eye[0], points[t, k, 1] - eye[1], points[t, k, 2] - eye[2]
                for a in range(3):
                    corner[k, a] = axes[a, 0] * x + axes[a, 1] * y + axes[a, 2] * z
                if corner[k, 2] < closest:
                    behind += 1
            if behind == 3:
                continue
            count = 0
            for k in range(3):
                n = (k + 1) % 3
                if corner[k, 2] >= closest:
                    for a in range(3):
                        cut[count, a] = corner[k, a]
                    count += 1
                if (corner[k, 2] >= closest) != (corner[n, 2] >= closest):
                    part = (closest - corner[k, 2]) / (corner[n, 2] - corner[k, 2])
                    for a in range(3):
                        cut[count, a] = corner[k, a] + part * (corner[n, a] - corner[k, a])
                    count += 1
            for k in range(count):
                inverse = 1.0 / cut[k, 2]
                cut[k, 0] = middle_x + focal * cut[k, 0] * inverse
                cut[k, 1] = middle_y - focal * cut[k, 1] * inverse
                cut[k, 2] = inverse
            for k in range(1, count - 1):
                _fill(
                    cut[0, 0],
                    cut[0, 1],
                    cut[0, 2],
                    cut[k, 0],
                    cut[k, 1],
                    cut[k, 2],
                    cut[k + 1, 0],
                    cut[k + 1, 1],
                    cut[k + 1, 2],
                    t,
                    near,
                    who,
                )


def _lattice() -> NDArray[np.float64]:
    """Return numbers in [0, 1) for the cells of the plane, repeated every 256 cells."""
    x, y = np.meshgrid(np.arange(256, dtype=np.uint32), np.arange(256, dtype=np.uint32))
    h = x * np.uint32(0x9E3779B1) ^ y * np.uint32(0x85EBCA77)
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x2C1B3C6D)
    h ^= h >> np.uint32(12)
    lattice: NDArray[np.float64] = (h & np.uint32(0xFFFF)).astype(np.float64) / 65536.0
    return lattice


LATTICE = _lattice()


@njit(cache=True, nogil=True, error_model="numpy")
def _cell(x: Any, y: Any, seed: Any, lattice: Any) -> Any:
    return lattice[(y + seed * 57) & 255, (x + seed * 113) & 255]


@njit(cache=True, nogil=True, error_model="numpy")
def _noise(u: Any, v: Any, seed: Any, lattice: Any) -> Any:
    """Smooth noise in [0, 1) that changes over about one unit."""
    x, y = floor(u), floor(v)
    a, b = u - x, v - y
    a, b = a * a * (3.0 - 2.0 * a), b * b * (3.0 - 2.0 * b)
    left, right = (x + seed * 113) & 255, (x + 1 + seed * 113) & 255
    lower, upper = (y + seed * 57) & 255, (y + 1 + seed * 57) & 255
    low = lattice[lower, left] + (lattice[lower, right] - lattice[lower, left]) * a
    high = lattice[upper, left] + (lattice[upper, right] - lattice[upper, left]) * a
    return low + (high - low) * b


@njit(cache=True, nogil=True, error_model="numpy")
def _texture(kind: Any, u: Any, v: Any, seed: Any, lattice: Any) -> Any:
    """How much of the second colour shows, in [0, 1]; ``u`` and ``v`` in periods of the texture."""
    if kind == WOOD:
        grain = 3.0 * _noise(u * 6.0, v * 0.6, seed, lattice)
        return abs(grain - floor(grain) - 0.5) * 1.2 + 0.4 * _noise(u * 20.0, v * 2.0, seed + 1, lattice)
    if kind == STONE:
        return 0.6 * _noise(u, v, seed, lattice) + 0.4 * _noise(u * 3.7, v * 3.7, seed + 1, lattice)
    if kind == TILES:
        x, y = floor(u), floor(v)
        if u - x < 0.03 or v - y < 0.03:
            return 1.0
        return 0.25 * _cell(x, y, seed, lattice)
    if kind == CLOTH:
        checked = 0.5 if (u - floor(u) < 0.5) != (v - floor(v) < 0.5) else 0.0
        return checked + 0.5 * _noise(u * 0.2, v * 0.2, seed, lattice)
    if kind == STRIPES:
        return 1.0 if u - floor(u) < 0.5 else 0.0
    if kind == LEAVES:
        return _noise(u * 2.0, v * 2.0, seed, lattice)
    if kind == PRINT:
        line = floor(v)
        return 1.0 if v - line < 0.45 and _cell(floor(u * 3.0), line, seed, lattice) < 0.8 else 0.0
    if kind == RINGS:
        r = np.sqrt(u * u + v * v)
        return 1.0 if r - floor(r) < 0.4 else 0.0
    if kind == PLANKS:
        plank = floor(v)
        a = u * 0.25 + _cell(plank, 0, seed, lattice) * 7.0
        if v - plank < 0.03 or a - floor(a) < 0.006:
            return 1.0
        return 0.5 * _cell(plank, floor(a), seed, lattice) + 0.3 * _noise(u, v * 8.0, seed, lattice)
    return 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def shade(
    near: Any,
    who: Any,
    surface_of: Any,
    instance_of: Any,
    planes: Any,
    surfaces: Any,
    lattice: Any,
    eye: Any,
    axes: Any,
    focal: Any,
    sky: Any,
    rgb: Any,
    depth: Any,
    instances: Any,
) -> None:
    """Turn the nearest triangles into colours (uint8), depths (metres) and instances (-1: nothing).

    Light and textures are linear in the place, so along a triangle's pixels in a row they are linear in the
    column once divided by the depth: each is worked out as ``(a + b column) / inverse depth + c``.
    """
    height, width = near.shape
    ray, place = np.empty(3), np.empty(3)
    value = np.empty((3, 3))  # light, u, v: constant, at the row's first column, a column's step
    colour, other = np.empty(3), np.empty(3)
    for k in range(3):
        place[k] = axes[0, k] / focal
    for row in range(height):
        up = (height / 2.0 - row - 0.5) / focal
        for k in range(3):
            ray[k] = axes[2, k] + (0.5 - width / 2.0) * place[k] + up * axes[1, k]
        last = -1
        kind, seed, instance = 0, 0, 0
        scale, contrast, soiled, glow = 1.0, 0.0, False, 0.0
        for column in range(width):
            t = who[row, column]
            if t < 0:
                for k in range(3):
                    rgb[row, column, k] = sky[k]
                depth[row, column] = 0.0
                instances[row, column] = -1
                continue
            if t != last:
                last = t
                s = surface_of[t]
                instance = instance_of[t]
                kind, scale, contrast = int(surfaces[s, 0]), surfaces[s, 1], surfaces[s, 2]
                soiled, glow, seed = surfaces[s, DIRTY] > 0.0, surfaces[s, GLOW], int(surfaces[s, 11])
                for k in range(3):
                    colour[k], other[k] = surfaces[s, 5 + k], surfaces[s, 8 + k]
                    b, c, d = planes[t, 4 * k + 1], planes[t, 4 * k + 2], planes[t, 4 * k + 3]
                    value[k, 0] = planes[t, 4 * k] + b * eye[0] + c * eye[1] + d * eye[2]
                    value[k, 1] = b * ray[0] + c * ray[1] + d * ray[2]
                    value[k, 2] = b * place[0] + c * place[1] + d * place[2]
            z = 1.0 / near[row, column]
            light = max(value[0, 0] + z * (value[0, 1] + column * value[0, 2]), glow)
            mix, dirt = 0.0, 0.0
            if kind != PLAIN or soiled:
                u = value[1, 0] + z * (value[1, 1] + column * value[1, 2])
                v = value[2, 0] + z * (value[2, 1] + column * value[2, 2])
                if kind != PLAIN:
                    mix = min(1.0, _texture(kind, u / scale, v / scale, seed, lattice) * contrast)
                if soiled:
                    blotch = (_noise(u * 30.0, v * 30.0, seed + 7, lattice) - 0.45) * 6.0
                    dirt = 0.6 * min(1.0, max(0.0, blotch))
            for k in range(3):
                shown = colour[k] + (other[k] - colour[k]) * mix
                shown += (92.0 - 20.0 * k - shown) * dirt
                rgb[row, column, k] = np.uint8(min(255.0, shown * light + 0.5))
            depth[row, column] = z
            instances[row, column] = instance


@njit(cache=True, nogil=True, error_model="numpy")
def outline(near: Any, instances: Any, rgb: Any) -> None:
    """Darken the farther pixel where two instances meet, so that small things stand out."""
    height, width = near.shape
    for row in range(height):
        for column in range(width):
            here, depth = instances[row, column], near[row, column]
            edge = False
            if column > 0 and instances[row, column - 1] != here and near[row, column - 1] > depth:
                edge = True
            if column < width - 1 and instances[row, column + 1] != here and near[row, column + 1] > depth:
                edge = True
            if row > 0 and instances[row - 1, column] != here and near[row - 1, column] > depth:
                edge = True
            if row < height - 1 and instances[row + 1, column] != here and near[row + 1, column] > depth:
                edge = True
            if edge:
                for k in range(3):
                    rgb[row, column, k] = np.uint8(rgb[row, column, k] * 0.72)
