"""The compiled search over numeric states, and kernels over plans.

Actions that begin a relaxed plan are preferred, and what it repeats is also tried as often at once (Scala, Saetti,
Serina and Gerevini, ICAPS 2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import copy_items, njit
from chorewright.planner.numeric.kernels import (
    BITS,
    FAR,
    NEAR_ZERO,
    all_met,
    check_conditions,
    estimate,
    may_run,
    run_operator,
)
from chorewright.planner.search.search_kernels import (
    EVALUATIONS,
    EXHAUSTED,
    MEMORY,
    SOLVED,
    STOPPED,
    grown,
    grown_matrix,
    hash_state,
)
from chorewright.planner.search.states import pop, push

BOOST = 1000
"""How often preferred successors are taken before others after each progress."""


@njit(cache=True, nogil=True)
def slot_for(table: Any, bits: Any, values: Any, new_bits: Any, new_values: Any, kept: Any) -> Any:
    """The slot of a state in a hash table, or where it belongs; only the first ``kept`` values tell states apart."""
    h = hash_state(new_bits)
    words = new_values.view(np.uint64)
    for w in range(kept):
        h = (h ^ words[w]) * np.uint64(0xBF58476D1CE4E5B9)
        h = h ^ (h >> np.uint64(31))
    mask = np.uint64(table.shape[0] - 1)
    slot = h & mask
    while table[slot] != 0:
        n = table[slot] - 1
        same = True
        for w in range(new_bits.shape[0]):
            same = same and bits[n, w] == new_bits[w]
        for w in range(kept):
            same = same and (values[n, w] == new_values[w] or (np.isnan(values[n, w]) and np.isnan(new_values[w])))
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@njit(cache=True, nogil=True)
def search_lazily(
    bits0: Any, values0: Any, a: Any, costs: Any, s: Any, how: Any, bound: Any, limits: Any, stop: Any
) -> Any:
    """Search best first; states are evaluated when they are taken, until then they have the estimate of the one before.

    Args:
        bits0: The first state's bits.
        values0: Its values; the last one is the metric, which tells no states apart.
        a: The task.
        costs: What operators cost in estimates.
        s: Scratch.
        how: The estimate, the weight on it (0: it alone counts), whether what the relaxation cuts off is left out.
        bound: The metric that a plan must stay below; infinite for the first one.
        limits: Evaluations and states at most.
        stop: One number, which ends the search when it is not zero.

    Returns:
        How it ended, the last state's number, parents, operators, repetitions, evaluations, and the smallest estimate.
    """
    by, weight, prune = how[0], how[1], how[2]
    need_at, need = a.operators.need_at, a.operators.need
    kept = values0.shape[0] - 1
    bits = np.empty((256, bits0.shape[0]), np.uint64)
    values = np.empty((256, values0.shape[0]), np.float64)
    parent, operator, repeated = np.empty(256, np.int32), np.empty(256, np.int32), np.empty(256, np.int32)
    paid = np.empty(256, np.int64)
    table = np.zeros(1024, np.int32)
    entry_from, entry_operator, entry_times = (
        np.empty(1024, np.int32),
        np.empty(1024, np.int32),
        np.empty(1024, np.int32),
    )
    every, preferred = np.empty(1024, np.int64), np.empty(1024, np.int64)
    taken = np.zeros(1024, np.uint8)
    new_bits, new_values = bits0.copy(), values0.copy()
    old_bits, old_values = bits0.copy(), values0.copy()
    entry_from[0], entry_operator[0], entry_times[0] = -1, -1, 0
    every[0] = 0
    entries, size, liked, count, evaluated = 1, 1, 0, 0, 0
    best, credit = np.int64(FAR + 1), 0
    status = EXHAUSTED
    last = -1
    while size or liked:
        if liked and (size == 0 or credit >= 0):
            liked = pop(preferred, liked)
            entry = preferred[liked] & ((1 << BITS) - 1)
            credit -= 1
        else:
            size = pop(every, size)
            entry = every[size] & ((1 << BITS) - 1)
            credit += 1
        if taken[entry]:
            continue
        taken[entry] = 1
        n, o = entry_from[entry], entry_operator[entry]
        price, times = np.int64(0), 0
        if n < 0:
            copy_items(new_bits, bits0, bits0.shape[0])
            copy_items(new_values, values0, values0.shape[0])
        else:
            copy_items(new_bits, bits[n], bits0.shape[0])
            copy_items(new_values, values[n], values0.shape[0])
            while times < entry_times[entry]:
                copy_items(old_bits, new_bits, bits0.shape[0])
                copy_items(old_values, new_values, values0.shape[0])
                if times and not may_run(o, old_bits, old_values, a, s):
                    break
                if not run_operator(o, old_bits, old_values, a, s, new_bits, new_values):
                    copy_items(new_bits, old_bits, bits0.shape[0])
                    copy_items(new_values, old_values, values0.shape[0])
                    break
                times += 1
            if times == 0 or (entry_times[entry] > 1 and times == 1):
                continue
            price = paid[n] + times * costs[o]
            if new_values[kept] >= bound:
                continue
        slot = slot_for(table, bits, values, new_bits, new_values, kept)
        i = table[slot] - 1
        if i >= 0:
            if weight == 0 or not new_values[kept] < values[i, kept] - NEAR_ZERO:
                continue
        else:
            if count >= limits[1] or entries > (1 << BITS) - need_at.shape[0] * 2:
                status = MEMORY
                break
            if count == bits.shape[0]:
                bits, values = grown_matrix(bits), grown_matrix(values)
                parent, operator, repeated, paid = grown(parent), grown(operator), grown(repeated), grown(paid)
            i = count
            count += 1
            table[slot] = count
            copy_items(bits[i], new_bits, bits0.shape[0])
        copy_items(values[i], new_values, values0.shape[0])
        parent[i], operator[i], repeated[i], paid[i] = n, o, times, price
        if 2 * count > table.shape[0]:
            table = np.zeros(2 * table.shape[0], np.int32)
            for j in range(count):
                table[slot_for(table, bits, values, bits[j], values[j], kept)] = j + 1
        if evaluated >= limits[0] or stop[0] != 0:
            status = STOPPED if stop[0] != 0 else EVALUATIONS
            break
        h = estimate(bits[i], values[i], a, costs, by, s)
        evaluated += 1
        if all_met(0, a.goal.shape[0], a.goal, s.holds):
            status, last = SOLVED, i
            break
        if h >= FAR and prune:
            continue
        if h < best:
            best = h
            credit += BOOST
        key = min(h, FAR) if weight == 0 else min(paid[i] + weight * h, FAR)
        for o in range(need_at.shape[0] - 1):
            if not all_met(need_at[o], need_at[o + 1], need, s.holds):
                continue
            for repeat in range(2):
                many = np.int64(1) if repeat == 0 else -s.uses[o]
                if repeat and many < 2:
                    break
                if entries == entry_from.shape[0]:
                    entry_from, entry_operator, entry_times = (
                        grown(entry_from),
                        grown(entry_operator),
                        grown(entry_times),
                    )
                    more = np.zeros(entry_from.shape[0], np.uint8)
                    copy_items(more, taken, entries)
                    taken = more
                entry_from[entries], entry_operator[entries], entry_times[entries] = i, o, many
                ordered = key if weight == 0 else min(key + many * costs[o], FAR)
                if size == every.shape[0]:
                    every = grown(every)
                size = push(every, size, (ordered << BITS) | entries)
                if s.uses[o] < 0:
                    if liked == preferred.shape[0]:
                        preferred = grown(preferred)
                    liked = push(preferred, liked, (ordered << BITS) | entries)
                entries += 1
    return status, last, parent, operator, repeated, evaluated, best


# Plans: their states, and what they do without.


@njit(cache=True, nogil=True)
def follow(plan: Any, bits0: Any, values0: Any, a: Any, s: Any, bits: Any, values: Any, holds: Any, worth: Any) -> Any:
    """Write the states of a plan, their conditions and expressions; returns how many steps can be run."""
    copy_items(bits[0], bits0, bits0.shape[0])
    copy_items(values[0], values0, values0.shape[0])
    for i in range(plan.shape[0] + 1):
        check_conditions(bits[i], values[i], a.expressions, a.conditions, s.worth, s.holds, s.operands)
        copy_items(holds[i], s.holds, s.holds.shape[0])
        copy_items(worth[i], s.worth, s.worth.shape[0])
        if i == plan.shape[0]:
            return i
        o = plan[i]
        if not all_met(a.operators.need_at[o], a.operators.need_at[o + 1], a.operators.need, s.holds):
            return i
        if not run_operator(o, bits[i], values[i], a, s, bits[i + 1], values[i + 1]):
            return i
    return plan.shape[0]


@njit(cache=True, nogil=True)
def without_needless(plan: Any, bits0: Any, values0: Any, a: Any, s: Any, most: Any, stop: Any) -> Any:
    """The plan without steps, and what only they make possible, that the goal does not need (Nakhost and Müller 2010).

    What is left out must not make the metric larger than ``most``; returns the plan and its metric.
    """
    kept = plan.copy()
    size = plan.shape[0]
    tried = np.empty_like(plan)
    last = values0.shape[0] - 1
    bits, values, new_bits, new_values = bits0.copy(), values0.copy(), bits0.copy(), values0.copy()
    at = 0
    while at < size and stop[0] == 0:
        copy_items(bits, bits0, bits0.shape[0])
        copy_items(values, values0, values0.shape[0])
        length = 0
        for i in range(size):
            if i == at:
                continue
            o = kept[i]
            if not may_run(o, bits, values, a, s) or not run_operator(o, bits, values, a, s, new_bits, new_values):
                continue
            tried[length] = o
            length += 1
            bits, new_bits = new_bits, bits
            values, new_values = new_values, values
        check_conditions(bits, values, a.expressions, a.conditions, s.worth, s.holds, s.operands)
        if values[last] <= most + NEAR_ZERO and all_met(0, a.goal.shape[0], a.goal, s.holds):
            most = values[last]
            copy_items(kept, tried, length)
            size = length
        else:
            at += 1
    return kept[:size].copy()
