"""CALVIN's recipe: an initial state, a chain of tasks that can be done from it, and an expert that does them.

Each task is judged by the detector while the expert works, and again when the recorded commands are given
open loop, as poses and as motions. States are stored; pictures are drawn from them later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import DatasetCorrupt, UnsupportedError, UsageError
from chorewright.generator.calvin.goals import Target, goal_tasks, goal_text, target, target_chains
from chorewright.generator.calvin.records import (
    END,
    RECIPE,
    RESET,
    SCENE,
    START,
    TableFrame,
    episode_frames,
    episode_scene,
    episode_start,
    write_frame,
    write_start,
)
from chorewright.generator.calvin.settings import instructions_of, settings_of
from chorewright.generator.calvin.trial import TaskRun, Trial, forms, replay, run_chain
from chorewright.generator.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.generator.store.digests import domain_sha256, text_sha256
from chorewright.planner.plan import GroundAction
from chorewright.problems.tabletop.chains import ChainSpace
from chorewright.problems.tabletop.scenes import TabletopScene, scene
from chorewright.problems.tabletop.states import YAWS, TabletopState, concrete, initial_states
from chorewright.problems.tabletop.tasks import CORRECT, atoms_of, task_model
from chorewright.replay.tabletop.engine import engine
from chorewright.replay.tabletop.motion import Tabletop
from chorewright.replay.tabletop.real import tabletop

TRIES = 4
"""So many chains are tried for an index."""

STARTS = 2
"""So often a chain is tried, its blocks scattered anew, before another one: easy ones are not preferred."""

VALIDATION_EACH = 10
"""Every so manieth index is of the validation split; of fewer, the last."""

CHAIN = "chain"
"""The task of an index that gets a chain drawn among all; other indices have the name of a goal template."""

WORLD = "world"
TRAINING, VALIDATION = "training", "validation"
INITIAL = "initial_state"

CONDITIONS = {
    "commanded_actions": "absolute commands replay",
    "commanded_rel_actions": "relative commands replay",
    "actions": "actions replay",
    "rel_actions": "relative actions replay",
}
"""How a form's replay is called as a condition."""

Float = NDArray[np.float64]


class CalvinRecipe:
    """Episodes like CALVIN's: chains of tasks at one of four tables."""

    name = RECIPE

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: the 192 initial states in turn.

        Where tasks are asked for, they and what fills their slots take turns too, and an initial state in
        which the goal holds already is left out.

        Raises:
            UsageError: An option is unknown or has a value that it cannot have.
            MissingExtra: PyBullet is not installed.
        """
        settings = settings_of(config)
        engine()
        if settings.checkout is not None and len(settings.scenes) > 1:
            raise UsageError("calvin_env has one table in a process", hint="give one scene")
        order = random_for(config, 0, stream=1).permutation(len(initial_states())).tolist()
        found = []
        for index in range(count):
            round_, place = divmod(index, len(order))
            state, name = order[place], settings.scenes[index % len(settings.scenes)]
            wanted = target(config, index, order) if goal_tasks(config) else None
            validation = index % VALIDATION_EACH == VALIDATION_EACH - 1 or (
                1 < count < VALIDATION_EACH and index == count - 1
            )
            split = VALIDATION if validation else TRAINING
            given = ((INITIAL, str(wanted.state if wanted else state)), *(wanted.binding if wanted else ()))
            found.append(Assignment(index, wanted.task if wanted else CHAIN, given, name, split, round_))
        return found

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: the first accepted chain, else the last that was tried."""
        settings, rng = settings_of(config), random_for(config, index)
        table = scene(assignment.scene)
        state = initial_states()[int(dict(assignment.parameters)[INITIAL])]
        rejections: list[str] = []
        said = ""
        attempt = _Attempt(table, state, concrete(state, table), (), Trial((), (), ""), {}, "plan: no chain")
        starts = STARTS if settings.scatter else 1
        tried = (each for each in _chains(config, assignment, state, rng) for _ in range(starts))
        for chain, sentence in tried:
            said = sentence
            start = _scattered(concrete(state, table), settings.scatter, rng)
            world = _world(table.name, settings.checkout)
            attempt = _attempt(world, state, chain, start, settings.replays)
            if not attempt.reason:
                break
            rejections.append(attempt.reason)
        if not attempt.chain:
            rejections.append(attempt.reason)
        return _episode(index, config, assignment, attempt, tuple(rejections), said, rng)


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """A chain that was tried: what came of it, how its forms replay, and why it is rejected if it is."""

    scene: TabletopScene
    state: TabletopState
    start: tuple[Float, Float]
    chain: tuple[str, ...]
    trial: Trial
    replays: dict[str, bool]
    reason: str


def _attempt(
    world: Tabletop,
    state: TabletopState,
    chain: tuple[str, ...],
    start: tuple[Float, Float],
    asked: tuple[str, ...],
) -> _Attempt:
    """Let the expert do a chain, then replay what was recorded."""
    table = world.scene
    trial = run_chain(world, start, chain)
    if trial.reason:
        return _Attempt(table, state, start, chain, trial, {}, f"expert: {trial.reason}")
    replays = {}
    for name, commands in forms(trial.frames).items():
        why = replay(world, start, trial.runs, commands())
        replays[name] = not why
        if why and name in asked:
            return _Attempt(table, state, start, chain, trial, replays, f"replay of {name}: {why}")
    return _Attempt(table, state, start, chain, trial, replays, "")


def _chains(
    config: GenerateConfig, assignment: Assignment, state: TabletopState, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield chains to try, drawn among all or to the assignment's goal, and what is said of the whole."""
    if assignment.task != CHAIN:
        yield from target_chains(config, _target(assignment), rng)
        return
    space = _space(settings_of(config).length)
    for _ in range(TRIES):
        yield space.draw(state, rng).sequence, ""


def _target(assignment: Assignment) -> Target:
    (_, state), *binding = assignment.parameters
    return Target(assignment.task, tuple(binding), int(state))


def _scattered(start: tuple[Float, Float], scatter: float, rng: np.random.Generator) -> tuple[Float, Float]:
    """Move blocks on the table by up to so many metres to each side, and turn all blocks anew."""
    robot, table = start
    if scatter:
        table = table.copy()
        moves, yaws = rng.uniform(-scatter, scatter, (3, 2)), rng.uniform(*YAWS, 3)
        for number in range(3):
            if table[6 + 6 * number + 1] < 0:  # in front of the compartments: on the table
                table[6 + 6 * number : 8 + 6 * number] += moves[number]
            table[6 + 6 * number + 5] = yaws[number]
    return robot, table


def _episode(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: tuple[str, ...],
    said: str,
    rng: np.random.Generator,
) -> Episode:
    """Write an attempt down."""
    blank = _blank(index, config, assignment, attempt, rejections)
    if attempt.reason:
        return blank
    trial, order = attempt.trial, [block.name for block in attempt.scene.blocks]
    frames = trial.frames
    numbers = [number for number, run in enumerate(trial.runs) for _ in range(run.frames)]
    conditions = (("tasks done", True), *((CONDITIONS[name], True) for name in settings_of(config).replays))
    return replace(
        blank,
        segments=tuple(_segment(run.task, run.frames, run.done_after, run.tries) for run in trial.runs),
        steps=tuple(
            Step("move", number, write_frame(frame, order)) for number, frame in zip(numbers, frames, strict=False)
        ),
        instructions=(
            *([Instruction(said, "goal")] if said else ()),
            *(
                Instruction(_sentence(task, assignment.split, config, rng), "step", 0, number)
                for number, task in enumerate(attempt.chain)
            ),
        ),
        outcome=Outcome(True, conditions=conditions),
        extras=(
            *blank.extras,
            (RESET, write_start(attempt.start)),
            (END, write_frame(_ended(frames[-1]), order)),
            ("replays", json.dumps(attempt.replays)),
        ),
    )


def _blank(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: tuple[str, ...],
) -> Episode:
    """Write down what was tried, without what the expert did: all that is kept of a rejected attempt."""
    drawn = assignment.task == CHAIN
    kind = "chains" if drawn else "shortest chains"
    return Episode(
        recipe=config.recipe,
        index=index,
        seed=config.seed,
        task=assignment.task,
        parameters=(*assignment.parameters, *_numbered(attempt.chain)),
        split=assignment.split,
        scene=None,
        domain_sha256=domain_sha256(CORRECT),
        problem_sha256=text_sha256(f"{attempt.scene.full_name}: {attempt.state}"),
        goal=" ".join(attempt.chain) if drawn else goal_text(config, _target(assignment)),
        plan=_plan(attempt.state, attempt.chain),
        plan_cost=float(len(attempt.chain)),
        planner="uniform sampling",
        planner_configuration=f"{kind} of {len(attempt.chain)} tasks, domain {CORRECT}",
        segments=(),
        steps=(),
        instructions=(),
        outcome=Outcome(False, attempt.reason),
        attempts=len(rejections) + (not attempt.reason),
        rejections=rejections,
        extras=(
            (SCENE, attempt.scene.full_name),
            (START, str(attempt.state)),
            *([(WORLD, "calvin_env")] if config.option("calvin-env") else ()),
        ),
    )


def replay_episode(episode: Episode) -> None:
    """Give an episode's commands to the world again.

    Raises:
        DatasetCorrupt: A task is not done again, or the episode has no commands.
        UnsupportedError: It was recorded in calvin_env.
    """
    if WORLD in dict(episode.extras):
        raise UnsupportedError(
            f"episode {episode.index} was recorded in calvin_env, whose physics differ from ours",
            hint="it was replayed there when it was made",
        )
    runs, first = [], 0
    for number, segment in enumerate(episode.segments):
        count = sum(step.segment == number for step in episode.steps)
        runs.append(TaskRun(segment.action, first, count, count, 1))
        first += count
    commands = forms(episode_frames(episode))["commanded_actions"]()
    world = _world(episode_scene(episode).name, None)
    if why := replay(world, episode_start(episode), runs, commands):
        raise DatasetCorrupt(
            f"episode {episode.index} does not replay: {why}",
            hint="the dataset was made by another version of chorewright or PyBullet",
        )


def _ended(frame: TableFrame) -> TableFrame:
    return replace(frame, command=None, relative_command=None)


def _segment(task: str, frames: int, done_after: int, tries: int) -> Segment:
    details = {"frames": frames, "done_after": done_after, "tries": tries}
    return Segment(task, (), json.dumps(details))


def _numbered(chain: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, task in enumerate(chain, 1):
        yield f"task_{number}", task


def _sentence(task: str, split: str, config: GenerateConfig, rng: np.random.Generator) -> str:
    said = instructions_of(config)
    return said.validation[task][0] if split == VALIDATION else said.draw(task, rng)


def _plan(state: TabletopState, chain: Sequence[str]) -> tuple[GroundAction, ...]:
    """Return a chain as the domain's actions."""
    model, atoms = task_model(CORRECT), atoms_of(state)
    actions = []
    for task in chain:
        (way,) = model.applicable(task, atoms)
        actions.append(GroundAction(way.action, way.arguments))
        following = model.successor(task, atoms)
        assert following is not None, "the chain was drawn from those that can be done"
        atoms = following
    return tuple(actions)


@lru_cache(maxsize=4)
def _world(name: str, checkout: Path | None) -> Tabletop:
    return tabletop(scene(name), checkout)


@lru_cache(maxsize=4)
def _space(length: int) -> ChainSpace:
    return ChainSpace(length=length)
