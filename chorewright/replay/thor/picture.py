"""Where in the agent's picture an object is seen: the coordinates of a click on it."""

from __future__ import annotations

from itertools import product
from math import cos, hypot, radians, sin, tan

from chorewright.problems.scene import SceneObject, Vector
from chorewright.replay.thor.room import Room

LAST = 0.9999
"""The right and lower edge of the picture, which is not part of it."""

_PARTS = (0.0, -0.5, 0.5, -0.25, 0.25)
"""Where along each side of a box points are tried, the middle first."""


def relative_coordinate(room: Room, body: SceneObject) -> tuple[float, float]:
    """Return where an object is seen, from (0, 0) in the upper left corner to less than (1, 1).

    That is its middle, or the point of its box in the picture that is nearest to it; of what is not in the
    picture at all, the point of the edge that is nearest to it.
    """
    points = [
        (
            body.centre[0] + east * body.size[0],
            body.centre[1] + up * body.size[1],
            body.centre[2] + north * body.size[2],
        )
        for up, east, north in product(_PARTS, repeat=3)
    ]
    seen = [spot for spot in (project(room, point) for point in points[:1]) if _inside(spot)]
    seen = seen or [spot for spot in (project(room, point) for point in points) if _inside(spot)]
    middle = project(room, points[0])
    x, y = min(seen, key=lambda spot: hypot(spot[0] - middle[0], spot[1] - middle[1])) if seen else middle
    return round(min(max(x, 0.0), LAST), 4), round(min(max(y, 0.0), LAST), 4)


def _inside(spot: tuple[float, float]) -> bool:
    return 0.0 <= spot[0] < 1.0 and 0.0 <= spot[1] < 1.0


def project(room: Room, point: Vector) -> tuple[float, float]:
    """Return where a point is in the picture: (0.5, 0.5) is its middle; far outside if behind the camera."""
    camera = room.camera()
    turn, tilt = radians(room.rotation), radians(room.horizon)
    dx, dy, dz = point[0] - camera[0], point[1] - camera[1], point[2] - camera[2]
    side = dx * cos(turn) - dz * sin(turn)
    ahead = dx * sin(turn) + dz * cos(turn)
    depth = ahead * cos(tilt) - dy * sin(tilt)
    height = ahead * sin(tilt) + dy * cos(tilt)
    half = max(depth, 1e-6) * tan(radians(room.settings.field_of_view / 2))
    return 0.5 + side / half / 2, 0.5 - height / half / 2
