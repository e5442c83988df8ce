"""The compiled enforced hill-climbing: breadth-first to the next better state, and on from there.

With h_FF only preferred ("helpful") operators are tried (Hoffmann and Nebel, "The FF planning system", 2001).
No step is taken back, so it may end in a state with no better one in reach although there are plans.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import copy_items, njit
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE
from chorewright.planner.search.search_kernels import (
    BLIND,
    EVALUATIONS,
    EXHAUSTED,
    MEMORY,
    SOLVED,
    STOPPED,
    estimate_state,
    grown,
    grown_matrix,
    rehash,
    slot_of,
    trace,
)
from chorewright.planner.search.states import all_hold, successor


@njit(cache=True, nogil=True)
def hill_climb(
    initial: Any,
    r: Any,
    m: Any,
    w: Any,
    c: Any,
    cost: Any,
    mode: Any,
    plateau: Any,
    bound: Any,
    most: Any,
    most_states: Any,
    stop: Any,
) -> Any:
    """Climb from ``initial``; returns (status, plan, evaluations).

    The status is ``EXHAUSTED`` where no better state is in reach, or none within ``plateau`` evaluations.
    """
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
        copy_items(states[0], state, state.shape[0])
        parent[0] = -1
        operator[0] = -1
        path[0] = g
        usable, start[1] = _append_operators(usable, 0, states[0], r, w, mode)
        table[slot_of(table, states, states[0])] = 1
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
                copy_items(states[count], state, state.shape[0])
                parent[count] = node
                operator[count] = o
                path[count] = path[node] + cost[o]
                child = count
                count += 1
                table[slot] = count
                if 3 * count > table.shape[0]:
                    table = rehash(table, states, count)
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
