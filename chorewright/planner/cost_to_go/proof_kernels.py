"""Proof search: A* with landmark cuts that looks for plans below a bound, or shows that there are none.

A state's cuts are landmarks of its successors too, except those that the operator applied is in: so a
successor's cost is bounded before it is evaluated, most successors never are, and evaluating the others takes
only the cuts that are new (Pommerening and Helmert, "Incremental LM-Cut", ICAPS 2013). A step whose additions
nothing can use as cheaply as the bound asks is left out. Among equal f-values the youngest is first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.cost_to_go.bounded_tasks import chains
from chorewright.planner.search.heuristics.delete_relaxation import INFINITE
from chorewright.planner.search.heuristics.landmark_cut import further_cuts
from chorewright.planner.search.search_kernels import (
    MOST_ENTRIES,
    MOST_KEY,
    SEQUENCE_BITS,
    enter,
    grown,
    grown_matrix,
    slot_of,
    trace,
)
from chorewright.planner.search.states import all_hold, holds, pop, push, successor

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
def _inherit(
    all_items: Any, all_ends: Any, all_prices: Any, first: Any, last: Any, o: Any, items: Any, ends: Any, prices: Any
) -> Any:
    """Copy the cuts from ``first`` to ``last`` that an operator is not in; returns them and how many."""
    count = 0
    used = np.int64(0)
    for i in range(first, last):
        start = all_ends[i - 1] if i > 0 else np.int64(0)
        if (all_items[start : all_ends[i]] == o).any():
            continue
        if count == ends.shape[0]:
            ends = grown(ends)
            prices = grown(prices)
        while used + all_ends[i] - start > items.shape[0]:
            items = grown(items)
        items[used : used + all_ends[i] - start] = all_items[start : all_ends[i]]
        used += all_ends[i] - start
        ends[count] = used
        prices[count] = all_prices[i]
        count += 1
    return items, ends, prices, count


@njit(cache=True, nogil=True)
def _append(
    all_items: Any, all_ends: Any, all_prices: Any, count: Any, items: Any, ends: Any, prices: Any, more: Any
) -> Any:
    """Write cuts behind ``count`` others; returns them all and how many."""
    used = all_ends[count - 1] if count > 0 else np.int64(0)
    size = ends[more - 1] if more > 0 else np.int64(0)
    while count + more > all_ends.shape[0]:
        all_ends = grown(all_ends)
        all_prices = grown(all_prices)
    while used + size > all_items.shape[0]:
        all_items = grown(all_items)
    all_items[used : used + size] = items[:size]
    all_ends[count : count + more] = ends[:more] + used
    all_prices[count : count + more] = prices[:more]
    return all_items, all_ends, all_prices, count + more


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
    # Of each evaluated state: its bound, what of it is left without each operator, and where its cuts end.
    total = np.empty(64, np.int64)
    without = np.empty((64, max(1, r.operator_count)), np.int64)
    last_cut = np.empty(64, np.int64)
    rows = 0
    cut_items, cut_ends, cut_prices = np.empty(4096, np.int32), np.empty(512, np.int64), np.empty(512, np.int64)
    items, ends, prices = np.empty(1024, np.int32), np.empty(64, np.int64), np.empty(64, np.int64)
    left_of = np.zeros(r.need.shape[0], np.int64)
    use = np.empty(r.fact_count, np.int64)
    entry_node = np.empty(size, np.int32)
    entries = 1
    heap = np.empty(size, np.int64)
    state = initial.copy()
    parent[0] = -1
    operator[0] = -1
    path[0] = 0
    estimate[0] = 0
    table = enter(table, states, slot_of(table, states, initial), 0, initial)
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
            inherited = 0
            if parent[node] >= 0:
                above = row[parent[node]]
                first = last_cut[above - 1] if above > 0 else np.int64(0)
                items, ends, prices, inherited = _inherit(
                    cut_items, cut_ends, cut_prices, first, last_cut[above], operator[node], items, ends, prices
                )
            value, items, ends, prices, known = further_cuts(states[node], r, c, (items, ends, prices, inherited))
            evaluations += 1
            phase[node] = 1
            if rows >= total.shape[0]:
                without = grown_matrix(without)
                total = grown(total)
                last_cut = grown(last_cut)
            row[node] = rows
            total[rows] = value
            for o in range(r.operator_count):
                without[rows, o] = value - c.taken[o]
            cut_items, cut_ends, cut_prices, last_cut[rows] = _append(
                cut_items,
                cut_ends,
                cut_prices,
                last_cut[rows - 1] if rows > 0 else np.int64(0),
                items,
                ends,
                prices,
                known,
            )
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
                        entry_node = grown(entry_node)
                    if heaped + 1 >= heap.shape[0]:
                        heap = grown(heap)
                    entry_node[entries] = node
                    heaped = push(heap, heaped, _key(g + value, entries))
                    entries += 1
                continue
        phase[node] = 2
        kept = without[row[node]]
        for a in range(r.operator_count):
            left_of[a] = r.cost[a] - (total[row[node]] - kept[a])
        chains(r, c.added_by, left_of, use)
        height = _height(states[node], p)
        for o in range(r.operator_count):
            reached = g + cost[o]
            # The landmarks that the operator is not in, and what the state's own bound leaves.
            less = kept[o] - (p.after[o] if p.after[o] >= 0 else height)
            left = max(np.int64(0), less, estimate[node] - cost[o])
            if reached + left >= max(best, beyond):
                continue
            if not all_hold(states[node], r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
                continue
            used = np.int64(INFINITE)
            for k in range(r.adds.start[o], r.adds.start[o + 1]):
                if not holds(states[node], r.adds.items[k]):
                    used = min(used, use[r.adds.items[k]])
            if used >= INFINITE:
                continue
            if reached + max(left, less + used) >= best:
                beyond = min(beyond, reached + max(left, less + used))
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
                    parent = grown(parent)
                    operator = grown(operator)
                    path = grown(path)
                    estimate = grown(estimate)
                    phase = grown(phase)
                    row = grown(row)
                table = enter(table, states, slot, count, state)
                child = count
                count += 1
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
                entry_node = grown(entry_node)
            if heaped + 1 >= heap.shape[0]:
                heap = grown(heap)
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
