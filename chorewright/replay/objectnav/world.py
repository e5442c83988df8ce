"""An episode of ObjectNav that is played: actions, what the agent sees, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.scene import Pose, SceneObject
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.objectnav.task import ACTIONS, AHEAD, DONE, SETTINGS, NavigationTask
from chorewright.replay.objectnav.ways import Goals, metres, steps_to_goal, walking_steps
from chorewright.replay.simulator import Event, Frame, SimulatorAction

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
        room = self.thor.room
        return Pose(round(room.x), round(room.z), round(room.rotation / 90) % 4, round(room.horizon))

    def left(self) -> float:
        """Return metres of a shortest path from here to where a target is visible; -1 if there is none."""
        steps = steps_to_goal(walking_steps(frozenset(self.task.scene.grid), (self.pose.x, self.pose.z)), self.goals)
        return -1.0 if steps is None else metres(steps)

    def seen(self) -> tuple[SceneObject, ...]:
        """Return the targets in the picture, however far they are."""
        return tuple(self.goals.seen_afar(self.pose))
