"""Two-Agent Task Completion measured: sessions of the dataset's tasks, played by a pair of agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, pstdev
from typing import TypeAlias, cast

import numpy as np

from chorewright.domains.teach.tasks import Task
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, load_function
from chorewright.generator.production.pool import in_order, processes
from chorewright.generator.teach.commander import PlanningCommander
from chorewright.generator.teach.compiling import compile_teach
from chorewright.generator.teach.follower import OrderFollower
from chorewright.generator.teach.tatc import TEXT, Commander, Follower, Outcome, play
from chorewright.generator.teach.variants import settings, suited_rooms, variants
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import NoRoom

Pair: TypeAlias = Callable[[Task], tuple[Commander, Follower]]
"""Makes both agents for a task. The Commander may know it; the Follower may not."""

PLANNER = "planner"

TRIES = 20
"""Scatterings that are tried for a session before it is given up."""


@dataclass(frozen=True, slots=True)
class Played:
    """One session: what was to be done where, and what came of it."""

    task: str
    params: tuple[str, ...]
    room: str
    success: bool
    goal_conditions: float
    actions: int
    utterances: int
    failures: int
    end: str


@dataclass(frozen=True, slots=True)
class Result:
    """Sessions of one task, or of all: how many, and means (actions with standard deviation)."""

    sessions: int
    success: float
    goal_conditions: float
    actions: float
    actions_deviation: float
    utterances: float
    failures: float


def tasks() -> tuple[str, ...]:
    """Return the dataset's tasks."""
    return tuple(settings().tasks)


def start_of(name: str, number: int, seed: int) -> tuple[Task, Scene]:
    """Return the task and scene of a session: other parameters, another room for each number.

    Raises:
        UsageError: No scattering of a room suits the task.
    """
    rng = np.random.default_rng((seed, tasks().index(name), number))
    known = variants(name)
    for _ in range(TRIES):
        params = known[int(rng.integers(len(known)))]
        rooms = suited_rooms(name, params)
        room = rooms[int(rng.integers(len(rooms)))]
        try:
            compiled = compile_teach(name, params, room, int(rng.integers(2**31)))
        except (NoRoom, UsageError):
            continue
        return compiled.task, compiled.scene
    raise UsageError(f"no scene was found for {name}, session {number}")


def planning_pair(task: Task) -> tuple[Commander, Follower]:
    """Return the Commander that plans and the Follower that takes its orders."""
    return PlanningCommander(task), OrderFollower()


def find_pair(agents: str, origin: Origin = Origin.FILE) -> Pair:
    """Return a pair of agents by its name, or ``module:attribute`` of your own if a person typed it (see ``Pair``).

    Raises:
        MissingPlugin: A file names code.
        UsageError: There is no such pair.
    """
    if agents == PLANNER:
        return planning_pair
    hint = f"{PLANNER}, or module:attribute for a function that makes a pair of your own"
    return cast("Pair", load_function(agents, "pair of agents", origin, hint))


def play_session(name: str, number: int, seed: int, agents: str = PLANNER) -> Played:
    """Play one session."""
    task, scene = start_of(name, number, seed)
    return played(task, scene, play(task, scene, *find_pair(agents, Origin.PERSON)(task)))


def played(task: Task, scene: Scene, outcome: Outcome) -> Played:
    """Return what is counted of a session; goal conditions as the benchmark's metrics have them."""
    needed = outcome.begun.total - min(outcome.begun.total, outcome.begun.satisfied)
    missing = outcome.ended.total - min(outcome.ended.total, outcome.ended.satisfied)
    return Played(
        task.name,
        task.params,
        scene.name,
        outcome.success,
        1 - missing / needed if needed else 1.0,
        len(outcome.log),
        sum(each.action == TEXT for each in outcome.log),
        sum(not each.success for each in outcome.log),
        outcome.end,
    )


def evaluate_agents(
    names: Sequence[str], sessions: int, seed: int, workers: int, agents: str = PLANNER
) -> Iterator[Played]:
    """Yield sessions of tasks in order, so many of each, played by so many processes (0: this one).

    Raises:
        UsageError: A task is none of the dataset's, or there are no such agents.
    """
    find_pair(agents, Origin.PERSON)
    for name in names:
        if name not in tasks():
            raise UsageError(f"{name!r} is no task of the dataset", hint=f"tasks: {', '.join(tasks())}")
    jobs = [(name, number) for name in names for number in range(sessions)]
    if workers == 0:
        yield from (play_session(name, number, seed, agents) for name, number in jobs)
        return
    with processes(workers, "evaluation") as pool:
        yield from in_order(pool, partial(_job, seed=seed, agents=agents), jobs)


def _job(job: tuple[str, int], seed: int, agents: str) -> Played:
    return play_session(*job, seed, agents)


def summary(found: Sequence[Played]) -> Result:
    """Return the means of sessions."""
    return Result(
        len(found),
        fmean(each.success for each in found),
        fmean(each.goal_conditions for each in found),
        fmean(each.actions for each in found),
        pstdev([each.actions for each in found]),
        fmean(each.utterances for each in found),
        fmean(each.failures for each in found),
    )
