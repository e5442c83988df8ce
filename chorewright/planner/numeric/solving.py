"""Solving a numeric problem: ground, prove unsolvable or search, shorten, and validate; the searches, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count

from chorewright.domains.facts import Number
from chorewright.domains.pddl.subformulas import with_inner, with_parts
from chorewright.domains.pddl.syntax import Atom, Axiom, Domain, Effect, Formula, Or, Problem
from chorewright.domains.rewriting import substitute
from chorewright.errors import Location, UnsupportedError
from chorewright.files.stopping import Alarm, Stopped
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.relaxation import NumericRelaxation, bits_of, may_reach
from chorewright.planner.numeric.task import NumericTask, Operator, State
from chorewright.planner.plan import NAME, SATISFICING, Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search.search import Budget
from chorewright.planner.validation import validate

# Search over atoms and values: lazy greedy with helpful operators first, and uniform cost for cheapest plans.


FAR = 1_000_000
"""The estimate where the additive relaxation finds no way, but the interval relaxation does."""

BOOST = 1_000
"""How often helpful successors are taken before others after each progress."""


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
                if bits & true == true and not bits & false and (bits & kept) | added != bits:
                    yield index, ((bits & kept) | added, values)
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


def greedy(task: NumericTask, budget: Budget) -> NumericSearch:
    """Search greedily by the relaxed plan's length, with a second queue of helpful successors.

    States are evaluated when they are taken from a queue; till then they have the estimate of the state before.
    """
    relaxation, successors = NumericRelaxation(task), Successors(task)
    order = count()
    parents: _Parents = {task.initial: None}
    every: list[tuple[int, int, State]] = [(0, next(order), task.initial)]
    helpful: list[tuple[int, int, State]] = []
    done: set[State] = set()
    evaluated, best = 0, FAR + 1
    turns = [0, 0]
    while every or helpful:
        turn = 1 if helpful and (not every or turns[1] <= turns[0]) else 0
        turns[turn] += 1
        _, _, state = heappop(helpful if turn else every)
        if state in done:
            continue
        done.add(state)
        if task.holds(task.goal, state):
            return NumericSearch(trace(parents, state), evaluated)
        if evaluated >= budget.evaluations or budget.stop[0]:
            return NumericSearch(None, evaluated, stopped=True)
        if len(parents) > budget.states:
            return NumericSearch(None, evaluated, stopped=True, memory=True)
        evaluated += 1
        estimate = relaxation.estimate(state)
        steps = estimate.steps
        if steps is None:
            if not may_reach(task, state):
                continue
            steps = FAR
        if steps < best:
            best = steps
            turns[1] -= BOOST
        for index, after in successors.of(state):
            if after in parents:
                continue
            parents[after] = (state, index)
            entry = (steps, next(order), after)
            heappush(every, entry)
            if index in estimate.helpful:
                heappush(helpful, entry)
    return NumericSearch(None, evaluated)


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


def reaches(task: NumericTask, operators: Sequence[int]) -> bool:
    """Whether operators can be run one after the other and reach the goal."""
    states = states_of(task, operators)
    return states is not None and task.holds(task.goal, states[-1])


def states_of(task: NumericTask, operators: Sequence[int]) -> list[State] | None:
    """Return the states before, between and after the steps of a plan; None if a step cannot be run."""
    states = [task.initial]
    for index in operators:
        operator = task.operators[index]
        after = task.successor(operator, states[-1]) if task.holds(operator.condition, states[-1]) else None
        if after is None:
            return None
        states.append(after)
    return states


def shorten(task: NumericTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Return a plan that is as short or shorter: what is not needed is left out, detours are cut."""
    plan = without_unneeded(task, operators)
    successors, left, at = Successors(task), EXPANSIONS, 0
    while at < len(plan) and left > 0:
        states = states_of(task, plan)
        assert states is not None
        way, to, used = _shorter(task, successors, states, at, min(NEAR, left))
        left -= used
        if way is None:
            at += 1
        else:
            plan = plan[:at] + way + plan[to:]
    return without_unneeded(task, plan)


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
    note = SATISFICING if not optimal and (problem.minimize_cost or problem.metric is not None) else ""
    return Plan(actions, verdict.cost, NAME, configuration, optimal, found.evaluations, note)


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
