"""Transitions: episodes as reinforcement learning has them, from an environment or from trajectories.

A benchmark whose episodes were made in a Gymnasium environment has a ``TransitionSource``; the episodes of another one
are read from its trajectories, without an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.training.trajectory import Column, Feature, Trajectories, trajectories_of

Values: TypeAlias = Sequence[str] | NDArray[Any] | Mapping[str, Any]
"""Values of a space in a row: strings, numbers, or for a ``Dict`` those of each key."""

OBSERVATION, ACTION = "observation", "action"

_LONGEST = 10_000
"""Characters of a text in a trajectory, at most."""


@dataclass(frozen=True, slots=True)
class EpisodeTransitions:
    """An episode.

    Attributes:
        observations: n + 1 of them, the one after the last action among them.
        actions: n.
        rewards: One after each action.
        terminated: Whether the last action ended the task.
        truncated: Whether a limit did.
        options: What the environment's ``reset`` takes to begin just this episode.
    """

    observations: Values
    actions: Values
    rewards: NDArray[np.float64]
    terminated: bool
    truncated: bool
    options: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class TransitionSource(Protocol):
    """Reads a benchmark's stored episodes as transitions."""

    @property
    def environment(self) -> EnvSpec | None:
        """What ``gymnasium.make`` takes to make the environment; None if there is none."""
        ...

    @property
    def observation_space(self) -> gymnasium.Space[Any]:
        """What is observed."""
        ...

    @property
    def action_space(self) -> gymnasium.Space[Any]:
        """What is done."""
        ...

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return an accepted episode's transitions.

        Raises:
            DatasetCorrupt: It does not run again.
        """
        ...


def transitions_of(benchmark: str) -> TransitionSource:
    """Return what reads a benchmark's episodes as transitions.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: They are neither those of an environment nor trajectories.
    """
    source = BENCHMARKS.find(benchmark).transition_source()
    return source if isinstance(source, TransitionSource) else TrajectoryTransitions(trajectories_of(benchmark))


class TrajectoryTransitions:
    """Transitions of trajectories: the last frame's observation ends the episode, and its action is left out."""

    environment: EnvSpec | None = None

    def __init__(self, trajectories: Trajectories[Any]) -> None:
        self._trajectories = trajectories
        self._observed = [each for each in trajectories.features if each.name.startswith(f"{OBSERVATION}.")]
        self._done = [each for each in trajectories.features if each.name.startswith(ACTION)]
        self.observation_space = spaces.Dict({_key(each): _space(each) for each in self._observed})
        self.action_space = spaces.Dict({_key(each): _space(each) for each in self._done})

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return the frames as transitions, with a reward of 1 at the end."""
        columns = self._trajectories.columns(episode)
        count = len(columns[self._done[0].name]) - 1
        rewards = np.zeros(count)
        rewards[-1:] = 1.0
        return EpisodeTransitions(
            {_key(each): _values(columns[each.name], each) for each in self._observed},
            {_key(each): _values(columns[each.name][:count], each) for each in self._done},
            rewards,
            terminated=True,
            truncated=False,
        )


def _key(feature: Feature) -> str:
    """Return the key of a feature: ``state`` of ``observation.state``, ``action`` itself."""
    return feature.name.partition(".")[2] or feature.name


def _space(feature: Feature) -> gymnasium.Space[Any]:
    if feature.dtype == "string":
        return spaces.Text(_LONGEST, min_length=0)
    if feature.dtype == "float32":
        return spaces.Box(-np.inf, np.inf, (len(feature.names),), np.float32)
    limits = np.iinfo(np.int64)
    return spaces.Box(limits.min, limits.max, (len(feature.names),), np.int64)


def _values(column: Column, feature: Feature) -> Values:
    return column if isinstance(column, list) else column.reshape(len(column), len(feature.names))
