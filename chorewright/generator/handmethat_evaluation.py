"""Agents evaluated over many tasks of HandMeThat, in several processes; their number changes nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.handmethat_tasks import tasks_at
from chorewright.replay.handmethat.evaluation import Played, find_agent, play_index

CHUNK = 8
"""Episodes that a process is given at once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Which agent plays which tasks.

    Attributes:
        folder: A dataset, or the reference's files.
        agent: The agent's name or ``module:attribute``.
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
    watch: Callable[[], object] = lambda: None,
) -> tuple[Played, ...]:
    """Play the first tasks, all by default, and return how each went, in their order.

    Args:
        trial: The agent and its tasks.
        episodes: How many tasks.
        workers: Processes, all cores by default; 0 and 1 play in this one.
        watch: Called after each episode, roughly.

    Raises:
        UsageError: There is no such agent, or the numbers cannot be.
        InputError: The tasks cannot be read.
    """
    if episodes is not None and episodes < 1:
        raise UsageError(f"the number of episodes must be positive, not {episodes}")
    if workers is not None and workers < 0:
        raise UsageError(f"the number of workers must not be negative, but is {workers}")
    find_agent(trial.agent)
    count = len(tasks_at(trial.folder))
    count = count if episodes is None else min(count, episodes)
    workers = min(os.cpu_count() or 1 if workers is None else workers, -(-count // CHUNK))
    found: list[Played] = []
    if workers < 2:
        for played in _play(trial, range(count)):
            found.append(played)
            watch()
        return tuple(found)
    chunks = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts) as processes:
        try:
            for several in processes.map(_play, repeat(trial), chunks):
                found.extend(several)
                for _ in several:
                    watch()
        except BrokenProcessPool as error:
            raise ChorewrightError("a process of the evaluation died", hint="try --workers 1") from error
        except BaseException:
            processes.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(found)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(trial: Trial, indices: Sequence[int]) -> list[Played]:
    agent = find_agent(trial.agent)
    tasks = tasks_at(trial.folder)
    return [play_index(agent, tasks, index, trial.seed, trial.fully_observable) for index in indices]
