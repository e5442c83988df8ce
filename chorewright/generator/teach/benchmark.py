"""TEACh's recipe: a task with parameters in a room becomes a session that is planned, acted and talked over.

Room, random state, goal of the compiled definition, plan, actions in the THOR world, progress check at the
end, dialogue. What fails on the way rejects the attempt with a reason; then the room is scattered anew, then
other parameters are tried in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.tdl.compiler import compile_goal
from chorewright.domains.tdl.tasks import Task
from chorewright.errors import UsageError
from chorewright.generator.episode import Episode, Outcome
from chorewright.generator.household.demonstration import Rejection
from chorewright.generator.options import asked_rooms, check_option_names
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.generator.sampling import Choice, Fold, folds
from chorewright.generator.store.digests import domain_sha256, text_sha256
from chorewright.generator.teach.assignment import assignments
from chorewright.generator.teach.compiling import compile_in, goal_of
from chorewright.generator.teach.definitions import definitions_of, own_tasks
from chorewright.generator.teach.demonstration import TeachDemonstration, demonstrate_teach
from chorewright.generator.teach.dialogue import utterances
from chorewright.generator.teach.records import (
    DIALOGUE,
    FINAL,
    PROGRESS,
    Session,
    conditions,
    final_text,
    progress_text,
    segment_records,
    session_records,
)
from chorewright.generator.teach.scenes import teach_scene
from chorewright.generator.teach.variants import named_parameters, rooms_for, settings, suited_rooms, variants
from chorewright.planner.plan import Limits
from chorewright.problems.thor.rooms import load_room, room_names
from chorewright.problems.thor.scene import Scene
from chorewright.problems.thor.spawn import NoRoom

OPTIONS = ("tasks", "params", "scenes", "splits")
"""The options that the recipe knows (``GenerateConfig.options``)."""

PREFIX = "teach/"


class TeachRecipe:
    """Sessions like TEACh's: all twelve tasks of the dataset, or the tasks that are asked for."""

    name = "teach"

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``.

        Raises:
            UsageError: An option is unknown or matches nothing, or nothing is possible in the rooms.
        """
        _check_options(config)
        rooms = frozenset(asked_rooms(config))
        rules = settings().tasks
        names = _tasks(config)
        choices = {
            name: [
                Choice(name, named_parameters(params), here)
                for params in _variants(config, name)
                if (here := tuple(room for room in _rooms(config.task_files, name, params) if room in rooms))
            ]
            for name in names
        }
        equal = any(name not in rules for name in names)
        shares = {name: 1.0 if equal else rules[name].share for name in names}
        found = assignments(choices, shares, _folds(config), count, config.seed)
        if count and not found:
            raise UsageError(
                "none of the tasks is possible in any of the rooms",
                hint="choose other scenes, splits, tasks or parameters; `chorewright tasks` lists the tasks",
            )
        return found

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the session of an index: the first accepted attempt, else the last."""
        rng = random_for(config, index)
        rejections: list[str] = []
        attempt: _Attempt | None = None
        for params in _candidates(config, assignment, rng):
            task = definitions_of(config).task(assignment.task, params)
            attempt = _attempt(task, assignment.scene, int(rng.integers(2**31)))
            if attempt.demonstration is not None:
                break
            rejections.append(f"{' '.join((assignment.task, *params))}: {attempt.reason}")
        assert attempt is not None
        return _episode(index, config, assignment, attempt, rejections, rng)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try of a task with its parameters in a room; without a demonstration the reason why."""

    params: tuple[str, ...]
    seed: int
    scene: Scene
    goal: str
    demonstration: TeachDemonstration | None = None
    reason: str = ""


def _attempt(task: Task, room: str, seed: int) -> _Attempt:
    """Scatter the room, compile, plan, run and check once."""
    vocabulary = household_vocabulary()
    params = task.params
    goal = compile_goal(task, vocabulary)
    empty = load_room(room)
    try:
        scene = teach_scene(empty, task, vocabulary, np.random.Generator(np.random.PCG64(seed)))
    except NoRoom as error:
        return _Attempt(params, seed, empty, write_formula(goal), None, f"scene: {error.message}")
    compiled = compile_in(task, goal, scene, f"{task.name}-{room}-{seed}")
    found = demonstrate_teach(compiled, Limits(evaluations=settings().evaluations), seen=True)
    if isinstance(found, Rejection):
        return _Attempt(params, seed, scene, write_formula(goal), None, str(found))
    return _Attempt(params, seed, scene, write_formula(goal), found)


def _candidates(config: GenerateConfig, assignment: Assignment, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Yield the parameters for each attempt: the assigned ones first, then others that suit the room."""
    own = tuple(value for _, value in assignment.parameters)
    for _ in range(settings().seeds_per_variant):
        yield own
    others = [
        params
        for params in _variants(config, assignment.task)
        if params != own and assignment.scene in _rooms(config.task_files, assignment.task, params)
    ]
    for place in rng.permutation(len(others))[: settings().candidates]:
        yield others[place]


def _episode(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: Sequence[str],
    rng: np.random.Generator,
) -> Episode:
    """Write an attempt down."""
    found = attempt.demonstration
    session = session_records(found, utterances(found, rng)) if found else Session((), (), "[]")
    problem = found.compiled.problem if found else None
    return Episode(
        recipe=config.recipe,
        index=index,
        seed=attempt.seed,
        task=assignment.task,
        parameters=named_parameters(attempt.params),
        split=assignment.split,
        scene=attempt.scene,
        domain_sha256=domain_sha256(household_domain().name),
        problem_sha256=text_sha256(write_problem(problem)) if problem else "",
        goal=attempt.goal,
        plan=found.plan.actions if found else (),
        plan_cost=found.plan.cost if found else 0.0,
        planner=found.plan.planner if found else "",
        planner_configuration=found.plan.configuration if found else "",
        segments=segment_records(found) if found else (),
        steps=session.steps,
        instructions=session.instructions,
        outcome=Outcome(found is not None, attempt.reason, conditions(found) if found else ()),
        attempts=len(rejections) + (found is not None),
        rejections=tuple(rejections),
        extras=_extras(found, session) if found else (),
    )


def _extras(found: TeachDemonstration, session: Session) -> tuple[tuple[str, str], ...]:
    final = final_text(found.compiled.scene, found.execution.final)
    return ((FINAL, final), (PROGRESS, progress_text(found)), (DIALOGUE, session.dialogue))


def _check_options(config: GenerateConfig) -> None:
    check_option_names(config, OPTIONS)
    definitions_of(config)


@lru_cache(maxsize=8192)
def _rooms(files: tuple[tuple[str, str], ...], name: str, params: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rooms that suit a task with its parameters, if the user's definitions are such."""
    if not files:
        return suited_rooms(name, params)
    return rooms_for(definitions_of(GenerateConfig("teach", 1, task_files=files)).task(name, params))


def _folds(config: GenerateConfig) -> tuple[Fold, ...]:
    return folds(config.option("splits"), settings().split_shares, settings().folds, room_names())


def _tasks(config: GenerateConfig) -> tuple[str, ...]:
    """Return the names of the tasks asked for, else those that the user added, else those of the dataset."""
    asked = [name.removeprefix(PREFIX) for name in config.option("tasks")]
    names = [definitions_of(config).find(name).name for name in asked]
    return tuple(dict.fromkeys(names)) or own_tasks(config) or tuple(settings().tasks)


def _variants(config: GenerateConfig, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the parameters of a task: those asked for, or all that its rule gives.

    Raises:
        UsageError: There is no rule for the task, and none were given; or they are not as many as it takes,
            or make no sense.
    """
    asked = [tuple(words.split()) for words in config.option("params")]
    if asked:
        if len(_tasks(config)) > 1:
            raise UsageError("parameters belong to one task", hint="name it with --tasks")
        for params in asked:
            goal_of(definitions_of(config).task(name, params))
        return tuple(dict.fromkeys(asked))
    count = definitions_of(config).find(name).nparams
    rule = settings().tasks.get(name)
    found: tuple[tuple[str, ...], ...] = () if count else ((),)
    if rule is not None and len(rule.slots) == count:
        found = variants(name)
    if not found:
        raise UsageError(
            f"there is no rule for the {count} parameters of {name}",
            hint='give them: --params "' + " ".join(f"P{number}" for number in range(count)) + '"',
        )
    return found
