"""The compiled lazy search: greedy or weighted best-first, with preferred operators and further queues.

States are evaluated when they are expanded, so a queue orders by the parent's values. There are always a
queue ordered by h_FF and one of its preferred operators; landmarks, if any are given, add two ordered by the
cost of those to come, and ``novel`` one of the states with a fact that no state with as few landmarks to come
had. The queues take turns; those of preferred operators get ``BOOST`` turns whenever a heuristic reaches a
new least value (Richter and Helmert, "Preferred operators and deferred evaluation", 2009). Ties are broken by
age. With ``ahead``, the queue of preferred operators ordered by landmarks has the successors' own values, not
their parent's: they cost little beside h_FF, and on plateaus of landmarks most siblings need no evaluation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE
from chorewright.planner.search.heuristics.landmarks import accept, comes_true, timely, to_come
from chorewright.planner.search.search_kernels import (
    EVALUATIONS,
    EXHAUSTED,
    MEMORY,
    MOST_ENTRIES,
    MOST_KEY,
    PRUNED,
    SEQUENCE_BITS,
    SOLVED,
    STOPPED,
    enter,
    grown,
    grown_matrix,
    slot_of,
    trace,
)
from chorewright.planner.search.states import all_hold, holds, pop, push, successor

BOOST = 1000
ALL, PREFERRED, LANDMARKS, PREFERRED_LANDMARKS, NOVEL, QUEUES = 0, 1, 2, 3, 4, 5
PARTITIONS = 512
"""Numbers of landmarks to come that novelty tells apart."""


@njit(cache=True, nogil=True)
def lazy(
    initial: Any,
    r: Any,
    m: Any,
    w: Any,
    marks: Any,
    cost: Any,
    weight: Any,
    surcharge: Any,
    novel: Any,
    ahead: Any,
    limits: Any,
) -> Any:
    """Search from ``initial``; returns (status, plan, evaluations).

    ``limits`` are those of ``Budget.below``: a bound on costs, evaluations, states, and a number that ends the search.

    ``cost`` are the operators' true costs; paths of at least ``bound`` are cut off. With ``weight`` 0 the
    queues are ordered by the heuristic alone; else by the path's cost and the weighted heuristic, states
    that are reached at less cost are expanded again, and paths are also cut off where h_FF, less
    ``surcharge`` a step of the relaxed plan, says that they come to the bound.
    """
    bound, most, most_states, stop = limits
    words = initial.shape[0]
    states = np.empty((1024, words), np.uint64)
    parent = np.empty(1024, np.int32)
    operator = np.empty(1024, np.int32)
    path = np.empty(1024, np.int64)
    length = np.empty(1024, np.int64)
    counting = marks.cost.shape[0] > 0
    mark_words = (marks.cost.shape[0] + 63) // 64
    accepted = np.zeros((1024 if counting else 1, mark_words), np.uint64)
    now_accepted = np.zeros(mark_words, np.uint64)
    following = np.empty(words, np.uint64)
    then_accepted = np.zeros(mark_words, np.uint64)
    table = np.zeros(4096, np.int32)
    count = 0
    entry_parent = np.empty(4096, np.int32)
    entry_operator = np.empty(4096, np.int32)
    entries = 0
    heaps = np.empty((QUEUES, 4096), np.int64)
    sizes = np.zeros(QUEUES, np.int64)
    priority = np.zeros(QUEUES, np.int64)
    seen = np.zeros((PARTITIONS if novel else 1, words), np.uint64)
    best = np.int64(INFINITE)
    best_marks = np.int64(INFINITE)
    evaluations = 0
    state = initial.copy()
    from_node = -1
    by = -1
    g = np.int64(0)
    nothing = np.empty(0, np.int32)
    pruned = bound <= 0
    while True:
        node = -1
        if g < bound:
            slot = slot_of(table, states, state)
            known = table[slot] - 1
            if known < 0 or (weight > 0 and g < path[known]):
                node = known
                if stop[0] != 0:
                    return STOPPED, nothing, evaluations
                if evaluations >= most:
                    return EVALUATIONS, nothing, evaluations
                if count >= most_states or entries >= MOST_ENTRIES:
                    return MEMORY, nothing, evaluations
                if node < 0:
                    if count >= states.shape[0]:
                        states = grown_matrix(states)
                        parent = grown(parent)
                        operator = grown(operator)
                        path = grown(path)
                        length = grown(length)
                        if counting:
                            accepted = grown_matrix(accepted)
                    table = enter(table, states, slot, count, state)
                    node = count
                    count += 1
                parent[node] = from_node
                operator[node] = by
                path[node] = g
                length[node] = 0 if by < 0 else length[from_node] + r.cost[by]
                if all_hold(state, r.goal, 0, r.goal.shape[0]):
                    return SOLVED, trace(parent, operator, node), evaluations
                value = evaluate(state, r, w, FF)
                evaluations += 1
                if value >= INFINITE:
                    node = -1
                elif weight > 0 and g + value - surcharge * w.counts[2] >= bound:
                    pruned = True
                    node = -1
        if node >= 0:
            if value < best:
                best = value
                priority[PREFERRED] -= BOOST
                priority[PREFERRED_LANDMARKS] -= BOOST
            marks_value = np.int64(0)
            fresh = False
            if counting:
                if from_node >= 0:
                    accept(accepted[from_node], state, marks, now_accepted)
                else:
                    accept(now_accepted, state, marks, now_accepted)
                for i in range(mark_words):
                    accepted[node, i] = now_accepted[i]
                marks_value = to_come(now_accepted, state, marks)
                if marks_value < best_marks:
                    best_marks = marks_value
                    priority[PREFERRED] -= BOOST
                    priority[PREFERRED_LANDMARKS] -= BOOST
            if novel:
                part = 0
                for k in range(marks.cost.shape[0]):
                    if not comes_true(k, state, marks):
                        part += 1
                part = min(part, PARTITIONS - 1)
                for i in range(words):
                    if state[i] & ~seen[part, i] != np.uint64(0):
                        fresh = True
                    seen[part, i] |= state[i]
            number = w.counts[0]
            while entries + number > entry_parent.shape[0]:
                entry_parent = grown(entry_parent)
                entry_operator = grown(entry_operator)
            largest = np.int64(0)
            for q in range(QUEUES):
                largest = max(largest, sizes[q])
            while largest + number >= heaps.shape[1]:
                larger = np.empty((QUEUES, 2 * heaps.shape[1]), np.int64)
                for q in range(QUEUES):
                    larger[q, : sizes[q]] = heaps[q, : sizes[q]]
                heaps = larger
            if weight > 0:
                value = length[node] + weight * value
                marks_value = length[node] + weight * marks_value
            next_preferred = 0  # preferred operators are among the applicable ones, both ascending
            for k in range(number):
                o = w.applicable[k]
                entry_parent[entries] = node
                entry_operator[entries] = o
                key = (min(value, MOST_KEY) << SEQUENCE_BITS) | entries
                sizes[ALL] = push(heaps[ALL], sizes[ALL], key)
                preferred = next_preferred < w.counts[1] and w.preferred[next_preferred] == o
                if preferred:
                    next_preferred += 1
                elif counting:
                    preferred = _leads_on(o, m, marks, now_accepted)
                if preferred:
                    sizes[PREFERRED] = push(heaps[PREFERRED], sizes[PREFERRED], key)
                if counting:
                    key = (min(marks_value, MOST_KEY) << SEQUENCE_BITS) | entries
                    sizes[LANDMARKS] = push(heaps[LANDMARKS], sizes[LANDMARKS], key)
                    if preferred:
                        if ahead:
                            successor(states[node], o, m, following)
                            accept(now_accepted, following, marks, then_accepted)
                            then = to_come(then_accepted, following, marks)
                            key = (min(then, MOST_KEY) << SEQUENCE_BITS) | entries
                        sizes[PREFERRED_LANDMARKS] = push(heaps[PREFERRED_LANDMARKS], sizes[PREFERRED_LANDMARKS], key)
                if fresh:
                    key = (min(marks_value, MOST_KEY) << SEQUENCE_BITS) | entries
                    sizes[NOVEL] = push(heaps[NOVEL], sizes[NOVEL], key)
                entries += 1
        queue = -1
        for q in (PREFERRED, PREFERRED_LANDMARKS, ALL, LANDMARKS, NOVEL):
            if sizes[q] > 0 and (queue < 0 or priority[q] < priority[queue]):
                queue = q
        if queue < 0:
            return PRUNED if pruned else EXHAUSTED, nothing, evaluations
        priority[queue] += 1
        sizes[queue] = pop(heaps[queue], sizes[queue])
        entry = heaps[queue, sizes[queue]] & ((1 << SEQUENCE_BITS) - 1)
        from_node = entry_parent[entry]
        by = entry_operator[entry]
        if by < 0:
            g = np.int64(bound)  # already expanded from another queue
            continue
        entry_operator[entry] = -1
        g = path[from_node] + cost[by]
        if g < bound:
            successor(states[from_node], by, m, state)
        else:
            pruned = True


@njit(cache=True, nogil=True)
def _leads_on(o: Any, m: Any, marks: Any, accepted: Any) -> Any:
    """Whether an operator can make a landmark true that has not been so on this path."""
    for e in range(m.effect_start[o], m.effect_start[o + 1]):
        for k in range(m.add.start[e], m.add.start[e + 1]):
            number = marks.number[m.add.items[k]]
            if number >= 0 and not holds(accepted, number) and timely(number, accepted, marks):
                return True
        for k in range(m.delete.start[e], m.delete.start[e + 1]):
            fact = m.complement[m.delete.items[k]]
            number = marks.number[fact] if fact >= 0 else np.int32(-1)
            if number >= 0 and not holds(accepted, number) and timely(number, accepted, marks):
                return True
    return False
