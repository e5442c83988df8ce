"""Agents that play ObjectNav: at random, and along the shortest path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, STEPS, Point, Pose, Scene, SceneObject
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import Room
from chorewright.replay.objectnav import world


class NavigationAgent(Protocol):
    """Plays episodes one after the other; the same random numbers give the same play."""

    def begin(self, task: world.NavigationTask, rng: np.random.Generator) -> None:
        """Begin an episode.

        ``task.target`` is the kind to find. The task has the scene, too, with all that is in it: what an agent looks
        at there decides with whom it compares.
        """
        ...

    def act(self, observation: world.NavigationObservation) -> str:
        """Return the next action, after an observation; ``Done`` ends the episode."""
        ...


class RandomNavigator:
    """Does one of the actions, each as likely."""

    def begin(self, task: world.NavigationTask, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: world.NavigationObservation) -> str:
        return world.ACTIONS[int(self._rng.integers(len(world.ACTIONS)))]


class ShortestPathAgent:
    """Walks the shortest path: it knows where everything is."""

    def __init__(self) -> None:
        self._renderer = Renderer()

    def begin(self, task: world.NavigationTask, rng: np.random.Generator) -> None:
        goals = world.Goals(task.scene, task.target, self._renderer)
        way = world.shortest_way(frozenset(task.scene.grid), task.start, goals)
        self._actions: Iterator[str] = iter(way.actions if way is not None else ())

    def act(self, observation: world.NavigationObservation) -> str:
        return next(self._actions, world.DONE)


# An expert that finds a thing without knowing where it is: it goes where such things are likely, and looks.
#
# It knows the floor plan: where one can stand, the walls, and of each room what it is. It does not know what is in the
# rooms. Of things it knows what it has seen, and in what kinds of rooms they are usually found (``likelihood``).


# How likely a kind of thing is in a kind of room: counted in iTHOR's 120 rooms.
#
# It is what somebody knows of homes who has not been in this one.


DOUBT = 0.5
"""Rooms that are counted besides those that have a thing: nothing is ruled out."""


@lru_cache(maxsize=1)
def _counts() -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Count rooms by kind, and rooms that have a thing by the kinds of both."""
    rooms: Counter[str] = Counter()
    having: Counter[tuple[str, str]] = Counter()
    for name in room_names():
        scene = load_room(name)
        rooms[scene.room_kind] += 1
        having.update((kind, scene.room_kind) for kind in {body.kind for body in scene.objects})
    return rooms, having


def chance_in_room(kind: str, room_kind: str) -> float:
    """Return how likely a room of a kind has a thing of a kind; of what nobody knows, all rooms are as likely."""
    rooms, having = _counts()
    return (having[kind, room_kind] + DOUBT) / (rooms[room_kind] + 2 * DOUBT)


SIGHTS = (3.0, 1.5, 0.8)
"""Metres within which the floor has been looked at, in the first round, in the second and in the third."""

SPREAD = 0.7
"""Cosine of the angle to each side of its heading in which the agent looks at the floor, about 45 degrees."""

APART = 3.0
"""Metres that are added to the way to a room: a likely room may be so much farther than one that is half as likely."""

DONE_WITH = 0.03
"""The share of a room's points that may be left: a corner behind furniture is not worth the way."""

Places = npt.NDArray[np.float64]


class Searcher:
    """Looks about room by room, the likeliest and nearest first, and goes to the target when it sees it."""

    def begin(self, task: world.NavigationTask, rng: np.random.Generator) -> None:
        self._map = FloorPlan(task.scene, task.target)
        self._unseen = np.ones(len(self._map.points), bool)
        self._round = 0
        self._room = -1
        self._aim: int | None = None
        self._tried: set[Pose] = set()
        self._given_up: set[str] = set()
        self._found: SceneObject | None = None
        self._plan: Iterator[str] = iter(())

    def act(self, observation: world.NavigationObservation) -> str:
        pose = observation.pose
        if self._found is None:
            seen = [body for body in observation.seen() if body.object_id not in self._given_up]
            if seen:
                x, z = pose.x * GRID, pose.z * GRID
                self._found = min(seen, key=lambda body: floor_distance(x, z, body.centre, body.size))
                self._tried, self._plan = set(), iter(self._approach(pose, self._found))
        if self._found is not None:
            action = self._go_on(observation, self._found)
            if action is not None:
                return action
            self._given_up.add(self._found.object_id)
            self._found = self._aim = None
        return self._look_about(pose)

    def _go_on(self, observation: world.NavigationObservation, found: SceneObject) -> str | None:
        """Return the next action on the way to what was found; None if it is visible from nowhere near."""
        action = next(self._plan, None)
        if action is not None:
            return action
        if self._near(observation.pose, found) and found in observation.seen():
            return world.DONE
        self._tried.add(observation.pose)
        self._plan = iter(self._approach(observation.pose, found))
        return next(self._plan, None)

    def _approach(self, pose: Pose, found: SceneObject) -> tuple[str, ...]:
        """Return the actions to the nearest pose from which a thing should be visible, of those not tried."""
        ends = [each for each in self._map.poses_before(found) if each not in self._tried]
        way: world.NavigationWay | None = world.way_to(self._map.places, pose, ends)
        return () if way is None else way.actions

    def _near(self, pose: Pose, body: SceneObject) -> bool:
        return floor_distance(pose.x * GRID, pose.z * GRID, body.centre, body.size) <= world.SETTINGS.reach

    def _look_about(self, pose: Pose) -> str:
        """Return an action towards what has not been looked at yet; ``Done`` if there is nothing."""
        self._unseen &= ~self._map.looked_at(pose, SIGHTS[self._round])
        if self._aim is not None and self._unseen[self._aim]:
            action = next(self._plan, None)
            if action is not None:
                return action
        while not self._unseen.any():
            self._round += 1
            if self._round == len(SIGHTS):
                return world.DONE
            self._unseen, self._room = ~self._map.looked_at(pose, SIGHTS[self._round]), -1
        self._aim, self._plan = self._next_aim(pose)
        return next(self._plan, world.DONE)

    def _next_aim(self, pose: Pose) -> tuple[int, Iterator[str]]:
        """Return the point to look at next, and the actions that lead there."""
        sight = SIGHTS[self._round]
        costs = np.where(self._unseen, self._map.costs(pose, self._unseen, sight), np.inf)
        if not self._worth(self._room):
            self._room = self._next_room(costs)
        here = np.where(self._map.room_numbers == self._room, costs, np.inf)
        aim = int((here if np.isfinite(here).any() else costs).argmin())
        return aim, iter(self._map.actions_to(pose, aim, sight))

    def _worth(self, room: int) -> bool:
        """Return whether enough of a room has not been looked at."""
        inside = self._map.room_numbers == room
        return bool((self._unseen & inside).sum() > DONE_WITH * inside.sum())

    def _next_room(self, costs: Places) -> int:
        """Return the room that is best gone to: likely and near."""
        near = {room: float(costs[self._map.room_numbers == room].min()) for room in range(len(self._map.chances))}
        left = [room for room, cost in near.items() if np.isfinite(cost)]
        worth = [room for room in left if self._worth(room)] or left
        return max(worth, key=lambda room: (self._map.chances[room] / (near[room] * GRID + APART), -room))


class FloorPlan:
    """Where one can stand in a scene, in which room that is, and how likely a kind of thing is there.

    Attributes:
        points: The points to which one can walk, in order.
        rooms: The number of each point's room.
        chances: How likely a thing of the kind is in a room, by its number.
    """

    def __init__(self, scene: Scene, target: str) -> None:
        self._room, self._grid = Room(scene, world.SETTINGS), Grid.of(scene, world.LOOK)
        self.points = tuple(sorted(self._grid.reachable(scene.agent)))
        self.places = frozenset(self.points)
        self._numbers = np.array([self._grid.index[point] for point in self.points], np.int64)
        self._metres: Places = np.array(self.points, np.float64).reshape(-1, 2) * GRID
        numbers: dict[str, int] = {}
        kinds: list[str] = []
        self.rooms: dict[Point, int] = {}
        for point in self.points:
            building = scene.building
            room = None if building is None else building.house.room_at(point[0] * GRID, point[1] * GRID)
            name = "" if room is None else room.room_id
            if name not in numbers:
                numbers[name] = len(kinds)
                kinds.append(scene.room_kind if room is None else room.kind)
            self.rooms[point] = numbers[name]
        self.room_numbers = np.array([self.rooms[point] for point in self.points], np.int64)
        self.chances = [chance_in_room(target, kind) for kind in kinds]

    def looked_at(self, pose: Pose, sight: float) -> npt.NDArray[np.bool_]:
        """Return which points an agent looks at from a pose: near, ahead, and with no wall between."""
        x, z = pose.x * GRID, pose.z * GRID
        away = self._metres - (x, z)
        far = np.hypot(away[:, 0], away[:, 1])
        ahead = (away * np.array(STEPS[pose.rotation], np.float64)).sum(axis=1)
        found: npt.NDArray[np.bool_] = (far <= sight) & (ahead >= SPREAD * far - 1e-9)
        for number in np.flatnonzero(found).tolist():
            found[number] = self._grid.is_open((pose.x, pose.z), *self._metres[number])
        return found

    def costs(self, pose: Pose, wanted: npt.NDArray[np.bool_], sight: float) -> Places:
        """Return about how many actions it takes until each point is looked at, of those that are wanted."""
        walked = self._grid.distances_from(pose)[self._numbers].min(axis=1)
        found: Places = np.maximum(walked - sight / GRID, 0.0) + 3.0
        for turn, cost in ((2, 2.0), (3, 1.0), (1, 1.0)):
            found[wanted & self.looked_at(_turn(pose, turn), sight)] = cost
        return found

    def actions_to(self, pose: Pose, aim: int, sight: float) -> tuple[str, ...]:
        """Return actions after which a point is looked at: turns, if these will do, or the way there."""
        for turn in (1, 3, 2):
            if self.looked_at(_turn(pose, turn), sight)[aim]:
                return world.TURNS[turn]
        ends = [Pose(*self.points[aim], rotation, pose.horizon) for rotation in range(4)]
        way = world.way_to(self.places, pose, ends)
        return () if way is None else way.actions

    def poses_before(self, body: SceneObject) -> Iterator[Pose]:
        """Yield the poses from which a thing should be visible, as far as one can tell from afar."""
        for pose in (pose for point in self.points for pose in world.poses_at(point)):
            self._room.place_agent(pose)
            if self._room.shows(body.centre, body.size, 0.0):
                yield pose


def _turn(pose: Pose, quarters: int) -> Pose:
    return replace(pose, rotation=(pose.rotation + quarters) % 4)
