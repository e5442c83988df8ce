"""What the relaxation heuristics share: their numbers, and scratch space that is reused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import Int32, Int64
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation

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


__all__ = ["ADD", "FACT_BITS", "FF", "INFINITE", "MAX", "Scratch", "scratch_for"]
