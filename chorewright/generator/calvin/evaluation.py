"""CALVIN's two evaluations of a policy: tasks one by one (MTLC), and chains of five (LH-MTLC).

A task counts as done if the detector sees it, from its start, after any of at most 360 steps; a chain ends
with the first task that is not done. Each task of a chain begins at the instant at which the one before it is
seen done. Chains are the published thousand, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.files.text import readable
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Sheet, Summary, checksum, group_by, mean
from chorewright.problems.calvin.chains import Chain, chain_space
from chorewright.problems.calvin.published import PUBLISHED, find_published_chains
from chorewright.problems.calvin.scenes import concrete, initial_states, scene
from chorewright.problems.calvin.tasks import atoms_of, task_model, tasks
from chorewright.replay.calvin.engine import engine
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.pictures import TabletopRenderer
from chorewright.replay.calvin.policies import EXPERT, Policy, ask, begin, carry_out, find_policy, show
from chorewright.replay.calvin.real import check_checkout, tabletop
from chorewright.rsa.calvin.instructions import load_sentences, validation_sentence

LONGEST_WAY = 3
"""So many tasks the expert does at most before a task of MTLC can be begun."""

WITHIN = range(1, 6)
"""Numbers of tasks in a row that are counted."""


@dataclass(frozen=True, slots=True)
class ChainScore:
    """How a chain went, or a task by itself.

    Attributes:
        task: The task of MTLC; empty for a chain.
        reached: Whether the expert reached the start of that task. If not, it is no failure of the policy's.
        steps: After how many steps each task was done, until the first that was not.
    """

    task: str
    reached: bool
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChainMeans:
    """What chains and single tasks came to.

    Attributes:
        lengths: Tasks done of each chain, in their order.
        tasks: Successes and rollouts of each task in MTLC.
        steps: Steps of the tasks that were done, in the mean.
    """

    lengths: tuple[int, ...]
    tasks: tuple[tuple[str, int, int], ...]
    steps: float

    @staticmethod
    def of(scores: Sequence[ChainScore]) -> ChainMeans:
        """Return what scores come to."""
        single = [each for each in scores if each.task and each.reached]
        rollouts = group_by(single, lambda each: each.task)
        return ChainMeans(
            lengths=tuple(len(each.steps) for each in scores if not each.task),
            tasks=tuple(
                (task, sum(bool(each.steps) for each in rollouts[task]), len(rollouts[task]))
                for task in dict.fromkeys(each.task for each in single)
            ),
            steps=mean(steps for each in scores for steps in each.steps),
        )

    def at_least(self, count: int) -> float:
        """Return the share of chains in which so many tasks were done."""
        return mean(length >= count for length in self.lengths)

    @property
    def average_length(self) -> float:
        """Tasks done in a row, in the mean."""
        return mean(self.lengths)

    @property
    def task_success(self) -> float:
        """The mean over tasks of the share of rollouts in which it was done."""
        return mean(done / count for _, done, count in self.tasks if count)


@dataclass(frozen=True, slots=True)
class ChainJob:
    """One chain to be done: a published one, or a start of a task in MTLC with the tasks that lead there."""

    chain: Chain
    task: str = ""


class CalvinEvaluation(Evaluation[CalvinTrial, ChainScore]):
    """Let a policy do tasks at CALVIN's table: one by one (MTLC), and chains of five (LH-MTLC)."""

    options = CalvinTrial

    def open(self, trial: CalvinTrial) -> Episodes[ChainScore]:
        """Return the published chains, and starts of each task.

        Raises:
            UsageError: There is no such policy or scene, or the options contradict one another.
            InputError: The path is no checkout of calvin_env; the sentences cannot be read.
            MissingExtra: PyBullet is not installed.
        """
        expert = trial.agent == EXPERT
        if not trial.chains and not trial.rollouts:
            raise UsageError("there is nothing to evaluate: no chains, and no rollouts")
        if expert and trial.instructions:
            raise UsageError("the expert is told the task itself, no sentence of it", hint="leave the sentences out")
        if not expert and trial.retreat:
            raise UsageError("only the expert draws back after a task", hint="leave --retreat out")
        scene(trial.scene)
        engine()
        if trial.calvin_env:
            check_checkout(Path(trial.calvin_env))
            if not expert and trial.pictures:
                raise UsageError("calvin_env is driven without its cameras", hint="--no-pictures")
        player = Player(trial)
        if not expert and not trial.workers:
            _ = player.policy  # an error before the first chain
        jobs = [*map(ChainJob, _chains(trial)), *(ChainJob(chain, task) for task, chain in starts(trial))]
        return Episodes(
            ChainScore,
            len(jobs),
            partial(checksum, player.sentences),
            lambda index: player.play(jobs[index]),
            chunk=1,
            here=not expert,
            close=player.close,
        )

    def summary(self, trial: CalvinTrial, scores: Sequence[ChainScore], columns: int) -> Summary:
        """Return the shares of chains with so many tasks in a row, and of rollouts of each task."""
        means = ChainMeans.of(scores)
        shares = {str(count): means.at_least(count) for count in WITHIN}
        chains = {
            "chains": len(means.lengths),
            "success": shares,
            "average_length": means.average_length,
            "lengths": list(means.lengths),
        }
        single = {task: {"done": done, "rollouts": count} for task, done, count in means.tasks}
        values = {
            "policy": trial.agent,
            "scene": trial.scene,
            "world": "calvin_env" if trial.calvin_env else "ours",
            "counted_from": "retreat" if trial.retreat else "detection",
            "lh_mtlc": chains if means.lengths else None,
            "mtlc": {"success": means.task_success, "tasks": single} if means.tasks else None,
            "steps": means.steps,
        }
        parts = []
        if means.lengths:
            title = f"LH-MTLC, scene {trial.scene}: {len(means.lengths)} chains, percent with so many tasks in a row"
            row = (trial.agent, *(f"{100 * share:.1f}" for share in shares.values()), f"{means.average_length:.3f}")
            parts.append(Sheet(("", *shares, "average"), (row,), title, framed=True))
        if means.tasks:
            title = f"MTLC: {100 * means.task_success:.1f} percent in the mean over tasks"
            rows = tuple((task, str(done), str(count)) for task, done, count in means.tasks)
            parts.append(Sheet(("task", "done", "rollouts"), rows, title, framed=True))
        return Summary(values, parts)


class Player:
    """Who does chains and tasks, and the world that they are done in, made when first needed."""

    def __init__(self, trial: CalvinTrial) -> None:
        self._trial, self._worlds = trial, list[Tabletop]()
        self.sentences: Mapping[str, str] | None = None
        """What the policy is told of each task; by default our sentences for validation."""
        if trial.instructions:
            said = load_sentences(readable(Path(trial.instructions)))
            self.sentences = {task: sentences[0] for task, sentences in said.items()}

    @cached_property
    def policy(self) -> Policy:
        """The user's policy."""
        return find_policy(self._trial.agent, Origin.PERSON)

    @cached_property
    def _world(self) -> Tabletop:
        checkout = self._trial.calvin_env
        self._worlds.append(tabletop(scene(self._trial.scene), Path(checkout) if checkout else None))
        return self._worlds[0]

    @cached_property
    def _renderer(self) -> TabletopRenderer | None:
        return TabletopRenderer(scene(self._trial.scene)) if self._trial.pictures else None

    def close(self) -> None:
        """Free the world."""
        while self._worlds:
            self._worlds.pop().close()

    def play(self, job: ChainJob) -> ChainScore:
        """Return after how many steps each task of a chain was done, until the first that was not."""
        self._world.reset(*concrete(job.chain.initial_state, scene(self._trial.scene)))
        wanted = job.chain.sequence
        if job.task:
            expert = Expert(self._world)
            if not all(expert.perform(task).success for task in wanted[:-1]):
                return ChainScore(job.task, False, ())
            wanted = wanted[-1:]
        return ChainScore(job.task, True, tuple(self._steps(wanted)))

    def _steps(self, wanted: Sequence[str]) -> Iterator[int]:
        expert = Expert(self._world, from_detection=not self._trial.retreat) if self._trial.agent == EXPERT else None
        for task in wanted:
            steps = self._rollout(task) if expert is None else expert.perform(task).done_after
            if steps is None or steps > self._trial.max_steps:
                return
            yield steps

    def _rollout(self, task: str) -> int | None:
        """Let a policy do a task; return the steps that it took, None if it was not done."""
        name, world = self._trial.agent, self._world
        goal = validation_sentence(task) if self.sentences is None else self.sentences[task]
        start = world.snapshot()
        begin(self.policy, name)
        seen = world.observation()
        for step in range(1, self._trial.max_steps + 1):
            seen = carry_out(world, ask(self.policy, name, show(seen, self._renderer), goal), name)
            if world.tasks_done(start, world.snapshot(), (task,)):
                return step
        return None


def _chains(trial: CalvinTrial) -> Sequence[Chain]:
    """Return the chains that are asked for; beyond the published ones, what the same procedure gives."""
    end = trial.first + trial.chains
    return _find_published(max(end, PUBLISHED))[trial.first : end] if trial.chains else ()


_find_published = lru_cache(maxsize=1)(find_published_chains)


def starts(trial: CalvinTrial) -> Iterator[tuple[str, Chain]]:
    """Yield so many starts of each task: an initial state, and the tasks that lead from it to the task."""
    rng = np.random.Generator(np.random.PCG64(trial.seed))
    for task in tasks():
        for _ in range(trial.rollouts):
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
            ways = [chain for chain in chain_space(length=length + 1).chains(state) if chain.sequence[-1] == task]
            if ways:
                return ways[int(rng.integers(len(ways)))]
    raise AssertionError(f"{task} can be begun after {LONGEST_WAY} tasks")
