"""Pairs: the values of two groups told apart together, such as where someone is and what they hold.

Relaxed plans go to a place once for all that is to be done there. If operators require values of two groups
together, of each of which exactly one holds at any time, then pairs of values are made facts and operators
that change one value are split by the other: going somewhere with each thing is another operator, and
landmark cuts count each (conjunctions in the sense of Keyder, Hoffmann and Haslum, "Improving delete
relaxation heuristics through explicitly represented conjunctions", JAIR 2014; as the groups' values exclude
each other, the split task is the same task).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.abstraction import Abstraction
from chorewright.planner.dispensable import lists_of, rows_of
from chorewright.planner.task import Int32, Task

MOST_OPERATORS = 6
"""The split task has at most so many times the operators."""

Group = tuple[int, str]
"""A family's number and an owner's name."""


class Pairs(NamedTuple):
    """The facts that the pairs, which are the last facts of a task, consist of."""

    first: Int32
    second: Int32

    def complete(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The state with its pairs."""
        if len(self.first):
            bits[len(bits) - len(self.first) :] = bits[self.first] & bits[self.second]
        return bits


NO_PAIRS = Pairs(np.zeros(0, np.int32), np.zeros(0, np.int32))


class _Change(NamedTuple):
    """What an operator does to a group: the value required and the value made, -1 for none."""

    before: int
    after: int


def paired(below: Abstraction, steady: Collection[Group]) -> tuple[Abstraction, Pairs]:
    """Split the operators of a task by the two groups that they most often require together.

    ``steady`` are the groups of which each start state has exactly one fact.
    """
    task = below.task
    groups = _groups(below, steady)
    rows = list(zip(*map(rows_of, (task.precondition, task.effect_add, task.effect_delete)), strict=True))
    member = {fact: number for number, group in enumerate(groups) for fact in group}
    together: Counter[tuple[int, int]] = Counter()
    for pre, add, _ in rows:
        required = sorted({member[f] for f in pre if f in member})
        changed = {member[f] for f in add if f in member}
        for i, one in enumerate(required):
            for other in required[i + 1 :]:
                if (one in changed) != (other in changed):
                    together[one, other] += 1
    for one, other in sorted(together, key=lambda pair: (-together[pair], pair)):
        split = _split(task, rows, groups[one], groups[other])
        if split is not None:
            return _written(below, split, groups[one], groups[other])
    return below, NO_PAIRS


def _groups(below: Abstraction, steady: Collection[Group]) -> list[list[int]]:
    """The groups with two facts or more that are disjoint from those before."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for family, owners in enumerate(below.owners):
        for owner in np.unique(owners[owners >= 0]).tolist():
            facts = np.flatnonzero(owners == owner).tolist()
            if (family, below.task.objects[owner]) in steady and len(facts) > 1 and not seen & set(facts):
                found.append(facts)
                seen.update(facts)
    return found


_Row = tuple[list[int], list[int], list[int]]


def _change(row: _Row, group: Collection[int]) -> _Change | None:
    """None if afterwards the group might not have exactly one fact."""
    pre, add, delete = row
    required = [f for f in pre if f in group]
    made = [f for f in add if f in group]
    if not made and not any(f in group for f in delete):
        return _Change(required[0] if required else -1, -1) if len(required) < 2 else None
    gone = {f for f in delete if f in group}
    if len(required) > 1 or len(made) > 1:
        return None
    before, after = required[0] if required else -1, made[0] if made else -1
    if after >= 0:
        known = {before} if before >= 0 else set(group) - {after}
        return _Change(before, after) if known <= gone else None
    return _Change(before, -1) if not gone or (before >= 0 and before not in gone) else None


def _split(task: Task, rows: list[_Row], one: list[int], other: list[int]) -> list[tuple[int, _Row]] | None:
    """(operator, its row) for each operator of the split task; None if there is none, or it is too large."""
    first = {fact: i for i, fact in enumerate(one)}
    second = {fact: i for i, fact in enumerate(other)}

    def pairs(i: Collection[int], j: Collection[int]) -> list[int]:
        return [task.fact_count + first[a] * len(other) + second[b] for a, b in product(i, j)]

    found: list[tuple[int, _Row]] = []
    for o, row in enumerate(rows):
        left, right = _change(row, first), _change(row, second)
        if left is None or right is None:
            return None
        pre, add, delete = row
        rest = [f for f in pre if f not in first and f not in second]
        if left.after < 0 and right.after < 0:
            both = left.before >= 0 and right.before >= 0
            found.append((o, ([*rest, *pairs([left.before], [right.before])] if both else pre, add, delete)))
            continue
        # The value of a group that stays as it is has to be known for the pair that is made.
        lefts = [left.before] if left.before >= 0 or left.after >= 0 else one
        rights = [right.before] if right.before >= 0 or right.after >= 0 else other
        for a, b in product(lefts, rights):
            singles = [f for f in (a, b) if f >= 0]
            needs = pairs([a], [b]) if len(singles) == 2 else singles
            made = pairs(
                [left.after if left.after >= 0 else a],
                [right.after if right.after >= 0 else b],
            )
            lost = pairs([a] if a >= 0 else one, [b] if b >= 0 else other)
            found.append(
                (o, ([*rest, *needs], [*add, *made], [*delete, *(f for f in lost if f not in made)]))
            )
    return found if len(found) <= MOST_OPERATORS * max(1, len(rows)) else None


def _written(
    below: Abstraction, split: list[tuple[int, _Row]], one: list[int], other: list[int]
) -> tuple[Abstraction, Pairs]:
    task = below.task
    chosen = np.asarray([o for o, _ in split], np.int64)
    pairs = Pairs(
        np.repeat(np.asarray(one, np.int32), len(other)), np.tile(np.asarray(other, np.int32), len(one))
    )
    more = len(pairs.first)
    none = np.full(more, -1, np.int32)
    wider = replace(
        task,
        fact_count=task.fact_count + more,
        complement=np.concatenate((task.complement, none)),
        derived=np.concatenate((task.derived, np.zeros(more, np.bool_))),
        initial=np.concatenate((task.initial, np.zeros(more, np.bool_))),
        fact_predicate=np.concatenate((task.fact_predicate, none)),
        fact_arguments=np.vstack(
            (task.fact_arguments, np.full((more, task.fact_arguments.shape[1]), -1, np.int32))
        ),
        fact_arity=np.concatenate((task.fact_arity, none + 1)),
        precondition=lists_of([row[0] for _, row in split]),
        cost=task.cost[chosen],
        effect_start=np.arange(len(chosen) + 1, dtype=np.int64),
        effect_condition=lists_of([[] for _ in split]),
        effect_add=lists_of([row[1] for _, row in split]),
        effect_delete=lists_of([row[2] for _, row in split]),
        operator_action=task.operator_action[chosen],
        operator_arguments=task.operator_arguments[chosen],
        operator_arity=task.operator_arity[chosen],
    )
    owners = np.hstack((below.owners, np.full((len(below.owners), more), -1, np.int32)))
    members = lists_of([below.members.of(o) for o, _ in split])
    return replace(below, task=wider, members=members, owners=owners), pairs


__all__ = ["NO_PAIRS", "Group", "Pairs", "paired"]
