"""Several starts: a long plan has the faults of the search that found it, so other searches are asked too.

Improvement mends a plan piece by piece, and seldom what runs through all of it, such as the choice of
objects. Where the first search and the improvement took many evaluations, they are enough.
"""

from __future__ import annotations

from dataclasses import replace

from chorewright.planner.search.improvement import LONG, improve
from chorewright.planner.search.portfolio import satisfice
from chorewright.planner.search.search import UNBOUNDED, Budget, Found, Prepared

OTHERS = (("lazy", 5), ("ehc", 1))
"""The other searches and their weights."""

SHARE, START, MOST = 2, 200, 4000
"""Evaluations of another search: so many times those of the first and some more, up to the last."""


def improved(prepared: Prepared, first: Found, search: str, usual: int, budget: Budget) -> Found:
    """The cheapest of the improved plans of the first search and, if the first plan is long, of others.

    Args:
        prepared: The task.
        first: What the first search has found: a plan.
        search: Its name.
        usual: The evaluations for improving one plan, as ``improve`` takes them.
        budget: No more evaluations are spent in all.
    """
    assert first.operators is not None
    share = replace(budget, evaluations=usual)
    best = improve(prepared, first.operators, share, first.evaluations, most=budget.evaluations)
    spent = best.evaluations
    if len(best.operators or ()) > LONG:
        for other, weight in OTHERS:
            left = budget.evaluations - spent
            allowed = min(left, MOST, SHARE * first.evaluations + START)
            if other == search or allowed <= 0 or 2 * (first.evaluations + spent) >= usual:
                continue
            limited = replace(budget, evaluations=allowed)
            found = satisfice(prepared, other, "ff", "ff", weight, UNBOUNDED, limited)
            spent += found.evaluations
            if found.operators is None:
                continue
            better = improve(prepared, found.operators, share, first.evaluations, most=budget.evaluations - spent)
            spent += better.evaluations
            if prepared.plan_cost(better.operators or ()) < prepared.plan_cost(best.operators or ()):
                best = better
    return replace(best, evaluations=spent)


__all__ = ["improved"]
