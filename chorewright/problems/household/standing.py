"""How likely an agent can stand at a point, judged by the furniture around it.

Boxes alone say too little: a counter along three walls has a box that covers the room, walls are no objects, and
one stands closer to a chair than to a fridge. So each kind of thing has a profile: what a thing of the kind at a
distance does to the odds. The profiles are learned from the rooms where the points are known (``build_rooms``),
and ship with them. The odds of a point are the sum over all profiles.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.problems.household.free_space import HEAD, STEP_OVER, Rectangle, footprint, largest_component
from chorewright.problems.household.scene import GRID, Point, SceneObject
from chorewright.problems.household.shapes import archive

Metres: TypeAlias = npt.NDArray[np.float64]
"""A distance for each point of a raster."""

LIKELY = 0.1
"""The probability from which a point counts as one where the agent can stand."""

BEYOND = 2
"""Grid steps around all boxes in which points are looked at."""

CLOSE = (-0.6, -0.35, -0.2, -0.1, -0.03, 0.03, 0.08, 0.13, 0.18, 0.23, 0.3, 0.4, 0.6)
"""Metres at which the profiles of things change: negative inside of the box."""
WALLED = (-1.0, -0.5, -0.3, -0.2, -0.1, -0.03, 0.03, 0.08, 0.13, 0.18, 0.23, 0.3, 0.4, 0.6)
"""The same for the borders of the room: negative beyond them."""
AROUND = (-0.3, 0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
"""The same for whatever is handled."""

HUNG = 0.5
"""Metres above the floor from which a thing is hung."""
SPRAWLING = (1.0, 2.5)
"""Metres of the shorter and the longer side from which a box is hardly solid all over: corner counters, sofas."""
DEEP = 0.3
"""Metres inside of the box of a compact thing where nobody can stand, whatever the odds."""
ASKEW = 5.0
"""Degrees from a quarter turn: the box is larger than the thing."""
FLAT = 0.25
"""The thickness of what hangs flat on a wall, over its width."""
SOLID, COMPACT = "*solid", "*compact"
"""Features of whatever is in the way, and of what of it is solid all over."""
DIRECTIONS = 16
"""Directions in which the room's hull is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Raster:
    """The points of a rectangle: ``first`` is its lowest, in units of the grid; arrays have the shape (x, z)."""

    first: Point
    x: Metres
    z: Metres

    @classmethod
    def around(cls, boxes: Sequence[Rectangle]) -> Raster:
        """Return all points within and around some boxes."""
        sides = np.array(boxes)
        low = [int(np.floor(sides[:, axis].min() / GRID)) - BEYOND for axis in (0, 2)]
        high = [int(np.ceil(sides[:, axis].max() / GRID)) + BEYOND for axis in (1, 3)]
        columns, rows = (np.arange(a, b + 1) * GRID for a, b in zip(low, high, strict=True))
        x, z = np.meshgrid(columns, rows, indexing="ij")
        return cls((low[0], low[1]), x, z)

    def points(self, chosen: npt.NDArray[np.bool_]) -> set[Point]:
        """Return the points of a mask."""
        return {(int(x) + self.first[0], int(z) + self.first[1]) for x, z in np.argwhere(chosen)}

    def mask(self, points: Iterable[Point]) -> npt.NDArray[np.bool_]:
        """Return where some points are; those outside are left out."""
        found = np.zeros_like(self.x, np.bool_)
        width, depth = found.shape
        for x, z in points:
            column, row = x - self.first[0], z - self.first[1]
            if 0 <= column < width and 0 <= row < depth:
                found[column, row] = True
        return found


Features: TypeAlias = dict[str, tuple[Metres, tuple[float, ...]]]
"""By name, the distances and the metres at which its profile changes."""


def features(objects: Sequence[SceneObject], level: float) -> tuple[Raster, Features]:
    """Return the raster around a room's things, and what is known of its points.

    Args:
        objects: Everything in the room, a thing beside the floor among them.
        level: Height of the floor.
    """
    things = [thing for thing in objects if thing.kind != "Floor"]
    raster = Raster.around([footprint(thing) for thing in things])
    found: Features = {}
    fixtures = [thing for thing in things if not thing.traits.item]
    gaps = {thing.object_id: _gap(raster, footprint(thing)) for thing in things}
    for thing in fixtures:
        _closer(found, _tag(thing, level), gaps[thing.object_id], CLOSE)
    solid = [thing for thing in fixtures if _in_the_way(thing, level)]
    compact = [thing for thing in solid if _compact(thing)]
    for name, some in ((SOLID, solid), (COMPACT, compact)):
        ordered = np.sort(np.array([gaps[thing.object_id] for thing in some]), axis=0)
        for rank, gap in zip(("", "*second"), ordered, strict=False):
            found[name + rank] = (gap, CLOSE)
    for name, chosen in _HANDLED.items():
        for thing in filter(chosen, things):
            _closer(found, name, gaps[thing.object_id], AROUND)
    for name, gap in _borders(raster, things):
        _closer(found, name, gap, WALLED)
    return raster, found


_HANDLED: Mapping[str, Callable[[SceneObject], bool]] = {
    "*door": lambda thing: thing.traits.closable,
    "*receptacle": lambda thing: thing.receptacle,
    "*item": lambda thing: thing.traits.item,
}


def _closer(found: Features, name: str, gap: Metres, edges: tuple[float, ...]) -> None:
    known = found.get(name)
    found[name] = (gap if known is None else np.minimum(known[0], gap), edges)


def _gap(raster: Raster, box: Rectangle) -> Metres:
    """Return the distance to a box; inside it, how deep one is, negative."""
    dx = np.maximum(box[0] - raster.x, raster.x - box[1])
    dz = np.maximum(box[2] - raster.z, raster.z - box[3])
    outside = np.hypot(np.maximum(dx, 0.0), np.maximum(dz, 0.0))
    gap: Metres = np.where((dx < 0) & (dz < 0), np.maximum(dx, dz), outside)
    return gap


def _tag(thing: SceneObject, level: float) -> str:
    """Return a thing's kind, with how it stands where that matters."""
    bottom = thing.centre[1] - thing.size[1] / 2 - level
    if bottom + thing.size[1] < STEP_OVER:
        return f"{thing.kind} flat"
    if bottom > HEAD:
        return f"{thing.kind} overhead"
    if bottom > HUNG:
        return f"{thing.kind} hung"
    yaw = thing.rotation[1] % 90.0
    return f"{thing.kind} askew" if min(yaw, 90.0 - yaw) > ASKEW else thing.kind


def _in_the_way(thing: SceneObject, level: float) -> bool:
    bottom = thing.centre[1] - thing.size[1] / 2 - level
    return bottom + thing.size[1] >= STEP_OVER and bottom <= HEAD


def _compact(thing: SceneObject) -> bool:
    sides = sorted((thing.size[0], thing.size[2]))
    return sides[0] <= SPRAWLING[0] or sides[1] <= SPRAWLING[1]


def _borders(raster: Raster, things: Sequence[SceneObject]) -> Iterable[tuple[str, Metres]]:
    """Yield how far within the room points are: by the things' middles and boxes, and by what hangs on walls."""
    middles = np.array([(thing.centre[0], thing.centre[2]) for thing in things])
    turns = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    for turn in turns:
        x, z = np.round(np.cos(turn), 9), np.round(np.sin(turn), 9)
        within = (middles[:, 0] * x + middles[:, 1] * z).max() - (raster.x * x + raster.z * z)
        yield "*hull", within
        if not x * z:
            yield "*middles", within
            yield "*boxes", _outermost(things, int(x), int(z)) - (raster.x * x + raster.z * z)
    room = np.median(middles, axis=0)
    for thing in things:
        thin, wide = sorted((thing.size[0], thing.size[2]))
        if thing.traits.item or thing.traits.receptacle or thin > FLAT * wide:
            continue
        along = 2 if thing.size[0] < thing.size[2] else 0  # the axis of the wall
        across, beside = (raster.x, raster.z) if along == 2 else (raster.z, raster.x)
        wall = thing.centre[2 - along]
        inward = 1.0 if room[0 if along == 2 else 1] >= wall else -1.0
        off = np.abs(beside - thing.centre[along]) - wide / 2
        within = (across - wall) * inward
        yield "*wall", np.where(off < 0.1, within, np.inf)
        yield "*wall nearby", np.where(off < 1.0, within, np.inf)


def _outermost(things: Sequence[SceneObject], x: int, z: int) -> float:
    """Return how far the boxes go in one of the four directions."""
    boxes = [footprint(thing) for thing in things]
    if x:
        return max(box[1] if x > 0 else -box[0] for box in boxes)
    return max(box[3] if z > 0 else -box[2] for box in boxes)


@dataclass(frozen=True, slots=True)
class Profiles:
    """What each feature does to the log odds of a point, between the metres at which its profile changes.

    Attributes:
        bias: The log odds of a point that no feature speaks of.
        weights: By feature, one number for each of its metres: what holds up to there.
    """

    bias: float
    weights: Mapping[str, tuple[float, ...]]

    def chances(self, objects: Sequence[SceneObject], level: float) -> tuple[Raster, npt.NDArray[np.float64]]:
        """Return the raster around a room's things, and for each point the probability that one can stand there."""
        raster, found = features(objects, level)
        odds = np.full(raster.x.shape, self.bias)
        for name, (metres, edges) in found.items():
            weights = np.array((*self.weights.get(name, (0.0,) * len(edges)), 0.0))
            odds += weights[np.searchsorted(edges, metres)]
        chances = 1.0 / (1.0 + np.exp(-odds))
        if COMPACT in found:
            chances[found[COMPACT][0] < -DEEP] = 0.0
        return raster, chances


@lru_cache(maxsize=1)
def shipped_profiles() -> Profiles:
    """Return the profiles learned from the 120 rooms."""
    record = json.loads(archive().read("standing.json"))
    return Profiles(record["bias"], {name: tuple(weights) for name, weights in record["weights"].items()})


def likely_points(
    objects: Sequence[SceneObject], level: float, profiles: Profiles | None = None, least: float = LIKELY
) -> set[Point]:
    """Return the points where an agent can probably stand, for a room where nobody has walked.

    They are connected by single steps, as those that an agent reaches are. Empty if there is nothing to judge by.

    Args:
        objects: Everything in the room.
        level: Height of the floor.
        profiles: What the odds are; by default the shipped ones.
        least: The probability from which a point counts.
    """
    if all(thing.kind == "Floor" for thing in objects):
        return set()
    raster, chances = (profiles or shipped_profiles()).chances(objects, level)
    return largest_component(raster.points(chances >= least))
