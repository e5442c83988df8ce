"""Where on a receptacle things can lie: a raster of free places, judged by boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot, inf

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.containment import is_receptacle, matters
from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.kinds import shapes, usual_support
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.sight import REACH, stand_pose

# What an item lies in or on, judged from where it is: for start states that record only positions. Tolerant of what
# recordings leave open: which model an item is, and furniture whose height has changed.

SLACK = 0.03
"""Metres that a bottom may be off the surface it lies on, or below the bottom of what it lies in."""

FLOATING = 0.25
"""Metres that an item may float above a surface when nothing else carries it."""

OVERHANG = 0.04
"""Metres that the middle of an item may be beyond the edge of what it lies on."""

WALL = 0.02
"""Metres that the wall of a container is thick: the middle of an item is not in it."""

BESIDE = 0.02
"""Metres beyond a receptacle's box within which its items are near it."""

THIN = 0.15
"""Metres of a surface's height up to which all of it is the surface: a slab, nothing that stands on legs."""

FAR = 0.3
"""Metres from where things usually lie on furniture beyond which all heights suit it equally little."""

HANGING = 0.1
"""Metres between a hook or burner and the middle of what hangs or stands there."""


NO_LEVELS: Mapping[str, float] = {}
"""Nothing is known of where things lie in a room."""


def item_levels(objects: Sequence[SceneObject]) -> Mapping[str, float]:
    """Return the height on which the items of each receptacle lie, by its id: the middle one of their bottoms.

    A receptacle without items, or with items far from its box, is left out.
    """
    named = {thing.object_id: thing for thing in objects}
    bottoms: dict[str, list[float]] = {}
    for thing in objects:
        if thing.traits.item:
            for parent in thing.parents:
                bottoms.setdefault(parent, []).append(thing.bottom)
    levels = {}
    for name, found in bottoms.items():
        middle, outer = sorted(found)[len(found) // 2], named.get(name)
        if outer is not None and abs(middle - outer.centre[1]) <= outer.size[1] / 2 + BESIDE:
            levels[name] = middle
    return levels


def resting_place(
    item: SceneObject, others: Sequence[SceneObject], levels: Mapping[str, float] = NO_LEVELS
) -> SceneObject | None:
    """Return the receptacle that an item lies in or on; at last the floor, if there is one.

    In turn: a hook or burner that has room for one thing of this kind; an open container or an appliance
    around it; the surface right below; a cupboard around it; a seat, shelf or lower surface that it floats
    above; a container that it floats above.

    Args:
        item: The item.
        others: What it may lie in or on, itself perhaps among it.
        levels: The heights on which things lie in this room, as far as they are known (``item_levels``).
    """
    best: tuple[float, float, str] | None = None
    found: SceneObject | None = None
    (x, _, z), (pivot_x, _, pivot_z) = item.centre, item.position
    for other in others:
        (middle_x, _, middle_z), (width, _, depth) = other.centre, other.size
        near = width / 2 + HANGING + OVERHANG
        if abs(x - middle_x) > near and abs(pivot_x - middle_x) > near:
            continue  # most are far away, which spares the rest
        near = depth / 2 + HANGING + OVERHANG
        if abs(z - middle_z) > near and abs(pivot_z - middle_z) > near:
            continue
        if other.object_id == item.object_id or not is_receptacle(other):
            continue
        cost = _cost(item, other, levels.get(other.object_id))
        if cost == inf:
            continue
        rank = (cost, other.size[0] * other.size[2], other.object_id)
        if best is None or rank < best:
            best, found = rank, other
    return found


def _cost(item: SceneObject, other: SceneObject, level: float | None) -> float:
    """Return how little a receptacle suits: whole numbers are the cases in ``resting_place``'s order."""
    kind = other.traits
    fits = other.kind in item.traits.fits
    bottom = item.bottom
    low, high = other.bottom, other.top
    if "single" in kind.roles and not fits:
        return inf
    if "single" in kind.roles and not kind.inside:
        return 0.0 if _hangs(item, other, bottom, low, high) else inf
    if not _over(item, other):
        return inf
    if other.kind == "Floor":
        return 9.0
    oddness = 0.0 if fits else 0.4
    if kind.inside:
        if not low - SLACK <= bottom <= high - SLACK:
            return 6.0 + oddness + bottom - high if high - SLACK < bottom <= high + FLOATING else inf
        cupboard = kind.closable and not kind.item and not {"heats", "chills"} & set(kind.roles)
        return (3.0 if cupboard else 1.0) + oddness
    gap = min((bottom - surface for surface in _surfaces(other, level)), key=abs)
    if abs(gap) <= SLACK:
        return 2.0 + oddness + round(abs(gap), 2)
    if low + 2 * SLACK <= bottom < high:
        return 4.0 + oddness + min(abs(bottom - _usual_surface(other, level)), FAR)
    return 5.0 + oddness + gap if 0 < gap <= FLOATING else inf


def _surfaces(other: SceneObject, level: float | None) -> tuple[float, ...]:
    """Return the heights at which things lie on a receptacle: its top, and the usual one of its kind.

    Of a slab that is thinner than it seems also its underside.
    """
    low, high = other.bottom, other.top
    slab = (low,) if other.size[1] <= THIN and not other.traits.item else ()
    return (high, _usual_surface(other, level), *slab)


def _usual_surface(other: SceneObject, level: float | None) -> float:
    """Return the height at which things lie on a receptacle, if it is known, or mostly do on its kind; else its top."""
    if level is not None:
        return level
    shape = shapes().get(other.kind)
    part = 1.0 if shape is None or shape.support is None else shape.support
    return other.centre[1] + (part - 0.5) * other.size[1]


def _hangs(item: SceneObject, other: SceneObject, bottom: float, low: float, high: float) -> bool:
    """Return whether an item, often larger than what holds it, is at a hook, hanger or burner."""
    apart = hypot(_nearest_gap(item, other, 0), _nearest_gap(item, other, 2))
    return apart <= HANGING and bottom <= high + 2 * SLACK and item.top >= low - 2 * SLACK


def _nearest_gap(item: SceneObject, other: SceneObject, axis: int) -> float:
    """Return how far an item's pivot or middle, whichever is nearer, is from a middle along an axis."""
    return min(abs(item.centre[axis] - other.centre[axis]), abs(item.position[axis] - other.centre[axis]))


def _over(item: SceneObject, other: SceneObject) -> bool:
    """Return whether an item is above or within a receptacle's area; handles do not count as area.

    What can hold things itself lies only in larger items, so that nothing lies in itself.
    """
    if not other.traits.item:
        beyond = -WALL if other.traits.inside else OVERHANG
        return all(abs(item.centre[axis] - other.centre[axis]) <= other.size[axis] / 2 + beyond for axis in (0, 2))
    ours, theirs = item.size[0] * item.size[2], other.size[0] * other.size[2]
    if ours >= (theirs if is_receptacle(item) else 4 * theirs):
        return False
    apart = hypot(item.position[0] - other.position[0], item.position[2] - other.position[2])
    return apart <= 0.45 * min(other.size[0], other.size[2])


RASTER = 0.05
"""Metres between neighbouring places."""
MOST_PLACES = 1500
"""About how many places the largest receptacles have, whose raster is coarser."""
ELBOW = 0.2
"""Metres around a standing point that are kept free, where a box is not all solid."""
HEADROOM = 0.25
"""Metres above a surface in which furniture is in the way."""
ABOVE_HEAD = 1.75
"""Metres above the floor from which surfaces are above the agent."""
RINGS = math.ceil(REACH / GRID) + 1
"""Squares of points around a place, within which all points in reach are."""

Places = npt.NDArray[np.float64]
"""Points (x, z) in metres, one a row."""


@dataclass(frozen=True, eq=False, slots=True)
class Receptacle:
    """A fixture in or on which things can be placed.

    Attributes:
        thing: The fixture.
        pose: From where it is reached.
        level: Height on which things lie; of a holder, that of the middle of what hangs there.
        hanging: Whether things hang there by their middle.
        ceiling: Height that things may not exceed, or infinity.
        places: Where the middle of a small thing may be.
        obstacles: Footprints (low x, high x, low z, high z) of furniture in the way, one a row.
        area: The size of all places together, in square metres.
    """

    thing: SceneObject
    pose: Pose
    level: float
    hanging: bool
    ceiling: float
    places: Places
    obstacles: npt.NDArray[np.float64]
    area: float

    def holds(self, size: Vector) -> bool:
        """Whether a box of this size goes in at all."""
        if self.hanging or "single" in self.thing.traits.roles:
            return True
        width, depth = self.thing.size[0], self.thing.size[2]
        return size[0] <= width and size[2] <= depth and self.level + size[1] <= self.ceiling


@lru_cache(maxsize=128)
def receptacles(scene: Scene) -> tuple[Receptacle, ...]:
    """Return the fixtures of a scene that can be reached and hold things, in the scene's order.

    What items lie there at present is not looked at, except to learn the height on which they lie.
    """
    grid, floor = Grid.of(scene), _Floor.of(scene)
    fixtures = [thing for thing in scene.objects if not thing.traits.item]
    levels = item_levels(scene.objects)
    found = []
    for thing in fixtures:
        if not matters(thing) or not is_receptacle(thing):
            continue
        pose = stand_pose(scene, grid, thing)
        if pose is not None:
            receptacle = _receptacle(scene, thing, pose, fixtures, floor, levels)
            if len(receptacle.places):
                found.append(receptacle)
    return tuple(found)


def _receptacle(
    scene: Scene,
    thing: SceneObject,
    pose: Pose,
    fixtures: Sequence[SceneObject],
    floor: _Floor,
    levels: Mapping[str, float],
) -> Receptacle:
    kind, shape = thing.traits, shapes().get(thing.kind)
    hang = shape.hang if shape else None
    level = thing.centre[1] - hang if hang is not None else _level(scene, thing, levels)
    bounded = kind.closable or (shape is not None and shape.support == 0.0)
    ceiling = thing.top if bounded else float("inf")
    obstacles = np.empty((0, 4))
    step = 0.0
    if not kind.closable and hang is None:
        obstacles = np.array(
            [other.footprint for other in fixtures if _in_the_way(other, thing, level)], np.float64
        ).reshape(-1, 4)
    if hang is not None or "single" in kind.roles:
        places = np.array([[thing.centre[0], thing.centre[2]]])
    else:
        places = _outside(_raster(thing), obstacles)
        step = _step(thing)
        nearest = floor.distances(places)
        good = nearest < REACH - 0.1
        if thing.kind == "Floor" or (not kind.closable and level < scene.agent_y - PIVOT + ABOVE_HEAD):
            good &= nearest > ELBOW
        places = places[good]
    return Receptacle(thing, pose, level, hang is not None, ceiling, places, obstacles, len(places) * step * step)


def _level(scene: Scene, thing: SceneObject, levels: Mapping[str, float]) -> float:
    """Return the height on which things lie: as they do now, or as things usually do on its kind."""
    if thing.kind == "Floor":
        return scene.agent_y - PIVOT
    known = levels.get(thing.object_id)
    if known is not None:
        return known
    return thing.bottom + usual_support(thing.traits) * thing.size[1]


def _in_the_way(other: SceneObject, thing: SceneObject, level: float) -> bool:
    """Whether furniture stands or hangs where things would lie; what is around the receptacle does not."""
    if other.object_id == thing.object_id or other.kind == "Floor":
        return False
    low, high = other.bottom, other.top
    if high < level + 0.02 or low > level + HEADROOM:
        return False
    if low < level - 0.3 and high < level + 0.35:  # a chair pushed under a table
        return False
    outer, inner = other.footprint, thing.footprint
    around = (
        outer[0] <= inner[0] + 0.05
        and outer[1] >= inner[1] - 0.05
        and outer[2] <= inner[2] + 0.05
        and outer[3] >= inner[3] - 0.05
    )
    return not around


def _step(thing: SceneObject) -> float:
    return max(RASTER, math.sqrt(thing.size[0] * thing.size[2] / MOST_PLACES))


def _raster(thing: SceneObject) -> Places:
    low_x, high_x, low_z, high_z = thing.footprint
    axes = []
    for low, high in ((low_x, high_x), (low_z, high_z)):
        count = max(1, int((high - low) / _step(thing)))
        axes.append(low + (np.arange(count) + 0.5) * (high - low) / count)
    xs, zs = np.meshgrid(axes[0], axes[1], indexing="ij")
    return np.stack([xs.ravel(), zs.ravel()], axis=1)


def _outside(places: Places, boxes: npt.NDArray[np.float64]) -> Places:
    if not len(boxes):
        return places
    x, z = places[:, :1], places[:, 1:]
    inside = (boxes[:, 0] < x) & (x < boxes[:, 1]) & (boxes[:, 2] < z) & (z < boxes[:, 3])
    return places[~inside.any(axis=1)]


@dataclass(frozen=True, eq=False, slots=True)
class _Floor:
    """Where one can stand: marks of the points of the grid from a first one on, in steps of ``GRID``."""

    first_x: int
    first_z: int
    marks: npt.NDArray[np.bool_]

    @staticmethod
    def of(scene: Scene) -> _Floor:
        points = np.array(scene.grid, np.int64).reshape(-1, 2)
        if not len(points):
            return _Floor(0, 0, np.zeros((0, 0), np.bool_))
        low = points.min(axis=0)
        marks = np.zeros(points.max(axis=0) - low + 1, np.bool_)
        marks[tuple((points - low).T)] = True
        return _Floor(int(low[0]), int(low[1]), marks)

    def distances(self, places: Places) -> npt.NDArray[np.float64]:
        """Return how far each place is from the nearest standing point, or infinity where none is within reach."""
        found: npt.NDArray[np.float64] = np.sqrt(_least_squares(places, self.marks, self.first_x, self.first_z))
        return found


@njit()
def _least_squares(places: Places, marks: npt.NDArray[np.bool_], first_x: int, first_z: int) -> npt.NDArray[np.float64]:
    """Return the square of the distance from each place to the nearest marked point; infinity if that is far.

    Points are looked at in squares around a place, from the inside out.
    """
    found = np.full(len(places), np.inf)
    wide, long = marks.shape
    for number in range(len(places)):
        x, z = places[number, 0], places[number, 1]
        column, row = math.floor(x / GRID) - first_x, math.floor(z / GRID) - first_z
        least = np.inf
        for ring in range(RINGS):
            if least <= (ring * GRID) ** 2:
                break
            for i in range(column - ring, column + ring + 2):
                side = i == column - ring or i == column + ring + 1
                step = 1 if side else 2 * ring + 1
                for j in range(row - ring, row + ring + 2, step):
                    if 0 <= i < wide and 0 <= j < long and marks[i, j]:
                        across, along = x - (i + first_x) * GRID, z - (j + first_z) * GRID
                        least = min(least, across * across + along * along)
        found[number] = least
    return found
