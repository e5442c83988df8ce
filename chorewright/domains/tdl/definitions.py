"""Task definitions of TEACh's language: a folder of JSON files, loaded, checked, filled with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.pddl.source import did_you_mean
from chorewright.domains.tdl.definition_checks import (
    DETERMINERS,
    cross_errors,
    cycle_errors,
    head_determiner_error,
    shape_errors,
)
from chorewright.domains.tdl.json_source import JsonSource, JsonValue, Steps, load_json
from chorewright.domains.tdl.macros import filled_members, filled_text
from chorewright.domains.tdl.tasks import AtomicComponent, Component, Relation, Task, TaskComponent, needed
from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location, UsageError

SUFFIX = ".json"

MOST_COUNT = 200
"""The largest number that a determiner may say."""

MOST_NESTED = 30
"""How many tasks may lie within each other."""

MOST_COMPONENTS = 2000
"""The most components that a task may have in all, those of its sub-tasks included."""

SHIPPED = Path(str(files("chorewright.domains") / "teach"))


@dataclass(frozen=True, slots=True)
class Definition:
    """A task definition as its file has it; ``document`` is its checked JSON."""

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
        return tuple(_mapping(self.document["components"]))

    @property
    def param_names(self) -> tuple[str, ...]:
        return tuple(f"#{number}" for number in range(self.nparams))

    def summary(self) -> Iterator[str]:
        """Yield what each component and relation asks for, a line each, parameters not filled in."""
        for key, value in _mapping(self.document["components"]).items():
            part = _mapping(value)
            if "task_name" in part:
                params = ", ".join(str(each) for each in _sequence(part["task_params"]))
                yield f"{key}: {part['determiner']} x {part['task_name']}({params})"
            else:
                wanted = (f"{name} {each}" for name, each in _mapping(part["conditions"]).items())
                shared = " (one serves all)" if part["instance_shareable"] else ""
                yield f"{key}: {part['determiner']} of {', '.join(wanted)}{shared}"
        for value in _sequence(self.document["relations"]):
            relation = _mapping(value)
            columns = (_sequence(relation[f"head_{each}_list"]) for each in ("determiner", "entity"))
            heads = ", ".join(f"{number} {key}" for number, key in zip(*columns, strict=True))
            tail = (_sequence(relation[f"tail_{each}_list"])[0] for each in ("determiner", "entity"))
            yield f"{heads} in {' '.join(map(str, tail))}"

    @property
    def param_notes(self) -> tuple[str, ...]:
        """What ``comments_task_params`` says of each parameter, as far as it does."""
        notes = self.document.get("comments_task_params")
        known = notes if isinstance(notes, dict) else {}
        return tuple(str(known.get(name, "")) for name in self.param_names)


@dataclass(frozen=True, slots=True)
class Definitions:
    """Task definitions by name."""

    by_name: Mapping[str, Definition]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def find(self, name: str) -> Definition:
        """Return a definition by its task_name, or that in kebab case.

        Raises:
            UsageError: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            folded = {kebab(each): definition for each, definition in self.by_name.items()}
            found = folded.get(kebab(name))
        if found is None:
            hint = did_you_mean(kebab(name), [kebab(each) for each in self.by_name])
            raise UsageError(
                f"there is no TEACh task {name!r}", hint=hint or "'chorewright tasks' lists them"
            )
        return found

    def task(self, name: str, params: Sequence[str] = ()) -> Task:
        """Return a task with its parameters filled in, its sub-tasks too.

        Raises:
            UsageError: There is no such task, or it has another number of parameters.
            InputError: With these parameters the definition makes no sense.
            LimitError: It is larger than the limits.
        """
        definition = self.find(name)
        for number, param in enumerate(params):
            if not isinstance(param, str):
                raise UsageError(f"parameter {number} of {definition.name} is no text: {param!r}")
        if len(params) != definition.nparams:
            raise UsageError(_wrong_number(definition, len(params)), hint=_usage(definition))
        return _Filling(self).task(definition, tuple(params), ())


def _wrong_number(definition: Definition, given: int) -> str:
    wanted = f"{definition.nparams} parameter{'s' if definition.nparams != 1 else ''}"
    return f"{definition.name} takes {wanted}, but {given} {'was' if given == 1 else 'were'} given"


def _usage(definition: Definition) -> str:
    notes = "; ".join(f"#{k}: {note}" for k, note in enumerate(definition.param_notes) if note)
    return notes or f"its sentence is {definition.desc!r}"


def kebab(name: str) -> str:
    """Return a task's name in kebab case: ``Put All X On Y`` is ``put-all-x-on-y``."""
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())


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
    errors: list[ChorewrightError] = []
    found: list[Definition] = []
    for path in _paths(folders):
        try:
            source = load_json(path)
        except ChorewrightError as error:
            errors.extend(error.errors if isinstance(error, InputErrors) else (error,))
            continue
        wrong = shape_errors(source)
        errors.extend(wrong)
        if not wrong:
            found.append(_definition(source))
    errors.extend(_repetitions(found))
    own = {each.kebab for each in found}
    found += [each for each in (base.by_name.values() if base else ()) if each.kebab not in own]
    by_name = {each.name: each for each in sorted(found, key=lambda each: (each.task_id, each.name))}
    documents = {name: (each.source, each.nparams) for name, each in by_name.items()}
    whole = not errors
    for each in by_name.values():
        errors.extend(cross_errors(each.source, documents, whole))
    errors.extend(cycle_errors(documents))
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return Definitions(by_name)


def _paths(folders: Iterable[str | Path]) -> list[Path]:
    paths: list[Path] = []
    for folder in map(Path, folders):
        try:
            listed = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot read the folder: {reason}", location=Location(str(folder))) from None
        if not listed:
            raise UsageError("the folder holds no task definition (.json)", location=Location(str(folder)))
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


def _repetitions(found: Sequence[Definition]) -> Iterable[InputError]:
    """Yield an error for each id and name that another file has already."""
    kinds: tuple[tuple[str, Callable[[Definition], object]], ...] = (
        ("task_id", lambda each: each.task_id),
        ("task_name", lambda each: each.kebab),
    )
    for key, value in kinds:
        first: dict[object, Definition] = {}
        for each in found:
            other = first.setdefault(value(each), each)
            if other is not each:
                message = f"the {key} {each.document[key]!r} is that of {other.source.path} too"
                yield each.source.error((key,), message)


class _Filling:
    """Fills definitions with parameters; counts what that makes."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self.made: dict[tuple[str, tuple[str, ...]], tuple[Task, int]] = {}

    def task(self, definition: Definition, params: tuple[str, ...], above: tuple[str, ...]) -> Task:
        key = (definition.name, params)
        if key not in self.made:
            self.made[key] = self._make(definition, params, (*above, definition.name))
        return self.made[key][0]

    def _make(
        self, definition: Definition, params: tuple[str, ...], above: tuple[str, ...]
    ) -> tuple[Task, int]:
        source = definition.source
        document = definition.document
        members, origins = filled_members(_mapping(document["components"]), params)
        components = []
        size = 0
        for key, value in members.items():
            steps = ("components", origins[key])
            part = self._component(definition, key, _mapping(value), steps, above)
            size += 1 if isinstance(part, AtomicComponent) else self._size(part.task)
            components.append(part)
            if size > MOST_COMPONENTS:
                message = f"{definition.name} has more than {MOST_COMPONENTS} components in all"
                raise LimitError(message, location=source.location(steps))
        anchor = document["task_anchor_object"]
        named = filled_text(anchor, params) if isinstance(anchor, str) else None
        task = Task(
            definition.task_id,
            definition.name,
            params,
            named,
            filled_text(definition.desc, params),
            tuple(components),
            tuple(
                self._relation(definition, index, params, components)
                for index in range(len(_sequence(document["relations"])))
            ),
            source.location(()),
        )
        if named is not None and named not in members:
            raise source.error(("task_anchor_object",), f"there is no component {named!r}")
        return task, size

    def _size(self, task: Task) -> int:
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
            raise source.error((*steps, "determiner"), _bad_determiner(determiner))
        if determiner.isdigit() and int(determiner) > MOST_COUNT:
            message = f"a determiner is at most {MOST_COUNT}, but is {determiner}"
            raise LimitError(message, location=source.location((*steps, "determiner")))
        location = source.location(steps)
        if "task_name" in value:
            return self._task_component(definition, key, value, steps, above, determiner)
        conditions = _mapping(value["conditions"])
        failures = _mapping(value["condition_failure_descs"])
        primary = str(value["primary_condition"])
        if primary not in conditions:
            raise source.error((*steps, "primary_condition"), f"{primary!r} is none of the conditions")
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
        name, params = str(value["task_name"]), tuple(str(each) for each in _sequence(value["task_params"]))
        here = (*steps, "task_name")
        if determiner == "all":
            raise source.error((*steps, "determiner"), "a sub-task cannot be wanted of 'all'")
        wanted = self.definitions.by_name.get(name)
        if wanted is None:
            hint = did_you_mean(name, self.definitions.names)
            raise source.error(here, f"there is no task {name!r}", hint)
        if name in above:
            raise source.error(here, f"the task contains itself: {' > '.join((*above, name))}")
        if len(above) > MOST_NESTED:
            message = f"more than {MOST_NESTED} tasks lie within each other"
            raise LimitError(message, location=source.location(here))
        if len(params) != wanted.nparams:
            raise source.error((*steps, "task_params"), _wrong_number(wanted, len(params)), _usage(wanted))
        task = self.task(wanted, params, above)
        return TaskComponent(key, determiner, task, source.location(steps))

    def _relation(
        self, definition: Definition, index: int, params: tuple[str, ...], components: Sequence[Component]
    ) -> Relation:
        source = definition.source
        steps: Steps = ("relations", index)
        value = _mapping(_sequence(definition.document["relations"])[index])
        names = {part.key: part for part in components}

        def texts(key: str) -> tuple[str, ...]:
            return tuple(filled_text(str(each), params) for each in _sequence(value[key]))

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
            if needed(determiner := _plain(determiner)):
                _require_anchor(source, (*steps, "head_entity_list", number), head, names)
            pairs.append((head, determiner))
        _require_anchor(source, (*steps, "tail_entity_list", 0), tail, names)
        failure = filled_text(str(value["failure_desc"]), params)
        return Relation(tuple(pairs), tail, tail_determiner, failure, source.location(steps))


def _plain(determiner: str) -> str:
    return str(int(determiner)) if determiner.isdigit() else determiner


def _bad_determiner(text: str) -> str:
    return f"{text!r} is no determiner: it is 'a', 'all' or a number"


def _require_anchor(source: JsonSource, steps: Steps, key: str, names: Mapping[str, Component]) -> None:
    """Raise unless a relation can refer to a component: it is there, needed, and has an anchor."""
    part = names.get(key)
    if part is None:
        raise source.error(steps, f"there is no component {key!r}", did_you_mean(key, list(names)))
    if not needed(part.determiner):
        raise source.error(steps, f"the component {key!r} is left out (its determiner is 0)")
    if isinstance(part, TaskComponent) and part.task.anchors() is None:
        message = f"the task {part.task.name!r} of the component {key!r} has no anchor object"
        raise source.error(steps, message, "give it a task_anchor_object that is not null")


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    assert isinstance(value, dict)
    return value


def _sequence(value: JsonValue) -> Sequence[JsonValue]:
    assert isinstance(value, list)
    return value
