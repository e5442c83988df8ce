"""The compiled rasteriser: it finds the nearest triangle at each pixel, shades each pixel once, and draws outlines.

Triangles are clipped at the near plane, projected, and filled by rows with a buffer of inverse depths. Only then
is each pixel shaded. All arithmetic is plain IEEE in a fixed order, so the bytes are the same everywhere.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.replay.drawing.solids import Float
from chorewright.replay.drawing.textures import (
    COLUMN,
    FAR,
    HIGH,
    LATTICE,
    PLAIN,
    ROW,
    START,
    WIDE,
    noise,
    regular,
    tables,
)

# The compiled filling of triangles: clipped at the near plane, projected, and filled by rows where they are nearer.


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def narrow(low: Any, high: Any, y: Any, from_x: Any, from_y: Any, wide: Any, tall: Any) -> Any:
    """Return between which columns a row is inside of one more edge of a triangle, to (wide, tall) from a corner.

    Numbers alone come in: for each array a kernel counts who holds it when it calls another, which takes longer.
    """
    if tall < 0.0:
        return max(low, from_x + wide * (y - from_y) / tall - 0.5), high
    if tall > 0.0:
        return low, min(high, from_x + wide * (y - from_y) / tall - 0.5)
    if wide * (y - from_y) < 0.0:
        return 1.0, 0.0
    return low, high


@njit(cache=True, nogil=True, error_model="numpy")
def fill(cut: Any, k: Any, t: Any, window: Any, near: Any, who: Any) -> None:
    """Fill the triangle of rows 0, k and k + 1 of ``cut`` where it is nearer than what is there.

    A row is a corner in the picture's coordinates, and its inverse depth.
    """
    x0, y0, i0 = cut[0, 0], cut[0, 1], cut[0, 2]
    x1, y1, i1 = cut[k, 0], cut[k, 1], cut[k, 2]
    x2, y2, i2 = cut[k + 1, 0], cut[k + 1, 1], cut[k + 1, 2]
    width = near.shape[1]
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0.0:
        return
    if area < 0.0:
        x1, y1, i1, x2, y2, i2 = x2, y2, i2, x1, y1, i1
        area = -area
    top = max(window[0], ceil(min(y0, y1, y2) - 0.5))
    bottom = min(window[1] - 1, floor(max(y0, y1, y2) - 0.5))
    if top > bottom:
        return
    left_most, right_most = min(x0, x1, x2) - 0.5, max(x0, x1, x2) - 0.5
    if right_most < window[2] or left_most > window[3] - 1:
        return
    step_x = ((i1 - i0) * (y2 - y0) - (i2 - i0) * (y1 - y0)) / area
    step_y = ((x1 - x0) * (i2 - i0) - (x2 - x0) * (i1 - i0)) / area
    # Inside is (bx - ax) (y - ay) - (by - ay) (x - ax) >= 0 of each edge from a to b.
    left_most, right_most = max(left_most, -0.5), min(right_most, width - 0.5)
    for row in range(top, bottom + 1):
        y = row + 0.5
        low, high = narrow(left_most, right_most, y, x0, y0, x1 - x0, y1 - y0)
        low, high = narrow(low, high, y, x1, y1, x2 - x1, y2 - y1)
        low, high = narrow(low, high, y, x2, y2, x0 - x2, y0 - y2)
        first, last = max(0, ceil(low)), min(window[3] - 1, floor(high))
        if first > last:
            continue
        inverse = i0 + (first + 0.5 - x0) * step_x + (y - y0) * step_y
        while first < window[2]:  # added up as in the whole picture, so that every bit is the same
            inverse += step_x
            first += 1
        for column in range(first, last + 1):
            if inverse > near[row, column]:
                near[row, column] = inverse
                who[row, column] = t
            inverse += step_x


@njit(cache=True, nogil=True, error_model="numpy")
def clip(
    corner: Any, cut: Any, focal: Any, closest: Any, t: Any, window: Any, near: Any, who: Any
) -> None:  # fmt: skip
    """Fill the part of a triangle that is not too near; ``corner`` is (3, 3) to the right, up and ahead of the eye."""
    middle_x, middle_y = near.shape[1] / 2.0, near.shape[0] / 2.0
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
        fill(cut, k, t, window, near, who)


@njit(cache=True, nogil=True, error_model="numpy")
def outline(near: Any, instances: Any, rgb: Any) -> None:
    """Darken the farther pixel where two instances meet, so that small things stand out."""
    height, width = near.shape
    edges = np.empty(width, np.int32)
    for row in range(height):
        above, below = max(row - 1, 0), min(row + 1, height - 1)
        for column in range(width):
            here = instances[row, column]
            edges[column] = (instances[above, column] ^ here) | (instances[below, column] ^ here)
        for column in range(width - 1):
            edges[column] |= instances[row, column] ^ instances[row, column + 1]
        for column in range(1, width):
            edges[column] |= instances[row, column] ^ instances[row, column - 1]
        for column in range(width):
            if edges[column] == 0:
                continue
            here, depth = instances[row, column], near[row, column]
            left, right = max(column - 1, 0), min(column + 1, width - 1)
            if (
                (instances[row, left] != here and near[row, left] > depth)
                or (instances[row, right] != here and near[row, right] > depth)
                or (instances[above, column] != here and near[above, column] > depth)
                or (instances[below, column] != here and near[below, column] > depth)
            ):
                for k in range(3):
                    rgb[row, column, k] = np.uint8(rgb[row, column, k] * 0.72)


DIRTY, GLOW = 3, 4
SURFACE = 12
"""A surface's row: texture, scale, contrast, dirt, glow, colour (3), second colour (3), seed."""

NOTHING = -1
"""The triangle of a pixel where nothing is."""

PLANES = 12
"""A triangle's row: light (4), u (4), v (4), each a + b x + c y + d z of the room's coordinates."""


class Lens(NamedTuple):
    """A camera: its eye (3,), its right, up and forward axes, its focal length in pixels, and its near plane."""

    eye: Float
    axes: Float
    focal: float
    closest: float


class Buffers(NamedTuple):
    """What is drawn on: inverse depths (h, w), the nearest triangles (h, w), and spans of the rows.

    Spans are (h, 2), the first column of each row, and that after the last: where something may have been drawn.
    """

    near: Float
    who: NDArray[np.int32]
    spans: NDArray[np.int64]


class Triangles(NamedTuple):
    """Triangles in groups, in the world.

    Attributes:
        points: (n, 3, 3) the corners.
        facing: (n, 3) outward directions: triangles turned away are passed over.
        starts: The first triangle of each group, and that after the last.
        spheres: Balls around the groups (x, y, z, radius): those out of view are passed over.
    """

    points: Float
    facing: Float
    starts: NDArray[np.int64]
    spheres: Float


class Paints(NamedTuple):
    """How triangles look: rows of ``surfaces`` (n,), instances (n,), planes (n, ``PLANES``) and (m, ``SURFACE``)."""

    surface: NDArray[np.int32]
    instance: NDArray[np.int32]
    planes: Float
    surfaces: Float


class Picture(NamedTuple):
    """What is filled: colours (h, w, 3), depths in metres (h, w), and instances (h, w), -1 where nothing is."""

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    instances: NDArray[np.int32]


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(triangles: Any, lens: Any, window: Any, near: Any, who: Any) -> None:
    """Fill ``near`` (inverse depths) and ``who`` (triangles), both of the picture's size, inside a window.

    ``window`` is the first row, that after the last, the first column, that after the last (``whole``: all).
    """
    points, facing, starts, spheres = triangles
    eye, axes, focal, closest = lens
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
            clip(corner, cut, focal, closest, t, window, near, who)


def whole_rows(height: int, width: int) -> NDArray[np.int64]:
    """Return the spans that are all of a picture: each row's first column, and that after the last."""
    return np.repeat(np.array([(0, width)], np.int64), height, axis=0)


def shade(
    buffers: Buffers, paints: Paints, lens: Lens, sky: NDArray[np.uint8], picture: Picture, least: int = NOTHING
) -> None:
    """Turn the nearest triangles into colours, depths and instances.

    Light and textures are linear in the place, so along a triangle's pixels in a row they are linear in the
    column once divided by the depth: each is worked out as ``(a + b column) / inverse depth + c``. Pixels of
    triangles below ``least`` keep the colours that they have; those outside of the buffers's spans keep all that they
    have.
    """
    _shade(buffers, paints, lens, (*tables(), LATTICE), sky, picture, least)


@njit(cache=True, nogil=True, error_model="numpy")
def _shade(buffers: Any, paints: Any, lens: Any, textures: Any, sky: Any, picture: Any, least: Any) -> None:
    near, who, spans = buffers
    surface_of, instance_of, planes, surfaces = paints
    table, layout, lattice = textures
    eye, axes, focal, _ = lens
    rgb, depth, instances = picture
    height, width = near.shape
    ray, place = np.empty(3), np.empty(3)
    for k in range(3):
        place[k] = axes[0, k] / focal
    for row in range(height):
        begin, stop = spans[row, 0], spans[row, 1]
        for column in range(begin, stop):
            depth[row, column] = 1.0 / near[row, column]
        up = (height / 2.0 - row - 0.5) / focal
        for k in range(3):
            ray[k] = axes[2, k] + (0.5 - width / 2.0) * place[k] + up * axes[1, k]
        end = begin
        while end < stop:
            first, t = end, who[row, end]
            while end < stop and who[row, end] == t:
                end += 1
            instance = instance_of[t] if t >= 0 else -1
            for column in range(first, end):
                instances[row, column] = instance
            if t < least:
                continue
            if t < 0:
                for column in range(first, end):
                    for k in range(3):
                        rgb[row, column, k] = sky[k]
                    depth[row, column] = 0.0
                continue
            s = surface_of[t]
            kind, tabled = int(surfaces[s, 0]), layout[int(surfaces[s, 0]), WIDE] > 0
            light_0 = planes[t, 0] + planes[t, 1] * eye[0] + planes[t, 2] * eye[1] + planes[t, 3] * eye[2]
            light_1 = planes[t, 1] * ray[0] + planes[t, 2] * ray[1] + planes[t, 3] * ray[2]
            light_2 = planes[t, 1] * place[0] + planes[t, 2] * place[1] + planes[t, 3] * place[2]
            level = light_1 == 0.0 and light_2 == 0.0
            soiled = surfaces[s, DIRTY] > 0.0
            if level and kind == PLAIN and not soiled:
                light = max(light_0, surfaces[s, GLOW])
                red = np.uint8(min(255.0, surfaces[s, 5] * light + 0.5))
                green = np.uint8(min(255.0, surfaces[s, 6] * light + 0.5))
                blue = np.uint8(min(255.0, surfaces[s, 7] * light + 0.5))
                for column in range(first, end):
                    rgb[row, column, 0] = red
                    rgb[row, column, 1] = green
                    rgb[row, column, 2] = blue
                continue
            u_0 = planes[t, 4] + planes[t, 5] * eye[0] + planes[t, 6] * eye[1] + planes[t, 7] * eye[2]
            u_1 = planes[t, 5] * ray[0] + planes[t, 6] * ray[1] + planes[t, 7] * ray[2]
            u_2 = planes[t, 5] * place[0] + planes[t, 6] * place[1] + planes[t, 7] * place[2]
            v_0 = planes[t, 8] + planes[t, 9] * eye[0] + planes[t, 10] * eye[1] + planes[t, 11] * eye[2]
            v_1 = planes[t, 9] * ray[0] + planes[t, 10] * ray[1] + planes[t, 11] * ray[2]
            v_2 = planes[t, 9] * place[0] + planes[t, 10] * place[1] + planes[t, 11] * place[2]
            seed, scale, contrast = int(surfaces[s, 11]), surfaces[s, 1], surfaces[s, 2]
            start, across = layout[kind, START], layout[kind, WIDE]
            wide, high = across - 1, layout[kind, HIGH] - 1
            dense_u, dense_v = layout[kind, COLUMN] / scale, layout[kind, ROW] / scale
            at_u = (u_0 + (FAR + seed * 113.0) * scale) * dense_u
            at_v = (v_0 + (FAR + seed * 57.0) * scale) * dense_v
            if level and tabled and not soiled:
                # In fixed point: of the first colour, and of the change by each of the table's 255 steps.
                light = max(light_0, surfaces[s, GLOW])
                part = light * contrast / 255.0
                red = int(surfaces[s, 5] * light * 65536.0) + 32768
                green = int(surfaces[s, 6] * light * 65536.0) + 32768
                blue = int(surfaces[s, 7] * light * 65536.0) + 32768
                to_red = int((surfaces[s, 8] - surfaces[s, 5]) * part * 65536.0)
                to_green = int((surfaces[s, 9] - surfaces[s, 6]) * part * 65536.0)
                to_blue = int((surfaces[s, 10] - surfaces[s, 7]) * part * 65536.0)
                u_1, u_2, v_1, v_2 = u_1 * dense_u, u_2 * dense_u, v_1 * dense_v, v_2 * dense_v
                for column in range(first, end):
                    z = float(depth[row, column])
                    i = int(at_u + z * (u_1 + column * u_2)) & wide
                    j = int(at_v + z * (v_1 + column * v_2)) & high
                    step = int(table[start + j * across + i])
                    rgb[row, column, 0] = np.uint8(min(255, (red + to_red * step) >> 16))
                    rgb[row, column, 1] = np.uint8(min(255, (green + to_green * step) >> 16))
                    rgb[row, column, 2] = np.uint8(min(255, (blue + to_blue * step) >> 16))
                continue
            for column in range(first, end):
                z = float(depth[row, column])
                light = max(light_0 + z * (light_1 + column * light_2), surfaces[s, GLOW])
                mix, dirt = 0.0, 0.0
                u = u_0 + z * (u_1 + column * u_2)
                v = v_0 + z * (v_1 + column * v_2)
                if tabled:
                    i = int(at_u + (u - u_0) * dense_u) & wide
                    j = int(at_v + (v - v_0) * dense_v) & high
                    mix = table[start + j * across + i] * contrast / 255.0
                elif kind != PLAIN:
                    mix = regular(kind, u / scale, v / scale, seed, lattice) * contrast
                if soiled:
                    dirt = (noise(u * 30.0, v * 30.0, seed + 7, lattice) - 0.45) * 6.0
                    dirt = 0.6 * min(1.0, max(0.0, dirt))
                for k in range(3):
                    shown = surfaces[s, 5 + k] + (surfaces[s, 8 + k] - surfaces[s, 5 + k]) * mix
                    shown += (92.0 - 20.0 * k - shown) * dirt
                    rgb[row, column, k] = np.uint8(min(255.0, shown * light + 0.5))
