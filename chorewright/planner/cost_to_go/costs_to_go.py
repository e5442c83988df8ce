"""Cost-to-go: how much the goal still costs from each of many states of one episode.

The problem is grounded once for all states. Costs are proven by small abstractions (see ``proofs``), or where
the task has features that those do not know, by A* over the goal's alternatives. Where no proof is found in
time, plans are made piece by piece (see ``piecewise``), or by a greedy search, over the objects that the goal
seems to need: the best found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from chorewright.domains.pddl.syntax import Domain, Formula, Problem, State
from chorewright.errors import UsageError
from chorewright.planner.cost_to_go.goal_branches import OPTIMAL, SATISFICING, Cost, Effort, cheaper_branch
from chorewright.planner.cost_to_go.piecewise import Piecewise
from chorewright.planner.cost_to_go.proofs import CostBound, Proofs, Reached, plain
from chorewright.planner.grounding.goal_atoms import goal_objects, speaks_of_all
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.relevance import Unreachable, relevant_objects
from chorewright.planner.grounding.task import Task
from chorewright.planner.plan import GroundAction
from chorewright.planner.search.heuristics.delete_relaxation import INFINITE
from chorewright.planner.search.improvement import improve
from chorewright.planner.search.search import Budget, Prepared, state_limit
from chorewright.planner.search.start_states import Encoder, SearchStart, Union

_SAMPLES = 5
"""Start states whose relevant objects are asked for, evenly chosen."""

MOST_OPERATORS = 60_000
"""Tasks with conditional effects are searched for proofs up to this size."""

LARGE = 1_000
"""Tasks with so many operators or more are usually first tried piece by piece (see ``piecewise``)."""

LESSONS = 10
"""Start states whose plans show in which order the goal's parts are made true."""

_PIECE = 300
"""Evaluations that one part of such a plan may take."""

_MOST_RUNGS = 32

MOST_KNOWN = 20_000
"""Answers that are remembered; when there are more, all are forgotten and found again."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """A cost, and the operators of ``task`` that are the plan; actions are made of them when asked for."""

    cost: Cost
    operators: tuple[int, ...] | None = None
    task: Task | None = None

    @property
    def actions(self) -> tuple[GroundAction, ...] | None:
        if self.operators is None or self.task is None:
            return None
        return tuple(self.task.action(operator) for operator in self.operators)


@dataclass(slots=True)
class _Rung:
    """A ground task in which plans are looked for, and whether it is the full one."""

    start: SearchStart | None
    full: bool
    pieces: Piecewise | None
    known: dict[tuple[bytes, Effort, bool], tuple[int, ...] | None] = field(default_factory=dict)

    def plan(self, start: SearchStart, state: State, effort: Effort, whole: bool) -> tuple[int, ...] | None:
        """A plan from a state: by a search of the ``whole`` task, else piece by piece."""
        encoded = start.encode(state)
        whole = whole or self.pieces is None
        key = start.key(encoded), effort, whole
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            prepared = replace(start.whole, initial=encoded)
            if whole or self.pieces is None:
                found = _greedy(prepared, effort)
            else:
                found = self.pieces.plan(encoded, min(_PIECE, effort.greedy))
            self.known[key] = found if found is None else _improve(prepared, found, effort)
        return self.known[key]


class CostToGo:
    """Costs-to-go of many states of one problem, for one goal.

    An answer depends on the problem, the set of states, the state and the effort, never on what was asked
    before or in which order. Memory: the full ground task and its abstractions (some hundred megabytes for
    300,000 operators), ``MOST_KNOWN`` answers, and at most ``proof_tasks.MOST_STATES`` states of one search.

    Args:
        domain, problem: the problem; its objects and function values count, its ``init`` does not.
        states: all states that will be asked for.
        goal: the problem's goal by default.
        relevant: search greedily among objects that the goal seems to need (others where these do not
            suffice); proofs always speak of all objects.
        large: tasks with so many operators or more are first tried piece by piece.

    Raises:
        UsageError: there are no states.
        LimitError: the problem is too large to ground.
    """

    def __init__(
        self,
        domain: Domain,
        problem: Problem,
        states: Sequence[State],
        goal: Formula | None = None,
        relevant: bool = True,
        large: int = LARGE,
    ) -> None:
        if not states:
            raise UsageError("no states to ground for", hint="pass all states that will be asked for")
        self._domain = domain
        self._problem = problem if goal is None else replace(problem, goal=goal)
        self._states = frozenset(states)
        self._union = Union.of(domain, self._problem, self._problem.goal, states)
        self._everything = frozenset(o.name for o in (*domain.constants, *problem.objects))
        self._rungs: dict[frozenset[str] | None, _Rung] = {}
        self._known: dict[tuple[State, Effort], _Answer] = {}
        self._pooled: dict[Effort, dict[State, CostBound]] = {}
        self._narrow = relevant and not speaks_of_all(domain)
        self._large = large

    def cost(self, state: State, effort: Effort = OPTIMAL) -> Cost:
        """The cost-to-go of one of the states.

        Args:
            state: The state.
            effort: What finding the cost may take, in evaluations.

        Raises:
            UsageError: the state is not one of those that the service was made for.
        """
        return self._answer(state, effort).cost

    def costs(self, states: Sequence[State], effort: Effort = OPTIMAL) -> tuple[Cost, ...]:
        """The costs-to-go of some of the states, in their order.

        Raises:
            UsageError: a state is not one of those that the service was made for.
        """
        return tuple(self.cost(state, effort) for state in states)

    def plan(self, state: State, effort: Effort = OPTIMAL) -> tuple[GroundAction, ...] | None:
        """A plan from one of the states that costs what ``cost`` says; None if that is ``inf``.

        Raises:
            UsageError: the state is not one of those that the service was made for.
        """
        return self._answer(state, effort).actions

    def _answer(self, state: State, effort: Effort) -> _Answer:
        found = self._known.get((state, effort))
        if found is None:
            if state not in self._states:
                raise UsageError(
                    "the cost-to-go of a state that it was not grounded for",
                    hint="give all states that will be asked for when the service is made",
                )
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[state, effort] = self._find(state, effort)
        return found

    def _find(self, state: State, effort: Effort) -> _Answer:
        if effort.provable == 0:
            return self._best_found(state, effort, 0.0)
        if self._full is None:
            return _NONE
        if self._proofs is None:
            return self._by_branches(state, effort)
        proofs = self._proofs
        bound = self._bound(proofs, state, effort)
        if bound.operators is not None:
            cost = bound.lower * proofs.unit
            return _Answer(Cost(cost, True, cost), tuple(bound.operators), proofs.task)
        if bound.lower >= INFINITE:
            return _NONE
        return self._best_found(state, effort, bound.lower * proofs.unit)

    def _bound(self, proofs: Proofs, state: State, effort: Effort) -> CostBound:
        if effort.pool is None:
            reached = self._reached(proofs, state, effort)
            return proofs.bound(self._encoder.bits(state), reached, effort.provable, effort.proof)
        if effort not in self._pooled:
            starts = [self._encoder.bits(each) for each in self._ordered]
            reached_by = [self._reached(proofs, each, effort) for each in self._ordered]
            found = proofs.bounds(starts, reached_by, effort.provable, effort.proof, effort.pool)
            self._pooled[effort] = dict(zip(self._ordered, found, strict=True))
        return self._pooled[effort][state]

    def _reached(self, proofs: Proofs, state: State, effort: Effort) -> Reached:
        def reached() -> int:
            cost = self._best_found(state, effort, 0.0).cost.cost
            return INFINITE if cost == inf else min(INFINITE, round(cost / proofs.unit))

        return reached

    @cached_property
    def _ordered(self) -> list[State]:
        """The states, in an order that does not depend on how they were given."""
        return sorted(self._states, key=lambda state: sorted(state - self._union.common))

    @cached_property
    def _full(self) -> Task | None:
        return self._union.task(None)

    @cached_property
    def _encoder(self) -> Encoder:
        assert self._full is not None
        return Encoder.of(self._full, self._union.common)

    @cached_property
    def _proofs(self) -> Proofs | None:
        """None if the task has features that proofs by abstraction do not know."""
        task = self._full
        if task is None or not plain(task):
            return None
        starts = [self._encoder.bits(state) for state in self._ordered]
        proofs = Proofs.of(task, self._often_relevant(), starts)
        return proofs if proofs.exact else None

    def _often_relevant(self) -> list[str]:
        """Objects that are relevant from most of some start states."""
        found: Counter[str] = Counter()
        samples = self._samples(_SAMPLES)
        for sample in samples:
            # Proofs need all ways to the goal.
            found.update(self._relevant(sample, frugal=False) or ())
        return sorted(name for name, often in found.items() if 2 * often > len(samples))

    def _relevant(self, state: State, frugal: bool = True) -> frozenset[str] | None:
        problem = replace(self._problem, init=tuple(sorted(state)))
        try:
            return relevant_objects(self._domain, problem, 1, frugal=frugal)
        except Unreachable:
            return None

    def _best_found(self, state: State, effort: Effort, lower: float) -> _Answer:
        """A plan among ever more objects until there is one: piece by piece, then by whole searches."""
        for whole in (False, True):
            for keep in self._widths(state):
                if keep is None and self._narrow and not whole:
                    continue
                rung = self._rung(keep)
                if rung.start is None:
                    if rung.full:
                        return _NONE
                    continue
                operators = rung.plan(rung.start, state, effort, whole)
                if operators is not None:
                    return _answer_of(rung.start.whole, operators, lower)
        return _Answer(Cost(inf, False, lower))

    def _widths(self, state: State) -> Iterator[frozenset[str] | None]:
        """Ever more objects: the relevant ones, those that states bind to them, the state's own, all."""
        if self._narrow and self._core is not None:
            yield self._core
            if self._adjoining:
                yield self._core | self._adjoining
            own = self._relevant(state)
            if own is not None:
                yield self._core | own
        yield None

    @cached_property
    def _core(self) -> frozenset[str] | None:
        """Objects relevant from some of the start states, and all that the goal speaks of; None for all."""
        ordered = self._ordered
        kept = goal_objects(self._domain, self._problem, self._union.common, ordered)
        if kept is None:
            return None
        for sample in self._samples(_SAMPLES):
            found = self._relevant(sample)
            if found is None:
                return None
            kept |= found
        return kept

    @cached_property
    def _adjoining(self) -> frozenset[str]:
        """Objects that some state's atoms of the rarest predicate relate to core objects, such as where
        someone is."""
        core = self._core or frozenset()
        bound: set[str] = set()
        for state in self._ordered:
            found: dict[str, set[str]] = {}
            for atom in state - self._union.common:
                names = {name for name in atom[1:] if name in self._everything}
                if names & core and names - core:
                    found.setdefault(atom[0], set()).update(names - core)
            if found:
                counts = Counter(atom[0] for atom in state)
                bound |= found[min(found, key=lambda name: (counts[name], name))]
        return frozenset(bound)

    def _rung(self, keep: frozenset[str] | None) -> _Rung:
        if keep is not None and keep >= self._everything:
            keep = None
        found = self._rungs.get(keep)
        if found is None:
            task = self._full if keep is None else self._union.task(keep)
            if len(self._rungs) >= _MOST_RUNGS:
                self._rungs.clear()
            start = SearchStart.of(task, self._union.common) if task is not None else None
            found = self._rungs[keep] = _Rung(start, keep is None, self._pieces(start))
        return found

    def _pieces(self, start: SearchStart | None) -> Piecewise | None:
        if start is None or start.whole.task.operator_count < self._large:
            return None
        samples = self._samples(LESSONS)
        return Piecewise.of(start, [start.encode(state) for state in samples], _PIECE)

    def _samples(self, most: int) -> list[State]:
        """At most so many of the states, evenly chosen."""
        ordered = self._ordered
        count = min(most, len(ordered))
        return [ordered[i * (len(ordered) - 1) // max(1, count - 1)] for i in range(count)]

    def _by_branches(self, state: State, effort: Effort) -> _Answer:
        """Search the goal's branches, the most promising first, for plans below the best one found."""
        answer = self._best_found(state, effort, 0.0)
        task = self._full
        if answer.cost.optimal or answer.operators is None or task is None:
            return answer
        axioms = bool((task.derived & (task.fact_predicate >= 0)).any())
        start = self._rung(None).start if task.operator_count <= MOST_OPERATORS else None
        if start is None or axioms or not start.whole.exact or len(answer.operators) > effort.provable:
            return answer
        best = round(answer.cost.cost / start.whole.unit)
        cheaper, lower = cheaper_branch(start, start.encode(state), best, effort.proof)
        if cheaper is not None:
            operators, best = cheaper
            answer = replace(answer, operators=tuple(operators), task=task)
        cost = best * start.whole.unit
        return replace(answer, cost=Cost(cost, lower >= best, min(lower, best) * start.whole.unit))


_NONE = _Answer(Cost(inf, True, inf))
"""For states from which the goal cannot be reached."""


def _answer_of(prepared: Prepared, operators: tuple[int, ...], lower: float) -> _Answer:
    cost = prepared.plan_cost(operators) * prepared.unit
    proven = prepared.exact and lower >= cost
    return _Answer(Cost(cost, proven or not operators, min(lower, cost)), operators, prepared.task)


def _greedy(prepared: Prepared, effort: Effort) -> tuple[int, ...] | None:
    budget = Budget(effort.greedy, state_limit(None, prepared.task), NEVER)
    return prepared.search("greedy", "ff", 1, INFINITE, budget).operators


def _improve(prepared: Prepared, operators: tuple[int, ...], effort: Effort) -> tuple[int, ...]:
    if not effort.improve:
        return operators
    budget = Budget(effort.improve, state_limit(None, prepared.task), NEVER)
    return improve(prepared, operators, budget).operators or operators


__all__ = ["OPTIMAL", "SATISFICING", "Cost", "CostToGo", "Effort"]
