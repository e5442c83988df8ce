"""An episode of ObjectNav: what it is, the shortest ways to its target, and how it is played and ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.free_space import walk_from
from chorewright.problems.household.scene import GRID, STEPS, Point, Pose, Scene, SceneObject
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import Room, RoomSettings
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Event, Frame, SimulatorAction

# What an episode of ObjectNav is: a scene with the agent at its start, and a kind of thing to find.
#
# As in AI2-THOR's ObjectNav (RoboTHOR's challenge; ProcTHOR, Deitke et al. 2022) an episode is a success if the agent
# ends it by ``Done`` while a thing of the kind is visible within 1 m. Steps are those of the scene's grid: 0.25 m,
# quarter turns, looks of 30 degrees.


SETTINGS = RoomSettings(reach=1.0, field_of_view=90.0, margin=0.0, camera_height=0.675, turn=90.0, tilt=30.0)
"""A thing is visible up to 1 m away on the floor plane, from the camera to its box."""

LOOK = 30
"""Degrees of a look."""

HORIZONS = (-30, 0, 30, 60)
"""The camera's tilts."""

START_HORIZON = 30
"""The tilt at the start."""

PIXELS = 14
"""Pixels of a thing that must be seen, of 300 x 300: that is the smallest mask in ALFRED's data."""

SIZE = 300
"""Pixels on a side of the picture in which they are counted."""

AHEAD, LEFT, RIGHT, UP, DOWN, DONE = ACTIONS = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown", "Done")

MOST_STEPS = 500
"""Actions after which an episode is over, as in the challenges."""


@dataclass(frozen=True, slots=True)
class NavigationTask:
    """An episode as agents get it.

    Attributes:
        name: Which one.
        scene: The room or house, the agent at the start. All that lies in it is there: an agent that looks at more than
            the floor plan compares with others that do.
        target: The kind of thing to find.
        shortest: Metres of a shortest path to where it is visible.
        split: The split of the scene.
    """

    name: str
    scene: Scene
    target: str
    shortest: float
    split: str = ""

    @property
    def start(self) -> Pose:
        """Where the agent starts."""
        return self.scene.agent


# Shortest ways to a target: the fewest metres, and of those the fewest turns and looks.


# From where a target is visible: in reach, in the picture, behind no wall or door, and not hidden by other things.


class Goals:
    """The poses in a scene from which a thing of a kind is visible. What was found out is kept.

    Attributes:
        bodies: The things of the kind that are not shut in.
    """

    def __init__(self, scene: Scene, target: str, renderer: Renderer) -> None:
        self._room = Room(scene, SETTINGS)
        self._scene, self._renderer = scene, renderer
        things = (body for body in scene.objects if body.kind == target and not body.is_consumed)
        self.bodies = tuple(body for body in things if self._room.closed_around(body.object_id) is None)
        self._seen: dict[Pose, bool] = {}

    def only(self, body: SceneObject) -> Goals:
        """Return the goals if one thing were the only one of its kind."""
        found = Goals(self._scene, body.kind, self._renderer)
        found.bodies = tuple(each for each in found.bodies if each.object_id == body.object_id)
        return found

    def is_near(self, point: Point) -> bool:
        """Return whether a thing is in reach from a point, seen or not."""
        x, z = point[0] * GRID, point[1] * GRID
        return any(floor_distance(x, z, body.centre, body.size) <= SETTINGS.reach for body in self.bodies)

    def poses(self, point: Point) -> Iterator[Pose]:
        """Yield the poses at a point from which a thing is visible."""
        if self.is_near(point):
            yield from filter(self.sees, poses_at(point))

    def shows(self, point: Point) -> bool:
        """Return whether a thing is visible from some pose at a point."""
        return next(self.poses(point), None) is not None

    def sees(self, pose: Pose) -> bool:
        """Return whether a thing is visible from a pose."""
        found = self._seen.get(pose)
        if found is None:
            self._room.place_agent(pose)
            found = any(self._room.visible(body) and self._shown(body) for body in self.bodies)
            self._seen[pose] = found
        return found

    def seen_afar(self, pose: Pose) -> Iterator[SceneObject]:
        """Yield the things that are in the picture from a pose, however far they are."""
        self._room.place_agent(pose)
        yield from (body for body in self.bodies if self._room.sees(body.centre, body.size, 0.0) and self._shown(body))

    def _shown(self, body: SceneObject) -> bool:
        mask = self._renderer.masks.mask(self._scene, agent_camera(self._room, SIZE), body.object_id)
        return int(mask.sum()) >= PIXELS


def poses_at(point: Point) -> Iterator[Pose]:
    """Yield the poses at a point."""
    return (Pose(*point, rotation, horizon) for rotation in range(4) for horizon in HORIZONS)


TURNS: Mapping[int, tuple[str, ...]] = {0: (), 1: (RIGHT,), 2: (RIGHT, RIGHT), 3: (LEFT,)}
"""Actions by quarter turns to the right."""


@dataclass(frozen=True, slots=True)
class NavigationWay:
    """A way to a pose from which a target is visible, without the action that ends the episode."""

    actions: tuple[str, ...]
    points: tuple[Point, ...]
    end: Pose

    @property
    def metres(self) -> float:
        """Its length."""
        return metres(len(self.points) - 1)


def metres(steps: int) -> float:
    """Return how far so many steps lead."""
    return steps * GRID


def walking_steps(points: Collection[Point], start: Point) -> dict[Point, int]:
    """Return the points that can be walked to, nearest first, each with its steps from the start."""
    found = {start: 0}
    for point, before in walk_from(start, points.__contains__).items():
        found.setdefault(point, found[before] + 1)
    return found


def steps_to_goal(steps: Mapping[Point, int], goals: Goals) -> int | None:
    """Return the fewest steps after which a target is visible, whichever way one turns then; None if it never is."""
    return next((count for point, count in steps.items() if goals.shows(point)), None)


def shortest_way(points: Collection[Point], start: Pose, goals: Goals) -> NavigationWay | None:
    """Return the shortest way to where a target is visible; None if there is none."""
    steps = walking_steps(points, (start.x, start.z))
    for count, same in groupby(steps.items(), key=lambda item: item[1]):
        ends = [pose for point, _ in same for pose in goals.poses(point)]
        if ends:
            return _best({point: each for point, each in steps.items() if each <= count}, start, ends)
    return None


def way_to(points: Collection[Point], start: Pose, ends: Iterable[Pose]) -> NavigationWay | None:
    """Return the shortest way to one of some poses; None if there is none."""
    steps = walking_steps(points, (start.x, start.z))
    reached = [pose for pose in ends if (pose.x, pose.z) in steps]
    if not reached:
        return None
    least = min(steps[pose.x, pose.z] for pose in reached)
    near = [pose for pose in reached if steps[pose.x, pose.z] == least]
    return _best({point: each for point, each in steps.items() if each <= least}, start, near)


def _best(steps: Mapping[Point, int], start: Pose, ends: Iterable[Pose]) -> NavigationWay:
    """Return the way with the fewest turns and looks among those with the fewest steps.

    Args:
        steps: The points that may be on the way, nearest first, with their steps from the start.
        start: Where it begins.
        ends: Where it may end.
    """
    turned, came = _fewest_turns(steps, start)
    end = min(ends, key=lambda pose: (turned[(pose.x, pose.z), pose.rotation] + looks(start, pose), pose))
    actions = [DOWN if end.horizon > start.horizon else UP] * looks(start, end)
    state, points = ((end.x, end.z), end.rotation), []
    while state != ((start.x, start.z), start.rotation):
        before = came[state]
        turn = TURNS[(state[1] - before[1]) % 4]
        if state[0] != before[0]:
            points.append(state[0])
            turn = (AHEAD,)
        actions[:0] = turn
        state = before
    return NavigationWay(tuple(actions), ((start.x, start.z), *reversed(points)), end)


_State = tuple[Point, int]


def _fewest_turns(steps: Mapping[Point, int], start: Pose) -> tuple[dict[_State, int], dict[_State, _State]]:
    """Return the turns to each point and rotation on a way with the fewest steps, and the state before each."""
    turned: dict[_State, int] = {}
    came: dict[_State, _State] = {}
    for point, count in steps.items():
        arrived: dict[int, int] = {start.rotation: 0} if count == 0 else {}
        for rotation, (dx, dz) in enumerate(STEPS):
            before = (point[0] - dx, point[1] - dz)
            if count and steps.get(before) == count - 1:
                arrived[rotation] = turned[before, rotation]
                came[point, rotation] = (before, rotation)
        for rotation in range(4):
            costs = {each: turns + len(TURNS[(rotation - each) % 4]) for each, turns in arrived.items()}
            best = min(costs, key=lambda each: (costs[each], each != rotation, each))
            turned[point, rotation] = costs[best]
            if best != rotation:
                came[point, rotation] = (point, best)
    return turned, came


def looks(start: Pose, end: Pose) -> int:
    """Return the number of looks between the tilts of two poses."""
    return abs(end.horizon - start.horizon) // LOOK


def follow(start: Pose, actions: Iterable[str]) -> Iterator[Pose]:
    """Yield the pose after each action, if none is blocked."""
    pose = start
    for action in actions:
        if action == AHEAD:
            dx, dz = STEPS[pose.rotation]
            pose = replace(pose, x=pose.x + dx, z=pose.z + dz)
        elif action in (LEFT, RIGHT):
            pose = replace(pose, rotation=(pose.rotation + (1 if action == RIGHT else 3)) % 4)
        elif action in (UP, DOWN):
            pose = replace(pose, horizon=pose.horizon + (LOOK if action == DOWN else -LOOK))
        yield pose


PICTURE = 300
"""Pixels on a side of an agent's picture where it names none."""


@dataclass(frozen=True, slots=True)
class NavigationObservation:
    """What an agent gets to know of a moment; pictures and metadata are made when it asks for them.

    Attributes:
        target: The kind of thing to find.
        success: Whether the last action could be done.
        message: Why it could not; else empty.
    """

    target: str
    success: bool
    message: str
    _world: NavigationWorld

    @property
    def pose(self) -> Pose:
        """Where the agent is, in steps and quarter turns (GPS and compass)."""
        return self._world.pose

    def rgb(self, size: int = PICTURE) -> NDArray[np.uint8]:
        """Return the picture: rows, columns, and red, green and blue."""
        return self.frame(size).rgb

    def depth(self, size: int = PICTURE) -> NDArray[np.float32]:
        """Return the depths of the picture in metres."""
        return self.frame(size).depth

    def frame(self, size: int = PICTURE) -> Frame:
        """Return the picture with depths and instances."""
        return self._world.thor.frame(size)

    def metadata(self) -> Mapping[str, object]:
        """Return AI2-THOR's metadata: the agent, and all objects with ``visible`` and ``distance``."""
        return self._world.thor.metadata()

    def seen(self) -> tuple[SceneObject, ...]:
        """Return the targets in the picture, however far they are."""
        return self._world.seen()


class NavigationWorld:
    """Plays one episode after the other.

    Attributes:
        steps: Actions so far.
        walked: Metres so far.
        done: Whether the agent has said ``Done``.
        success: Whether a target was visible then.
    """

    def __init__(self) -> None:
        self.thor = ThorWorld(SETTINGS)
        self.renderer = Renderer()

    def reset(self, task: NavigationTask) -> NavigationObservation:
        """Begin an episode."""
        self.task, self.goals = task, Goals(task.scene, task.target, self.renderer)
        self.thor.reset(task.scene)
        self.steps = self._moved = 0
        self.done = self.success = False
        return NavigationObservation(task.target, True, "", self)

    def step(self, action: str) -> NavigationObservation:
        """Do an action: one of ``ACTIONS``; another one, and one that is blocked, changes nothing."""
        self.steps += 1
        if action not in ACTIONS:
            message = f"there is no action {action!r:.40}; there are {', '.join(ACTIONS)}"
            return NavigationObservation(self.task.target, False, message, self)
        event: Event = self.thor.step(SimulatorAction(action))
        if action == DONE:
            self.done, self.success = True, self.goals.sees(self.pose)
        self._moved += action == AHEAD and event.success
        return NavigationObservation(self.task.target, event.success, event.error_message, self)

    @property
    def walked(self) -> float:
        """Metres so far."""
        return metres(self._moved)

    @property
    def pose(self) -> Pose:
        """Where the agent is."""
        return self.thor.room.pose()

    def left(self) -> float:
        """Return metres of a shortest path from here to where a target is visible; -1 if there is none."""
        steps = steps_to_goal(walking_steps(frozenset(self.task.scene.grid), (self.pose.x, self.pose.z)), self.goals)
        return -1.0 if steps is None else metres(steps)

    def seen(self) -> tuple[SceneObject, ...]:
        """Return the targets in the picture, however far they are."""
        return tuple(self.goals.seen_afar(self.pose))
