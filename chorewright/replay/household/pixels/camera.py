"""A pinhole camera: where it is, where it looks, and how large its picture is."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin, tan

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.problems.household.scene import Vector

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
