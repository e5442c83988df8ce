"""Pictures as the bytes that AI2-THOR's clients read: rows from the bottom, depths in three bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def picture_bytes(field: str, picture: NDArray[np.generic], farthest: float) -> bytes:
    """Return a picture's bytes.

    Args:
        field: AI2-THOR's form field.
        picture: (height, width) depths in metres, or (height, width, 3) bytes.
        farthest: The depth in metres that all three bytes full stand for.
    """
    if "depth" in field:
        picture = depth_bytes(picture.astype(np.float64), farthest)
    return np.ascontiguousarray(picture[::-1]).tobytes()


def depth_bytes(depth: NDArray[np.float64], farthest: float) -> NDArray[np.uint8]:
    """Return depths as red + green / 256 + blue / 65536 of 256 parts of the farthest; nothing is farthest."""
    away = np.where(depth <= 0, farthest, np.minimum(depth, farthest))
    steps = np.minimum((away / farthest * 2**24).astype(np.int64), 2**24 - 1)
    return np.stack((steps >> 16, steps >> 8 & 255, steps & 255), axis=-1).astype(np.uint8)
