"""Exploring: how an agent that reasons about objects finds them when it sees only its own place.

The agent goes from place to place, opens what is closed, and reasons as if only what it has seen or watched
existed. As soon as something fits both the request and what the human seems to want, it does that. If nothing
does in time, it does what fits best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.relevance import containers, restricted
from chorewright.problems.handmethat.scene import ROBOT, Agent, Scene
from chorewright.replay.handmethat.expert import is_closed
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.views import visible_at
from chorewright.replay.handmethat.words import command_of
from chorewright.replay.handmethat.world import PAPER, Rules

KEPT = 8
"""Moves that are kept for what is asked: to fetch and bring takes four, with doors and boxes some more."""


class Reasoner(Protocol):
    """An agent that decides once what to do, from the objects that it knows of."""

    @property
    def confident(self) -> bool:
        """Whether an object fits everything the agent knows, so that it need not look for others."""
        ...

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: Scene | None = None) -> None:
        """Begin an episode, or learn of more objects in it; ``now`` is the scene if it is not the request's."""
        ...

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        """Return the next command, after an observation."""
        ...


class Explorer:
    """Looks for objects until an agent is confident or time runs short, then lets it act.

    Args:
        agent: Decides among what has been seen.
        rules: How many moves there are.
    """

    def __init__(self, agent: Reasoner, rules: Rules = PAPER) -> None:
        self._agent = agent
        self._moves = rules.moves - KEPT
        self._settled = False

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        self._task, self._rng = task, rng
        self._now = task.scene
        self._known = initial_knowledge(task)
        self._fitting = -1
        self._settled = False
        self._steps = self._search()
        self._left = self._moves

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        if not self._settled:
            self._known |= {each.name for each in visible_at(self._now, self._now.robot.at)}
            step = next(self._steps, None) if self._left > 0 else None
            self._settled = step is None or self._is_confident()
            if step is not None and not self._settled:
                self._left -= 1
                self._now = _after(self._now, step)
                return command_of(step)
            self._agent.begin(self._known_task(), self._rng, restricted(self._now, self._known_names()))
        return self._agent.act(observation, admissible)

    def _search(self) -> Iterator[GroundAction]:
        """Yield the actions of the search: places with their doors, the human's first, then closed boxes."""
        at = self._now.robot.at
        handled = [name for step in self._task.prefix for name in step.arguments]
        entities = self._now.by_name
        places = [name for name in handled if name in entities and not entities[name].category.movable]
        places += [each.name for each in self._now.entities if not each.category.movable]
        for place in dict.fromkeys([at, *places]):
            if place not in entities:
                continue
            if place != at:
                yield GroundAction("move", (ROBOT, at, place))
                at = place
            if is_closed(self._now, place):
                yield GroundAction("open-loc", (ROBOT, place))
        for box in [each.name for each in self._now.movables if each.name in self._known]:
            place = self._now.location_of(box)
            if not place or not is_closed(self._now, box):
                continue
            if place != at:
                yield GroundAction("move", (ROBOT, at, place))
                at = place
            yield GroundAction("open-rec-at-loc", (ROBOT, box, place))

    def _is_confident(self) -> bool:
        """Ask the agent, if more things that the request fits have been seen, whether it is confident."""
        told = self._known_task()
        fitting = len(told.context.groundings(told.utterance))
        if fitting == self._fitting or not fitting:
            return False
        self._fitting = fitting
        self._agent.begin(told, self._rng)
        return self._agent.confident

    def _known_names(self) -> frozenset[str]:
        return frozenset(self._known & self._task.scene.by_name.keys())

    def _known_task(self) -> HandMeThatTask:
        """Return the task as if what has not been seen did not exist."""
        names, task = self._known_names(), self._task
        return replace(
            task,
            start=restricted(task.start, names),
            scene=restricted(task.scene, names),
            plan=task.prefix,
        )


def initial_knowledge(task: HandMeThatTask) -> set[str]:
    """Return what a robot knows at first: the places, what the human handled, and what that is in or on."""
    scene = task.scene
    named = {name for step in task.prefix for name in step.arguments if name in scene.by_name}
    found = {each.name for each in scene.entities if not each.category.movable}
    for name in named:
        found |= {name, *containers(scene, name), *containers(task.start, name)}
    return found


def _after(scene: Scene, step: GroundAction) -> Scene:
    """Return the scene after a move, or after something has been opened."""
    if step.name == "move":
        return replace(scene, robot=Agent(step.arguments[2], scene.robot.holding))
    opened = step.arguments[1]
    return replace(
        scene,
        entities=tuple(
            replace(each, states=each.states | {"open"}) if each.name == opened else each for each in scene.entities
        ),
    )
