"""Boxes that some furniture is drawn in instead of its own, which would hide what is seen in the real rooms.

AI2-THOR's boxes are aligned with the room's axes. That of a window around a corner holds the corner of the room, and
that of a wardrobe with an open foot holds what stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.free_space import footprint
from chorewright.problems.household.scene import SceneObject

FLAT = ("Window", "Blinds", "Curtains")
"""Kinds that hang at a wall."""

DEEPEST = 0.6
"""Metres from the wall that what hangs there takes; a deeper box goes around a corner."""

THIN = 0.1
"""Metres from the wall that such a thing is drawn with."""

LEAST_LEFT = 0.5
"""Metres of height that are left of furniture drawn above what stands in it."""


def drawn_boxes(bodies: Sequence[SceneObject], free: NDArray[np.float64]) -> Mapping[str, SceneObject]:
    """Return the furniture that is drawn in another box, by id, with that box as its own.

    Args:
        bodies: All furniture of a room.
        free: (n, 2) places on the floor where an agent can stand.
    """
    found = {}
    for body in bodies:
        if body.kind in FLAT and min(body.size[0], body.size[2]) > DEEPEST:
            found[body.object_id] = _at_the_wall(body, free)
        elif body.traits.closable and (top := _top_of_what_stands_in(body, bodies)) is not None:
            high = body.centre[1] + body.size[1] / 2
            found[body.object_id] = replace(
                body,
                centre=(body.centre[0], (top + high) / 2, body.centre[2]),
                size=(body.size[0], high - top, body.size[2]),
            )
    return found


def _at_the_wall(body: SceneObject, free: NDArray[np.float64]) -> SceneObject:
    """Return a window of which only the side along the wall in the north or south is left."""
    (x, y, z), (width, height, depth) = body.centre, body.size
    away = 1.0 if z >= float(free[:, 1].mean()) else -1.0
    return replace(body, centre=(x, y, z + away * (depth - THIN) / 2), size=(width, height, THIN))


def _top_of_what_stands_in(body: SceneObject, bodies: Sequence[SceneObject]) -> float | None:
    """Return the height of what opens and stands at the foot of furniture, inside its box; None if nothing does."""
    west, east, south, north = footprint(body)
    low, high = body.centre[1] - body.size[1] / 2, body.centre[1] + body.size[1] / 2
    tops = []
    for other in bodies:
        x, y, z = other.centre
        top = y + other.size[1] / 2
        if other is body or not other.traits.closable or not (west < x < east and south < z < north):
            continue
        smaller = other.size[0] < body.size[0] and other.size[2] < body.size[2]
        if smaller and y - other.size[1] / 2 < low + 0.1 and top < high - LEAST_LEFT:
            tops.append(top)
    return max(tops, default=None)
