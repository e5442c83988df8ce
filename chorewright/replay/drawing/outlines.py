"""The compiled outlines of things in a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit


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


__all__ = ["outline"]
