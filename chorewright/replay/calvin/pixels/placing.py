"""The compiled steps from bodies to a picture: the nearest triangles of bodies in their places, light, and colours."""

from __future__ import annotations

from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.replay.drawing.rasteriser import clip, narrow
from chorewright.replay.drawing.solids import Float

MARGIN = 1e-9
"""A triangle is seen from behind by more than this, times its size, or it is looked at more exactly."""


class Places(NamedTuple):
    """Where the bodies are in a state: rotations (b, 3, 3) and offsets (b, 3)."""

    rotations: Float
    offsets: Float


class Shine(NamedTuple):
    """Light that is everywhere, that on what faces up, and lamps (k, 4): strength, and the direction towards each."""

    ambient: float
    upward: float
    lamps: Float


class Work(NamedTuple):
    """What the kernels fill.

    Attributes:
        lit: (n,) which triangles are lit already.
        planes: (n, 12) light, u and v as a + b x + c y + d z of the world, where they are lit.
        points, seen, shown: (v, 3) of the vertices of bodies in view: in the world, to the right, up and ahead of the
            eye, and in the picture with inverse depth (where they are not too near).
    """

    lit: NDArray[np.bool_]
    planes: Float
    points: Float
    seen: Float
    shown: Float


@njit(cache=True, nogil=True, error_model="numpy")
def nearest(bodies: Any, triangles: Any, places: Any, lens: Any, buffers: Any, work: Any) -> None:
    """Fill buffers as the rasteriser does, with the same bits, from bodies whose corners are shared.

    Args:
        bodies: The first body, and the one after the last.
        triangles: All bodies' triangles.
        places: Where they are.
        lens: The camera.
        buffers: What is drawn on; spans are widened to where bodies can be in each row.
        work: Its vertices are filled for bodies in view.
    """
    near, who, spans = buffers
    eye, axes, focal, closest = lens
    starts, corners, faces = triangles.starts, triangles.corners, triangles.faces
    vertex_starts, vertices, balls = triangles.vertex_starts, triangles.vertices, triangles.spheres
    points, seen, shown = work.points, work.seen, work.shown
    # Places are unsigned where it matters: for others a kernel looks whether they are counted from the end.
    height, width = near.shape
    middle_x, middle_y = width / 2.0, height / 2.0
    side_x = np.sqrt(focal * focal + middle_x * middle_x)
    side_y = np.sqrt(focal * focal + middle_y * middle_y)
    window = np.array((0, height, 0, width))
    corner, cut, towards = np.empty((3, 3)), np.empty((4, 3)), np.empty(3)
    for b in range(bodies[0], bodies[1]):
        r, o = places.rotations[b], places.offsets[b]
        for i in range(3):
            towards[i] = r[i, 0] * balls[b, 0] + r[i, 1] * balls[b, 1] + r[i, 2] * balls[b, 2] + o[i] - eye[i]
        radius = balls[b, 3]
        forward = axes[2, 0] * towards[0] + axes[2, 1] * towards[1] + axes[2, 2] * towards[2]
        if forward + radius < closest:
            continue
        right = axes[0, 0] * towards[0] + axes[0, 1] * towards[1] + axes[0, 2] * towards[2]
        if abs(right) * focal - forward * middle_x > radius * side_x:
            continue
        up = axes[1, 0] * towards[0] + axes[1, 1] * towards[1] + axes[1, 2] * towards[2]
        if abs(up) * focal - forward * middle_y > radius * side_y:
            continue
        behind = False
        for v in range(np.uintp(vertex_starts[b]), np.uintp(vertex_starts[b + 1])):
            for i in range(3):
                points[v, i] = r[i, 0] * vertices[v, 0] + r[i, 1] * vertices[v, 1] + r[i, 2] * vertices[v, 2] + o[i]
            x, y, z = points[v, 0] - eye[0], points[v, 1] - eye[1], points[v, 2] - eye[2]
            for a in range(3):
                seen[v, a] = axes[a, 0] * x + axes[a, 1] * y + axes[a, 2] * z
            if seen[v, 2] < closest:
                behind = True
                continue
            inverse = 1.0 / seen[v, 2]
            shown[v, 0] = middle_x + focal * seen[v, 0] * inverse
            shown[v, 1] = middle_y - focal * seen[v, 1] * inverse
            shown[v, 2] = inverse
        for i in range(3):  # the eye in the body's frame
            towards[i] = r[0, i] * (eye[0] - o[0]) + r[1, i] * (eye[1] - o[1]) + r[2, i] * (eye[2] - o[2])
        for t in range(np.uintp(starts[b]), np.uintp(starts[b + 1])):
            ahead = faces[t, 0] * towards[0] + faces[t, 1] * towards[1] + faces[t, 2] * towards[2] - faces[t, 3]
            if ahead < MARGIN * faces[t, 4]:
                if ahead < -MARGIN * faces[t, 4]:
                    continue
                turned = 0.0
                for i in range(3):
                    along = r[i, 0] * faces[t, 0] + r[i, 1] * faces[t, 1] + r[i, 2] * faces[t, 2]
                    turned += along * (points[corners[t, 0], i] - eye[i])
                if turned >= 0.0:
                    continue
            one, two, three = np.uintp(corners[t, 0]), np.uintp(corners[t, 1]), np.uintp(corners[t, 2])
            if behind and min(seen[one, 2], seen[two, 2], seen[three, 2]) < closest:
                if max(seen[one, 2], seen[two, 2], seen[three, 2]) < closest:
                    continue
                for a in range(3):
                    corner[0, a], corner[1, a], corner[2, a] = seen[one, a], seen[two, a], seen[three, a]
                clip(corner, cut, focal, closest, np.int64(t), window, near, who)
                spans[:, 0], spans[:, 1] = 0, width
                continue
            low = min(shown[one, 0], shown[two, 0], shown[three, 0])
            high = max(shown[one, 0], shown[two, 0], shown[three, 0])
            top = min(shown[one, 1], shown[two, 1], shown[three, 1])
            bottom = max(shown[one, 1], shown[two, 1], shown[three, 1])
            if not (low < width and high > 0.0 and top < height and bottom > 0.0):
                continue
            left, after = ceil(max(low - 0.5, 0.0)), floor(min(high + 0.5, width + 0.0))
            upper, below = ceil(max(top - 0.5, 0.0)), floor(min(bottom + 0.5, height + 0.0))
            if left >= after or upper >= below:  # between the middles of pixels
                continue
            x0, y0, i0 = shown[one, 0], shown[one, 1], shown[one, 2]
            x1, y1, i1 = shown[two, 0], shown[two, 1], shown[two, 2]
            x2, y2, i2 = shown[three, 0], shown[three, 1], shown[three, 2]
            area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
            if area == 0.0:
                continue
            if area < 0.0:
                x1, y1, i1, x2, y2, i2 = x2, y2, i2, x1, y1, i1
                area = -area
            step_x = ((i1 - i0) * (y2 - y0) - (i2 - i0) * (y1 - y0)) / area
            step_y = ((x1 - x0) * (i2 - i0) - (x2 - x0) * (i1 - i0)) / area
            least, most = max(low - 0.5, -0.5), min(high - 0.5, width - 0.5)
            for row in range(np.uintp(upper), np.uintp(below)):
                y = np.int64(row) + 0.5
                begin, end = narrow(least, most, y, x0, y0, x1 - x0, y1 - y0)
                begin, end = narrow(begin, end, y, x1, y1, x2 - x1, y2 - y1)
                begin, end = narrow(begin, end, y, x2, y2, x0 - x2, y0 - y2)
                column, stop = max(0, ceil(begin)), min(width - 1, floor(end)) + 1
                if column >= stop:
                    continue
                spans[row, 0] = min(spans[row, 0], column)
                spans[row, 1] = max(spans[row, 1], stop)
                inverse = i0 + (column + 0.5 - x0) * step_x + (y - y0) * step_y
                for place in range(np.uintp(column), np.uintp(stop)):
                    if inverse > near[row, place]:
                        near[row, place] = inverse
                        who[row, place] = t
                    inverse += step_x


@njit(cache=True, nogil=True, error_model="numpy")
def restore(buffers: Any, before: Any) -> None:
    """Copy what was there before within the spans of the rows; clear the spans."""
    near, who, spans = buffers
    old_near, old_who, _ = before
    for row in range(near.shape[0]):
        for column in range(spans[row, 0], spans[row, 1]):
            near[row, column] = old_near[row, column]
            who[row, column] = old_who[row, column]
        spans[row, 0], spans[row, 1] = near.shape[1], 0


def clear(spans: Any, width: int) -> None:
    """Let the spans of a picture's rows have no column."""
    spans[:, 0], spans[:, 1] = width, 0


@njit(cache=True, nogil=True, error_model="numpy")
def light(some: Any, first: Any, triangles: Any, places: Any, shine_of: Any, work: Any) -> None:
    """Fill the work's ``planes`` as the rasteriser wants them, of the triangles that are seen.

    Args:
        some: (k,) the triangles that are seen, in any order.
        first: The first triangle to be lit.
        triangles: All bodies' triangles.
        places: Where they are.
        shine_of: The light.
        work: Its points are read; triangles that are lit here are marked.
    """
    normals, slopes, textures = triangles.normals, triangles.slopes, triangles.textures
    body, corners = triangles.body, triangles.corners
    rotations, offsets = places
    ambient, upward, lamps = shine_of
    lit, planes, points = work.lit, work.planes, work.points
    for place in range(some.shape[0]):
        if some[place] < first:
            continue
        t = np.uintp(some[place])
        if lit[t]:
            continue
        lit[t] = True
        b, flat, shine = np.uintp(body[t]), True, 0.0
        light_0, light_1, light_2 = 0.0, 0.0, 0.0
        for c in range(3):
            flat = flat and normals[t, 0, c] == normals[t, 1, c] and normals[t, 0, c] == normals[t, 2, c]
        for k in range(1 if flat else 3):
            nx, ny, nz = normals[t, k, 0], normals[t, k, 1], normals[t, k, 2]
            wx = rotations[b, 0, 0] * nx + rotations[b, 0, 1] * ny + rotations[b, 0, 2] * nz
            wy = rotations[b, 1, 0] * nx + rotations[b, 1, 1] * ny + rotations[b, 1, 2] * nz
            wz = rotations[b, 2, 0] * nx + rotations[b, 2, 1] * ny + rotations[b, 2, 2] * nz
            shine = ambient + upward * wz
            for m in range(lamps.shape[0]):
                towards = lamps[m, 1] * wx + lamps[m, 2] * wy + lamps[m, 3] * wz
                if towards > 0.0:
                    shine += lamps[m, 0] * towards
            if k == 0:
                light_0 = shine
            elif k == 1:
                light_1 = shine
            else:
                light_2 = shine
        level = light_0
        for i in range(3):
            growth = 0.0
            if not flat:
                for c in range(3):
                    slope = (light_1 - light_0) * slopes[t, 0, c] + (light_2 - light_0) * slopes[t, 1, c]
                    growth += rotations[b, i, c] * slope
            planes[t, 1 + i] = growth
            level -= growth * points[corners[t, 0], i]
        planes[t, 0] = level
        for j in range(2):
            level = textures[t, 4 * j]
            for i in range(3):
                growth = 0.0
                for c in range(3):
                    growth += rotations[b, i, c] * textures[t, 4 * j + 1 + c]
                planes[t, 5 + 4 * j + i] = growth
                level -= growth * offsets[b, i]
            planes[t, 4 + 4 * j] = level
