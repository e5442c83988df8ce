"""Solving a numeric problem: ground, prove unsolvable or search, shorten, and validate; the searches, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.arithmetic import initial_values
from chorewright.domains.facts import Fluent, Number, exact, number_of
from chorewright.domains.pddl.subformulas import function_terms, with_inner, with_parts
from chorewright.domains.pddl.syntax import TOTAL_TIME, Atom, Axiom, Domain, Effect, Formula, FunctionTerm, Or, Problem
from chorewright.domains.rewriting import substitute
from chorewright.errors import Location, UnsupportedError, UsageError
from chorewright.files.stopping import Alarm, Stopped
from chorewright.planner.numeric import expressions, kernels
from chorewright.planner.numeric.encoding import encode
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.improvement import LEADS, NumericSearches
from chorewright.planner.numeric.relaxation import bits_of, may_reach
from chorewright.planner.numeric.task import NumericTask, Operator, State
from chorewright.planner.plan import NAME, SATISFICING, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search.anytime import Report, Striving
from chorewright.planner.search.configuration import Configuration
from chorewright.planner.search.search import Budget
from chorewright.planner.search.search_kernels import EXHAUSTED, MEMORY
from chorewright.planner.validation import validate

# Search over atoms and exact values by cost alone.


@dataclass(frozen=True, slots=True)
class NumericSearch:
    """The operators of a plan, or None; then ``stopped`` says why: by a limit (True), or as there is no plan.

    Attributes:
        operators: The plan.
        evaluations: The states that were evaluated.
        stopped: Whether a limit ended the search.
        memory: Whether it was the number of states.
    """

    operators: tuple[int, ...] | None
    evaluations: int
    stopped: bool = False
    memory: bool = False


class Successors:
    """The operators that can be run in a state, found by one atom that each needs."""

    def __init__(self, task: NumericTask) -> None:
        self._task = task
        self._always: list[int] = []
        self._by_bit: dict[int, list[int]] = {}
        self._plain = [_plain_masks(operator) for operator in task.operators]
        frequency: dict[int, int] = {}
        for operator in task.operators:
            for bit in bits_of(operator.condition.true):
                frequency[bit] = frequency.get(bit, 0) + 1
        for index, operator in enumerate(task.operators):
            needed = list(bits_of(operator.condition.true))
            if needed:
                rarest = min(needed, key=lambda bit: (frequency[bit], bit))
                self._by_bit.setdefault(rarest, []).append(index)
            else:
                self._always.append(index)
        self._keys = sum(1 << bit for bit in self._by_bit)

    def of(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the operators that can be run in a state, with the states after them, in the operators' order."""
        task, plain = self._task, self._plain
        bits, values = state
        found = self._always.copy()
        for bit in bits_of(bits & self._keys):
            found += self._by_bit[bit]
        found.sort()
        for index in found:
            masks = plain[index]
            if masks is not None:
                true, false, kept, added = masks
                if bits & true == true and not bits & false and (result := bits & kept | added) != bits:
                    yield index, (result, values)
                continue
            operator = task.operators[index]
            if task.holds(operator.condition, state):
                after = task.successor(operator, state)
                if after is not None and after != state:
                    yield index, after


def _plain_masks(operator: Operator) -> tuple[int, int, int, int] | None:
    """Return the bits that an operator needs set and not set, keeps and sets; None if it does more than that."""
    condition, [first, *others] = operator.condition, operator.outcomes
    if condition.bounds or condition.choices or others or first.changes:
        return None
    return condition.true, condition.false, ~first.deleted, first.added


_Parents = dict[State, tuple[State, int] | None]


def cheapest(task: NumericTask, cost: Callable[[State, Operator, State], Number], budget: Budget) -> NumericSearch:
    """Search by cost alone; the plan is one of the cheapest. Costs are not negative."""
    successors = Successors(task)
    order = count()
    parents: _Parents = {task.initial: None}
    costs: dict[State, Number] = {task.initial: 0}
    queue: list[tuple[Number, int, State]] = [(0, next(order), task.initial)]
    done: set[State] = set()
    while queue:
        spent, _, state = heappop(queue)
        if state in done:
            continue
        done.add(state)
        if task.holds(task.goal, state):
            return NumericSearch(trace(parents, state), len(done))
        if len(done) >= budget.evaluations or budget.stop[0]:
            return NumericSearch(None, len(done), stopped=True)
        if len(parents) > budget.states:
            return NumericSearch(None, len(done), stopped=True, memory=True)
        for index, after in successors.of(state):
            total = spent + cost(state, task.operators[index], after)
            if after not in costs or total < costs[after]:
                costs[after] = total
                parents[after] = (state, index)
                heappush(queue, (total, next(order), after))
    return NumericSearch(None, len(done))


def trace(parents: _Parents, state: State) -> tuple[int, ...]:
    """Return the operators that led to a state."""
    found: list[int] = []
    entry = parents[state]
    while entry is not None:
        state, index = entry
        found.append(index)
        entry = parents[state]
    return tuple(reversed(found))


# Derived predicates written out: each atom of one is replaced by the bodies of its axioms.


def without_axioms(domain: Domain, problem: Problem) -> tuple[Domain, Problem]:
    """Return a task with the same plans that has no derived predicates.

    Raises:
        UnsupportedError: A derived predicate depends on itself.
    """
    if not domain.axioms:
        return domain, problem
    axioms: dict[str, list[Axiom]] = {}
    for axiom in domain.axioms:
        axioms.setdefault(axiom.head.name, []).append(axiom)
    inline = _Inlining(domain, axioms)
    actions = tuple(
        replace(each, precondition=inline.formula(each.precondition), effect=inline.effect(each.effect))
        for each in domain.actions
    )
    plain = tuple(each for each in domain.predicates if each.name not in axioms)
    written = replace(domain, predicates=plain, actions=actions, axioms=())
    return written, replace(problem, goal=inline.formula(problem.goal))


@dataclass(frozen=True, slots=True)
class _Inlining:
    """How a domain's derived predicates are replaced; ``within`` are those that are being written out."""

    domain: Domain
    axioms: dict[str, list[Axiom]]
    within: tuple[str, ...] = ()

    def formula(self, formula: Formula) -> Formula:
        if isinstance(formula, Atom) and formula.predicate in self.axioms:
            return self._body(formula)
        return with_parts(formula, self.formula)

    def effect(self, effect: Effect) -> Effect:
        return with_inner(effect, self.effect, self.formula)

    def _body(self, atom: Atom) -> Formula:
        name = atom.predicate
        if name in self.within:
            message = f"the derived predicate '{name}' depends on itself; search with numbers takes no such one"
            position = self.axioms[name][0].position
            line, column = (position.line, position.column) if position is not None else (None, None)
            where = Location(self.domain.path, line, column)
            raise UnsupportedError(message, location=where, hint="validate and play take it")
        deeper = _Inlining(self.domain, self.axioms, (*self.within, name))
        bodies = []
        for axiom in self.axioms[name]:
            names = (each.name for each in axiom.head.parameters)
            bodies.append(substitute(deeper.formula(axiom.body), dict(zip(names, atom.terms, strict=True))))
        return bodies[0] if len(bodies) == 1 else Or(tuple(bodies))


SEARCHES = {"greedy": ("ff", "add", "max", "blind"), "lazy": ("ff",), "anytime": ("ff",), "astar": ("max", "blind")}
"""The searches for problems with numbers, and what may lead each; the cheapest plans are searched by cost alone."""

TURNS = (kernels.FF, kernels.ADD)
LEAST, TIMES_FIRST, RIVALS, LEAST_IN_ALL = 4_000, 8, 8, 20_000
"""Evaluations of each search for cheaper plans: some, or so many times those of the first search; how many searches
there are by default; the evaluations of all of them where the first plan bounds them, at least.
"""

BYTES_OF_STATE = 1_000
"""About what a state takes in a search, with its place in the queues."""

MOST = 1 << 40


@dataclass(slots=True)
class _Problem:
    """What is solved, and how: as in ``solve``."""

    domain: Domain
    problem: Problem
    limits: Limits
    configuration: Configuration
    alarm: Alarm
    striving: Striving

    @property
    def budget(self) -> Budget:
        evaluations = MOST if self.limits.evaluations is None else self.limits.evaluations
        states = MOST if self.limits.megabytes is None else self.limits.megabytes * 1_000_000 // BYTES_OF_STATE
        return Budget(evaluations, states, self.alarm.flag)

    def plan(self, task: NumericTask, operators: Iterable[int], evaluated: int, optimal: bool = False) -> Plan | None:
        """Return a validated plan; None if it is none of the problem."""
        actions = tuple(task.operators[index].action for index in operators)
        verdict = validate(self.domain, self.problem, actions)
        if not verdict.valid:
            return None
        metric = self.problem.metric
        linear = metric is None or expressions.linear(self._metric(task) or expressions.Constant(0)) is not None
        note = "" if linear else SATISFICING
        return Plan(actions, verdict.cost, NAME, f"numeric-{self.configuration}", optimal, evaluated, note)

    def _metric(self, task: NumericTask) -> expressions.Ground | None:
        """What is to be small; None for the number of steps."""
        metric = self.problem.metric
        if metric is None and not self.problem.minimize_cost:
            return None
        places = {fluent: index for index, fluent in enumerate((*task.fluents, (TOTAL_TIME,)))}
        start: dict[Fluent, Number] = {
            (each.function, *each.objects): exact(each.value) for each in self.problem.values
        }
        start.update({atom[1:-1]: number_of(atom[-1]) for atom in initial_values(self.domain, self.problem)})

        def read(fluent: Fluent) -> expressions.Ground | None:
            if fluent in places:
                return expressions.Variable(places[fluent])
            return expressions.Constant(start[fluent]) if fluent in start else None

        wanted = FunctionTerm(self.problem.cost_function, ()) if metric is None else metric.expression
        ground = expressions.ground_expression(wanted, {}, read)
        if ground is not None and metric is not None and metric.direction == "maximize":
            return expressions.Operation("-", (expressions.Constant(0), ground))
        return ground

    def solve(self) -> Answer:
        """Ground, search and improve."""
        written = without_axioms(self.domain, self.problem)
        metric = self.problem.metric
        keep = {self.problem.cost_function} if self.problem.minimize_cost else set()
        if metric is not None:
            keep.update(term.function for term in function_terms(metric.expression))
        task = ground_numeric(*written, self.alarm.flag, sorted(keep))
        if task is None or not may_reach(task, task.initial):
            return Unsolvable("the goal cannot be reached even when nothing is ever deleted and numbers only widen")
        if self.configuration.search == "astar":
            return self._cheapest(task)
        searches = NumericSearches(
            encode(task, self._metric(task)), self.budget, improving=self.configuration.improving > 0
        )
        wanted = LEADS[self.configuration.heuristic]
        by_turns = self.configuration.heuristic == "ff" and self.configuration.queues == "turns"
        if self.configuration.search == "lazy":
            found = searches.search(wanted, self.configuration.weight, MOST, priced=True)
        else:
            found = searches.first(TURNS if by_turns else (wanted,))
        if found.operators is None:
            if found.status == EXHAUSTED:
                sure = searches.encoded.exact
                return Unsolvable("the search visited all reachable states") if sure else self._cheapest(task)
            limit = Limit.MEMORY if found.status == MEMORY else self.alarm.limit or Limit.EVALUATIONS
            return OutOfLimits(limit, searches.spent)
        best: Plan | None = None

        def hear(operators: NDArray[np.int32]) -> bool:
            nonlocal best
            plan = self.plan(task, operators.tolist(), searches.spent)
            if plan is None:
                return False
            best = plan
            self.striving.hear(lambda: plan)
            return True

        searches.hear = hear
        searches.accept(found.operators)
        if best is None:  # floating-point numbers were not exact enough
            return self._cheapest(task)
        proven = self._improve(searches)
        return replace(best, evaluated=searches.spent, optimal=proven)

    def _improve(self, searches: NumericSearches) -> bool:
        """Make the best plan cheaper; return whether there is no cheaper one."""
        c, first = self.configuration, searches.spent
        if c.times is not None:
            most = first + max(LEAST_IN_ALL, int(c.times * first))
            searches.budget = replace(searches.budget, evaluations=min(most, searches.budget.evaluations))
        searches.replan_windows(c.improving)
        proof = searches.encoded.exact and not searches.encoded.falling
        rounds = None if c.search == "anytime" else RIVALS if c.rivals and c.improving else 0
        ends = islice(searches.go_on(max(LEAST, TIMES_FIRST * first)), rounds)
        return any(status == EXHAUSTED and proof for status in ends)

    def _cheapest(self, task: NumericTask) -> Answer:
        """Search by cost alone, with exact numbers; it is also what is sure to find a plan if there is one."""
        measured = (self.problem.cost_function,) if self.problem.minimize_cost else ()
        if self.problem.metric is not None and self.configuration.search == "astar":
            raise UnsupportedError("cheapest plans by a metric other than 'minimize' of one function are not supported")
        found = _cheapest(task, measured, self.budget)
        if found.operators is None:
            if not found.stopped:
                return Unsolvable("the search visited all reachable states")
            limit = Limit.MEMORY if found.memory else self.alarm.limit or Limit.EVALUATIONS
            return OutOfLimits(limit, found.evaluations)
        plan = self.plan(task, found.operators, found.evaluations, self.problem.metric is None)
        if plan is None:
            raise AssertionError("the ground task disagrees with the problem")
        return plan


def solve_numeric(
    domain: Domain, problem: Problem, limits: Limits, configuration: Configuration, alarm: Alarm, report: Report
) -> Answer:
    """Solve a problem with numbers that change.

    Args:
        domain: The domain.
        problem: The problem.
        limits: Seconds, megabytes and evaluations, and how long improvement may last without a cheaper plan.
        configuration: How to search.
        alarm: The clock, which runs.
        report: Hears of the first plan and of each cheaper one.

    Returns:
        A validated plan, the reason why there is none, or the limit that was met.

    Raises:
        UsageError: The configuration is not for problems with numbers.
        UnsupportedError: A derived predicate depends on itself, or a cheapest plan is asked for and the metric adds up
            no costs.
        LimitError: There are too many ground actions.
    """
    _refuse(configuration)
    maximized = problem.metric is not None and problem.metric.direction == "maximize"
    striving = Striving(limits.barren, alarm.flag, report, maximized)
    try:
        return _Problem(domain, problem, limits, configuration, alarm, striving).solve()
    except Stopped:
        return OutOfLimits(alarm.limit or Limit.TIME, 0)
    finally:
        striving.end()


def _refuse(configuration: Configuration) -> None:
    """Raise UsageError where a problem with numbers cannot be searched so."""
    search, heuristic = configuration.search, configuration.heuristic
    if search not in SEARCHES:
        raise UsageError(f"{search} search is not for problems with numbers", hint=f"one of {', '.join(SEARCHES)}")
    if heuristic not in SEARCHES[search]:
        message = f"{search} search of problems with numbers cannot be led by the heuristic {heuristic}"
        raise UsageError(message, hint=f"it takes {', '.join(SEARCHES[search])}")
    if configuration.queues not in ("turns", "ff"):
        message = f"--queues {configuration.queues} is not for problems with numbers"
        raise UsageError(message, hint="turns and ff are")


def _cheapest(task: NumericTask, measured: tuple[str, ...], budget: Budget) -> NumericSearch:
    if measured not in task.fluents:  # each step costs 1, or nothing changes what is measured
        return cheapest(task, lambda state, operator, after: 0 if measured else 1, budget)
    index = task.fluents.index(measured)

    def cost(state: State, operator: Operator, after: State) -> Number:
        one, other = state[1][index], after[1][index]
        if one is None or other is None or other < one:
            message = f"the cost '{measured[0]}' falls or is undefined in {operator.action}"
            raise UnsupportedError(message, hint="cheapest plans need costs that are never negative")
        return other - one

    return cheapest(task, cost, budget)
