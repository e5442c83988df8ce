"""The compiled best-first width search: states with something new first, of these those with least to come.

A state is new if it has a fact, or a pair of facts, that no state before had that was as far on the way: with
as many landmarks to come, and as many of the facts that the last relaxed plan was to make true. What is new
in neither sense is left out, so a search may end without a plan where there is one (Lipovetzky and Geffner,
"Best-first width search", AAAI 2017, BFWS(f5) with landmarks in place of goals, pruned at width 2). A relaxed
plan is made only where there are fewer landmarks to come than before, which is why states are cheap here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE
from chorewright.planner.search.heuristics.landmarks import accept, to_come
from chorewright.planner.search.search_kernels import (
    EVALUATIONS,
    MEMORY,
    MOST_ENTRIES,
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

MOST_FACTS = 512
"""Facts of a relaxed plan that are counted."""

CHEAP = 32
"""States that are looked at for the price of one evaluation."""

PAIR_BITS = 27
"""Bits by which pairs are told apart."""

FURTHEST = 2**20
"""More landmarks to come than any state has."""


@njit(cache=True, nogil=True)
def widen(initial: Any, r: Any, m: Any, w: Any, marks: Any, watched: Any, cost: Any, limits: Any) -> Any:
    """Search from ``initial``; returns (status, plan, evaluations).

    ``watched`` lists operators by one fact that each requires; its last list has those that require none.
    Landmarks are counted by their costs. ``limits`` are as in ``lazy``.
    """
    bound, most, most_states, stop = limits
    words = initial.shape[0]
    mark_words = (marks.cost.shape[0] + 63) // 64
    met_words = MOST_FACTS // 64
    states = np.empty((1024, words), np.uint64)
    accepted = np.zeros((1024, mark_words), np.uint64)
    met = np.zeros((1024, met_words), np.uint64)
    parent = np.empty(1024, np.int32)
    operator = np.empty(1024, np.int32)
    plan_of = np.empty(1024, np.int32)
    left = np.empty(1024, np.int64)
    path = np.empty(1024, np.int64)
    table = np.zeros(4096, np.int32)
    heap = np.empty(4096, np.int64)
    size = 0
    plan_start = np.zeros(64, np.int64)
    plan_facts = np.empty(4096, np.int32)
    plans = 0
    row_of = np.zeros((1 + marks.cost.sum()) * (MOST_FACTS + 1), np.int32)
    rows = 0
    seen = np.zeros((64, words), np.uint64)
    pairs = np.zeros(1 << (PAIR_BITS - 6), np.uint64)
    numbers = scatter(r.fact_count)
    usable = np.empty(r.operator_count + 1, np.int32)
    nothing = np.empty(0, np.int32)
    state = initial.copy()
    now_accepted = np.zeros(mark_words, np.uint64)
    now_met = np.zeros(met_words, np.uint64)
    count = 0
    looked = 0
    evaluated = 0
    node = -1
    number = 1
    if bound <= 0:
        return PRUNED, nothing, evaluated
    while True:
        for k in range(number):
            by = usable[k] if node >= 0 else -1
            g = path[node] + cost[by] if node >= 0 else np.int64(0)
            if g >= bound:
                continue
            if node >= 0:
                successor(states[node], by, m, state)
                accept(accepted[node], state, marks, now_accepted)
            else:
                accept(now_accepted, state, marks, now_accepted)
            looked += 1
            if stop[0] != 0:
                return STOPPED, nothing, evaluated + looked // CHEAP
            if evaluated + looked // CHEAP >= most:
                return EVALUATIONS, nothing, evaluated + looked // CHEAP
            solved = all_hold(state, r.goal, 0, r.goal.shape[0])
            value = to_come(now_accepted, state, marks)
            nearer = node < 0 or value < left[node]
            if nearer and not solved:
                now_met[:] = 0
                done = 0
            elif node >= 0:
                which = plan_of[node]
                done = _mark_met(state, plan_facts, plan_start[which], plan_start[which + 1], met[node], now_met)
            place = value * (MOST_FACTS + 1) + done
            if row_of[place] == 0:
                if rows >= seen.shape[0]:
                    seen = _wider(seen)
                rows += 1
                row_of[place] = rows
            row = np.int64(row_of[place] - 1)
            fresh = solved or new_fact(state, seen[row])
            before = states[node] if node >= 0 else state
            if not new_pair(state, before, m, numbers, pairs, row, node < 0) and not fresh:
                continue
            slot = slot_of(table, states, state)
            if table[slot] != 0:
                continue
            which = np.int64(plan_of[node]) if node >= 0 else np.int64(-1)
            if nearer and not solved:
                evaluated += 1
                if evaluate(state, r, w, FF) >= INFINITE:
                    continue
                which = np.int64(plans)
                plans += 1
                if plans + 1 >= plan_start.shape[0]:
                    plan_start = grown(plan_start)
                last = plan_start[which]
                while last + MOST_FACTS > plan_facts.shape[0]:
                    plan_facts = grown(plan_facts)
                plan_start[plans] = _append_wanted(state, w, plan_facts, last)
            if count >= most_states or count >= MOST_ENTRIES:
                return MEMORY, nothing, evaluated + looked // CHEAP
            if count >= states.shape[0]:
                states = grown_matrix(states)
                accepted = grown_matrix(accepted)
                met = grown_matrix(met)
                parent = grown(parent)
                operator = grown(operator)
                plan_of = grown(plan_of)
                left = grown(left)
                path = grown(path)
            table = enter(table, states, slot, count, state)
            accepted[count] = now_accepted
            met[count] = now_met
            parent[count] = node
            operator[count] = by
            plan_of[count] = which
            left[count] = value
            path[count] = g
            if solved:
                return SOLVED, trace(parent, operator, count), evaluated + looked // CHEAP
            if size >= heap.shape[0]:
                heap = grown(heap)
            rank = min(value, FURTHEST - 1) + (0 if fresh else FURTHEST)
            size = push(heap, size, (rank << SEQUENCE_BITS) | count)
            count += 1
        if size == 0:
            return PRUNED, nothing, evaluated + looked // CHEAP
        size = pop(heap, size)
        node = np.int64(heap[size] & ((1 << SEQUENCE_BITS) - 1))
        number = usable_in(states[node], watched, m, usable)


@njit(cache=True, nogil=True)
def _wider(seen: Any) -> Any:
    larger = np.zeros((2 * seen.shape[0], seen.shape[1]), np.uint64)
    larger[: seen.shape[0]] = seen
    return larger


@njit(cache=True, nogil=True)
def usable_in(state: Any, watched: Any, m: Any, usable: Any) -> Any:
    """Fill in the operators that can be applied, by the fact they are watched with; returns their number."""
    number = 0
    last = watched.start.shape[0] - 2
    for f in range(last + 1):
        if f < last and (state[f >> 6] == np.uint64(0) or not holds(state, f)):
            continue
        for k in range(watched.start[f], watched.start[f + 1]):
            o = watched.items[k]
            if all_hold(state, m.precondition.items, m.precondition.start[o], m.precondition.start[o + 1]):
                usable[number] = o
                number += 1
    return number


@njit(cache=True, nogil=True)
def _append_wanted(state: Any, w: Any, facts: Any, last: Any) -> Any:
    """Append the facts that the relaxed plan of the last evaluation makes true; returns the list's end."""
    first = last
    for k in range(w.counts[3]):
        f = np.int32(w.heap[k])
        if not holds(state, f) and last - first < MOST_FACTS:
            facts[last] = f
            last += 1
    return last


@njit(cache=True, nogil=True)
def _mark_met(state: Any, facts: Any, first: Any, last: Any, before: Any, now: Any) -> Any:
    """Which facts of a relaxed plan have been true on the way, and how many."""
    for v in range(now.shape[0]):
        now[v] = before[v]
    number = 0
    for k in range(last - first):
        if holds(state, facts[first + k]):
            now[k >> 6] |= np.uint64(1) << np.uint64(k & 63)
        if holds(now, k):
            number += 1
    return number


@njit(cache=True, nogil=True)
def new_fact(state: Any, seen: Any) -> Any:
    """Whether a fact is true for the first time; all that are true are then seen."""
    fresh = False
    for v in range(state.shape[0]):
        if state[v] & ~seen[v] != np.uint64(0):
            fresh = True
            seen[v] |= state[v]
    return fresh


@njit(cache=True, nogil=True)
def scatter(facts: Any) -> Any:
    """A number for each fact by which sums of two are told apart."""
    numbers = np.empty(facts, np.uint64)
    for f in range(facts):
        h = np.uint64(f + 1) * np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        numbers[f] = h ^ (h >> np.uint64(31))
    return numbers


@njit(cache=True, nogil=True)
def new_pair(state: Any, before: Any, m: Any, numbers: Any, pairs: Any, row: Any, every: Any) -> Any:
    """Whether a fact that has just become true is so with another for the first time; pairs are then seen.

    Pairs that fall together by their hash are taken for one.
    """
    fresh = False
    salt = np.uint64(row + 1) * np.uint64(0xC2B2AE3D27D4EB4F)
    true = np.empty(64 * state.shape[0], np.int32)
    count = 0
    for v in range(state.shape[0]):
        bits = state[v]
        f = v << 6
        while bits != np.uint64(0):
            if bits & np.uint64(0xFF) == np.uint64(0):
                bits >>= np.uint64(8)
                f += 8
                continue
            if bits & np.uint64(1) != np.uint64(0) and not 0 <= m.complement[f] < f:
                true[count] = f
                count += 1
            bits >>= np.uint64(1)
            f += 1
    for i in range(count):
        f = true[i]
        if holds(before, f) and not every:
            continue
        for j in range(count):
            h = (salt + numbers[f] + numbers[true[j]]) * np.uint64(0xBF58476D1CE4E5B9)
            place = (h ^ (h >> np.uint64(32))) >> np.uint64(64 - PAIR_BITS)
            bit = np.uint64(1) << (place & np.uint64(63))
            if pairs[place >> np.uint64(6)] & bit == np.uint64(0):
                fresh = True
                pairs[place >> np.uint64(6)] |= bit
    return fresh
