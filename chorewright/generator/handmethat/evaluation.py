"""Agents evaluated over many tasks of HandMeThat, in several processes; their number changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from chorewright.files.plugins import Origin
from chorewright.generator.handmethat.tasks import fingerprint, tasks_at
from chorewright.generator.measuring.playing import play_all
from chorewright.replay.handmethat.agents import Agent
from chorewright.replay.handmethat.evaluation import Played, find_agent, play_index
from chorewright.replay.handmethat.task import HandMeThatTask

CHUNK = 8
"""Episodes that a process is given at once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Which agent plays which tasks.

    Attributes:
        folder: A dataset, or the reference's files.
        agent: The agent's name or ``module:attribute``, as a person typed it.
        seed: Of the agents' random numbers.
        fully_observable: Whether all objects are seen at all times.
    """

    folder: Path
    agent: str
    seed: int = 0
    fully_observable: bool = True


def evaluate(
    trial: Trial,
    episodes: int | None = None,
    workers: int | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
    log: Path | None = None,
) -> tuple[Played, ...]:
    """Play the first tasks, all by default, and return how each went, in their order; arguments as ``play_all``.

    Raises:
        UsageError: There is no such agent, it fails, the numbers cannot be, or the log is of something else.
        InputError: The tasks or the log cannot be read.
        StorageError: The log cannot be written, or another process writes it.
    """
    find_agent(trial.agent, trial.fully_observable, Origin.PERSON)
    header = {
        "tasks": fingerprint(trial.folder),
        "agent": trial.agent,
        "seed": trial.seed,
        "fully_observable": trial.fully_observable,
    }
    total = len(tasks_at(trial.folder))
    return play_all(partial(_play, trial), Played, total, CHUNK, header, episodes, workers, watch, log)


def _play(trial: Trial, indices: Sequence[int]) -> list[Played]:
    agent, tasks = _agent_and_tasks(trial)
    return [play_index(agent, tasks, index, trial.seed, trial.fully_observable) for index in indices]


@lru_cache(maxsize=1)
def _agent_and_tasks(trial: Trial) -> tuple[Agent, Sequence[HandMeThatTask]]:
    return find_agent(trial.agent, trial.fully_observable, Origin.PERSON), tasks_at(trial.folder)
