"""Where an agent can stand, judged by the boxes of the furniture."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.files.records import reader_of
from chorewright.problems.household.scene import GRID, STEPS, Point, Rectangle, SceneObject

AGENT_RADIUS = 0.2
STEP_OVER = 0.06
"""Metres: what is lower does not stop the agent."""
HEAD = 1.6
"""Metres above the floor: what hangs higher does not stop the agent."""

PIVOT = 0.901
"""Metres from the floor to the agent's pivot."""

BRIM = 0.05
"""Metres from the edge of a box that count as outside of it."""


def edge_points(walked: Set[Point], objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return the grid neighbours of walked points that are not deep inside furniture.

    An agent of AI2-THOR 2.1.0 can stand at most of them, close to the furniture.

    Args:
        walked: Points where the agent is known to fit.
        objects: Everything in the room; what lies in or on something, or could be kicked aside, is ignored.
        level: Height of the floor.
    """
    candidates = {(x + dx, z + dz) for x, z in walked for dx, dz in STEPS} - walked
    boxes = obstacles(objects, level)
    return {
        (x, z)
        for x, z in candidates
        if not any(
            low_x + BRIM < x * GRID < high_x - BRIM and low_z + BRIM < z * GRID < high_z - BRIM
            for low_x, high_x, low_z, high_z in boxes
        )
    }


def free_points(objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return all grid points of a room that are free of furniture, for rooms without known standing points."""
    room = extent(objects)
    xs = range(int(room[0] / GRID) - 1, int(room[1] / GRID) + 2)
    zs = range(int(room[2] / GRID) - 1, int(room[3] / GRID) + 2)
    boxes = sorted(obstacles(objects, level), key=lambda box: (box[1] - box[0]) * (box[3] - box[2]))
    while True:
        free = {point for point in ((x, z) for x in xs for z in zs) if _free(point, boxes, room)}
        if free or not boxes:
            return free
        boxes.pop()  # the box of a counter along three walls covers the whole room


def floor_level(objects: Sequence[SceneObject]) -> float:
    """Return the height of the floor, judged by the bottoms of the furniture that stands on it.

    The Floor object's own box is no help, since it often reaches down into the ground; a few things on the
    floor are hung or stacked, a few sunk, hence the lower fifth.
    """
    floors = {thing.object_id for thing in objects if thing.kind == "Floor"}
    bottoms = sorted(thing.bottom for thing in objects if floors & set(thing.parents))
    level = float(np.quantile(bottoms, 0.2)) if bottoms else 0.0
    return level if abs(level) > STEP_OVER else 0.0


def obstacles(objects: Sequence[SceneObject], level: float) -> list[Rectangle]:
    """Return the footprints of what an agent would bump into."""
    return [thing.footprint for thing in objects if _in_the_way(thing, level)]


def extent(objects: Sequence[SceneObject]) -> Rectangle:
    """Return the rectangle within which an agent can stand; walls are not objects, so the boxes decide.

    The floor's box is larger than the room; the things along and on the walls show where the walls are.
    """
    floors = [thing.footprint for thing in objects if thing.kind == "Floor"]
    things = [thing for thing in objects if thing.kind != "Floor"]
    if not things:
        return floors[0] if floors else (0.0, 0.0, 0.0, 0.0)
    xs, zs = [thing.centre[0] for thing in things], [thing.centre[2] for thing in things]
    room = (min(xs) + AGENT_RADIUS, max(xs) - AGENT_RADIUS, min(zs) + AGENT_RADIUS, max(zs) - AGENT_RADIUS)
    if not floors:
        return room
    low_x, high_x, low_z, high_z = floors[0]
    return (
        max(room[0], low_x + GRID),
        min(room[1], high_x - GRID),
        max(room[2], low_z + GRID),
        min(room[3], high_z - GRID),
    )


def _free(point: Point, boxes: Iterable[Rectangle], room: Rectangle) -> bool:
    x, z = point[0] * GRID, point[1] * GRID
    if not (room[0] <= x <= room[1] and room[2] <= z <= room[3]):
        return False
    for low_x, high_x, low_z, high_z in boxes:
        dx, dz = max(low_x - x, 0.0, x - high_x), max(low_z - z, 0.0, z - high_z)
        if dx * dx + dz * dz < AGENT_RADIUS * AGENT_RADIUS:
            return False
    return True


def walk_from(start: Point, stands: Callable[[Point], bool]) -> dict[Point, Point]:
    """Return the point before each that can be walked to, on a shortest way, nearest first; the start's is itself."""
    came, queue = {start: start}, deque((start,))
    while queue:
        x, z = queue.popleft()
        for dx, dz in STEPS:
            point = (x + dx, z + dz)
            if point not in came and stands(point):
                came[point] = (x, z)
                queue.append(point)
    return came


def largest_component(points: Set[Point]) -> set[Point]:
    """Return the largest set of points connected by single steps; among equals, the one with the lowest point."""
    best: set[Point] = set()
    left = set(points)
    for start in sorted(points):
        if start in left:
            component = set(walk_from(start, left.__contains__))
            left -= component
            best = max(best, component, key=len)
    return best


# How likely an agent can stand at a point, judged by the furniture around it.
#
# Boxes alone say too little: a counter along three walls has a box that covers the room, walls are no objects, and
# one stands closer to a chair than to a fridge. So each kind of thing has a profile: what a thing of the kind at a
# distance does to the odds. The profiles are learned from the rooms where the points are known, by
# ``benchmarks.shipped.rooms``, and ship with them. The odds of a point are the sum over all profiles.


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
SLAB = (0.06, 1.3)
"""Metres of thickness up to which a box is a worktop, and of its shorter side from which that goes around a corner."""
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
    raster = Raster.around([thing.footprint for thing in things])
    found: Features = {}
    fixtures = [thing for thing in things if not thing.traits.item]
    gaps = {thing.object_id: _gap(raster, thing.footprint) for thing in things}
    for thing in fixtures:
        _closer(found, _tag(thing, level), gaps[thing.object_id], CLOSE)
    solid = [thing for thing in things if _in_the_way(thing, level)]
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
    bottom = thing.bottom - level
    if bottom + thing.size[1] < STEP_OVER:
        return f"{thing.kind} flat"
    if bottom > HEAD:
        return f"{thing.kind} overhead"
    if bottom > HUNG:
        return f"{thing.kind} hung"
    yaw = thing.rotation[1] % 90.0
    return f"{thing.kind} askew" if min(yaw, 90.0 - yaw) > ASKEW else thing.kind


def _in_the_way(thing: SceneObject, level: float) -> bool:
    fixture = thing.kind != "Floor" and not thing.traits.item
    return fixture and thing.top >= level + STEP_OVER and thing.bottom <= level + HEAD


def _compact(thing: SceneObject) -> bool:
    sides = sorted((thing.size[0], thing.size[2]))
    return sides[0] <= SPRAWLING[0] or sides[1] <= SPRAWLING[1]


def _around_a_corner(thing: SceneObject) -> bool:
    """Return whether a thing is a worktop around a corner: there is room to stand in its box."""
    return thing.size[1] <= SLAB[0] and min(thing.size[0], thing.size[2]) > SLAB[1]


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
    boxes = [thing.footprint for thing in things]
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
        for thing in objects:
            if _in_the_way(thing, level) and _compact(thing) and not _around_a_corner(thing):
                chances[_gap(raster, thing.footprint) < -DEEP] = 0.0
        return raster, chances


load_shipped_profiles = reader_of(Profiles, "chorewright.problems", "data/rooms.zip/standing.json")
"""Returns the profiles learned from the 120 rooms."""


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
    raster, chances = (profiles or load_shipped_profiles()).chances(objects, level)
    return largest_component(raster.points(chances >= least))
