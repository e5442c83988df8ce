"""Shortest routes through a room: a grid of standing points, 90 degree turns, steps of 0.25 m, looks.

The agent may tilt its camera anywhere (15 degrees a look, 30 in TEACh). So the cost of a route is the smallest
number of moves and turns, plus the number of looks between the two horizons. That is never more than the
demonstrations' policy: tilt to 45 degrees, walk, tilt to the goal's horizon. The policy gives the exact length of
ALFRED's walks.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.scene import GRID, HIGHEST, LOWEST, STEPS, Point, Pose, Scene

LOOK = 15
"""Degrees of one look, as ALFRED's demonstrators look."""
TEACH_LOOK = 30
"""The same for TEACh's."""
WALKING_HORIZON = 45
"""The camera's tilt while a demonstrator walks."""
LEVEL = 30
"""The camera's tilt at the start."""

UNREACHED = -1

Distances = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Motion:
    """What one action does to a pose.

    Attributes:
        step: The way of a step of one unit, in quarters of a turn to the right of where the agent looks; None for none.
        turns: Quarters of a turn to the right.
        looks: Looks down; negative: up.
    """

    step: int | None = None
    turns: int = 0
    looks: int = 0


@njit()
def _breadth_first(ahead: npt.NDArray[np.int32], sources: npt.NDArray[np.int32], found: Distances) -> None:
    """Fill ``found[k, 4 * point + rotation]`` with the number of moves and turns from the k-th source.

    Args:
        ahead: For each point and rotation the point that MoveAhead leads to, or -1.
        sources: States ``4 * point + rotation``.
        found: To be filled; all -1.
    """
    queue = np.empty(ahead.shape[0] * 4, np.int32)
    for k in range(sources.shape[0]):
        queue[0] = sources[k]
        found[k, sources[k]] = 0
        first, last = 0, 1
        while first < last:
            state = queue[first]
            first += 1
            point, rotation = state // 4, state % 4
            cost = found[k, state] + 1
            for turn in (1, 3):
                other = point * 4 + (rotation + turn) % 4
                if found[k, other] < 0:
                    found[k, other] = cost
                    queue[last] = other
                    last += 1
            step = ahead[point, rotation]
            if step >= 0 and found[k, step * 4 + rotation] < 0:
                found[k, step * 4 + rotation] = cost
                queue[last] = step * 4 + rotation
                last += 1


MOST_POSES = 384
"""Poses that a grid keeps, until it begins anew: things lie elsewhere in each game."""


class Grid:
    """The standing points of a room as a graph over (x, z, rotation), and the degrees of a look.

    Distances from and to a state are computed once and kept.

    Attributes:
        points: The standing points, sorted.
        look: Degrees of a look up or down.
        building: The walls of a house, through which nothing is reached; a room has none.
        poses: Where one stands to reach a fixture, kept by ``sight`` under what decides it.
    """

    def __init__(self, points: Sequence[Point], look: int = LOOK, building: Building | None = None) -> None:
        self.look, self.building = look, building
        self.points = tuple(sorted(set(points)))
        self.index = {point: number for number, point in enumerate(self.points)}
        self._ahead = np.full((len(self.points), 4), -1, np.int32)
        for number, (x, z) in enumerate(self.points):
            for rotation, (dx, dz) in enumerate(STEPS):
                self._ahead[number, rotation] = self.index.get((x + dx, z + dz), -1)
        self._behind = np.ascontiguousarray(self._ahead[:, [2, 3, 0, 1]])
        self._to: dict[int, Distances] = {}
        self._walkable: dict[Point, frozenset[Point]] = {}
        self.poses: dict[Hashable, tuple[Pose | None]] = {}
        self._rows = sorted(self.points, key=lambda point: (point[1], point[0]))
        self._metres = np.array(self._rows, np.float64).reshape(-1, 2) * GRID
        self._places = np.array(self.points, np.float64).reshape(-1, 2) * GRID

    @staticmethod
    def of(scene: Scene, look: int = LOOK) -> Grid:
        """Return the grid of a scene, without where others stand; scenes with the same points share one."""
        taken = scene.taken()
        points = tuple(point for point in scene.grid if point not in taken) if taken else scene.grid
        return _grid(points, look, scene.building)

    def __contains__(self, point: object) -> bool:
        return point in self.index

    def nearest(self, x: float, z: float) -> Point | None:
        """Return the standing point with the least |dx| + |dz| from a place in metres; None if there is none.

        In a house, no wall is between them.
        """
        if not self._rows:
            return None
        gaps = np.abs(self._metres - (x, z)).sum(axis=1)
        if self.building is None:
            return self._rows[int(gaps.argmin())]
        nearest = self._rows[int(gaps.argmin())]
        if self.is_open(nearest, x, z):
            return nearest
        order = np.argsort(gaps, kind="stable").tolist()
        return next((self._rows[number] for number in order if self.is_open(self._rows[number], x, z)), None)

    def within(self, x: float, z: float, across: float, along: float) -> list[Point]:
        """Return the standing points of a rectangle around a place: all in metres, the last two from its middle.

        In a house, no wall is between them and the place.
        """
        inside = np.flatnonzero((np.abs(self._places - (x, z)) <= (across, along)).all(axis=1))
        if self.building is not None:
            inside = inside[self.building.open_from(self._places[inside], x, z)]
        return [self.points[number] for number in inside.tolist()]

    def is_open(self, point: Point, x: float, z: float) -> bool:
        """Return whether no wall is between a standing point and a place in metres."""
        return self.building is None or self.building.is_open(point[0] * GRID, point[1] * GRID, x, z)

    def state(self, pose: Pose) -> int | None:
        """Return the number of the pose's (x, z, rotation), or None off the grid."""
        point = self.index.get((pose.x, pose.z))
        return None if point is None else point * 4 + pose.rotation

    def tilted(self, pose: Pose) -> Pose:
        """Return a pose with a tilt that looks can reach: the nearest, and of two the one nearer to 30 degrees.

        What is within 30 degrees of the middle of the picture at first is within 45 afterwards.
        """
        if pose.horizon % self.look == 0:
            return pose
        below = pose.horizon - pose.horizon % self.look
        return replace(pose, horizon=min(below, below + self.look, key=lambda tilt: abs(tilt - LEVEL)))

    def distances(self, poses: Sequence[Pose]) -> npt.NDArray[np.int32]:
        """Return how many moves, turns and looks lead from each pose to each by a shortest route; -1 without one."""
        states = [self.state(pose) for pose in poses]
        sources = np.array(sorted({state for state in states if state is not None}), np.int32)
        found = np.full((len(sources), len(self.points) * 4), UNREACHED, np.int32)
        _breadth_first(self._ahead, sources, found)
        row = {int(state): number for number, state in enumerate(sources)}
        known = np.array([state is not None for state in states], bool)
        columns = np.array([state or 0 for state in states], np.int64)
        rows = np.array([0 if state is None else row[state] for state in states], np.int64)
        matrix = (
            found[rows[:, None], columns[None, :]] if len(sources) else np.full((len(poses),) * 2, UNREACHED, np.int32)
        )
        tilts = np.array([pose.horizon for pose in poses], np.int64) // self.look
        both = known[:, None] & known[None, :] & (matrix != UNREACHED)
        with_looks = matrix + np.abs(tilts[:, None] - tilts[None, :])
        return np.where(both, with_looks, UNREACHED).astype(np.int32)

    def reachable(self, start: Pose) -> frozenset[Point]:
        """Return the points that can be walked to from a pose; they share one set, as each step has its way back."""
        first = self.state(start)
        if first is None:
            return frozenset()
        place = (start.x, start.z)
        if place not in self._walkable:
            there = frozenset(compress(self.points, (self._steps(self._ahead, first)[::4] != UNREACHED).tolist()))
            self._walkable |= dict.fromkeys(there, there)
        return self._walkable[place]

    def distances_from(self, start: Pose) -> Distances:
        """Return the number of moves and turns from a pose on the grid to each point and rotation; -1: no route."""
        return self._steps(self._ahead, self.state(start)).reshape(-1, 4)

    def after(self, pose: Pose, motion: Motion) -> Pose | None:
        """Return where a step, turn or look leads from a pose; None if it cannot be made."""
        x, z = pose.x, pose.z
        if motion.step is not None:
            dx, dz = STEPS[(pose.rotation + motion.step) % 4]
            x, z = x + dx, z + dz
        horizon = pose.horizon + motion.looks * self.look
        if (x, z) not in self.index or not HIGHEST <= horizon <= LOWEST:
            return None
        return Pose(x, z, (pose.rotation + motion.turns) % 4, horizon)

    def route(self, start: Pose, goal: Pose, rng: np.random.Generator | None = None) -> tuple[str, ...] | None:
        """Return a shortest route as actions, or None if there is none.

        Of the shortest walks it takes the one that turns as early as it can. It tilts towards 45 degrees before
        walking, the rest after.

        Args:
            start: Where the agent stands.
            goal: Where it shall stand.
            rng: Decides where a turn to the left and one to the right are as short; without it, left.
        """
        first, last = self.state(start), self.state(goal)
        if first is None or last is None:
            return None
        togo = self._distances_to(last)
        if togo[first] == UNREACHED:
            return None
        low, high = sorted((start.horizon, goal.horizon))
        walking = min(max(WALKING_HORIZON, low), high)
        walking = self.tilted(replace(start, horizon=walking)).horizon
        before = _looks(start.horizon, walking, self.look)
        return (*before, *self._walk(first, last, togo, rng), *_looks(walking, goal.horizon, self.look))

    def _walk(self, state: int, last: int, togo: Distances, rng: np.random.Generator | None) -> list[str]:
        actions = []
        while state != last:
            point, rotation = divmod(state, 4)
            step = self._ahead[point, rotation]
            options = [("RotateLeft", point * 4 + (rotation + 3) % 4)]
            options.append(("RotateRight", point * 4 + (rotation + 1) % 4))
            if step >= 0:
                options.append(("MoveAhead", int(step) * 4 + rotation))
            shortest = [option for option in options if togo[option[1]] == togo[state] - 1]
            tied = rng is not None and [action for action, _ in shortest[:2]] == ["RotateLeft", "RotateRight"]
            action, state = shortest[int(rng.integers(2)) if tied and rng is not None else 0]
            actions.append(action)
        return actions

    def _distances_to(self, goal: int) -> Distances:
        """Return the number of moves and turns from every state to a goal state."""
        known = self._to.get(goal)
        if known is None:
            known = self._to[goal] = self._steps(self._behind, goal)
        return known

    def _steps(self, table: Distances, state: int | None) -> Distances:
        """Return the steps from a state to each, or to it if the table has what is behind."""
        found = np.full((1, len(self.points) * 4), UNREACHED, np.int32)
        _breadth_first(table, np.array([state], np.int32), found)
        steps: Distances = found[0]
        return steps


_grid = lru_cache(maxsize=256)(Grid)


def looks(start: Pose, goal: Pose, look: int = LOOK) -> int:
    """Return the number of looks between the horizons of two poses."""
    return abs(goal.horizon - start.horizon) // look


def _looks(start: int, goal: int, look: int) -> list[str]:
    return ["LookDown" if goal > start else "LookUp"] * (abs(goal - start) // look)
