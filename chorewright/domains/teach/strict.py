"""Strict counting: in a finished task, each dish has its own plate and its own slices.

TEACh's check counts one object for all components that it fits. Here every component that is not shareable takes
objects of its own, and the objects of a relation with ``the`` form one dish. A depth-first search finds an
assignment; components with the fewest objects come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.teach import definition
from chorewright.domains.teach.world import PARENTS, TYPE, ObjectWorld, ProblemKey, TaskSubgoal, Thing, name, step_of
from chorewright.errors import LimitError

MOST_STEPS = 200_000
"""Objects tried in one search."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A place for one object, and the objects that may take it."""

    part: definition.AtomicComponent
    objects: tuple[str, ...]


@dataclass(slots=True)
class Seating:
    """The seats of a task's objects, and which objects must lie in which.

    ``within`` has pairs of seats, ``among`` a seat and the objects in one of which its object must lie.
    """

    seats: list[Seat] = field(default_factory=list)
    within: list[tuple[int, int]] = field(default_factory=list)
    among: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    possible: bool = True


def separable(task: definition.TeachTask, world: ObjectWorld, instances: int = 1) -> bool:
    """Return whether a task is done with objects that no two of its components share.

    Raises:
        LimitError: There are too many ways to tell.
    """
    seating = Seating()
    _seat(task, world, instances, seating)
    return seating.possible and _Search(seating, world).found()


def _seat(task: definition.TeachTask, world: ObjectWorld, instances: int, seating: Seating) -> list[int]:
    """Seat the objects of a task; return the seats of its anchors."""
    seats: dict[str, list[int]] = {}
    for part in task.parts_needed:
        number = part.number(instances)
        if isinstance(part, definition.TaskComponent):
            seats[part.key] = _seat(part.task, world, number, seating)
        elif part.determiner == "all" or part.shareable:
            seats[part.key] = []  # the progress check sees to these
        else:
            objects = _satisfying(part, world)
            seats[part.key] = list(range(len(seating.seats), len(seating.seats) + number))
            seating.seats += [Seat(part, objects)] * number
    for relation in task.relations:
        tails = seats[relation.tail]
        anchor = task.anchors(relation.tail)
        places = _satisfying(anchor, world) if anchor is not None else ()
        for key, determiner in relation.heads_needed:
            heads = seats.get(key, []) if determiner != "all" else []
            size = definition.count(determiner)
            for place, head in enumerate(heads[: instances * size]):
                if relation.tail_determiner == "the" and tails:
                    seating.within.append((head, tails[min(place // max(size, 1), len(tails) - 1)]))
                else:
                    seating.among.append((head, places))
    return seats.get(task.anchor, []) if task.anchor is not None else []


def _satisfying(part: definition.AtomicComponent, world: ObjectWorld) -> tuple[str, ...]:
    return tuple(
        name(thing) for thing in world.things if all(world.holds(thing, prop, value) for prop, value in part.conditions)
    )


class _Search:
    """Finds an object for every seat, no object twice."""

    def __init__(self, seating: Seating, world: ObjectWorld) -> None:
        self.seating = seating
        self.parents = {name(thing): frozenset(world.parents(thing)) for thing in world.things}
        self.taken: dict[int, str] = {}
        self.used: set[str] = set()
        self.steps = 0
        tails = {tail for _, tail in seating.within}
        self.order = sorted(
            range(len(seating.seats)), key=lambda seat: (seat not in tails, len(seating.seats[seat].objects), seat)
        )

    def found(self, place: int = 0) -> bool:
        if place == len(self.order):
            return True
        seat = self.order[place]
        for object_id in self._open(seat, self.order[:place]):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise LimitError(f"more than {MOST_STEPS} ways to tell the objects of this task apart")
            self.taken[seat] = object_id
            self.used.add(object_id)
            if self.found(place + 1):
                return True
            self.used.discard(object_id)
            del self.taken[seat]
        return False

    def _open(self, seat: int, before: Sequence[int]) -> Iterator[str]:
        """Yield the objects that a seat may take; of equal seats the later takes the later object."""
        objects = self.seating.seats[seat].objects
        start = 0
        bonds = self._bonds(seat)
        for other in before:
            same = self.seating.seats[other] is self.seating.seats[seat] and self._bonds(other) == bonds
            if same and all(tail != seat for _, tail in self.seating.within):
                start = max(start, objects.index(self.taken[other]) + 1)
        for object_id in objects[start:]:
            if object_id not in self.used and self._fits(seat, object_id):
                yield object_id

    def _bonds(self, seat: int) -> tuple[object, ...]:
        return (
            tuple(tail for head, tail in self.seating.within if head == seat),
            tuple(places for head, places in self.seating.among if head == seat),
        )

    def _fits(self, seat: int, object_id: str) -> bool:
        parents = self.parents[object_id]
        for head, tail in self.seating.within:
            if head == seat and tail in self.taken and self.taken[tail] not in parents:
                return False
            if tail == seat and head in self.taken and object_id not in self.parents[self.taken[head]]:
                return False
        return all(head != seat or not parents.isdisjoint(places) for head, places in self.seating.among)


# Progress of relations: how many heads lie in any tail (``a``), or all in the same one (``the``).


Heads: TypeAlias = Sequence[tuple[str, tuple[Thing, ...]]]
Parents: TypeAlias = Mapping[str, frozenset[str]]


def in_any(
    relation: definition.TaskRelation,
    heads: Heads,
    tails: Sequence[Thing],
    parents: Parents,
    instances: int,
    total: int,
) -> TaskSubgoal:
    """Return the progress of a relation whose tail may be any object of its component."""
    places = {name(tail) for tail in tails}
    desired = str(tails[0][TYPE])
    success, satisfied = True, 0
    examples: list[Thing] = []
    wrong: list[_Wrong] = []
    for determiner, things in heads:
        inside = [thing for thing in things if parents[name(thing)] & places]
        outside = [thing for thing in things if not parents[name(thing)] & places]
        lacking = len(outside) if determiner == "all" else instances * definition.count(determiner) - len(inside)
        success = success and lacking <= 0
        satisfied += len(inside)
        examples += inside[:1]
        wrong += [(thing, determiner, desired) for thing in outside[: max(0, lacking)]]
    return _subgoal(relation, success, wrong, examples[:1], total, satisfied)


_Wrong: TypeAlias = tuple[Thing, str, str]
"""A head that lies elsewhere, its determiner, and the type of what it should lie in."""


def _subgoal(
    relation: definition.TaskRelation,
    success: bool,
    wrong: Sequence[_Wrong],
    examples: Sequence[Thing],
    total: int,
    satisfied: int,
) -> TaskSubgoal:
    """Return the progress of a relation; where nothing is wrong, a step names the examples."""
    steps = [step_of(thing, relation.failure, False) for thing, _, _ in wrong]
    keys: dict[str, tuple[ProblemKey, ...]] = {}
    for thing, determiner, desired in wrong:
        key = ProblemKey(str(thing[TYPE]), determiner, PARENTS, desired)
        keys[name(thing)] = (*keys.get(name(thing), ()), key)
    if success and not steps:
        steps += [step_of(thing, relation.failure, True) for thing in examples]
    return TaskSubgoal(relation.tail, "relation", "", success, tuple(steps), tuple(keys.items()), total, satisfied)


@dataclass(frozen=True, slots=True)
class _Tail:
    """How far one tail holds what it should: heads with enough, objects of them, and what is missing."""

    thing: Thing
    heads: int
    objects: int
    missing: tuple[tuple[str, Thing], ...]


def in_one(
    relation: definition.TaskRelation,
    heads: Heads,
    tails: Sequence[Thing],
    parents: Parents,
    instances: int,
    total: int,
) -> TaskSubgoal:
    """Return the progress of a relation whose heads must share one tail object, a different one for each instance."""
    full: list[_Tail] = []
    partial: list[_Tail] = []
    for thing in tails:
        tail = _fill_tail(thing, heads, parents)
        if tail.heads == len(heads):
            full.append(tail)
        else:
            _keep_best(partial, tail, instances - len(full))
        if len(full) == instances:
            break
    lacking = instances - len(full)
    best = partial[:lacking]
    wrong = [(thing, determiner, str(tail.thing[TYPE])) for tail in best for determiner, thing in tail.missing]
    return _subgoal(relation, lacking <= 0, wrong, (), total, sum(tail.objects for tail in (*full, *best)))


def _fill_tail(thing: Thing, heads: Heads, parents: Parents) -> _Tail:
    enough = objects = 0
    missing: list[tuple[str, Thing]] = []
    for determiner, things in heads:
        wanted = len(things) if determiner == "all" else definition.count(determiner)
        inside = [each for each in things if name(thing) in parents[name(each)]]
        outside = [each for each in things if name(thing) not in parents[name(each)]]
        objects += min(wanted, len(inside))
        enough += len(inside) >= wanted
        missing += [(determiner, each) for each in outside[: max(0, wanted - len(inside))]]
    return _Tail(thing, enough, objects, tuple(missing))


def _keep_best(partial: list[_Tail], tail: _Tail, most: int) -> None:
    """Insert a tail before the first with fewer heads or fewer objects; keep only the given number of tails."""
    for place, other in enumerate(partial):
        if other.heads < tail.heads or other.objects < tail.objects:
            partial.insert(place, tail)
            break
    else:
        partial.append(tail)
    del partial[most:]
