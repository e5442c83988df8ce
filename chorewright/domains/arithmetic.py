"""Numeric expressions over states: their values, comparisons, what changes numbers; values that never change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter, eq, ge, gt, le, lt
from typing import TypeAlias

from chorewright.domains.facts import Facts, Fluent, Number, Universe, exact, number_of, number_text, value_atom, whole
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import (
    conditions_in,
    function_terms,
    numbers_in,
    simple_effects,
    subformulas,
    with_parts,
)
from chorewright.files.lazily import Remembered

Reader: TypeAlias = Callable[[Facts, Universe, Mapping[str, str]], Number | None]
"""Gives the value of an expression; None if it is undefined."""

RELATIONS: Mapping[str, Callable[[Number, Number], bool]] = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}


def is_numeric(domain: syntax.Domain, problem: syntax.Problem | None = None) -> bool:
    """Whether plans depend on numbers that change, beyond the costs of actions that are added up."""
    if problem is not None and (problem.metric is not None or _compares(problem.goal)):
        return True
    if not domain.functions:
        return False
    changes = list(number_changes(domain))
    if domain.durative_actions or any(isinstance(each, syntax.ChangeNumber) for each in changes):
        return True
    changed = {each.target.function for each in changes}
    if any(isinstance(each.amount, syntax.FunctionTerm) and each.amount.function in changed for each in changes):
        return True
    return any(map(_compares, all_conditions(domain)))


def _compares(formula: syntax.Formula) -> bool:
    return any(isinstance(part, syntax.Comparison) for part in subformulas(formula))


def find_changed_functions(domain: syntax.Domain) -> frozenset[str]:
    """Return the functions that actions change."""
    return frozenset(change.target.function for change in number_changes(domain))


def find_sums(domain: syntax.Domain) -> frozenset[str]:
    """Return the functions that actions change only by adding to them."""
    other = (change.target.function for change in number_changes(domain) if change.operator not in ADDITIVE)
    return find_changed_functions(domain).difference(other)


def initial_values(domain: syntax.Domain, problem: syntax.Problem) -> Iterable[syntax.GroundAtom]:
    """Yield the initial values of the functions that change.

    A function without parameters that has none starts at 0 if nothing but the metric reads it: it counts a cost.
    """
    changed = find_changed_functions(domain)
    for value in problem.values:
        if value.function in changed:
            yield value_atom((value.function, *value.objects), exact(value.value))
    given = {value.function for value in problem.values}
    costs = {each.name for each in domain.functions if not each.parameters} & changed
    for name in sorted(costs - given - read_functions(domain, problem)):
        yield value_atom((name,), 0)


def read_functions(domain: syntax.Domain, problem: syntax.Problem) -> frozenset[str]:
    """Return the functions that conditions, the goal, or effects on other functions read."""
    conditions = (problem.goal, *all_conditions(domain))
    read = [term.function for condition in conditions for term in numbers_in(condition)]
    read += [term.function for change in number_changes(domain) for term in function_terms(change.amount)]
    return frozenset(read)


def constant_values(domain: syntax.Domain, problem: syntax.Problem) -> tuple[syntax.GroundAtom, ...]:
    """Return the values that never change and that decide what can be done; those that are only costs are left out.

    No state holds them, so that whoever is told of a state must be told of them, too.
    """
    if not problem.values:
        return ()
    wanted = {read.function for formula in (problem.goal, *all_conditions(domain)) for read in numbers_in(formula)}
    for change in number_changes(domain):
        if isinstance(change, syntax.ChangeNumber) or change.function in wanted:
            wanted.update(read.function for read in function_terms(change.amount))
    wanted -= find_changed_functions(domain)
    values = (each for each in problem.values if each.function in wanted)
    return tuple(value_atom((each.function, *each.objects), exact(each.value)) for each in values)


def all_conditions(domain: syntax.Domain) -> Iterator[syntax.Formula]:
    """Yield the conditions of a domain: of actions, their effects, durations and axioms."""
    for action in domain.actions:
        yield action.precondition
        yield from conditions_in(action.effect)
    for durative in domain.durative_actions:
        for timed in (*durative.durations, *durative.conditions):
            yield timed.condition
        for effect in durative.effects:
            yield from (timed.condition for timed in effect.conditions)
            yield from conditions_in(effect.effect)
    for axiom in domain.axioms:
        yield axiom.body


def all_effects(domain: syntax.Domain) -> Iterator[syntax.Effect]:
    """Yield the effects of all actions."""
    for action in domain.actions:
        yield action.effect
    for durative in domain.durative_actions:
        yield from (timed.effect for timed in durative.effects)


def number_changes(domain: syntax.Domain) -> Iterator[syntax.IncreaseCost | syntax.ChangeNumber]:
    """Yield the parts of effects that change numbers."""
    for effect in all_effects(domain):
        for part in simple_effects(effect):
            if isinstance(part, syntax.IncreaseCost | syntax.ChangeNumber):
                yield part


def read_number(expression: syntax.Expression) -> Reader:
    """Return the function that gives the value of an expression in a state."""
    if isinstance(expression, syntax.FunctionTerm):
        return _function_reader(expression)
    if isinstance(expression, int | float):
        constant = exact(float(expression))
        return lambda facts, universe, env: constant
    readers = tuple(map(read_number, expression.operands))
    operator = expression.operator

    def value(facts: Facts, universe: Universe, env: Mapping[str, str]) -> Number | None:
        return calculate(operator, [reader(facts, universe, env) for reader in readers])

    return value


def _function_reader(term: syntax.FunctionTerm) -> Reader:
    function, terms = term.function, term.terms

    def value(facts: Facts, universe: Universe, env: Mapping[str, str]) -> Number | None:
        fluent = (function, *[env.get(each, each) for each in terms])
        found = facts.numbers.get(fluent)
        return universe.numbers.get(fluent) if found is None else found

    def duration(facts: Facts, universe: Universe, env: Mapping[str, str]) -> Number | None:
        return number_of(env[function]) if function in env else None

    def violations(facts: Facts, universe: Universe, env: Mapping[str, str]) -> Number | None:
        return number_of(env.get(violations_key(*terms), "0"))

    if function == syntax.VIOLATIONS:
        return violations
    return duration if function in (syntax.DURATION, syntax.TOTAL_TIME) else value


def with_values(formula: syntax.Formula, values: Mapping[Fluent, Number]) -> syntax.Formula:
    """Return a formula with numbers in place of the functions that have these values."""
    if isinstance(formula, syntax.Comparison):
        return replace(formula, left=fold_number(formula.left, values), right=fold_number(formula.right, values))
    return with_parts(formula, lambda part: with_values(part, values))


def fold_number(expression: syntax.Expression, values: Mapping[Fluent, Number]) -> syntax.Expression:
    """Return an expression with numbers in place of functions that have these values, and computed where it can be."""
    if isinstance(expression, syntax.FunctionTerm):
        value = values.get((expression.function, *expression.terms))
        return expression if value is None else float(value)
    if isinstance(expression, syntax.Arithmetic):
        operands = tuple(fold_number(each, values) for each in expression.operands)
        numbers: list[Number | None] = [exact(each) for each in operands if isinstance(each, float)]
        result = calculate(expression.operator, numbers) if len(numbers) == len(operands) else None
        return syntax.Arithmetic(expression.operator, operands) if result is None else float(result)
    return expression


def violations_key(preference: str) -> str:
    """Return the name under which readers of numbers find how often a preference is violated."""
    return f"{syntax.VIOLATIONS} {preference}"


def calculate(operator: str, values: list[Number | None]) -> Number | None:
    """Return the sum, difference, product or quotient of numbers; None if one is undefined, or the divisor 0."""
    result = values[0]
    if result is None:
        return None
    if len(values) == 1:
        return -result
    for other in values[1:]:
        if other is None or (operator == "/" and other == 0):
            return None
        if operator == "+":
            result = result + other
        elif operator == "-":
            result = result - other
        elif operator == "*":
            result = result * other
        else:
            result = Fraction(result) / other
    return whole(result)


def compare_numbers(formula: syntax.Comparison) -> Callable[[Facts, Universe, Mapping[str, str]], bool]:
    """Return the test of a comparison, which is false where a value is undefined."""
    left, right, relation = read_number(formula.left), read_number(formula.right), RELATIONS[formula.operator]

    def test(facts: Facts, universe: Universe, env: Mapping[str, str]) -> bool:
        one, other = left(facts, universe, env), right(facts, universe, env)
        return one is not None and other is not None and relation(one, other)

    return test


def change_number(operator: str, before: Number | None, amount: Number | None) -> Number | None:
    """Return a fluent's value after an effect; None if the effect reads an undefined value or divides by 0."""
    if amount is None or operator == "assign":
        return amount
    sign = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}[operator]
    return calculate(sign, [before, amount])


def values_read(formula: syntax.Formula, facts: Facts, universe: Universe) -> tuple[str, ...]:
    """Return what the fluents that a formula reads outside quantifiers are in a state, as ``(fuel van) is 3``."""
    found: dict[str, None] = {}
    for read in numbers_in(formula):
        fluent = (read.function, *read.terms)
        if any(each.startswith("?") for each in fluent):
            continue
        value = read_number(read)(facts, universe, {})
        found[f"({' '.join(fluent)}) is {'undefined' if value is None else number_text(value)}"] = None
    return tuple(found)


# What the effects of one step do to numbers: all amounts are read before, then every fluent changes once.


ADDITIVE = ("increase", "decrease")
SCALING = ("scale-up", "scale-down")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A numeric effect made ready to be run often."""

    operator: str
    function: str
    terms: tuple[str, ...]
    amount: Reader

    @classmethod
    def of(cls, effect: syntax.ChangeNumber | syntax.IncreaseCost) -> NumberChange:
        """Prepare an effect."""
        return cls(effect.operator, effect.target.function, effect.target.terms, read_number(effect.amount))


@dataclass(slots=True)
class NumberChanges:
    """The changes of numbers that take place at the same time, by fluent: the operators with their amounts."""

    found: dict[Fluent, list[tuple[str, Number | None]]] = field(default_factory=dict)

    def add(self, change: NumberChange, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> None:
        """Add a change; its amount is read now."""
        fluent = (change.function, *[binding.get(each, each) for each in change.terms])
        amount = change.amount(facts, universe, binding)
        self.found.setdefault(fluent, []).append((change.operator, amount))

    def after(self, fluent: Fluent, before: Number | None) -> Number | None:
        """Return the value of a fluent afterwards; None if it cannot be said (see ``problem``)."""
        changes = self.found[fluent]
        if not self._agree(fluent):
            return None
        value = before
        for operator, amount in changes:
            value = change_number(operator, value, amount)
        return value

    def _agree(self, fluent: Fluent) -> bool:
        changes = self.found[fluent]
        operators = {operator for operator, _ in changes}
        if operators == {"assign"}:
            return len({amount for _, amount in changes}) == 1
        return operators <= set(ADDITIVE) or operators <= set(SCALING)

    def additive(self) -> dict[Fluent, bool]:
        """Return the fluents that change, each with whether it is only added to."""
        return {fluent: all(operator in ADDITIVE for operator, _ in changes) for fluent, changes in self.found.items()}

    def merge(self, other: NumberChanges) -> None:
        """Add all changes of another."""
        for fluent, changes in other.found.items():
            self.found.setdefault(fluent, []).extend(changes)

    def problem(self, facts: Facts) -> tuple[bool, str] | None:
        """Say what is wrong with the changes, and whether it is that they conflict; None if they can be made."""
        for fluent in self.found:
            shown = f"({' '.join(fluent)})"
            if not self._agree(fluent):
                return True, f"its effects on {shown} conflict"
            if self.after(fluent, facts.numbers.get(fluent)) is None:
                return False, f"its effect on {shown} reads a value that is not defined, or divides by 0"
        return None

    def atoms(self, facts: Facts) -> tuple[set[syntax.GroundAtom], set[syntax.GroundAtom]]:
        """Return the atoms of values that the changes delete and add."""
        deleted: set[syntax.GroundAtom] = set()
        added: set[syntax.GroundAtom] = set()
        for fluent in self.found:
            before = facts.numbers.get(fluent)
            after = self.after(fluent, before)
            if after is None or after == before:
                continue
            if before is not None:
                deleted.add(("=", *fluent, number_text(before)))
            added.add(value_atom(fluent, after))
        return deleted, added


# Static functions: the initial values that the costs of actions are read from.


Values = Mapping[tuple[str, ...], float]

_VALUES: Remembered[Mapping[str, Values]] = Remembered(4)
_function, _entry = attrgetter("function"), attrgetter("objects", "value")


def function_values(problem: syntax.Problem, function: str) -> Values:
    """Return the initial values of a function by its arguments, in the problem's unit; empty if it has none.

    Those of the last problems are remembered, and shared by problems that differ in other things only.
    """
    return _VALUES.of(problem.values, None, lambda: _by_function(problem.values)).get(function, {})


def _by_function(values: Sequence[syntax.FunctionValue]) -> Mapping[str, Values]:
    names = tuple(dict.fromkeys(map(_function, values)))
    if len(names) == 1:  # mostly: there are thousands of distances between places, and nothing else
        return {names[0]: dict(map(_entry, values))}
    return {name: dict(_entry(v) for v in values if v.function == name) for name in names}
