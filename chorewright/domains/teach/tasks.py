"""A household task of TEACh's language with its parameters filled in: components, relations, sub-tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.errors import Location

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

    def component(self, key: str | None) -> Component | None:
        """Return the component of a key, unless its determiner is 0."""
        return next((part for part in self.components if part.key == key and is_needed(part.determiner)), None)

    def anchors(self) -> AtomicComponent | None:
        """Return the atomic component whose objects represent the task; anchors of sub-tasks are followed."""
        part = self.component(self.anchor)
        return part.task.anchors() if isinstance(part, TaskComponent) else part

    def walk(self) -> Iterator[TeachTask]:
        """Yield the task and the tasks below it that are needed."""
        yield self
        for part in self.components:
            if isinstance(part, TaskComponent) and is_needed(part.determiner):
                yield from part.task.walk()


def count(determiner: str) -> int:
    """Return the number that a determiner stands for: 1 for ``a`` (and ``all``)."""
    return 1 if determiner in ("a", "all") else int(determiner)


def is_needed(determiner: str) -> bool:
    """Whether a component with this determiner is needed; one with 0 is left out."""
    return determiner != "0"
