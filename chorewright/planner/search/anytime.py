"""Cheaper plans after the first: those of other searches (rivals), and anytime search until a limit or a proof.

Rivals look for a plan of their own where the first one may be dear. Anytime search has rounds with ever more
evaluations. In each, the best plan is improved piece by piece, a weighted search looks for a cheaper one, round by
round with less weight on the heuristic, as LAMA's do (Richter and Westphal, 2010), and A* looks for a proof that
there is none. A tight rung of the ladder is left when nothing cheaper can be found there, the full one only at a
limit or with a proof.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.files.stopping import promptly
from chorewright.planner.grounding.task import Task
from chorewright.planner.plan import GroundAction, Limit, Plan
from chorewright.planner.search.configuration import disjunctions, satisfice
from chorewright.planner.search.heuristics.landmarks import Landmarks
from chorewright.planner.search.improvement import LONG, USUAL_SIZE, Hear, improve, improve_orders, unheard
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult
from chorewright.planner.search.states import all_hold, successor

Report = Callable[[Plan], None]


def silent(_: Plan) -> None:
    """Say nothing of a plan."""


@dataclass(slots=True)
class Striving:
    """Plans as they come; sets the flag when there has been no cheaper one for too long.

    Attributes:
        barren: Seconds without a cheaper plan after which improvement ends; None for no such limit.
        flag: One number, which ends the search when it is not zero.
        report: Hears of the first plan and of each cheaper one.
        maximized: Whether a plan is the better the more it "costs".
        best: The cheapest plan so far.
    """

    barren: float | None
    flag: NDArray[np.int64]
    report: Report
    maximized: bool = False
    best: Plan | None = None
    _timer: threading.Timer | None = None

    def hear(self, make: Callable[[], Plan | None]) -> None:
        """Make a plan and take it, if anybody wants to know: validating takes time."""
        if (self.report is not silent or self.barren is not None) and (plan := make()) is not None:
            self.take(plan)

    def take(self, plan: Plan) -> None:
        """Report a plan if it is the first or cheaper, and give improvement its time."""
        sign = -1 if self.maximized else 1
        if self.best is not None and sign * plan.cost >= sign * self.best.cost:
            return
        self.best = plan
        self.report(plan)
        if self.barren is not None:
            self.end()
            self._timer = threading.Timer(self.barren, self.flag.fill, (1,))
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Wait for no cheaper plan any more."""
        if self._timer is not None:
            self._timer.cancel()


# Rivals: other searches that look for a plan of their own when the first one may be dear.
#
# First, quick weighted searches chase ever cheaper plans, and up to half of the work goes into the pieces of the last
# and of other orders of its steps. Greedy searches commit themselves early, and no improvement of pieces takes that
# back: how many stacks are open, which rover takes which sample. So several more greedy searches, each led in another
# way, find a plan, and each plan is improved. After them lazy weighted A* looks for a cheaper plan than the best one,
# with ever less weight on the heuristic (Richter and Westphal, "The LAMA planner", 2010). It cuts off paths by h_FF;
# where that leaves nothing, h_FF is too high, and the search is run again without. After one that finds nothing with
# all of its evaluations only the least weight is tried, which is repeated while it finds cheaper plans. All of it is
# bounded by evaluations, in proportion to what the first search took and to the size of the task.


WORK, WHOLE_WORK = 100_000_000, 250_000_000
"""Evaluations times operators of one search, and of all, at most."""

LEAST, TIMES_FIRST = 1000, 8
"""Evaluations of one search: some, and so many times those of the first search."""

WEIGHTS = (5, 3, 2, 1, 1, 1)
"""Of the heuristic, in one weighted search after the other."""

STEPS, SEVERAL = 2, 16
"""Evaluations of a quick search for each step of the plan, and for how many there is room at most."""


def chase(prepared: Prepared, best: SearchResult, budget: Budget, report: Hear = unheard) -> SearchResult:
    """The last of ever cheaper plans that quick weighted searches find, with half of the budget at most."""
    quick = max(LEAST, STEPS * len(best.operators or ()))
    spent, most = 0, min(budget.evaluations // 2, SEVERAL * quick)
    if most < quick:
        return replace(best, evaluations=0)
    with promptly():
        marks = disjunctions(prepared)
    leaps = [20, 40]  # the part of the cost that quick searches are to save, each until one fails; then anything
    for weight in (WEIGHTS[0], WEIGHTS[-1]):
        while spent < most:
            cost = prepared.cost_of(best)
            saving = cost // leaps[0] if leaps else 0
            limited = replace(budget, evaluations=min(most - spent, quick))
            found = prepared.search("lazy", "ff", weight, cost - saving, limited, marks)
            spent += found.evaluations
            if found.operators is None:
                if not saving:
                    break
                del leaps[0]
                continue
            best = found
            report(found.operators)
    return replace(best, evaluations=spent)


def against_rivals(
    prepared: Prepared,
    first: SearchResult,
    best: SearchResult,
    usual: int,
    budget: Budget,
    report: Hear = unheard,
    least: int = 0,
) -> SearchResult:
    """The cheapest of a plan and those of other searches, if the plan is not proven to be optimal.

    Args:
        prepared: The task.
        first: What the first search has found.
        best: Its plan, improved.
        usual: The evaluations for improving one plan, as ``improve`` takes them.
        budget: No more evaluations are spent in all.
        report: Hears of the plans of all searches.
        least: Evaluations that improving the plan may take, even where that is more than is usual.

    Returns:
        The plan, and the evaluations that the other searches took.
    """
    assert best.operators is not None
    if best.lower >= prepared.cost_of(best):
        return replace(best, evaluations=0)
    taken, best = best.evaluations, chase(prepared, best, budget, report)
    spent = best.evaluations
    if taken < least:
        share, most = replace(budget, evaluations=least), min(least, budget.evaluations - spent)
        best = improve(prepared, best.operators or (), share, least, report, most)
        spent += best.evaluations
    share, so_far = replace(budget, evaluations=usual), replace(best, evaluations=spent)
    best = improve_orders(prepared, so_far, share, report, (spent + budget.evaluations) // 2)
    spent = best.evaluations
    size = max(USUAL_SIZE, prepared.task.operator_count)
    most = min(WORK // size, LEAST + TIMES_FIRST * first.evaluations)
    proven = best.lower >= prepared.cost_of(best)
    budget = replace(budget, evaluations=spent if proven else min(budget.evaluations, spent + WHOLE_WORK // size))
    barren = False
    for led, search, weight, marks, ahead in _rivals(prepared):
        if spent >= budget.evaluations or budget.stop[0]:
            break
        if barren and weight > WEIGHTS[-1]:
            continue
        bound = prepared.cost_of(best) if search == "lazy" else UNBOUNDED
        # Where the estimates are too high, the paths that were cut off need not be that dear.
        for leader in (led, led.by_cost_alone()):
            limited = replace(budget, evaluations=min(budget.evaluations - spent, most))
            found = leader.search(search, "ff", weight, bound, limited, marks, ahead=ahead)
            spent += found.evaluations
            if not found.pruned or found.limit is not None:
                break
        if found.operators is None:
            barren |= search == "lazy" and found.limit is Limit.EVALUATIONS
            if search == "lazy" and weight == WEIGHTS[-1]:
                break
            continue
        report(found.operators)
        better = improve(prepared, found.operators, share, found.evaluations, report, budget.evaluations - spent)
        better = improve_orders(prepared, better, share, report, budget.evaluations - spent)
        spent += better.evaluations
        best = min(best, better, key=prepared.cost_of)
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
    prepared: Prepared, first: SearchResult, search: str, usual: int, budget: Budget, report: Hear = unheard
) -> SearchResult:
    """The cheapest of the improved plans of the first search and, if the first plan is long, of others.

    Args:
        prepared: The task.
        first: What the first search has found: a plan.
        search: Its name.
        usual: The evaluations for improving one plan, as ``improve`` takes them.
        budget: No more evaluations are spent in all.
        report: Hears of the plans of all searches.
    """
    assert first.operators is not None
    share = replace(budget, evaluations=usual)
    best = improve(prepared, first.operators, share, first.evaluations, report, budget.evaluations)
    spent = best.evaluations
    if len(best.operators or ()) > LONG:
        for other, weight in OTHERS:
            left = budget.evaluations - spent
            allowed = min(left, MOST, SHARE * first.evaluations + START)
            if other == search or allowed <= 0 or 2 * (first.evaluations + spent) >= usual:
                continue
            found = satisfice(prepared, other, "ff", "ff", weight, UNBOUNDED, replace(budget, evaluations=allowed))
            spent += found.evaluations
            if found.operators is None:
                continue
            report(found.operators)
            better = improve(prepared, found.operators, share, first.evaluations, report, budget.evaluations - spent)
            spent += better.evaluations
            best = min(best, better, key=prepared.cost_of)
    return replace(best, evaluations=spent)


FIRST, MORE = 10_000, 4
"""Evaluations of each part of the first round, and how many times more there are in the next round."""

DEARER = 4
"""How many times as long as others an evaluation of the landmark-cut heuristic takes, at least."""

Accept = Callable[[Task, Sequence[int]], Plan | None]


@dataclass(frozen=True, slots=True)
class Level:
    """A prepared task of the ladder, and whether it is the full one."""

    prepared: Prepared
    full: bool

    def operators(self, actions: Sequence[GroundAction]) -> list[int] | None:
        """The operators by which the task runs some actions, or None if it does not.

        An action whose precondition is a disjunction has several operators: the first that can be run counts.

        Returns:
            The operators' numbers; None if the task cannot run the actions.
        """
        task, moves = self.prepared.task, self.prepared.moves
        objects = {name: number for number, name in enumerate(task.objects)}
        state = self.prepared.initial
        found: list[int] = []
        for action in actions:
            after = np.empty_like(state)
            for o in _operators_named(task, action, objects):
                first, last = moves.precondition.start[o], moves.precondition.start[o + 1]
                if all_hold(state, moves.precondition.items, first, last):
                    successor(state, o, moves, after)
                    found.append(o)
                    break
            else:
                return None
            state = after
        return found


def _operators_named(task: Task, action: GroundAction, objects: Mapping[str, int]) -> list[int]:
    """The operators of a ground action, in order."""
    arguments = [objects.get(name, -1) for name in action.arguments]
    numbers = [number for number, name in enumerate(task.action_names) if name == action.name]
    same = np.isin(task.operator_action, numbers) & (task.operator_arity == len(arguments))
    for place, argument in enumerate(arguments):
        same &= task.operator_arguments[:, place] == argument
    return [int(o) for o in np.flatnonzero(same)]


@dataclass(slots=True)
class Anytime:
    """The best plan so far.

    ``accept`` makes validated plans of operators, None of wrong ones; cheaper plans are handed to ``report``.
    """

    best: Plan
    budget: Budget
    accept: Accept
    report: Report
    spent: int = 0
    done: bool = False

    def run(self, first: Level, more: Iterator[Level]) -> None:
        """Improve until a limit is met or the plan is proven optimal.

        Args:
            first: The task that the best plan was found in.
            more: The tasks that follow it on the ladder, up to the full one.
        """
        levels = [first]
        turn = 0
        while not self.done:
            for level in tuple(levels):
                if not self.done and self._round(level, turn):
                    self.done |= level.full
                    levels.remove(level)
            if not self.done and not any(level.full for level in levels):
                levels += [level for level in [next(more, None)] if level is not None]
            self.done |= not levels
            turn += 1

    def _round(self, level: Level, turn: int) -> bool:
        """One round on a task; whether nothing is left to be found there."""
        operators = level.operators(self.best.actions)
        if operators is None:
            return True  # the best plan is beyond this task
        prepared = level.prepared
        most = FIRST * MORE**turn
        weight = WEIGHTS[min(turn, len(WEIGHTS) - 1)]
        share = self._share(most)
        better = improve(prepared, operators, share, most, self._take_from(level), share.evaluations)
        self._spend(better.evaluations)
        bound = prepared.plan_cost(better.operators or operators)
        if self.done:
            return False
        found = satisfice(prepared, "lazy", "ff", "turns", weight, bound, self._share(most))
        self._spend(found.evaluations)
        if found.operators is not None:
            self._take_from(level)(found.operators)
            bound = prepared.plan_cost(found.operators)
        return not self.done and self._prove(level, bound, most)

    def _prove(self, level: Level, bound: int, most: int) -> bool:
        """Search for a cheaper plan by A*; whether there can be none."""
        prepared = level.prepared
        task = prepared.task
        cuts = not (task.derived & (task.fact_predicate >= 0)).any()
        heuristic, share = ("lmcut", most // DEARER) if cuts else ("max", most)
        found = prepared.search("astar", heuristic, 1, bound, self._share(share))
        self._spend(found.evaluations)
        self.done |= found.limit in (Limit.MEMORY, Limit.TIME)
        if found.limit is not None:
            return False
        if found.operators is not None:
            self._take_from(level)(found.operators)
        operators = level.operators(self.best.actions)
        if level.full and operators is not None and prepared.proven(operators):
            self.best = replace(self.best, optimal=True)
            self.done = True
        return True

    def _take_from(self, level: Level) -> Callable[[Sequence[int]], None]:
        """Keep a task's plan if it is cheaper."""

        def take(operators: Sequence[int]) -> None:
            plan = self.accept(level.prepared.task, operators)
            if plan is not None and plan.cost < self.best.cost:
                self.best = plan
                self.report(plan)

        return take

    def _share(self, most: int) -> Budget:
        return replace(self.budget, evaluations=max(0, min(most, self.budget.evaluations - self.spent)))

    def _spend(self, evaluations: int) -> None:
        self.spent += evaluations
        self.done |= bool(self.budget.stop[0]) or self.spent >= self.budget.evaluations
