"""Making a plan cheaper: needless actions go, then the task and stretches of the plan are searched for less.

All of it is bounded by evaluations, so the outcome is the same on every machine; no plan ever gets costlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.planner import kernels
from chorewright.planner.search import Budget, Found, Prepared

USUAL_SIZE = 500
"""Operators of a task that gets its full budget; a larger one gets fewer evaluations, each being slower."""

LONG = 24
"""Plans with more steps are only improved piece by piece."""

WINDOWS = (6, 12, 20)
"""Lengths of the stretches that are planned again."""

SHORT = (2, 3, 4)
"""Lengths of the stretches for which one operator is tried."""


@dataclass(slots=True)
class _Improvement:
    """The best plan so far and the evaluations left."""

    prepared: Prepared
    best: list[int]
    left: int
    spent: int
    budget: Budget

    def search(self, heuristic: str, weight: int, most: int) -> bool:
        """Search the whole task for a cheaper plan; whether the search came to its end within the budget."""
        allowed = min(most, self.left)
        if allowed <= 0:
            return False
        bound = self.prepared.plan_cost(self.best)
        found = self.prepared.search(
            "wastar", heuristic, weight, bound, replace(self.budget, evaluations=allowed)
        )
        self.spend(found.evaluations)
        if found.operators is not None:
            self.best = list(found.operators)
        return found.limit is None

    def spend(self, evaluations: int) -> None:
        self.left -= evaluations
        self.spent += evaluations


def improve(prepared: Prepared, operators: Sequence[int], budget: Budget) -> Found:
    """A plan that costs no more, found within the budget of evaluations (fewer for large tasks)."""
    best = contract(prepared, eliminate(prepared, operators))
    size = prepared.task.operator_count
    left = budget.evaluations * USUAL_SIZE // max(USUAL_SIZE, size)
    state = _Improvement(prepared, best, left, 0, budget)
    state.search("ff", 3, left // 4)
    proven = False
    if len(state.best) <= LONG:
        state.search("ff", 1, left // 4)
        proven = state.search("max", 1, state.left // 2)
    if not proven:
        _windows(state)
        state.best = contract(prepared, state.best)
    return Found(tuple(state.best), None, state.spent)


def eliminate(prepared: Prepared, operators: Sequence[int]) -> list[int]:
    """Drop every action without which, and without what then cannot be run, the goal is still reached."""
    plan = list(operators)
    position = 0
    while position < len(plan):
        shorter = _run(prepared, prepared.states(plan[:position])[-1], plan[position + 1 :], skip=True)
        if shorter is not None:
            plan[position:] = shorter
        else:
            position += 1
    return plan


def contract(prepared: Prepared, operators: Sequence[int]) -> list[int]:
    """Let one operator stand for each short stretch that it can stand for at less cost: no detours."""
    plan = list(operators)
    start = 0
    while start < len(plan) - 1:
        states = prepared.states(plan)
        for end in (start + length for length in SHORT if start + length <= len(plan)):
            shorter = _stand_in(prepared, states, plan, start, end)
            if shorter is not None:
                plan[start:] = shorter
                break
        else:
            start += 1
    return plan


def _stand_in(
    prepared: Prepared, states: Sequence[NDArray[np.uint64]], plan: Sequence[int], start: int, end: int
) -> list[int] | None:
    """The plan from ``start`` on with the cheapest operator that can replace ``plan[start:end]``, if any."""
    task, state = prepared.task, states[start]
    missing = [fact for fact in _needed(prepared, states, plan, end) if not kernels.holds(state, fact)]
    if not missing:
        return None
    adds, deletes = task.effect_add, task.effect_delete
    making = np.concatenate(
        (
            np.searchsorted(adds.start, np.flatnonzero(adds.items == missing[0]), "right"),
            np.searchsorted(
                deletes.start, np.flatnonzero(task.complement[deletes.items] == missing[0]), "right"
            ),
        )
    )
    makers = np.searchsorted(task.effect_start, making - 1, "right") - 1
    requires = task.precondition
    old = prepared.plan_cost(plan[start:end])
    for operator in sorted(set(makers.tolist()), key=lambda maker: (int(prepared.cost[maker]), maker)):
        if prepared.cost[operator] >= old:
            return None
        if kernels.all_hold(state, requires.items, requires.start[operator], requires.start[operator + 1]):
            rest = _run(prepared, state, [operator, *plan[end:]], skip=False)
            if rest is not None:
                return rest
    return None


def _run(
    prepared: Prepared, state: NDArray[np.uint64], operators: Sequence[int], skip: bool
) -> list[int] | None:
    """Operators that can be run from a state, if they reach the goal; without ``skip`` all must be."""
    kept = []
    requires = prepared.task.precondition
    for operator in operators:
        first, last = requires.start[operator], requires.start[operator + 1]
        if kernels.all_hold(state, requires.items, first, last):
            following = np.empty_like(state)
            kernels.successor(state, operator, prepared.moves, following)
            state = following
            kept.append(operator)
        elif not skip:
            return None
    goal = prepared.task.goal
    return kept if kernels.all_hold(state, goal, 0, len(goal)) else None


def _windows(improvement: _Improvement) -> None:
    """Plan stretches again: from the state before one to what the rest of the plan needs."""
    prepared = improvement.prepared
    for length in WINDOWS:
        start = 0
        while start < len(improvement.best) and improvement.left > 0 and len(improvement.best) > length // 2:
            plan = improvement.best
            states = prepared.states(plan)
            end = min(start + length, len(plan))
            old = prepared.plan_cost(plan[start:end])
            goal = _needed(prepared, states, plan, end)
            sub = replace(prepared, true=prepared.true._replace(goal=goal))
            allowed = replace(improvement.budget, evaluations=min(improvement.left, 400))
            found = sub.search_from(states[start], "wastar", "ff", 1, old, allowed)
            improvement.spend(found.evaluations)
            if found.operators is not None:
                rest = _run(
                    prepared, prepared.initial, [*plan[:start], *found.operators, *plan[end:]], skip=False
                )
                if rest is not None and prepared.plan_cost(rest) < prepared.plan_cost(plan):
                    improvement.best = rest
                    continue
            start += max(1, length // 2)


def _needed(
    prepared: Prepared, states: Sequence[NDArray[np.uint64]], plan: Sequence[int], end: int
) -> NDArray[np.int32]:
    """Facts of the state after ``plan[:end]`` that the rest of the plan and the goal rely on.

    Conditions of the conditional effects that fire are relied on; that others must not fire is left to the
    check.
    """
    task = prepared.task
    needed = set(task.goal.tolist())
    for position in range(len(plan) - 1, end - 1, -1):
        operator = plan[position]
        state = states[position]
        for effect in range(int(task.effect_start[operator]), int(task.effect_start[operator + 1])):
            condition = task.effect_condition.of(effect)
            if not all(kernels.holds(state, fact) for fact in condition):
                continue
            made = set(task.effect_add.of(effect))
            made |= {int(task.complement[fact]) for fact in task.effect_delete.of(effect)}
            if made & needed:
                needed -= made
                needed |= set(condition)
        needed |= set(task.precondition.of(operator))
    derived = [fact for fact in needed if task.derived[fact]]
    if derived:  # what axioms decide is replaced by all of the state's own facts
        needed = {f for f in range(task.fact_count) if not task.derived[f] and kernels.holds(states[end], f)}
    return np.asarray(sorted(needed), np.int32)
