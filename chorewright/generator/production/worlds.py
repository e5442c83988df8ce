"""The base class of worlds: a domain with its vocabulary, its scenes, and problems made of scene and goal.

A world is found in the entry-point group ``chorewright.worlds`` by the name of its domain, which is what goal
templates name in ``(:domain ...)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from chorewright.domains.library import Library, user_library
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.domains.templates.parser import load_template, parse_template, template_domain
from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import SUFFIX, kinds_beside
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, Registry
from chorewright.files.text import read_text
from chorewright.generator.dataset.config import KINDS, GenerateConfig, library_of
from chorewright.generator.dataset.options import Loaded, option
from chorewright.planner.plan import GroundAction

if TYPE_CHECKING:
    from rich.console import RenderableType

    from chorewright.problems.pddl.scenes import PddlScene
    from chorewright.replay.simulator import Simulator, SimulatorAction


@dataclass(frozen=True, slots=True)
class Compiled:
    """A filled template in a scene, as a planning problem of its domain; ``scene`` is the scene's name."""

    domain: Domain
    template: GoalTemplate
    goal: Goal
    scene: str
    problem: Problem


class World(ABC):
    """What can be done, where, and how a goal in a scene becomes a planning problem.

    Attributes:
        name: The name of its domain.
        keeps_starts: Whether its scenes are made so that a template's ``:start`` holds.
    """

    name: str
    keeps_starts: bool = False

    @abstractmethod
    def domain(self) -> Domain:
        """Return the domain."""

    @abstractmethod
    def vocabulary(self) -> Vocabulary:
        """Return the kinds of things, with their sets, relations and words."""

    @abstractmethod
    def templates(self) -> tuple[GoalTemplate, ...]:
        """Return the goal templates that come with the world."""

    @abstractmethod
    def compile(self, template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
        """Fill a template, make a scene for it, and make the planning problem.

        Args:
            template: A template of this world's domain.
            slots: ``slot=Kind`` for each slot without a default.
            scene: A scene's name, or the path of a file that holds one; None for one that suits.
            seed: Of the scattering or sampling.

        Raises:
            InputError: A file has errors.
            UsageError: There is no such kind or scene, or the scene does not suit.
            NoRoom: The things could not be placed with this seed.
        """

    # What only some worlds have.

    def with_library(self, library: Library) -> World:
        """Return the world with the kinds and the domain of a library, which a user may add to."""
        return self

    def example(self) -> Compiled | None:
        """Return a small problem that has a plan, to try the planner with; None if there is none."""
        return None

    def scaffold(self, name: str) -> str:
        """Return the commented text of a template file for a new task of this name; empty if there is none.

        Raises:
            UsageError: There should be one.
        """
        return ""

    def scenes(self) -> Sequence[str]:
        """Return the names of its scenes in PDDL (objects and atoms of its domain); none if they are only sampled."""
        return ()

    def scene(self, name: str | None, seed: int) -> PddlScene:
        """Return a scene in PDDL. The same name and seed give the same scene.

        Args:
            name: One of ``scenes()``, or whatever else the world understands; None to sample one.
            seed: Where things are.

        Raises:
            UsageError: There is no such scene, or the world has none in PDDL.
            NoScene: There is none for this seed.
        """
        raise UsageError(f"the world {self.name} has no scenes", hint="give it the methods scenes() and scene()")

    def simulator(self) -> Simulator[PddlScene]:
        """Return a new simulator; by default one that runs the domain's actions."""
        from chorewright.replay.simulator import PddlSimulator  # help does without

        return PddlSimulator(self.domain())

    def lower(self, action: GroundAction) -> Sequence[SimulatorAction]:
        """Return the calls of the simulator that carry out an action of a plan; by default the action itself."""
        from chorewright.replay.simulator import plain_call

        return (plain_call(self.domain(), action),)

    def say(self, action: GroundAction) -> str:
        """Return an action of a plan as a sentence; empty if the world does not say actions."""
        return ""


WORLDS: Registry[World] = Registry(
    "chorewright.worlds", "world", ("name", "domain", "vocabulary", "templates", "compile", "scene", "simulator")
)


def find_world(name: str, library: Library | None = None, origin: Origin = Origin.FILE) -> World:
    """Return the world of a domain's name, or of ``module:attribute`` if a person typed it.

    Args:
        name: The world's.
        library: The user's kinds and domain, for a world that takes them.
        origin: Where the name came from.

    Raises:
        MissingPlugin: A file names one that is not installed.
        UsageError: There is none, or it cannot be loaded.
    """
    world = WORLDS.find(name, origin)
    return world if library is None else world.with_library(library)


def all_templates() -> tuple[GoalTemplate, ...]:
    """Return the goal templates of all worlds, by world, then those of a user's domains without a world."""
    own = tuple(template for template in user_library().templates() if template.domain not in WORLDS.names())
    return (*(template for world in WORLDS.usable().values() for template in world.templates()), *own)


def find_task(name: str, library: Library | None = None) -> GoalTemplate:
    """Return the goal template of a name or of a ``.task`` file, of whatever world it is.

    Args:
        name: A name or the path of a file.
        library: The user's kinds and domain; by default what is on the search path.

    Raises:
        UsageError: There is no such template, or no world of its domain.
        InputError: Its file cannot be read or has errors.
    """
    if name.endswith(".task"):
        named = template_domain(name)
        if named in WORLDS.names():
            world = find_world(named, library)
            return load_template(name, world.domain(), world.vocabulary())
        return (library or user_library()).find_template(name)
    own = [each for each in _of_others() if name.lower() in (each.name.lower(), each.full_name.lower())]
    return own[0] if own else (library or user_library()).find_template(name)


def _of_others() -> tuple[GoalTemplate, ...]:
    """The templates of worlds that the library does not know: those of a user's packages."""
    shipped = user_library().domain_names()
    others = [name for name in WORLDS.names() if name not in shipped]
    found = WORLDS.usable() if others else {}
    return tuple(template for name in others if name in found for template in found[name].templates())


def compile_task(
    task: str | GoalTemplate, slots: Sequence[str], scene: str | None, seed: int, library: Library | None = None
) -> Compiled:
    """Compile a task in the world of its domain; see ``World.compile``.

    Args:
        task: A template, its name, or the path of a ``.task`` file.
        slots: ``slot=Kind`` for each slot without a default.
        scene: A scene's name, the path of a file, or None.
        seed: Of the scattering or sampling.
        library: The user's kinds and domain; by default what is on the search path.
    """
    template = find_task(task, library) if isinstance(task, str) else task
    if template.domain not in WORLDS.names():
        raise UsageError(f"there are no scenes for tasks of the domain {template.domain!r}")
    world = find_world(template.domain, library)
    if not world.keeps_starts:
        refuse_start(template, world.name)
    return world.compile(template, slots, scene, seed)


def refuse_start(template: GoalTemplate, world: str) -> None:
    """Raise if a template says what holds at the start, in a world whose scenes are its own.

    Raises:
        UsageError: It does.
    """
    if template.start:
        rules = " ".join(rule.text for rule in template.start)
        message = (
            f"scenes of the world {world} are its own: ':start' is not for its tasks, as {template.full_name} has it"
        )
        raise UsageError(message, hint=f"leave out (:start {rules})")


# The tasks that a dataset is to be made of: goal templates, shipped or from files, and tasks of other languages.


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
    _refuse_others(found, domain, f"the {domain}")
    return tuple(found)


def _refuse_others(templates: Sequence[GoalTemplate], domain: str, called: str) -> None:
    for template in templates:
        if template.domain != domain:
            raise UsageError(f"{template.name} is a task of the domain {template.domain}, not of {called}")
        if any(slot.over_objects for slot in template.slots):
            raise UsageError(f"{template.name} has slots over objects; data can be made of slots over kinds only")


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
    _refuse_others(found, language.name, language.name)
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

    def table(self, definitions: Path | None) -> RenderableType:
        """Return all tasks as a table."""

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one task as JSON values.

        Raises:
            UsageError: There is no such task.
        """

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one task as a heading and lines to read."""

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile a task.

        Raises:
            UsageError: There is no such task or scene, or a parameter makes no sense.
            InputError: A definition has errors.
        """
