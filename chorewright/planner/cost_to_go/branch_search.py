"""A* over a goal's alternatives, the most promising first: for tasks that abstractions do not cover."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.search.heuristics.landmark_cut import landmark_cut
from chorewright.planner.search.heuristics.scratch import INFINITE
from chorewright.planner.search.search import Budget, state_limit
from chorewright.planner.search.start_states import Start


def cheaper_branch(
    start: Start, state: NDArray[np.uint64], best: int, evaluations: int
) -> tuple[tuple[tuple[int, ...], int] | None, int]:
    """Search all alternatives of the goal for the cheapest plan from a state.

    Args:
        start: The task and its alternatives.
        state: The packed state.
        best: What the plan has to stay below, in integer units.
        evaluations: What the searches of all alternatives may take together.

    Returns:
        The plan's operators and its cost in integer units, or None; and a lower bound on the cost of any plan.
    """
    estimates = []
    for number, branch in enumerate(start.branches):
        estimate = int(landmark_cut(state, branch.true, branch.cuts))
        if estimate < best:
            estimates.append((estimate, number))
    lower, left = INFINITE, evaluations
    cheapest: tuple[tuple[int, ...], int] | None = None
    limit = state_limit(None, start.whole.task)
    for estimate, number in sorted(estimates):
        branch = start.branches[number]
        if estimate >= best:
            continue
        if left <= 0:
            lower = min(lower, estimate)
            continue
        found = branch.search_from(state, "astar", "lmcut", 1, best, Budget(left, limit, NEVER))
        left -= found.evaluations
        if found.operators is not None:
            best = branch.plan_cost(found.operators)
            cheapest = found.operators, best
        elif found.limit is not None:
            lower = min(lower, max(estimate, found.lower))
    return cheapest, min(best, lower)


__all__ = ["cheaper_branch"]
