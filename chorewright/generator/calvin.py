"""CALVIN's recipe: an initial state, a chain of tasks that can be done from it, and an expert that does them.

Each task is judged by the detector while the expert works, and again when the recorded commands are given
open loop, as poses and as motions. States are stored; pictures are drawn from them later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.library import shipped_domain
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import DatasetCorrupt, UnsupportedError, UsageError
from chorewright.generator.calvin_records import (
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
from chorewright.generator.calvin_trial import TaskRun, Trial, forms, replay, run_chain
from chorewright.generator.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.planner.plan import GroundAction
from chorewright.problems.tabletop.chains import LENGTH, ChainSpace
from chorewright.problems.tabletop.scenes import TabletopScene, scene
from chorewright.problems.tabletop.states import TabletopState, concrete, initial_states
from chorewright.problems.tabletop.tasks import CORRECT, atoms_of, task_model
from chorewright.replay.tabletop.engine import engine
from chorewright.replay.tabletop.motion import Tabletop
from chorewright.replay.tabletop.real import check_checkout, tabletop
from chorewright.rsa.tabletop_instructions import Instructions, own_instructions, parse_instructions

OPTIONS = ("scenes", "length", "scatter", "replays", "calvin-env")
"""The options that the recipe knows (``GenerateConfig.options``); the last is a checkout of calvin_env."""

REPLAYS = {
    "commanded": ("commanded_actions", "commanded_rel_actions"),
    "all": ("commanded_actions", "commanded_rel_actions", "actions", "rel_actions"),
}
"""Which forms of a recording must succeed open loop for it to be accepted; the others are tried and noted."""

INSTRUCTIONS = ("instructions.yaml", "validation_instructions.yaml")
"""The names of the user's sentences among ``GenerateConfig.task_files``: for training and for validation."""

TRIES = 4
"""So many chains are tried for an index."""

VALIDATION_EACH = 10
"""Every so manieth index is of the validation split; of fewer, the last."""

SCATTER = 0.0
LARGEST_SCATTER = 0.05

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

        Raises:
            UsageError: An option is unknown or has a value that it cannot have.
            MissingExtra: PyBullet is not installed.
        """
        settings = _settings(config)
        engine()
        if settings.checkout is not None and len(settings.scenes) > 1:
            raise UsageError("calvin_env has one table in a process", hint="give one scene")
        order = random_for(config, 0, stream=1).permutation(len(initial_states()))
        found = []
        for index in range(count):
            round_, place = divmod(index, len(order))
            state, name = int(order[place]), settings.scenes[index % len(settings.scenes)]
            validation = index % VALIDATION_EACH == VALIDATION_EACH - 1 or (
                1 < count < VALIDATION_EACH and index == count - 1
            )
            split = VALIDATION if validation else TRAINING
            found.append(Assignment(index, "chain", ((INITIAL, str(state)),), name, split, round_))
        return found

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: the first accepted chain, else the last that was tried."""
        settings, rng = _settings(config), random_for(config, index)
        table = scene(assignment.scene)
        state = initial_states()[int(dict(assignment.parameters)[INITIAL])]
        rejections: list[str] = []
        attempt: _Attempt | None = None
        for chain in _chains(state, settings.length, rng):
            start = _scattered(concrete(state, table), settings.scatter, rng)
            world = _world(table.name, settings.checkout)
            attempt = _attempt(world, state, chain, start, settings.replays)
            if not attempt.reason:
                break
            rejections.append(attempt.reason)
        assert attempt is not None
        return _episode(index, config, assignment, attempt, tuple(rejections), rng)


@dataclass(frozen=True, slots=True)
class _Settings:
    scenes: tuple[str, ...]
    length: int
    scatter: float
    checkout: Path | None
    replays: tuple[str, ...]


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


def _chains(state: TabletopState, length: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    space = _space(length)
    for _ in range(TRIES):
        yield space.draw(state, rng).sequence


def _scattered(start: tuple[Float, Float], scatter: float, rng: np.random.Generator) -> tuple[Float, Float]:
    """Move blocks on the table by up to so many metres to each side."""
    robot, table = start
    if scatter:
        table = table.copy()
        moves = rng.uniform(-scatter, scatter, (3, 2))
        for number in range(3):
            if table[6 + 6 * number + 1] < 0:  # in front of the compartments: on the table
                table[6 + 6 * number : 8 + 6 * number] += moves[number]
    return robot, table


def _episode(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: tuple[str, ...],
    rng: np.random.Generator,
) -> Episode:
    """Write an attempt down."""
    trial, order = attempt.trial, [block.name for block in attempt.scene.blocks]
    blank = Episode(
        recipe=config.recipe,
        index=index,
        seed=config.seed,
        task=assignment.task,
        parameters=(*assignment.parameters, *_numbered(attempt.chain)),
        split=assignment.split,
        scene=None,
        domain_sha256=_domain_sha256(),
        problem_sha256=_sha256(f"{attempt.scene.full_name}: {attempt.state}"),
        goal=" ".join(attempt.chain),
        plan=_plan(attempt.state, attempt.chain),
        plan_cost=float(len(attempt.chain)),
        planner="uniform sampling",
        planner_configuration=f"chains of {len(attempt.chain)} tasks, domain {CORRECT}",
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
    if attempt.reason:
        return blank
    frames = trial.frames
    numbers = [number for number, run in enumerate(trial.runs) for _ in range(run.frames)]
    conditions = (("tasks done", True), *((CONDITIONS[name], True) for name in _settings(config).replays))
    return replace(
        blank,
        segments=tuple(_segment(run.task, run.frames, run.done_after, run.tries) for run in trial.runs),
        steps=tuple(
            Step("move", number, write_frame(frame, order))
            for number, frame in zip(numbers, frames, strict=False)
        ),
        instructions=tuple(
            Instruction(_sentence(task, assignment.split, config, rng), "step", 0, number)
            for number, task in enumerate(attempt.chain)
        ),
        outcome=Outcome(True, conditions=conditions),
        extras=(
            *blank.extras,
            (RESET, write_start(attempt.start)),
            (END, write_frame(_ended(frames[-1]), order)),
            ("replays", json.dumps(attempt.replays)),
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


@lru_cache(maxsize=4)
def instructions_of(config: GenerateConfig) -> Instructions:
    """Return what is said for each task: our own sentences, or those of the user's files.

    Raises:
        UsageError: There are other files.
        InputError: A file is not in CALVIN's format.
    """
    files = dict(config.task_files)
    if strange := [name for name in files if name not in INSTRUCTIONS]:
        raise UsageError(
            f"the recipe {RECIPE} takes no task file such as {strange[0]!r}",
            hint=f"its tasks are CALVIN's 34; its files are {' and '.join(INSTRUCTIONS)}",
        )
    if not files:
        return own_instructions()
    training, validation = (files.get(name) for name in INSTRUCTIONS)
    if training is None:
        raise UsageError(f"{INSTRUCTIONS[1]} goes with {INSTRUCTIONS[0]}, which is missing")
    return parse_instructions(training, INSTRUCTIONS[0], validation, INSTRUCTIONS[1])


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


@lru_cache(maxsize=1)
def _domain_sha256() -> str:
    return _sha256(write_domain(shipped_domain(CORRECT)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=16)
def _settings(config: GenerateConfig) -> _Settings:
    unknown = [name for name, _ in config.options if name not in OPTIONS]
    if unknown:
        hint = f"its options are {', '.join(OPTIONS)}"
        raise UsageError(f"the recipe {RECIPE} has no option {unknown[0]!r}", hint=hint)
    instructions_of(config)
    length = _number(config, "length", LENGTH)
    scatter = _number(config, "scatter", SCATTER)
    if length != int(length):
        raise UsageError(f"length must be a whole number, not {length}")
    if not 0 <= scatter <= LARGEST_SCATTER:
        raise UsageError(f"scatter must be 0 to {LARGEST_SCATTER} metres, not {scatter}")
    _space(int(length))
    names = tuple(scene(name).name for name in config.option("scenes") or ("D",))
    checkouts = config.option("calvin-env")
    if len(checkouts) > 1:
        raise UsageError("calvin-env is given more than once")
    checkout = check_checkout(Path(checkouts[0])) if checkouts else None
    replays = next(iter(config.option("replays")), "commanded")
    if replays not in REPLAYS:
        raise UsageError(f"replays must be {' or '.join(REPLAYS)}, not {replays!r}")
    return _Settings(names, int(length), scatter, checkout, REPLAYS[replays])


def _number(config: GenerateConfig, name: str, default: float) -> float:
    values = config.option(name)
    if len(values) > 1:
        raise UsageError(f"{name} is given more than once")
    try:
        return float(values[0]) if values else float(default)
    except ValueError as error:
        raise UsageError(f"{name} must be a number, not {values[0]!r}") from error
