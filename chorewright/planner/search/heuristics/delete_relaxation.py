"""The delete relaxation of a task as arrays: relaxed actions with preconditions, additions and costs.

Relaxed action ``o`` of an operator has its unconditional additions; each conditional effect is a relaxed
action of its own whose preconditions are the operator's and the condition; axioms cost nothing. Deleting a
fact adds its complement. Complements of derived facts are taken as free.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, distinct, lists

MOST_COST = 2**30
"""Exact costs are scaled to integers below this."""

COARSE = 2**20
"""The largest integer cost where costs need not be exact."""

_DECIMALS = 12
_NOISE = 1e-14
"""Sums of decimal fractions are off by so much, relatively."""


class Relaxation(NamedTuple):
    """A task without deletions. Its relaxed operators are operators, conditional effects and axioms.

    Attributes:
        requires: The facts that each relaxed operator needs.
        adds: The facts that each relaxed operator makes true.
        needed_by: The relaxed operators that need each fact.
        need: How many facts each relaxed operator needs.
        operator: The operator that each belongs to; -1 for axioms.
        cost: The integer cost of each; 0 for axioms.
        goal: The goal's facts.
        free: Facts that are true at no cost: complements of derived facts.
        operator_count: How many operators there are; the first relaxed operators are theirs, in their order.
        fact_count: How many facts there are.
    """

    requires: CsrLists
    adds: CsrLists
    needed_by: CsrLists
    need: Int32
    operator: Int32
    cost: Int64
    goal: Int32
    free: Int32
    operator_count: int
    fact_count: int


def integer_costs(cost: NDArray[np.float64]) -> tuple[Int64, float]:
    """Costs as integers without a common divisor, and how much an integer unit is worth.

    They are exact if the costs are multiples of some decimal unit of which the largest has fewer than
    ``MOST_COST``; else they are rounded, positive ones to at least 1.

    Args:
        cost: The costs, not negative, in the problem's unit.

    Returns:
        The integers, and what one unit of them is worth in the problem's.
    """
    ordered = np.sort(cost)
    values = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(cost) else ordered
    if not values.any():
        return np.zeros(len(cost), np.int64), 1.0
    position = np.searchsorted(values, cost)
    for decimals in range(_DECIMALS + 1):
        whole = _whole(values, 10**decimals)
        if whole is not None:
            divisor = math.gcd(*whole)
            if whole[-1] // divisor < MOST_COST:
                exact = np.asarray([number // divisor for number in whole], np.int64)
                return exact[position], divisor / 10**decimals
            break
    unit = float(values[-1]) / COARSE
    rounded = np.maximum(np.rint(values / values[-1] * COARSE), values > 0)
    return rounded.astype(np.int64)[position], unit


def _whole(values: NDArray[np.float64], scale: int) -> list[int] | None:
    """The values times the scale if all are then whole numbers that floats can tell."""
    if scale > 1 and values[-1] >= 2**53 / scale:
        return None
    scaled = values * scale
    rounded = np.rint(scaled)
    if (np.abs(scaled - rounded) > _NOISE * scaled).any():
        return None
    return [int(number) for number in rounded.tolist()]


def relax(task: Task, cost: Int64) -> Relaxation:
    """Relax a task.

    Args:
        task: The task.
        cost: The operators' costs, in integer units.
    """
    operators = task.operator_count
    effects = task.effect_condition.size
    owner = np.repeat(np.arange(operators), np.diff(task.effect_start))
    conditional = np.diff(task.effect_condition.start) > 0
    number = np.full(effects, -1, np.int64)
    number[conditional] = operators + np.arange(int(conditional.sum()))
    number[~conditional] = owner[~conditional]
    first_axiom = operators + int(conditional.sum())
    total = first_axiom + len(task.axiom_head)

    chosen = np.flatnonzero(conditional)
    inherited = task.precondition.rows(owner[chosen])
    require_owner = np.concatenate(
        [
            task.precondition.owners(),
            operators + inherited.owners(),
            number[task.effect_condition.owners()],
            first_axiom + task.axiom_body.owners(),
        ]
    )
    require_fact = np.concatenate(
        [task.precondition.items, inherited.items, task.effect_condition.items, task.axiom_body.items]
    )
    width = task.fact_count + 1
    code = distinct(require_owner * width + require_fact)
    requires = lists(total, code // width, (code % width).astype(np.int32))

    added = task.effect_delete.items
    complement = task.complement[added] if len(added) else added
    has = complement >= 0
    add_owner = np.concatenate(
        [
            number[task.effect_add.owners()],
            number[task.effect_delete.owners()][has],
            first_axiom + np.arange(len(task.axiom_head)),
        ]
    )
    add_fact = np.concatenate([task.effect_add.items, complement[has], task.axiom_head])
    negated = np.zeros(task.fact_count, np.bool_)
    if task.derived.any():
        marked = np.flatnonzero(task.derived & (task.complement >= 0))
        negated[[f for f in marked.tolist() if task.complement[f] < f]] = True
    relaxed_cost = np.concatenate([cost, cost[owner[chosen]], np.zeros(len(task.axiom_head), np.int64)])
    operator = np.concatenate([np.arange(operators), owner[chosen], np.full(len(task.axiom_head), -1)])
    return Relaxation(
        requires,
        lists(total, add_owner, add_fact),
        requires.invert(task.fact_count),
        np.diff(requires.start).astype(np.int32),
        operator.astype(np.int32),
        relaxed_cost,
        task.goal,
        np.flatnonzero(negated).astype(np.int32),
        operators,
        task.fact_count,
    )


# What the relaxation heuristics share: their numbers, and scratch space that is reused.


INFINITE = 2**38
"""The heuristic value of dead ends only; what else would reach it counts one less. It bounds no path."""

ADD, MAX, FF = 0, 1, 2
"""Which of the relaxation heuristics a kernel computes."""

FACT_BITS = 24
"""The bits of a fact in a heap's number; the cost is above them."""


class Scratch(NamedTuple):
    """Scratch space of one heuristic evaluation, reused; what an evaluation leaves in it is its result.

    Relaxed operators are those of ``Relaxation``: one for each effect and axiom, operators' unconditional ones first.

    Attributes:
        cost: The cost of each fact when nothing is deleted.
        supporter: The relaxed operator by which each fact is reached at that cost; -1 in the state itself.
        counter: How many facts each relaxed operator still waits for.
        reach_cost: The cost at which each relaxed operator is reached.
        heap: A binary heap of cost and fact in one number; also a list of facts.
        marked_fact: Marks of facts, all False between evaluations.
        marked_operator: Marks of operators, likewise.
        applicable: The applicable operators, ``counts[0]`` of them.
        preferred: The preferred operators, ``counts[1]`` of them.
        stack: A stack of facts.
        counts: How many are applicable, preferred, in the relaxed plan, and facts of it.
        is_goal: Marks of goal facts that are not reached yet, all False between evaluations.
    """

    cost: Int64
    supporter: Int32
    counter: Int32
    reach_cost: Int64
    heap: Int64
    marked_fact: NDArray[np.bool_]
    marked_operator: NDArray[np.bool_]
    applicable: Int32
    preferred: Int32
    stack: Int32
    counts: Int64
    is_goal: NDArray[np.bool_]


def scratch_for(relaxation: Relaxation) -> Scratch:
    """Return fresh scratch space for evaluating heuristics on a relaxation."""
    facts = relaxation.fact_count
    relaxed = len(relaxation.need)
    return Scratch(
        np.empty(facts, np.int64),
        np.empty(facts, np.int32),
        np.empty(relaxed, np.int32),
        np.empty(relaxed, np.int64),
        np.empty(len(relaxation.adds.items) + facts + 1, np.int64),
        np.zeros(facts, np.bool_),
        np.zeros(relaxation.operator_count + 1, np.bool_),
        np.empty(relaxation.operator_count + 1, np.int32),
        np.empty(relaxation.operator_count + 1, np.int32),
        np.empty(facts + 1, np.int32),
        np.zeros(4, np.int64),
        np.zeros(facts, np.bool_),
    )
