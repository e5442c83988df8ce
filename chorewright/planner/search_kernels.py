"""Compiled searches: lazy greedy best-first search with preferred operators, and (weighted) A*.

Ties are broken by age, so every run is the same. A search stops at a goal, when its queue is empty, at its
evaluation or state limit, or when another thread sets ``stop[0]``. An empty queue says that there is no plan
only if no path was cut off by its cost (``EXHAUSTED``, not ``PRUNED``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.planner.compiled import njit
from chorewright.planner.kernels import (
    FF,
    INFINITE,
    all_hold,
    evaluate,
    pop,
    push,
    successor,
)
from chorewright.planner.landmark_cut import landmark_cut

SOLVED, EXHAUSTED, EVALUATIONS, MEMORY, STOPPED, PRUNED = 0, 1, 2, 3, 4, 5
BLIND, GOAL_COUNT, LANDMARK_CUT = 10, 11, 12
BOOST = 1000
SEQUENCE_BITS = 28
MOST_KEY = 2**35 - 1
"""f-values are told apart below it; from it on, the queue is first in, first out."""
MOST_ENTRIES = 2**SEQUENCE_BITS - 2**20


@njit(cache=True, nogil=True)
def _hash_state(state: Any) -> Any:
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(state.shape[0]):
        h = (h ^ state[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(31))
    return h


@njit(cache=True, nogil=True)
def _slot(table: Any, states: Any, state: Any) -> Any:
    mask = np.uint64(table.shape[0] - 1)
    slot = _hash_state(state) & mask
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
def _rehash(table: Any, states: Any, count: Any) -> Any:
    larger = np.zeros(table.shape[0] * 2, np.int32)
    for i in range(count):
        larger[_slot(larger, states, states[i])] = i + 1
    return larger


@njit(cache=True, nogil=True)
def _grown_matrix(array: Any) -> Any:
    larger = np.empty((array.shape[0] * 2, array.shape[1]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def _grown64(array: Any) -> Any:
    larger = np.empty(array.shape[0] * 2, np.int64)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def _grown32(array: Any) -> Any:
    larger = np.empty(array.shape[0] * 2, np.int32)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def _trace(parent: Any, operator: Any, node: Any) -> Any:
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
def _value(state: Any, r: Any, w: Any, c: Any, mode: Any) -> Any:
    if mode < BLIND:
        return evaluate(state, r, w, mode)
    if mode == LANDMARK_CUT:
        return landmark_cut(state, r, c)
    missing = np.int64(0)
    for k in range(r.goal.shape[0]):
        if not all_hold(state, r.goal, k, k + 1):
            missing += 1
    if mode == BLIND:
        return np.int64(0)
    return missing


@njit(cache=True, nogil=True)
def greedy(
    initial: Any, r: Any, m: Any, w: Any, cost: Any, bound: Any, most: Any, most_states: Any, stop: Any
) -> Any:
    """Lazy greedy best-first search with h_FF, its preferred operators in a second queue that is boosted.

    ``cost`` are the operators' true costs; paths of at least ``bound`` are cut off. Returns (status, plan,
    evaluations).
    """
    words = initial.shape[0]
    states = np.empty((1024, words), np.uint64)
    parent = np.empty(1024, np.int32)
    operator = np.empty(1024, np.int32)
    path = np.empty(1024, np.int64)
    table = np.zeros(4096, np.int32)
    count = 0
    entry_parent = np.empty(4096, np.int32)
    entry_operator = np.empty(4096, np.int32)
    entries = 0
    all_heap = np.empty(4096, np.int64)
    all_size = 0
    preferred_heap = np.empty(4096, np.int64)
    preferred_size = 0
    all_priority = 0
    preferred_priority = 0
    best = np.int64(INFINITE)
    evaluations = 0
    state = initial.copy()
    from_node = -1
    by = -1
    g = np.int64(0)
    nothing = np.empty(0, np.int32)
    pruned = bound <= 0
    while True:
        slot = _slot(table, states, state)
        if table[slot] == 0 and g < bound:
            if stop[0] != 0:
                return STOPPED, nothing, evaluations
            if evaluations >= most:
                return EVALUATIONS, nothing, evaluations
            if count >= most_states or entries >= MOST_ENTRIES:
                return MEMORY, nothing, evaluations
            if count >= states.shape[0]:
                states = _grown_matrix(states)
                parent = _grown32(parent)
                operator = _grown32(operator)
                path = _grown64(path)
            for i in range(words):
                states[count, i] = state[i]
            parent[count] = from_node
            operator[count] = by
            path[count] = g
            node = count
            count += 1
            table[slot] = count
            if 3 * count > table.shape[0]:
                table = _rehash(table, states, count)
            if all_hold(state, r.goal, 0, r.goal.shape[0]):
                return SOLVED, _trace(parent, operator, node), evaluations
            value = evaluate(state, r, w, FF)
            evaluations += 1
            if value < INFINITE:
                if value < best:
                    best = value
                    preferred_priority -= BOOST
                # Preferred operators are a subset of the applicable ones, both ascending.
                next_preferred = 0
                number = w.counts[0]
                while entries + number > entry_parent.shape[0]:
                    entry_parent = _grown32(entry_parent)
                    entry_operator = _grown32(entry_operator)
                while all_size + number >= all_heap.shape[0]:
                    all_heap = _grown64(all_heap)
                while preferred_size + number >= preferred_heap.shape[0]:
                    preferred_heap = _grown64(preferred_heap)
                for k in range(number):
                    o = w.applicable[k]
                    key = (min(value, MOST_KEY) << SEQUENCE_BITS) | entries
                    entry_parent[entries] = node
                    entry_operator[entries] = o
                    entries += 1
                    all_size = push(all_heap, all_size, key)
                    if next_preferred < w.counts[1] and w.preferred[next_preferred] == o:
                        next_preferred += 1
                        preferred_size = push(preferred_heap, preferred_size, key)
        if all_size == 0 and preferred_size == 0:
            return PRUNED if pruned else EXHAUSTED, nothing, evaluations
        if preferred_size > 0 and (preferred_priority <= all_priority or all_size == 0):
            preferred_priority += 1
            preferred_size = pop(preferred_heap, preferred_size)
            key = preferred_heap[preferred_size]
        else:
            all_priority += 1
            all_size = pop(all_heap, all_size)
            key = all_heap[all_size]
        entry = key & ((1 << SEQUENCE_BITS) - 1)
        from_node = entry_parent[entry]
        by = entry_operator[entry]
        if by < 0:
            g = np.int64(bound)  # already expanded from the other queue
            for i in range(words):
                state[i] = states[from_node, i]
            continue
        entry_operator[entry] = -1
        g = path[from_node] + cost[by]
        if g < bound:
            successor(states[from_node], by, m, state)
        else:
            pruned = True


@njit(cache=True, nogil=True)
def best_first(
    initial: Any,
    r: Any,
    m: Any,
    w: Any,
    c: Any,
    cost: Any,
    weight: Any,
    mode: Any,
    bound: Any,
    most: Any,
    most_states: Any,
    stop: Any,
) -> Any:
    """A* (``weight`` 1) or weighted A* with reopening; paths whose f-value reaches ``bound`` are cut off.

    Returns (status, plan, evaluations, best f-value expanded).
    """
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
    for i in range(words):
        states[0, i] = initial[i]
    parent[0] = -1
    operator[0] = -1
    path[0] = 0
    estimate[0] = _value(initial, r, w, c, mode)
    evaluations = 1
    table[_slot(table, states, states[0])] = 1
    count = 1
    lower = np.int64(0)
    expanded = np.empty(r.operator_count + 1, np.int32)
    pruned = estimate[0] < INFINITE and estimate[0] >= bound
    if estimate[0] < INFINITE and not pruned:
        entry_node[0] = 0
        entry_path[0] = 0
        entries = 1
        size = push(heap, size, min(weight * estimate[0], MOST_KEY) << SEQUENCE_BITS)
    while size > 0:
        size = pop(heap, size)
        entry = heap[size] & ((1 << SEQUENCE_BITS) - 1)
        node = entry_node[entry]
        if entry_path[entry] > path[node] or closed[node] == 1:
            continue
        closed[node] = 1
        lower = max(lower, path[node] + estimate[node])
        if all_hold(states[node], r.goal, 0, r.goal.shape[0]):
            return SOLVED, _trace(parent, operator, node), evaluations, lower
        if stop[0] != 0:
            return STOPPED, nothing, evaluations, lower
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
            slot = _slot(table, states, state)
            child = table[slot] - 1
            if child < 0:
                if evaluations >= most:
                    return EVALUATIONS, nothing, evaluations, lower
                if count >= most_states or entries >= MOST_ENTRIES:
                    return MEMORY, nothing, evaluations, lower
                if count >= states.shape[0]:
                    states = _grown_matrix(states)
                    parent = _grown32(parent)
                    operator = _grown32(operator)
                    path = _grown64(path)
                    estimate = _grown64(estimate)
                    closed = _grown32(closed)
                for i in range(words):
                    states[count, i] = state[i]
                child = count
                count += 1
                table[slot] = count
                if 3 * count > table.shape[0]:
                    table = _rehash(table, states, count)
                estimate[child] = _value(state, r, w, c, mode)
                evaluations += 1
            elif g >= path[child]:
                continue
            path[child] = g
            parent[child] = node
            operator[child] = o
            closed[child] = 0
            if estimate[child] >= INFINITE:
                continue
            if g + estimate[child] >= bound:
                pruned = True
                continue
            if entries >= entry_node.shape[0]:
                entry_node = _grown32(entry_node)
                entry_path = _grown64(entry_path)
            if size + 1 >= heap.shape[0]:
                heap = _grown64(heap)
            entry_node[entries] = child
            entry_path[entries] = g
            size = push(heap, size, (min(g + weight * estimate[child], MOST_KEY) << SEQUENCE_BITS) | entries)
            entries += 1
    return PRUNED if pruned else EXHAUSTED, nothing, evaluations, lower
