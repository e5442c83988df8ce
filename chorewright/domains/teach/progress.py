"""The progress check: how far a task is done in a simulator's state.

Sub-goals, goal conditions, steps, problem keys and representative objects equal those of TEACh's own check,
including its oddities: a plate may serve several dishes, goal conditions of relations are not capped, and objects
after the last one needed are ignored. ``strict=True`` counts as one would expect (``tdl.strict``). The terms are
those of TEACh, appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from chorewright.domains.teach import definition
from chorewright.domains.teach.strict import in_any, in_one, separable
from chorewright.domains.teach.world import (
    ALIASES,
    TYPE,
    ObjectWorld,
    ProblemKey,
    Progress,
    SubgoalStep,
    TaskSubgoal,
    Thing,
    name,
    objects_of,
    progress_json,
    step_of,
    subgoal_json,
)
from chorewright.errors import InputError

PIECES = ("Sliced", "Cracked")
"""What the classes and types of pieces have in their names besides those of the whole."""

__all__ = ["ProblemKey", "Progress", "SubgoalStep", "TaskSubgoal", "check", "is_whole", "progress_json", "subgoal_json"]


def check(
    task: definition.TeachTask,
    world: ObjectWorld,
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
        """The objects that relations consider: also candidates, but not those of sub-tasks."""
        return self.satisfied + self.candidates if self.atomic else self.satisfied


class _Checker:
    """Checks tasks in one state."""

    def __init__(self, world: ObjectWorld, distances: Mapping[str, float]) -> None:
        self.world = world
        self.distances = distances
        self._primary_things: dict[_Condition, tuple[Thing, ...]] = {}
        self._of_type: dict[object, list[int]] = {}
        self._possible_things: dict[_Condition, tuple[Thing, ...]] = {}

    def task(self, task: definition.TeachTask, instances: int) -> tuple[Progress, _Found | None]:
        found: dict[str, _Found] = {}
        subgoals: list[TaskSubgoal] = []
        for part in task.parts_needed:
            number = part.number(instances)
            if isinstance(part, definition.TaskComponent):
                subgoal, objects = self._subtask(part, number)
            elif part.determiner == "all":
                subgoal, objects = self._all(part)
            else:
                subgoal, objects = self._some(part, number)
            found[part.key] = objects
            if part.determiner != "all" or not subgoal.success or subgoal.steps:
                subgoals.append(subgoal)
        subgoals += [self._relation(relation, found, instances) for relation in task.relations]
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

    def _subtask(self, part: definition.TaskComponent, number: int) -> tuple[TaskSubgoal, _Found]:
        progress, anchor = self.task(part.task, number)
        steps = [step for each in progress.subgoals for step in each.steps]
        keys: dict[str, tuple[ProblemKey, ...]] = {}
        for each in progress.subgoals:
            for object_id, wrong in each.problem_keys or ():
                keys[object_id] = keys.get(object_id, ()) + wrong
        prefix = f"{part.determiner} x " if part.determiner != "a" else ""
        subgoal = TaskSubgoal(
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

    def _all(self, part: definition.AtomicComponent) -> tuple[TaskSubgoal, _Found]:
        concerned = self._meeting_primary(part)
        satisfied = [thing for thing in concerned if self._all_hold(part, thing)]
        problems = [thing for thing in concerned if not self._all_hold(part, thing)]
        total = len(part.conditions) * len(concerned)
        met = len(part.conditions) * len(satisfied) + sum(self._met(part, thing) for thing in problems)
        return (
            self._atomic(part, problems, satisfied[:1], total, met, not problems),
            _Found(tuple(satisfied), tuple(problems), True),
        )

    def _some(self, part: definition.AtomicComponent, number: int) -> tuple[TaskSubgoal, _Found]:
        satisfied: list[Thing] = []
        candidates: list[Thing] = []
        wanted = number
        for thing in self._possible(part):
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
        subgoal = self._atomic(part, problems, (satisfied or candidates)[:1], total, met, len(satisfied) >= number)
        return subgoal, _Found(tuple(satisfied), tuple(candidates), True)

    def _atomic(
        self,
        part: definition.AtomicComponent,
        problems: Sequence[Thing],
        example: Sequence[Thing],
        total: int,
        met: int,
        success: bool,
    ) -> TaskSubgoal:
        wanted = dict(part.conditions)
        steps: list[SubgoalStep] = []
        for prop, text in part.failures:
            failing = [thing for thing in problems if not self.world.holds(thing, prop, wanted[prop])]
            steps += [step_of(thing, text, False) for thing in failing]
            if not failing:
                steps += [step_of(thing, text, True) for thing in example]
        keys = []
        for thing in problems:
            wrong = tuple(
                ProblemKey(str(thing[TYPE]), part.determiner, prop, value)
                for prop, value in part.conditions
                if not self.world.holds(thing, prop, value)
            )
            if wrong:
                keys.append((name(thing), wrong))
        return TaskSubgoal(part.key, "atomic", "", success, tuple(steps), tuple(keys), total, met)

    def _primary(self, part: definition.AtomicComponent, thing: Thing) -> bool:
        return self.world.holds(thing, part.primary, part.wanted)

    def _meeting_primary(self, part: definition.AtomicComponent) -> tuple[Thing, ...]:
        """Return the objects that meet a component's primary condition; components of several tasks share these."""
        key = _primary_condition(part)
        if key not in self._primary_things:
            things = self._named(part.wanted) if part.primary == TYPE else self.world.things
            self._primary_things[key] = tuple(thing for thing in things if self._primary(part, thing))
        return self._primary_things[key]

    def _named(self, *types: definition.Value) -> list[Thing]:
        """Return the objects of some types, and of those that count as one with them, in the world's order."""
        if not self._of_type:
            for place, thing in enumerate(self.world.things):
                self._of_type.setdefault(thing.get(TYPE), []).append(place)
        names = {*types, *(ALIASES.get(name) for name in types if isinstance(name, str))}
        places = sorted(place for name in names for place in self._of_type.get(name, ()))
        return [self.world.things[place] for place in places]

    def _possible(self, part: definition.AtomicComponent) -> tuple[Thing, ...]:
        """Return the objects that may satisfy a component now or, cut up, later."""
        things, wanted = self.world.things, part.wanted
        if not isinstance(wanted, str) or not any(word in wanted for word in PIECES):
            return self._meeting_primary(part)
        key = _primary_condition(part)
        if key not in self._possible_things:
            if part.primary == TYPE:
                things = tuple(self._named(wanted, *(wanted.replace(word, "") for word in PIECES if word in wanted)))
            told = all(part.primary in thing for thing in things)
            self._possible_things[key] = tuple(thing for thing in things if not told or self._might(part, thing))
        return self._possible_things[key]

    def _all_hold(self, part: definition.AtomicComponent, thing: Thing) -> bool:
        return all(self.world.holds(thing, prop, value) for prop, value in part.conditions)

    def _met(self, part: definition.AtomicComponent, thing: Thing) -> int:
        return sum(self.world.holds(thing, prop, value) for prop, value in part.conditions)

    def _might(self, part: definition.AtomicComponent, thing: Thing) -> bool:
        """Whether an object might come to satisfy a component: a whole stands for its slices."""
        return self._primary(part, thing) or is_whole(part, thing, self.world)

    def _yields(self, part: definition.AtomicComponent, thing: Thing) -> bool:
        """Whether a candidate lacks nothing but being sliced."""
        others = (pair for pair in part.conditions if pair[0] != part.primary)
        return "Sliced" in str(part.wanted) and all(self.world.holds(thing, prop, value) for prop, value in others)

    def _relation(self, relation: definition.TaskRelation, found: Mapping[str, _Found], instances: int) -> TaskSubgoal:
        heads = [(determiner, found[key].visible) for key, determiner in relation.heads_needed]
        tails = found[relation.tail].visible
        total = sum(
            instances * (len(things) if determiner == "all" else definition.count(determiner))
            for determiner, things in heads
        )
        if not tails:
            return TaskSubgoal(relation.tail, "relation", "", False, (), None, total, 0)
        parents = {name(thing): frozenset(self.world.parents(thing)) for _, things in heads for thing in things}
        if relation.tail_determiner == "a":
            return in_any(relation, heads, tails, parents, instances, total)
        return in_one(relation, heads, tails, parents, instances, total)


_Condition: TypeAlias = tuple[str, str, definition.Value]
"""A property, and what it is wanted to be; 1 and true ask for different things."""


def _primary_condition(part: definition.AtomicComponent) -> _Condition:
    return part.primary, type(part.wanted).__name__, part.wanted


def is_whole(part: definition.AtomicComponent, thing: Thing, world: ObjectWorld) -> bool:
    """Whether slicing or cracking an object yields objects for a component.

    Raises:
        InputError: The object lacks the property that tells.
    """
    wanted = part.wanted
    for word in PIECES:
        if isinstance(wanted, str) and word in wanted:
            if part.primary not in thing:
                message = f"the object {name(thing)} has no {part.primary!r}, by which {wanted!r} is looked for"
                raise InputError(message, location=world.location(thing))
            if thing[part.primary] == wanted.replace(word, ""):
                return True
    return False


def _representative(progress: Progress, steps: Sequence[SubgoalStep]) -> str:
    """Return the object that a sub-task is about."""
    for objects in (progress.candidates if not progress.success else (), progress.satisfied_objects):
        if objects:
            return objects[0]
    if progress.candidates:
        return progress.candidates[0]
    done = [step for step in steps if step.success]
    return (done[0] if done else steps[-1]).object_id if steps else ""


# Whether a room has what a task needs: the objects of its components, or what they are made of.


DIRTY = "isDirty"


def missing(
    task: definition.TeachTask, world: ObjectWorld, instances: int = 1, *, copies: bool = False
) -> tuple[str, ...]:
    """Return in words what objects a state lacks for a task; nothing if it has all.

    Of each component only the primary condition counts; a loaf stands for all its slices, an egg for one
    cracked egg; relations are left out.

    ``copies``: a thing that can be carried stands for as many of its kind as are needed, as start states have
    several of what a room has once.
    """
    reasons: dict[str, None] = {}
    for part in task.parts_needed:
        number = part.number(instances)
        if isinstance(part, definition.TaskComponent):
            reasons.update(dict.fromkeys(missing(part.task, world, number, copies=copies)))
        elif (found := _count_things(part, world, number, copies)) < (number if part.determiner != "all" else 1):
            there = f"only {found} of {number}" if found else "no"
            reasons[f"there is {there} {part.wanted}"] = None
    return tuple(reasons)


def obstacles(task: definition.TeachTask, world: ObjectWorld) -> tuple[str, ...]:
    """Return in words the things that the task wants moved or washed with all of their kind, but nobody can carry.

    TEACh's preconditions do not look for such; in a state that has them the task cannot be done.
    """
    reasons: dict[str, None] = {}
    for each in task.walk():
        for part in each.components:
            clean = dict(part.conditions).get(DIRTY) if isinstance(part, definition.AtomicComponent) else None
            if isinstance(part, definition.AtomicComponent) and part.determiner == "all" and clean is not None:
                for thing in _yield_fixed(part, world):
                    if not world.holds(thing, DIRTY, clean):
                        reasons[f"the {thing[TYPE]} cannot be washed"] = None
        for relation in each.relations:
            tail = each.component(relation.tail)
            if not isinstance(tail, definition.AtomicComponent):
                continue
            places = {name(thing) for thing in world.things if world.holds(thing, tail.primary, tail.wanted)}
            for key in (key for key, determiner in relation.heads if determiner == "all"):
                for thing in _yield_fixed(each.component(key), world):
                    if places.isdisjoint(world.parents(thing)):
                        reasons[f"the {thing[TYPE]} cannot be moved to a {tail.wanted}"] = None
    return tuple(reasons)


def _yield_fixed(part: definition.Component | None, world: ObjectWorld) -> Iterator[Thing]:
    """Yield the things of an atomic component that cannot be carried."""
    if isinstance(part, definition.AtomicComponent):
        for thing in world.things:
            if world.holds(thing, part.primary, part.wanted) and not thing.get("pickupable"):
                yield thing


def _count_things(part: definition.AtomicComponent, world: ObjectWorld, number: int, copies: bool) -> int:
    """Return how many objects a component has; a whole that can be sliced counts as many as are needed."""
    things = [thing for thing in world.things if world.holds(thing, part.primary, part.wanted)]
    own = len(things)
    if copies and any(thing.get("pickupable") for thing in things):
        return max(own, number)
    wholes = sum(
        not world.holds(thing, part.primary, part.wanted) and is_whole(part, thing, world) for thing in world.things
    )
    if wholes and (copies or "Sliced" in str(part.wanted)):
        return max(own, number)
    return own + wholes
