"""Solids as triangles: boxes, turned bodies, rings, each with what shading needs at its corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]
Profile: TypeAlias = Sequence[tuple[float, float]]
"""(radius, height) from the bottom to the top, and down again inside what is hollow."""

_DIGITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """Triangles of a surface.

    Attributes:
        points: (n, 3, 3): triangle, corner, x y z in metres.
        normals: (n, 3, 3): the surface's outward direction at each corner.
        uv: (n, 3, 2): the corner's place on the surface, in metres, for textures.
    """

    points: Float
    normals: Float
    uv: Float


FACES = ("left", "right", "bottom", "top", "back", "front")
"""The sides of a box: -x, +x, -y, +y, -z, +z."""


def box(low: Float, high: Float, without: Sequence[str] = (), inward: bool = False) -> Solid:
    """Return a box.

    Args:
        low, high: Its corners.
        without: Faces that are left out.
        inward: Show the inner sides of the faces.
    """
    points, normals, uv = [], [], []
    for number, face in enumerate(FACES):
        if face in without:
            continue
        axis, upper = divmod(number, 2)
        across, along = [a for a in range(3) if a != axis]
        corners = np.empty((4, 3))
        corners[:, axis] = (low, high)[upper][axis]
        corners[:, across] = np.array((low, high, high, low))[:, across]
        corners[:, along] = np.array((low, low, high, high))[:, along]
        normal = np.zeros(3)
        normal[axis] = (1.0 if upper else -1.0) * (-1.0 if inward else 1.0)
        order = (across, along) if across != 1 else (along, across)
        for triangle in ((0, 1, 2), (0, 2, 3)):
            points.append(corners[list(triangle)])
            normals.append(np.tile(normal, (3, 1)))
            uv.append(corners[list(triangle)][:, order])
    return Solid(np.array(points), np.array(normals), np.array(uv))


def tray(low: Float, high: Float, wall: float, opening: str) -> Solid:
    """Return a box that is open on one side, with walls of a thickness in metres."""
    inner_low, inner_high = low + wall, high - wall
    axis, upper = divmod(FACES.index(opening), 2)
    (inner_high if upper else inner_low)[axis] = (high if upper else low)[axis]
    parts = [box(low, high, (opening,)), box(inner_low, inner_high, (opening,), inward=True)]
    for number, face in enumerate(FACES):
        if number // 2 == axis:
            continue
        side, far = divmod(number, 2)
        rim_low, rim_high = low.copy(), high.copy()
        rim_low[axis] = rim_high[axis] = (high if upper else low)[axis]
        rim_low[side] = inner_high[side] if far else low[side]
        rim_high[side] = high[side] if far else inner_low[side]
        others = tuple(name for name in FACES if name != opening)
        parts.append(box(rim_low, rim_high, others))
        assert face != opening
    return joined(parts)


def lathe(low: Float, high: Float, profile: Profile, segments: int, smooth: bool = False) -> Solid:
    """Return a body that is turned about the vertical axis of a box, an ellipse in each cross-section.

    Args:
        low, high: The box's corners.
        profile: Radii as fractions of the box's half width, heights as fractions of its height.
        segments: Corners of a cross-section.
        smooth: Whether the profile is round, not a line with corners.
    """
    centre, half = (low + high) / 2, (high - low) / 2
    radius = np.array([r for r, _ in profile])
    height = np.array([h for _, h in profile])
    angles = [2 * pi * i / segments for i in range(segments + 1)]
    circle = np.round(np.array([(cos(a), sin(a)) for a in angles]), _DIGITS)
    mean = float(half[0] + half[2]) / 2
    run, rise = np.diff(radius) * mean, np.diff(height) * (high[1] - low[1])
    length = np.sqrt(run * run + rise * rise)
    length[length == 0] = 1.0
    out, up = rise / length, -run / length
    at = np.concatenate(([0.0], np.cumsum(length)))
    out_low, out_high, up_low, up_high = out, out, up, up
    if smooth:
        joint_out = np.concatenate(([0.0], out[:-1] + out[1:], [0.0]))
        joint_up = np.concatenate(([up[0] or -1.0], up[:-1] + up[1:], [up[-1] or 1.0]))
        norm = np.sqrt(joint_out * joint_out + joint_up * joint_up)
        norm[norm == 0] = 1.0
        joint_out, joint_up = joint_out / norm, joint_up / norm
        out_low, out_high = joint_out[:-1], joint_out[1:]
        up_low, up_high = joint_up[:-1], joint_up[1:]
    points, normals, uv = [], [], []
    for i in range(len(profile) - 1):
        if radius[i] == 0 and radius[i + 1] == 0:
            continue
        for j in range(segments):
            corners = ((i, j, 0), (i, j + 1, 0), (i + 1, j + 1, 1), (i + 1, j, 1))
            picks = []
            if radius[i] > 0:
                picks.append((0, 1, 2) if radius[i + 1] > 0 else (0, 1, 3))
            if radius[i + 1] > 0:
                picks.append((0, 2, 3))
            for pick in picks:
                rows, directions, places = [], [], []
                for ring, spoke, end in (corners[k] for k in pick):
                    x, z = circle[spoke]
                    rows.append(
                        (
                            centre[0] + half[0] * radius[ring] * x,
                            low[1] + (high[1] - low[1]) * height[ring],
                            centre[2] + half[2] * radius[ring] * z,
                        )
                    )
                    side = (out_high if end else out_low)[i]
                    directions.append((side * x, (up_high if end else up_low)[i], side * z))
                    flat = abs(rise[i]) < 1e-9
                    around = (mean * angles[spoke] * max(radius), at[ring])
                    places.append((rows[-1][0] - centre[0], rows[-1][2] - centre[2]) if flat else around)
                points.append(rows)
                normals.append(directions)
                uv.append(places)
    return Solid(np.array(points), np.array(normals), np.array(uv))


def ring(low: Float, high: Float, thickness: float, segments: int, part: tuple[float, float]) -> Solid:
    """Return a ring, or a bow of it, standing in the plane of the box's width and height.

    Args:
        low, high: The box's corners; its depth is that of the ring's wire.
        thickness: Of the wire in the plane, as a fraction of the box's smaller half side.
        segments: How many straight pieces a full ring has.
        part: Start and end in turns, counter-clockwise from +x.
    """
    centre, half = (low + high) / 2, (high - low) / 2
    wire = thickness * min(half[0], half[1])
    pieces = max(2, round(segments * (part[1] - part[0])))
    angles = [2 * pi * (part[0] + (part[1] - part[0]) * i / pieces) for i in range(pieces + 1)]
    circle = np.round(np.array([(cos(a), sin(a)) for a in angles]), _DIGITS)
    points, normals, uv = [], [], []

    def quad(corners: Sequence[Float], directions: Sequence[Float]) -> None:
        for pick in ((0, 1, 2), (0, 2, 3)):
            points.append([corners[k] for k in pick])
            normals.append([directions[k] for k in pick])
            uv.append([corners[k][:2] for k in pick])

    for (x0, y0), (x1, y1) in pairwise(circle):
        flat = [np.array((x0, y0, 0.0)), np.array((x1, y1, 0.0))]
        outer = [centre + f * half * (1, 1, 0) for f in flat]
        inner = [centre + f * (half - wire) * (1, 1, 0) for f in flat]
        depth = np.array((0.0, 0.0, half[2]))
        quad(
            (outer[0] - depth, outer[1] - depth, outer[1] + depth, outer[0] + depth),
            (flat[0], flat[1], flat[1], flat[0]),
        )
        quad(
            (inner[0] - depth, inner[1] - depth, inner[1] + depth, inner[0] + depth),
            (-flat[0], -flat[1], -flat[1], -flat[0]),
        )
        for sign in (-1.0, 1.0):
            facing = np.array((0.0, 0.0, sign))
            shift = sign * depth
            quad((outer[0] + shift, outer[1] + shift, inner[1] + shift, inner[0] + shift), (facing,) * 4)
    return Solid(np.array(points), np.array(normals), np.array(uv))


def joined(parts: Sequence[Solid]) -> Solid:
    """Return several solids as one."""
    return Solid(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.uv for part in parts]),
    )


def moved(solid: Solid, matrix: Float, offset: Float) -> Solid:
    """Return a solid turned by a rotation matrix, then moved."""
    return Solid(_turned(solid.points, matrix) + offset, _turned(solid.normals, matrix), solid.uv)


def _turned(vectors: Float, matrix: Float) -> Float:
    """Matrix times vectors, added up in one order on all machines."""
    x, y, z = vectors[..., 0:1], vectors[..., 1:2], vectors[..., 2:3]
    return x * matrix[:, 0] + y * matrix[:, 1] + z * matrix[:, 2]


def turn(axis: int, degrees: float) -> Float:
    """Return the matrix that turns about x (0), y (1) or z (2); about y as AI2-THOR turns objects."""
    c, s = round(cos(degrees * pi / 180), _DIGITS), round(sin(degrees * pi / 180), _DIGITS)
    rows = {
        0: ((1, 0, 0), (0, c, -s), (0, s, c)),
        1: ((c, 0, s), (0, 1, 0), (-s, 0, c)),
        2: ((c, -s, 0), (s, c, 0), (0, 0, 1)),
    }
    return np.array(rows[axis], np.float64)
