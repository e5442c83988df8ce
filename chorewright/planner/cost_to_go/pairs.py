"""Pairs: the values of two groups told apart together, such as where someone is and what they hold.

Relaxed plans go to a place once for all that is to be done there. If operators require values of two groups
together, of each of which exactly one holds at any time, then pairs of values are made facts and operators
that change one value are split by the other: going somewhere with each thing is another operator, and
landmark cuts count each (conjunctions in the sense of Keyder, Hoffmann and Haslum, "Improving delete
relaxation heuristics through explicitly represented conjunctions", JAIR 2014; as the groups' values exclude
each other, the split task is the same task).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.cost_to_go.abstraction import Abstraction
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists

MOST_OPERATORS = 6
"""The split task has at most so many times the operators."""

Group = tuple[int, str]
"""A family's number and an owner's name."""


class Pairs(NamedTuple):
    """The facts that pairs consist of. The pairs are the last facts of a task.

    Attributes:
        first: The fact of one group in each pair.
        second: The fact of the other group in each pair.
    """

    first: Int32
    second: Int32

    def complete(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Fill in the pairs of a state.

        Args:
            bits: Marks of the facts that hold, pairs included; changed in place.

        Returns:
            The same array.
        """
        if len(self.first):
            bits[len(bits) - len(self.first) :] = bits[self.first] & bits[self.second]
        return bits


NO_PAIRS = Pairs(np.zeros(0, np.int32), np.zeros(0, np.int32))


class PairSplit(NamedTuple):
    """The operators of a split task.

    Attributes:
        origin: The operator below that each comes from.
        requires: The facts that each needs.
        adds: The facts that each makes true.
        deletes: The facts that each makes false.
    """

    origin: Int64
    requires: CsrLists
    adds: CsrLists
    deletes: CsrLists


def split_into_pairs(below: Abstraction, steady: Collection[Group]) -> tuple[Abstraction, Pairs]:
    """Split the operators of a task by the two groups that they most often require together.

    Args:
        below: The abstraction whose task is split.
        steady: The groups of which each start state has exactly one fact.

    Returns:
        The abstraction with the split task, and its pairs; ``below`` itself and no pairs if no two groups allow it.
    """
    task = below.task
    groups = _groups(below, steady)
    rows = (*task.precondition, *task.effect_add, *task.effect_delete)
    member = np.full(task.fact_count, -1, np.int32)
    for number, group in enumerate(groups):
        member[group] = number
    together = _together(rows, member, len(groups))
    one_of, other_of = np.nonzero(together)
    order = np.lexsort((other_of, one_of, -together[one_of, other_of]))
    for one, other in zip(one_of[order].tolist(), other_of[order].tolist(), strict=True):
        split = _split(task, rows, groups[one], groups[other])
        if split is not None:
            return _write_pairs(below, split, groups[one], groups[other])
    return below, NO_PAIRS


@njit(cache=True, nogil=True)
def _together(rows: Any, member: Any, groups: Any) -> Any:
    """How many operators require facts of two groups and change one of these."""
    pre_start, pre, add_start, add, _, _ = rows
    together = np.zeros((groups, groups), np.int64)
    required = np.zeros(groups, np.bool_)
    changed = np.zeros(groups, np.bool_)
    for o in range(pre_start.shape[0] - 1):
        required[:] = False
        changed[:] = False
        for i in range(pre_start[o], pre_start[o + 1]):
            if member[pre[i]] >= 0:
                required[member[pre[i]]] = True
        for i in range(add_start[o], add_start[o + 1]):
            if member[add[i]] >= 0:
                changed[member[add[i]]] = True
        for one in range(groups):
            if required[one]:
                for other in range(one + 1, groups):
                    if required[other] and changed[one] != changed[other]:
                        together[one, other] += 1
    return together


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


def _split(task: Task, rows: tuple[Int64 | Int32, ...], one: list[int], other: list[int]) -> PairSplit | None:
    """The operators of the split task; None if the groups do not allow it, or there are too many."""
    place = np.full((2, task.fact_count), -1, np.int32)
    place[0, one] = np.arange(len(one))
    place[1, other] = np.arange(len(other))
    groups = np.asarray(one, np.int32), np.asarray(other, np.int32)
    room = 0
    for _ in range(2):
        pairs, written = np.empty((3, room, 2), np.int32), np.zeros(4, np.int64)
        origin = _all_rows(rows, place[0], place[1], *groups, task.fact_count, (pairs, written))
        if len(origin) and origin[0] < 0:
            return None
        room = int(written[:3].max())
    tables = [
        lists(len(origin), found[:count, 0].astype(np.int64), found[:count, 1])
        for found, count in zip(pairs, written.tolist(), strict=False)
    ]
    return PairSplit(origin, *tables)


@njit(cache=True, nogil=True)
def _change(rows: Any, o: Any, place: Any, size: Any) -> Any:
    """(whether a group has exactly one fact afterwards, the value required, the value made): -1 for none.

    ``place`` gives each fact's number in the group of ``size`` facts.
    """
    pre_start, pre, add_start, add, delete_start, delete = rows
    required = made = gone = 0
    before = after = np.int64(-1)
    for i in range(pre_start[o], pre_start[o + 1]):
        if place[pre[i]] >= 0:
            required += 1
            before = np.int64(place[pre[i]])
    for i in range(add_start[o], add_start[o + 1]):
        if place[add[i]] >= 0:
            made += 1
            after = np.int64(place[add[i]])
    left = False
    for i in range(delete_start[o], delete_start[o + 1]):
        v = place[delete[i]]
        if v >= 0:
            left = left or v == before
            if v != after:
                gone += 1
    if required > 1 or made > 1:
        return False, before, after
    if after < 0:
        return gone == 0 or (before >= 0 and not left), before, after
    # Whatever it was before has to go: what is required, or else all other values.
    return left if before >= 0 else gone == size - 1, before, after


@njit(cache=True, nogil=True)
def _row(rows: Any, o: Any, first: Any, second: Any, one: Any, other: Any, facts: Any, out: Any) -> Any:
    """Write the operators that one becomes; returns how many they are, -1 if the groups do not allow it.

    ``out`` has, for preconditions, additions and deletions, their (operator, fact) pairs, and how many pairs
    are written; beyond their room they are counted only.
    """
    pre_start, pre, add_start, add, delete_start, delete = rows
    fine, left_before, left_after = _change(rows, o, first, one.shape[0])
    also, right_before, right_after = _change(rows, o, second, other.shape[0])
    if not fine or not also:
        return -1
    still = left_after < 0 and right_after < 0
    width = other.shape[0]
    # The value of a group that stays as it is has to be known for the pair that is made.
    lefts = 1 if still or left_before >= 0 or left_after >= 0 else one.shape[0]
    rights = 1 if still or right_before >= 0 or right_after >= 0 else width
    for k in range(lefts * rights):
        a = left_before if lefts == 1 else np.int64(k // rights)
        b = right_before if rights == 1 else np.int64(k % rights)
        paired_now = a >= 0 and b >= 0
        for i in range(pre_start[o], pre_start[o + 1]):
            if (still and not paired_now) or (first[pre[i]] < 0 and second[pre[i]] < 0):
                _append_fact(out, 0, k, pre[i])
        if paired_now:
            _append_fact(out, 0, k, facts + a * width + b)
        elif not still:
            if a >= 0:
                _append_fact(out, 0, k, one[a])
            if b >= 0:
                _append_fact(out, 0, k, other[b])
        for i in range(add_start[o], add_start[o + 1]):
            _append_fact(out, 1, k, add[i])
        for i in range(delete_start[o], delete_start[o + 1]):
            _append_fact(out, 2, k, delete[i])
        if still:
            continue
        made = (left_after if left_after >= 0 else a) * width + (right_after if right_after >= 0 else b)
        _append_fact(out, 1, k, facts + made)
        for i in range(one.shape[0]):
            for j in range(width):
                if (a < 0 or i == a) and (b < 0 or j == b) and i * width + j != made:
                    _append_fact(out, 2, k, facts + i * width + j)
    return lefts * rights


@njit(cache=True, nogil=True)
def _append_fact(out: Any, kind: Any, k: Any, fact: Any) -> None:
    pairs, written = out
    if written[kind] < pairs.shape[1]:
        pairs[kind, written[kind], 0] = written[3] + k
        pairs[kind, written[kind], 1] = fact
    written[kind] += 1


@njit(cache=True, nogil=True)
def _all_rows(rows: Any, first: Any, second: Any, one: Any, other: Any, facts: Any, out: Any) -> Any:
    """For each operator of the split task the one below; -1 alone if it cannot be split, or is too large."""
    count = rows[0].shape[0] - 1
    origin = np.empty(MOST_OPERATORS * max(1, count) + 1, np.int64)
    written = out[1]
    for o in range(count):
        number = _row(rows, o, first, second, one, other, facts, out)
        if number < 0 or written[3] + number > MOST_OPERATORS * max(1, count):
            origin[0] = -1
            return origin[:1]
        for k in range(number):
            origin[written[3] + k] = o
        written[3] += number
    return origin[: written[3]]


def _write_pairs(below: Abstraction, split: PairSplit, one: list[int], other: list[int]) -> tuple[Abstraction, Pairs]:
    task = below.task
    chosen = split.origin
    pairs = Pairs(np.repeat(np.asarray(one, np.int32), len(other)), np.tile(np.asarray(other, np.int32), len(one)))
    more = len(pairs.first)
    none = np.full(more, -1, np.int32)
    wider = replace(
        task.with_operators(chosen),
        fact_count=task.fact_count + more,
        complement=np.concatenate((task.complement, none)),
        derived=np.concatenate((task.derived, np.zeros(more, np.bool_))),
        initial=np.concatenate((task.initial, np.zeros(more, np.bool_))),
        fact_predicate=np.concatenate((task.fact_predicate, none)),
        fact_arguments=np.vstack((task.fact_arguments, np.full((more, task.fact_arguments.shape[1]), -1, np.int32))),
        fact_arity=np.concatenate((task.fact_arity, none + 1)),
        precondition=split.requires,
        effect_add=split.adds,
        effect_delete=split.deletes,
    )
    owners = np.hstack((below.owners, np.full((len(below.owners), more), -1, np.int32)))
    return replace(below, task=wider, members=below.members.rows(chosen), owners=owners), pairs
