"""The compiled step from bodies to the room: triangles turned and moved with their body, and lit there."""

from __future__ import annotations

from typing import Any

from chorewright.jit.kernels import njit


@njit(cache=True, nogil=True, error_model="numpy")
def place(
    corners: Any,
    normals: Any,
    facing: Any,
    slopes: Any,
    textures: Any,
    body: Any,
    rotations: Any,
    offsets: Any,
    ambient: Any,
    upward: Any,
    lamps: Any,
    points: Any,
    directions: Any,
    planes: Any,
) -> None:
    """Fill ``points``, ``directions`` and ``planes`` as the rasteriser wants them, in the world.

    Args:
        corners: (n, 3, 3) in the frames of the bodies.
        normals: (n, 3, 3) at the corners.
        facing: (n, 3) outward directions.
        slopes: (n, 2, 3): how a value that is 1 at the second, or third, corner and 0 at the others grows.
        textures: (n, 8): u and v as a + b x + c y + d z of the body's frame.
        body: (n,) whose triangle it is.
        rotations: (m, 3, 3) of the bodies.
        offsets: (m, 3).
        ambient: Light that is everywhere.
        upward: Light on what faces up.
        lamps: (k, 4): strength, and the direction towards the lamp.
        points: (n, 3, 3) to be filled: the corners.
        directions: (n, 3) to be filled: outward.
        planes: (n, 12) to be filled: light, u and v as a + b x + c y + d z of the world.
    """
    for t in range(corners.shape[0]):
        b = body[t]
        r, o = rotations[b], offsets[b]
        light_0, light_1, light_2 = 0.0, 0.0, 0.0
        for k in range(3):
            x, y, z = corners[t, k, 0], corners[t, k, 1], corners[t, k, 2]
            nx, ny, nz = normals[t, k, 0], normals[t, k, 1], normals[t, k, 2]
            for i in range(3):
                points[t, k, i] = r[i, 0] * x + r[i, 1] * y + r[i, 2] * z + o[i]
            wx = r[0, 0] * nx + r[0, 1] * ny + r[0, 2] * nz
            wy = r[1, 0] * nx + r[1, 1] * ny + r[1, 2] * nz
            wz = r[2, 0] * nx + r[2, 1] * ny + r[2, 2] * nz
            light = ambient + upward * wz
            for m in range(lamps.shape[0]):
                towards = lamps[m, 1] * wx + lamps[m, 2] * wy + lamps[m, 3] * wz
                if towards > 0.0:
                    light += lamps[m, 0] * towards
            if k == 0:
                light_0 = light
            elif k == 1:
                light_1 = light
            else:
                light_2 = light
        planes[t, 0] = light_0
        for j in range(2):
            planes[t, 4 + 4 * j] = textures[t, 4 * j]
        for i in range(3):
            directions[t, i] = r[i, 0] * facing[t, 0] + r[i, 1] * facing[t, 1] + r[i, 2] * facing[t, 2]
            growth = 0.0
            for c in range(3):
                slope = (light_1 - light_0) * slopes[t, 0, c] + (light_2 - light_0) * slopes[t, 1, c]
                growth += r[i, c] * slope
            planes[t, 1 + i] = growth
            planes[t, 0] -= growth * points[t, 0, i]
            for j in range(2):
                growth = 0.0
                for c in range(3):
                    growth += r[i, c] * textures[t, 4 * j + 1 + c]
                planes[t, 5 + 4 * j + i] = growth
                planes[t, 4 + 4 * j] -= growth * o[i]
