"""Where on a receptacle things can lie: a raster of free places, judged by boxes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.containment import is_receptacle, matters
from chorewright.problems.household.free_space import PIVOT, footprint
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.resting import item_levels
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.shapes import shapes
from chorewright.problems.household.stand import REACH, stand_pose

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


def receptacles(scene: Scene) -> tuple[Receptacle, ...]:
    """Return the fixtures of a scene that can be reached and hold things, in the scene's order.

    What items lie there at present is not looked at, except to learn the height on which they lie.
    """
    return _receptacles(scene)


@lru_cache(maxsize=128)
def _receptacles(scene: Scene) -> tuple[Receptacle, ...]:
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
    ceiling = thing.centre[1] + thing.size[1] / 2 if bounded else float("inf")
    obstacles = np.empty((0, 4))
    step = 0.0
    if not kind.closable and hang is None:
        obstacles = np.array(
            [footprint(other) for other in fixtures if _in_the_way(other, thing, level)], np.float64
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
    shape = shapes().get(thing.kind)
    usual = shape.support if shape and shape.support is not None else None
    if usual is None:
        usual = 0.05 if thing.traits.inside else 1.0
    return thing.centre[1] - thing.size[1] / 2 + usual * thing.size[1]


def _in_the_way(other: SceneObject, thing: SceneObject, level: float) -> bool:
    """Whether furniture stands or hangs where things would lie; what is around the receptacle does not."""
    if other.object_id == thing.object_id or other.kind == "Floor":
        return False
    low, high = other.centre[1] - other.size[1] / 2, other.centre[1] + other.size[1] / 2
    if high < level + 0.02 or low > level + HEADROOM:
        return False
    if low < level - 0.3 and high < level + 0.35:  # a chair pushed under a table
        return False
    outer, inner = footprint(other), footprint(thing)
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
    low_x, high_x, low_z, high_z = footprint(thing)
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
