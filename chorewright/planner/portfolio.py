"""Satisficing searches, the lazy ones by turns: none is best everywhere, and together they rarely fail.

The first turn is led by h_FF and its preferred operators alone, which is fastest where the task is easy;
every other one also counts landmarks and tells novel states, which finds the way across plateaus. Each round
has more evaluations than the last, so a problem is solved within a small multiple of what the better of the
two needs. Where actions differ in cost, later rounds have a turn that takes no notice of it: few steps are
often easier to find than cheap ones (Richter and Westphal, "The LAMA planner", 2010).
"""

from __future__ import annotations

from dataclasses import replace

from chorewright.planner.landmarks import Landmarks, find_landmarks, goals_only
from chorewright.planner.plan import Limit
from chorewright.planner.search import Budget, Found, Prepared

FIRST, MORE = 1000, 10
"""Evaluations of the first turn, and how many times more there are in the next round."""

PATIENCE = 3
"""How many times more evaluations a turn with landmarks has."""

QUEUES = ("turns", "ff", "goal-count", "landmarks", "novelty")
"""By turns; the queues of h_FF alone; these with one of goals, of landmarks, of landmarks and of novelty."""


def satisfice(
    prepared: Prepared, search: str, heuristic: str, queues: str, weight: int, bound: int, budget: Budget
) -> Found:
    """A plan that costs less than ``bound`` by greedy, enforced hill-climbing or lazy search."""
    if search == "ehc":
        found = prepared.climb(heuristic, bound, budget)
        if found.operators is not None or found.limit is not None:
            return found
        rest = replace(budget, evaluations=budget.evaluations - found.evaluations)
        more = satisfice(prepared, "greedy", heuristic, queues, 1, bound, rest)
        return replace(more, evaluations=more.evaluations + found.evaluations)
    if heuristic != "ff":
        return prepared.search("greedy", heuristic, 1, bound, budget)
    kind = "lazy" if search == "lazy" else "greedy"
    if queues != "turns":
        marks = _marks(prepared, queues)
        return prepared.search(kind, "ff", weight, bound, budget, marks, queues == "novelty")
    return _by_turns(prepared, kind, weight, bound, budget)


def _by_turns(prepared: Prepared, search: str, weight: int, bound: int, budget: Budget) -> Found:
    spent = 0
    most = FIRST
    landmarks: Landmarks | None = None
    turns = [(prepared, False), (prepared, True)]
    while True:
        for led, counting in turns:
            share = min(most * PATIENCE if counting else most, budget.evaluations - spent)
            if counting and landmarks is None:
                landmarks = find_landmarks(prepared.initial, prepared.guide)
            limited = replace(budget, evaluations=share)
            marks = landmarks if counting else None
            found = led.search(search, "ff", weight, bound, limited, marks, counting)
            spent += found.evaluations
            if found.limit is not Limit.EVALUATIONS or spent >= budget.evaluations:
                return replace(found, evaluations=spent)
        if most == FIRST and search == "greedy" and prepared.dear:
            turns.append((prepared.by_steps(), False))
        most *= MORE


def _marks(prepared: Prepared, queues: str) -> Landmarks | None:
    if queues == "ff":
        return None
    if queues == "goal-count":
        return goals_only(prepared.guide)
    return find_landmarks(prepared.initial, prepared.guide)


__all__ = ["QUEUES", "satisfice"]
