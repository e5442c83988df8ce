"""Solving a numeric problem: ground, prove unsolvable or search, shorten, and validate."""

from __future__ import annotations

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.values import Number
from chorewright.errors import UnsupportedError
from chorewright.planner.grounding.joins.derivation import Stopped
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.inlining import without_axioms
from chorewright.planner.numeric.intervals import may_reach
from chorewright.planner.numeric.search import Bounds, Searched, cheapest, greedy
from chorewright.planner.numeric.shortening import shortened
from chorewright.planner.numeric.task import NumericTask, Operator, State
from chorewright.planner.plan import NAME, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search.alarm import Alarm
from chorewright.planner.validation import validate

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
    bounds = Bounds(evaluations, states, alarm.flag)
    found = _cheapest(task, measured, bounds) if optimal else greedy(task, bounds)
    if found.operators is None:
        if not found.stopped:
            return Unsolvable("the search visited all reachable states")
        limit = Limit.MEMORY if found.memory else alarm.limit or Limit.EVALUATIONS
        return OutOfLimits(limit, found.evaluations)
    operators = found.operators if optimal else shortened(task, found.operators)
    actions = tuple(task.operators[index].action for index in operators)
    verdict = validate(domain, problem, actions)
    if not verdict.valid:
        raise AssertionError(f"the ground task disagrees with the problem: {verdict.message}")
    configuration = "numeric uniform cost" if optimal else "numeric greedy"
    return Plan(actions, verdict.cost, NAME, configuration, optimal, found.evaluations)


def _cheapest(task: NumericTask, measured: tuple[str, ...], bounds: Bounds) -> Searched:
    if not measured:
        return cheapest(task, lambda state, operator, after: 1, bounds)
    index = task.fluents.index(measured)

    def cost(state: State, operator: Operator, after: State) -> Number:
        one, other = state[1][index], after[1][index]
        if one is None or other is None or other < one:
            message = f"the cost '{measured[0]}' falls or is undefined in {operator.action}"
            raise UnsupportedError(message, hint="cheapest plans need costs that are never negative")
        return other - one

    return cheapest(task, cost, bounds)
