"""Checks of task definitions that need no parameter values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from chorewright.domains.teach.definition import DETERMINERS, PARAMETER, determiner_error, references, wrong_number
from chorewright.errors import InputError
from chorewright.files.english import did_you_mean
from chorewright.files.json_source import JsonSource, JsonValue, Steps

MOST_PARAMETERS = 100

Documents = Mapping[str, tuple[JsonSource, int]]
"""Of each task by name: its file, and how many parameters it has."""

_KEYS = (
    "task_id", "task_name", "task_nparams", "task_anchor_object", "desc", "components", "relations",
)  # fmt: skip
_ATOMIC = ("determiner", "primary_condition", "instance_shareable", "conditions", "condition_failure_descs")
_TASK = ("determiner", "task_name", "task_params")
_RELATION = (
    "property", "tail_entity_list", "tail_determiner_list", "head_entity_list", "head_determiner_list",
    "failure_desc",
)  # fmt: skip


def shape_errors(source: JsonSource) -> Iterator[InputError]:
    """Yield what is wrong with one file by itself."""
    document = source.value
    if not isinstance(document, dict):
        yield source.error((), "expected an object, a task definition")
        return
    yield from _missing(source, (), document, _KEYS)
    nparams = document.get("task_nparams")
    yield from _wrong(source, document, "task_id", _is_count, "a number")
    yield from _wrong(source, document, "task_name", _is_name, "a name")
    yield from _wrong(source, document, "desc", _is_text, "a sentence")
    yield from _wrong(source, document, "components", lambda value: isinstance(value, dict), "an object of components")
    yield from _wrong(source, document, "relations", lambda value: isinstance(value, list), "a list of relations")
    yield from _wrong(source, document, "task_nparams", _is_few, f"the number of parameters, 0 to {MOST_PARAMETERS}")
    yield from _wrong(
        source, document, "task_anchor_object", lambda each: each is None or _is_name(each), "a key or null"
    )
    components = document.get("components")
    if isinstance(components, dict):
        for key, value in components.items():
            yield from _component(source, ("components", key), value)
    relations = document.get("relations")
    if isinstance(relations, list):
        for index, value in enumerate(relations):
            yield from _relation(source, ("relations", index), value)
    if _is_few(nparams):
        checked = {key: document[key] for key in _KEYS if key in document}
        yield from _out_of_range(source, (), checked, int(str(nparams)))
    if isinstance(components, dict):
        yield from _unknown_keys(source, document, components)


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str)


def _is_name(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_few(value: JsonValue) -> bool:
    return _is_count(value) and int(str(value)) <= MOST_PARAMETERS


def _missing(
    source: JsonSource, steps: Steps, value: Mapping[str, JsonValue], keys: Iterable[str]
) -> Iterator[InputError]:
    others = [key for key in value if key not in keys]
    for key in keys:
        if key not in value:
            yield source.error((*steps, key), f"the key {key!r} is missing", did_you_mean(key, others))


def _wrong(
    source: JsonSource,
    value: Mapping[str, JsonValue],
    key: str,
    right: Callable[[JsonValue], bool],
    expected: str,
    steps: Steps = (),
) -> Iterator[InputError]:
    if key in value and not right(value[key]):
        yield source.error((*steps, key), f"{key!r} must be {expected}")


def _component(source: JsonSource, steps: Steps, value: JsonValue) -> Iterator[InputError]:
    if not isinstance(value, dict):
        yield source.error(steps, "expected an object, a component")
        return
    keys = _TASK if "task_name" in value else _ATOMIC
    yield from _missing(source, steps, value, keys)
    determiner = value.get("determiner")
    if "determiner" in value and not isinstance(determiner, str):
        yield source.error((*steps, "determiner"), "the determiner must be a string", 'for example "a" or "2"')
    elif isinstance(determiner, str) and (message := determiner_error(determiner, DETERMINERS)) is not None:
        hint = "'the' is only for the tail of a relation" if determiner == "the" else None
        yield source.error((*steps, "determiner"), message, hint)
    if "task_name" in value:
        yield from _task_component(source, steps, value)
    else:
        yield from _atomic_component(source, steps, value)


def _task_component(source: JsonSource, steps: Steps, value: Mapping[str, JsonValue]) -> Iterator[InputError]:
    yield from _wrong(source, value, "task_name", _is_name, "the name of a task", steps)
    if PARAMETER.search(str(value["task_name"])):
        message = "a parameter cannot say which task a sub-task is: TEACh looks it up before there are parameters"
        yield source.error((*steps, "task_name"), message, "name the task")
    if value.get("determiner") == "all":
        yield source.error((*steps, "determiner"), "the determiner of a sub-task cannot be 'all'")
    params = value.get("task_params")
    if "task_params" in value and not isinstance(params, list):
        yield source.error((*steps, "task_params"), "'task_params' must be a list of strings")
    for index, param in enumerate(params if isinstance(params, list) else ()):
        if not isinstance(param, str):
            place = (*steps, "task_params", index)
            yield source.error(place, "a parameter must be a string", "write it in quotation marks")


def _atomic_component(source: JsonSource, steps: Steps, value: Mapping[str, JsonValue]) -> Iterator[InputError]:
    yield from _wrong(source, value, "instance_shareable", lambda each: isinstance(each, bool), "true or false", steps)
    yield from _wrong(source, value, "primary_condition", _is_name, "the name of a condition", steps)
    conditions, failures = value.get("conditions"), value.get("condition_failure_descs")
    if isinstance(conditions, dict):
        if not conditions:
            yield source.error((*steps, "conditions"), "there is no condition")
        for name, wanted in conditions.items():
            if not isinstance(wanted, str | int | float | bool):
                place = (*steps, "conditions", name)
                yield source.error(place, "the value of a property must be a string, a number, true or false")
        primary = value.get("primary_condition")
        if _is_name(primary) and primary not in conditions:
            hint = did_you_mean(str(primary), list(conditions))
            yield source.error((*steps, "primary_condition"), f"{primary!r} is not one of the conditions", hint)
    elif "conditions" in value:
        yield source.error((*steps, "conditions"), "'conditions' must be an object of properties")
    if isinstance(failures, dict):
        for name, text in failures.items():
            place = (*steps, "condition_failure_descs", name)
            if not isinstance(text, str):
                yield source.error(place, "expected a sentence")
            if isinstance(conditions, dict) and name not in conditions:
                hint = did_you_mean(name, list(conditions))
                yield source.error(place, f"{name!r} is not one of the conditions", hint)
    elif "condition_failure_descs" in value:
        yield source.error((*steps, "condition_failure_descs"), "expected an object of sentences")


def _relation(source: JsonSource, steps: Steps, value: JsonValue) -> Iterator[InputError]:
    if not isinstance(value, dict):
        yield source.error(steps, "expected an object, a relation")
        return
    yield from _missing(source, steps, value, _RELATION)
    if "property" in value and value["property"] != "parentReceptacles":
        yield source.error((*steps, "property"), "the only supported relation is 'parentReceptacles'")
    yield from _wrong(source, value, "failure_desc", _is_text, "a sentence", steps)
    lengths: dict[str, int] = {}
    for key in _RELATION[1:5]:
        texts = value.get(key)
        if key in value and not isinstance(texts, list):
            yield source.error((*steps, key), f"{key!r} must be a list of strings")
        if not isinstance(texts, list):
            continue
        lengths[key] = len(texts)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                yield source.error((*steps, key, index), "expected a text")
            elif "determiner" in key and (
                message := determiner_error(text, ("a", "the") if "tail" in key else DETERMINERS)
            ):
                yield source.error((*steps, key, index), message)
            elif key == "tail_determiner_list" and text.isdigit():
                yield source.error((*steps, key, index), f"the tail is 'a' or 'the', not {text!r}")
    for side in ("head", "tail"):
        entities, determiners = f"{side}_entity_list", f"{side}_determiner_list"
        if entities in lengths and determiners in lengths and lengths[entities] != lengths[determiners]:
            message = f"{determiners!r} must be as long as {entities!r}, which has {lengths[entities]}"
            yield source.error((*steps, determiners), message)
    if lengths.get("tail_entity_list", 1) != 1:
        yield source.error((*steps, "tail_entity_list"), "a relation has exactly one tail")
    if lengths.get("head_entity_list", 1) == 0:
        yield source.error((*steps, "head_entity_list"), "a relation has at least one head")


def _unknown_keys(
    source: JsonSource, document: Mapping[str, JsonValue], components: Mapping[str, JsonValue]
) -> Iterator[InputError]:
    """Yield the anchor and the entities of relations that are no components, whatever the parameters."""
    keys = list(components)
    open_keys = any(PARAMETER.search(key) for key in keys)

    def unknown(text: JsonValue) -> bool:
        return isinstance(text, str) and text not in components and not PARAMETER.search(text)

    anchor: Steps = ("task_anchor_object",)
    for steps, text in ((anchor, document.get("task_anchor_object")), *_entities(document)):
        if unknown(text) and not open_keys:
            yield source.error(steps, f"there is no component {text!r}", did_you_mean(str(text), keys))


def _entities(document: JsonValue) -> Iterator[tuple[Steps, JsonValue]]:
    """Yield the keys that relations are between, each with its place."""
    relations = document.get("relations") if isinstance(document, dict) else None
    for index, relation in enumerate(relations if isinstance(relations, list) else ()):
        for key in ("head_entity_list", "tail_entity_list") if isinstance(relation, dict) else ():
            entities = relation.get(key)
            for number, entity in enumerate(entities if isinstance(entities, list) else ()):
                yield ("relations", index, key, number), entity


def _out_of_range(source: JsonSource, steps: Steps, value: JsonValue, nparams: int) -> Iterator[InputError]:
    """Yield the parameters that a text mentions beyond the number of parameters."""

    def wrong(text: str, place: Steps) -> Iterator[InputError]:
        for number in references(text):
            if number >= nparams:
                has = f"#0 to #{nparams - 1}" if nparams else "none"
                message = f"the parameter #{number} is out of range: there are {nparams} ({has})"
                yield source.error(place, message)

    if isinstance(value, str):
        yield from wrong(value, steps)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _out_of_range(source, (*steps, index), each, nparams)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from wrong(key, (*steps, key))
            yield from _out_of_range(source, (*steps, key), each, nparams)


def _subtasks(source: JsonSource) -> Iterator[tuple[str, str, JsonValue]]:
    """Yield the key, the task's name and the parameters of each component that is a task."""
    document = source.value
    components = document.get("components") if isinstance(document, dict) else None
    for key, value in components.items() if isinstance(components, dict) else ():
        if isinstance(value, dict) and isinstance(name := value.get("task_name"), str):
            yield key, name, value.get("task_params")


def cross_errors(source: JsonSource, documents: Documents, whole: bool) -> Iterator[InputError]:
    """Yield what is wrong between a file and the others: unknown tasks, numbers of parameters, null anchors.

    Unknown tasks are only looked for if the collection is ``whole``, all its files could be read.
    """
    by_key: dict[str, str] = {}
    for key, name, params in _subtasks(source):
        if PARAMETER.search(name):
            continue
        if name not in documents:
            if whole:
                hint = did_you_mean(name, list(documents))
                yield source.error(("components", key, "task_name"), f"there is no task {name!r}", hint)
            continue
        by_key[key] = name
        wanted = documents[name][1]
        if isinstance(params, list) and len(params) != wanted:
            message = f"the task {wrong_number(repr(name), wanted, len(params))}"
            yield source.error(("components", key, "task_params"), message)
    for steps, entity in _entities(source.value):
        name = by_key.get(str(entity), "")
        other = documents[name][0].value if name else None
        if isinstance(other, dict) and other.get("task_anchor_object") is None:
            message = f"the task {name!r} has no anchor object to be in a relation"
            yield source.error(steps, message, "give it a task_anchor_object that is not null")


def cycle_errors(documents: Documents) -> Iterator[InputError]:
    """Yield an error for each task that contains itself, one for each cycle."""
    done: set[str] = set()
    for start in documents:
        path: list[str] = []
        stack: list[Iterator[tuple[str, str, JsonValue]]] = []
        if start not in done:
            path.append(start)
            stack.append(_subtasks(documents[start][0]))
        while stack:
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
                done.add(path.pop())
                continue
            key, name, _ = entry
            if name in path:
                cycle = " > ".join((*path[path.index(name) :], name))
                yield documents[path[-1]][0].error(
                    ("components", key, "task_name"), f"the task contains itself: {cycle}"
                )
            elif name in documents and name not in done:
                path.append(name)
                stack.append(_subtasks(documents[name][0]))
