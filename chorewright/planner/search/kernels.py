"""Compiled kernels over packed states: successor states, axioms, and the relaxation heuristics.

States are rows of 64-bit words. ``Relaxation`` and ``Moves`` (named tuples of arrays) are passed whole.
Everything is integer arithmetic with fixed tie-breaking, so results do not depend on machine or hash seed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import Int32, Int64, Lists, Task
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation

INFINITE = 2**38
"""The heuristic value of dead ends only; what else would reach it counts one less. It bounds no path."""

ADD, MAX, FF = 0, 1, 2
FACT_BITS = 24


class Moves(NamedTuple):
    """What the kernels need to apply operators and evaluate axioms."""

    effect_start: Int64
    condition: Lists
    add: Lists
    delete: Lists
    complement: Int32
    derived: Int32
    derived_stratum: Int32
    axiom_head: Int32
    axiom_body: Lists
    axiom_stratum: Int32
    strata: int
    precondition: Lists


class Work(NamedTuple):
    """Scratch space of one heuristic evaluation, reused."""

    cost: Int64
    supporter: Int32
    counter: Int32
    reach_cost: Int64
    heap: Int64
    marked_fact: NDArray[np.bool_]
    marked_operator: NDArray[np.bool_]
    applicable: Int32
    preferred: Int32
    stack: Int32
    counts: Int64
    is_goal: NDArray[np.bool_]


def moves(task: Task) -> Moves:
    """Arrays of a task for ``successor`` and ``close``."""
    positive = np.flatnonzero(task.derived & ((task.complement < 0) | (task.complement > np.arange(task.fact_count))))
    stratum = np.zeros(task.fact_count, np.int32)
    stratum[task.axiom_head] = task.axiom_stratum
    strata = int(stratum.max(initial=0)) + 1 if len(positive) else 0
    return Moves(
        task.effect_start,
        task.effect_condition,
        task.effect_add,
        task.effect_delete,
        task.complement,
        positive.astype(np.int32),
        stratum[positive],
        task.axiom_head,
        task.axiom_body,
        task.axiom_stratum,
        strata,
        task.precondition,
    )


def work(relaxation: Relaxation) -> Work:
    """Fresh scratch space for a relaxation."""
    facts = relaxation.fact_count
    relaxed = len(relaxation.need)
    return Work(
        np.empty(facts, np.int64),
        np.empty(facts, np.int32),
        np.empty(relaxed, np.int32),
        np.empty(relaxed, np.int64),
        np.empty(len(relaxation.adds.items) + facts + 1, np.int64),
        np.zeros(facts, np.bool_),
        np.zeros(relaxation.operator_count + 1, np.bool_),
        np.empty(relaxation.operator_count + 1, np.int32),
        np.empty(relaxation.operator_count + 1, np.int32),
        np.empty(facts + 1, np.int32),
        np.zeros(4, np.int64),
        np.zeros(facts, np.bool_),
    )


@njit(cache=True, nogil=True)
def holds(state: Any, fact: Any) -> Any:
    return (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def assign(state: Any, fact: Any, truth: Any) -> None:
    bit = np.uint64(1) << np.uint64(fact & 63)
    if truth:
        state[fact >> 6] |= bit
    else:
        state[fact >> 6] &= ~bit


@njit(cache=True, nogil=True)
def all_hold(state: Any, items: Any, first: Any, last: Any) -> Any:
    for k in range(first, last):  # a loop: compiled code knows no generators in all()
        fact = items[k]
        if not holds(state, fact):
            return False
    return True


@njit(cache=True, nogil=True)
def close(state: Any, m: Any) -> None:
    """Evaluate the axioms, stratum by stratum, each to its fixpoint."""
    for level in range(m.strata):
        for k in range(m.derived.shape[0]):
            if m.derived_stratum[k] == level:
                assign(state, m.derived[k], False)
        changed = True
        while changed:
            changed = False
            for a in range(m.axiom_head.shape[0]):
                if m.axiom_stratum[a] != level or holds(state, m.axiom_head[a]):
                    continue
                if all_hold(state, m.axiom_body.items, m.axiom_body.start[a], m.axiom_body.start[a + 1]):
                    assign(state, m.axiom_head[a], True)
                    changed = True
        for k in range(m.derived.shape[0]):
            if m.derived_stratum[k] == level and m.complement[m.derived[k]] >= 0:
                assign(state, m.complement[m.derived[k]], not holds(state, m.derived[k]))


@njit(cache=True, nogil=True)
def successor(state: Any, operator: Any, m: Any, result: Any) -> None:
    """The state after an applicable operator; what is both deleted and added is true."""
    for w in range(state.shape[0]):
        result[w] = state[w]
    first = m.effect_start[operator]
    last = m.effect_start[operator + 1]
    for e in range(first, last):
        if all_hold(state, m.condition.items, m.condition.start[e], m.condition.start[e + 1]):
            for k in range(m.delete.start[e], m.delete.start[e + 1]):
                fact = m.delete.items[k]
                assign(result, fact, False)
                if m.complement[fact] >= 0:
                    assign(result, m.complement[fact], True)
    for e in range(first, last):
        if all_hold(state, m.condition.items, m.condition.start[e], m.condition.start[e + 1]):
            for k in range(m.add.start[e], m.add.start[e + 1]):
                fact = m.add.items[k]
                assign(result, fact, True)
                if m.complement[fact] >= 0:
                    assign(result, m.complement[fact], False)
    if m.strata:
        close(result, m)


@njit(cache=True, nogil=True)
def push(heap: Any, size: Any, key: Any) -> Any:
    """Insert a key into a binary heap; returns the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap: Any, size: Any) -> Any:
    """Remove the smallest key; returns the new size, the key is left at ``heap[size]``."""
    smallest = heap[0]
    size -= 1
    key = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    heap[size] = smallest
    return size


@njit(cache=True, nogil=True)
def evaluate(state: Any, r: Any, w: Any, mode: Any) -> Any:
    """Heuristic value of a state, ``INFINITE`` for a dead end.

    Leaves the applicable operators in ``w.applicable[:w.counts[0]]`` and, for FF, the preferred ones in
    ``w.preferred[:w.counts[1]]``.
    """
    cost = w.cost
    supporter = w.supporter
    counter = w.counter
    reach_cost = w.reach_cost
    heap = w.heap
    need_start = r.needed_by.start
    need_items = r.needed_by.items
    add_start = r.adds.start
    add_items = r.adds.items
    for f in range(r.fact_count):
        cost[f] = INFINITE
    for a in range(r.need.shape[0]):
        counter[a] = r.need[a]
        reach_cost[a] = r.cost[a]
    applicable = 0
    size = 0
    for word in range(state.shape[0]):
        bits = state[word]
        base = word << 6
        while bits != np.uint64(0):
            low = bits & (~bits + np.uint64(1))
            bits ^= low
            f = base
            # The number of trailing zeros, by halves.
            if low & np.uint64(0xFFFFFFFF) == np.uint64(0):
                f += 32
                low >>= np.uint64(32)
            if low & np.uint64(0xFFFF) == np.uint64(0):
                f += 16
                low >>= np.uint64(16)
            if low & np.uint64(0xFF) == np.uint64(0):
                f += 8
                low >>= np.uint64(8)
            if low & np.uint64(0xF) == np.uint64(0):
                f += 4
                low >>= np.uint64(4)
            if low & np.uint64(0x3) == np.uint64(0):
                f += 2
                low >>= np.uint64(2)
            if low & np.uint64(0x1) == np.uint64(0):
                f += 1
            cost[f] = 0
            supporter[f] = -1
            for k in range(need_start[f], need_start[f + 1]):
                counter[need_items[k]] -= 1
    for k in range(r.free.shape[0]):
        f = r.free[k]
        if cost[f] != 0:
            cost[f] = 0
            supporter[f] = -1
            size = push(heap, size, f)
    for a in range(r.need.shape[0]):
        if counter[a] == 0:
            if a < r.operator_count:
                w.applicable[applicable] = a
                applicable += 1
            value = reach_cost[a]
            for k in range(add_start[a], add_start[a + 1]):
                f = add_items[k]
                if value < cost[f]:
                    cost[f] = value
                    supporter[f] = a
                    size = push(heap, size, (value << FACT_BITS) | f)
    w.counts[0] = applicable
    w.counts[1] = 0

    missing = 0
    goal = w.is_goal
    for k in range(r.goal.shape[0]):
        if cost[r.goal[k]] != 0 or supporter[r.goal[k]] >= 0:
            goal[r.goal[k]] = True
            missing += 1
    while size > 0 and missing > 0:
        size = pop(heap, size)
        key = heap[size]
        f = key & ((1 << FACT_BITS) - 1)
        value = key >> FACT_BITS
        if value > cost[f]:
            continue
        if goal[f]:
            goal[f] = False
            missing -= 1
            if missing == 0:
                break
        for k in range(need_start[f], need_start[f + 1]):
            a = need_items[k]
            counter[a] -= 1
            if mode == MAX:
                if r.cost[a] + value > reach_cost[a]:
                    reach_cost[a] = r.cost[a] + value
            else:
                reach_cost[a] += value
            if counter[a] == 0:
                reached = min(reach_cost[a], INFINITE - 1)
                for j in range(add_start[a], add_start[a + 1]):
                    g = add_items[j]
                    if reached < cost[g]:
                        cost[g] = reached
                        supporter[g] = a
                        size = push(heap, size, (reached << FACT_BITS) | g)
    if missing > 0:
        for k in range(r.goal.shape[0]):
            goal[r.goal[k]] = False
        return INFINITE

    if mode != FF:
        total = np.int64(0)
        for k in range(r.goal.shape[0]):
            value = cost[r.goal[k]]
            if mode == MAX:
                total = max(total, value)
            else:
                total += value
        return min(total, INFINITE - 1)
    return _relaxed_plan(state, r, w)


@njit(cache=True, nogil=True)
def _relaxed_plan(state: Any, r: Any, w: Any) -> Any:
    """Cost of the relaxed plan that the supporters form; its applicable operators are the preferred ones."""
    stack = w.stack
    depth = 0
    facts = 0
    touched = 0
    total = np.int64(0)
    # Facts are put on the stack once; ``w.heap`` remembers which marks to clear.
    for k in range(r.goal.shape[0]):
        f = r.goal[k]
        if not w.marked_fact[f]:
            w.marked_fact[f] = True
            stack[depth] = f
            depth += 1
            w.heap[facts] = f
            facts += 1
    while depth > 0:
        depth -= 1
        a = w.supporter[stack[depth]]
        if a < 0:
            continue
        for k in range(r.requires.start[a], r.requires.start[a + 1]):
            f = r.requires.items[k]
            if not w.marked_fact[f]:
                w.marked_fact[f] = True
                stack[depth] = f
                depth += 1
                w.heap[facts] = f
                facts += 1
        o = r.operator[a]
        if o >= 0 and not w.marked_operator[o]:
            w.marked_operator[o] = True
            w.preferred[touched] = o
            touched += 1
            total += r.cost[o]
    for k in range(facts):
        w.marked_fact[w.heap[k]] = False
    preferred = 0
    for k in range(touched):
        o = w.preferred[k]
        w.marked_operator[o] = False
        if all_hold(state, r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
            w.preferred[preferred] = o
            preferred += 1
    # Insertion sort: few operators are preferred, and their order decides ties.
    for i in range(1, preferred):
        o = w.preferred[i]
        j = i - 1
        while j >= 0 and w.preferred[j] > o:
            w.preferred[j + 1] = w.preferred[j]
            j -= 1
        w.preferred[j + 1] = o
    w.counts[1] = preferred
    w.counts[2] = touched
    w.counts[3] = facts
    return min(total, INFINITE - 1)
