"""Shortest ways to a target: the fewest metres, and of those the fewest turns and looks."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from chorewright.problems.household.navigation import STEPS
from chorewright.problems.household.scene import GRID, Point, Pose, Scene, SceneObject
from chorewright.replay.household.picture import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import Room
from chorewright.replay.household.visibility import floor_distance, in_view
from chorewright.replay.objectnav.task import AHEAD, DOWN, HORIZONS, LEFT, LOOK, PIXELS, RIGHT, SETTINGS, SIZE, UP

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
        place = (point[0] * GRID, 0.0, point[1] * GRID)
        return any(floor_distance(place, body.centre, body.size) <= SETTINGS.reach for body in self.bodies)

    def poses(self, point: Point) -> Iterator[Pose]:
        """Yield the poses at a point from which a thing is visible."""
        if self.is_near(point):
            poses = (Pose(*point, rotation, horizon) for rotation in range(4) for horizon in HORIZONS)
            yield from (pose for pose in poses if self.sees(pose))

    def shows(self, point: Point) -> bool:
        """Return whether a thing is visible from some pose at a point."""
        return next(self.poses(point), None) is not None

    def sees(self, pose: Pose) -> bool:
        """Return whether a thing is visible from a pose."""
        found = self._seen.get(pose)
        if found is None:
            _stand(self._room, pose)
            found = any(self._room.visible(body) and self._shown(body) for body in self.bodies)
            self._seen[pose] = found
        return found

    def seen_afar(self, pose: Pose) -> Iterator[SceneObject]:
        """Yield the things that are in the picture from a pose, however far they are."""
        _stand(self._room, pose)
        camera, planes = self._room.camera(), self._room.view(0.0)
        building = self._scene.building
        for body in self.bodies:
            unwalled = building is None or building.shows(camera[0], camera[2], body.centre, body.size)
            if unwalled and in_view(planes, camera, body.centre, body.size) and self._shown(body):
                yield body

    def _shown(self, body: SceneObject) -> bool:
        mask = self._renderer.masks.mask(self._scene, agent_camera(self._room, SIZE), body.object_id)
        return int(mask.sum()) >= PIXELS


def _stand(room: Room, pose: Pose) -> None:
    room.x, room.z, room.rotation, room.horizon = pose.x, pose.z, 90.0 * pose.rotation, float(pose.horizon)


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
    found, queue = {start: 0}, deque([start])
    while queue:
        x, z = queue.popleft()
        for dx, dz in STEPS:
            point = (x + dx, z + dz)
            if point in points and point not in found:
                found[point] = found[x, z] + 1
                queue.append(point)
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
    state, actions, points = ((end.x, end.z), end.rotation), list(look_actions(start.horizon, end.horizon)), []
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


def look_actions(start: int, end: int) -> tuple[str, ...]:
    """Return the looks from one tilt to another."""
    return ((DOWN if end > start else UP),) * (abs(end - start) // LOOK)


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
