"""CALVIN's benchmark: an initial state, a chain of tasks that can be done from it, and an expert that does them.

Each task is judged by the detector while the expert works, and again when the recorded commands are given
open loop, as poses and as motions. States are stored; pictures are drawn from them later.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.files.plugins import pip_install
from chorewright.generator.calvin import records
from chorewright.generator.calvin import trial as trials
from chorewright.generator.calvin.goals import ChainGoal, bindings, goal_text, settings_of, target, target_chains
from chorewright.generator.calvin.options import CalvinOptions
from chorewright.generator.calvin.starts import move_hand, scatter, settle
from chorewright.generator.dataset.config import Assignment, GenerateConfig, domain_sha256, random_for, text_sha256
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step
from chorewright.generator.dataset.options import DETECTION
from chorewright.generator.production.attempts import Attempt, Rejection, TaskTrial, TaskTrials
from chorewright.generator.production.benchmark import Benchmark, PaperFigure
from chorewright.planner.plan import GroundAction
from chorewright.problems.calvin import scenes
from chorewright.problems.calvin.chains import chain_space
from chorewright.problems.calvin.tasks import CORRECT, atoms_of, task_model, tasks
from chorewright.replay.calvin.engine import engine, has_engine
from chorewright.replay.calvin.motion import USUAL

if TYPE_CHECKING:
    from chorewright.generator.calvin.moments import TableMoments

TRIES = 4
"""So many chains are tried for an index."""

STARTS = 2
"""So often a chain is tried, its blocks scattered anew, before another one: easy ones are not preferred."""

VALIDATION_EACH = 10
"""Every tenth index goes to validation; of fewer, the last."""

CHAIN, PLAY = "chain", "play"
"""The task of an index that gets a chain drawn among all, or play; others have the name of a goal template, or of one
of the 34 tasks that is done singly."""

TRAINING, VALIDATION = "training", "validation"
INITIAL, STATE = "initial_state", "state"

CONDITIONS = {
    "commanded_actions": "absolute commands replay",
    "commanded_rel_actions": "relative commands replay",
    "actions": "actions replay",
    "rel_actions": "relative actions replay",
}
"""How a form's replay is called as a condition."""

Float = NDArray[np.float64]


_TASKS, _SENTENCES, _HOURS, _CHAIN, _FPS = 34, 389, 24, 5, 30


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some chains beside those of Mees et al. 2022."""
    tasks, sentences, frames, longest = set(), set(), 0, 0
    for episode in episodes:
        tasks |= {segment.action for segment in episode.segments}
        sentences |= {each.text for each in episode.instructions}
        frames += len(episode.steps)
        longest = max(longest, len(episode.segments))
    return [
        PaperFigure("tasks", f"{len(tasks)}", f"{_TASKS}"),
        PaperFigure("different sentences", f"{len(sentences)}", f"{_SENTENCES}"),
        PaperFigure("hours at 30 frames a second", f"{frames / _FPS / 3600:.2f}", f"about {_HOURS}, of play"),
        PaperFigure("tasks in the longest chain", f"{longest}", f"{_CHAIN}, in evaluation"),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class ChainCandidate:
    """A chain on a table, from a state with the blocks put down just so; ``sentence`` is said of the whole, and
    ``seed`` decides what the expert draws."""

    table: scenes.TabletopScene
    state: scenes.TabletopState
    chain: tuple[str, ...]
    sentence: str
    start: tuple[Float, Float]
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ChainResult:
    """What the expert did, and how its forms replay."""

    trial: trials.ChainTrial
    replays: dict[str, bool]


ChainAttempt: TypeAlias = Attempt[ChainCandidate, ChainResult]


class CalvinBenchmark(Benchmark[ChainCandidate, ChainResult]):
    """Episodes like CALVIN's: chains of tasks at one of four tables."""

    name = records.BENCHMARK
    world = "tabletop"
    options = CalvinOptions
    paper_figures = staticmethod(paper_figures)
    difference = staticmethod(trials.difference)
    stages = ("plan", "expert", "replay")

    def count(self, config: GenerateConfig) -> int:
        """Return how many episodes there are: with ``--per-task`` so many of each task."""
        settings = settings_of(config)
        return len(settings.singles) * settings.asked.per_task if settings.asked.per_task else config.episodes

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
        if settings.asked.per_task:
            return [_single(config, index) for index in range(count)]
        order = random_for(config, 0, stream=1).permutation(len(scenes.initial_states())).tolist()
        found = []
        for index in range(count):
            round_, place = divmod(index, len(order))
            state, name = order[place], settings.scenes[index % len(settings.scenes)]
            wanted = target(config, index, order) if settings.tasks else None
            validation = index % VALIDATION_EACH == VALIDATION_EACH - 1 or (
                1 < count < VALIDATION_EACH and index == count - 1
            )
            split = VALIDATION if validation else TRAINING
            given = ((INITIAL, str(wanted.state if wanted else state)), *(wanted.binding if wanted else ()))
            task = wanted.task if wanted else PLAY if settings.asked.play else CHAIN
            found.append(Assignment(index, task, given, name, split, round_))
        return found

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[ChainAttempt]
    ) -> Iterator[ChainCandidate]:
        """Yield chains, drawn among all or to the assignment's goal, each with two starts of the blocks.

        If there is no chain, what is yielded has none.
        """
        settings = settings_of(config)
        table, given = scenes.scene(assignment.scene), dict(assignment.parameters)
        state = scenes.parse_state(given[STATE]) if STATE in given else scenes.initial_states()[int(given[INITIAL])]
        found = False
        for chain, sentence in _chains(config, assignment, state, rng):
            found = True
            for _ in range(STARTS if settings.asked.scatter else 1):
                start = settle(scatter(scenes.concrete(state, table), settings.asked.scatter, table, rng), table)
                start = move_hand(start, settings.asked.start_hand, table, rng)
                seed = 0 if settings.manner == USUAL else int(rng.integers(2**62))
                yield ChainCandidate(table, state, chain, sentence, start, seed)
        if not found:
            yield ChainCandidate(table, state, (), "", scenes.concrete(state, table))

    def attempt(self, config: GenerateConfig, candidate: ChainCandidate) -> ChainAttempt:
        """Let the expert do a chain, then replay what was recorded."""
        if not candidate.chain:
            return Attempt(candidate, None, Rejection("plan", "no chain"))
        settings = settings_of(config)
        world = trials.world_of(candidate.table.name, settings.checkout)
        manner = replace(settings.manner, seed=candidate.seed)
        trial = trials.run_chain(world, candidate.start, candidate.chain, settings.asked.segments, manner)
        if trial.reason and trial.runs and settings.asked.play:  # play ends where a task fails
            candidate = replace(candidate, chain=tuple(run.task for run in trial.runs))
        elif trial.reason:
            return Attempt(candidate, ChainResult(trial, {}), Rejection("expert", trial.reason))
        replays = {}
        for name, commands in trials.forms(trial.frames).items() if settings.replays else ():
            why = trials.replay(world, candidate.start, trial.runs, commands(), settings.asked.segments)
            replays[name] = not why
            if why and name in settings.replays:
                return Attempt(candidate, ChainResult(trial, replays), Rejection(f"replay of {name}", why))
        return Attempt(candidate, ChainResult(trial, replays))

    def speak(self, config: GenerateConfig, blank: Episode, attempt: ChainAttempt, rng: np.random.Generator) -> Episode:
        """Draw what is said for each task; of a rejected attempt only what was tried is kept."""
        told, candidate, made = _without_steps(config, blank, attempt.candidate), attempt.candidate, attempt.made
        settings = settings_of(config)
        if made is None or not attempt.accepted:
            return told
        trial, said, order = made.trial, candidate.sentence, [block.name for block in candidate.table.blocks]
        numbers = [number for number, run in enumerate(trial.runs) for _ in range(run.frames)]
        end = trial.frames[len(numbers)]
        last = records.TableFrame(end.robot_obs, end.scene_obs, end.snapshot)
        conditions = (("tasks done", True), *((CONDITIONS[name], True) for name in settings.replays))
        return replace(
            told,
            segments=tuple(_segment(run, plain=settings.plain) for run in trial.runs),
            steps=tuple(
                Step("move", number, records.write_frame(frame, order))
                for number, frame in zip(numbers, trial.frames, strict=False)
            ),
            instructions=(
                *([Instruction(said, "goal")] if said else ()),
                *(
                    Instruction(_sentence(task, blank.split, config, rng), "step", 0, number)
                    for number, task in enumerate(candidate.chain)
                ),
            ),
            outcome=replace(blank.outcome, conditions=conditions),
            extras=(
                *told.extras,
                (records.RESET, records.write_start(candidate.start)),
                (records.END, records.write_frame(last, order)),
                (records.REPLAYED, json.dumps(made.replays)),
                *([(records.SEGMENTS, settings.asked.segments)] if settings.asked.segments == DETECTION else ()),
                *([(records.NOISE, f"{settings.manner.noise:g}")] if settings.manner.noise else ()),
            ),
        )

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return trials of the one task that is asked for, from initial states in which it is not done yet.

        Without PyBullet, chains are planned and not carried out.
        """
        ((name, template),) = settings_of(config).tasks.items()
        order = random_for(config, 0, stream=1).permutation(len(scenes.initial_states())).tolist()
        table = settings_of(config).scenes[0]
        wanted = _targets(config, order, count)
        return TaskTrials(
            template.name,
            "states",
            len(scenes.initial_states()),
            len(bindings(template)),
            [
                Assignment(index, name, ((INITIAL, str(each.state)), *each.binding), table, TRAINING)
                for index, each in enumerate(wanted)
            ],
            note="" if has_engine() else f"planned only: to carry chains out, {pip_install('calvin')}",
        )

    def trial(
        self, config: GenerateConfig, assignment: Assignment, attempts: int, uncounted: Collection[str] = ()
    ) -> TaskTrial:
        """Try chains from an initial state; the state is among the parameters, but fills no slot."""
        rng = random_for(config, assignment.index)
        candidate = next(self.candidates(config, assignment, rng, ()))
        state, binding = str(candidate.state), assignment.parameters[1:]
        if not has_engine() and candidate.chain:
            return TaskTrial(state, config.seed, binding, (), True, len(candidate.chain), 0, candidate.sentence)
        return replace(super().trial(config, assignment, attempts, uncounted), scene=state, binding=binding)

    def subjects(self, episode: Episode) -> Sequence[str]:
        """Return the chain's tasks in their order."""
        return tuple(each.action for each in episode.segments)

    def moments(self) -> TableMoments:
        """Return what reads the recorded numbers and draws both cameras."""
        from chorewright.generator.calvin.moments import TableMoments

        return TableMoments()


def _chains(
    config: GenerateConfig, assignment: Assignment, state: scenes.TabletopState, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield chains to try, drawn among all or to the assignment's goal, and what is said of the whole."""
    starts, length = settings_of(config).starts, settings_of(config).asked.length
    if starts is not None:
        for _ in range(TRIES):
            play = assignment.task == PLAY
            yield starts.walk(state, length, rng) if play else starts.draw(assignment.task, state, rng), ""
        return
    if assignment.task != CHAIN:
        yield from target_chains(config, _target(assignment.task, assignment.parameters), rng)
        return
    space = chain_space(length=length)
    for _ in range(TRIES):
        yield space.draw(state, rng).sequence, ""


def _targets(config: GenerateConfig, order: Sequence[int], count: int) -> list[ChainGoal]:
    """Return what the first indices are to reach, each from another initial state; fewer where they run out."""
    left, found = list(order), list[ChainGoal]()
    while left and len(found) < count:
        try:
            wanted = target(config, len(found), left)
        except UsageError:
            if found:
                break
            raise
        left.remove(wanted.state)
        found.append(wanted)
    return found


def _single(config: GenerateConfig, index: int) -> Assignment:
    """Return what an index shall demonstrate of single tasks: these in turn, each from its states in random order."""
    settings = settings_of(config)
    round_, place = divmod(index, len(settings.singles))
    task = settings.singles[place]
    assert settings.starts is not None, "there are single tasks"
    states = settings.starts.states(task)
    order = random_for(config, list(tasks()).index(task), stream=2).permutation(len(states))
    state = states[int(order[round_ % len(states)])]
    split = VALIDATION if round_ % VALIDATION_EACH == VALIDATION_EACH - 1 else TRAINING
    name = settings.scenes[round_ % len(settings.scenes)]
    return Assignment(index, task, ((STATE, str(state)),), name, split, round_)


def _target(task: str, parameters: Sequence[tuple[str, str]]) -> ChainGoal:
    (_, state), *binding = parameters
    return ChainGoal(task, tuple(binding), int(state))


def _without_steps(config: GenerateConfig, blank: Episode, candidate: ChainCandidate) -> Episode:
    """Return an episode with what was tried, without what the expert did."""
    drawn = blank.task in (CHAIN, PLAY) or blank.task in tasks()
    kind = "play" if blank.task == PLAY else "chains" if drawn else "shortest chains"
    wanted = None if drawn else _target(blank.task, blank.parameters)
    return replace(
        blank,
        parameters=(*blank.parameters, *_number(candidate.chain)),
        domain_sha256=domain_sha256(CORRECT),
        problem_sha256=text_sha256(f"{candidate.table.full_name}: {candidate.state}"),
        goal=" ".join(candidate.chain) if wanted is None else goal_text(config, wanted),
        plan=_plan(candidate.state, candidate.chain),
        plan_cost=float(len(candidate.chain)),
        planner="uniform sampling",
        planner_configuration=f"{kind} of {len(candidate.chain)} tasks, domain {CORRECT}",
        extras=(
            (records.SCENE, candidate.table.full_name),
            (records.START, str(candidate.state)),
            *([(trials.WORLD, "calvin_env")] if settings_of(config).checkout else ()),
        ),
    )


def _segment(run: trials.TaskRun, *, plain: bool) -> Segment:
    """Return a task's segment; ``plain`` data do not say which frames belong to failed attempts."""
    details = {"frames": run.frames, "done_after": run.done_after, "tries": run.tries}
    return Segment(run.task, (), json.dumps(details if plain else {**details, "failed_frames": run.failed}))


def _number(chain: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, task in enumerate(chain, 1):
        yield f"task_{number}", task


def _sentence(task: str, split: str, config: GenerateConfig, rng: np.random.Generator) -> str:
    said = settings_of(config).instructions
    return said.validation[task][0] if split == VALIDATION else said.draw(task, rng)


def _plan(state: scenes.TabletopState, chain: Sequence[str]) -> tuple[GroundAction, ...]:
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
