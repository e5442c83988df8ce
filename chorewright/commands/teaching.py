"""The verb that checks TEACh's tasks, and what other verbs do with them."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, readable, verb
from chorewright.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from chorewright.domains.pddl.syntax import Domain, Problem
    from chorewright.domains.tdl.definitions import Definitions
    from chorewright.domains.tdl.progress import Progress
    from chorewright.domains.tdl.tasks import Task
    from chorewright.domains.tdl.world import World
    from chorewright.generator.household.trial import TrialReport

COLLECTION = "teach/"

Params = Annotated[
    list[str] | None,
    typer.Option("--params", "--param", metavar="P...", help="A TEACh task's parameters: --params 1 2, in order."),
]
MoreParams = Annotated[list[str] | None, typer.Argument(metavar="[P]...", help="More of --params.", show_default=False)]
DefinitionsFolder = Annotated[
    Path | None, typer.Option("--definitions", help="A folder of TEACh task definitions of your own.")
]


@verb
def check(
    task: Annotated[str, typer.Argument(help="A TEACh task, e.g. teach/Sandwich or teach/put-all-x-on-y.")],
    state: Annotated[
        Path,
        typer.Option(
            "--state",
            help="The state: a JSON list of object metadata, AI2-THOR's metadata, or a game file (its end).",
        ),
    ],
    more: MoreParams = None,
    params: Params = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Each dish has its own plate and slices; counts are capped.")
    ] = False,
    definitions: DefinitionsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Tell how far a TEACh task is done in a simulator's state. Exit code 1 if it is not done."""
    from chorewright.domains.tdl.progress import check as check_progress
    from chorewright.domains.tdl.progress import progress_json

    filled = loaded(definitions).task(task_name(task), gathered(params, more))
    world = _world(readable(state))
    _warn_of_unknown_kinds(filled, world)
    progress = check_progress(filled, world, strict=strict)
    if as_json:
        print_json(progress_json(progress))
    else:
        _print_progress(progress, filled, strict)
    if not progress.success:
        sys.exit(int(ExitCode.NEGATIVE))


def _warn_of_unknown_kinds(task: Task, world: World) -> None:
    """Say on standard error which types or classes a task asks for that nothing is of, as after a typo."""
    from chorewright.domains.library import household_vocabulary
    from chorewright.domains.tdl.properties import unknown_kinds

    for error in unknown_kinds(task, household_vocabulary(), world):
        hint = f"; {error.hint}" if error.hint else ""
        print(printable(f"note: {error.message}{hint}"), file=sys.stderr)


def _world(state: Path) -> World:
    """Return the state that a file holds; that of a game of TEACh's is the final one."""
    from chorewright.domains.library import household_vocabulary
    from chorewright.domains.tdl.properties import classes
    from chorewright.domains.tdl.world import world_of
    from chorewright.files.json_source import load_json
    from chorewright.generator.teach.games import GAME, is_game, read_game

    known = classes(household_vocabulary())
    if state.name.endswith(GAME):  # these may be large
        return read_game(state).state("final_state", known)
    source = load_json(state)
    if is_game(source.value):
        return read_game(state).state("final_state", known)
    with source.located():
        return world_of(source.value, known, path=str(state))


def gathered(params: list[str] | None, more: list[str] | None) -> list[str]:
    """Return the parameters of ``--params P P``: the first is the option's, the others are left over."""
    if more and not params:
        raise UsageError(f"{more[0]!r} is one argument too many", hint="parameters follow --params")
    return [*(params or ()), *(more or ())]


def is_teach(name: str) -> bool:
    """Whether an argument names a TEACh task."""
    return name.lower().startswith(COLLECTION)


def task_name(name: str) -> str:
    """Return a task's name without ``teach/``."""
    return name[len(COLLECTION) :] if is_teach(name) else name


def loaded(folder: Path | None) -> Definitions:
    """Return the shipped definitions, and instead or besides those of a folder."""
    from chorewright.domains.tdl.definitions import load_definitions, shipped_definitions

    if folder is None:
        return shipped_definitions()
    if not folder.exists():
        raise UsageError(f"there is no folder {str(folder)!r}")
    return load_definitions(folder, base=shipped_definitions())


def task_rows(folder: Path | None) -> list[dict[str, object]]:
    """Return the TEACh tasks as rows of ``chorewright tasks``."""
    return [
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
        for definition in loaded(folder).by_name.values()
    ]


def print_tasks(folder: Path | None) -> None:
    """Print a table of the TEACh tasks."""
    from rich.table import Column, Table

    table = Table(Column("task", overflow="fold"), "parameters", "sentence", title="TEACh (domain household)")
    for definition in loaded(folder).by_name.values():
        table.add_row(f"{COLLECTION}{definition.kebab}", str(definition.nparams), definition.desc)
    console().print(table)


def print_task(name: str, folder: Path | None, as_json: bool) -> None:
    """Print one TEACh task with its parameters."""
    definition = loaded(folder).find(task_name(name))
    row = next(row for row in task_rows(folder) if row["name"] == f"{COLLECTION}{definition.name}")
    if as_json:
        print_json(row)
        return
    width = max(40, console().width)
    parameters = f"{definition.nparams} parameter{'s' * (definition.nparams != 1)}"
    print(printable(f"{row['name']} (domain household, {parameters})"))
    lines = [f'"{definition.desc}"']
    lines += [f"#{number}: {note}" for number, note in enumerate(definition.param_notes)]
    lines += list(definition.summary())
    for line in lines:
        print(fill(printable(line), width, initial_indent="  ", subsequent_indent="      "))


def compile_here(
    name: str,
    params: list[str],
    scene: str | None,
    seed: int,
    definitions: Path | None,
    *,
    any_objects: bool,
    strict: bool,
) -> tuple[Domain, Problem, dict[str, object]]:
    """Compile a TEACh task in a room: the domain, the problem, and what to say of them.

    The problem's goal names the objects that the task is done with, unless ``any_objects`` leaves them open.
    """
    from chorewright.generator.teach.compiling import compile_teach

    if any_objects and strict:
        raise UsageError("--any-objects leaves open which objects are taken, --strict does not")
    own = loaded(definitions)
    compiled = compile_teach(task_name(name), params, scene, seed, definitions=own, strict=strict)
    problem = compiled.problem if any_objects else next(compiled.problems())
    said: dict[str, object] = {
        "task": f"{COLLECTION}{compiled.task.name}",
        "params": list(compiled.task.params),
        "scene": compiled.scene.name,
        "seed": seed,
        "sentences": [compiled.task.desc],
    }
    return compiled.domain, problem, said


def try_here(name: str, params: list[str], rooms: int, seed: int, definitions: Path | None) -> TrialReport:
    """Try a TEACh task in rooms."""
    from chorewright.generator.teach.trial import try_teach

    return try_teach(task_name(name), params, rooms, seed, loaded(definitions))


def _print_progress(progress: Progress, task: Task, strict: bool) -> None:
    """Print the sub-goals, each with its goal conditions, and below those that are open what is missing."""
    from chorewright.domains.tdl.subgoals import sentences_of

    verdict = f"{'done' if progress.success else 'not done'}: {progress.satisfied} of {progress.total}"
    print(printable(progress.description))
    asked = sentences_of(progress, task)
    widest = max((len(f"{each.satisfied}/{each.total}") for each in progress.subgoals), default=0)
    for subgoal, sentence in zip(progress.subgoals, asked, strict=True):
        mark = "done" if subgoal.success else "open"
        head = f"  {mark}  {f'{subgoal.satisfied}/{subgoal.total}':>{widest}}  "
        _print_entry(head, sentence)
        missing: dict[str, dict[str, None]] = {}
        for step in subgoal.steps:
            if not step.success:
                missing.setdefault(step.desc, {})[step.object_id] = None
        for what, objects in missing.items():
            _print_entry(" " * len(head) + "- ", what)
            for object_id in objects:
                _print_entry(" " * len(head) + "    ", object_id)
    print(f"{verdict} goal conditions")
    if strict and not progress.success and all(each.success for each in progress.subgoals):
        print("  though all hold: some objects serve twice, and --strict wants every dish to have its own")


def _print_entry(head: str, text: str) -> None:
    """Print a line as wide as the terminal; what does not fit goes on below, behind the head."""
    width = max(len(head) + 30, console().width)
    print(fill(printable(text), width, initial_indent=head, subsequent_indent=" " * len(head)))
