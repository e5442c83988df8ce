"""The landmark-cut heuristic: a lower bound on plan costs from cuts between a state and the goal.

Helmert and Domshlak, "Landmarks, Critical Paths and Abstractions: What's the Difference Anyway?" (ICAPS
2009): as long as the goal has a positive h_max value, the relaxed actions that lead into the facts from which
the goal costs nothing are a disjunctive landmark; its least cost is counted and taken off. The parts of one
operator (its conditional effects, see ``relaxation``) share one cost, so that an operator is never counted
twice although several of its effects are needed; auxiliary facts of disjunctions are reached for free.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UnsupportedError
from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists
from chorewright.planner.search.heuristics.delete_relaxation import FACT_BITS, INFINITE, Relaxation
from chorewright.planner.search.states import holds, pop, push

BUCKETS = 64
"""Values below it are queued in buckets."""

USED, HEAPED, LOWEST = 0, 1, 2
"""Places in ``Cuts.queue``: entries made since the buckets were empty, the heap's size, the first bucket."""

ZONE, BEFORE = 1, 2
"""Marks of facts: the goal costs nothing from here; reached from the state without entering the zone."""


class Cuts(NamedTuple):
    """What the landmark-cut kernel needs besides the relaxation, and its scratch space.

    Relaxed actions are those of ``Relaxation``. One fact more than the relaxation has, ``fact_count``, stands for "no
    precondition".

    Attributes:
        parts: The relaxed actions of each operator.
        added_by: The relaxed actions that make each fact true.
        bare: The relaxed actions without preconditions.
        left: The cost of each relaxed action that cuts have not counted yet.
        fact_cost: The cost of each fact (facts + 1).
        supporter: The dearest precondition of each relaxed action; ``fact_count`` if it has none, -1 if the action is
            not reached.
        supporter_cost: The cost of that precondition.
        counter: How many preconditions each relaxed action still waits for.
        heap: A binary heap of cost and fact in one number.
        mark: 0, ``ZONE`` or ``BEFORE`` for each fact (facts + 1).
        stack: A stack of facts.
        cut: The operators of one cut.
        in_cut: Marks of operators, all False between evaluations.
        taken: What the cuts with each operator cost in all, after the last evaluation.
        queue: Three numbers, at ``USED``, ``HEAPED`` and ``LOWEST``.
        bucket: The first entry of each bucket; -1 if it is empty.
        following: The next entry of each entry's bucket; -1 at its end.
        item: The fact of each entry.
    """

    parts: CsrLists
    added_by: CsrLists
    bare: Int32
    left: Int64
    fact_cost: Int64
    supporter: Int32
    supporter_cost: Int64
    counter: Int32
    heap: Int64
    mark: NDArray[np.int8]
    stack: Int32
    cut: Int32
    in_cut: NDArray[np.bool_]
    taken: Int64
    queue: Int64
    bucket: Int32
    following: Int32
    item: Int32


def cuts(r: Relaxation) -> Cuts:
    """Return fresh scratch space for landmark cuts on a relaxation."""
    relaxed = len(r.need)
    owned = np.flatnonzero(r.operator >= 0)
    adds = np.diff(r.adds.start)
    # Every action is tried once by itself and once for each precondition that becomes cheaper.
    entries = int(((r.need.astype(np.int64) + 2) * adds).sum()) + r.fact_count + 1
    return Cuts(
        lists(r.operator_count, r.operator[owned].astype(np.int64), owned.astype(np.int32)),
        r.adds.invert(r.fact_count),
        np.flatnonzero(r.need == 0).astype(np.int32),
        np.empty(relaxed, np.int64),
        np.empty(r.fact_count + 1, np.int64),
        np.empty(relaxed, np.int32),
        np.empty(relaxed, np.int64),
        np.empty(relaxed, np.int32),
        np.empty(entries, np.int64),
        np.empty(r.fact_count + 1, np.int8),
        np.empty(r.fact_count + 1, np.int32),
        np.empty(r.operator_count + 1, np.int32),
        np.zeros(r.operator_count + 1, np.bool_),
        np.zeros(r.operator_count + 1, np.int64),
        np.asarray([0, 0, BUCKETS], np.int64),
        np.full(BUCKETS, -1, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
    )


def refuse_axioms(task: Task) -> None:
    """Refuse tasks in which derived predicates matter.

    Raises:
        UnsupportedError: some fact of the task is decided by an axiom of the domain.
    """
    named = np.flatnonzero(task.derived & (task.fact_predicate >= 0))
    if len(named):
        name = task.fact_names[task.fact_predicate[named[0]]]
        raise UnsupportedError(
            f"the lmcut heuristic does not know axioms, and the task needs the derived predicate {name}",
            hint="use the heuristic max, which does",
        )


@njit(cache=True, nogil=True)
def _queue(c: Any, value: Any, f: Any) -> None:
    """Queue a fact: small values in buckets, others in a heap."""
    if value < BUCKETS:
        slot = c.queue[USED]
        c.queue[USED] = slot + 1
        c.item[slot] = f
        c.following[slot] = c.bucket[value]
        c.bucket[value] = slot
        c.queue[LOWEST] = min(c.queue[LOWEST], value)
    else:
        c.queue[HEAPED] = push(c.heap, c.queue[HEAPED], (value << FACT_BITS) | f)


@njit(cache=True, nogil=True)
def _take(c: Any) -> Any:
    """The (value, fact) with the smallest value as one number, or -1 if the queue is empty."""
    value = c.queue[LOWEST]
    while value < BUCKETS and c.bucket[value] < 0:
        value += 1
    c.queue[LOWEST] = value
    if value < BUCKETS:
        slot = c.bucket[value]
        c.bucket[value] = c.following[slot]
        return (value << FACT_BITS) | c.item[slot]
    c.queue[USED] = 0
    if c.queue[HEAPED] == 0:
        return np.int64(-1)
    c.queue[HEAPED] = pop(c.heap, c.queue[HEAPED])
    return c.heap[c.queue[HEAPED]]


@njit(cache=True, nogil=True)
def _enqueue(c: Any, r: Any, a: Any) -> None:
    """Lower the costs of what a reached action adds."""
    value = min(c.supporter_cost[a] + c.left[a], INFINITE - 1)
    for k in range(r.adds.start[a], r.adds.start[a + 1]):
        f = r.adds.items[k]
        if value < c.fact_cost[f]:
            c.fact_cost[f] = value
            _queue(c, value, f)


@njit(cache=True, nogil=True)
def _explore(state: Any, r: Any, c: Any) -> None:
    """h_max costs of all facts by the costs ``c.left``, and the supporters of all actions."""
    for a in range(r.need.shape[0]):
        c.counter[a] = r.need[a]
        c.supporter[a] = -1
    for f in range(r.fact_count):
        c.fact_cost[f] = INFINITE
        if holds(state, f):
            c.fact_cost[f] = 0
            _queue(c, np.int64(0), f)
    for k in range(r.free.shape[0]):
        f = r.free[k]
        if c.fact_cost[f] != 0:
            c.fact_cost[f] = 0
            _queue(c, np.int64(0), f)
    for k in range(c.bare.shape[0]):
        a = c.bare[k]
        c.supporter[a] = r.fact_count
        c.supporter_cost[a] = 0
        _enqueue(c, r, a)
    while True:
        key = _take(c)
        if key < 0:
            break
        f = key & ((1 << FACT_BITS) - 1)
        value = key >> FACT_BITS
        if value > c.fact_cost[f]:
            continue
        for k in range(r.needed_by.start[f], r.needed_by.start[f + 1]):
            a = r.needed_by.items[k]
            c.counter[a] -= 1
            if c.counter[a] == 0:
                c.supporter[a] = f
                c.supporter_cost[a] = value
                _enqueue(c, r, a)


@njit(cache=True, nogil=True)
def _update(r: Any, c: Any, number: Any) -> None:
    """Lower h_max costs after the operators ``c.cut[:number]`` have become cheaper."""
    for i in range(number):
        o = c.cut[i]
        for j in range(c.parts.start[o], c.parts.start[o + 1]):
            a = c.parts.items[j]
            if c.supporter[a] >= 0:
                _enqueue(c, r, a)
    while True:
        key = _take(c)
        if key < 0:
            break
        f = key & ((1 << FACT_BITS) - 1)
        value = key >> FACT_BITS
        if value > c.fact_cost[f]:
            continue
        for k in range(r.needed_by.start[f], r.needed_by.start[f + 1]):
            a = r.needed_by.items[k]
            if c.supporter[a] != f or c.supporter_cost[a] <= value:
                continue
            best = np.int64(-1)
            for j in range(r.requires.start[a], r.requires.start[a + 1]):
                g = r.requires.items[j]
                if c.fact_cost[g] > best:
                    best = c.fact_cost[g]
                    c.supporter[a] = g
            if best < c.supporter_cost[a]:
                c.supporter_cost[a] = best
                _enqueue(c, r, a)


@njit(cache=True, nogil=True)
def _mark_zone(goal: Any, c: Any) -> None:
    """Mark the facts from which the goal fact costs nothing."""
    depth = 1
    c.stack[0] = goal
    c.mark[goal] = ZONE
    while depth > 0:
        depth -= 1
        f = c.stack[depth]
        for k in range(c.added_by.start[f], c.added_by.start[f + 1]):
            a = c.added_by.items[k]
            g = c.supporter[a]
            if g >= 0 and c.left[a] == 0 and c.mark[g] != ZONE:
                c.mark[g] = ZONE
                c.stack[depth] = g
                depth += 1


@njit(cache=True, nogil=True)
def _visit(a: Any, r: Any, c: Any, number: Any, depth: Any) -> Any:
    """Follow an action whose supporter was reached; returns the sizes of the cut and of the stack."""
    for k in range(r.adds.start[a], r.adds.start[a + 1]):
        if c.mark[r.adds.items[k]] == ZONE:
            o = r.operator[a]
            if not c.in_cut[o]:
                c.in_cut[o] = True
                c.cut[number] = o
                number += 1
            return number, depth
    for k in range(r.adds.start[a], r.adds.start[a + 1]):
        f = r.adds.items[k]
        if c.mark[f] != BEFORE:
            c.mark[f] = BEFORE
            c.stack[depth] = f
            depth += 1
    return number, depth


@njit(cache=True, nogil=True)
def _find_cut(r: Any, c: Any, start: Any, starts: Any) -> Any:
    """Put the operators of the next cut into ``c.cut``; returns how many."""
    depth = 0
    for i in range(starts):
        f = start[i]
        c.mark[f] = BEFORE
        c.stack[depth] = f
        depth += 1
    number = 0
    for k in range(c.bare.shape[0]):
        number, depth = _visit(c.bare[k], r, c, number, depth)
    while depth > 0:
        depth -= 1
        f = c.stack[depth]
        for k in range(r.needed_by.start[f], r.needed_by.start[f + 1]):
            a = r.needed_by.items[k]
            if c.supporter[a] == f:
                number, depth = _visit(a, r, c, number, depth)
    return number


@njit(cache=True, nogil=True)
def landmark_cut(state: Any, r: Any, c: Any) -> Any:
    """Lower bound on the cost of any plan from a state, ``INFINITE`` for a dead end."""
    none = np.empty(0, np.int64)
    return further_cuts(state, r, c, (np.empty(0, np.int32), none, none, 0))[0]


@njit(cache=True, nogil=True)
def further_cuts(state: Any, r: Any, c: Any, known: Any) -> Any:
    """The bound of a state of which some cuts are known, and all its cuts.

    Cuts are (items, ends, prices, how many): the operators of one after the other, where each ends, and what
    it counts. New ones are written behind those known if the arrays have any room; full ones are replaced.
    """
    items, ends, prices, count = known
    for a in range(r.need.shape[0]):
        c.left[a] = r.cost[a]
    for o in range(c.taken.shape[0]):
        c.taken[o] = 0
    total = np.int64(0)
    for i in range(count):
        total += prices[i]
        for k in range(ends[i - 1] if i > 0 else np.int64(0), ends[i]):
            _charge(items[k], prices[i], c)
    _explore(state, r, c)
    start = np.empty(r.fact_count, np.int32)
    starts = 0
    for f in range(r.fact_count):
        if c.fact_cost[f] == 0 and holds(state, f):
            start[starts] = f
            starts += 1
    for k in range(r.free.shape[0]):
        if not holds(state, r.free[k]):
            start[starts] = r.free[k]
            starts += 1
    while True:
        goal = -1
        value = np.int64(0)
        for k in range(r.goal.shape[0]):
            if c.fact_cost[r.goal[k]] > value:
                value = c.fact_cost[r.goal[k]]
                goal = r.goal[k]
        if value >= INFINITE:
            return np.int64(INFINITE), items, ends, prices, count
        if goal < 0:
            return min(total, np.int64(INFINITE - 1)), items, ends, prices, count
        for f in range(r.fact_count + 1):
            c.mark[f] = 0
        _mark_zone(goal, c)
        number = _find_cut(r, c, start, starts)
        least = np.int64(INFINITE)
        for i in range(number):
            least = min(least, c.left[c.cut[i]])
        total += least
        for i in range(number):
            c.in_cut[c.cut[i]] = False
            _charge(c.cut[i], least, c)
        if ends.shape[0] > 0:
            used = ends[count - 1] if count > 0 else np.int64(0)
            if count == ends.shape[0]:
                ends = _larger(ends, 2 * count)
                prices = _larger(prices, 2 * count)
            if used + number > items.shape[0]:
                items = _larger(items, 2 * (used + number))
            items[used : used + number] = c.cut[:number]
            ends[count] = used + number
            prices[count] = least
            count += 1
        _update(r, c, number)


@njit(cache=True, nogil=True)
def _charge(o: Any, price: Any, c: Any) -> None:
    """Take a cut's price off an operator's costs."""
    c.taken[o] += price
    for j in range(c.parts.start[o], c.parts.start[o + 1]):
        c.left[c.parts.items[j]] -= price


@njit(cache=True, nogil=True)
def _larger(array: Any, size: Any) -> Any:
    larger = np.empty(size, array.dtype)
    larger[: array.shape[0]] = array
    return larger
