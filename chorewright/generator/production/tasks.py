"""The tasks that a dataset is to be made of: goal templates, shipped or from files, and tasks of other languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from chorewright.domains.library import Library
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.templates.parser import parse_template
from chorewright.domains.vocabulary_files import SUFFIX, kinds_beside
from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.config import KINDS, GenerateConfig, library_of
from chorewright.generator.dataset.options import Loaded, option
from chorewright.generator.production.worlds import World, find_task, refuse_start

if TYPE_CHECKING:
    from rich.console import RenderableType


def tasks_option() -> Any:  # see ``option``
    """Declare the option ``--tasks`` of a benchmark that takes goal templates."""
    return option(
        (),
        "A shipped task's name, or your own template file; may be repeated.",
        flags=("--task",),
        metavar="TASK",
        load=load_tasks,
    )


def load_tasks(words: Sequence[str]) -> Loaded:
    """Sort words into names of tasks and template files.

    Raises:
        UsageError: A file is not there, or a word names a folder.
        InputError: A file is not UTF-8 text.
    """
    names, files = [], []
    for word in words:
        if word.endswith(SUFFIX):
            files.append((Path(word).name, read_text(Path(word))))
            files += [(f"{KINDS}{Path(each).name}", read_text(Path(each))) for each in kinds_beside(word)]
        elif Path(word).is_dir():
            raise UsageError(f"{word!r} is a folder, not a task", hint=f"give one of its {SUFFIX} files")
        else:
            names.append(word)
    return Loaded(tuple(names), tuple(files))


def find_templates(config: GenerateConfig, names: Sequence[str], domain: str) -> tuple[GoalTemplate, ...]:
    """Return the goal templates that a dataset is to be made of: the user's files, then the named ones.

    Raises:
        UsageError: There is no such template, or it is of another domain, or has slots over objects.
        InputErrors: A file has errors.
    """
    library = library_of(config)
    language, vocabulary = library.domain(domain), library.vocabulary(domain)
    files = [each for each in config.task_files if each[0].endswith(SUFFIX)]
    found = [
        library.remember((domain, each), partial(parse_template, each[1], language, vocabulary, path=each[0]))
        for each in files
    ]
    found += [library.find_template(name) for name in names]
    for template in found:
        if template.domain != domain:
            raise UsageError(f"{template.name} is a task of the domain {template.domain}, not of the {domain}")
        if any(slot.over_objects for slot in template.slots):
            raise UsageError(f"{template.name} has slots over objects; data can be made of slots over kinds only")
    return tuple(found)


def world_templates(world: World, config: GenerateConfig, names: Sequence[str]) -> tuple[GoalTemplate, ...]:
    """Return the goal templates that a dataset in any world is to be made of; all of the world if none are named.

    Raises:
        UsageError: There is no such template, it is of another domain, has slots over objects, or there are none.
        InputErrors: A file has errors.
    """
    language, vocabulary = world.domain(), world.vocabulary()
    files = [each for each in config.task_files if each[0].endswith(SUFFIX)]
    found = [parse_template(text, language, vocabulary, path=name) for name, text in files]
    own = {word.lower(): each for each in world.templates() for word in (each.name, each.full_name)}
    found += [own[name.lower()] if name.lower() in own else find_task(name) for name in names]
    found = found or list(world.templates())
    if not found:
        raise UsageError(f"the world {world.name} has no tasks", hint=f"give one of your own: --tasks FILE{SUFFIX}")
    for template in found:
        if template.domain != language.name:
            raise UsageError(f"{template.name} is a task of the domain {template.domain}, not of {language.name}")
        if any(slot.over_objects for slot in template.slots):
            raise UsageError(f"{template.name} has slots over objects; data can be made of slots over kinds only")
    named = {template.full_name: template for template in found}
    if len(named) < len(found):
        raise UsageError("a task is given twice")
    for template in found:
        refuse_start(template, world.name)
    return tuple(named.values())


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task to be compiled that is no goal template.

    Attributes:
        name: Its name, without the benchmark's.
        params: Its parameters, in order.
        scene: A scene's name or file; None for the first that suits.
        seed: Where things lie.
        definitions: A folder of the user's definitions.
        any_objects: Leave open which objects are taken.
        strict: Nothing may serve twice.
        library: The user's kinds and domain; None for the shipped ones.
    """

    name: str
    params: tuple[str, ...]
    scene: str | None
    seed: int
    definitions: Path | None
    any_objects: bool = False
    strict: bool = False
    library: Library | None = None


@dataclass(frozen=True, slots=True)
class CompiledTask:
    """A task as a planning problem; ``said`` is what to tell of it: task, scene, seed, sentences."""

    domain: Domain
    problem: Problem
    said: Mapping[str, object]


class TaskLanguage(Protocol):
    """Tasks in a language of a benchmark's own; they are called ``BENCHMARK/NAME``."""

    def rows(self, definitions: Path | None) -> Sequence[Mapping[str, object]]:
        """Return all tasks as JSON values, those of the user's definitions among them."""
        ...

    def table(self, definitions: Path | None) -> RenderableType:
        """Return all tasks as a table."""
        ...

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one task as JSON values.

        Raises:
            UsageError: There is no such task.
        """
        ...

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one task as a heading and lines to read."""
        ...

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile a task.

        Raises:
            UsageError: There is no such task or scene, or a parameter makes no sense.
            InputError: A definition has errors.
        """
        ...
