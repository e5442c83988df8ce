"""Progress of relations: how many heads lie in any tail (``a``), or all in the same one (``the``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.domains.teach.subgoals import ProblemKey, Step, Subgoal, step_of
from chorewright.domains.teach.tasks import Relation, count
from chorewright.domains.teach.world import PARENTS, TYPE, Thing, name

Heads: TypeAlias = Sequence[tuple[str, tuple[Thing, ...]]]
Parents: TypeAlias = Mapping[str, frozenset[str]]


def in_any(
    relation: Relation, heads: Heads, tails: Sequence[Thing], parents: Parents, instances: int, total: int
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
            steps.append(step_of(thing, relation.failure, False))
            key = ProblemKey(str(thing[TYPE]), determiner, PARENTS, desired)
            keys[name(thing)] = (*keys.get(name(thing), ()), key)
    if success and not steps:
        steps += [step_of(thing, relation.failure, True) for thing in examples[:1]]
    return Subgoal(relation.tail, "relation", "", success, tuple(steps), tuple(keys.items()), total, satisfied)


@dataclass(frozen=True, slots=True)
class _Tail:
    """How far one tail holds what it should: heads with enough, objects of them, and what is missing."""

    thing: Thing
    heads: int
    objects: int
    missing: tuple[tuple[str, Thing], ...]


def in_one(
    relation: Relation, heads: Heads, tails: Sequence[Thing], parents: Parents, instances: int, total: int
) -> Subgoal:
    """Return the progress of a relation whose heads must share one tail object, a different one for each instance."""
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
            steps.append(step_of(thing, relation.failure, False))
            key = ProblemKey(str(thing[TYPE]), determiner, PARENTS, str(tail.thing[TYPE]))
            keys[name(thing)] = (*keys.get(name(thing), ()), key)
    satisfied = sum(tail.objects for tail in (*full, *best))
    success = lacking <= 0
    return Subgoal(relation.tail, "relation", "", success, tuple(steps), tuple(keys.items()), total, satisfied)


def _filled(thing: Thing, heads: Heads, parents: Parents) -> _Tail:
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
    """Insert a tail before the first with fewer heads or fewer objects; keep only the given number of tails."""
    for place, other in enumerate(partial):
        if other.heads < tail.heads or other.objects < tail.objects:
            partial.insert(place, tail)
            break
    else:
        partial.append(tail)
    del partial[most:]
