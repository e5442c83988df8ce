"""Satisficing searches, the lazy ones by turns: none is best everywhere, and together they rarely fail.

The first turn is led by h_FF and its preferred operators alone, which is fastest where the task is easy;
every other one also counts landmarks and tells novel states, which finds the way across plateaus. Each round
has more evaluations than the last, so a problem is solved within a small multiple of what the best of them
needs. A third turn takes no notice of costs, and its landmarks are disjunctions too: few steps are often
easier to find than cheap ones (Richter and Westphal, "The LAMA planner", 2010). Where actions differ in cost
it is in the first round and begins the second; elsewhere the second is its first. Greedy search has a turn of
width search besides, for tasks on which h_FF leads nowhere; it ends the first round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from chorewright.planner.plan import Limit
from chorewright.planner.search.heuristics.disjunctive_landmarks import with_disjunctions, with_reasonable_orders
from chorewright.planner.search.heuristics.landmarks import Landmarks, find_landmarks, goals_only
from chorewright.planner.search.interruption import promptly
from chorewright.planner.search.search import Budget, Prepared, SearchResult

FIRST, MORE = 1000, 10
"""Evaluations of the first turn, and how many times more there are in the next round."""

PATIENCE = 3
"""How many times more evaluations a turn with landmarks has."""

WIDTH = 2
"""How many times more evaluations a turn of width search has from the second round on."""

QUEUES = ("turns", "ff", "goal-count", "landmarks", "novelty")
"""By turns; the queues of h_FF alone; these with one of goals, of landmarks, of landmarks and of novelty."""

Marking = Callable[[Prepared], Landmarks | None]


class SearchTurn(NamedTuple):
    """A search of a round: what leads it, its landmarks, whether it tells novel states, and for how long.

    ``ahead`` counts successors' landmarks, ``wide`` is best-first width search.
    """

    led: Prepared
    marks: Marking
    novel: bool
    times: int
    ahead: bool = False
    wide: bool = False


def satisfice(
    prepared: Prepared, search: str, heuristic: str, queues: str, weight: int, bound: int, budget: Budget
) -> SearchResult:
    """Find a plan by greedy search, enforced hill-climbing or lazy search.

    Args:
        prepared: The task.
        search: ``greedy``, ``ehc`` or ``lazy``.
        heuristic: A key of ``HEURISTICS``.
        queues: What leads greedy and lazy search by ``ff``, besides it; see ``Configuration``.
        weight: Of the heuristic, in lazy search.
        bound: What the plan has to stay below, in integer units.
        budget: What the searches may use together.
    """
    if search == "ehc":
        found = prepared.hill_climb(heuristic, bound, budget)
        if found.operators is not None or found.limit is not None:
            return found
        rest = replace(budget, evaluations=budget.evaluations - found.evaluations)
        more = satisfice(prepared, "greedy", heuristic, queues, 1, bound, rest)
        return replace(more, evaluations=more.evaluations + found.evaluations)
    if heuristic != "ff":
        return prepared.search("greedy", heuristic, 1, bound, budget)
    kind = "lazy" if search == "lazy" else "greedy"
    if queues != "turns":
        with promptly():
            marks = _marks(prepared, queues)
        return prepared.search(kind, "ff", weight, bound, budget, marks, queues == "novelty")
    return _by_turns(prepared, kind, weight, bound, budget)


def _by_turns(prepared: Prepared, search: str, weight: int, bound: int, budget: Budget) -> SearchResult:
    spent = 0
    most = FIRST
    costs: tuple[SearchTurn, ...] = (
        SearchTurn(prepared, _no_marks, False, 1),
        SearchTurn(prepared, _landmarks, True, PATIENCE),
    )
    steps: tuple[SearchTurn, ...] = (
        (SearchTurn(prepared.by_steps(), disjunctions, False, PATIENCE, ahead=True),) if search == "greedy" else ()
    )
    wide = tuple(each._replace(wide=True, times=WIDTH) for each in steps)
    turns = (*costs, *(steps if prepared.costs_differ else ()), *(each._replace(times=1) for each in wide))
    marks: dict[Marking, Landmarks | None] = {}
    while True:
        for turn in turns:
            if turn.marks not in marks:
                with promptly():
                    marks[turn.marks] = turn.marks(turn.led)
            limited = replace(budget, evaluations=min(most * turn.times, budget.evaluations - spent))
            found = _take_turn(turn, search, weight, bound, limited, marks[turn.marks])
            spent += found.evaluations
            if turn.wide and found.operators is None and found.limit is None:
                wide = ()  # it has looked at all that is new to it
            elif found.limit is not Limit.EVALUATIONS or spent >= budget.evaluations:
                return replace(found, evaluations=spent)
        first, rest = (steps, ()) if prepared.costs_differ and most == FIRST else ((), steps)
        turns = (*first, costs[0], *wide, *rest, *costs[1:])
        most *= MORE


def _take_turn(
    turn: SearchTurn, search: str, weight: int, bound: int, budget: Budget, marks: Landmarks | None
) -> SearchResult:
    if turn.wide:
        assert marks is not None
        return turn.led.widen(bound, budget, marks)
    return turn.led.search(search, "ff", weight, bound, budget, marks, turn.novel, turn.ahead)


def _no_marks(prepared: Prepared) -> None:
    return None


def _landmarks(prepared: Prepared) -> Landmarks:
    found = find_landmarks(prepared.initial, prepared.guide)
    return with_reasonable_orders(prepared.task, prepared.guide, found)


def disjunctions(prepared: Prepared) -> Landmarks:
    """Landmarks that may be disjunctions, with reasonable orders.

    Args:
        prepared: The task.
    """
    found = find_landmarks(prepared.initial, prepared.guide)
    found = with_disjunctions(prepared.initial, prepared.task, prepared.guide, found)
    return with_reasonable_orders(prepared.task, prepared.guide, found)


def _marks(prepared: Prepared, queues: str) -> Landmarks | None:
    if queues == "ff":
        return None
    if queues == "goal-count":
        return goals_only(prepared.guide)
    return find_landmarks(prepared.initial, prepared.guide)


__all__ = ["QUEUES", "disjunctions", "satisfice"]
