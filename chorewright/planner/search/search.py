"""Search: a task prepared for the compiled kernels, and the searches one may run on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists, pack
from chorewright.planner.plan import Limit
from chorewright.planner.search import lazy_kernels, search_kernels, width_kernels
from chorewright.planner.search.heuristics import delete_relaxation
from chorewright.planner.search.heuristics.landmark_cut import Cuts, cuts, refuse_axioms
from chorewright.planner.search.heuristics.landmarks import NONE, Landmarks
from chorewright.planner.search.states import SuccessorTable, close

HEURISTICS = {
    "ff": delete_relaxation.FF,
    "add": delete_relaxation.ADD,
    "max": delete_relaxation.MAX,
    "blind": search_kernels.BLIND,
    "goal-count": search_kernels.GOAL_COUNT,
    "lmcut": search_kernels.LANDMARK_CUT,
}
UNBOUNDED = 2**62
"""In place of a bound on plan costs: no sum of integer costs comes near it."""

PLATEAU = 10_000
"""Evaluations after which hill-climbing is stuck if it has not found a better state."""

MOST_WIDTH_BYTES = 150_000_000
"""What the states of a width search may take, beside any other limit; it is given up at more."""

ADMISSIBLE = frozenset(("max", "blind", "lmcut"))
_LIMITS = {
    search_kernels.EVALUATIONS: Limit.EVALUATIONS,
    search_kernels.MEMORY: Limit.MEMORY,
    search_kernels.STOPPED: Limit.TIME,
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What one search may use.

    Attributes:
        evaluations: How many states it may evaluate.
        states: How many states it may store.
        stop: One number; another thread sets it to non-zero to end the search.
    """

    evaluations: int
    states: int
    stop: NDArray[np.int64]

    def below(self, bound: int) -> tuple[int, int, int, NDArray[np.int64]]:
        """Return the limits as kernels take them; plans must cost less than ``bound`` integer units."""
        return min(bound, UNBOUNDED), self.evaluations, self.states, self.stop


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A search's outcome: a plan, or the limit that was met, or neither if all was searched.

    Attributes:
        operators: The plan's operators; None if none was found.
        limit: The limit that was met; None if none was.
        evaluations: How many states were evaluated.
        lower: The largest f-value expanded, in integer units: with A* and an admissible heuristic, no plan (below the
            bound) costs less.
        pruned: Whether paths were cut off by the bound on costs: there may be plans that cost more.
    """

    operators: tuple[int, ...] | None
    limit: Limit | None
    evaluations: int
    lower: int = 0
    pruned: bool = False


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task with everything the kernels need.

    Attributes:
        task: The task.
        cost: The operators' costs, in integer units.
        unit: What an integer unit is worth in the task's costs.
        moves: The successor table.
        guide: The relaxation that leads greedy search: each operator's cost plus one unit of the cheapest step, so that
            free operators are not free of charge.
        surcharge: What ``guide`` adds to each operator's cost, in integer units; a very large number where its costs
            are coarser than the true ones.
        true: The relaxation with the true costs.
        work: Scratch space of the heuristics.
        initial: The initial state, packed, with derived facts.
        thorough: Whether landmarks are looked for in larger tasks than is usual.
    """

    task: Task
    cost: Int64
    unit: float
    moves: SuccessorTable
    guide: delete_relaxation.Relaxation
    surcharge: int
    true: delete_relaxation.Relaxation
    work: delete_relaxation.Scratch
    initial: NDArray[np.uint64]
    thorough: bool = False

    @cached_property
    def cuts(self) -> Cuts:
        """Scratch space of landmark cuts."""
        return cuts(self.true)

    @property
    def exact(self) -> bool:
        """Whether the integer costs are the true ones."""
        return bool(np.allclose(self.cost * self.unit, self.task.cost, rtol=1e-12, atol=0))

    @property
    def costs_differ(self) -> bool:
        """Whether greedy search tells apart operators by their cost."""
        costs = self.guide.cost[self.guide.operator >= 0]
        return bool((costs != costs[:1]).any())

    def by_steps(self) -> Prepared:
        """The same, but greedy search is led by the number of steps alone."""
        steps = np.where(self.guide.operator >= 0, 1, 0).astype(self.guide.cost.dtype)
        return replace(self, guide=self.guide._replace(cost=steps), surcharge=0)

    def proven(self, operators: Sequence[int]) -> bool:
        """Whether A* with an admissible heuristic that returned this plan has shown it to be optimal.

        Not if costs are rounded, nor if they are so finely divided that the queue cannot order them.
        """
        return self.exact and self.plan_cost(operators) < search_kernels.MOST_KEY

    def search(
        self,
        search: str,
        heuristic: str,
        weight: int,
        bound: int,
        budget: Budget,
        marks: Landmarks | None = None,
        novel: bool = False,
        ahead: bool = False,
        state: NDArray[np.uint64] | None = None,
    ) -> SearchResult:
        """Run a search; plans must cost less than ``bound`` integer units. Greedy search is lazy if ``ff`` leads it.

        Args:
            search: ``astar``, ``wastar``, ``greedy`` or ``lazy``.
            heuristic: A key of ``HEURISTICS``.
            weight: Of the heuristic, in weighted searches.
            bound: What the plan has to stay below.
            budget: What the search may use.
            marks: Landmarks to count, in lazy searches; None for none.
            novel: Whether lazy searches have a queue for novel states.
            ahead: Whether preferred successors' landmarks are counted before they are chosen (in greedy search only).
            state: Where it starts: a packed state, with its derived facts; the initial one by default.

        Raises:
            UnsupportedError: ``lmcut`` does not know axioms, and the task needs some.
        """
        state = self.initial if state is None else state
        limits = budget.below(bound)
        if search == "lazy" or (search, heuristic) == ("greedy", "ff"):
            weight, ahead = (weight, False) if search == "lazy" else (0, ahead)
            lazily = state, self.guide, self.moves, self.work, NONE if marks is None else marks, self.cost
            status, plan, evaluations = lazy_kernels.lazy(*lazily, weight, self.surcharge, novel, ahead, limits)
            lower = 0
        else:
            by_cuts, greedy = heuristic == "lmcut", search == "greedy"
            if by_cuts:
                refuse_axioms(self.task)
            search_states = search_kernels.best_first_by_cuts if by_cuts else search_kernels.best_first
            given = state, self.guide if greedy and not by_cuts else self.true, self.moves, self.work
            scratch, weight = self.cuts if by_cuts else None, 0 if greedy else weight
            status, plan, evaluations, lower = search_states(
                *given, scratch, self.cost, weight, HEURISTICS[heuristic], limits
            )
        return _result(status, plan, evaluations, int(lower), status == search_kernels.PRUNED)

    def by_cost_alone(self) -> Prepared:
        """The same, but lazy searches cut off the paths that cost as much as the bound, not what is estimated so."""
        return replace(self, surcharge=int(self.guide.cost.max(initial=0)))

    def hill_climb(self, heuristic: str, bound: int, budget: Budget) -> SearchResult:
        """Run enforced hill-climbing; what it does not find may be there all the same.

        Args:
            heuristic: A key of ``HEURISTICS``.
            bound: What the plan has to stay below, in integer units.
            budget: What the search may use.

        Raises:
            UnsupportedError: ``lmcut`` does not know axioms, and the task needs some.
        """
        if heuristic == "lmcut":
            refuse_axioms(self.task)
        given = self.initial, self.true if heuristic == "lmcut" else self.guide, self.moves, self.work, self.cuts
        limits = budget.below(bound)
        status, plan, evaluations = search_kernels.hill_climb(*given, self.cost, HEURISTICS[heuristic], PLATEAU, limits)
        return _result(status, plan, evaluations)

    def widen(self, bound: int, budget: Budget, marks: Landmarks) -> SearchResult:
        """Run best-first width search; what it does not find may be there all the same.

        Args:
            bound: What the plan has to stay below, in integer units.
            budget: What the search may use; it takes ``MOST_WIDTH_BYTES`` at most.
            marks: The landmarks that it counts.
        """
        bytes_each = 16 * self.task.words() + 2 * width_kernels.MOST_FACTS // 8 + 100
        room = max(1, MOST_WIDTH_BYTES // bytes_each)
        alike, watched = marks._replace(cost=np.ones_like(marks.cost)), index_by_watched(self.task)
        limits = replace(budget, states=min(room, budget.states)).below(bound)
        status, plan, evaluations = width_kernels.widen(
            self.initial, self.guide, self.moves, self.work, alike, watched, self.cost, limits
        )
        found = _result(status, plan, evaluations)
        return replace(found, limit=None) if found.limit is Limit.MEMORY and room < budget.states else found

    def plan_cost(self, operators: Sequence[int]) -> int:
        """What operators cost together, in integer units."""
        return int(self.cost[list(operators)].sum()) if operators else 0

    def cost_of(self, found: SearchResult) -> int:
        """What the plan of a search costs."""
        return self.plan_cost(found.operators or ())


def _result(status: int, plan: Int32, evaluations: int, lower: int = 0, pruned: bool = True) -> SearchResult:
    operators = tuple(plan.tolist()) if status == search_kernels.SOLVED else None
    return SearchResult(operators, _LIMITS.get(status), int(evaluations), lower, pruned)


def prepare(task: Task, thorough: bool = False) -> Prepared:
    """Build the arrays that searching a task needs; see ``Prepared.thorough``."""
    cost, unit = delete_relaxation.integer_costs(task.cost)
    true = delete_relaxation.relax(task, cost)
    uniform = len(cost) > 0 and bool((cost == cost[0]).all()) and int(cost[0]) > 0
    guide, surcharge = (true, 0) if uniform else _guiding(true)
    moves = successor_table(task)
    state = pack(task.initial)
    if moves.strata:
        close(state, moves)
    work = delete_relaxation.scratch_for(true)
    return Prepared(task, cost, unit, moves, guide, surcharge, true, work, state, thorough)


def successor_table(task: Task) -> SuccessorTable:
    """Return the arrays of a task for ``successor`` and ``close``."""
    positive = np.flatnonzero(task.derived & ((task.complement < 0) | (task.complement > np.arange(task.fact_count))))
    stratum = np.zeros(task.fact_count, np.int32)
    stratum[task.axiom_head] = task.axiom_stratum
    strata = int(stratum.max(initial=0)) + 1 if len(positive) else 0
    effects = task.effect_start, task.effect_condition, task.effect_add, task.effect_delete, task.complement
    axioms = task.axiom_head, task.axiom_body, task.axiom_stratum, strata
    return SuccessorTable(*effects, positive.astype(np.int32), stratum[positive], *axioms, task.precondition)


def index_by_watched(task: Task) -> CsrLists:
    """Return for each fact the operators that require it and no fact that fewer operators require.

    Returns:
        The lists of operators (facts + 1); the last has those without preconditions.
    """
    required_by = np.bincount(task.precondition.items, minlength=task.fact_count)
    items = task.precondition.items
    order = np.lexsort((items, required_by[items], task.precondition.owners()))
    fact = np.full(task.operator_count, task.fact_count, np.int64)
    some = np.flatnonzero(np.diff(task.precondition.start))
    fact[some] = items[order[task.precondition.start[some]]]
    return lists(task.fact_count + 1, fact, np.arange(task.operator_count, dtype=np.int32))


def _guiding(relaxation: delete_relaxation.Relaxation) -> tuple[delete_relaxation.Relaxation, int]:
    """The relaxation with costs for greedy search, and what is added to each operator's.

    They are coarse enough that its queue can tell values apart, and no operator is free.
    """
    cost = relaxation.cost
    most = int(cost.max(initial=0))
    if most > delete_relaxation.COARSE:
        cost = np.where(cost > 0, np.maximum(1, cost * delete_relaxation.COARSE // most), 0)
    least = int(cost[cost > 0].min()) if (cost > 0).any() else 1
    guiding = relaxation._replace(cost=np.where(relaxation.operator >= 0, cost + least, cost))
    return guiding, least if most <= delete_relaxation.COARSE else UNBOUNDED // 2**20


def state_limit(megabytes: int | None, task: Task) -> int:
    """How many states fit into so much memory at most, with one queue entry each; an ``Alarm`` stops what takes more.

    Args:
        megabytes: The memory; None for no limit, then the number is larger than any search stores.
        task: The task; each state takes a bit for each of its facts.
    """
    if megabytes is None:
        return 1 << 30
    per_state = 8 * task.words() + 40 + 32
    return max(1, megabytes * 1_000_000 // per_state)
