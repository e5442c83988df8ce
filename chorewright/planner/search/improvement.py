"""Making a plan cheaper: needless actions go, then all of it and stretches of it are searched for less.

All of it is bounded by evaluations, so the outcome is the same on every machine; no plan ever gets costlier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import CsrLists, Int32, Task, lists
from chorewright.planner.plan import Limit
from chorewright.planner.search import states
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult

USUAL_SIZE = 500
"""Operators of a task that gets its full budget; a larger one gets fewer evaluations, each being slower."""

LONG = 24
"""Plans with more steps are only improved piece by piece."""

LENGTHS = (8, 16, 32, 64)
"""Lengths of the stretches that are planned again, overlapping by three quarters."""

WEIGHT = 3
"""Weight of the heuristic where stretches are planned again."""

WINDOW, MORE = 100, 4
"""Evaluations for one stretch in the first round, and how many times more there are in the next."""

LONGEST = 4
"""Steps of the longest stretch for which one operator is tried."""

ORDERED = 8
"""How many times fewer evaluations an order of the steps gets than the plan that was found."""

Hear = Callable[[Sequence[int]], None]
_Course = tuple[NDArray[np.uint64], NDArray[np.uint64]]


def unheard(_: Sequence[int]) -> None:
    """Take no notice of a better plan."""


@dataclass(slots=True)
class _Improvement:
    """The best plan so far and the evaluations left.

    Attributes:
        prepared: The task.
        best: The operators of the best plan.
        left: The evaluations that are left.
        budget: What a search may use.
        makers: The operators that can make each fact true, the cheapest first.
        report: Hears of each better plan.
        spent: The evaluations so far.
        unfinished: Whether some stretch's search ran out of evaluations in this round.
        tried: Stretches that were planned again in vain, and with how many evaluations.
    """

    prepared: Prepared
    best: Int32
    left: int
    budget: Budget
    makers: CsrLists
    report: Hear
    spent: int = 0
    unfinished: bool = False
    tried: dict[tuple[bytes, bytes, int], int] = field(default_factory=dict)

    @property
    def cost(self) -> int:
        return int(self.prepared.cost[self.best].sum())

    def take(self, plan: Int32) -> bool:
        """Keep a plan if it is cheaper."""
        if int(self.prepared.cost[plan].sum()) >= self.cost:
            return False
        self.best = plan
        self.report(plan.tolist())
        return True

    def tidy(self) -> None:
        """Drop needless actions and detours."""
        self.take(self.tidied(self.best))

    def tidied(self, plan: Int32) -> Int32:
        """The plan without needless actions and detours."""
        p = self.prepared
        goal = p.task.goal
        plan = states.drop_needless(p.initial, plan, p.moves, goal)
        tidy: Int32 = states.contract_stretches(p.initial, plan, p.moves, goal, p.cost, self.makers, LONGEST)
        return tidy

    def search(self, heuristic: str, weight: int, most: int) -> bool:
        """Search the whole task for a cheaper plan; whether the search came to its end within the budget."""
        allowed = min(most, self.left)
        if allowed <= 0:
            return False
        limited = replace(self.budget, evaluations=allowed)
        found = self.prepared.search("wastar", heuristic, weight, self.cost, limited)
        self.spend(found.evaluations)
        if found.operators is not None:
            self.take(self.tidied(np.asarray(found.operators, np.int32)))
        return found.limit is None

    def spend(self, evaluations: int) -> None:
        self.left -= evaluations
        self.spent += evaluations


def improve(
    prepared: Prepared,
    operators: Sequence[int],
    budget: Budget,
    effort: int = 0,
    report: Hear = unheard,
    most: int = UNBOUNDED,
) -> SearchResult:
    """A plan that costs no more, found within the budget of evaluations, or ``effort`` if that is more.

    A task with many operators gets fewer evaluations than the budget's, each being slower; a long plan gets
    more; none gets more than ``most``. Each better plan is handed to ``report``.

    Args:
        prepared: The task.
        operators: The plan's operators.
        budget: Evaluations and states; ``stop`` ends it early.
        effort: Evaluations that it may take at least, if the budget has them.
        report: Hears of each better plan.
        most: Evaluations that it may take at most.

    Returns:
        The plan, the evaluations that it took, and what no plan costs less than, where that has been shown.
    """
    plan = np.asarray(operators, np.int32)
    state = _Improvement(prepared, plan, 0, budget, makers(prepared.task, prepared.cost), report)
    state.tidy()
    size = max(USUAL_SIZE, prepared.task.operator_count)
    scaled = budget.evaluations * USUAL_SIZE * max(LONG, len(state.best)) // (size * LONG)
    state.left = min(max(scaled, min(effort, budget.evaluations)), most)
    proven = _proven(state)
    share = WINDOW
    while not proven and state.left > 0 and _round(state, share):
        share *= MORE
    return SearchResult(tuple(state.best.tolist()), None, state.spent, state.cost if proven else 0)


def improve_orders(
    prepared: Prepared, found: SearchResult, budget: Budget, report: Hear = unheard, most: int = UNBOUNDED
) -> SearchResult:
    """A plan that costs no more: other orders of a long one are improved, as ``improve`` does, while that helps.

    Stretches of a plan may hold steps for several goals by turns, none of which is planned anew without the others.

    Args:
        prepared: The task.
        found: The plan, with the evaluations that it has taken.
        budget: That of ``improve``; each order gets an eighth of its evaluations.
        report: Hears of each better plan.
        most: Evaluations at most, those of ``found`` included.

    Returns:
        The plan, the evaluations with those of ``found``, and what no plan costs less than, where that has been shown.
    """
    share = replace(budget, evaluations=budget.evaluations // ORDERED)
    barren, backwards, tried = 0, True, {found.operators}
    while barren < 2 and found.evaluations < most and len(found.operators or ()) > LONG and not budget.stop[0]:
        order = regroup(prepared, np.asarray(found.operators, np.int32), backwards)
        operators = tuple(order.tolist())
        barren, backwards = barren + 1, not backwards
        rest = prepared.moves, prepared.task.goal, np.empty_like(order)
        if operators in tried or states.runnable(prepared.initial, order, 0, False, *rest) < 0:
            continue
        tried.add(operators)
        better = improve(prepared, operators, share, 0, report, most - found.evaluations)
        spent, lower = found.evaluations + better.evaluations, max(found.lower, better.lower)
        if prepared.cost_of(better) < prepared.cost_of(found):
            found, barren = better, 0
        found = replace(found, evaluations=spent, lower=lower)
    return found


def regroup(prepared: Prepared, operators: Int32, backwards: bool) -> Int32:
    """The same steps in another order: what leads to one goal stands together where it can.

    Steps keep their order where one reads or writes what the other writes, as in the partial orders of Siddiqui and
    Haslum ("Continuing plan quality optimisation", 2015). The steps that a step needs come right before it, from the
    first on, or from the last if ``backwards``. With axioms the order may be no plan: run it.
    """
    moves = prepared.moves
    name = np.maximum(moves.complement, np.arange(len(moves.complement))).tolist()  # of a fact and its opposite
    written: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    before: list[list[int]] = []
    for step, o in enumerate(operators.tolist()):
        effects = moves.effect_start[o], moves.effect_start[o + 1]
        reads = {name[fact] for fact in (*moves.precondition.of(o), *moves.condition.of(*effects))}
        writes = {name[fact] for fact in (*moves.add.of(*effects), *moves.delete.of(*effects))}
        earlier = {written[fact] for fact in reads | writes if fact in written}
        before.append(sorted(earlier.union(*(readers.pop(fact, ()) for fact in writes))))
        written.update(dict.fromkeys(writes, step))
        for fact in reads:
            readers.setdefault(fact, []).append(step)
    makers = {written[name[fact]] for fact in prepared.task.goal.tolist() if name[fact] in written}
    stack = [*reversed(range(len(before))), *sorted(makers, reverse=True)]
    seen: set[int] = set()
    order: list[int] = []
    while stack:
        step = stack.pop()
        if step < 0:
            order.append(~step)
        elif step not in seen:
            seen.add(step)
            stack += [~step, *(before[step] if backwards else reversed(before[step]))]
    return operators[order]


def _proven(state: _Improvement) -> bool:
    """Search the whole task for a cheaper plan if the plan is short; whether there can be none."""
    share = state.left // 4
    barren = False
    if len(state.best) <= LONG:
        cost = state.cost
        barren = state.search("ff", 3, share) and state.cost == cost
    if len(state.best) <= LONG:
        # What that search cut off, with no cheaper plan in what was left, this one cuts off as well.
        if not barren:
            state.search("ff", 1, share)
        return state.search("max", 1, state.left // 2)
    return False


def _round(state: _Improvement, most: int) -> bool:
    """Plan stretches of all lengths again; whether ``most`` evaluations were too few for any."""
    state.unfinished = False
    for length in LENGTHS:
        _windows(state, length, most)
        state.tidy()
        if length >= len(state.best):
            break
    return state.unfinished


def _windows(state: _Improvement, length: int, most: int) -> None:
    """Plan stretches again: from the state before one to what the rest of the plan needs."""
    start = 0
    course = _course(state)
    while start < len(state.best) and state.left > 0:
        end = min(start + length, len(state.best))
        found = _window(state, course, start, end, most)
        if found is not None and state.take(found):
            course = _course(state)
            continue
        if end == len(state.best):
            break
        start += max(1, length // 4)


def _course(state: _Improvement) -> _Course:
    """The states of the best plan, and what is relied on in each."""
    p = state.prepared
    visited = states.trajectory(p.initial, state.best, p.moves)
    return visited, states.find_reliance(visited, state.best, p.moves, p.task.goal)


def _window(state: _Improvement, course: _Course, start: int, end: int, most: int) -> Int32 | None:
    """The plan with a cheaper stretch in place of ``plan[start:end]``, if one is found."""
    prepared, plan = state.prepared, state.best
    old = int(prepared.cost[plan[start:end]].sum())
    visited, needed = course
    most = min(most, state.left)
    key = (visited[start].tobytes(), needed[end].tobytes(), old)
    if state.tried.get(key, 0) >= most:
        return None
    state.tried[key] = UNBOUNDED
    goal: Int32 = states.facts_of(needed[end])
    sub = replace(prepared, true=prepared.true._replace(goal=goal), guide=prepared.guide._replace(goal=goal))
    found = sub.search("lazy", "ff", WEIGHT, old, replace(state.budget, evaluations=most), state=visited[start])
    state.spend(found.evaluations)
    if found.limit is Limit.EVALUATIONS:
        state.tried[key] = most
        state.unfinished = True
    if found.operators is None:
        return None
    whole = np.concatenate((plan[:start], np.asarray(found.operators, np.int32), plan[end:]))
    kept = np.empty_like(whole)
    goal = prepared.task.goal
    count = states.runnable(prepared.initial, whole, 0, False, prepared.moves, goal, kept)
    return whole if count >= 0 else None


def makers(task: Task, cost: NDArray[np.int64]) -> CsrLists:
    """Return for each fact the operators that can make it true, the cheapest first.

    Args:
        task: The task.
        cost: The operators' costs.
    """
    owner = np.repeat(np.arange(task.operator_count), np.diff(task.effect_start))
    opposite = task.complement[task.effect_delete.items]
    facts = np.concatenate((task.effect_add.items, opposite[opposite >= 0])).astype(np.int64)
    operators = np.concatenate((owner[task.effect_add.owners()], owner[task.effect_delete.owners()[opposite >= 0]]))
    order = np.lexsort((operators, cost[operators]))
    return lists(task.fact_count, facts[order], operators[order].astype(np.int32))
