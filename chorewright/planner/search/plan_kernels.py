"""Compiled kernels over plans: running one, dropping what it does not need, and what its rest relies on."""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import copy_items, njit
from chorewright.planner.search.states import all_hold, assign, holds, successor


@njit(cache=True, nogil=True)
def trajectory(initial: Any, plan: Any, m: Any) -> Any:
    """The states that a plan passes through, one a row, the initial one first."""
    states = np.empty((plan.shape[0] + 1, initial.shape[0]), np.uint64)
    copy_items(states[0], initial, initial.shape[0])
    for i in range(plan.shape[0]):
        successor(states[i], plan[i], m, states[i + 1])
    return states


@njit(cache=True, nogil=True)
def runnable(initial: Any, plan: Any, first: Any, skip: Any, m: Any, goal: Any, kept: Any) -> Any:
    """Run ``plan[first:]``; how many operators are kept in ``kept``, or -1 if that misses the goal.

    Operators that cannot be run are left out if ``skip``; else they make the plan fail.
    """
    state = initial.copy()
    after = np.empty_like(initial)
    count = 0
    for i in range(first, plan.shape[0]):
        o = plan[i]
        if all_hold(state, m.precondition.items, m.precondition.start[o], m.precondition.start[o + 1]):
            successor(state, o, m, after)
            state, after = after, state
            kept[count] = o
            count += 1
        elif not skip:
            return -1
    return count if all_hold(state, goal, 0, goal.shape[0]) else -1


@njit(cache=True, nogil=True)
def drop_needless(initial: Any, plan: Any, m: Any, goal: Any) -> Any:
    """A plan without every action without which, and without what then cannot be run, the goal is reached."""
    plan = plan.copy()
    length = plan.shape[0]
    kept = np.empty_like(plan)
    state = initial.copy()
    after = np.empty_like(initial)
    position = 0
    while position < length:
        count = runnable(state, plan[:length], position + 1, True, m, goal, kept)
        if count >= 0:
            copy_items(plan[position:], kept, count)
            length = position + count
        else:
            successor(state, plan[position], m, after)
            state, after = after, state
            position += 1
    return plan[:length].copy()


@njit(cache=True, nogil=True)
def contract_stretches(initial: Any, plan: Any, m: Any, goal: Any, cost: Any, makers: Any, longest: Any) -> Any:
    """A plan in which one operator stands for each stretch that it can stand for at less cost.

    ``makers`` lists the operators that can make a fact true, the cheapest first; stretches have from 2 to
    ``longest`` steps.
    """
    plan = plan.copy()
    kept = np.empty_like(plan)
    after = np.empty_like(initial)
    states = trajectory(initial, plan, m)
    needed = find_reliance(states, plan, m, goal)
    start = 0
    while start < plan.shape[0] - 1:
        state = states[start]
        shorter = -1
        for end in range(start + 2, min(start + longest, plan.shape[0]) + 1):
            fact = _first_missing(state, needed[end])
            if fact < 0:
                continue
            old = np.int64(0)
            for k in range(start, end):
                old += cost[plan[k]]
            for k in range(makers.start[fact], makers.start[fact + 1]):
                o = makers.items[k]
                if cost[o] >= old:
                    break
                first = m.precondition.start[o]
                if not all_hold(state, m.precondition.items, first, m.precondition.start[o + 1]):
                    continue
                successor(state, o, m, after)
                count = runnable(after, plan, end, False, m, goal, kept)
                if count >= 0:
                    plan[start] = o
                    copy_items(plan[start + 1 :], kept, count)
                    shorter = start + 1 + count
                    break
            if shorter >= 0:
                break
        if shorter >= 0:
            plan = plan[:shorter].copy()
            states = trajectory(initial, plan, m)
            needed = find_reliance(states, plan, m, goal)
        else:
            start += 1
    return plan


@njit(cache=True, nogil=True)
def _first_missing(state: Any, needed: Any) -> Any:
    """The first of the needed facts that does not hold, or -1."""
    for word in range(state.shape[0]):
        bits = needed[word] & ~state[word]
        if bits != np.uint64(0):
            for k in range(64):
                if (bits >> np.uint64(k)) & np.uint64(1):
                    return (word << 6) + k
    return -1


@njit(cache=True, nogil=True)
def find_reliance(states: Any, plan: Any, m: Any, goal: Any) -> Any:
    """Packed, row ``i``: facts that the plan from step ``i`` on and the goal rely on in the state before it.

    Conditions of the conditional effects that fire are relied on; that others must not fire is left to
    whoever runs the plan. What axioms decide is replaced by all of the state's own facts.
    """
    rows = np.zeros_like(states)
    now = np.zeros_like(states[0])
    for k in range(goal.shape[0]):
        assign(now, goal[k], True)
    rows[plan.shape[0]] = now
    useful = np.empty(0, np.bool_)
    for position in range(plan.shape[0] - 1, -1, -1):
        o = plan[position]
        first = m.effect_start[o]
        last = m.effect_start[o + 1]
        if useful.shape[0] < last - first:
            useful = np.empty(last - first, np.bool_)
        for e in range(first, last):
            useful[e - first] = all_hold(
                states[position], m.condition.items, m.condition.start[e], m.condition.start[e + 1]
            ) and _makes(e, now, m)
        for e in range(first, last):
            if useful[e - first]:
                for k in range(m.add.start[e], m.add.start[e + 1]):
                    assign(now, m.add.items[k], False)
                for k in range(m.delete.start[e], m.delete.start[e + 1]):
                    if m.complement[m.delete.items[k]] >= 0:
                        assign(now, m.complement[m.delete.items[k]], False)
        for e in range(first, last):
            if useful[e - first]:
                for k in range(m.condition.start[e], m.condition.start[e + 1]):
                    assign(now, m.condition.items[k], True)
        for k in range(m.precondition.start[o], m.precondition.start[o + 1]):
            assign(now, m.precondition.items[k], True)
        rows[position] = now
    for k in range(m.derived.shape[0]):
        for i in range(rows.shape[0]):
            fact = m.derived[k]
            opposite = m.complement[fact]
            if holds(rows[i], fact) or (opposite >= 0 and holds(rows[i], opposite)):
                rows[i] = states[i]
                for j in range(m.derived.shape[0]):
                    assign(rows[i], m.derived[j], False)
                    if m.complement[m.derived[j]] >= 0:
                        assign(rows[i], m.complement[m.derived[j]], False)
    return rows


@njit(cache=True, nogil=True)
def _makes(effect: Any, needed: Any, m: Any) -> Any:
    """Whether an effect makes a needed fact true."""
    for k in range(m.add.start[effect], m.add.start[effect + 1]):
        if holds(needed, m.add.items[k]):
            return True
    for k in range(m.delete.start[effect], m.delete.start[effect + 1]):
        fact = m.complement[m.delete.items[k]]
        if fact >= 0 and holds(needed, fact):
            return True
    return False


@njit(cache=True, nogil=True)
def facts_of(row: Any) -> Any:
    """The facts of a packed state, ascending."""
    found = np.empty(row.shape[0] * 64, np.int32)
    count = 0
    for fact in range(row.shape[0] * 64):
        if holds(row, fact):
            found[count] = fact
            count += 1
    return found[:count].copy()
