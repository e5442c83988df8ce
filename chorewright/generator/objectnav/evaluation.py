"""Agents evaluated over many episodes of ObjectNav, in several processes; their number changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.measuring.playing import play_all
from chorewright.generator.objectnav.tasks import EpisodeTasks, tasks_at
from chorewright.replay.objectnav.agents import Agent
from chorewright.replay.objectnav.evaluation import Played, find_agent, play
from chorewright.replay.objectnav.task import MOST_STEPS
from chorewright.replay.objectnav.world import NavigationWorld

CHUNK = 16
"""Episodes that a process is given at once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Which agent plays which episodes.

    Attributes:
        folder: A dataset.
        agent: The agent's name or ``module:attribute``, as a person typed it.
        split: Only this split, or None.
        seed: Of the agents' random numbers.
        max_steps: Actions after which an episode is over.
    """

    folder: Path
    agent: str
    split: str | None = None
    seed: int = 0
    max_steps: int = MOST_STEPS


def evaluate(
    trial: Trial,
    count: int | None = None,
    workers: int | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
    log: Path | None = None,
) -> tuple[Played, ...]:
    """Play the first episodes, all by default, and return how each went, in their order; arguments as ``play_all``.

    Raises:
        UsageError: There is no such agent, it fails, the numbers cannot be, or the log is of something else.
        InputError: The episodes or the log cannot be read.
        StorageError: The log cannot be written, or another process writes it.
    """
    if trial.max_steps < 1 or trial.seed < 0:
        raise UsageError("--seed must not be negative, --max-steps at least 1")
    find_agent(trial.agent, Origin.PERSON)
    total = len(tasks_at(trial.folder, trial.split))
    episodes = sha256(f"{trial.split} {Dataset(trial.folder).checksum}".encode()).hexdigest()
    header = {"episodes": episodes, "agent": trial.agent, "seed": trial.seed, "max_steps": trial.max_steps}
    return play_all(partial(_play, trial), Played, total, CHUNK, header, count, workers, watch, log)


def _play(trial: Trial, indices: Sequence[int]) -> list[Played]:
    agent, tasks, world = _players(trial)
    rngs = (np.random.Generator(np.random.PCG64(np.random.SeedSequence((trial.seed, index)))) for index in indices)
    return [play(agent, tasks[index], rng, world, trial.max_steps) for index, rng in zip(indices, rngs, strict=True)]


@lru_cache(maxsize=1)
def _players(trial: Trial) -> tuple[Agent, EpisodeTasks, NavigationWorld]:
    return find_agent(trial.agent, Origin.PERSON), tasks_at(trial.folder, trial.split), NavigationWorld()
