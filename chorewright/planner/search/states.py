"""Packed states: facts as bits, and the successor state that an operator leads to.

A state is a row of 64-bit words, one bit a fact. Kernels get the table of operators and axioms whole, as a named
tuple of arrays, and write their results into arrays that they are given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task


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


def successor_table(task: Task) -> SuccessorTable:
    """Return the arrays of a task for ``successor`` and ``close``."""
    positive = np.flatnonzero(task.derived & ((task.complement < 0) | (task.complement > np.arange(task.fact_count))))
    stratum = np.zeros(task.fact_count, np.int32)
    stratum[task.axiom_head] = task.axiom_stratum
    strata = int(stratum.max(initial=0)) + 1 if len(positive) else 0
    return SuccessorTable(
        task.effect_start,
        task.effect_condition,
        task.effect_add,
        task.effect_delete,
        task.complement,
        positive.astype(np.int32),
        stratum[positive],
        task.axiom_head,
        task.axiom_body,
        task.axiom_stratum,
        strata,
        task.precondition,
    )


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
