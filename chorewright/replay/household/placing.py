"""Where a thing comes to lie: the nearest free place on a receptacle, found without physics.

The place is the first of a fixed sequence of candidates around the point of the receptacle before the agent,
so the same room gives the same place. Boxes on one receptacle do not overlap while there is room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import hypot, radians, tan

from chorewright.problems.household.kinds import shapes
from chorewright.problems.household.scene import GRID, SceneObject, Vector
from chorewright.replay.household.room import Room
from chorewright.replay.household.sweep import displace

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


def free_place(
    room: Room, item: SceneObject, receptacle: SceneObject, forced: bool, near: tuple[float, float] | None = None
) -> Vector | None:
    """Return the centre of an item's box where it can lie in or on a receptacle, or None if there is no room.

    Free of other things on the receptacle; if it can be, at any height, well in the agent's view with all
    that the item holds, and also free of furniture and of where the agent stands. ``forced`` asks for a place
    at any price: on top of what is there, which is better than a free place out of the agent's view or reach.
    ``near`` is the point (x, z) in metres around which places are tried, instead of one before the agent.
    """
    siblings = [
        room.objects[other]
        for other in room.contents.get(receptacle.object_id, ())
        if other != item.object_id and room.kind(other).item
    ]
    full = "single" in receptacle.traits.roles and bool(siblings)
    if full and not forced:
        return None
    view = _View.of(room, item)
    preferred = _before_agent(room, item, receptacle) if near is None else _within(near, item, receptacle)
    levels = [level + item.size[1] / 2 for level in support_levels(room, item, receptacle, siblings, preferred)]
    unseen: Vector | None = None
    for y in levels if not full else ():
        comfortable, free = _first_free(room, item, receptacle, siblings, preferred, y, view)
        if comfortable is not None:
            return comfortable
        unseen = unseen or free
    if not full:
        glimpsed = _first_glimpsed(item, receptacle, siblings, preferred, levels, view)
        if glimpsed is not None:
            return glimpsed
    if not forced:
        return unseen
    return _stack(item, receptacle, siblings, preferred, levels, view) or unseen or (*preferred, levels[0])


@dataclass(frozen=True, slots=True)
class _View:
    """Which places of an item the agent sees and reaches, the item with all that it holds.

    Attributes:
        room: Where the agent stands.
        bodies: The boxes, each as what it is off the item's centre and its size; the item's first.
    """

    room: Room
    bodies: tuple[tuple[Vector, Vector], ...]

    @classmethod
    def of(cls, room: Room, item: SceneObject) -> _View:
        """Return the view of an item where the agent stands now."""
        bodies = [item, *(room.objects[inner] for inner in room.within(item.object_id))]
        return cls(room, tuple((displace(body.centre, item.centre, -1.0), body.size) for body in bodies))

    def comfortable(self, place: Vector) -> bool:
        """Return whether the item's middle would be well in view and in reach, and what it holds too."""
        return self.room.frames(place) and (len(self.bodies) == 1 or self.glimpses(place, -self.room.settings.margin))

    def glimpses(self, place: Vector, margin: float = 0.0) -> bool:
        """Return whether some of each box would be in reach and in view, widened by degrees."""
        return all(self.room.shows(displace(place, off), size, margin) for off, size in self.bodies)


def _first_free(
    room: Room,
    item: SceneObject,
    receptacle: SceneObject,
    siblings: list[SceneObject],
    preferred: tuple[float, float],
    y: float,
    view: _View,
) -> tuple[Vector | None, Vector | None]:
    """Return the first free candidate in view, best clear of furniture and of feet, and the first of all."""
    in_layer = [other for other in siblings if _same_layer(y, item, other)]
    furniture = _furniture_at(room, item, receptacle, y)
    on_floor = receptacle.top < 0.1
    free: Vector | None = None
    seen: Vector | None = None
    for x, z in _candidates(preferred, item, receptacle):
        if any(_overlap(x, z, item, other) for other in in_layer):
            continue
        place = (x, y, z)
        free = free or place
        if not view.comfortable(place):
            continue
        seen = seen or place
        if not on_floor and (round(x / GRID), round(z / GRID)) in room.grid:
            continue
        if not any(_overlap(x, z, item, other) for other in furniture):
            return place, free
    return seen, free


def _first_glimpsed(
    item: SceneObject,
    receptacle: SceneObject,
    siblings: list[SceneObject],
    preferred: tuple[float, float],
    levels: Sequence[float],
    view: _View,
) -> Vector | None:
    """Return the first free candidate of which the agent sees anything.

    At last one over the receptacle's edge, and one at any height of the receptacle: its box is what is seen.
    """
    bottom = receptacle.centre[1] + (item.size[1] - receptacle.size[1]) / 2
    heights = [bottom + k * STEP for k in range(int(receptacle.size[1] / STEP) + 1)]
    for tried, overhang in ((levels, False), (levels, True), (heights, True)):
        for y in tried:
            in_layer = [other for other in siblings if _same_layer(y, item, other)]
            for x, z in _candidates(preferred, item, receptacle, overhang):
                place = (x, y, z)
                if view.glimpses(place) and not any(_overlap(x, z, item, other) for other in in_layer):
                    return place
    return None


def _stack(
    item: SceneObject,
    receptacle: SceneObject,
    siblings: list[SceneObject],
    preferred: tuple[float, float],
    levels: Sequence[float],
    view: _View,
) -> Vector | None:
    """Return a place in view on top of what is there, or amid it if the top is too high or things lie inside.

    The first in comfortable view, else the first of which anything is seen at all, with more and more slack.
    """
    margin = view.room.settings.margin
    inside = receptacle.traits.inside
    tests = (view.comfortable, view.glimpses, partial(view.glimpses, margin=0.9 * margin))
    for test in tests:
        for x, z in _candidates(preferred, item, receptacle, overhang=test != tests[0]):
            below = [other for other in siblings if _overlap(x, z, item, other)] if not inside else []
            tops = [other.centre[1] + (other.size[1] + item.size[1]) / 2 for other in below]
            for y in (*((max(tops),) if tops else ()), *levels):
                if test((x, y, z)):
                    return (x, y, z)
    return None


def support_levels(
    room: Room, item: SceneObject, receptacle: SceneObject, siblings: list[SceneObject], place: tuple[float, float]
) -> tuple[float, ...]:
    """Return the heights at which things can lie near a place, the likeliest first; at least one.

    Tall furniture that one puts things into has boards at every height: the item goes where the agent looks.
    Otherwise things lie as high as the lowest thing there, else where things mostly lie in that kind, else on
    the top of a table or a little above the bottom of a container.
    """
    bottom = receptacle.bottom
    inside = receptacle.traits.inside
    if inside and receptacle.size[1] >= TALL:
        x, y, z = room.camera()
        sight = y - tan(radians(room.horizon)) * hypot(place[0] - x, place[1] - z) - item.size[1] / 2
        lowest = bottom + BOARD
        highest = max(bottom + receptacle.size[1] - item.size[1] - BOARD, lowest)
        return tuple(max(min(sight + shift, highest), lowest) for shift in BOARDS)
    if siblings:
        return (min(other.bottom for other in siblings),)
    shape = shapes().get(receptacle.kind)
    if shape is not None and shape.support is not None:
        return (bottom + shape.support * receptacle.size[1],)
    return (bottom + (min(0.1 * receptacle.size[1], BOARD) if inside else receptacle.size[1]),)


def places_on(room: Room, receptacle: SceneObject) -> list[Vector]:
    """Return points on a receptacle, nearest to the agent first, at the height on which things lie there."""
    x, y, z = receptacle.centre
    point = replace(receptacle, object_id="", centre=(x, y, z), size=(0.0, 0.0, 0.0))
    siblings = [room.objects[name] for name in room.contents.get(receptacle.object_id, ()) if room.kind(name).item]
    before = _before_agent(room, point, receptacle)
    level = support_levels(room, point, receptacle, siblings, before)[0]
    return [(east, level, north) for east, north in _candidates(before, point, receptacle)]


def _before_agent(room: Room, item: SceneObject, receptacle: SceneObject) -> tuple[float, float]:
    """Return the point of the receptacle's area nearest to the place before the agent."""
    east, north = room.heading()
    x, _, z = room.place()
    return _within((x + ARM * east, z + ARM * north), item, receptacle)


def _within(point: tuple[float, float], item: SceneObject, receptacle: SceneObject) -> tuple[float, float]:
    """Return the point of the receptacle's area nearest to another."""
    low_x, high_x, low_z, high_z = _area(item, receptacle)
    return (min(max(point[0], low_x), high_x), min(max(point[1], low_z), high_z))


def _area(item: SceneObject, receptacle: SceneObject, overhang: bool = False) -> tuple[float, float, float, float]:
    """Return where the item's centre may be: in the receptacle's area, less half the item if within it."""
    half_x = max((receptacle.size[0] - (0.0 if overhang else item.size[0])) / 2, 0.0)
    half_z = max((receptacle.size[2] - (0.0 if overhang else item.size[2])) / 2, 0.0)
    x, _, z = receptacle.centre
    return (x - half_x, x + half_x, z - half_z, z + half_z)


def _candidates(
    preferred: tuple[float, float], item: SceneObject, receptacle: SceneObject, overhang: bool = False
) -> Iterator[tuple[float, float]]:
    """Yield the points of the receptacle's area on a raster around the preferred one, nearest first.

    With ``overhang`` the item's middle may be as far out as the receptacle's edge.
    """
    low_x, high_x, low_z, high_z = _area(item, receptacle, overhang)
    x, z = preferred
    slack = 1e-9
    low_x, high_x, low_z, high_z = (low_x - x - slack, high_x - x + slack, low_z - z - slack, high_z - z + slack)
    for dx, dz in _OFFSETS:
        if low_x <= dx <= high_x and low_z <= dz <= high_z:
            yield x + dx, z + dz


_REACH = int(RADIUS / STEP)
_OFFSETS = tuple(
    (dx * STEP, dz * STEP)
    for square, dx, dz in sorted(
        (dx * dx + dz * dz, dx, dz) for dx, dz in product(range(-_REACH, _REACH + 1), repeat=2)
    )
    if square <= _REACH * _REACH
)
"""The offsets of the candidates, nearest first."""


def _furniture_at(room: Room, item: SceneObject, receptacle: SceneObject, y: float) -> list[SceneObject]:
    """Return the furniture, but for the receptacle and its parts, in the layer where things lie."""
    low, high = y - item.size[1] / 2 - 0.05, y + item.size[1] / 2
    family = {receptacle.object_id, *room.around(receptacle.object_id)}
    return [
        body
        for body in room.objects.values()
        if body.object_id not in family
        and not body.traits.item
        and body.top > low
        and body.bottom < high
        and abs(body.centre[0] - receptacle.centre[0]) < (body.size[0] + receptacle.size[0]) / 2
        and abs(body.centre[2] - receptacle.centre[2]) < (body.size[2] + receptacle.size[2]) / 2
        and not encloses(body, receptacle)
    ]


def encloses(outer: SceneObject, inner: SceneObject) -> bool:
    """Return whether the middle of one box lies in the other, as a drawer's in its dresser."""
    return all(abs(outer.centre[axis] - inner.centre[axis]) < outer.size[axis] / 2 for axis in range(3))


def _overlap(x: float, z: float, item: SceneObject, other: SceneObject) -> bool:
    return (
        abs(x - other.centre[0]) < (item.size[0] + other.size[0]) / 2
        and abs(z - other.centre[2]) < (item.size[2] + other.size[2]) / 2
    )


def _same_layer(y: float, item: SceneObject, other: SceneObject) -> bool:
    return abs(y - other.centre[1]) < (item.size[1] + other.size[1]) / 2 + 0.02
