"""Constraints and preferences compiled away: a problem whose plans only have to reach its goal.

A constraint becomes atoms that remember what has been seen. Each action looks at the state in which it is run, and the
goal at the last one: what must not be seen is part of preconditions and of the goal. After the last action of a plan,
each preference that counts is kept, or forgone at its price (Keyder and Geffner, "Soft goals can be compiled away",
2009).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.facts import Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import numbers_in, simple_effects
from chorewright.domains.rewriting import conjunction
from chorewright.errors import Location, UnsupportedError
from chorewright.files.stopping import Alarm
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.plan import SATISFICING, Answer, Limits, Plan, TimedStep
from chorewright.planner.plan_files import PlanFile
from chorewright.planner.search.configuration import Configuration
from chorewright.planner.trajectories import CLOCKED, constraints_of, ground_constraint


@dataclass(frozen=True, slots=True)
class Compilation:
    """A problem without constraints, and how its plans become plans of the original.

    Attributes:
        domain: The domain without constraints.
        problem: The problem without them.
        original: The domain and the problem that it was made from.
        prefix: How the names of actions begin that are no actions of the original.
        whole: Whether the costs of its plans are the metric of the original, but for a constant.
    """

    domain: syntax.Domain
    problem: syntax.Problem
    original: tuple[syntax.Domain, syntax.Problem]
    prefix: str
    whole: bool

    def solve(
        self,
        solver: Callable[..., Answer],
        limits: Limits,
        configuration: Configuration,
        report: Callable[[Plan], None],
        alarm: Alarm,
    ) -> Answer:
        """Solve the problem and return the answer for the original.

        Args:
            solver: What solves problems: ``planning.solve``.
            limits: What the search may use.
            configuration: How to search.
            report: Hears of plans of the original.
            alarm: The clock.
        """

        def hear(plan: Plan) -> None:
            report(self.restore(plan))

        answer = solver(self.domain, self.problem, limits, configuration, hear, alarm)
        return self.restore(answer) if isinstance(answer, Plan) else answer

    def restore(self, plan: Plan) -> Plan:
        """Return a plan of the original, whose cost is its metric's value."""
        actions = tuple(each for each in plan.actions if not each.name.startswith(self.prefix))
        steps = tuple(TimedStep(number, each) for number, each in enumerate(actions, 1))
        verdict = validate_plan(*self.original, PlanFile(steps))
        if not verdict.valid:
            raise AssertionError(f"the compiled problem disagrees with the original: {verdict.message}")
        note = plan.note or ("" if self.whole else SATISFICING)
        return replace(plan, actions=actions, cost=verdict.cost, optimal=plan.optimal and self.whole, note=note)


def compile_away(domain: syntax.Domain, problem: syntax.Problem) -> Compilation:
    """Compile the constraints and preferences of a problem away.

    Raises:
        UnsupportedError: There are durative actions or timed literals, or a constraint that depends on times must hold.
    """
    location = Location(problem.path)
    if domain.durative_actions:
        message = "durative actions are not supported in search"
        raise UnsupportedError(
            message, location=Location(domain.path), hint="validate knows them, and --engine kairos plans with them"
        )
    if problem.timed:
        message = "timed literals are not supported in search"
        raise UnsupportedError(
            message, location=location, hint="validate knows them, and --engine kairos plans with them"
        )
    every = constraints_of(domain, problem)
    hard = [each for each in every if each.preference is None]
    if clocked := next((each for each in hard if each.kind in CLOCKED), None):
        message = f"constraints that depend on times ('{clocked.kind}') are not supported in search"
        raise UnsupportedError(
            message, location=location, hint="validate knows them, and --engine kairos plans with them"
        )
    prices = _prices(domain, problem)
    soft = [each for each in every if each.preference is not None and each.kind not in CLOCKED]
    counted = [] if prices is None else [each for each in soft if prices.of(each) > 0]
    return _Compiler(domain, problem, hard, counted, prices).compile()


@dataclass(frozen=True, slots=True)
class _Prices:
    """What a metric asks for: a function that adds up costs, and what violations of preferences cost."""

    function: str | None
    weights: Mapping[str, float] = field(default_factory=dict)

    def of(self, constraint: syntax.Constraint) -> float:
        return self.weights.get(constraint.preference or "", 0.0)


def _prices(domain: syntax.Domain, problem: syntax.Problem) -> _Prices | None:
    """Return what a metric asks for; None if it is no sum of one function of costs and prices of violations."""
    if problem.metric is None:
        return _Prices(problem.cost_function if problem.minimize_cost else None)
    if problem.metric.direction != "minimize":
        return None
    weights: dict[str, float] = {}
    functions: list[str] = []
    for weight, term in _terms(problem.metric.expression, 1.0):
        if term is None:
            continue
        if weight is None or weight < 0:
            return None
        if term.function == syntax.VIOLATIONS:
            weights[term.terms[0]] = weights.get(term.terms[0], 0.0) + weight
        elif term.terms or weight != 1 or not _adds_up(domain, term.function):
            return None
        else:
            functions.append(term.function)
    return None if len(functions) > 1 else _Prices(functions[0] if functions else None, weights)


def _terms(expression: syntax.Expression, factor: float) -> Iterator[tuple[float | None, syntax.FunctionTerm | None]]:
    """Yield the terms of a sum with their factors; no factor where it is no such sum."""
    match expression:
        case syntax.FunctionTerm():
            yield factor, expression
        case syntax.Arithmetic("+", operands):
            for each in operands:
                yield from _terms(each, factor)
        case syntax.Arithmetic("*", operands):
            numbers = [each for each in operands if isinstance(each, int | float)]
            others = [each for each in operands if not isinstance(each, int | float)]
            for number in numbers:
                factor *= number
            if len(others) == 1:
                yield from _terms(others[0], factor)
            elif others:
                yield None, syntax.FunctionTerm("", ())
        case syntax.Arithmetic():
            yield None, syntax.FunctionTerm("", ())
        case _:
            yield factor, None


def _adds_up(domain: syntax.Domain, function: str) -> bool:
    """Whether actions only ever increase a function, as costs are."""
    effects = [each for action in domain.actions for each in simple_effects(action.effect)]
    return not any(isinstance(each, syntax.ChangeNumber) and each.target.function == function for each in effects)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What a constraint makes of the states: in each, what must hold and what is remembered; what holds at the end."""

    always: syntax.Formula
    effects: tuple[syntax.Effect, ...]
    last: syntax.Formula
    atoms: tuple[str, ...] = ()


def _memory(constraint: syntax.Constraint, name: str) -> _Memory:
    one, two = (*constraint.conditions, syntax.TRUE)[:2]
    seen, over = syntax.Atom(f"{name}-seen", ()), syntax.Atom(f"{name}-over", ())
    names = (seen.predicate, over.predicate)

    def when(condition: syntax.Formula, *atoms: syntax.Atom) -> syntax.Effect:
        return syntax.WhenEffect(condition, syntax.AndEffect(tuple(map(syntax.AddEffect, atoms))))

    match constraint.kind:
        case "always":
            return _Memory(one, (), one)
        case "sometime":
            return _Memory(syntax.TRUE, (when(one, seen),), syntax.Or((seen, one)), names[:1])
        case "at-most-once":
            allowed = syntax.Not(syntax.And((over, one)))
            ended = syntax.And((seen, syntax.Not(one)))
            return _Memory(allowed, (when(one, seen), when(ended, over)), allowed, names)
        case "sometime-after":
            due, met = syntax.And((one, syntax.Not(two))), syntax.WhenEffect(two, syntax.DeleteEffect(seen))
            none = syntax.And((syntax.Not(seen), syntax.Not(one)))
            return _Memory(syntax.TRUE, (when(due, seen), met), syntax.Or((two, none)), names[:1])
        case "sometime-before":
            early = syntax.Or((syntax.Not(one), seen))
            return _Memory(early, (when(two, seen),), early, names[:1])
        case _:
            return _Memory(syntax.TRUE, (), one)


class _Compiler:
    """Collects what constraints add to a domain and a problem."""

    def __init__(
        self,
        domain: syntax.Domain,
        problem: syntax.Problem,
        hard: list[syntax.Constraint],
        soft: list[syntax.Constraint],
        prices: _Prices | None,
    ) -> None:
        self._domain, self._problem, self._hard, self._soft = domain, problem, hard, soft
        self._prices = prices
        self._universe = Universe.of(domain, problem)
        taken = [each.name for each in (*domain.predicates, *domain.functions)]
        taken += [each.name for each in domain.actions]
        self._prefix = "compiled-"
        while any(name.startswith(self._prefix) for name in taken):
            self._prefix += "-"
        self._atoms: list[str] = []
        self._needs: list[syntax.Formula] = []
        self._effects: list[syntax.Effect] = []
        self._goal = [problem.goal]

    def compile(self) -> Compilation:
        for constraint in self._hard:
            for memory in self._memories(constraint):
                self._needs.append(memory.always)
                self._effects += memory.effects
                self._goal.append(memory.last)
        prices = self._prices or _Prices(None)
        chances = [(prices.of(each), met) for each in self._soft for met in self._conditions_of(each)]
        ignored = self._prices is None or self._ignores()
        cost = self._cost([met for _, met in chances]) if chances or prices.function == syntax.TOTAL_TIME else None
        closing = self._close(chances, cost or "") if chances else []
        domain = self._domain_with(closing, cost)
        goal = syntax.Atom(self._atoms[-1], ()) if chances else conjunction(self._goal)
        problem = replace(self._problem, goal=goal, constraints=(), objects=())
        problem = self._set_metric(problem, cost)
        return Compilation(domain, problem, (self._domain, self._problem), self._prefix, not ignored)

    def _ignores(self) -> bool:
        """Whether the metric counts what is not compiled: preferences that depend on times, or of preconditions."""
        weights = self._prices.weights if self._prices else {}
        now = [each for action in self._domain.actions for each in action.preferences]
        clocked = [each for each in constraints_of(self._domain, self._problem) if each.kind in CLOCKED]
        return any(weights.get(each.preference or "", 0) > 0 for each in (*now, *clocked))

    def _cost(self, conditions: Sequence[syntax.Formula]) -> str:
        """Return the function that adds up all costs: the metric's, or a new one where conditions read that."""
        assert self._prices is not None
        own = self._prices.function
        read = {term.function for each in conditions for term in numbers_in(each)}
        return f"{self._prefix}cost" if own in (None, syntax.TOTAL_TIME, *read) else own or ""

    def _costs_of(self, action: syntax.Action, cost: str | None) -> Iterator[syntax.Effect]:
        """Yield what an action adds to a new function of costs."""
        own = self._prices.function if self._prices else None
        if cost is not None and own == syntax.TOTAL_TIME:
            yield syntax.IncreaseCost(1.0, None, cost)
        elif cost not in (None, own):
            for each in simple_effects(action.effect):
                if isinstance(each, syntax.IncreaseCost) and each.function == own:
                    yield replace(each, function=cost)

    def _memories(self, constraint: syntax.Constraint) -> Iterator[_Memory]:
        """Yield what a constraint remembers, for each value of its variables."""
        for binding in self._universe.bindings((*constraint.variables, *constraint.shared)):
            yield self._remember(constraint, binding)

    def _remember(self, constraint: syntax.Constraint, binding: Mapping[str, str]) -> _Memory:
        memory = _memory(ground_constraint(constraint, binding), f"{self._prefix}{len(self._atoms)}")
        self._atoms += memory.atoms
        return memory

    def _conditions_of(self, constraint: syntax.Constraint) -> Iterator[syntax.Formula]:
        """Yield, for each time that a preference counts, whether it is kept in the last state."""
        for outer in self._universe.bindings(constraint.variables):
            parts: list[syntax.Formula] = []
            for inner in self._universe.bindings(constraint.shared):
                memory = self._remember(constraint, {**outer, **inner})
                self._effects += memory.effects
                parts.append(memory.last)
                if memory.always != syntax.TRUE:
                    broken = syntax.Atom(f"{self._prefix}{len(self._atoms)}-broken", ())
                    self._atoms.append(broken.predicate)
                    self._effects.append(syntax.WhenEffect(syntax.Not(memory.always), syntax.AddEffect(broken)))
                    parts.append(syntax.Not(broken))
            yield conjunction(parts)

    def _close(self, chances: list[tuple[float, syntax.Formula]], cost: str) -> list[syntax.Action]:
        """Return the actions after the plan's last: one that ends it, then two for each preference, in turn."""
        names = [f"{self._prefix}close-{number}" for number in range(len(chances) + 1)]
        self._atoms += names
        done = [syntax.Atom(name, ()) for name in names]
        self._needs.append(syntax.Not(done[0]))
        found = [syntax.Action(names[0], (), conjunction(self._goal), syntax.AddEffect(done[0]))]
        for number, (price, met) in enumerate(chances, 1):
            before, after = done[number - 1], syntax.AddEffect(done[number])
            found.append(syntax.Action(f"{names[number]}-keep", (), syntax.And((before, met)), after))
            paid = syntax.AndEffect((after, syntax.IncreaseCost(price, None, cost)))
            found.append(syntax.Action(f"{names[number]}-forgo", (), before, paid))
        return found

    def _domain_with(self, closing: Iterable[syntax.Action], cost: str | None) -> syntax.Domain:
        domain = self._domain
        needs, effects = [each for each in self._needs if each != syntax.TRUE], tuple(self._effects)
        actions = []
        for action in domain.actions:
            added = (*effects, *self._costs_of(action, cost))
            effect = syntax.AndEffect((action.effect, *added)) if added else action.effect
            precondition = conjunction((action.precondition, *needs)) if needs else action.precondition
            actions.append(replace(action, precondition=precondition, effect=effect, preferences=()))
        functions = domain.functions
        if cost is not None and cost not in {each.name for each in functions}:
            functions = (*functions, syntax.Signature(cost, ()))
        return replace(
            domain,
            constants=(*domain.constants, *self._problem.objects),  # actions name them now
            predicates=(*domain.predicates, *(syntax.Signature(name, ()) for name in self._atoms)),
            functions=functions,
            actions=(*actions, *closing),
            constraints=(),
        )

    def _set_metric(self, problem: syntax.Problem, cost: str | None) -> syntax.Problem:
        """Return the problem with a metric that is the function of costs, where the metric counts violations only."""
        if self._prices is None:
            return replace(problem, metric=None)
        function = cost or self._prices.function
        if function is None:
            return replace(problem, metric=None, minimize_cost=False)
        values = problem.values
        if function not in {each.function for each in values}:
            values = (*values, syntax.FunctionValue(function, (), 0.0))
        return replace(problem, metric=None, minimize_cost=True, cost_function=function, values=values)
