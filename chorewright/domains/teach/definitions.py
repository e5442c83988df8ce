"""Task definitions of TEACh's language: folders of JSON files, loaded, checked and filled with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path

from chorewright.domains.teach import definition_checks
from chorewright.domains.teach.definition import (
    DETERMINERS,
    AtomicComponent,
    Component,
    Definition,
    TaskComponent,
    TaskRelation,
    TeachTask,
    fill_members,
    fill_text,
    head_determiner_error,
    is_needed,
    kebab,
    mapping,
    number_quoted,
    of_parameter,
    sequence,
    tell_parameter,
    usage,
    wrong_number,
)
from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.json_source import JsonSource, JsonValue, Steps, load_json, parse_json

# Tasks made from definitions by filling in parameters, including those of sub-tasks.


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
            size += 1 if isinstance(part, AtomicComponent) else self.made[part.task.name, part.task.params][1]
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

    def _component(
        self, definition: Definition, key: str, value: Mapping[str, JsonValue], steps: Steps, above: tuple[str, ...]
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
            raise source.error(
                (*steps, "task_params"), wrong_number(wanted.name, wanted.nparams, len(params)), usage(wanted)
            )
        try:
            task = self.task(wanted, params, above)
        except InputError as error:
            number = number_quoted(error, params)
            if number is None:
                raise
            place, message = (*steps, "task_params", number), tell_parameter(error, name, number)
            raise source.error(place, message, error.hint or usage(wanted)) from None
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
            if is_needed(determiner := str(int(determiner)) if determiner.isdigit() else determiner):
                _require_anchor(source, (*steps, "head_entity_list", number), head, names)
            pairs.append((head, determiner))
        _require_anchor(source, (*steps, "tail_entity_list", 0), tail, names)
        failure = fill_text(str(value["failure_desc"]), params)
        return TaskRelation(tuple(pairs), tail, tail_determiner, failure, source.location(steps))


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


SUFFIX = ".json"

SHIPPED = Path(str(files("chorewright.domains") / "teach"))


@dataclass(frozen=True, slots=True)
class Definitions:
    """Task definitions by name."""

    by_name: Mapping[str, Definition]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def find(self, name: str) -> Definition:
        """Return a definition by its task_name, also in kebab case.

        Raises:
            UsageError: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            folded = {kebab(each): definition for each, definition in self.by_name.items()}
            found = folded.get(kebab(name))
        if found is None:
            hint = did_you_mean(kebab(name), [kebab(each) for each in self.by_name])
            hint = hint or "'chorewright tasks' lists them; --definitions adds your own"
            raise UsageError(f"there is no TEACh task {name!r}", hint=hint)
        return found

    def task(self, name: str, params: Sequence[str] = ()) -> TeachTask:
        """Return a task with the parameters of it and its sub-tasks filled in.

        Raises:
            UsageError: There is no such task, or it has another number of parameters, or one of them makes no
                sense.
            InputError: With these parameters the definition makes no sense.
            LimitError: It is larger than the limits.
        """
        definition = self.find(name)
        for number, param in enumerate(params):
            if not isinstance(param, str):
                raise UsageError(f"parameter {number} of {definition.name} is not a string: {param!r}")
        if len(params) != definition.nparams:
            raise UsageError(wrong_number(definition.name, definition.nparams, len(params)), hint=usage(definition))
        try:
            return Filling(self.by_name).task(definition, tuple(params), ())
        except InputError as error:
            found = of_parameter(error, definition.name, params)
            if found is not error and found.hint is None:
                found.hint = usage(definition)
            raise found from None


@lru_cache(maxsize=1)
def shipped_definitions() -> Definitions:
    """Return the shipped definitions; they are read once."""
    return load_definitions(SHIPPED)


def load_definitions(*folders: str | Path, base: Definitions | None = None) -> Definitions:
    """Load every ``.json`` file of the folders (or single files), in the order of their ids.

    Args:
        folders: Folders, or single files.
        base: Definitions that are there too, but for those whose names the folders have.

    Raises:
        UsageError: A folder is missing or has no definition.
        InputError, InputErrors: What is wrong with the definitions, all of it; each error with file, line,
            column and JSON path.
    """
    return _collect([partial(load_json, path) for path in definition_paths(*folders)], base)


def parse_definitions(files: Iterable[tuple[str, str]], base: Definitions | None = None) -> Definitions:
    """Return the definitions in texts, which are given with their file names.

    Raises:
        InputError, InputErrors: What is wrong with the definitions, as ``load_definitions`` tells it.
    """
    return _collect([partial(parse_json, text, name) for name, text in files], base)


def _collect(readers: Iterable[Callable[[], JsonSource]], base: Definitions | None) -> Definitions:
    """Read, check and put together definitions."""
    errors: list[ChorewrightError] = []
    found: list[Definition] = []
    for read in readers:
        try:
            source = read()
        except ChorewrightError as error:
            errors.extend(error.errors if isinstance(error, InputErrors) else (error,))
            continue
        wrong = list(definition_checks.shape_errors(source))
        errors.extend(wrong)
        if not wrong:
            found.append(_definition(source))
    own = {each.kebab for each in found}
    others = [each for each in (base.by_name.values() if base else ()) if each.kebab not in own]
    errors.extend(_repetitions(found, others))
    by_name = {each.name: each for each in sorted((*others, *found), key=lambda each: (each.task_id, each.name))}
    documents = {name: (each.source, each.nparams) for name, each in by_name.items()}
    whole = not errors
    for each in by_name.values():
        errors.extend(definition_checks.cross_errors(each.source, documents, whole))
    errors.extend(definition_checks.cycle_errors(documents))
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return Definitions(by_name)


def definition_paths(*folders: str | Path) -> list[Path]:
    """Return the definition files in folders; single files stand for themselves.

    Raises:
        UsageError: A folder cannot be read or has none.
    """
    paths: list[Path] = []
    for folder in map(Path, folders):
        try:
            listed = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read the folder: {reason}", location=Location(str(folder))) from None
        if not listed:
            raise UsageError("the folder has no task definition (.json)", location=Location(str(folder)))
        paths += [path for path in listed if path not in paths]
    return paths


def _definition(source: JsonSource) -> Definition:
    document = source.value
    assert isinstance(document, dict)
    return Definition(
        int(str(document["task_id"])),
        str(document["task_name"]),
        int(str(document["task_nparams"])),
        str(document["desc"]),
        document,
        source,
    )


def _repetitions(found: Sequence[Definition], others: Sequence[Definition]) -> Iterable[InputError]:
    """Yield an error for each id and name that another file, or another task, has already."""
    kinds: tuple[tuple[str, Callable[[Definition], object]], ...] = (
        ("task_id", lambda each: each.task_id),
        ("task_name", lambda each: each.kebab),
    )
    for key, value in kinds:
        first = {value(each): each for each in others}
        for each in found:
            other = first.setdefault(value(each), each)
            if other is not each:
                message = f"the {key} {each.document[key]!r} is that of {other.source.path} too"
                yield each.source.error((key,), message)
