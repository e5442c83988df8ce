"""Verbs for task authors: list, compile, scaffold and try goal templates."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from chorewright.commands import teaching
from chorewright.commands.shell import AsJson, console, print_json, printable, readable, verb, write_text
from chorewright.errors import ExitCode, StorageError, UsageError

if TYPE_CHECKING:
    from chorewright.domains.templates.goal_templates import GoalTemplate
    from chorewright.generator.household.trial import TrialReport


class TaskRow(TypedDict):
    """What the list of tasks says of one."""

    name: str
    domain: str
    number: int | None
    tags: list[str]
    slots: dict[str, list[str]]
    fillings: int
    conditions: list[str]
    sayings: list[str]


@verb
def tasks(
    name: Annotated[
        str | None,
        typer.Argument(help="One task, with the kinds that each slot may be; or a collection: handmethat."),
    ] = None,
    definitions: teaching.DefinitionsFolder = None,
    as_json: AsJson = False,
) -> None:
    """List the shipped tasks with their slots, or show one."""
    from chorewright.domains.library import collection, templates

    if name is not None and teaching.is_teach(name):
        teaching.print_task(name, definitions, as_json)
        return
    some = collection(name) if name is not None else ()
    found = templates() if name is None else some or (_template(name),)
    rows = [_task_row(template) for template in found]
    if some and as_json:
        print_json(rows)
    elif some:
        _print_tasks(found, rows)
    elif as_json:
        print_json([*rows, *teaching.task_rows(definitions)] if name is None else rows[0])
    elif name is not None:
        _print_task(found[0], rows[0])
    else:
        _print_tasks(found, rows)
        teaching.print_tasks(definitions)


def _task_row(template: GoalTemplate) -> TaskRow:
    from chorewright.domains.library import shipped_vocabulary
    from chorewright.domains.templates.fillings import count_fillings
    from chorewright.domains.templates.goal_templates import slot_candidates

    vocabulary = shipped_vocabulary(template.domain)
    return {
        "name": template.full_name,
        "domain": template.domain,
        "number": template.number,
        "tags": list(template.tags),
        "slots": {slot.name: list(slot_candidates(slot, vocabulary)) for slot in template.slots},
        "fillings": count_fillings(template, vocabulary),
        "conditions": [condition for condition, _ in template.conditions],
        "sayings": list(template.sayings),
    }


def _print_task(template: GoalTemplate, row: TaskRow) -> None:
    from chorewright.domains.pddl.writer import write_formula

    print(printable(f"{row['name']} (domain {row['domain']}, {row['fillings']} fillings)"))
    if row["tags"]:
        _print_entry("tags: ", ", ".join(row["tags"]))
    for slot, kinds in row["slots"].items():
        _print_entry(f"{slot}: ", ", ".join(kinds))
    _print_entry("goal: ", " ".join(write_formula(template.goal).split()))
    _print_entry("conditions: ", ", ".join(row["conditions"]))
    for saying in row["sayings"]:
        _print_entry("", f'"{saying}"')


def _print_tasks(found: Sequence[GoalTemplate], rows: Sequence[TaskRow]) -> None:
    """Print a table for each domain."""
    from rich.table import Column, Table

    for domain in dict.fromkeys(template.domain for template in found):
        table = Table(Column("task (slots)", overflow="fold"), "fillings", "conditions", title=f"domain {domain}")
        for row in rows:
            if row["domain"] == domain:
                slots = ", ".join(f"{slot} ({len(kinds)})" for slot, kinds in row["slots"].items())
                name = f"{row['name']}\n  {slots}" if slots else row["name"]
                table.add_row(name, str(row["fillings"]), str(len(row["conditions"])))
        console().print(table)


def _print_entry(head: str, text: str) -> None:
    """Print a line as wide as the terminal; what does not fit goes on, indented, below."""
    width = max(40, console().width)
    print(fill(printable(head + text), width, initial_indent="  ", subsequent_indent="    "))


@verb
def compile_task(
    task: Annotated[
        str,
        typer.Argument(help="A shipped task, e.g. alfred/pick_and_place_simple or teach/Sandwich, or a .task file."),
    ],
    more: teaching.MoreParams = None,
    slot: Annotated[
        list[str] | None,
        typer.Option("--slot", metavar="SLOT=KIND", help="e.g. object=Mug; may be repeated."),
    ] = None,
    scene: Annotated[
        str | None,
        typer.Option(
            "--scene",
            help="A room, e.g. FloorPlan10; or a .json: AI2-THOR's metadata, a HandMeThat episode; or a "
            "state of CALVIN's table, e.g. led=1,drawer=open.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Where things lie.")] = 0,
    out: Annotated[Path, typer.Option("--out", help="The folder for domain.pddl and problem.pddl.")] = Path(),
    params: teaching.Params = None,
    definitions: teaching.DefinitionsFolder = None,
    any_objects: Annotated[
        bool, typer.Option("--any-objects", help="Of a TEACh task: leave open which objects are taken.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Of a TEACh task: each dish has its own plate and slices.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make domain.pddl and problem.pddl of a task in a room or sampled scene."""
    from chorewright.domains.pddl.writer import write_domain, write_problem
    from chorewright.generator.household.compiling import compile_task as make

    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
    if scene is not None and scene.endswith(".json"):
        readable(Path(scene))
    given = teaching.gathered(params, more)
    if teaching.is_teach(task):
        if slot:
            raise UsageError("a TEACh task has parameters, no slots", hint="write --params instead of --slot")
        made = teaching.compile_here(task, given, scene, seed, definitions, any_objects=any_objects, strict=strict)
    elif given or definitions or any_objects or strict:
        options = "--params, --definitions, --any-objects and --strict"
        raise UsageError(f"{options} are for TEACh tasks (teach/...)")
    else:
        compiled = make(_template(task), slot or [], scene, seed)
        said: dict[str, object] = {
            "task": compiled.template.full_name,
            "slots": dict(compiled.goal.binding),
            "scene": compiled.scene,
            "seed": seed,
            "sentences": list(compiled.goal.sentences),
        }
        made = compiled.domain, compiled.problem, said
    domain, problem = out / "domain.pddl", out / "problem.pddl"
    _write(domain, write_domain(made[0], expand_at_least=True))
    _write(problem, write_problem(made[1], expand_at_least=True))
    if as_json:
        print_json({**made[2], "domain": str(domain), "problem": str(problem)})
    else:
        sentences = made[2]["sentences"]
        sentence = sentences[0] if isinstance(sentences, list) else ""
        print(printable(f"{domain} and {problem}: {sentence} ({made[2]['scene']})"))


@verb
def new_task(
    name: Annotated[str, typer.Argument(help="The task's name: letters, digits, '-' and '_'.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for NAME.task.")] = Path(),
    domain: Annotated[str, typer.Option("--domain", help="household, handmethat or tabletop.")] = "household",
    as_json: AsJson = False,
) -> None:
    """Write a commented template file to start a new task from."""
    from chorewright.domains.library import scaffold

    text = scaffold(name, domain)
    path = out / f"{name.lower()}.task"
    _write(path, text, fresh=True)
    if as_json:
        print_json({"task": name.lower(), "file": str(path)})
        return
    print(printable(f"{path}: edit it, then run: chorewright check-task {path}"))


@verb
def check_task(
    file: Annotated[str, typer.Argument(help="A .task file, or a shipped task's name, TEACh's too.")],
    more: teaching.MoreParams = None,
    rooms: Annotated[int, typer.Option("--rooms", help="In how many rooms or sampled scenes to try it.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Other fillings, other places of things.")] = 0,
    params: teaching.Params = None,
    definitions: teaching.DefinitionsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Try a task in rooms: parse it, fill its slots, plan and replay each. Exit code 1 if none is solved."""
    from chorewright.generator.household.trial import try_template

    if rooms < 1 or seed < 0:
        raise UsageError("--rooms must be at least 1 and --seed not negative")
    given = teaching.gathered(params, more)
    if teaching.is_teach(file):
        report = teaching.try_here(file, given, rooms, seed, definitions)
    elif given or definitions:
        raise UsageError("--params and --definitions are for TEACh tasks (teach/...)")
    else:
        report = try_template(_template(file), rooms, seed)
    if as_json:
        print_json(_trial_json(report))
    else:
        _print_trial(report)
    if report.solved == 0:
        sys.exit(int(ExitCode.NEGATIVE))


def _print_trial(report: TrialReport) -> None:
    from rich.table import Column, Table

    filled = any(attempt.binding for attempt in report.attempts)
    heads = ("room", "filling", "plan", "steps", "result", "sentence")
    table = Table(*(Column(head, overflow="fold") for head in heads if filled or head != "filling"))
    for attempt in report.attempts:
        filling = ", ".join(f"{slot}={kind}" for slot, kind in attempt.binding)
        figures = (str(attempt.actions or "-"), str(attempt.steps or "-"))
        row = (
            attempt.scene,
            *([filling] if filled else []),
            *figures,
            attempt.reason or "ok",
            attempt.sentence,
        )
        table.add_row(*(printable(cell) for cell in row))
    console().print(table)
    tried = len(report.attempts)
    share = f"{report.solved / tried:.0%}"
    fillings = "" if teaching.is_teach(report.template) else f", {report.fillings} fillings of its slots"
    print(
        printable(
            f"{report.template}: solved in {report.solved} of {tried} {report.places} ({share}); "
            f"{report.rooms_suited} {report.places} suit it{fillings}"
        )
    )
    for reason, count in report.reasons:
        print(printable(f"  {count} x {reason}"))


def _trial_json(report: TrialReport) -> dict[str, object]:
    return {
        "task": report.template,
        "tried": len(report.attempts),
        "solved": report.solved,
        "rooms_suited": report.rooms_suited,
        "fillings": report.fillings,
        "reasons": dict(report.reasons),
        "attempts": [
            {
                "scene": attempt.scene,
                "slots": dict(attempt.binding),
                "solved": not attempt.reason,
                "reason": attempt.reason,
                "plan": attempt.actions,
                "steps": attempt.steps,
                "sentence": attempt.sentence,
            }
            for attempt in report.attempts
        ],
    }


def _template(name: str) -> GoalTemplate:
    """Return the template of an argument: a shipped task's name or a ``.task`` file."""
    from chorewright.domains.library import SUFFIX, find_template

    path = Path(name)
    if path.is_dir():
        raise UsageError(
            f"{name!r} is a folder, not a task",
            hint=f"give a shipped task's name, or one of its {SUFFIX} files",
        )
    if name.endswith(SUFFIX):
        readable(path)
    return find_template(name)


def _write(path: Path, text: str, fresh: bool = False) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    write_text(path, text, fresh)
