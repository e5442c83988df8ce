"""Packed states: facts as bits, the successor state that an operator leads to, and kernels over whole plans.

A state is a row of 64-bit words, one bit a fact. Kernels get the table of operators and axioms whole, as a named
tuple of arrays, and write their results into arrays that they are given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chorewright.jit.kernels import copy_items, njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64


class SuccessorTable(NamedTuple):
    """What the kernels need to apply operators and to evaluate axioms.

    Attributes:
        effect_start: The first effect of each operator, and one number past the last (operators + 1).
        condition: The facts that each effect needs besides the operator's precondition.
        add: The facts that each effect makes true.
        delete: The facts that each effect makes false.
        complement: For each fact the one that is true just when it is false; -1 if there is none.
        derived: The facts that axioms derive, without their complements.
        derived_stratum: The stratum of each of ``derived``.
        axiom_head: The fact that each axiom derives.
        axiom_body: The facts that each axiom needs.
        axiom_stratum: The stratum of each axiom.
        strata: How many strata there are; 0 without axioms.
        precondition: The facts that each operator needs.
    """

    effect_start: Int64
    condition: CsrLists
    add: CsrLists
    delete: CsrLists
    complement: Int32
    derived: Int32
    derived_stratum: Int32
    axiom_head: Int32
    axiom_body: CsrLists
    axiom_stratum: Int32
    strata: int
    precondition: CsrLists


@njit(cache=True, nogil=True)
def holds(state: Any, fact: Any) -> Any:
    return (state[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def assign(state: Any, fact: Any, truth: Any) -> None:
    bit = np.uint64(1) << np.uint64(fact & 63)
    if truth:
        state[fact >> 6] |= bit
    else:
        state[fact >> 6] &= ~bit


@njit(cache=True, nogil=True)
def all_hold(state: Any, items: Any, first: Any, last: Any) -> Any:
    for k in range(first, last):  # a loop: compiled code knows no generators in all()
        fact = items[k]
        if not holds(state, fact):
            return False
    return True


@njit(cache=True, nogil=True)
def close(state: Any, m: Any) -> None:
    """Evaluate the axioms, stratum by stratum, each to its fixpoint."""
    for level in range(m.strata):
        for k in range(m.derived.shape[0]):
            if m.derived_stratum[k] == level:
                assign(state, m.derived[k], False)
        changed = True
        while changed:
            changed = False
            for a in range(m.axiom_head.shape[0]):
                if m.axiom_stratum[a] != level or holds(state, m.axiom_head[a]):
                    continue
                if all_hold(state, m.axiom_body.items, m.axiom_body.start[a], m.axiom_body.start[a + 1]):
                    assign(state, m.axiom_head[a], True)
                    changed = True
        for k in range(m.derived.shape[0]):
            if m.derived_stratum[k] == level and m.complement[m.derived[k]] >= 0:
                assign(state, m.complement[m.derived[k]], not holds(state, m.derived[k]))


@njit(cache=True, nogil=True)
def successor(state: Any, operator: Any, m: Any, result: Any) -> None:
    """The state after an applicable operator; what is both deleted and added is true."""
    for w in range(state.shape[0]):
        result[w] = state[w]
    first = m.effect_start[operator]
    last = m.effect_start[operator + 1]
    for e in range(first, last):
        if all_hold(state, m.condition.items, m.condition.start[e], m.condition.start[e + 1]):
            for k in range(m.delete.start[e], m.delete.start[e + 1]):
                fact = m.delete.items[k]
                assign(result, fact, False)
                if m.complement[fact] >= 0:
                    assign(result, m.complement[fact], True)
    for e in range(first, last):
        if all_hold(state, m.condition.items, m.condition.start[e], m.condition.start[e + 1]):
            for k in range(m.add.start[e], m.add.start[e + 1]):
                fact = m.add.items[k]
                assign(result, fact, True)
                if m.complement[fact] >= 0:
                    assign(result, m.complement[fact], False)
    if m.strata:
        close(result, m)


# A binary heap of integers in an array: the queue of the heuristics and of the searches.


@njit(cache=True, nogil=True)
def push(heap: Any, size: Any, key: Any) -> Any:
    """Insert a key into a binary heap; returns the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap: Any, size: Any) -> Any:
    """Remove the smallest key; returns the new size, the key is left at ``heap[size]``."""
    smallest = heap[0]
    size -= 1
    key = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    heap[size] = smallest
    return size


# Compiled kernels over plans: running one, dropping what it does not need, and what its rest relies on.


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
