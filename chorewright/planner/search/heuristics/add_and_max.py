"""h-add and h-max: what facts cost when nothing is ever deleted, and goals from the costs of facts.

The FF heuristic begins in the same way, and takes a relaxed plan out of what h-add has found (``find_relaxed_plan``).
Facts are reached in the order of their costs, by a generalised Dijkstra search. Everything is integer arithmetic with
fixed tie-breaking, so results depend on neither machine nor hash seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.search.heuristics.delete_relaxation import FACT_BITS, FF, INFINITE, MAX
from chorewright.planner.search.states import all_hold, pop, push

# The FF heuristic: the cost of a plan for the task without deletions, and the operators that it prefers.
#
# ``h_add`` has found the costs of the facts and what supports each of them; following the supporters back from the
# goals gives the relaxed plan (Hoffmann and Nebel 2001; with h-add's supporters, Keyder and Geffner 2008).


@njit(cache=True, nogil=True)
def find_relaxed_plan(state: Any, r: Any, w: Any) -> Any:
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
    return find_relaxed_plan(state, r, w)
