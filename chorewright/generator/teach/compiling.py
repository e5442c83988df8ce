"""One of TEACh's tasks in one room: goal, scattered scene, planning problem, plan; all of them as tasks of verbs.

A Follower minds more than the task. Food may be laid on a plate or into a pan, other things only on furniture, nothing
into the trash, unless the task asks for it. At the end the doors it opened are closed and the appliances it used are
off, unless the task wants such an appliance to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chorewright.domains.facts import Universe
from chorewright.domains.pddl.syntax import Atom, Domain, Formula, Not, Problem
from chorewright.domains.rewriting import conjunction
from chorewright.domains.teach.compiler import anchor, compile_goal, describe
from chorewright.domains.teach.definition import AtomicComponent, TeachTask, of_caller
from chorewright.domains.teach.definitions import (
    SUFFIX,
    Definitions,
    load_definitions,
    parse_definitions,
    shipped_definitions,
)
from chorewright.domains.teach.progress import missing, obstacles
from chorewright.domains.teach.witnesses import stages, yield_goals
from chorewright.domains.vocabulary import Kind, Vocabulary
from chorewright.errors import InputError, UsageError
from chorewright.generator.dataset.config import DOMAINS, KINDS, SCENES, GenerateConfig, library_of
from chorewright.generator.household.spawning import load_metadata
from chorewright.generator.production.worlds import CompiledTask, TaskRequest
from chorewright.generator.teach.options import own_folder
from chorewright.generator.teach.scenes import teach_scene
from chorewright.generator.teach.variants import settings
from chorewright.planner.plan import UNLIMITED, Answer, Limits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.stages import solve_in_stages
from chorewright.problems.household.kinds import Kinds, kinds_of, shipped_kinds
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.problem import HouseholdProblem, household_problem
from chorewright.problems.household.rooms import load_room, named_scene, room_names
from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.household.room import TEACH_SETTINGS
from chorewright.replay.teach.world import teach_world

if TYPE_CHECKING:
    from rich.console import RenderableType

EACH = Limits(evaluations=60_000)
"""What may go into one choice of objects before the next is tried."""


Pairs = frozenset[tuple[str, str]]

CAREFUL = "careful"
"""The predicate of a domain in which a demonstrator minds these things; a user's domain may lack it."""

TOGGLED = "isToggled"
"""The property of a component that an appliance runs."""


def fits_required(task: TeachTask, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield the kinds of items and receptacles that a task puts together; TEACh puts anything anywhere."""

    def kinds(owner: TeachTask, key: str) -> list[Kind]:
        found = (vocabulary.kind_of_type(name) for name in anchor(owner, key, vocabulary).types)
        return [kind for kind in found if kind is not None]

    for each in task.walk():
        for relation in each.relations:
            for head, _ in relation.heads_needed:
                for item in kinds(each, head):
                    for receptacle in kinds(each, relation.tail):
                        if "pickupable" in item.affordances and receptacle.receptacle:
                            yield item.name, receptacle.name


def unfit(kinds: Kinds) -> Pairs:
    """Return the kinds of items and receptacles that nobody puts together to lay something aside."""
    vocabulary, figures = kinds.vocabulary, settings()
    return frozenset(
        (name, place)
        for name, item in kinds.items()
        for place in item.fits
        if place in figures.no_place
        or (
            place in kinds
            and kinds[place].item
            and not any(vocabulary.is_a(name, each) for each in figures.laid_in_items)
        )
    )


def leaving(task: TeachTask, kinds: Kinds) -> Formula:
    """Return how the Follower leaves the room: nothing that it opened is open, nothing that it used runs."""
    vocabulary = kinds.vocabulary
    names = {kind.pddl_type: name for name, kind in vocabulary.kinds.items()}
    kept_on = any(
        "attended" in kinds[names[name]].roles
        for each in task.walk()
        for part in each.parts_needed
        if isinstance(part, AtomicComponent) and dict(part.conditions).get(TOGGLED)
        for name in describe(part, vocabulary).types
    )
    shut = Not(Atom("ajar", ()))
    return shut if kept_on else conjunction((shut, Not(Atom("running", ()))))


@dataclass(frozen=True, slots=True)
class TeachProblem:
    """A task in a scene, as a planning problem of the household domain.

    ``goal`` is the task's own; the problem's asks besides for a room that is left in order. If ``strict``, no
    object may serve two dishes.
    """

    domain: Domain
    task: TeachTask
    goal: Formula
    scene: Scene
    household: HouseholdProblem
    strict: bool = False

    @property
    def problem(self) -> Problem:
        """The problem with the task's own goal, and how the room is left."""
        return self.household.problem

    def problems(self) -> Iterator[Problem]:
        """Yield the problem with goals that imply the task's own, quickest first; at last with that.

        That one is left out if ``strict``: then there may be none, where there are too few objects.
        """
        universe = Universe.of(self.domain, self.problem)
        vocabulary = self.scene.kinds.vocabulary
        for goal in yield_goals(self.task, vocabulary, universe, self.problem, strict=self.strict):
            yield replace(self.problem, goal=conjunction((goal, leaving(self.task, self.scene.kinds))))


def compile_teach(
    name: str,
    params: Sequence[str],
    scene: str | None,
    seed: int,
    *,
    definitions: Definitions | None = None,
    kinds: Kinds | None = None,
    strict: bool = False,
) -> TeachProblem:
    """Fill a task's parameters, scatter a room for it, and make the planning problem.

    Args:
        name: The definition's task_name, or that in kebab case.
        params: Its parameters.
        scene: The name of a room or house; or the path of an AI2-THOR metadata ``.json`` or of a house's file, which
            is taken as it is; or None for the first room that has what the task needs.
        seed: Of the scattering.
        definitions: The user's definitions, if not the shipped ones.
        kinds: What its things are; the shipped kinds by default.
        strict: Every dish shall have its own plate and slices.

    Raises:
        InputError: The definition or metadata has errors.
        UsageError: There is no such task or room, a parameter makes no sense, or the room lacks what the task
            needs.
        NoRoom: The things could not be placed with this seed.
    """
    task = (definitions or shipped_definitions()).task(name, params)
    kinds = kinds or shipped_kinds()
    goal = goal_of(task, kinds.vocabulary)
    if scene is not None and scene.endswith(".json"):
        room = load_metadata(Path(scene), kinds)
    else:
        room = named_scene(scene or _first_room(task, kinds), kinds)
        _require_suited(task, room, copies=True)
        rng = np.random.Generator(np.random.PCG64(seed))
        room = teach_scene(room, task, kinds.vocabulary, rng)
    _require_suited(task, room)
    compiled = compile_in(task, goal, room, f"{task.name}-{room.name}-{seed}", strict=strict)
    if strict and next(compiled.problems(), None) is None:
        raise UsageError(f"{room.name} has too few objects for {task.name} if no two dishes share any")
    return compiled


def goal_of(task: TeachTask, vocabulary: Vocabulary) -> Formula:
    """Return a task's goal over the household's types.

    Raises:
        UsageError: There is no such type or class as a parameter names.
        InputError: There is no such one as the definition names, or it asks for a property that is not known.
    """
    try:
        return compile_goal(task, vocabulary)
    except InputError as error:
        raise of_caller(error, task) from None


def compile_in(
    task: TeachTask,
    goal: Formula,
    scene: Scene,
    name: str,
    *,
    strict: bool = False,
    stands: Sequence[tuple[str, Pose]] = (),
) -> TeachProblem:
    """Return the planning problem of a task in a scene as it is.

    Args:
        task: The task.
        goal: Its goal.
        scene: The scene.
        name: The problem's name.
        strict: Whether no object may serve two dishes.
        stands: From where some things are handled, by id: items instead of their usual poses, fixtures besides.
    """
    items = {thing.object_id for thing in scene.objects if thing.traits.item}
    grid = Grid.of(scene, TEACH_LOOK)
    wanted = frozenset(fits_required(task, scene.kinds.vocabulary))
    household = household_problem(
        scene,
        conjunction((goal, leaving(task, scene.kinds))),
        careful=any(predicate.name == CAREFUL for predicate in scene.kinds.domain.predicates),
        name=name,
        grid=grid,
        fits=wanted,
        unfit=unfit(scene.kinds) - wanted,
        first_piece=TEACH_SETTINGS.first_piece,
        chosen={name: pose for name, pose in stands if name in items},
        also=[(name, pose) for name, pose in stands if name not in items],
    )
    return TeachProblem(scene.kinds.domain, task, goal, scene, household, strict)


def plan_task(compiled: TeachProblem, limits: Limits = UNLIMITED) -> Answer:
    """Return a plan of a compiled task: in stages with objects chosen beforehand; at last with any."""
    each = replace(limits, evaluations=EACH.evaluations)
    answer: Answer | None = None
    for problem in compiled.problems():
        if problem.goal == compiled.problem.goal:
            return solve(compiled.domain, problem, limits)
        steps = stages(problem.goal, problem)
        answer = solve_in_stages(compiled.domain, problem, steps, each)
        if isinstance(answer, Plan):
            return answer
    return answer or Unsolvable("no choice of objects that are not shared leads to a plan")


def _require_suited(task: TeachTask, room: Scene, *, copies: bool = False) -> None:
    reasons = _reasons_against(task, room, copies=copies)
    if reasons:
        raise UsageError(f"{room.name} does not suit {task.name}: {'; '.join(reasons)}")


def _reasons_against(task: TeachTask, room: Scene, *, copies: bool = False) -> tuple[str, ...]:
    """Return why a task cannot be done in a room, in words; nothing if it can be."""
    world = teach_world(room)
    return missing(task, world, copies=copies) or obstacles(task, world)


def _first_room(task: TeachTask, kinds: Kinds) -> str:
    for name in room_names():
        if not _reasons_against(task, load_room(name, kinds), copies=True):
            return name
    raise UsageError(f"no room has what {task.name} needs")


# TEACh's definitions as tasks that verbs list, show and compile.


COLLECTION = "teach/"


def load(folder: Path | None) -> Definitions:
    """Return the shipped definitions, and instead or besides those of a folder.

    Raises:
        UsageError: There is no such folder.
        InputError, InputErrors: A definition has errors.
    """
    if folder is None:
        return shipped_definitions()
    return load_definitions(own_folder(folder), base=shipped_definitions())


def definitions_of(config: GenerateConfig) -> Definitions:
    """Return the definitions of a configuration, of which the user's are part, texts and all.

    So a dataset can be continued, made again and exported without the folder that they came from.

    Raises:
        UsageError: A task file is none of TEACh's language.
        InputError, InputErrors: The user's definitions have errors.
    """
    files = tuple(each for each in config.task_files if not each[0].startswith((KINDS, DOMAINS, SCENES)))
    return library_of(config).remember(("definitions", files), lambda: _collect(files))


def own_tasks(config: GenerateConfig) -> tuple[str, ...]:
    """Return the names of the tasks that only the user's definitions have."""
    shipped = shipped_definitions().by_name
    return tuple(name for name in definitions_of(config).names if name not in shipped)


def _collect(files: tuple[tuple[str, str], ...]) -> Definitions:
    for name, _ in files:
        if not name.endswith(SUFFIX):
            raise UsageError(f"{name} is a goal template; the benchmark teach makes tasks of TEACh's language")
    return parse_definitions(files, shipped_definitions()) if files else shipped_definitions()


def parameters_by_name(params: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return parameters with their numbers as names, as episodes have them."""
    return tuple((str(place), word) for place, word in enumerate(params))


def task_name(name: str) -> str:
    """Return a task's name without ``teach/``."""
    return name[len(COLLECTION) :] if name.lower().startswith(COLLECTION) else name


class TeachTasks:
    """The tasks of TEACh's definitions, shipped ones and the user's."""

    def rows(self, definitions: Path | None) -> tuple[Mapping[str, object], ...]:
        """Return all tasks as JSON values."""
        return tuple(
            {
                "name": f"{COLLECTION}{definition.name}",
                "domain": "household",
                "number": definition.task_id,
                "tags": [],
                "slots": {},
                "fillings": 0,
                "conditions": list(definition.component_keys),
                "params": dict(zip(definition.param_names, definition.param_notes, strict=True)),
                "sayings": [definition.desc],
            }
            for definition in load(definitions).by_name.values()
        )

    def table(self, definitions: Path | None) -> RenderableType:
        """Return all tasks as a table."""
        from rich.table import Column, Table

        table = Table(Column("task", overflow="fold"), "parameters", "sentence", title="TEACh (domain household)")
        for definition in load(definitions).by_name.values():
            table.add_row(f"{COLLECTION}{definition.kebab}", str(definition.nparams), definition.desc)
        return table

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one task as JSON values."""
        found = load(definitions).find(name).name
        return next(row for row in self.rows(definitions) if row["name"] == f"{COLLECTION}{found}")

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one task as a heading and lines to read."""
        definition = load(definitions).find(name)
        parameters = f"{definition.nparams} parameter{'s' * (definition.nparams != 1)}"
        return (
            f"{COLLECTION}{definition.name} (domain household, {parameters})",
            f'"{definition.desc}"',
            *(f"#{number}: {note}" for number, note in enumerate(definition.param_notes)),
            *definition.summary(),
        )

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile a task in a room: its goal names the objects that it is done with, unless these are left open."""
        if request.any_objects and request.strict:
            raise UsageError("--any-objects leaves open which objects are taken, --strict does not")
        own = load(request.definitions)
        kinds = kinds_of(request.library) if request.library is not None else None
        compiled = compile_teach(
            request.name,
            request.params,
            request.scene,
            request.seed,
            definitions=own,
            kinds=kinds,
            strict=request.strict,
        )
        problem = compiled.problem if request.any_objects else next(compiled.problems())
        return CompiledTask(
            compiled.domain,
            problem,
            {
                "task": f"{COLLECTION}{compiled.task.name}",
                "params": list(compiled.task.params),
                "scene": compiled.scene.name,
                "seed": request.seed,
                "sentences": [compiled.task.desc],
            },
        )
