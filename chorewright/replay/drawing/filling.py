"""The compiled filling of triangles: clipped at the near plane, projected, and filled by rows where they are nearer."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from chorewright.jit.kernels import njit


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
