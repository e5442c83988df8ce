"""Rivals: other searches that look for a plan of their own when the first one may be dear.

Greedy searches commit themselves early, and no improvement of pieces takes that back: how many stacks are open, which
rover takes which sample. So several more greedy searches, each led in another way, find a plan, and each plan is
improved. After them lazy weighted A* looks for a cheaper plan than the best one, with ever less weight on the
heuristic (Richter and Westphal, "The LAMA planner", 2010). It cuts off paths by h_FF; where that leaves nothing, h_FF
is too high, and the search is run again without. All of it is bounded by evaluations, in proportion to what the first
search took and to the size of the task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chorewright.planner.search.heuristics.landmarks import Landmarks
from chorewright.planner.search.improvement import LONG, USUAL_SIZE, improve
from chorewright.planner.search.interruption import promptly
from chorewright.planner.search.portfolio import disjunctions, satisfice
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult

WORK, WHOLE_WORK = 100_000_000, 250_000_000
"""Evaluations times operators of one search, and of all, at most."""

LEAST, TIMES_FIRST = 1000, 8
"""Evaluations of one search: some, and so many times those of the first search."""

WEIGHTS = (5, 3, 2, 1)
"""Of the heuristic, in one weighted search after the other."""


def against_rivals(
    prepared: Prepared, first: SearchResult, best: SearchResult, usual: int, budget: Budget
) -> SearchResult:
    """The cheapest of a plan and those of other searches, if the plan is not proven to be optimal.

    Args:
        prepared: The task.
        first: What the first search has found.
        best: Its plan, improved.
        usual: The evaluations for improving one plan, as ``improve`` takes them.
        budget: No more evaluations are spent in all.

    Returns:
        The plan, and the evaluations that the other searches took.
    """
    assert best.operators is not None
    if best.lower >= prepared.plan_cost(best.operators):
        return replace(best, evaluations=0)
    spent = 0
    size = max(USUAL_SIZE, prepared.task.operator_count)
    most = min(WORK // size, LEAST + TIMES_FIRST * first.evaluations)
    budget = replace(budget, evaluations=min(budget.evaluations, WHOLE_WORK // size))
    for led, search, weight, marks, ahead in _rivals(prepared):
        left = budget.evaluations - spent
        if left <= 0 or budget.stop[0]:
            break
        bound = prepared.plan_cost(best.operators) if search == "lazy" else UNBOUNDED
        limited = replace(budget, evaluations=min(left, most))
        found = led.search(search, "ff", weight, bound, limited, marks, ahead=ahead)
        spent += found.evaluations
        if found.pruned and found.limit is None:
            # Where the estimates are too high, the paths that were cut off need not be that dear.
            limited = replace(limited, evaluations=min(budget.evaluations - spent, most))
            found = led.by_cost_alone().search(search, "ff", weight, bound, limited, marks, ahead=ahead)
            spent += found.evaluations
        if found.operators is None:
            continue
        share = replace(budget, evaluations=usual)
        better = improve(prepared, found.operators, share, found.evaluations, most=budget.evaluations - spent)
        spent += better.evaluations
        if prepared.plan_cost(better.operators or ()) < prepared.plan_cost(best.operators):
            best = better
    return replace(best, evaluations=spent)


def _rivals(prepared: Prepared) -> Iterator[tuple[Prepared, str, int, Landmarks | None, bool]]:
    """What leads each search, its name, its weight, its landmarks, and whether they are counted ahead."""
    steps = prepared.by_steps() if prepared.costs_differ else prepared
    with promptly():
        marks = disjunctions(steps)
    yield steps, "greedy", 1, marks, True
    on_steps = marks
    if prepared.costs_differ:
        with promptly():
            marks = disjunctions(prepared)
        yield prepared, "greedy", 1, marks, True
    yield prepared, "greedy", 1, None, False
    yield steps, "greedy", 1, on_steps, False
    for weight in WEIGHTS:
        yield prepared, "lazy", weight, marks, False


# Several starts: a long plan has the faults of the search that found it, so other searches are asked too.
#
# Improvement mends a plan piece by piece, and seldom what runs through all of it, such as the choice of
# objects. Where the first search and the improvement took many evaluations, they are enough.


OTHERS = (("lazy", 5), ("ehc", 1))
"""The other searches and their weights."""

SHARE, START, MOST = 2, 200, 4000
"""Evaluations of another search: so many times those of the first and some more, up to the last."""


def improve_among_rivals(
    prepared: Prepared, first: SearchResult, search: str, usual: int, budget: Budget
) -> SearchResult:
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
