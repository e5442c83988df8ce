"""The boxes of a house's things, turned as the things are, and their axis-aligned hulls."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin

from chorewright.problems.household.houses.assets import assets
from chorewright.problems.household.houses.house import HouseThing
from chorewright.problems.household.vectors import Vector

BOX = "boundingBox"
"""The member of a thing's record with the size of its box, where its asset is none of AI2-THOR's."""


@dataclass(frozen=True, slots=True)
class TurnedBox:
    """A box that stands upright and is turned by ``yaw`` degrees, clockwise seen from above."""

    centre: Vector
    size: Vector
    yaw: float

    @property
    def hull(self) -> Vector:
        """The size of the smallest axis-aligned box around it."""
        turn = radians(self.yaw)
        across, along = abs(cos(turn)), abs(sin(turn))
        width, height, depth = self.size
        return (
            _millimetre(width * across + depth * along),
            height,
            _millimetre(width * along + depth * across),
        )

    @property
    def bottom(self) -> float:
        """The height of its underside."""
        return self.centre[1] - self.size[1] / 2

    @property
    def top(self) -> float:
        """The height of its upper side."""
        return self.centre[1] + self.size[1] / 2


def turned_box(thing: HouseThing) -> TurnedBox | None:
    """Return the box of a thing as it stands; None if nobody says how large it is.

    A tilted thing has the upright box around it.
    """
    size = box_size(thing)
    if size is None:
        return None
    pitch, yaw, roll = thing.rotation
    if pitch % 180 or roll % 180:
        size = _tilted(size, radians(pitch), radians(roll))
    return TurnedBox(thing.position, size, yaw % 360)


def box_size(thing: HouseThing) -> Vector | None:
    """Return the size of a thing's box before it is turned: its own ``boundingBox``, else its asset's."""
    own = thing.rest.get(BOX)
    if isinstance(own, dict):
        sides = [own.get(axis) for axis in ("x", "y", "z")]
        if all(isinstance(side, int | float) and side >= 0 for side in sides):
            x, y, z = (float(side) for side in sides if isinstance(side, int | float))
            return x, y, z
    known = assets().get(thing.asset)
    return None if known is None else known.size


def _tilted(size: Vector, pitch: float, roll: float) -> Vector:
    """Return the hull of a box that is turned about z, then about x, as Unity turns things."""
    x, y, z = size
    x, y = abs(x * cos(roll)) + abs(y * sin(roll)), abs(x * sin(roll)) + abs(y * cos(roll))
    y, z = abs(y * cos(pitch)) + abs(z * sin(pitch)), abs(y * sin(pitch)) + abs(z * cos(pitch))
    return _millimetre(x), _millimetre(y), _millimetre(z)


def _millimetre(value: float) -> float:
    """Return metres as cosines of right angles must leave them: the same on every machine."""
    return round(value, 6)
