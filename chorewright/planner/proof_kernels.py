"""Proof search: A* with landmark cuts that looks for plans below a bound, or shows that there are none.

A state's cuts are landmarks of its successors too, except those that the operator applied is in: so a
successor's cost is bounded before it is evaluated, and most successors never are (the incremental landmarks
of Pommerening and Helmert, "Incremental LM-Cut", ICAPS 2013). Among equal f-values the youngest is first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.planner.compiled import njit
from chorewright.planner.kernels import INFINITE, all_hold, holds, pop, push, successor
from chorewright.planner.landmark_cut import landmark_cut
from chorewright.planner.search_kernels import (
    MOST_ENTRIES,
    MOST_KEY,
    SEQUENCE_BITS,
    grown32,
    grown64,
    grown_matrix,
    rehash,
    slot_of,
    trace,
)

PROVEN, OUT_OF_EVALUATIONS, OUT_OF_MEMORY = 0, 1, 2


@njit(cache=True, nogil=True)
def _key(f: Any, sequence: Any) -> Any:
    return (min(f, MOST_KEY) << SEQUENCE_BITS) | (MOST_ENTRIES - sequence)


@njit(cache=True, nogil=True)
def _height(state: Any, p: Any) -> Any:
    """The potential of the state's value."""
    total = np.int64(0)
    for i in range(p.facts.shape[0]):
        if holds(state, p.facts[i]):
            total += p.amount[i]
    return total


@njit(cache=True, nogil=True)
def prove(initial: Any, p: Any, m: Any, c: Any, cost: Any, bound: Any, most: Any, most_states: Any) -> Any:
    """Search for the cheapest plan that costs less than ``bound``.

    ``p`` are the potentials with which states are evaluated; ``most`` bounds the evaluations, ``most_states``
    the states stored.
    Returns (status, whether a plan was found, the cheapest plan found, its cost or ``bound``, evaluations, a
    lower bound). ``PROVEN`` says that the plan is optimal, or that no plan costs less than the bound; what
    was left out because of the bound then tells how much more they cost at least.
    """
    r = p.relaxation
    words = initial.shape[0]
    size = 256
    states = np.empty((size, words), np.uint64)
    parent = np.empty(size, np.int32)
    operator = np.empty(size, np.int32)
    path = np.empty(size, np.int64)
    estimate = np.empty(size, np.int64)
    # 0: the estimate is inherited; 1: evaluated; 2: expanded.
    phase = np.zeros(size, np.int32)
    row = np.empty(size, np.int32)
    table = np.zeros(4 * size, np.int32)
    taken = np.empty((64, max(1, r.operator_count)), np.int64)
    rows = 0
    entry_node = np.empty(size, np.int32)
    entries = 1
    heap = np.empty(size, np.int64)
    state = initial.copy()
    states[0] = initial
    parent[0] = -1
    operator[0] = -1
    path[0] = 0
    estimate[0] = 0
    table[slot_of(table, states, states[0])] = 1
    count = 1
    evaluations = 0
    entry_node[0] = 0
    heaped = push(heap, 0, _key(np.int64(0), 0))
    goal_node = np.int64(-1)
    lower = np.int64(0)
    best = np.int64(bound)
    beyond = np.int64(INFINITE)
    status = PROVEN
    if best > 0 and all_hold(initial, r.goal, 0, r.goal.shape[0]):
        best = np.int64(0)
        goal_node = np.int64(0)
    while heaped > 0:
        heaped = pop(heap, heaped)
        entry = MOST_ENTRIES - (heap[heaped] & ((1 << SEQUENCE_BITS) - 1))
        node = entry_node[entry]
        g = path[node]
        f = g + estimate[node]
        if phase[node] == 2 or min(f, MOST_KEY) != heap[heaped] >> SEQUENCE_BITS:
            continue  # stale
        if f >= best:
            beyond = min(beyond, f)
            break
        lower = max(lower, f)
        if phase[node] == 0:
            if evaluations >= most:
                status = OUT_OF_EVALUATIONS
                break
            value = landmark_cut(states[node], r, c)
            evaluations += 1
            phase[node] = 1
            if rows >= taken.shape[0]:
                taken = grown_matrix(taken)
            row[node] = rows
            for o in range(r.operator_count):
                taken[rows, o] = value - c.taken[o]
            rows += 1
            if value < INFINITE:
                value -= _height(states[node], p)
            if value > estimate[node]:
                estimate[node] = value
                if value < INFINITE and g + value >= best:
                    beyond = min(beyond, g + value)
                if value < INFINITE and g + value < best:
                    if entries >= MOST_ENTRIES:
                        status = OUT_OF_MEMORY
                        break
                    if entries >= entry_node.shape[0]:
                        entry_node = grown32(entry_node)
                    if heaped + 1 >= heap.shape[0]:
                        heap = grown64(heap)
                    entry_node[entries] = node
                    heaped = push(heap, heaped, _key(g + value, entries))
                    entries += 1
                continue
        phase[node] = 2
        kept = taken[row[node]]
        height = _height(states[node], p)
        for o in range(r.operator_count):
            reached = g + cost[o]
            # The landmarks that the operator is not in, and what the state's own bound leaves.
            left = kept[o] - (p.after[o] if p.after[o] >= 0 else height)
            left = max(np.int64(0), left, estimate[node] - cost[o])
            if reached + left >= max(best, beyond):
                continue
            if not all_hold(states[node], r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
                continue
            if reached + left >= best:
                beyond = reached + left
                continue
            successor(states[node], o, m, state)
            slot = slot_of(table, states, state)
            child = table[slot] - 1
            if child < 0:
                if count >= most_states:
                    status = OUT_OF_MEMORY
                    break
                if count >= states.shape[0]:
                    states = grown_matrix(states)
                    parent = grown32(parent)
                    operator = grown32(operator)
                    path = grown64(path)
                    estimate = grown64(estimate)
                    phase = grown32(phase)
                    row = grown32(row)
                for i in range(words):
                    states[count, i] = state[i]
                child = count
                count += 1
                table[slot] = count
                if 3 * count > table.shape[0]:
                    table = rehash(table, states, count)
                estimate[child] = left
                phase[child] = 0
                path[child] = INFINITE
            nearer = reached < path[child]
            if left > estimate[child]:
                estimate[child] = left
            elif not nearer:
                continue
            if nearer:
                path[child] = reached
                parent[child] = node
                operator[child] = o
                if phase[child] == 2:
                    phase[child] = 1
                if all_hold(state, r.goal, 0, r.goal.shape[0]):
                    best = reached
                    goal_node = np.int64(child)
                    continue
            f = path[child] + estimate[child]
            if f >= best:
                beyond = min(beyond, f)
            if phase[child] == 2 or f >= best:
                continue
            if entries >= MOST_ENTRIES:
                status = OUT_OF_MEMORY
                break
            if entries >= entry_node.shape[0]:
                entry_node = grown32(entry_node)
            if heaped + 1 >= heap.shape[0]:
                heap = grown64(heap)
            entry_node[entries] = child
            heaped = push(heap, heaped, _key(f, entries))
            entries += 1
        if status != PROVEN:
            break
    plan = np.empty(0, np.int32)
    if goal_node >= 0:
        plan = trace(parent, operator, goal_node)
    if status == PROVEN:
        lower = best if goal_node >= 0 else beyond
    return status, goal_node >= 0, plan, best, evaluations, lower if status == PROVEN else min(lower, best)


@njit(cache=True, nogil=True)
def first_applicable(state: Any, operators: Any, start: Any, items: Any) -> Any:
    """The first of some operators of which the state meets all preconditions, or -1."""
    for k in range(operators.shape[0]):
        if all_hold(state, items, start[operators[k]], start[operators[k] + 1]):
            return operators[k]
    return -1


__all__ = ["OUT_OF_EVALUATIONS", "OUT_OF_MEMORY", "PROVEN", "first_applicable", "prove"]
