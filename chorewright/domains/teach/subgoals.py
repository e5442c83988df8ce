"""The result of a progress check: sub-goals with steps, goal conditions and problem keys, also as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.domains.teach.definition import AtomicComponent, TaskRelation, TeachTask, Value
from chorewright.domains.teach.world import TYPE, Thing, name
from chorewright.files.json_source import JsonValue


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
    heads = (f"{number} {key}".removeprefix("a ") for key, number in relation.heads if number != "0")
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
