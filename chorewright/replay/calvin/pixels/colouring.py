"""The compiled way from bodies in several states to colours alone, with the same bytes as the rasteriser's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.replay.calvin.pixels.placing import Places, light, nearest
from chorewright.replay.drawing.rasteriser import GLOW, Lens
from chorewright.replay.drawing.solids import Float
from chorewright.replay.drawing.textures import COLUMN, FAR, HIGH, PLAIN, ROW, START, WIDE


class BodyPaints(NamedTuple):
    """Paints as the rasteriser's, none of them dirty, the textures' table and layout, and the background."""

    surfaces: Float
    table: NDArray[np.uint8]
    layout: NDArray[np.int64]
    sky: NDArray[np.uint8]


@njit(cache=True, nogil=True, error_model="numpy")
def paint(
    bodies: Any, triangles: Any, poses: Any, lens: Any, shine_of: Any, paints: Any, work: Any, under: Any, pictures: Any
) -> None:
    """Draw colours alone, those of ``nearest``, ``light`` and the rasteriser's ``shade``, of several states at once.

    Args:
        bodies: The first body, the one after the last, and the first triangle of bodies that move: those before are
            lit once.
        triangles: All bodies' triangles; their surfaces are plain or have a table.
        poses: In each state; eyes and axes are one of a camera that stands still.
        lens: The focal length, and the near plane.
        shine_of: The light.
        paints: Of the bodies.
        work: As of ``nearest`` and ``light``.
        under: Whether the pictures show the bodies before the first already, these bodies' buffers, and the buffers to
            draw on. If something is under it they are equal to that but for the spans, which are nowhere, before and
            afterwards; if nothing is, the spans are everything.
        pictures: (k, h, w, 3) to draw on.
    """
    first, last, moving = bodies
    covers, below, buffers = under
    near, who, spans = buffers
    focal, closest = lens
    surface = triangles.surface
    surfaces, table, layout, sky = paints
    lit, planes = work.lit, work.planes
    height, width = near.shape
    runs, some = np.empty((near.size, 3), np.int32), np.empty(near.size, np.int32)
    depths, places = np.empty(width, np.float32), np.empty(width, np.int64)
    ray, place = np.empty(3), np.empty(3)
    least = triangles.starts[first] if covers else -1
    for n in range(pictures.shape[0]):
        eye, axis = poses.eyes[min(n, poses.eyes.shape[0] - 1)], poses.axes[min(n, poses.axes.shape[0] - 1)]
        there = Places(poses.rotations[n], poses.offsets[n])
        lit[moving:] = False
        if not covers:
            near[:] = 0.0
            who[:] = -1
        nearest((first, last), triangles, there, Lens(eye, axis, focal, closest), buffers, work)
        count = _runs_of(who, spans, least, runs, some)
        light(some[:count], 0, triangles, there, shine_of, work)
        for k in range(3):
            place[k] = axis[0, k] / focal
        before = -1
        for number in range(count):
            row, t = np.uintp(runs[number, 0]), some[number]
            start, end = np.uintp(runs[number, 1]), np.uintp(runs[number, 2])
            if t < 0:
                for column in range(start, end):
                    for k in range(3):
                        pictures[n, row, column, k] = sky[k]
                continue
            if runs[number, 0] != before:
                before = runs[number, 0]
                up = (height / 2.0 - before - 0.5) / focal
                for k in range(3):
                    ray[k] = axis[2, k] + (0.5 - width / 2.0) * place[k] + up * axis[1, k]
            plane = np.uintp(t)
            a, b, c, d = planes[plane, 0], planes[plane, 1], planes[plane, 2], planes[plane, 3]
            light_0 = a + b * eye[0] + c * eye[1] + d * eye[2]
            light_1 = b * ray[0] + c * ray[1] + d * ray[2]
            light_2 = b * place[0] + c * place[1] + d * place[2]
            s = np.uintp(surface[plane])
            kind, glow = np.uintp(surfaces[s, 0]), surfaces[s, GLOW]
            first_red, first_green, first_blue = surfaces[s, 5], surfaces[s, 6], surfaces[s, 7]
            level = light_1 == 0.0 and light_2 == 0.0
            if kind == PLAIN and level:
                shine = max(light_0, glow)
                red = np.uint8(min(255.0, first_red * shine + 0.5))
                green = np.uint8(min(255.0, first_green * shine + 0.5))
                blue = np.uint8(min(255.0, first_blue * shine + 0.5))
                for column in range(start, end):
                    pictures[n, row, column, 0] = red
                    pictures[n, row, column, 1] = green
                    pictures[n, row, column, 2] = blue
                continue
            if kind == PLAIN:
                for column in range(start, end):
                    z = float(np.float32(1.0 / near[row, column]))
                    shine = max(light_0 + z * (light_1 + np.int64(column) * light_2), glow)
                    pictures[n, row, column, 0] = np.uint8(min(255.0, first_red * shine + 0.5))
                    pictures[n, row, column, 1] = np.uint8(min(255.0, first_green * shine + 0.5))
                    pictures[n, row, column, 2] = np.uint8(min(255.0, first_blue * shine + 0.5))
                continue
            for column in range(start, end):
                depths[column] = 1.0 / near[row, column]
            a, b, c, d = planes[plane, 4], planes[plane, 5], planes[plane, 6], planes[plane, 7]
            u_0 = a + b * eye[0] + c * eye[1] + d * eye[2]
            u_1 = b * ray[0] + c * ray[1] + d * ray[2]
            u_2 = b * place[0] + c * place[1] + d * place[2]
            a, b, c, d = planes[plane, 8], planes[plane, 9], planes[plane, 10], planes[plane, 11]
            v_0 = a + b * eye[0] + c * eye[1] + d * eye[2]
            v_1 = b * ray[0] + c * ray[1] + d * ray[2]
            v_2 = b * place[0] + c * place[1] + d * place[2]
            seed, scale, contrast = int(surfaces[s, 11]), surfaces[s, 1], surfaces[s, 2]
            origin, across = layout[kind, START], layout[kind, WIDE]
            wide, high = across - 1, layout[kind, HIGH] - 1
            dense_u, dense_v = layout[kind, COLUMN] / scale, layout[kind, ROW] / scale
            at_u = (u_0 + (FAR + seed * 113.0) * scale) * dense_u
            at_v = (v_0 + (FAR + seed * 57.0) * scale) * dense_v
            to_red = surfaces[s, 8] - first_red
            to_green = surfaces[s, 9] - first_green
            to_blue = surfaces[s, 10] - first_blue
            if level:  # the numbers are the rasteriser's, in fixed point
                shine = max(light_0, glow)
                part = shine * contrast / 255.0
                fixed_red = int(first_red * shine * 65536.0) + 32768
                fixed_green = int(first_green * shine * 65536.0) + 32768
                fixed_blue = int(first_blue * shine * 65536.0) + 32768
                more_red, more_green = int(to_red * part * 65536.0), int(to_green * part * 65536.0)
                more_blue = int(to_blue * part * 65536.0)
                u_1, u_2, v_1, v_2 = u_1 * dense_u, u_2 * dense_u, v_1 * dense_v, v_2 * dense_v
                for column in range(start, end):
                    z = float(depths[column])
                    i = int(at_u + z * (u_1 + np.int64(column) * u_2)) & wide
                    j = int(at_v + z * (v_1 + np.int64(column) * v_2)) & high
                    places[column] = origin + j * across + i
                for column in range(start, end):
                    step = int(table[np.uintp(places[column])])
                    pictures[n, row, column, 0] = np.uint8(min(255, (fixed_red + more_red * step) >> 16))
                    pictures[n, row, column, 1] = np.uint8(min(255, (fixed_green + more_green * step) >> 16))
                    pictures[n, row, column, 2] = np.uint8(min(255, (fixed_blue + more_blue * step) >> 16))
                continue
            for column in range(start, end):
                z = float(depths[column])
                shine = max(light_0 + z * (light_1 + np.int64(column) * light_2), glow)
                u = u_0 + z * (u_1 + np.int64(column) * u_2)
                v = v_0 + z * (v_1 + np.int64(column) * v_2)
                i = int(at_u + (u - u_0) * dense_u) & wide
                j = int(at_v + (v - v_0) * dense_v) & high
                mix = table[np.uintp(origin + j * across + i)] * contrast / 255.0
                pictures[n, row, column, 0] = np.uint8(min(255.0, (first_red + to_red * mix) * shine + 0.5))
                pictures[n, row, column, 1] = np.uint8(min(255.0, (first_green + to_green * mix) * shine + 0.5))
                pictures[n, row, column, 2] = np.uint8(min(255.0, (first_blue + to_blue * mix) * shine + 0.5))
        if covers:
            _restore(runs, count, below, buffers)


@njit(cache=True, nogil=True, error_model="numpy")
def _runs_of(who: Any, spans: Any, least: Any, runs: Any, some: Any) -> Any:
    """Fill ``runs`` (row, first column, that after the last) and their triangles, if at least ``least``; count them."""
    count = 0
    for row in range(who.shape[0]):
        begin, stop = np.uintp(spans[row, 0]), np.uintp(max(spans[row, 0], spans[row, 1]))
        last, there = -2, False
        for column in range(begin, stop):
            t = who[row, column]
            if t == last:
                continue
            if there:
                runs[count, 2] = column
                count += 1
            last, there = t, t >= least
            if there:
                runs[count, 0], runs[count, 1], some[count] = row, column, t
        if there:
            runs[count, 2] = stop
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def _restore(runs: Any, count: Any, below: Any, buffers: Any) -> None:
    """Copy what is under runs into them; clear the spans."""
    near, who, spans = buffers
    under_near, under_who, _ = below
    for number in range(count):
        row = np.uintp(runs[number, 0])
        for column in range(np.uintp(runs[number, 1]), np.uintp(runs[number, 2])):
            near[row, column] = under_near[row, column]
            who[row, column] = under_who[row, column]
    for row in range(spans.shape[0]):
        spans[row, 0], spans[row, 1] = near.shape[1], 0
