"""The validator: runs a plan on the problem itself, knowing nothing of how the planner encodes it.

It works on the syntax tree with the one formula engine of ``domains``. A verdict names the first step that
fails and the smallest conditions that are not met there, or the parts of the goal that are missing at the
end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from chorewright.domains import arithmetic
from chorewright.domains.facts import Number, number_text
from chorewright.domains.formulas import Facts, StateQuestion, Universe, condition_text, derive, holds, unmet_parts
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.scopes import show_types
from chorewright.domains.pddl.subformulas import increases_of, numbers_in
from chorewright.errors import Location, UnsupportedError
from chorewright.files.english import did_you_mean, say_count
from chorewright.files.lazily import Remembered
from chorewright.planner.plan import GroundAction


class Reason(Enum):
    """Why a plan is not valid."""

    UNKNOWN_ACTION = "unknown action"
    WRONG_ARITY = "wrong number of arguments"
    UNKNOWN_OBJECT = "unknown object"
    WRONG_TYPE = "wrong type of object"
    UNMET_PRECONDITION = "unmet precondition"
    UNDEFINED_COST = "undefined cost"
    UNDEFINED_VALUE = "undefined value"
    CONFLICTING_EFFECTS = "conflicting effects"
    WRONG_DURATION = "wrong duration"
    UNMET_INVARIANT = "unmet invariant"
    INTERFERENCE = "interference"
    VIOLATED_CONSTRAINT = "violated constraint"
    MISSING_GOAL = "missing goal"


def is_plain(domain: syntax.Domain, problem: syntax.Problem) -> bool:
    """Whether a plan only has to reach the goal: there are no constraints, preferences or timed literals."""
    if problem.timed or problem.constraints or domain.constraints:
        return False
    return not any(action.preferences for action in domain.actions)


def require_plain(domain: syntax.Domain, problem: syntax.Problem) -> None:
    """Raise UnsupportedError where a plan has to do more than to reach the goal."""
    if not is_plain(domain, problem):
        message = "preferences, constraints and timed literals are not supported here"
        raise UnsupportedError(message, location=Location(problem.path), hint="validate and plan know them")


def depends_on_numbers(domain: syntax.Domain, problem: syntax.Problem) -> bool:
    """Whether plans depend on numbers that change (see ``arithmetic.is_numeric``); what a domain says is remembered."""
    if problem.metric is not None:
        return True
    if not domain.functions:
        return False
    if any(True for _ in numbers_in(problem.goal)):
        return True
    return _NUMERIC.of(domain, None, lambda: arithmetic.is_numeric(domain))


_NUMERIC: Remembered[bool] = Remembered()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a plan is valid, what it costs, and else where and why it fails.

    ``step`` counts from 1 and is None when all steps can be run; ``unmet`` are the smallest conditions that
    do not hold (or the missing parts of the goal) as PDDL text; ``cost`` is that of the steps that could be
    run; ``violations`` are the preferences that the plan violates, each with how often.
    """

    valid: bool
    cost: float
    step: int | None = None
    reason: Reason | None = None
    unmet: tuple[str, ...] = ()
    message: str = ""
    violations: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of a simulated plan: the state after it, and the atoms that it added and removed."""

    action: GroundAction
    state: syntax.State
    added: tuple[syntax.GroundAtom, ...]
    removed: tuple[syntax.GroundAtom, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """Part of an effect: for each answer to the question, the atoms change and the inner parts take place.

    An atom is its predicate, its terms, and whether it is added.
    """

    question: StateQuestion | None
    atoms: tuple[tuple[str, tuple[str, ...], bool], ...]
    inner: tuple[_Step, ...]
    numbers: tuple[arithmetic.NumberChange, ...] = ()


@dataclass(frozen=True, slots=True)
class _Schema:
    """An action made ready to be run often."""

    action: syntax.Action
    precondition: StateQuestion
    effect: _Step
    increases: tuple[syntax.IncreaseCost, ...]

    @classmethod
    def of(cls, action: syntax.Action) -> _Schema:
        return cls(
            action, StateQuestion(action.precondition), _step(None, action.effect), tuple(increases_of(action.effect))
        )


_OBJECTS: Remembered[tuple[syntax.Domain, Universe, Mapping[str, tuple[str, ...]]]] = Remembered(4)
_SCHEMAS: Remembered[dict[str, _Schema]] = Remembered()


@dataclass(frozen=True)
class PlanWorld:
    """A domain and problem made ready to run actions: objects, costs, derived predicates."""

    domain: syntax.Domain
    problem: syntax.Problem
    universe: Universe
    types: Mapping[str, tuple[str, ...]]
    schemas: Mapping[str, _Schema]
    numeric: bool = False

    @classmethod
    def of(cls, domain: syntax.Domain, problem: syntax.Problem) -> PlanWorld:
        """Prepare a problem; a domain's schemas and the last problems' objects are remembered.

        Raises:
            UnsupportedError: A plan has to do more than to reach the goal.
        """
        require_plain(domain, problem)
        schemas = _SCHEMAS.of(domain, None, lambda: {a.name: _Schema.of(a) for a in domain.actions})
        named = (*domain.constants, *problem.objects)
        _, universe, types = _OBJECTS.of(
            problem.objects,
            (id(domain), id(problem.values)),  # which the answer keeps
            lambda: (domain, Universe.of(domain, problem), {each.name: each.types for each in named}),
        )
        return cls(domain, problem, universe, types, schemas, depends_on_numbers(domain, problem))

    def initial(self) -> syntax.State:
        """The initial state, derived atoms and the values of changing functions included."""
        state = frozenset(self.problem.init)
        if self.numeric:
            state = state.union(arithmetic.initial_values(self.domain, self.problem))
        return self.closed(state)

    def closed(self, state: syntax.State) -> syntax.State:
        """The state with its derived atoms computed anew."""
        if not self.domain.axioms:
            return state
        derived = {axiom.head.name for axiom in self.domain.axioms}
        return derive(self.domain, frozenset(a for a in state if a[0] not in derived), self.universe)

    def refusal(self, step: GroundAction, facts: Facts) -> tuple[Reason, tuple[str, ...], str] | None:
        """Say why an action cannot be run in a state.

        Args:
            step: The action.
            facts: The state, derived atoms included.

        Returns:
            The reason, the parts of the precondition that do not hold, and a message; None if the action can be run.
        """
        schema = self.schemas.get(step.name)
        if schema is None:
            return Reason.UNKNOWN_ACTION, (), _no("the domain has no action", step.name, self.schemas)
        parameters = schema.action.parameters
        wanted, given = len(parameters), len(step.arguments)
        if wanted != given:
            return Reason.WRONG_ARITY, (), f"'{step.name}' takes {say_count(wanted, 'object')}, not {given}"
        for parameter, name in zip(parameters, step.arguments, strict=True):
            types = self.types.get(name)
            if types is None:
                return Reason.UNKNOWN_OBJECT, (), _no("the problem has no object", name, self.types)
            if not self.universe.includes(parameter.types, name):
                own, needed = show_types(types[-1:]), show_types(parameter.types)
                return Reason.WRONG_TYPE, (), f"'{name}' is {own}, but {parameter.name} must be {needed}"
        binding = self.binding(step)
        if not schema.precondition.holds(facts, self.universe, binding):
            parts, said = self.unmet(schema.action.precondition, facts, binding)
            return Reason.UNMET_PRECONDITION, parts, f"{step} needs {said}"
        if self.numeric:
            wrong = self.number_changes(step, facts).problem(facts)
            if wrong is not None:
                reason = Reason.CONFLICTING_EFFECTS if wrong[0] else Reason.UNDEFINED_VALUE
                return reason, (), f"{step}: {wrong[1]}"
        elif self.cost(step) is None:
            return Reason.UNDEFINED_COST, (), f"the problem gives no cost for {step}"
        return None

    def unmet(self, formula: syntax.Formula, facts: Facts, binding: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
        """Return the smallest parts of a condition that do not hold, and what to say of them."""
        found = tuple(unmet_parts(formula, facts, self.universe, binding))
        values = tuple(
            dict.fromkeys(each for part in found for each in arithmetic.values_read(part, facts, self.universe))
        )
        parts = tuple(map(condition_text, found))
        return parts, ", ".join(parts) + (f", where {', '.join(values)}" if values else "")

    def binding(self, step: GroundAction) -> dict[str, str]:
        """The objects of an action's parameters, by the parameters' names."""
        parameters = self.schemas[step.name].action.parameters
        return {p.name: name for p, name in zip(parameters, step.arguments, strict=True)}

    def cost(self, step: GroundAction) -> float | None:
        """Return what an action adds to the metric, in the problem's unit; 1 for each action without a metric.

        Returns:
            None if a function that it adds to anything has no value for it.
        """
        binding = self.binding(step)
        total = 0.0
        for increase in self.schemas[step.name].increases:
            amount = increase.amount
            if isinstance(amount, syntax.FunctionTerm):
                arguments = tuple(binding.get(t, t) for t in amount.terms)
                value = arithmetic.function_values(self.problem, amount.function).get(arguments)
                if value is None:
                    return None
                amount = value
            if (increase.function, increase.terms) == (self.problem.cost_function, ()):
                total += amount
        return total if self.problem.minimize_cost else 1.0

    def effects(
        self, step: GroundAction, facts: Facts, bound: set[str] | None = None, atoms_only: bool = False
    ) -> tuple[set[syntax.GroundAtom], set[syntax.GroundAtom]]:
        """Return what an action that can be run changes.

        Args:
            step: The action.
            facts: The state, derived atoms included.
            bound: Collects the objects on which the effects depend.
            atoms_only: Whether the values of fluents are left out.

        Returns:
            The atoms that it deletes, and those that it adds; what is both is added.
        """
        deleted: set[syntax.GroundAtom] = set()
        added: set[syntax.GroundAtom] = set()
        numbers = arithmetic.NumberChanges() if self.numeric and not atoms_only else None
        self._fire(self.schemas[step.name].effect, self.binding(step), facts, (deleted, added), bound, numbers)
        if numbers is not None:
            less, more = numbers.atoms(facts)
            deleted |= less
            added |= more
        return deleted, added

    def number_changes(self, step: GroundAction, facts: Facts) -> arithmetic.NumberChanges:
        """Return what an action does to numbers, which need not be possible."""
        numbers = arithmetic.NumberChanges()
        self._fire(self.schemas[step.name].effect, self.binding(step), facts, (set(), set()), None, numbers)
        return numbers

    def measure(self, facts: Facts, time: Number, violations: Mapping[str, int] | None = None) -> float:
        """Return the metric's value in a state of a numeric task; without a metric ``time``, in steps or units."""
        metric = self.problem.metric
        if metric is None and not self.problem.minimize_cost:
            return float(time)
        known = {arithmetic.violations_key(name): str(count) for name, count in (violations or {}).items()}
        known[syntax.TOTAL_TIME] = number_text(time)
        wanted = syntax.FunctionTerm(self.problem.cost_function, ()) if metric is None else metric.expression
        found = arithmetic.read_number(wanted)(facts, self.universe, known)
        return (0.0 if metric is None else math.nan) if found is None else float(found)

    def apply(self, step: GroundAction, state: syntax.State, facts: Facts) -> syntax.State:
        """The state after an action that can be run."""
        deleted, added = self.effects(step, facts)
        return self.closed((state - deleted) | added)

    def advance(self, step: GroundAction, facts: Facts, bound: set[str] | None = None) -> Facts:
        """Return the state after an action that can be run; ``facts`` may be changed. ``bound`` as in ``effects``."""
        deleted, added = self.effects(step, facts, bound)
        if self.domain.axioms:
            return Facts(self.closed((frozenset(facts.atoms) - deleted) | added))
        facts.change(deleted - added, added)
        return facts

    def _fire(
        self,
        step: _Step,
        binding: Mapping[str, str],
        facts: Facts,
        changes: tuple[set[syntax.GroundAtom], set[syntax.GroundAtom]],
        bound: set[str] | None,
        numbers: arithmetic.NumberChanges | None,
    ) -> None:
        if step.question is None:
            bindings: Iterable[Mapping[str, str]] = (binding,)
        else:
            bindings = step.question.bindings(facts, self.universe, binding)
        for found in bindings:
            for predicate, terms, adds in step.atoms:
                changes[adds].add((predicate, *[found.get(t, t) for t in terms]))
            if bound is not None and step.atoms:
                bound.update(found.values())
            if numbers is not None:
                for change in step.numbers:
                    numbers.add(change, facts, self.universe, found)
            for part in step.inner:
                self._fire(part, found, facts, changes, bound, numbers)


def _no(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is not known, and which one may be meant."""
    hint = did_you_mean(name, known)
    return f"{what} '{name}'" + (f"; {hint}" if hint else "")


def _step(question: StateQuestion | None, effect: syntax.Effect) -> _Step:
    """An effect, put under a question."""
    atoms: list[tuple[str, tuple[str, ...], bool]] = []
    inner: list[_Step] = []
    numbers: list[arithmetic.NumberChange] = []
    waiting = [effect]
    while waiting:
        match waiting.pop():
            case syntax.AddEffect(atom):
                atoms.append((atom.predicate, atom.terms, True))
            case syntax.DeleteEffect(atom):
                atoms.append((atom.predicate, atom.terms, False))
            case syntax.AndEffect(effects):
                waiting.extend(effects)
            case syntax.WhenEffect(condition, part):
                inner.append(_step(StateQuestion(syntax.Exists((), condition)), part))
            case syntax.ForallEffect(variables, syntax.WhenEffect(condition, part)):
                inner.append(_step(StateQuestion(syntax.Exists(variables, condition)), part))
            case syntax.ForallEffect(variables, part):
                inner.append(_step(StateQuestion(syntax.Exists(variables, syntax.And(()))), part))
            case syntax.IncreaseCost() | syntax.ChangeNumber() as changed:
                numbers.append(arithmetic.NumberChange.of(changed))
    return _Step(question, tuple(atoms), tuple(inner), tuple(numbers))


def validate(domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction]) -> Verdict:
    """Run a plan and say whether it reaches the goal, or what fails first.

    Args:
        domain: The domain.
        problem: The problem.
        actions: The plan; its names and objects need not be known.

    Returns:
        Whether it is valid, its cost up to there, and if not, the step and the reason.
    """
    world = PlanWorld.of(domain, problem)
    facts = Facts(world.initial())
    cost = 0.0
    for number, step in enumerate(actions, 1):
        refused = world.refusal(step, facts)
        if refused is not None:
            reason, parts, message = refused
            if world.numeric:
                cost = world.measure(facts, number - 1)
            return Verdict(False, cost, number, reason, parts, f"step {number}: {message}")
        cost += world.cost(step) or 0.0
        facts = world.advance(step, facts)
    if world.numeric:
        cost = world.measure(facts, len(actions))
    if holds(problem.goal, facts, world.universe):
        return Verdict(True, cost)
    missing, said = world.unmet(problem.goal, facts, {})
    return Verdict(False, cost, None, Reason.MISSING_GOAL, missing, f"the goal is not reached: {said}")


def simulate(domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction]) -> tuple[Transition, ...]:
    """The transitions of a plan, up to the first action that cannot be run."""
    world = PlanWorld.of(domain, problem)
    state = world.initial()
    transitions = []
    for step in actions:
        facts = Facts(state)
        if world.refusal(step, facts) is not None:
            break
        after = world.apply(step, state, facts)
        transitions.append(Transition(step, after, tuple(sorted(after - state)), tuple(sorted(state - after))))
        state = after
    return tuple(transitions)
