"""Verbs for task authors: list, compile, scaffold and try goal templates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from chorewright.commands import shell
from chorewright.commands.common import DefinitionsFolder, DomainFile, KindsFiles, MoreParams, Params, gather, name_task
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.domains.library import Library
    from chorewright.domains.templates.goal_templates import GoalTemplate


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


@shell.verb
def tasks(
    name: Annotated[str | None, typer.Argument()] = None,
    definitions: DefinitionsFolder = None,
    kinds: KindsFiles = None,
    domain: DomainFile = None,
    listed: Annotated[str | None, typer.Option("--list", metavar="sets|kinds")] = None,
    search: Annotated[str | None, typer.Option("--search", metavar="WORDS")] = None,
    as_json: shell.AsJson = False,
) -> None:
    """List the shipped tasks with their slots, or show one.

    Args:
        name: One task, with the kinds that each slot may be; or a collection of tasks.
        listed: List sets or kinds instead; with a NAME, that one.
        search: Only tasks whose names, sentences, tags or kinds have these.
    """
    from chorewright.domains.library import user_library
    from chorewright.domains.vocabulary_files import kinds_beside
    from chorewright.generator.production.benchmark import task_language_of, task_languages
    from chorewright.generator.production.worlds import all_templates

    if listed is not None:
        _list_words(listed, name, user_library(kinds or (), domain), as_json)
        return
    if search is not None:
        if name is not None:
            raise UsageError("--search looks through all tasks, so no task can be named")
        library = user_library(kinds or (), domain)
        every: list[Mapping[str, object]] = [dict(_task_row(each, library)) for each in all_templates()]
        every += [row for language in task_languages() for row in language.rows(definitions)]
        _print_matches(search, [row for row in every if _matches(search, row)], as_json)
        return
    if name is not None and (owned := task_language_of(name_task(name))) is not None:
        language, short = owned
        if as_json:
            shell.print_json(language.row(short, definitions))
        else:
            head, *lines = language.lines(short, definitions)
            print(shell.printable(head))
            for line in lines:
                shell.print_entry(line)
        return
    library = user_library((*kinds_beside(name or ""), *(kinds or ())), domain)
    some = library.collection(name) if name is not None else ()
    found = all_templates() if name is None else some or (_template(name, library),)
    rows = [_task_row(template, library) for template in found]
    if some and as_json:
        shell.print_json(rows)
    elif some:
        _print_tasks(found, rows)
    elif as_json:
        others = [row for language in task_languages() for row in language.rows(definitions)] if name is None else []
        shell.print_json([*rows, *others] if name is None else rows[0])
    elif name is not None:
        _print_task(found[0], rows[0])
    else:
        _print_tasks(found, rows)
        for language in task_languages():
            shell.console().print(language.table(definitions))


_SEARCHED = ("name", "tags", "slots", "params", "sayings")
"""What the rows of tasks are searched in."""


def _matches(words: str, row: Mapping[str, object]) -> bool:
    """Return whether what a row says of its task has all of some words, or begins of words, in any case."""
    texts = json.dumps([row.get(key) for key in _SEARCHED], ensure_ascii=False).lower()
    return all(re.search(rf"(?<![^\W_]){re.escape(word)}", texts) for word in words.lower().split())


def _print_matches(search: str, rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    """Print the tasks that a search has found, each with its first sentence; exit code 1 if there are none."""
    if as_json:
        shell.print_json(rows)
    for row in () if as_json else rows:
        sayings = row["sayings"]
        said = f': "{sayings[0]}"' if isinstance(sayings, Sequence) and sayings else ""
        shell.print_entry(f"{row['name']}{said}", head="")
    if not as_json:
        print(shell.printable(f"{say_count(len(rows), 'task')} with {search!r}"))
    shell.exit_unless(bool(rows))


def _list_words(listed: str, name: str | None, library: Library, as_json: bool) -> None:
    """Print the sets or kinds that templates may name, or one of them.

    Raises:
        UsageError: There is none of this name.
    """
    from chorewright.domains.vocabulary import kind_rows, set_rows
    from chorewright.files.english import did_you_mean

    tables = {"sets": set_rows, "kinds": kind_rows}
    if listed not in tables:
        raise UsageError(f"--list takes sets or kinds, not {listed!r}", hint=did_you_mean(listed, tables))
    rows = tables[listed](library.vocabulary())
    if name is not None:
        chosen = next((row for word, row in rows.items() if word.lower() == name.lower()), None)
        if chosen is None:
            raise UsageError(f"there is no {listed[:-1]} {name!r}", hint=did_you_mean(name, rows))
        rows = {str(chosen["name"]): chosen}
    if as_json:
        shell.print_json(next(iter(rows.values())) if name is not None else list(rows.values()))
        return
    for word, row in rows.items():
        print(shell.printable(word))
        for key, value in row.items():
            if key != "name" and value:
                shell.print_entry(f"{key}: {', '.join(value) if isinstance(value, list) else value}")


def _task_row(template: GoalTemplate, library: Library) -> TaskRow:
    from chorewright.domains.templates.goal_templates import slot_candidates
    from chorewright.domains.templates.slots import count_fillings
    from chorewright.generator.production.worlds import WORLDS, find_world

    known = template.domain in WORLDS.names()
    vocabulary = find_world(template.domain, library).vocabulary() if known else library.vocabulary(template.domain)
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

    print(shell.printable(f"{row['name']} (domain {row['domain']}, {say_count(row['fillings'], 'filling')})"))
    if row["tags"]:
        shell.print_entry(f"tags: {', '.join(row['tags'])}")
    for slot, kinds in row["slots"].items():
        shell.print_entry(f"{slot}: {', '.join(kinds)}")
    first = ", ".join(f"{slot.name} = {slot.numbers[0]}" for slot in template.slots if slot.numbers)
    shell.print_entry(f"goal{f' with {first}' * bool(first)}: {' '.join(write_formula(template.goal).split())}")
    shell.print_entry(f"conditions: {', '.join(row['conditions'])}")
    for saying in row["sayings"]:
        shell.print_entry(f'"{saying}"')


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
        shell.console().print(table)


@shell.verb
def compile_task(
    task: str,
    more: MoreParams = None,
    slot: Annotated[list[str] | None, typer.Option("--slot", metavar="SLOT=KIND")] = None,
    scene: str | None = None,
    seed: int = 0,
    out: Path = Path(),
    params: Params = None,
    definitions: DefinitionsFolder = None,
    any_objects: Annotated[bool, typer.Option("--any-objects")] = False,
    strict: Annotated[bool, typer.Option("--strict")] = False,
    kinds: KindsFiles = None,
    domain: DomainFile = None,
    as_json: shell.AsJson = False,
) -> None:
    """Make domain.pddl and problem.pddl of a task in a room or sampled scene.

    Args:
        task: A task's name, as `chorewright tasks` lists it, or a .task file.
        slot: e.g. object=Mug; may be repeated.
        scene: A room, e.g. FloorPlan10; a .json file of a scene; or a state, e.g. led=1,drawer=open: whatever the
            task's world takes.
        seed: Where things lie.
        out: The folder for domain.pddl and problem.pddl.
        any_objects: Leave open which objects are taken (tasks with parameters).
        strict: No object serves twice (tasks with parameters).
    """
    from chorewright.domains.library import user_library
    from chorewright.domains.vocabulary_files import kinds_beside
    from chorewright.generator.production.benchmark import task_language_of
    from chorewright.generator.production.worlds import CompiledTask, TaskRequest
    from chorewright.generator.production.worlds import compile_task as make

    shell.check_seed(seed)
    if scene is not None and scene.endswith(".json"):
        shell.readable(Path(scene))
    given = gather(params, more)
    owned = task_language_of(name_task(task))
    if owned is not None:
        if slot:
            raise UsageError(f"{task} has parameters, no slots", hint="write --params instead of --slot")
        library = user_library(kinds or (), domain) if kinds or domain else None
        request = TaskRequest(owned[1], tuple(given), scene, seed, definitions, any_objects, strict, library)
        made = owned[0].compile(request)
    elif given or definitions or any_objects or strict:
        options = "--params, --definitions, --any-objects and --strict"
        raise UsageError(f"{options} are for tasks with parameters; {task} is a goal template")
    else:
        library = user_library((*kinds_beside(task), *(kinds or ())), domain)
        compiled = make(_template(task, library), slot or [], scene, seed, library)
        said: dict[str, object] = {
            "task": compiled.template.full_name,
            "slots": dict(compiled.goal.binding),
            "scene": compiled.scene,
            "seed": seed,
            "sentences": list(compiled.goal.sentences),
        }
        made = CompiledTask(compiled.domain, compiled.problem, said)
    shell.write_task(out, made.domain, made.problem)
    sentences = made.said["sentences"]
    sentence = sentences[0] if isinstance(sentences, list) else ""
    domain_file, problem = out / "domain.pddl", out / "problem.pddl"
    line = f"{domain_file} and {problem}: {sentence} ({made.said['scene']})"
    shell.answer(as_json, {**made.said, "domain": str(domain_file), "problem": str(problem)}, line)


@shell.verb
def new_task(name: str, out: Path = Path(), domain: str | None = None, as_json: shell.AsJson = False) -> None:
    """Write a commented template file to start a new task from.

    Args:
        name: The task's name: letters, digits, '-' and '_'.
        out: The folder for NAME.task.
        domain: The world's domain; the rooms' by default.
    """
    from chorewright.domains.library import user_library
    from chorewright.generator.production.worlds import WORLDS, find_world

    world = find_world(domain) if domain is not None and domain in WORLDS.names() else None
    text = "" if world is None else world.scaffold(name)
    text = text or (user_library().scaffold(name) if domain is None else user_library().scaffold(name, domain))
    path = out / f"{name.lower()}.task"
    shell.make_folder(path.parent)
    shell.write_text(path, text, fresh=True)
    line = f"{path}: edit it, then run: chorewright check-task {path}"
    shell.answer(as_json, {"task": name.lower(), "file": str(path)}, line)


@shell.verb
def lsp() -> None:
    """Answer an editor about PDDL files, by the Language Server Protocol over standard input and output."""
    from chorewright.interface.language_server import serve

    serve()


def _template(name: str, library: Library) -> GoalTemplate:
    """Return the template of an argument: a shipped task's name or a ``.task`` file."""
    from chorewright.domains.vocabulary_files import SUFFIX
    from chorewright.generator.production.worlds import find_task

    path = Path(name)
    if path.is_dir():
        raise UsageError(
            f"{name!r} is a folder, not a task", hint=f"give a shipped task's name, or one of its {SUFFIX} files"
        )
    if name.endswith(SUFFIX):
        shell.readable(path)
    return find_task(name, library)
