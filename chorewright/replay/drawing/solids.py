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


def _box_tables() -> tuple[NDArray[np.bool_], Float, NDArray[np.intp]]:
    """Return of each of a box's 12 triangles which corners are high, the normals, and the axes of u and v."""
    high, normals = np.zeros((12, 3, 3), np.bool_), np.zeros((12, 3, 3))
    axes = np.zeros((12, 3, 2), np.intp)
    for number in range(6):
        axis, upper = divmod(number, 2)
        across, along = [a for a in range(3) if a != axis]
        corners = np.zeros((4, 3), np.bool_)
        corners[:, axis] = bool(upper)
        corners[:, across] = (False, True, True, False)
        corners[:, along] = (False, False, True, True)
        for half, triangle in enumerate(((0, 1, 2), (0, 2, 3))):
            high[2 * number + half] = corners[list(triangle)]
            normals[2 * number + half, :, axis] = 1.0 if upper else -1.0
            axes[2 * number + half] = (across, along) if across != 1 else (along, across)
    return high, normals, axes


_HIGH, _NORMALS, _AXES = _box_tables()


def box(low: Float, high: Float, without: Sequence[str] = (), inward: bool = False) -> Solid:
    """Return a box.

    Args:
        low, high: Its corners.
        without: Faces that are left out.
        inward: Show the inner sides of the faces.
    """
    points = np.where(_HIGH, high, low)
    normals, uv = -_NORMALS if inward else _NORMALS, np.take_along_axis(points, _AXES, axis=2)
    if without:
        kept = np.repeat([face not in without for face in FACES], 2)
        points, normals, uv = points[kept], normals[kept], uv[kept]
    return Solid(points, normals, uv)


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
        parts.append(box(rim_low, rim_high, tuple(name for name in FACES if name != opening)))
        assert face != opening
    return join(parts)


def lathe(low: Float, high: Float, profile: Profile, segments: int, smooth: bool = False) -> Solid:
    """Return a solid of revolution about the vertical axis of a box, with an ellipse as each cross-section.

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
    # Of each quad between two rings (lower left, lower right, upper right, upper left) two triangles.
    ring, spoke = np.arange(len(profile) - 1)[:, None, None, None], np.arange(segments)[None, :, None, None]
    pointed = radius[1:] == 0  # one triangle, up to the left corner
    upper = np.zeros((len(profile) - 1, 1, 2, 3), np.intp) + np.array([(0, 0, 1), (0, 1, 1)])
    across = np.zeros((len(profile) - 1, 1, 2, 3), np.intp) + np.array([(0, 1, 1), (0, 1, 0)])
    across[pointed, :, 0, 2] = 0
    drawn = np.stack((radius[:-1] > 0, ~pointed), axis=1)
    kept = np.broadcast_to(drawn[:, None, :], (len(profile) - 1, segments, 2))
    rings, spokes = ring + upper, spoke + across
    x, z = circle[spokes, 0], circle[spokes, 1]
    wide = radius[rings]
    points = np.stack(
        (
            centre[0] + half[0] * wide * x,
            low[1] + (high[1] - low[1]) * height[rings] + 0 * x,
            centre[2] + half[2] * wide * z,
        ),
        axis=-1,
    )
    side = np.where(upper == 1, out_high[ring], out_low[ring])
    normals = np.stack((side * x, np.where(upper == 1, up_high[ring], up_low[ring]) + 0 * x, side * z), axis=-1)
    flat = (np.abs(rise) < 1e-9)[:, None, None, None]
    round_uv = (mean * np.array(angles)[spokes] * float(radius.max()), at[rings] + 0 * x)
    uv = np.stack(
        (
            np.where(flat, points[..., 0] - centre[0], round_uv[0]),
            np.where(flat, points[..., 2] - centre[2], round_uv[1]),
        ),
        axis=-1,
    )
    return Solid(points[kept], normals[kept], uv[kept])


def ring(low: Float, high: Float, thickness: float, segments: int, part: tuple[float, float]) -> Solid:
    """Return a ring, or an arc of it, in the plane of the box's width and height.

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


def join(parts: Sequence[Solid]) -> Solid:
    """Return several solids as one."""
    return Solid(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.uv for part in parts]),
    )


def move(solid: Solid, matrix: Float, offset: Float) -> Solid:
    """Return a solid turned by a rotation matrix, then moved."""
    return Solid(_turn(solid.points, matrix) + offset, _turn(solid.normals, matrix), solid.uv)


def _turn(vectors: Float, matrix: Float) -> Float:
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
