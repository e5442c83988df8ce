"""The objects of a simulator as task definitions see them: properties, classes, parents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.teach.definition import AtomicComponent, TaskRelation, TeachTask, Value
from chorewright.errors import InputError, Location
from chorewright.files.json_source import JsonValue

TYPE, CLASS, PARENTS, LAST_PARENT = (
    "objectType", "simbotObjectClass", "parentReceptacles", "simbotLastParentReceptacle",
)  # fmt: skip

ALIASES = {"Sink": "SinkBasin", "SinkBasin": "Sink", "Bathtub": "BathtubBasin", "BathtubBasin": "Bathtub"}
"""Types that count as one another: a basin is an object of its own."""

Thing = Mapping[str, object]
"""The metadata of one object."""

_CUSTOM = (
    "simbotIsCooked", "simbotIsBoiled", "simbotIsFilledWithWater", "simbotIsFilledWithCoffee",
    "simbotPickedUp",
)  # fmt: skip


@dataclass(frozen=True)
class ObjectWorld:
    """Object metadata, in the simulator's order; each has an ``objectId`` and ``objectType``."""

    things: tuple[Thing, ...]
    path: str | None = None
    where: str = "$"
    by_id: Mapping[str, Thing] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {name(thing): thing for thing in self.things})

    def holds(self, thing: Thing, prop: str, wanted: Value) -> bool:
        """Return whether a property of an object has the wanted value; a property that it lacks never has.

        0 and 1 ask for truth; a list (classes) for membership. The last parent is told by its type or class, and
        null asks for none: what has been picked up and not been put anywhere since.
        """
        if prop == PARENTS:
            return any(self._is_a(self.by_id.get(each), wanted) for each in self.parents(thing))
        if prop not in thing:
            return False
        value = thing[prop]
        if prop == TYPE:
            return value == wanted or (isinstance(wanted, str) and ALIASES.get(wanted) == value)
        if prop == LAST_PARENT and wanted is not None:
            return value is not None and self._is_a(self.by_id.get(str(value)), wanted)
        if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted in (0, 1):
            return bool(value) == bool(wanted)
        return wanted in value if isinstance(value, list) else value == wanted

    def location(self, thing: Thing, within: str = "") -> Location:
        """Return the position of an object in the file, for errors."""
        return Location(self.path, json_path=f"{self.where}[{self.things.index(thing)}]{within}")

    def _is_a(self, thing: Thing | None, wanted: Value) -> bool:
        if thing is None:
            return False
        classes = thing.get(CLASS)
        in_class = isinstance(classes, list) and wanted in classes
        return in_class or self.holds(thing, TYPE, wanted)

    def parents(self, thing: Thing) -> tuple[str, ...]:
        """Return the ids of the receptacles around an object.

        As ``parentReceptacles`` has them, if it is there; else the chain of last parents.

        Raises:
            InputError: The chain of last parents goes in a circle.
        """
        listed = thing.get(PARENTS)
        if listed is not None:
            return tuple(str(each) for each in listed) if isinstance(listed, list) else ()
        found: list[str] = []
        current: Thing | None = thing
        while current is not None:
            parent = current.get(LAST_PARENT)
            if parent is None or parent == current.get("objectId"):
                break
            if parent in found:
                message = f"the last parents of {name(thing)} go in a circle"
                raise InputError(message, location=self.location(thing, f".{LAST_PARENT}"))
            found.append(str(parent))
            current = self.by_id.get(str(parent))
        return tuple(found)


def name(thing: Thing) -> str:
    """Return an object's id."""
    return str(thing["objectId"])


def world_of(
    objects: object, classes: Mapping[str, Sequence[str]] | None = None, custom: object = None, path: str | None = None
) -> ObjectWorld:
    """Return the world of object metadata.

    Args:
        objects: A list of object metadata, or AI2-THOR's metadata (an object with ``objects``), an event of
            AI2-THOR (an object with ``metadata``), or a state of TEACh (which has ``custom_object_metadata``
            too).
        classes: Of each type the classes it belongs to. If no object has TEACh's ``simbotObjectClass``, the
            metadata is AI2-THOR's own: then objects get their classes, and TEACh's other properties as far
            as AI2-THOR's tell them.
        custom: TEACh's custom properties by object id, if not in ``objects``.
        path: The file, for error messages.

    Raises:
        InputError: It is not such metadata; the error has the JSON path.
    """
    where = "$"
    if isinstance(objects, Mapping) and "objects" not in objects and "metadata" in objects:
        where, objects = "$.metadata", objects["metadata"]
    if isinstance(objects, Mapping):
        custom = objects.get("custom_object_metadata", custom)
        if "objects" not in objects:
            raise _error(path, where, "expected a list of objects, or an object that has 'objects'")
        where, objects = f"{where}.objects", objects["objects"]
    if not isinstance(objects, list):
        raise _error(path, where, "expected a list of objects")
    extra = custom if isinstance(custom, Mapping) else {}
    things: list[Thing] = []
    seen: dict[str, int] = {}
    for index, thing in enumerate(objects):
        here = f"{where}[{index}]"
        if not isinstance(thing, Mapping):
            raise _error(path, here, "expected an object's metadata")
        for key in ("objectId", TYPE):
            if not isinstance(thing.get(key), str):
                raise _error(path, f"{here}.{key}", f"{key!r} must be a string")
        for key in (PARENTS, CLASS):
            value = thing.get(key)
            if value is not None and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
                raise _error(path, f"{here}.{key}", f"{key!r} must be a list of strings")
        own = name(thing)
        if seen.setdefault(own, index) != index:
            raise _error(path, f"{here}.objectId", f"the objectId {own!r} is that of object {seen[own]} too")
        more = extra.get(own)
        full = {**thing, **more} if isinstance(more, Mapping) else thing
        things.append(full)
    if classes is not None and not any(CLASS in thing for thing in things):
        things = [{**_metadata_of(thing, classes), **thing} for thing in things]
    return ObjectWorld(tuple(things), path, where)


def _error(path: str | None, where: str, message: str) -> InputError:
    hint = "AI2-THOR's schema: event.metadata, or its 'objects'"
    return InputError(message, location=Location(path, json_path=where), hint=hint)


def _metadata_of(thing: Thing, classes: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return what AI2-THOR's metadata tell of TEACh's properties: classes, cooked, filled with what."""
    kind = str(thing[TYPE])
    told: dict[str, object] = {CLASS: list(classes.get(kind, (kind,)))}
    liquid = thing.get("fillLiquid") if thing.get("isFilledWithLiquid") else None
    values: tuple[object, ...] = (
        thing.get("isCooked", False), False, liquid == "water", liquid == "coffee",
        thing.get("isPickedUp", False),
    )  # fmt: skip
    told.update(zip(_CUSTOM, values, strict=True))
    return told


def objects_of(things: Iterable[Thing]) -> tuple[str, ...]:
    """Return the ids of objects."""
    return tuple(map(name, things))


# Changes of objects as a task: what TEACh checks at the end of an instance of EDH (from Dialogue History).
#
# Each change becomes a component: some object of the type has the property. The same change of several objects of a
# type becomes one component with their number. It does not matter which objects they are.


Changes = Mapping[str, Mapping[str, object]]
"""Of each object, by id, its changed properties with their new values."""

CHECKED = (
    "isToggled", "isBroken", "isFilledWithLiquid", "isDirty", "isUsedUp", "isCooked", "isOpen", "isPickedUp",
    TYPE, LAST_PARENT, "simbotIsCooked", "simbotIsFilledWithWater", "simbotIsBoiled",
    "simbotIsFilledWithCoffee", "simbotPickedUp",
)  # fmt: skip
"""The properties that are checked; changes of others, such as positions, are not."""

_HIDDEN: Mapping[str, tuple[str, ...]] = {
    "simbotPickedUp": ("isPickedUp",),
    "simbotIsCooked": ("isCooked",),
    "simbotIsFilledWithWater": ("isFilledWithLiquid",),
    "simbotIsFilledWithCoffee": ("isFilledWithLiquid",),
    "simbotIsBoiled": ("isCooked", "simbotIsCooked"),
}
"""Of an object that changed in one property, which others are not checked."""


def type_of_id(object_id: str) -> str:
    """Return the type in an object's id; for a basin or piece, that of the basin or piece."""
    parts = object_id.split("|")
    return parts[0] if len(parts) == 4 else parts[-1].split("_")[0]


def state_changes_task(changes: Changes) -> TeachTask:
    """Return the task that is done once all changes have happened."""
    numbers: dict[str, int] = {}
    conditions: dict[str, tuple[str, str, Value]] = {}
    for object_id, changed in changes.items():
        kind = type_of_id(object_id)
        hidden = {name for prop in changed for name in _HIDDEN.get(prop, ())}
        for prop in CHECKED:
            if prop not in changed or prop in hidden:
                continue
            value = plain_value(changed[prop])
            key = str((kind, prop, value))
            numbers[key] = numbers.get(key, 0) + 1
            if prop == LAST_PARENT and isinstance(value, str):
                value = value.split("|")[0]
            conditions[key] = (kind, prop, value)
    components = tuple(
        AtomicComponent(
            key,
            str(numbers[key]),
            TYPE,
            False,
            tuple({TYPE: kind, prop: value}.items()),
            ((prop, f"A {kind} with {prop} {value} is missing."),),
        )
        for key, (kind, prop, value) in conditions.items()
    )
    return TeachTask(0, "State changes", (), None, "Bring about the changes of state.", components)


def plain_value(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


# The result of a progress check: sub-goals with steps, goal conditions and problem keys, also as JSON.


@dataclass(frozen=True, slots=True)
class ProblemKey:
    """A property of an object that does not have the desired value."""

    object_type: str
    determiner: str
    property_name: str
    desired: Value


@dataclass(frozen=True, slots=True)
class SubgoalStep:
    """A sentence about an object: what is done, or must be done."""

    success: bool
    object_id: str
    object_type: str
    desc: str


ProblemKeys: TypeAlias = tuple[tuple[str, tuple[ProblemKey, ...]], ...]


@dataclass(frozen=True, slots=True)
class TaskSubgoal:
    """The progress of a component or relation.

    Attributes:
        key: The component's key; the tail's for a relation.
        kind: ``atomic``, ``task`` or ``relation``.
        description: The sentence of a sub-task, else empty.
        success: Whether it is done.
        steps: Sentences about objects; of a sub-task only the failing ones.
        problem_keys: Objects with what is wrong with them; None where a relation has no tail at all.
        total: Goal conditions.
        satisfied: Those that hold.
        step_successes: Of a sub-task, which of its own sub-goals are done.
        representative: Of a sub-task, the object it is about.
    """

    key: str
    kind: str
    description: str
    success: bool
    steps: tuple[SubgoalStep, ...]
    problem_keys: ProblemKeys | None
    total: int
    satisfied: int
    step_successes: tuple[bool, ...] | None = None
    representative: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task is done.

    ``satisfied_objects`` and ``candidates`` are those of its anchor; None without one.
    """

    description: str
    success: bool
    subgoals: tuple[TaskSubgoal, ...]
    total: int
    satisfied: int
    satisfied_objects: tuple[str, ...] | None
    candidates: tuple[str, ...] | None


def step_of(thing: Thing, text: str, success: bool) -> SubgoalStep:
    """Return a step about an object."""
    return SubgoalStep(success, name(thing), str(thing[TYPE]), text)


def subgoal_json(subgoal: TaskSubgoal) -> dict[str, JsonValue]:
    """Return a sub-goal as JSON with the keys of TEACh's own progress check."""
    value: dict[str, JsonValue] = {}
    if subgoal.representative is not None:
        value["representative_obj_id"] = subgoal.representative
    if subgoal.step_successes is not None:
        value["step_successes"] = [int(each) for each in subgoal.step_successes]
    value["success"] = int(subgoal.success)
    value["description"] = subgoal.description
    value["steps"] = [
        {"success": int(step.success), "objectId": step.object_id, "objectType": step.object_type, "desc": step.desc}
        for step in subgoal.steps
    ]
    value["problem_keys"] = (
        []
        if subgoal.problem_keys is None
        else {object_id: list(_keys_json(wrong)) for object_id, wrong in subgoal.problem_keys}
    )
    value["goal_conditions_total"] = subgoal.total
    value["goal_conditions_satisfied"] = subgoal.satisfied
    return value


def _keys_json(wrong: Sequence[ProblemKey]) -> Iterator[dict[str, JsonValue]]:
    for key in wrong:
        yield {
            "objectType": key.object_type,
            "determiner": key.determiner,
            "property_name": key.property_name,
            "desired_property_value": key.desired,
        }


def sentences_of(progress: Progress, task: TeachTask) -> tuple[str, ...]:
    """Return in words what each sub-goal asks for: a sub-task, objects with properties, or a relation."""
    relations = iter(task.relations)
    return tuple(
        _describe_relation(next(relations))
        if goal.kind == "relation"
        else goal.description or _describe_goal(task, goal)
        for goal in progress.subgoals
    )


def _describe_goal(task: TeachTask, goal: TaskSubgoal) -> str:
    part = task.component(goal.key)
    if not isinstance(part, AtomicComponent):
        return goal.key
    others = (f"{name} {value}" for name, value in part.conditions if name != part.primary)
    return ", ".join((f"{part.determiner} {part.wanted}", *others))


def _describe_relation(relation: TaskRelation) -> str:
    heads = (f"{number} {key}".removeprefix("a ") for key, number in relation.heads_needed)
    return f"{', '.join(heads)} in {relation.tail_determiner} {relation.tail}"


def progress_json(progress: Progress) -> dict[str, JsonValue]:
    """Return a progress as JSON with the keys of TEACh's own progress check.

    The sentence is there twice: the check calls it ``description``, what the Commander sees ``task_desc``.
    """
    return {
        "task_desc": progress.description,
        "description": progress.description,
        "success": int(progress.success),
        "goal_conditions_total": progress.total,
        "goal_conditions_satisfied": progress.satisfied,
        "satisfied_objects": progress.satisfied_objects,
        "candidate_objects": progress.candidates,
        "subgoals": [subgoal_json(each) for each in progress.subgoals],
    }
