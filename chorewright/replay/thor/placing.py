"""Where a thing comes to lie: the nearest free place on a receptacle, found without physics.

The place is the first of a fixed sequence of candidates around the point of the receptacle before the agent,
so the same room gives the same place. Boxes on one receptacle do not overlap while there is room.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import hypot, radians, tan

from chorewright.problems.kinds import kind_of
from chorewright.problems.rooms import shapes
from chorewright.problems.scene import GRID, SceneObject, Vector
from chorewright.replay.thor.room import Room

STEP = 0.08
"""Metres between candidate places."""

ARM = 0.55
"""Metres before the agent where it likes to put things."""

TALL = 0.6
"""Metres from which furniture that one puts things into has boards."""

BOARD = 0.05
"""Metres that a board or bottom is thick."""

BOARDS = (0.0, -0.2, 0.2, -0.4, 0.4, -0.6, 0.6)
"""Metres above the line of sight at which boards are tried."""

RADIUS = 1.5
"""Metres around the preferred place in which candidates lie."""


def free_place(room: Room, item: SceneObject, receptacle: SceneObject, forced: bool) -> Vector | None:
    """Return the centre of an item's box where it can lie in or on a receptacle, or None if there is no room.

    Free of other things on the receptacle; if it can be, in the agent's view and also free of furniture and
    of where the agent stands. ``forced`` asks for a place at any price: on top of what is there.
    """
    siblings = [
        room.objects[other]
        for other in room.contents.get(receptacle.object_id, ())
        if other != item.object_id and room.kind(other).item
    ]
    full = "single" in kind_of(receptacle.kind).roles and bool(siblings)
    if full and not forced:
        return None
    preferred = _before_agent(room, item, receptacle)
    levels = support_levels(room, item, receptacle, siblings, preferred)
    for level in levels if not full else ():
        place = _first_free(room, item, receptacle, siblings, preferred, level + item.size[1] / 2)
        if place is not None:
            return place
    if not forced:
        return None
    x, z = preferred
    below = [other for other in siblings if _overlap(x, z, item, other)]
    stacked = max((other.centre[1] + other.size[1] / 2 for other in below), default=levels[0])
    on_top = (x, stacked + item.size[1] / 2, z)
    if kind_of(receptacle.kind).inside or not room.frames(on_top):
        return (x, levels[0] + item.size[1] / 2, z)
    return on_top


def _first_free(
    room: Room,
    item: SceneObject,
    receptacle: SceneObject,
    siblings: list[SceneObject],
    preferred: tuple[float, float],
    y: float,
) -> Vector | None:
    """Return the first free candidate; first of all one in view, clear of furniture and of feet."""
    in_layer = [other for other in siblings if _same_layer(y, item, other)]
    furniture = _furniture_at(room, item, receptacle, y)
    on_floor = _on_floor(receptacle)
    free: Vector | None = None
    seen: Vector | None = None
    for x, z in _candidates(preferred, item, receptacle):
        if any(_overlap(x, z, item, other) for other in in_layer):
            continue
        place = (x, y, z)
        free = free or place
        if not room.frames(place):
            continue
        seen = seen or place
        if not on_floor and (round(x / GRID), round(z / GRID)) in room.grid:
            continue
        if not any(_overlap(x, z, item, other) for other in furniture):
            return place
    return seen or free


def support_levels(
    room: Room,
    item: SceneObject,
    receptacle: SceneObject,
    siblings: list[SceneObject],
    place: tuple[float, float],
) -> tuple[float, ...]:
    """Return the heights at which things can lie near a place, the likeliest first; at least one.

    Tall furniture that one puts things into has boards at every height: the item goes where the agent looks.
    Otherwise things lie as high as the lowest thing there, else where things mostly lie in that kind, else on
    the top of a table or a little above the bottom of a container.
    """
    bottom = receptacle.centre[1] - receptacle.size[1] / 2
    inside = kind_of(receptacle.kind).inside
    if inside and receptacle.size[1] >= TALL:
        x, y, z = room.camera()
        sight = y - tan(radians(room.horizon)) * hypot(place[0] - x, place[1] - z) - item.size[1] / 2
        lowest = bottom + BOARD
        highest = max(bottom + receptacle.size[1] - item.size[1] - BOARD, lowest)
        return tuple(max(min(sight + shift, highest), lowest) for shift in BOARDS)
    if siblings:
        return (min(other.centre[1] - other.size[1] / 2 for other in siblings),)
    shape = shapes().get(receptacle.kind)
    if shape is not None and shape.support is not None:
        return (bottom + shape.support * receptacle.size[1],)
    return (bottom + (min(0.1 * receptacle.size[1], BOARD) if inside else receptacle.size[1]),)


def _before_agent(room: Room, item: SceneObject, receptacle: SceneObject) -> tuple[float, float]:
    """Return the point of the receptacle's area nearest to the place before the agent."""
    east, north = room.heading()
    x, _, z = room.place()
    low_x, high_x, low_z, high_z = _area(item, receptacle)
    return (
        min(max(x + ARM * east, low_x), high_x),
        min(max(z + ARM * north, low_z), high_z),
    )


def _area(item: SceneObject, receptacle: SceneObject) -> tuple[float, float, float, float]:
    """Return where the item's centre may be: the receptacle's area less half the item, or its middle."""
    half_x = max((receptacle.size[0] - item.size[0]) / 2, 0.0)
    half_z = max((receptacle.size[2] - item.size[2]) / 2, 0.0)
    x, _, z = receptacle.centre
    return (x - half_x, x + half_x, z - half_z, z + half_z)


def _candidates(
    preferred: tuple[float, float], item: SceneObject, receptacle: SceneObject
) -> Iterator[tuple[float, float]]:
    """Yield the points of the receptacle's area on a raster around the preferred one, nearest first."""
    low_x, high_x, low_z, high_z = _area(item, receptacle)
    x, z = preferred
    slack = 1e-9
    low_x, high_x, low_z, high_z = (
        low_x - x - slack,
        high_x - x + slack,
        low_z - z - slack,
        high_z - z + slack,
    )
    for dx, dz in _offsets():
        if low_x <= dx <= high_x and low_z <= dz <= high_z:
            yield x + dx, z + dz


@cache
def _offsets() -> tuple[tuple[float, float], ...]:
    """Return the offsets of the candidates, nearest first."""
    reach = int(RADIUS / STEP)
    cells = [
        (dx * dx + dz * dz, dx, dz)
        for dx in range(-reach, reach + 1)
        for dz in range(-reach, reach + 1)
        if dx * dx + dz * dz <= reach * reach
    ]
    return tuple((dx * STEP, dz * STEP) for _, dx, dz in sorted(cells))


def _furniture_at(room: Room, item: SceneObject, receptacle: SceneObject, y: float) -> list[SceneObject]:
    """Return the furniture, but for the receptacle and its parts, in the layer where things lie."""
    low, high = y - item.size[1] / 2 - 0.05, y + item.size[1] / 2
    family = {receptacle.object_id, *room.around(receptacle.object_id)}
    return [
        body
        for body in room.objects.values()
        if body.object_id not in family
        and not kind_of(body.kind).item
        and body.centre[1] + body.size[1] / 2 > low
        and body.centre[1] - body.size[1] / 2 < high
        and abs(body.centre[0] - receptacle.centre[0]) < (body.size[0] + receptacle.size[0]) / 2
        and abs(body.centre[2] - receptacle.centre[2]) < (body.size[2] + receptacle.size[2]) / 2
        and not _encloses(body, receptacle)
    ]


def _encloses(outer: SceneObject, inner: SceneObject) -> bool:
    """Return whether the middle of one box lies in the other, as a drawer's in its dresser."""
    return all(abs(outer.centre[axis] - inner.centre[axis]) < outer.size[axis] / 2 for axis in range(3))


def _overlap(x: float, z: float, item: SceneObject, other: SceneObject) -> bool:
    return (
        abs(x - other.centre[0]) < (item.size[0] + other.size[0]) / 2
        and abs(z - other.centre[2]) < (item.size[2] + other.size[2]) / 2
    )


def _same_layer(y: float, item: SceneObject, other: SceneObject) -> bool:
    return abs(y - other.centre[1]) < (item.size[1] + other.size[1]) / 2 + 0.02


def _on_floor(receptacle: SceneObject) -> bool:
    return receptacle.centre[1] + receptacle.size[1] / 2 < 0.1
