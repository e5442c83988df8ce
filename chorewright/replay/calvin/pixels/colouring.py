"""The compiled way from bodies in several states to colours alone, with the same bytes as the rasteriser's."""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.replay.calvin.pixels.placing import light, nearest
from chorewright.replay.drawing.rasteriser import GLOW
from chorewright.replay.drawing.textures import COLUMN, FAR, HIGH, PLAIN, ROW, START, WIDE


@njit(cache=True, nogil=True, error_model="numpy")
def paint(
    first: Any,
    last: Any,
    starts: Any,
    corners: Any,
    faces: Any,
    vertex_starts: Any,
    vertices: Any,
    balls: Any,
    normals: Any,
    slopes: Any,
    textures: Any,
    body: Any,
    surface: Any,
    rotations: Any,
    offsets: Any,
    eyes: Any,
    axes: Any,
    focal: Any,
    closest: Any,
    ambient: Any,
    upward: Any,
    lamps: Any,
    surfaces: Any,
    table: Any,
    layout: Any,
    sky: Any,
    moving: Any,
    lit: Any,
    planes: Any,
    points: Any,
    seen: Any,
    shown: Any,
    under: Any,
    under_near: Any,
    under_who: Any,
    near: Any,
    who: Any,
    spans: Any,
    pictures: Any,
) -> None:
    """Draw colours alone, those of ``nearest``, ``light`` and the rasteriser's ``shade``, of several states at once.

    Args:
        first, last, starts, corners, faces, vertex_starts, vertices, balls: As of ``nearest``.
        normals, slopes, textures, body: As of ``light``.
        surface: (n,) rows of ``surfaces``; these are plain or have a table, and none is dirty.
        rotations: (k, b, 3, 3) of the bodies in each state, with ``offsets``, (k, b, 3).
        offsets: See there.
        eyes: (k, 3), or (1, 3) of a camera that stands still, with ``axes`` alike.
        axes: See there.
        focal, closest: As of ``nearest``.
        ambient, upward, lamps: As of ``light``.
        surfaces, table, layout, sky: As of the rasteriser's ``shade``.
        moving: The first triangle of bodies that move; those before are lit once.
        lit, planes, points, seen, shown: As of ``nearest`` and ``light``.
        under: Whether the pictures show the bodies before ``first`` already.
        under_near, under_who: (h, w) those bodies' inverse depths and triangles.
        near, who: (h, w) to draw on. If something is under it they are equal to that, before and afterwards.
        spans: (h, 2) where they differ from what is under them: nowhere, before and afterwards; if nothing is, all.
        pictures: (k, h, w, 3) to draw on.
    """
    height, width = near.shape
    runs, some = np.empty((near.size, 3), np.int32), np.empty(near.size, np.int32)
    depths, places = np.empty(width, np.float32), np.empty(width, np.int64)
    ray, place = np.empty(3), np.empty(3)
    least = starts[first] if under else -1
    for n in range(pictures.shape[0]):
        eye, axis = eyes[min(n, eyes.shape[0] - 1)], axes[min(n, axes.shape[0] - 1)]
        lit[moving:] = False
        if not under:
            near[:] = 0.0
            who[:] = -1
        nearest(
            first,
            last,
            starts,
            corners,
            faces,
            vertex_starts,
            vertices,
            balls,
            rotations[n],
            offsets[n],
            eye,
            axis,
            focal,
            closest,
            near,
            who,
            spans,
            points,
            seen,
            shown,
        )
        count = _runs_of(who, spans, least, runs, some)
        light(
            some[:count],
            0,
            lit,
            normals,
            slopes,
            textures,
            body,
            corners,
            rotations[n],
            offsets[n],
            points,
            ambient,
            upward,
            lamps,
            planes,
        )
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
        if under:
            _restore(runs, count, under_near, under_who, near, who, spans)


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
def _restore(
    runs: Any, count: Any, under_near: Any, under_who: Any, near: Any, who: Any, spans: Any
) -> None:  # fmt: skip
    """Copy what is under runs into them; clear the spans."""
    for number in range(count):
        row = np.uintp(runs[number, 0])
        for column in range(np.uintp(runs[number, 1]), np.uintp(runs[number, 2])):
            near[row, column] = under_near[row, column]
            who[row, column] = under_who[row, column]
    for row in range(spans.shape[0]):
        spans[row, 0], spans[row, 1] = near.shape[1], 0
