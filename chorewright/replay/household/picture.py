"""The agent's picture: its camera, and where to click on what is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.room import Room

LAST = 0.9999
"""The right and lower edge of the picture, which is not part of it."""

MARGIN = 4
"""The distance in pixels that a click keeps from the edge of its object, if the object is large enough."""


def agent_camera(room: Room, size: int) -> Camera:
    """Return the agent's camera, for a picture of ``size`` pixels on a side."""
    return Camera(room.camera(), room.rotation, room.horizon, room.settings.field_of_view, size, size)


def click_on(mask: NDArray[np.bool_], near: tuple[float, float] | None = None) -> tuple[float, float] | None:
    """Return where to click on the object of a mask, or None if nothing of it is seen.

    Args:
        mask: Its pixels.
        near: The click is as near to this place as the mask's middle parts allow, else to its own middle.

    Returns:
        From (0, 0) in the upper left corner to less than (1, 1), the middle of a pixel of the mask.
    """
    if not mask.any():
        return None
    inner = inner_part(mask, MARGIN if near is not None else max(mask.shape))
    height, width = mask.shape
    rows, columns = np.nonzero(inner)
    x, y = (columns + 0.5) / width, (rows + 0.5) / height
    at = near if near is not None else (float(x.mean()), float(y.mean()))
    best = int(np.argmin(np.round((x - at[0]) ** 2 + (y - at[1]) ** 2, 9)))
    return round(min(float(x[best]), LAST), 4), round(min(float(y[best]), LAST), 4)


def inner_part(mask: NDArray[np.bool_], margin: int = MARGIN) -> NDArray[np.bool_]:
    """Return the pixels of a mask that are so far from its edge, or as far as any are."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return mask
    around = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    part = mask[around]
    for _ in range(margin):
        smaller = _erode(part)
        if not smaller.any():
            break
        part = smaller
    found = np.zeros_like(mask)
    found[around] = part
    return found


def _erode(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask without its pixels at an edge."""
    inner = np.zeros_like(mask)
    inner[1:-1, 1:-1] = mask[1:-1, 1:-1] & mask[:-2, 1:-1] & mask[2:, 1:-1] & mask[1:-1, :-2] & mask[1:-1, 2:]
    return inner
