"""Goals and metrics in forms that are the same in another order, with quantifiers, and by what never changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod

from chorewright.domains.arithmetic import find_changed_functions, fold_number
from chorewright.domains.facts import Fluent, Number, exact, whole
from chorewright.domains.formulas import Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import parts
from chorewright.domains.pddl.syntax import And, Comparison, Domain, Formula, GroundAtom, Imply, Not, Or, Problem
from chorewright.domains.pddl.writer import write_formula
from chorewright.planner.grounding.normal_form import atoms_changed
from chorewright.planner.numeric import expressions
from chorewright.planner.numeric.task import Condition, ConditionMaker


def canonical(formula: Formula) -> Hashable:
    """A form that is the same for formulas that differ in the order of operands, double negation or implication."""
    match formula:
        case Not(Not(operand)):
            return canonical(operand)
        case Not(operand):
            return "not", canonical(operand)
        case Imply(antecedent, consequent):
            return canonical(Or((Not(antecedent), consequent)))
        case And(operands) | Or(operands):
            kind = type(formula)
            flat = [part for operand in operands for part in _flat(operand, kind)]
            distinct = sorted({canonical(part) for part in flat}, key=repr)
            return distinct[0] if len(distinct) == 1 else (kind.__name__, *distinct)
        case Comparison(operator, left, right) if operator in (">", ">="):
            return canonical(Comparison(operator.replace(">", "<"), right, left))
        case _:
            return write_formula(formula)


def _flat(formula: Formula, kind: type) -> Iterator[Formula]:
    while isinstance(formula, Not) and isinstance(formula.operand, Not):
        formula = formula.operand.operand
    if isinstance(formula, Imply):
        formula = Or((Not(formula.antecedent), formula.consequent))
    if isinstance(formula, And | Or) and isinstance(formula, kind):
        for operand in formula.operands:
            yield from _flat(operand, kind)
    else:
        yield formula


def count_literals(formula: Formula, universe: Universe) -> int:
    """Return how many literals a formula has when its quantifiers are written out."""
    inner = sum(count_literals(part, universe) for part in parts(formula)) or 1
    match formula:
        case syntax.Forall(variables) | syntax.Exists(variables):
            return inner * prod(len(universe.members(each.types)) for each in variables)
        case syntax.AtLeast(count, variables):
            choices: int = prod(len(universe.members(each.types)) for each in variables)
            return (inner + count) * count * int(choices ** min(count, 64))
        case _:
            return inner


@dataclass
class GoalWriter:
    """Writes goals of one problem out: over its objects, without quantifiers and without what never changes.

    Attributes:
        domain: The domain.
        problem: The problem, whose start says what never changes.
        bits: The numbers of the atoms of the goals so far.
        fluents: The numbers of the fluents of the goals so far.
    """

    domain: Domain
    problem: Problem
    bits: dict[GroundAtom, int] = field(default_factory=dict)
    fluents: dict[Fluent, int] = field(default_factory=dict)

    @cached_property
    def universe(self) -> Universe:
        """The objects that quantifiers range over."""
        return Universe.of(self.domain, self.problem)

    @cached_property
    def _changing_predicates(self) -> frozenset[str]:
        added, deleted = atoms_changed(self.domain)
        return added | deleted | {axiom.head.name for axiom in self.domain.axioms}

    @cached_property
    def _functions(self) -> frozenset[str]:
        return find_changed_functions(self.domain)

    @cached_property
    def _start(self) -> frozenset[GroundAtom]:
        return frozenset(self.problem.init)

    @cached_property
    def _maker(self) -> ConditionMaker:
        return ConditionMaker(self.universe, self._bit, self._fluent)

    def literals(self, goal: Formula) -> dict[tuple[str, ...], bool] | None:
        """Return the literals whose conjunction a goal is, each with its sign; None if it is no conjunction."""
        made = self._maker.condition(goal, {})
        if made is None or made.bounds or made.choices:
            return None
        return {
            atom: bool(made.true >> bit & 1) for atom, bit in self.bits.items() if (made.true | made.false) >> bit & 1
        }

    def canonical(self, goal: Formula) -> Hashable:
        """Return what goals share that are the same when they are written out, but for order."""
        return self._key(self._maker.condition(goal, {}))

    def _key(self, made: Condition | None) -> Hashable:
        if made is None:
            return None
        choices = frozenset(frozenset(map(self._key, each)) for each in made.choices)
        return made.true, made.false, frozenset(made.bounds), choices

    def _bit(self, atom: GroundAtom) -> int | bool:
        if atom[0] not in self._changing_predicates:
            return atom in self._start
        return self.bits.setdefault(atom, len(self.bits))

    def _fluent(self, fluent: Fluent) -> expressions.Ground | None:
        if fluent[0] in self._functions:
            return expressions.Variable(self.fluents.setdefault(fluent, len(self.fluents)))
        value = self.universe.numbers.get(fluent)
        return None if value is None else expressions.Constant(value)


def metric_weights(domain: Domain, problem: Problem) -> dict[Fluent, Number] | None:
    """Return the weights of a metric to be minimised; None if it is no sum with fixed factors.

    Metrics by which plans have the same order, for they differ in a factor or a constant, have the same weights. The
    length of plans has no function's name.
    """
    if problem.metric is None:
        return {(problem.cost_function if problem.minimize_cost else "",): 1}
    changed = find_changed_functions(domain)
    fixed = {
        fluent: value for fluent, value in Universe.of(domain, problem).numbers.items() if fluent[0] not in changed
    }
    found = _weights(fold_number(problem.metric.expression, fixed))
    if found is None:
        return None
    kept = {fluent: value for fluent, value in found.items() if fluent and value}
    greatest = max((abs(Fraction(value)) for value in kept.values()), default=Fraction(1))
    sign = 1 if problem.metric.direction == "minimize" else -1
    return {fluent: whole(sign * Fraction(value) / greatest) for fluent, value in kept.items()}


def _weights(expression: syntax.Expression) -> dict[Fluent, Number] | None:
    """The weights of a sum, its constant under no name."""
    if isinstance(expression, syntax.FunctionTerm):
        return {(expression.function, *expression.terms): 1}
    if not isinstance(expression, syntax.Arithmetic):
        return {(): exact(float(expression))}
    parts = [_weights(each) for each in expression.operands]
    if expression.operator in "+-":
        total: dict[Fluent, Number] = {}
        for place, part in enumerate(parts):
            sign = -1 if expression.operator == "-" and (place or len(parts) == 1) else 1
            for fluent, value in (part or {}).items():
                total[fluent] = total.get(fluent, 0) + sign * value
        return None if None in parts else total
    factors = [part.get((), 0) for part in parts if part is not None and set(part) <= {()}]
    varying = [part for part in parts if part is None or not set(part) <= {()}]
    if len(varying) > 1 or None in varying or (expression.operator == "/" and (varying != parts[:1] or not factors[0])):
        return None
    factor = Fraction(prod(factors))
    factor = 1 / factor if expression.operator == "/" else factor
    return {fluent: whole(factor * value) for fluent, value in (varying[0] or {}).items()} if varying else {}
