"""CALVIN's two evaluations of a policy: tasks one by one (MTLC), and chains of five (LH-MTLC).

A task counts as done if the detector sees it, from its start, after any of at most 360 steps; a chain ends
with the first task that is not done. Each task of a chain begins at the instant at which the one before it is
seen done. Chains are the published thousand, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.files.processes import usable_cores
from chorewright.generator.production.pool import processes
from chorewright.problems.calvin.chains import Chain, ChainSpace
from chorewright.problems.calvin.published import PUBLISHED, published_chains
from chorewright.problems.calvin.scenes import scene
from chorewright.problems.calvin.states import concrete, initial_states
from chorewright.problems.calvin.tasks import atoms_of, task_model, tasks
from chorewright.replay.calvin.engine import engine
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.pictures import TabletopRenderer
from chorewright.replay.calvin.policies import EXPERT, Policy, asked, begun, done_by, find_policy, shown
from chorewright.replay.calvin.real import check_checkout, tabletop
from chorewright.rsa.calvin.instructions import validation_sentence

STEPS = 360
"""Steps that a policy has for a task."""

LONGEST_WAY = 3
"""So many tasks the expert does at most before a task of MTLC can be begun."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is evaluated.

    Attributes:
        policy: ``expert`` or ``module:Class``, as a person typed it.
        scene: The table, ``A`` to ``D``.
        chains: So many of the published chains.
        rollouts: So many starts of each task in MTLC; 0 leaves it out.
        pictures: Whether the policy is shown pictures.
        seed: Of the starts in MTLC.
        first: The number of the first chain, from 0.
        calvin_env: A checkout of calvin_env to be driven instead of our world.
        goals: What the policy is told of each task; by default our sentences for validation.
        retreat: For the expert: count a task from the end of the skill before, when the hand has let go and
            drawn back, instead of from the instant at which the detector saw the task before done.
    """

    policy: str
    scene: str = "D"
    chains: int = PUBLISHED
    rollouts: int = 10
    pictures: bool = True
    seed: int = 0
    first: int = 0
    calvin_env: str | None = None
    goals: Mapping[str, str] | None = None
    retreat: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What came of it.

    Attributes:
        lengths: Tasks done of each chain, in their order.
        tasks: Successes and rollouts of each task in MTLC.
        steps: Steps of the tasks that were done, in the mean.
    """

    lengths: tuple[int, ...]
    tasks: tuple[tuple[str, int, int], ...]
    steps: float

    def at_least(self, count: int) -> float:
        """Return the share of chains in which so many tasks were done."""
        return sum(length >= count for length in self.lengths) / max(1, len(self.lengths))

    @property
    def average_length(self) -> float:
        """Tasks done in a row, in the mean."""
        return sum(self.lengths) / max(1, len(self.lengths))

    @property
    def task_success(self) -> float:
        """The mean over tasks of the share of rollouts in which it was done."""
        shares = [done / count for _, done, count in self.tasks if count]
        return sum(shares) / max(1, len(shares))


@dataclass(frozen=True, slots=True)
class Job:
    """One chain to be done: the published one of a number, or a start of a task in MTLC with the tasks that
    lead there."""

    number: int
    chain: Chain
    task: str | None = None


def evaluate(
    asking: Evaluation,
    workers: int | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> Result:
    """Evaluate a policy.

    Args:
        asking: The policy, and at what.
        workers: Processes; 0 for none but this one. By default all cores for the expert, and none for others,
            as each process would load the policy again.
        watch: Told now and then how many chains and rollouts of how many are done.

    Raises:
        UsageError: There is no such policy or scene, or the numbers cannot be.
        InputError: The path is no checkout of calvin_env; the policy raises something, or gives what is no
            action.
        MissingExtra: PyBullet is not installed.
    """
    if min(asking.chains, asking.rollouts, asking.seed, asking.first, workers or 0) < 0:
        raise UsageError("the numbers of chains, rollouts and workers, and the seed, must not be negative")
    if not asking.chains and not asking.rollouts:
        raise UsageError("there is nothing to evaluate: no chains, and no rollouts")
    if asking.policy == EXPERT and asking.goals is not None:
        raise UsageError("the expert is told the task itself, no sentence of it", hint="leave the sentences out")
    if asking.policy != EXPERT and asking.retreat:
        raise UsageError("only the expert draws back after a task", hint="leave --retreat out")
    scene(asking.scene)
    engine()
    if asking.calvin_env is not None:
        check_checkout(Path(asking.calvin_env))
        if asking.policy != EXPERT and asking.pictures:
            raise UsageError("calvin_env is driven without its cameras", hint="--no-pictures")
    if asking.policy != EXPERT and not workers:
        _policy(asking.policy)
    cores = usable_cores() if asking.policy == EXPERT else 0
    jobs = [Job(number, chain) for number, chain in enumerate(_chains(asking))]
    jobs += [Job(len(jobs) + number, chain, task) for number, (task, chain) in enumerate(_starts(asking))]
    found: dict[int, tuple[int, ...] | None] = {}
    try:
        for number, lengths in _all(asking, jobs, cores if workers is None else workers):
            found[number] = lengths
            watch(len(found), len(jobs))
    finally:
        _close()
    rollouts: dict[str, list[bool]] = {}
    for job in jobs:
        lengths = found[job.number]
        if job.task is not None and lengths is not None:
            rollouts.setdefault(job.task, []).append(bool(lengths))
    used = [steps for job in jobs for steps in found[job.number] or ()]
    return Result(
        lengths=tuple(len(found[job.number] or ()) for job in jobs if job.task is None),
        tasks=tuple((task, sum(rows), len(rows)) for task, rows in rollouts.items()),
        steps=sum(used) / max(1, len(used)),
    )


def done_in_a_row(asking: Evaluation, job: Job) -> tuple[int, ...] | None:
    """Return after how many steps each task of a chain was done, until the first that was not.

    None if the expert did not reach the start of a task of MTLC: no failure of the policy's.
    """
    world, table = _world(asking.scene, asking.calvin_env), scene(asking.scene)
    world.reset(*concrete(job.chain.initial_state, table))
    wanted = job.chain.sequence
    if job.task is not None:
        expert = Expert(world)
        if not all(expert.perform(task).success for task in wanted[:-1]):
            return None
        wanted = wanted[-1:]
    if asking.policy == EXPERT:
        return _by_expert(world, wanted, asking.retreat)
    policy = _policy(asking.policy)
    renderer = _renderer(asking.scene) if asking.pictures else None
    found: list[int] = []
    for task in wanted:
        goal = validation_sentence(task) if asking.goals is None else asking.goals[task]
        steps = _rollout(world, policy, asking.policy, task, goal, renderer)
        if steps is None:
            break
        found.append(steps)
    return tuple(found)


def _rollout(
    world: Tabletop, policy: Policy, name: str, task: str, goal: str, renderer: TabletopRenderer | None
) -> int | None:
    """Let a policy do a task; return the steps that it took, None if it was not done."""
    start = world.snapshot()
    begun(policy, name)
    seen = world.observation()
    for step in range(1, STEPS + 1):
        seen = done_by(world, asked(policy, name, shown(seen, renderer), goal), name)
        if world.tasks_done(start, world.snapshot(), (task,)):
            return step
    return None


def _by_expert(world: Tabletop, wanted: Sequence[str], retreat: bool) -> tuple[int, ...]:
    expert, found = Expert(world, from_detection=not retreat), []
    for task in wanted:
        attempt = expert.perform(task)
        if attempt.done_after is None or attempt.done_after > STEPS:
            break
        found.append(attempt.done_after)
    return tuple(found)


def _chains(asking: Evaluation) -> Sequence[Chain]:
    """Return the chains that are asked for; beyond the published ones, what the same procedure gives."""
    end = asking.first + asking.chains
    return _published(max(end, PUBLISHED))[asking.first : end] if asking.chains else ()


@lru_cache(maxsize=1)
def _published(number: int) -> tuple[Chain, ...]:
    return published_chains(number)


def _starts(asking: Evaluation) -> Iterator[tuple[str, Chain]]:
    """Yield so many starts of each task: an initial state, and the tasks that lead from it to the task."""
    rng = np.random.Generator(np.random.PCG64(asking.seed))
    for task in tasks():
        for _ in range(asking.rollouts):
            yield task, _start(task, rng)


def _start(task: str, rng: np.random.Generator) -> Chain:
    """Return the shortest way to a task from the first of the states, in random order, that has the
    shortest."""
    model = task_model()
    order = [initial_states()[int(place)] for place in rng.permutation(len(initial_states()))]
    for length in range(LONGEST_WAY + 1):
        for state in order:
            if length == 0:
                if model.successor(task, atoms_of(state)) is not None:
                    return Chain(state, (task,))
                continue
            ways = [chain for chain in _ways(length + 1).chains(state) if chain.sequence[-1] == task]
            if ways:
                return ways[int(rng.integers(len(ways)))]
    raise AssertionError(f"{task} can be begun after {LONGEST_WAY} tasks")


@lru_cache(maxsize=4)
def _ways(length: int) -> ChainSpace:
    return ChainSpace(length=length)


def _all(asking: Evaluation, jobs: Sequence[Job], workers: int) -> Iterator[tuple[int, tuple[int, ...] | None]]:
    if workers < 2:
        yield from ((job.number, done_in_a_row(asking, job)) for job in jobs)
        return
    with processes(workers, "evaluation") as pool:
        numbers = {pool.submit(done_in_a_row, asking, job): job.number for job in jobs}
        for future in as_completed(numbers):
            yield numbers[future], future.result()


@lru_cache(maxsize=1)
def _policy(name: str) -> Policy:
    return find_policy(name, Origin.PERSON)


@lru_cache(maxsize=1)
def _world(name: str, checkout: str | None) -> Tabletop:
    world = tabletop(scene(name), None if checkout is None else Path(checkout))
    _WORLDS.append(world)
    return world


_WORLDS: list[Tabletop] = []
"""The worlds that this process evaluates in."""


def _close() -> None:
    """Free the worlds of this process."""
    _world.cache_clear()
    while _WORLDS:
        _WORLDS.pop().close()


@lru_cache(maxsize=1)
def _renderer(name: str) -> TabletopRenderer:
    return TabletopRenderer(scene(name))
