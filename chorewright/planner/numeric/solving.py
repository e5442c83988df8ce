"""Solving a numeric problem: ground, prove unsolvable or search, shorten, and validate."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from chorewright.domains.facts import Number
from chorewright.domains.pddl.subformulas import with_parts
from chorewright.domains.pddl.syntax import (
    AndEffect,
    Atom,
    Axiom,
    Domain,
    Effect,
    ForallEffect,
    Formula,
    Or,
    Problem,
    WhenEffect,
)
from chorewright.domains.rewriting import substitute
from chorewright.errors import Location, UnsupportedError
from chorewright.planner.grounding.joins.derivation import Stopped
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.relaxation import may_reach
from chorewright.planner.numeric.search import NumericSearch, Successors, cheapest, greedy
from chorewright.planner.numeric.task import NumericTask, Operator, State
from chorewright.planner.plan import NAME, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search.interruption import Alarm
from chorewright.planner.search.search import Budget
from chorewright.planner.validation import validate

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
        match effect:
            case AndEffect(effects):
                return AndEffect(tuple(map(self.effect, effects)))
            case ForallEffect(variables, inner):
                return ForallEffect(variables, self.effect(inner))
            case WhenEffect(condition, inner):
                return WhenEffect(self.formula(condition), self.effect(inner))
            case _:
                return effect

    def _body(self, atom: Atom) -> Formula:
        if atom.predicate in self.within:
            message = (
                f"the derived predicate '{atom.predicate}' depends on itself; search with numbers takes no such one"
            )
            position = self.axioms[atom.predicate][0].position
            line, column = (position.line, position.column) if position is not None else (None, None)
            where = Location(self.domain.path, line, column)
            raise UnsupportedError(message, location=where, hint="validate and play take it")
        deeper = _Inlining(self.domain, self.axioms, (*self.within, atom.predicate))
        bodies = []
        for axiom in self.axioms[atom.predicate]:
            names = (each.name for each in axiom.head.parameters)
            bodies.append(substitute(deeper.formula(axiom.body), dict(zip(names, atom.terms, strict=True))))
        return bodies[0] if len(bodies) == 1 else Or(tuple(bodies))


# Plans made shorter: steps that are not needed are left out, and stretches are replaced by shorter ways.


EXPANSIONS = 6_000
"""States that are expanded to find shorter ways, in all."""

NEAR = 500
"""States that are expanded from one state of a plan."""


def without_unneeded(task: NumericTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Return a plan without runs of up to 8 steps that it does not need."""
    plan = list(operators)
    at = 0
    while at < len(plan):
        for length in range(min(8, len(plan) - at), 0, -1):
            rest = plan[:at] + plan[at + length :]
            if reaches(task, rest):
                plan = rest
                break
        else:
            at += 1
    return tuple(plan)


def reaches(task: NumericTask, operators: list[int]) -> bool:
    """Whether operators can be run one after the other and reach the goal."""
    state = task.initial
    for index in operators:
        operator = task.operators[index]
        after = task.successor(operator, state) if task.holds(operator.condition, state) else None
        if after is None:
            return False
        state = after
    return task.holds(task.goal, state)


def shorten(task: NumericTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Return a plan that is as short or shorter: what is not needed is left out, detours are cut."""
    plan = without_unneeded(task, operators)
    successors, left, at = Successors(task), EXPANSIONS, 0
    while at < len(plan) and left > 0:
        states = states_of(task, plan)
        way, to, used = _shorter(task, successors, states, at, min(NEAR, left))
        left -= used
        if way is None:
            at += 1
        else:
            plan = plan[:at] + way + plan[to:]
    return without_unneeded(task, plan)


def states_of(task: NumericTask, operators: tuple[int, ...]) -> list[State]:
    """Return the states before, between and after the steps of a plan."""
    states = [task.initial]
    for index in operators:
        after = task.successor(task.operators[index], states[-1])
        assert after is not None
        states.append(after)
    return states


def _shorter(
    task: NumericTask, successors: Successors, states: list[State], at: int, most: int
) -> tuple[tuple[int, ...] | None, int, int]:
    """Look around a state of a plan for the shortcut that saves most.

    Returns:
        The shortcut's operators (None if there is none), the place in the plan where it ends, and the states expanded.
    """
    places = {state: place for place, state in enumerate(states)}
    ways: dict[State, tuple[int, ...]] = {states[at]: ()}
    queue = deque([states[at]])
    best: tuple[int, ...] | None = None
    saved = to = used = 0
    while queue and used < most:
        state = queue.popleft()
        way = ways[state]
        place = len(states) - 1 if task.holds(task.goal, state) else places.get(state, 0)
        if place - at - len(way) > saved:
            best, to, saved = way, place, place - at - len(way)
        if len(way) + saved + 1 >= len(states) - at:
            break
        used += 1
        for index, after in successors.of(state):
            if after not in ways:
                ways[after] = (*way, index)
                queue.append(after)
    return best, to, used


BYTES_OF_STATE = 1_000
"""About what a state takes in a search, with its place in the queues."""

MOST = 1 << 40


def solve_numeric(domain: Domain, problem: Problem, limits: Limits, optimal: bool, alarm: Alarm) -> Answer:
    """Solve a problem with numbers that change.

    Args:
        domain: The domain.
        problem: The problem.
        limits: Seconds, megabytes and evaluations.
        optimal: Whether the plan is to be one of the cheapest; without a metric, of the shortest.
        alarm: The clock, which runs.

    Returns:
        A validated plan, the reason why there is none, or the limit that was met.

    Raises:
        UnsupportedError: A derived predicate depends on itself, or ``optimal`` and the metric adds up no costs.
        LimitError: There are too many ground actions.
    """
    if optimal and problem.metric is not None:
        raise UnsupportedError("cheapest plans by a metric other than 'minimize' of one function are not supported")
    measured = (problem.cost_function,) if optimal and problem.minimize_cost else ()
    written = without_axioms(domain, problem)
    try:
        task = ground_numeric(*written, alarm.flag, measured)
    except Stopped:
        return OutOfLimits(alarm.limit or Limit.TIME, 0)
    if task is None or not may_reach(task, task.initial):
        return Unsolvable("the goal cannot be reached even when nothing is ever deleted and numbers only widen")
    evaluations = MOST if limits.evaluations is None else limits.evaluations
    states = MOST if limits.megabytes is None else limits.megabytes * 1_000_000 // BYTES_OF_STATE
    budget = Budget(evaluations, states, alarm.flag)
    found = _cheapest(task, measured, budget) if optimal else greedy(task, budget)
    if found.operators is None:
        if not found.stopped:
            return Unsolvable("the search visited all reachable states")
        limit = Limit.MEMORY if found.memory else alarm.limit or Limit.EVALUATIONS
        return OutOfLimits(limit, found.evaluations)
    operators = found.operators if optimal else shorten(task, found.operators)
    actions = tuple(task.operators[index].action for index in operators)
    verdict = validate(domain, problem, actions)
    if not verdict.valid:
        raise AssertionError(f"the ground task disagrees with the problem: {verdict.message}")
    configuration = "numeric uniform cost" if optimal else "numeric greedy"
    return Plan(actions, verdict.cost, NAME, configuration, optimal, found.evaluations)


def _cheapest(task: NumericTask, measured: tuple[str, ...], budget: Budget) -> NumericSearch:
    if not measured:
        return cheapest(task, lambda state, operator, after: 1, budget)
    index = task.fluents.index(measured)

    def cost(state: State, operator: Operator, after: State) -> Number:
        one, other = state[1][index], after[1][index]
        if one is None or other is None or other < one:
            message = f"the cost '{measured[0]}' falls or is undefined in {operator.action}"
            raise UnsupportedError(message, hint="cheapest plans need costs that are never negative")
        return other - one

    return cheapest(task, cost, budget)
