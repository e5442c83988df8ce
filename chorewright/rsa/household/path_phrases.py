"""A walked path as people see it: a few straight runs between turns.

A path of low-level actions is cut into straight runs. As people do, small side steps are forgotten until the
remaining runs fit into one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chorewright.problems.household.scene import Pose

FORWARD: tuple[tuple[int, int], ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step (x, z) of each rotation."""

TURNS = ("", "right", "around", "left")
"""The word for a change of rotation of 0, 90, 180 and 270 degrees clockwise."""


@dataclass(frozen=True, slots=True)
class Run:
    """Steps in one direction, ending at ``end`` (x, z in units of the grid)."""

    rotation: int
    steps: int
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Route:
    """A path as straight runs between two poses."""

    start: Pose
    end: Pose
    runs: tuple[Run, ...]

    @property
    def steps(self) -> int:
        """The number of steps in all runs."""
        return sum(run.steps for run in self.runs)


def trace(start: Pose, actions: Sequence[str]) -> Route:
    """Follow low-level actions (``MoveAhead`` or ``MoveAhead_25``; others change nothing) from a pose."""
    x, z, rotation, horizon = start.x, start.z, start.rotation, start.horizon
    runs: list[Run] = []
    for name in actions:
        action = name.partition("_")[0]
        if action == "MoveAhead":
            x, z = x + FORWARD[rotation][0], z + FORWARD[rotation][1]
            if runs and runs[-1].rotation == rotation:
                runs[-1] = Run(rotation, runs[-1].steps + 1, (x, z))
            else:
                runs.append(Run(rotation, 1, (x, z)))
        elif action in ("RotateLeft", "RotateRight"):
            rotation = (rotation + (1 if action == "RotateRight" else 3)) % 4
        elif action in ("LookUp", "LookDown"):
            horizon += 15 if action == "LookDown" else -15
    return Route(start, Pose(x, z, rotation, horizon), tuple(runs))


def simplify(route: Route, most: int, exact: bool = False) -> Route:
    """Drop the shortest runs and merge runs in the same direction, until at most ``most`` (>= 1) are left.

    Side steps of up to half a metre on a longer way are forgotten in any case, unless ``exact``.
    """
    runs = list(route.runs)
    small = 0 if exact else 2 if route.steps >= 6 else 1 if route.steps >= 3 else 0
    while len(runs) > 1:
        shortest = min(range(len(runs)), key=lambda index: (runs[index].steps, index))
        if runs[shortest].steps > small and len(runs) <= most:
            break
        del runs[shortest]
        merged: list[Run] = []
        for run in runs:
            if merged and merged[-1].rotation == run.rotation:
                merged[-1] = Run(run.rotation, merged[-1].steps + run.steps, run.end)
            else:
                merged.append(run)
        runs = merged
    return Route(route.start, route.end, tuple(runs))


def turn(before: int, after: int) -> str:
    """Return the word for turning from one rotation to another; empty if they are the same."""
    return TURNS[(after - before) % 4]
