"""The agent's picture: a pinhole camera, how large its picture is, and where to click on what is seen in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin, tan

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.problems.household.scene import Vector
from chorewright.replay.household.room import Room

NEAR = 0.05
"""Metres in front of the camera from which on things are seen."""

LARGEST = 4096
"""Pixels that a picture may have on a side."""

_DIGITS = 12  # libraries differ in the last bits of sines


@dataclass(frozen=True, slots=True)
class Camera:
    """A perspective camera as AI2-THOR's.

    Attributes:
        position: In metres.
        rotation: Degrees about the vertical; 0 looks along +z, 90 along +x.
        horizon: Degrees below the horizontal; 90 looks straight down.
        field_of_view: Degrees of the picture's height; below 180.
        width, height: Pixels.
    """

    position: Vector
    rotation: float
    horizon: float
    field_of_view: float
    width: int
    height: int

    def __post_init__(self) -> None:
        if not (1 <= self.width <= LARGEST and 1 <= self.height <= LARGEST):
            raise UsageError(
                f"a picture of {self.width} x {self.height} pixels cannot be drawn",
                hint=f"each side from 1 to {LARGEST}",
            )
        if not 0 < self.field_of_view < 180:
            raise UsageError(f"the field of view must be between 0 and 180 degrees, not {self.field_of_view}")

    @property
    def focal_length(self) -> float:
        """The distance of the picture's plane, in pixels."""
        return round(self.height / 2 / tan(radians(self.field_of_view) / 2), _DIGITS)

    @property
    def window(self) -> NDArray[np.int64]:
        """All of the picture, as a rasteriser takes it: first row, after the last, and so the columns."""
        return np.array((0, self.height, 0, self.width), np.int64)

    def axes(self) -> NDArray[np.float64]:
        """Return the camera's right, up and forward axes in the room, a unit vector a row."""
        turn, tilt = radians(self.rotation), radians(self.horizon)
        rows = (
            (cos(turn), 0.0, -sin(turn)),
            (sin(turn) * sin(tilt), cos(tilt), cos(turn) * sin(tilt)),
            (sin(turn) * cos(tilt), -sin(tilt), cos(turn) * cos(tilt)),
        )
        return np.round(np.array(rows), _DIGITS)

    def project(self, point: Vector) -> tuple[float, float, float] | None:
        """Return a point's place in the picture (column, row, metres in front), or None if it is behind."""
        right, up, forward = (
            sum(float(a) * (p - c) for a, p, c in zip(axis, point, self.position, strict=True)) for axis in self.axes()
        )
        if forward < NEAR:
            return None
        scale = self.focal_length / forward
        return self.width / 2 + right * scale, self.height / 2 - up * scale, forward


# The agent's picture: its camera, and where to click on what is seen.


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
