"""One task of TEACh's language: its definition, as written in its file, and the task with its parameters filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from chorewright.errors import ChorewrightError, InputError, Location, UsageError
from chorewright.files.english import say_count
from chorewright.files.json_source import JsonSource, JsonValue

DETERMINERS = ("a", "all")
"""What says how many of a component are meant, beside numbers."""

MOST_NOTES = 4
"""The most parameters whose notes an error lists."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A task definition as written in its file; ``document`` is its checked JSON."""

    task_id: int
    name: str
    nparams: int
    desc: str
    document: Mapping[str, JsonValue]
    source: JsonSource

    @property
    def kebab(self) -> str:
        return kebab(self.name)

    @property
    def component_keys(self) -> tuple[str, ...]:
        return tuple(mapping(self.document["components"]))

    @property
    def param_names(self) -> tuple[str, ...]:
        return tuple(f"#{number}" for number in range(self.nparams))

    def summary(self) -> Iterator[str]:
        """Yield one line for each component and relation: what it asks for, with unfilled parameters."""
        for key, value in mapping(self.document["components"]).items():
            part = mapping(value)
            if "task_name" in part:
                params = ", ".join(str(each) for each in sequence(part["task_params"]))
                yield f"{key}: {part['determiner']} x {part['task_name']}({params})"
            else:
                wanted = (f"{name} {each}" for name, each in mapping(part["conditions"]).items())
                shared = " (one serves all)" if part["instance_shareable"] else ""
                yield f"{key}: {part['determiner']} of {', '.join(wanted)}{shared}"
        for value in sequence(self.document["relations"]):
            relation = mapping(value)
            columns = (sequence(relation[f"head_{each}_list"]) for each in ("determiner", "entity"))
            heads = ", ".join(f"{number} {key}" for number, key in zip(*columns, strict=True))
            tail = (sequence(relation[f"tail_{each}_list"])[0] for each in ("determiner", "entity"))
            yield f"{heads} in {' '.join(map(str, tail))}"

    @property
    def param_notes(self) -> tuple[str, ...]:
        """The notes of ``comments_task_params``, for the parameters that have one."""
        notes = self.document.get("comments_task_params")
        known = notes if isinstance(notes, dict) else {}
        return tuple(str(known.get(name, "")) for name in self.param_names)


def wrong_number(name: str, wanted: int, given: int) -> str:
    """Return the error that a task is given a wrong number of parameters."""
    return f"{name} takes {say_count(wanted, 'parameter')}, but {given} {'was' if given == 1 else 'were'} given"


def usage(definition: Definition) -> str:
    """Describe a definition's parameters; if there are many, say where they are described."""
    if definition.nparams > MOST_NOTES:
        return f"'chorewright tasks teach/{definition.kebab}' tells what they are"
    notes = "; ".join(f"#{k}: {note}" for k, note in enumerate(definition.param_notes) if note)
    return notes or f"its sentence is {definition.desc!r}"


def kebab(name: str) -> str:
    """Return a task's name in kebab case: ``Put All X On Y`` is ``put-all-x-on-y``."""
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())


def mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    """Return a value that was checked to be an object."""
    assert isinstance(value, dict)
    return value


def sequence(value: JsonValue) -> Sequence[JsonValue]:
    """Return a value that was checked to be a list."""
    assert isinstance(value, list)
    return value


# Parameters of task definitions: ``#0``, ``#1`` ... replaced in texts, keys and values.
#
# The rules are exactly TEACh's, including the order of keys. The last parameter comes first. A key that changes
# moves to the end of its object. If two keys become equal, the later value stays. A value that then consists of
# digits becomes a number, except in determiners and lists.


PARAMETER = re.compile(r"#\d")
REFERENCE = re.compile(r"#(\d{1,6})", re.ASCII)

_QUOTED = re.compile(r"'([^']*)'")


def references(text: str) -> list[int]:
    """Return the numbers of the parameters that a text mentions."""
    return [int(number) for number in REFERENCE.findall(text)]


def of_parameter(error: ChorewrightError, task: str, params: Sequence[str]) -> ChorewrightError:
    """Return an error as one about a parameter if it quotes one: then the file is not at fault."""
    number = number_quoted(error, params)
    return error if number is None else UsageError(tell_parameter(error, task, number), hint=error.hint)


def number_quoted(error: ChorewrightError, params: Sequence[str]) -> int | None:
    """Return the number of the parameter that an error quotes, if it quotes one."""
    quoted = _QUOTED.search(error.message)
    if quoted is None:
        return None
    return next((number for number, param in enumerate(params) if param and param in quoted[1]), None)


def tell_parameter(error: ChorewrightError, task: str, number: int) -> str:
    """Return an error's message as one about a parameter of a task."""
    return f"parameter #{number} of {task}: {error.message}"


def fill_text(text: str, params: Sequence[str]) -> str:
    """Return a text with its parameters filled in; the values are searched for parameters with lower numbers."""
    for index in reversed(range(len(params))):
        text = text.replace(f"#{index}", params[index])
    return text


def fill_members(
    members: Mapping[str, JsonValue], params: Sequence[str]
) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """Return an object with its parameters filled in, and the original of each key."""
    if not params:
        return dict(members), {key: key for key in members}
    result = dict(members)
    origins = {key: key for key in members}
    renamed = []
    for key, value in members.items():
        new_key = fill_text(key, params)
        if new_key != key:
            renamed.append(key)
            if not isinstance(value, str | list | dict):
                continue
        result[new_key] = _fill(value, params, new_key)
        origins[new_key] = key
    for key in renamed:
        result.pop(key, None)
        origins.pop(key, None)
    return result, origins


def _fill(value: JsonValue, params: Sequence[str], key: str) -> JsonValue:
    if isinstance(value, str):
        text = fill_text(value, params)
        return int(text) if key != "determiner" and text.isascii() and text.isdigit() and len(text) <= 9 else text
    if isinstance(value, list):
        return [fill_text(each, params) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict):
        return fill_members(value, params)[0]
    return value


# A household task of TEACh's language with its parameters filled in: components, relations, sub-tasks.


Value: TypeAlias = "str | int | float | bool | None"
"""What a property is wanted to be."""


@dataclass(frozen=True, slots=True)
class AtomicComponent:
    """Objects in a wanted state.

    Attributes:
        key: Its name in the task, by which relations and the anchor refer to it.
        determiner: ``a``, ``all`` or a number.
        primary: The condition that tells which objects come into question.
        shareable: Whether one set of objects serves however many instances of the task are wanted.
        conditions: Properties and wanted values.
        failures: What to say of an object that lacks a condition.
        location: Where it is defined.
    """

    key: str
    determiner: str
    primary: str
    shareable: bool
    conditions: tuple[tuple[str, Value], ...]
    failures: tuple[tuple[str, str], ...] = ()
    location: Location = field(default=Location(), compare=False, repr=False)

    @property
    def wanted(self) -> Value:
        """The wanted value of the primary condition."""
        return dict(self.conditions)[self.primary]

    def number(self, instances: int) -> int:
        """Return how many objects the component needs for a number of instances of its task; 1 for ``all``."""
        return 1 if self.shareable else instances * count(self.determiner)


@dataclass(frozen=True, slots=True)
class TaskComponent:
    """Another task as a part of a task; its determiner is ``a`` or a number."""

    key: str
    determiner: str
    task: TeachTask
    location: Location = field(default=Location(), compare=False, repr=False)

    def number(self, instances: int) -> int:
        """Return how many instances of the sub-task are needed for a number of instances of the task."""
        return instances * count(self.determiner)


Component: TypeAlias = AtomicComponent | TaskComponent


@dataclass(frozen=True, slots=True)
class TaskRelation:
    """Objects (heads) of components that lie in or on an object (tail) of another.

    Attributes:
        heads: Keys of components, each with the determiner ``a``, ``all`` or a number.
        tail: The key of the component whose objects hold them.
        tail_determiner: ``a``: any of these objects; ``the``: one and the same for all heads.
        failure: What to say of a head that is elsewhere.
        location: Where it is defined.
    """

    heads: tuple[tuple[str, str], ...]
    tail: str
    tail_determiner: str
    failure: str = ""
    location: Location = field(default=Location(), compare=False, repr=False)

    @property
    def heads_needed(self) -> tuple[tuple[str, str], ...]:
        """The heads whose determiner is not 0."""
        return tuple((key, determiner) for key, determiner in self.heads if is_needed(determiner))


@dataclass(frozen=True, slots=True)
class TeachTask:
    """A task with its parameters filled in.

    Attributes:
        task_id: The definition's number.
        name: The definition's name.
        params: What its parameters are.
        anchor: The key of the component that stands for the task in relations of other tasks.
        desc: What is to be done, in a sentence.
        components: Its components, in the order in which they are checked.
        relations: Its relations.
        location: Where it is defined.
    """

    task_id: int
    name: str
    params: tuple[str, ...]
    anchor: str | None
    desc: str
    components: tuple[Component, ...]
    relations: tuple[TaskRelation, ...] = ()
    location: Location = field(default=Location(), compare=False, repr=False)

    @property
    def parts_needed(self) -> tuple[Component, ...]:
        """The components whose determiner is not 0."""
        return tuple(part for part in self.components if is_needed(part.determiner))

    def component(self, key: str | None) -> Component | None:
        """Return the component of a key, unless its determiner is 0."""
        return next((part for part in self.parts_needed if part.key == key), None)

    def anchors(self, key: str | None = None) -> AtomicComponent | None:
        """Return the atomic component whose objects represent one of a key, or the task; sub-tasks are followed."""
        part = self.component(self.anchor if key is None else key)
        return part.task.anchors() if isinstance(part, TaskComponent) else part

    def walk(self) -> Iterator[TeachTask]:
        """Yield the task and the tasks below it that are needed."""
        yield self
        for part in self.parts_needed:
            if isinstance(part, TaskComponent):
                yield from part.task.walk()


def of_caller(error: ChorewrightError, task: TeachTask) -> ChorewrightError:
    """Return an error as one about the parameter that causes it, at the place where the parameter is given.

    That is the file of the task that has the sub-task as its part, or whoever gave the task its parameters.
    """
    found = error
    for part in reversed(_way_to(error, task)):
        number = number_quoted(error, part.task.params)
        if number is None:
            return found
        place = replace(part.location, json_path=f"{part.location.json_path}.task_params[{number}]")
        found = InputError(tell_parameter(error, part.task.name, number), location=place, hint=error.hint)
    return found if number_quoted(error, task.params) is None else of_parameter(error, task.name, task.params)


def _way_to(error: ChorewrightError, task: TeachTask) -> list[TaskComponent]:
    """Return the sub-tasks within each other, the outermost first, in whose last one an error lies."""
    where = error.location
    for part in task.parts_needed:
        if isinstance(part, TaskComponent):
            below = _way_to(error, part.task)
            if below or any(_is_at(where, each.location) for each in part.task.components):
                return [part, *below]
    return []


def _is_at(place: Location | None, component: Location) -> bool:
    """Return whether a place is that of a component or within it."""
    if place is None or place.path != component.path or component.json_path is None:
        return False
    return f"{place.json_path}.".startswith(f"{component.json_path}.")


def count(determiner: str) -> int:
    """Return the number that a determiner stands for: 1 for ``a`` (and ``all``)."""
    return 1 if determiner in ("a", "all") else int(determiner)


def is_needed(determiner: str) -> bool:
    """Whether a component with this determiner is needed; one with 0 is left out."""
    return determiner != "0"


def determiner_error(text: str, words: Iterable[str]) -> str | None:
    """Return what is wrong with a determiner; one that a parameter supplies is checked later."""
    if text in words or PARAMETER.search(text) or (text.isascii() and text.isdigit() and len(text) <= 9):
        return None
    return f"{text!r} is no determiner: it is {', '.join(map(repr, words))} or a number"


def head_determiner_error(text: str) -> str | None:
    """Return what is wrong with the determiner of a relation's head."""
    return determiner_error(text.replace("#", "?"), DETERMINERS)
