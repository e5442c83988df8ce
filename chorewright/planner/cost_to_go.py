"""Cost-to-go: how much the goal still costs from each of many states of one episode.

The task is grounded once for all states, for the objects that the goal seems to need; states that agree in
the facts that matter share one answer. The goal's alternatives (which witness?) are searched one by one with
a shared bound: A* with landmark cuts within a budget, after a greedy search that bounds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Domain,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    Problem,
    State,
)
from chorewright.errors import UsageError
from chorewright.planner import kernels
from chorewright.planner.derivation import NEVER
from chorewright.planner.goal_atoms import GoalAtoms, constants
from chorewright.planner.improvement import improve
from chorewright.planner.kernels import INFINITE
from chorewright.planner.landmark_cut import landmark_cut
from chorewright.planner.normal_form import Normalizer, atoms_changed
from chorewright.planner.numbering import Numbered
from chorewright.planner.relevance import relevant_objects
from chorewright.planner.search import Budget, Prepared, state_limit
from chorewright.planner.start_states import Start, Union
from chorewright.planner.type_sets import TypeSets, subtype_closure

_MOST_LITERALS = 20_000

_SAMPLES = 4
"""Start states whose relevant objects are kept, evenly chosen."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost-to-go of a state; ``inf`` if no plan was found.

    ``optimal`` says that no plan costs less, ``lower_bound`` that none costs less than that. Both speak of
    all plans if ``complete``, else of the plans that touch only the objects which were found relevant.
    """

    cost: float
    optimal: bool
    lower_bound: float
    complete: bool


@dataclass(frozen=True, slots=True)
class Effort:
    """Evaluations that one state may cost.

    ``provable`` is the longest plan, in steps, whose optimality is tried to prove with ``proof``
    evaluations; 0 leaves the proof out. ``improve`` goes into making a longer plan cheaper.
    """

    greedy: int = 20_000
    provable: int = 14
    proof: int = 1_000
    improve: int = 200


OPTIMAL = Effort()
SATISFICING = Effort(provable=0, improve=0)


@dataclass(slots=True)
class _Task:
    """A ground task and what is known of its states, by key and effort."""

    start: Start | None
    complete: bool
    known: dict[bytes, Cost] = field(default_factory=dict)
    quick: dict[tuple[bytes, Effort], Cost] = field(default_factory=dict)


class CostToGo:
    """Costs-to-go of many states of one problem, for one goal.

    Args:
        domain, problem: the problem; its objects and function values count, its ``init`` does not.
        states: all states that will be asked for.
        goal: the problem's goal by default.
        relevant: ground only objects that the goal seems to need (the others where these do not suffice);
            otherwise every answer is complete.

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
    ) -> None:
        if not states:
            raise UsageError("no states to ground for", hint="pass all states that will be asked for")
        self._domain = domain
        self._problem = problem if goal is None else replace(problem, goal=goal)
        self._union = Union.of(domain, self._problem, self._problem.goal, states)
        self._everything = frozenset(o.name for o in (*domain.constants, *problem.objects))
        self._tasks: dict[frozenset[str] | None, _Task] = {}
        self._core = self._relevant(states) if relevant else None

    def cost(self, state: State, effort: Effort = OPTIMAL) -> Cost:
        """The cost-to-go of one of the states."""
        answer = None
        for keep in self._rungs(state):
            answer = self._ask(self._task(keep), state, effort)
            if answer.cost < inf:
                return answer
        assert answer is not None
        return answer

    def _relevant(self, states: Sequence[State]) -> frozenset[str] | None:
        """Objects relevant from some of the start states, and all that the goal speaks of; None for all.

        Left-out objects must not be able to spoil a plan, so where actions or axioms speak of all objects
        of a type nothing is left out.
        """
        if _speaks_of_all(self._domain):
            return None
        added, deleted = atoms_changed(self._domain)
        derived = {axiom.head.name for axiom in self._domain.axioms}
        varying = {atom[0] for state in states for atom in state - self._union.common}
        names = {p.name for p in self._domain.predicates}
        walker = GoalAtoms(
            self._union.common,
            frozenset(names - added - deleted - derived - varying),
            Numbered.of(self._domain, self._problem).objects,
            TypeSets((), subtype_closure(self._domain.types)),
        )
        goal = Normalizer().formula(self._problem.goal)
        kept = set(constants(goal))
        for number, (atom, _) in enumerate(walker.literals(goal, {})):
            if number == _MOST_LITERALS:
                return None
            kept.update(atom[1:])
        count = min(_SAMPLES, len(states))
        for i in range(count):
            state = states[i * (len(states) - 1) // max(1, count - 1)]
            found = relevant_objects(self._domain, replace(self._problem, init=tuple(sorted(state))), 1)
            if found is None:
                return None
            kept |= found
        return frozenset(kept)

    def _rungs(self, state: State) -> Iterator[frozenset[str] | None]:
        """Ever more objects: the relevant ones, those that the state binds to them, all."""
        if self._core is not None:
            yield self._core
            yield from self._bound(state, self._core)
        yield None

    def _bound(self, state: State, core: frozenset[str]) -> Iterator[frozenset[str]]:
        """Core objects with others that atoms of the state relate to them, rare predicates first."""
        found: dict[str, set[str]] = {}
        for atom in sorted(state - self._union.common):
            names = {name for name in atom[1:] if name in self._everything}
            if names & core and names - core:
                found.setdefault(atom[0], set()).update(names - core)
        counts = Counter(atom[0] for atom in state)
        if found:
            rarest = min(found, key=lambda name: (counts[name], name))
            yield core | found[rarest]
        wider = relevant_objects(self._domain, replace(self._problem, init=tuple(sorted(state))), 1)
        if wider is not None:
            yield core | wider

    def _task(self, keep: frozenset[str] | None) -> _Task:
        if keep is not None and keep >= self._everything:
            keep = None
        found = self._tasks.get(keep)
        if found is None:
            task = self._union.task(keep)
            start = Start.of(task) if task is not None else None
            found = self._tasks[keep] = _Task(start, keep is None)
        return found

    def _ask(self, task: _Task, state: State, effort: Effort) -> Cost:
        if task.start is None:
            return Cost(inf, task.complete, inf, task.complete)
        encoded = task.start.encode(state)
        key = task.start.key(encoded)
        answer = task.known.get(key) or task.quick.get((key, effort))
        if answer is None:
            answer = _Question(task, task.start, encoded, effort).answer()
            if answer.optimal:
                task.known[key] = answer
            else:
                task.quick[key, effort] = answer
        return answer


def _speaks_of_all(domain: Domain) -> bool:
    """Whether a condition of an action or axiom quantifies universally."""
    normalizer = Normalizer()
    conditions: list[Formula] = []
    for action in domain.actions:
        normal = normalizer.action(action)
        if normal is not None:
            conditions += [normal.precondition, *(effect.condition for effect in normal.effects)]
    for axiom in domain.axioms:
        conditions += [normalizer.formula(axiom.body), normalizer.formula(axiom.body, negate=True)]
    while conditions:
        match conditions.pop():
            case Forall() | Not(AtLeast()):
                return True
            case And(operands) | Or(operands):
                conditions.extend(operands)
            case Exists(_, body) | AtLeast(_, _, body):
                conditions.append(body)
    return False


@dataclass(slots=True)
class _Question:
    """One state in one ground task."""

    task: _Task
    start: Start
    state: NDArray[np.uint64]
    effort: Effort

    def answer(self) -> Cost:
        start, effort = self.start, self.effort
        whole = replace(start.whole, initial=self.state)
        limit = state_limit(None, whole.task)
        found = whole.search("greedy", "ff", 1, INFINITE, Budget(effort.greedy, limit, NEVER))
        if found.operators is None:
            proven = found.limit is None
            return Cost(inf, proven, inf if proven else 0.0, self.task.complete)
        operators = found.operators
        best = whole.plan_cost(operators)
        if effort.provable == 0:
            bound = kernels.evaluate(self.state, whole.true, whole.work, kernels.MAX)
            return self._cost(best, int(bound))
        axioms = bool((whole.task.derived & (whole.task.fact_predicate >= 0)).any())
        if len(operators) > effort.provable:
            budget = Budget(effort.improve, limit, NEVER)
            operators = improve(whole, operators, budget).operators or operators
            best = whole.plan_cost(operators)
        if len(operators) > effort.provable or axioms:
            return self._cost(best, self._bound(whole) if not axioms else 0)
        return self._prove(best, Budget(effort.proof, limit, NEVER))

    def _bound(self, whole: Prepared) -> int:
        return int(landmark_cut(self.state, whole.true, whole.cuts))

    def _prove(self, best: int, budget: Budget) -> Cost:
        """Search the goal's branches, the most promising first, for plans below the shared bound."""
        estimates = []
        for number, branch in enumerate(self.start.branches):
            estimate = int(landmark_cut(self.state, branch.true, branch.cuts))
            if estimate < best:
                estimates.append((estimate, number))
        lower, left = INFINITE, budget.evaluations
        shortest: tuple[Prepared, tuple[int, ...]] | None = None
        for estimate, number in sorted(estimates):
            branch = self.start.branches[number]
            if estimate >= best:
                continue
            if left <= 0:
                lower = min(lower, estimate)
                continue
            found = branch.search_from(
                self.state, "astar", "lmcut", 1, best, replace(budget, evaluations=left)
            )
            left -= found.evaluations
            if found.operators is not None:
                best = branch.plan_cost(found.operators)
                shortest = branch, found.operators
            elif found.limit is not None:
                lower = min(lower, max(estimate, found.lower))
        answer = self._cost(best, min(best, lower))
        if answer.optimal and shortest is not None:
            self._remember(*shortest, best)
        return answer

    def _remember(self, branch: Prepared, operators: tuple[int, ...], cost: int) -> None:
        """What remains of an optimal plan is optimal from where it starts."""
        states = replace(branch, initial=self.state).states(operators)
        for state, operator in zip(states, operators, strict=False):
            self.task.known.setdefault(self.start.key(state), self._cost(cost, cost))
            cost -= int(branch.cost[operator])

    def _cost(self, cost: int, lower: int) -> Cost:
        whole = self.start.whole
        optimal = lower >= cost and whole.exact
        bound = min(cost, lower) * whole.unit if whole.exact else 0.0
        return Cost(cost * whole.unit, optimal, bound, self.task.complete)
