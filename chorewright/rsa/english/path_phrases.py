"""A walked path in words: turns, coarse distances and the landmarks on the way.

A path of low-level actions is cut into straight runs. As people do, the wording drops small side steps until the
remaining runs fit into one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.problems.thor.scene import GRID, Pose, Vector
from chorewright.rsa.english.phrases import Voice, in_sequence, pick

FORWARD: tuple[tuple[int, int], ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The step (x, z) of each rotation."""

TURNS = ("", "right", "around", "left")
"""The word for a change of rotation of 0, 90, 180 and 270 degrees clockwise."""

_PLACING = ("on", "in", "to", "next", "by", "beside", "above", "below", "under", "with", "from")


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


@dataclass(frozen=True, slots=True)
class Landmark:
    """Something big enough to serve as a landmark: its name, and its box's centre and size in metres."""

    name: str
    centre: Vector
    size: Vector


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


def seen_from(pose: Pose, point: Vector) -> tuple[float, float, float]:
    """Return how far to the right of the agent, above the room's zero and ahead a point is, in metres."""
    dx, dz = point[0] - pose.x * GRID, point[2] - pose.z * GRID
    ahead_x, ahead_z = FORWARD[pose.rotation]
    return dx * ahead_z - dz * ahead_x, point[1], dx * ahead_x + dz * ahead_z


def _extent(landmark: Landmark, rotation: int) -> tuple[float, float]:
    """Return a landmark's half width and half depth, seen along a rotation."""
    across, along = (0, 2) if rotation % 2 == 0 else (2, 0)
    return landmark.size[across] / 2, landmark.size[along] / 2


def ahead(run: Run, landmarks: Sequence[Landmark], but: Sequence[str]) -> Landmark | None:
    """Return the landmark ahead within a metre of the end of a run, except those called ``but``."""
    pose = Pose(run.end[0], run.end[1], run.rotation, 0)
    best: tuple[float, int] | None = None
    for index, landmark in enumerate(landmarks):
        right, _, forward = seen_from(pose, landmark.centre)
        width, depth = _extent(landmark, run.rotation)
        gap = forward - depth
        beside = abs(right) <= width + 0.1 and -0.1 <= gap <= 1.0 and forward > 0
        if beside and landmark.name not in but and (best is None or gap < best[0]):
            best = (gap, index)
    return landmarks[best[1]] if best else None


def passed(run: Run, landmarks: Sequence[Landmark], but: Sequence[str]) -> Landmark | None:
    """Return the nearest landmark that a run passes within a metre, well before its end."""
    pose = Pose(run.end[0], run.end[1], run.rotation, 0)
    best: tuple[float, int] | None = None
    for index, landmark in enumerate(landmarks):
        right, _, forward = seen_from(pose, landmark.centre)
        width, depth = _extent(landmark, run.rotation)
        gap = abs(right) - width
        behind = -forward - depth
        beside = 0 <= gap <= 1.0 and behind >= 0.25 and -forward + depth <= run.steps * GRID
        if beside and landmark.name not in but and (best is None or gap < best[0]):
            best = (gap, index)
    return landmarks[best[1]] if best else None


def distance(steps: int, room: float) -> str:
    """Return the name of the word group for a walk of ``steps`` steps in a room that is ``room`` metres long."""
    if steps <= 1:
        return "one step"
    if steps <= 4:
        return "few steps"
    return "cross room" if steps * GRID >= max(2.5, 0.6 * room) else "go straight"


def describe_route(
    route: Route,
    goal: str,
    landmarks: Sequence[Landmark],
    room: float,
    voice: Voice,
    rng: np.random.Generator,
    back: bool = False,
    low: bool = False,
) -> str:
    """Return directions along a route to ``goal`` (a noun phrase), without capital and full stop.

    ``room`` is the room's length in metres; ``back`` says that one has been at the goal before, ``low`` that
    it is near the floor.
    """
    if not route.runs:
        return _turn_only(route, goal, voice, rng, low)
    most = (1, 1, 2)[voice.detail] + int(rng.random() < (0.0, 0.2, 0.15)[voice.detail])
    whole, route = route, simplify(route, most)
    while turn(route.runs[-1].rotation, route.end.rotation) == "around" and len(route.runs) == most < 4:
        most += 1  # what was forgotten is most of the way to the goal
        route = simplify(whole, most, exact=True)
    heading = route.start.rotation
    clauses: list[str] = []
    used = [goal]
    for run in route.runs[:-1]:
        move = _move(run, landmarks, used, room, voice, rng)
        clauses.append(_turn_and(turn(heading, run.rotation), move, voice, rng))
        heading = run.rotation
    final = route.runs[-1]
    final_turn = turn(final.rotation, route.end.rotation)
    arrive, facing = _arrive(final, final_turn, goal, landmarks, used, room, voice, rng, back)
    clauses.append(_turn_and(turn(heading, final.rotation), arrive, voice, rng))
    if facing:
        clauses.append(facing)
    return in_sequence(clauses, voice.word("and then", rng))


def _turn_and(direction: str, move: str, voice: Voice, rng: np.random.Generator) -> str:
    """Return a turn followed by a move."""
    if not direction:
        return move
    said = _turn_words(direction, voice, rng)
    return f"{said} and {move}"


def _face(direction: str, goal: str, voice: Voice, rng: np.random.Generator) -> str:
    if direction == "around":
        return f"{voice.word('turn around to face', rng)} {goal}"
    return f"{voice.word('turn to face', rng).format(side=direction)} {goal}"


def _turn_words(direction: str, voice: Voice, rng: np.random.Generator) -> str:
    if direction == "around":
        return "turn around"
    return voice.word("turn", rng).format(side=direction)


def _move(
    run: Run,
    landmarks: Sequence[Landmark],
    used: list[str],
    room: float,
    voice: Voice,
    rng: np.random.Generator,
) -> str:
    """Say a run that is not the last: to a landmark if one is ahead, past one if it is long, else how far."""
    if voice.detail and run.steps > 1:
        landmark = ahead(run, landmarks, used)
        if landmark:
            used.append(landmark.name)
            return f"{voice.word('go', rng)} {voice.word('towards', rng)} {landmark.name}"
        landmark = passed(run, landmarks, used) if run.steps > 4 else None
        if landmark:
            used.append(landmark.name)
            return f"{voice.word('go', rng)} past {landmark.name}"
    return voice.word(distance(run.steps, room), rng).format(go=voice.word("go", rng))


def _arrive(
    run: Run,
    final_turn: str,
    goal: str,
    landmarks: Sequence[Landmark],
    used: list[str],
    room: float,
    voice: Voice,
    rng: np.random.Generator,
    back: bool,
) -> tuple[str, str]:
    """Say the last run and the turn after it."""
    go = voice.word("go", rng)
    if back and rng.random() < 0.75:
        to = f"{go} back to" if rng.random() < 0.8 else "return to"
    elif run.steps <= 1:
        to = pick(("take a step to", "step over to", "step up to"), rng)
    elif run.steps <= 4:
        to = pick(("take a few steps to", f"{go} to", f"{go} a few steps to"), rng)
    elif distance(run.steps, room) == "cross room" and rng.random() < 0.3:
        to = pick((f"{go} across the room to", "cross the room to"), rng)
    else:
        to = f"{go} {voice.word('to', rng)}"
    if not final_turn:
        return f"{to} {goal}", ""
    if final_turn == "around":
        return _move(run, landmarks, used, room, voice, rng), _face(final_turn, goal, voice, rng)
    placed = is_placed(goal)
    if placed and rng.random() < (1.0, 0.6, 0.25)[voice.detail]:
        return f"{to} {goal}", ""
    if not placed and rng.random() < (1.0, 0.8, 0.4)[voice.detail]:
        return f"{to} {goal} on {pick(('your', 'the'), rng)} {final_turn}", ""
    move = _move(run, landmarks, used, room, voice, rng)
    return move, _face(final_turn, goal, voice, rng)


def is_placed(phrase: str) -> bool:
    """Whether a noun phrase already says where the thing is, so that ``on your left`` after it would be misread."""
    return any(f" {word} " in phrase for word in _PLACING)


def _turn_only(route: Route, goal: str, voice: Voice, rng: np.random.Generator, low: bool) -> str:
    """Say a path without steps: a turn, or a look up or down."""
    direction = turn(route.start.rotation, route.end.rotation)
    if direction:
        return _face(direction, goal, voice, rng)
    tilt = route.end.horizon - route.start.horizon
    down = "bend down to" if low else "look down at"
    group = down if tilt > 0 else "look up at" if tilt < 0 else "look at"
    return f"{voice.word(group, rng)} {goal}"
