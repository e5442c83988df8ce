"""Agents that play ObjectNav: at random, and along the shortest path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.objectnav.goals import Goals
from chorewright.replay.objectnav.task import ACTIONS, DONE, NavigationTask
from chorewright.replay.objectnav.ways import shortest_way
from chorewright.replay.objectnav.world import Observation


class Agent(Protocol):
    """Plays episodes one after the other; the same random numbers give the same play."""

    def begin(self, task: NavigationTask, rng: np.random.Generator) -> None:
        """Begin an episode.

        ``task.target`` is the kind to find. The task has the scene, too, with all that is in it: what an agent looks
        at there decides with whom it compares.
        """
        ...

    def act(self, observation: Observation) -> str:
        """Return the next action, after an observation; ``Done`` ends the episode."""
        ...


class RandomAgent:
    """Does one of the actions, each as likely."""

    def begin(self, task: NavigationTask, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: Observation) -> str:
        return ACTIONS[int(self._rng.integers(len(ACTIONS)))]


class ShortestPathAgent:
    """Walks the shortest path: it knows where everything is."""

    def __init__(self) -> None:
        self._renderer = Renderer()

    def begin(self, task: NavigationTask, rng: np.random.Generator) -> None:
        goals = Goals(task.scene, task.target, self._renderer)
        way = shortest_way(frozenset(task.scene.grid), task.start, goals)
        self._actions: Iterator[str] = iter(way.actions if way is not None else ())

    def act(self, observation: Observation) -> str:
        return next(self._actions, DONE)
