"""Tasks made from definitions by filling in parameters, including those of sub-tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chorewright.domains.teach.definition import (
    Definition,
    fill_members,
    fill_text,
    mapping,
    sequence,
    usage,
    wrong_number,
)
from chorewright.domains.teach.definition_checks import DETERMINERS, head_determiner_error
from chorewright.domains.teach.tasks import (
    AtomicComponent,
    Component,
    TaskComponent,
    TaskRelation,
    TeachTask,
    is_needed,
)
from chorewright.errors import LimitError
from chorewright.files.english import did_you_mean
from chorewright.files.json_source import JsonSource, JsonValue, Steps

MOST_COUNT = 200
"""The largest number that a determiner may say."""

MOST_NESTED = 30
"""How many tasks may lie within each other."""

MOST_COMPONENTS = 2000
"""The most components that a task may have in all, those of its sub-tasks included."""


class Filling:
    """Fills definitions with parameters, and counts the components that result."""

    def __init__(self, by_name: Mapping[str, Definition]) -> None:
        self.by_name = by_name
        self.made: dict[tuple[str, tuple[str, ...]], tuple[TeachTask, int]] = {}

    def task(self, definition: Definition, params: tuple[str, ...], above: tuple[str, ...]) -> TeachTask:
        key = (definition.name, params)
        if key not in self.made:
            self.made[key] = self._make(definition, params, (*above, definition.name))
        return self.made[key][0]

    def _make(self, definition: Definition, params: tuple[str, ...], above: tuple[str, ...]) -> tuple[TeachTask, int]:
        source = definition.source
        document = definition.document
        members, origins = fill_members(mapping(document["components"]), params)
        components = []
        size = 0
        for key, value in members.items():
            steps = ("components", origins[key])
            part = self._component(definition, key, mapping(value), steps, above)
            size += 1 if isinstance(part, AtomicComponent) else self._size(part.task)
            components.append(part)
            if size > MOST_COMPONENTS:
                message = f"{definition.name} has more than {MOST_COMPONENTS} components in all"
                raise LimitError(message, location=source.location(steps))
        anchor = document["task_anchor_object"]
        named = fill_text(anchor, params) if isinstance(anchor, str) else None
        task = TeachTask(
            definition.task_id,
            definition.name,
            params,
            named,
            fill_text(definition.desc, params),
            tuple(components),
            tuple(
                self._relation(definition, index, params, components)
                for index in range(len(sequence(document["relations"])))
            ),
            source.location(()),
        )
        if named is not None and named not in members:
            raise source.error(("task_anchor_object",), f"there is no component {named!r}")
        return task, size

    def _size(self, task: TeachTask) -> int:
        return self.made[task.name, task.params][1]

    def _component(
        self,
        definition: Definition,
        key: str,
        value: Mapping[str, JsonValue],
        steps: Steps,
        above: tuple[str, ...],
    ) -> Component:
        source = definition.source
        determiner = str(value["determiner"])
        if determiner.isascii() and determiner.isdigit() and len(determiner) <= 9:
            determiner = str(int(determiner))
        elif determiner not in DETERMINERS:
            raise source.error((*steps, "determiner"), f"{determiner!r} is no determiner: it is 'a', 'all' or a number")
        if determiner.isdigit() and int(determiner) > MOST_COUNT:
            message = f"a determiner is at most {MOST_COUNT}, but is {determiner}"
            raise LimitError(message, location=source.location((*steps, "determiner")))
        location = source.location(steps)
        if "task_name" in value:
            return self._task_component(definition, key, value, steps, above, determiner)
        conditions = mapping(value["conditions"])
        failures = mapping(value["condition_failure_descs"])
        primary = str(value["primary_condition"])
        if primary not in conditions:
            raise source.error((*steps, "primary_condition"), f"{primary!r} is not one of the conditions")
        pairs: list[tuple[str, str | int | float | bool | None]] = []
        for name, wanted in conditions.items():
            assert not isinstance(wanted, Sequence | Mapping) or isinstance(wanted, str)
            pairs.append((name, wanted))
        return AtomicComponent(
            key,
            determiner,
            primary,
            bool(value["instance_shareable"]),
            tuple(pairs),
            tuple((name, str(text)) for name, text in failures.items()),
            location,
        )

    def _task_component(
        self,
        definition: Definition,
        key: str,
        value: Mapping[str, JsonValue],
        steps: Steps,
        above: tuple[str, ...],
        determiner: str,
    ) -> TaskComponent:
        source = definition.source
        name, params = str(value["task_name"]), tuple(str(each) for each in sequence(value["task_params"]))
        here = (*steps, "task_name")
        if determiner == "all":
            raise source.error((*steps, "determiner"), "the determiner of a sub-task cannot be 'all'")
        wanted = self.by_name.get(name)
        if wanted is None:
            hint = did_you_mean(name, list(self.by_name))
            raise source.error(here, f"there is no task {name!r}", hint)
        if name in above:
            raise source.error(here, f"the task contains itself: {' > '.join((*above, name))}")
        if len(above) > MOST_NESTED:
            message = f"more than {MOST_NESTED} tasks lie within each other"
            raise LimitError(message, location=source.location(here))
        if len(params) != wanted.nparams:
            raise source.error((*steps, "task_params"), wrong_number(wanted, len(params)), usage(wanted))
        task = self.task(wanted, params, above)
        return TaskComponent(key, determiner, task, source.location(steps))

    def _relation(
        self, definition: Definition, index: int, params: tuple[str, ...], components: Sequence[Component]
    ) -> TaskRelation:
        source = definition.source
        steps: Steps = ("relations", index)
        value = mapping(sequence(definition.document["relations"])[index])
        names = {part.key: part for part in components}

        def texts(key: str) -> tuple[str, ...]:
            return tuple(fill_text(str(each), params) for each in sequence(value[key]))

        heads, determiners = texts("head_entity_list"), texts("head_determiner_list")
        (tail,), (tail_determiner,) = texts("tail_entity_list"), texts("tail_determiner_list")
        if tail_determiner not in ("a", "the"):
            place = (*steps, "tail_determiner_list", 0)
            raise source.error(place, f"the tail is 'a' or 'the', not {tail_determiner!r}")
        pairs = []
        for number, (head, determiner) in enumerate(zip(heads, determiners, strict=True)):
            place = (*steps, "head_determiner_list", number)
            if (message := head_determiner_error(determiner)) is not None:
                raise source.error(place, message)
            if is_needed(determiner := _plain(determiner)):
                _require_anchor(source, (*steps, "head_entity_list", number), head, names)
            pairs.append((head, determiner))
        _require_anchor(source, (*steps, "tail_entity_list", 0), tail, names)
        failure = fill_text(str(value["failure_desc"]), params)
        return TaskRelation(tuple(pairs), tail, tail_determiner, failure, source.location(steps))


def _plain(determiner: str) -> str:
    return str(int(determiner)) if determiner.isdigit() else determiner


def _require_anchor(source: JsonSource, steps: Steps, key: str, names: Mapping[str, Component]) -> None:
    """Raise unless a relation can refer to a component: it is there, needed, and has an anchor."""
    part = names.get(key)
    if part is None:
        raise source.error(steps, f"there is no component {key!r}", did_you_mean(key, list(names)))
    if not is_needed(part.determiner):
        raise source.error(steps, f"the component {key!r} is left out (its determiner is 0)")
    if isinstance(part, TaskComponent) and part.task.anchors() is None:
        message = f"the task {part.task.name!r} of the component {key!r} has no anchor object"
        raise source.error(steps, message, "give it a task_anchor_object that is not null")
