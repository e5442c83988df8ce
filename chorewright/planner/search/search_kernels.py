"""The compiled eager searches: A*, weighted A*, greedy best-first search by any heuristic, and enforced hill-climbing.

Ties are broken by age, so every run is the same. A search stops at a goal, when its queue is empty, at its
evaluation or state limit, or when another thread sets ``stop[0]``. An empty queue says that there is no plan
only if no path was cut off by its cost (``EXHAUSTED``, not ``PRUNED``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import copy_items, copy_rows, njit
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE
from chorewright.planner.search.heuristics.landmark_cut import landmark_cut
from chorewright.planner.search.states import all_hold, pop, push, successor

SOLVED, EXHAUSTED, EVALUATIONS, MEMORY, STOPPED, PRUNED = 0, 1, 2, 3, 4, 5
BLIND, GOAL_COUNT, LANDMARK_CUT = 10, 11, 12
SEQUENCE_BITS = 28
MOST_KEY = 2**35 - 1
"""f-values are told apart below it; from it on, the queue is first in, first out."""
MOST_ENTRIES = 2**SEQUENCE_BITS - 2**20


@njit(cache=True, nogil=True)
def hash_state(state: Any) -> Any:
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(state.shape[0]):
        h = (h ^ state[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(31))
    return h


@njit(cache=True, nogil=True)
def slot_of(table: Any, states: Any, state: Any) -> Any:
    mask = np.uint64(table.shape[0] - 1)
    slot = hash_state(state) & mask
    while table[slot] != 0:
        other = table[slot] - 1
        same = True
        for w in range(state.shape[0]):
            if states[other, w] != state[w]:
                same = False
                break
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@njit(cache=True, nogil=True)
def rehash(table: Any, states: Any, count: Any) -> Any:
    larger = np.zeros(table.shape[0] * 2, np.int32)
    for i in range(count):
        larger[slot_of(larger, states, states[i])] = i + 1
    return larger


@njit(cache=True, nogil=True)
def enter(table: Any, states: Any, slot: Any, count: Any, state: Any) -> Any:
    """Make a new state the last of ``count`` and one, at its slot of the table; returns the table, which may grow."""
    copy_items(states[count], state, state.shape[0])
    table[slot] = count + 1
    return rehash(table, states, count + 1) if 3 * (count + 1) > table.shape[0] else table


@njit(cache=True, nogil=True)
def grown_matrix(array: Any) -> Any:
    larger = np.empty((array.shape[0] * 2, array.shape[1]), array.dtype)
    copy_rows(larger, array, array.shape[0])
    return larger


@njit(cache=True, nogil=True)
def grown(array: Any) -> Any:
    larger = np.empty(array.shape[0] * 2, array.dtype)
    copy_items(larger, array, array.shape[0])
    return larger


@njit(cache=True, nogil=True)
def trace(parent: Any, operator: Any, node: Any) -> Any:
    length = 0
    i = node
    while parent[i] >= 0:
        length += 1
        i = parent[i]
    plan = np.empty(length, np.int32)
    i = node
    while parent[i] >= 0:
        length -= 1
        plan[length] = operator[i]
        i = parent[i]
    return plan


@njit(cache=True, nogil=True)
def _cut(state: Any, r: Any, c: Any) -> Any:
    if c is None:
        return np.int64(0)
    return landmark_cut(state, r, c)


@njit(cache=True, nogil=True)
def estimate_state(state: Any, r: Any, w: Any, c: Any, mode: Any) -> Any:
    """Return a heuristic's estimate; code for ``c`` None has no landmark cuts, which take long to compile."""
    if mode < BLIND:
        return evaluate(state, r, w, mode)
    if mode == LANDMARK_CUT:
        return _cut(state, r, c)
    missing = np.int64(0)
    for k in range(r.goal.shape[0]):
        if not all_hold(state, r.goal, k, k + 1):
            missing += 1
    if mode == BLIND:
        return np.int64(0)
    return missing


@njit(cache=True, nogil=True)
def best_first(initial: Any, r: Any, m: Any, w: Any, c: Any, cost: Any, weight: Any, mode: Any, limits: Any) -> Any:
    """A* (``weight`` 1) or weighted A* with reopening, or greedy search (``weight`` 0) without it.

    Paths that cost ``bound``, or that come to it with the heuristic's estimate, are cut off; in greedy search
    the estimate does not count. ``limits`` are as in ``lazy``. Returns (status, plan, evaluations, best f-value
    expanded).
    """
    bound, most, most_states, stop = limits
    words = initial.shape[0]
    states = np.empty((1024, words), np.uint64)
    parent = np.empty(1024, np.int32)
    operator = np.empty(1024, np.int32)
    path = np.empty(1024, np.int64)
    estimate = np.empty(1024, np.int64)
    closed = np.zeros(1024, np.int32)
    table = np.zeros(4096, np.int32)
    # An entry of the queue is stale if the node was reached more cheaply since.
    entry_node = np.empty(4096, np.int32)
    entry_path = np.empty(4096, np.int64)
    entries = 0
    heap = np.empty(4096, np.int64)
    size = 0
    nothing = np.empty(0, np.int32)
    state = initial.copy()
    parent[0] = -1
    operator[0] = -1
    path[0] = 0
    estimate[0] = estimate_state(initial, r, w, c, mode)
    evaluations = 1
    table = enter(table, states, slot_of(table, states, initial), 0, initial)
    count = 1
    lower = np.int64(0)
    expanded = np.empty(r.operator_count + 1, np.int32)
    pruned = estimate[0] < INFINITE and (bound <= 0 or (weight > 0 and estimate[0] >= bound))
    if estimate[0] < INFINITE and not pruned:
        entry_node[0] = 0
        entry_path[0] = 0
        entries = 1
        size = push(heap, size, np.int64(0))
    while size > 0:
        size = pop(heap, size)
        entry = heap[size] & ((1 << SEQUENCE_BITS) - 1)
        node = entry_node[entry]
        if entry_path[entry] > path[node] or closed[node] == 1:
            continue
        closed[node] = 1
        lower = max(lower, path[node] + estimate[node])
        if all_hold(states[node], r.goal, 0, r.goal.shape[0]):
            return SOLVED, trace(parent, operator, node), evaluations, lower
        applicable = 0
        for o in range(r.operator_count):
            if all_hold(states[node], r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
                expanded[applicable] = o
                applicable += 1
        for k in range(applicable):
            o = expanded[k]
            g = path[node] + cost[o]
            if g >= bound:
                pruned = True
                continue
            successor(states[node], o, m, state)
            slot = slot_of(table, states, state)
            child = table[slot] - 1
            if child < 0:
                if evaluations >= most:
                    return EVALUATIONS, nothing, evaluations, lower
                # Asked before each estimate, as a hundred of them can take a minute.
                if stop[0] != 0:
                    return STOPPED, nothing, evaluations, lower
                if count >= most_states or entries >= MOST_ENTRIES:
                    return MEMORY, nothing, evaluations, lower
                if count >= states.shape[0]:
                    states = grown_matrix(states)
                    parent = grown(parent)
                    operator = grown(operator)
                    path = grown(path)
                    estimate = grown(estimate)
                    closed = grown(closed)
                table = enter(table, states, slot, count, state)
                child = count
                count += 1
                estimate[child] = estimate_state(state, r, w, c, mode)
                evaluations += 1
            elif g >= path[child] or weight == 0:
                continue
            path[child] = g
            parent[child] = node
            operator[child] = o
            closed[child] = 0
            if estimate[child] >= INFINITE:
                continue
            if weight > 0 and g + estimate[child] >= bound:
                pruned = True
                continue
            if entries >= entry_node.shape[0]:
                entry_node = grown(entry_node)
                entry_path = grown(entry_path)
            if size + 1 >= heap.shape[0]:
                heap = grown(heap)
            entry_node[entries] = child
            entry_path[entries] = g
            value = g + weight * estimate[child] if weight > 0 else estimate[child]
            size = push(heap, size, (min(value, MOST_KEY) << SEQUENCE_BITS) | entries)
            entries += 1
    return PRUNED if pruned else EXHAUSTED, nothing, evaluations, lower


best_first_by_cuts = njit(cache=True, nogil=True)(best_first.function)
"""``best_first`` for landmark cuts, which is given their scratch space; the others give None in its place."""


# The compiled enforced hill-climbing: breadth-first to the next better state, and on from there.
#
# With h_FF only preferred ("helpful") operators are tried (Hoffmann and Nebel, "The FF planning system", 2001).
# No step is taken back, so it may end in a state with no better one in reach although there are plans.


@njit(cache=True, nogil=True)
def hill_climb(initial: Any, r: Any, m: Any, w: Any, c: Any, cost: Any, mode: Any, plateau: Any, limits: Any) -> Any:
    """Climb from ``initial``; returns (status, plan, evaluations).

    The status is ``EXHAUSTED`` where no better state is in reach, or none within ``plateau`` evaluations.
    ``limits`` are as in ``lazy``.
    """
    bound, most, most_states, stop = limits
    words = initial.shape[0]
    nothing = np.empty(0, np.int32)
    plan = np.empty(0, np.int32)
    state = initial.copy()
    g = np.int64(0)
    best = estimate_state(state, r, w, c, mode)
    evaluations = 1
    if bound <= 0 or best >= INFINITE:
        return EXHAUSTED, nothing, evaluations
    if all_hold(state, r.goal, 0, r.goal.shape[0]):
        return SOLVED, plan, evaluations
    while True:
        states = np.empty((256, words), np.uint64)
        parent = np.empty(256, np.int32)
        operator = np.empty(256, np.int32)
        path = np.empty(256, np.int64)
        start = np.zeros(257, np.int64)
        usable = np.empty(1024, np.int32)
        table = np.zeros(1024, np.int32)
        parent[0] = -1
        operator[0] = -1
        path[0] = g
        usable, start[1] = _append_operators(usable, 0, state, r, w, mode)
        table = enter(table, states, slot_of(table, states, state), 0, state)
        count = 1
        node = 0
        better = -1
        last = evaluations + plateau
        while better < 0 and node < count:
            for k in range(start[node], start[node + 1]):
                o = usable[k]
                if path[node] + cost[o] >= bound:
                    continue
                successor(states[node], o, m, state)
                slot = slot_of(table, states, state)
                if table[slot] != 0:
                    continue
                if stop[0] != 0:
                    return STOPPED, nothing, evaluations
                if evaluations >= most:
                    return EVALUATIONS, nothing, evaluations
                if evaluations >= last:
                    return EXHAUSTED, nothing, evaluations
                if count >= most_states:
                    return MEMORY, nothing, evaluations
                if count >= states.shape[0]:
                    states = grown_matrix(states)
                    parent = grown(parent)
                    operator = grown(operator)
                    path = grown(path)
                    start = grown(start)
                table = enter(table, states, slot, count, state)
                parent[count] = node
                operator[count] = o
                path[count] = path[node] + cost[o]
                child = count
                count += 1
                value = estimate_state(state, r, w, c, mode)
                evaluations += 1
                start[count] = start[child]
                if all_hold(state, r.goal, 0, r.goal.shape[0]):
                    return SOLVED, np.concatenate((plan, trace(parent, operator, child))), evaluations
                if value < best:
                    best = value
                    better = child
                    break
                if value < INFINITE:
                    usable, start[count] = _append_operators(usable, start[child], state, r, w, mode)
            node += 1
        if better < 0:
            return EXHAUSTED, nothing, evaluations
        plan = np.concatenate((plan, trace(parent, operator, better)))
        g = path[better]
        # What the last evaluation left in ``w`` is of this state.
        state = states[better].copy()


@njit(cache=True, nogil=True)
def _append_operators(usable: Any, size: Any, state: Any, r: Any, w: Any, mode: Any) -> Any:
    """The list with the operators to try in a state that was the last to be evaluated, and its new size."""
    while size + r.operator_count > usable.shape[0]:
        usable = grown(usable)
    if mode == FF:
        for k in range(w.counts[1]):
            usable[size] = w.preferred[k]
            size += 1
    elif mode < BLIND:
        for k in range(w.counts[0]):
            usable[size] = w.applicable[k]
            size += 1
    else:
        for o in range(r.operator_count):
            if all_hold(state, r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
                usable[size] = o
                size += 1
    return usable, size
