"""The progress check: how far a task is done in a simulator's state.

Sub-goals, goal conditions, steps, problem keys and representative objects come out as those of TEACh's own
check, with its oddities: a plate may serve several dishes, goal conditions of relations are not capped, and
what comes behind the last object needed is not looked at. ``strict=True`` counts as one would expect instead
(``tdl.strict``). Words: TEACh, appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from chorewright.domains.tdl.json_source import JsonValue
from chorewright.domains.tdl.tasks import AtomicComponent, Relation, Task, TaskComponent, Value, count, needed
from chorewright.domains.tdl.world import PARENTS, TYPE, Thing, World, name, objects_of
from chorewright.errors import InputError


@dataclass(frozen=True, slots=True)
class ProblemKey:
    """What is wrong with an object: which property is not as desired."""

    object_type: str
    determiner: str
    property_name: str
    desired: Value


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence about an object: what is done, or is to be done."""

    success: bool
    object_id: str
    object_type: str
    desc: str


ProblemKeys: TypeAlias = tuple[tuple[str, tuple[ProblemKey, ...]], ...]


@dataclass(frozen=True, slots=True)
class Subgoal:
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
    steps: tuple[Step, ...]
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
    subgoals: tuple[Subgoal, ...]
    total: int
    satisfied: int
    satisfied_objects: tuple[str, ...] | None
    candidates: tuple[str, ...] | None


def check(
    task: Task,
    world: World,
    instances: int = 1,
    *,
    strict: bool = False,
    distances: Mapping[str, float] | None = None,
) -> Progress:
    """Return a task's progress.

    Args:
        task: The task, its parameters filled in.
        world: The state.
        instances: How many of the task are wanted.
        strict: Each dish has its own plate, slices and so on, and no more goal conditions are satisfied than
            there are. Success is then never easier than without.
        distances: Of objects to the agent, by id: the nearer of otherwise equal candidates comes first.

    Raises:
        InputError: The last parents of an object go in a circle.
    """
    progress = _Checker(world, distances or {}).task(task, instances)[0]
    if not strict:
        return progress
    from chorewright.domains.tdl.strict import separable

    subgoals = tuple(replace(each, satisfied=min(each.satisfied, each.total)) for each in progress.subgoals)
    return replace(
        progress,
        success=progress.success and separable(task, world, instances),
        subgoals=subgoals,
        satisfied=sum(each.satisfied for each in subgoals),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The objects of a component: which satisfy it, and which might come to."""

    satisfied: tuple[Thing, ...]
    candidates: tuple[Thing, ...]
    atomic: bool

    @property
    def visible(self) -> tuple[Thing, ...]:
        """What relations see: candidates too, but not those of sub-tasks."""
        return self.satisfied + self.candidates if self.atomic else self.satisfied


class _Checker:
    """Checks tasks in one state."""

    def __init__(self, world: World, distances: Mapping[str, float]) -> None:
        self.world = world
        self.distances = distances

    def task(self, task: Task, instances: int) -> tuple[Progress, _Found | None]:
        found: dict[str, _Found] = {}
        subgoals: list[Subgoal] = []
        for part in task.components:
            if not needed(part.determiner):
                continue
            number = part.number(instances)
            if isinstance(part, TaskComponent):
                subgoal, objects = self._subtask(part, number)
            elif part.determiner == "all":
                subgoal, objects = self._all(part)
            else:
                subgoal, objects = self._some(part, number)
            found[part.key] = objects
            if part.determiner != "all" or not subgoal.success or subgoal.steps:
                subgoals.append(subgoal)
        for relation in task.relations:
            subgoals.append(self._relation(relation, found, instances))
        anchor = found.get(task.anchor) if task.anchor is not None else None
        progress = Progress(
            task.desc,
            all(each.success for each in subgoals),
            tuple(subgoals),
            sum(each.total for each in subgoals),
            sum(each.satisfied for each in subgoals),
            objects_of(anchor.satisfied) if anchor else None,
            objects_of(anchor.candidates) if anchor else None,
        )
        return progress, anchor

    def _subtask(self, part: TaskComponent, number: int) -> tuple[Subgoal, _Found]:
        progress, anchor = self.task(part.task, number)
        steps = [step for each in progress.subgoals for step in each.steps]
        keys: dict[str, tuple[ProblemKey, ...]] = {}
        for each in progress.subgoals:
            for object_id, wrong in each.problem_keys or ():
                keys[object_id] = keys.get(object_id, ()) + wrong
        prefix = f"{part.determiner} x " if part.determiner != "a" else ""
        subgoal = Subgoal(
            part.key,
            "task",
            prefix + progress.description,
            progress.success,
            tuple(step for step in steps if not step.success),
            tuple(keys.items()),
            progress.total,
            progress.satisfied,
            tuple(each.success for each in progress.subgoals),
            _representative(progress, steps),
        )
        objects = _Found(anchor.satisfied, anchor.candidates, False) if anchor else _Found((), (), False)
        return subgoal, objects

    def _all(self, part: AtomicComponent) -> tuple[Subgoal, _Found]:
        concerned = [thing for thing in self.world.things if self._primary(part, thing)]
        satisfied = [thing for thing in concerned if self._all_hold(part, thing)]
        problems = [thing for thing in concerned if not self._all_hold(part, thing)]
        total = len(part.conditions) * len(concerned)
        met = len(part.conditions) * len(satisfied) + sum(self._met(part, thing) for thing in problems)
        return (
            self._atomic(part, problems, satisfied[:1], total, met, not problems),
            _Found(tuple(satisfied), tuple(problems), True),
        )

    def _some(self, part: AtomicComponent, number: int) -> tuple[Subgoal, _Found]:
        satisfied: list[Thing] = []
        candidates: list[Thing] = []
        wanted = number
        for thing in self.world.things:
            if self._all_hold(part, thing):
                satisfied.append(thing)
            elif len(satisfied) < number and self._might(part, thing):
                candidates.append(thing)
                if self._yields(part, thing):
                    wanted = 1  # one loaf gives all the slices
        candidates.sort(key=lambda thing: (-self._met(part, thing), self.distances.get(name(thing), 0.0)))
        problems = candidates[: max(0, wanted - len(satisfied))]
        total = len(part.conditions) * number
        met = len(part.conditions) * min(number, len(satisfied))
        met += sum(self._met(part, thing) for thing in problems)
        subgoal = self._atomic(
            part, problems, (satisfied or candidates)[:1], total, met, len(satisfied) >= number
        )
        return subgoal, _Found(tuple(satisfied), tuple(candidates), True)

    def _atomic(
        self,
        part: AtomicComponent,
        problems: Sequence[Thing],
        example: Sequence[Thing],
        total: int,
        met: int,
        success: bool,
    ) -> Subgoal:
        wanted = dict(part.conditions)
        steps: list[Step] = []
        for prop, text in part.failures:
            failing = [thing for thing in problems if not self.world.holds(thing, prop, wanted[prop])]
            steps += [_step(thing, text, False) for thing in failing]
            if not failing:
                steps += [_step(thing, text, True) for thing in example]
        keys = []
        for thing in problems:
            wrong = tuple(
                ProblemKey(str(thing[TYPE]), part.determiner, prop, value)
                for prop, value in part.conditions
                if not self.world.holds(thing, prop, value)
            )
            if wrong:
                keys.append((name(thing), wrong))
        return Subgoal(part.key, "atomic", "", success, tuple(steps), tuple(keys), total, met)

    def _primary(self, part: AtomicComponent, thing: Thing) -> bool:
        return self.world.holds(thing, part.primary, part.wanted)

    def _all_hold(self, part: AtomicComponent, thing: Thing) -> bool:
        return all(self.world.holds(thing, prop, value) for prop, value in part.conditions)

    def _met(self, part: AtomicComponent, thing: Thing) -> int:
        return sum(self.world.holds(thing, prop, value) for prop, value in part.conditions)

    def _might(self, part: AtomicComponent, thing: Thing) -> bool:
        """Whether an object might come to satisfy a component: a whole stands for its slices."""
        return self._primary(part, thing) or is_whole(part, thing, self.world)

    def _yields(self, part: AtomicComponent, thing: Thing) -> bool:
        """Whether a candidate lacks nothing but being sliced."""
        others = (pair for pair in part.conditions if pair[0] != part.primary)
        return "Sliced" in str(part.wanted) and all(
            self.world.holds(thing, prop, value) for prop, value in others
        )

    def _relation(self, relation: Relation, found: Mapping[str, _Found], instances: int) -> Subgoal:
        heads = [(determiner, found[key].visible) for key, determiner in relation.heads if needed(determiner)]
        tails = found[relation.tail].visible
        total = sum(
            instances * (len(things) if determiner == "all" else count(determiner))
            for determiner, things in heads
        )
        if not tails:
            return Subgoal(relation.tail, "relation", "", False, (), None, total, 0)
        parents = {
            name(thing): frozenset(self.world.parents(thing)) for _, things in heads for thing in things
        }
        if relation.tail_determiner == "a":
            return _in_any(relation, heads, tails, parents, instances, total)
        return _in_one(relation, heads, tails, parents, instances, total)


_Heads: TypeAlias = Sequence[tuple[str, tuple[Thing, ...]]]
_Parents: TypeAlias = Mapping[str, frozenset[str]]


def _in_any(
    relation: Relation, heads: _Heads, tails: Sequence[Thing], parents: _Parents, instances: int, total: int
) -> Subgoal:
    """Return the progress of a relation whose tail may be any object of its component."""
    places = {name(tail) for tail in tails}
    desired = str(tails[0][TYPE])
    success, satisfied = True, 0
    examples: list[Thing] = []
    steps: list[Step] = []
    keys: dict[str, tuple[ProblemKey, ...]] = {}
    for determiner, things in heads:
        inside = [thing for thing in things if parents[name(thing)] & places]
        outside = [thing for thing in things if not parents[name(thing)] & places]
        lacking = len(outside) if determiner == "all" else instances * count(determiner) - len(inside)
        success = success and lacking <= 0
        satisfied += len(inside)
        examples += inside[:1]
        for thing in outside[: max(0, lacking)]:
            steps.append(_step(thing, relation.failure, False))
            key = ProblemKey(str(thing[TYPE]), determiner, PARENTS, desired)
            keys[name(thing)] = (*keys.get(name(thing), ()), key)
    if success and not steps:
        steps += [_step(thing, relation.failure, True) for thing in examples[:1]]
    return Subgoal(
        relation.tail, "relation", "", success, tuple(steps), tuple(keys.items()), total, satisfied
    )


@dataclass(frozen=True, slots=True)
class _Tail:
    """How far one tail holds what it should: heads with enough, objects of them, and what is missing."""

    thing: Thing
    heads: int
    objects: int
    missing: tuple[tuple[str, Thing], ...]


def _in_one(
    relation: Relation, heads: _Heads, tails: Sequence[Thing], parents: _Parents, instances: int, total: int
) -> Subgoal:
    """Return the progress of a relation whose heads must share one tail object (each instance its own)."""
    full: list[_Tail] = []
    partial: list[_Tail] = []
    for thing in tails:
        tail = _filled(thing, heads, parents)
        if tail.heads == len(heads):
            full.append(tail)
        else:
            _keep_best(partial, tail, instances - len(full))
        if len(full) == instances:
            break
    lacking = instances - len(full)
    best = partial[:lacking]
    steps: list[Step] = []
    keys: dict[str, tuple[ProblemKey, ...]] = {}
    for tail in best:
        for determiner, thing in tail.missing:
            steps.append(_step(thing, relation.failure, False))
            key = ProblemKey(str(thing[TYPE]), determiner, PARENTS, str(tail.thing[TYPE]))
            keys[name(thing)] = (*keys.get(name(thing), ()), key)
    satisfied = sum(tail.objects for tail in (*full, *best))
    success = lacking <= 0
    return Subgoal(
        relation.tail, "relation", "", success, tuple(steps), tuple(keys.items()), total, satisfied
    )


def _filled(thing: Thing, heads: _Heads, parents: _Parents) -> _Tail:
    enough = objects = 0
    missing: list[tuple[str, Thing]] = []
    for determiner, things in heads:
        wanted = len(things) if determiner == "all" else count(determiner)
        inside = [each for each in things if name(thing) in parents[name(each)]]
        outside = [each for each in things if name(thing) not in parents[name(each)]]
        objects += min(wanted, len(inside))
        enough += len(inside) >= wanted
        missing += [(determiner, each) for each in outside[: max(0, wanted - len(inside))]]
    return _Tail(thing, enough, objects, tuple(missing))


def _keep_best(partial: list[_Tail], tail: _Tail, most: int) -> None:
    """Put a tail before the first that has fewer heads or fewer objects, and keep so many."""
    for place, other in enumerate(partial):
        if other.heads < tail.heads or other.objects < tail.objects:
            partial.insert(place, tail)
            break
    else:
        partial.append(tail)
    del partial[most:]


def is_whole(part: AtomicComponent, thing: Thing, world: World) -> bool:
    """Whether slicing or cracking an object gives what a component is about.

    Raises:
        InputError: The object lacks the property that tells.
    """
    wanted = part.wanted
    for word in ("Sliced", "Cracked"):
        if isinstance(wanted, str) and word in wanted:
            if part.primary not in thing:
                message = (
                    f"the object {name(thing)} has no {part.primary!r}, by which {wanted!r} is looked for"
                )
                raise InputError(message, location=world.location(thing))
            if thing[part.primary] == wanted.replace(word, ""):
                return True
    return False


def _step(thing: Thing, text: str, success: bool) -> Step:
    return Step(success, name(thing), str(thing[TYPE]), text)


def _representative(progress: Progress, steps: Sequence[Step]) -> str:
    """Return the object that a sub-task is about."""
    for objects in (progress.candidates if not progress.success else (), progress.satisfied_objects):
        if objects:
            return objects[0]
    if progress.candidates:
        return progress.candidates[0]
    done = [step for step in steps if step.success]
    return (done[0] if done else steps[-1]).object_id if steps else ""


def subgoal_json(subgoal: Subgoal) -> dict[str, JsonValue]:
    """Return a sub-goal in the words of TEACh's own progress check."""
    value: dict[str, JsonValue] = {}
    if subgoal.representative is not None:
        value["representative_obj_id"] = subgoal.representative
    if subgoal.step_successes is not None:
        value["step_successes"] = [int(each) for each in subgoal.step_successes]
    value["success"] = int(subgoal.success)
    value["description"] = subgoal.description
    value["steps"] = [
        {
            "success": int(step.success),
            "objectId": step.object_id,
            "objectType": step.object_type,
            "desc": step.desc,
        }
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


def progress_json(progress: Progress) -> dict[str, JsonValue]:
    """Return a progress as JSON, in the words of TEACh's own progress check."""
    return {
        "task_desc": progress.description,
        "success": int(progress.success),
        "goal_conditions_total": progress.total,
        "goal_conditions_satisfied": progress.satisfied,
        "subgoals": [subgoal_json(each) for each in progress.subgoals],
    }
