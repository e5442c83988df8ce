"""The ground numeric task: states of atoms and values, conditions, and actions that lead from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.arithmetic import change_number
from chorewright.domains.facts import Fluent, Number, Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import expanded
from chorewright.planner.numeric import expressions
from chorewright.planner.plan import GroundAction

State: TypeAlias = tuple[int, expressions.Values]
"""The true atoms as the bits of a number, and the values of the fluents."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``expression >= 0``, or ``> 0`` if it is ``strict``; without a linear form, ``linear`` is None."""

    expression: expressions.Ground
    linear: expressions.Linear | None
    strict: bool

    def value(self, values: Sequence[Number | None]) -> Number | None:
        """Return the value of the expression."""
        return expressions.evaluate(self.expression, values) if self.linear is None else self.linear.value(values)

    def holds(self, values: Sequence[Number | None]) -> bool:
        """Whether it holds; it does not where a value is undefined."""
        value = self.value(values)
        return value is not None and (value > 0 or (value == 0 and not self.strict))


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction: bits that are set, bits that are not, bounds by number, and alternatives of each disjunction."""

    true: int = 0
    false: int = 0
    bounds: tuple[int, ...] = ()
    choices: tuple[tuple[Condition, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class FluentChange:
    """A numeric effect on a fluent, with an amount that is read in the state before."""

    operator: str
    index: int
    amount: expressions.Ground


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What an action does where a condition holds; ``added`` wins over ``deleted``. Bits as in states."""

    condition: Condition
    added: int
    deleted: int
    changes: tuple[FluentChange, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground action; its first outcome has no condition."""

    action: GroundAction
    condition: Condition
    outcomes: tuple[ActionOutcome, ...]


@dataclass(frozen=True, slots=True)
class NumericTask:
    """What is searched.

    Attributes:
        atoms: The atoms of the bits.
        fluents: The fluents of the values.
        bounds: The numeric conditions.
        operators: The ground actions.
        initial: The first state.
        goal: The goal.
    """

    atoms: tuple[tuple[str, ...], ...]
    fluents: tuple[Fluent, ...]
    bounds: tuple[Bound, ...]
    operators: tuple[Operator, ...]
    initial: State
    goal: Condition

    def holds(self, condition: Condition, state: State) -> bool:
        """Whether a condition holds in a state."""
        bits, values = state
        if bits & condition.true != condition.true or bits & condition.false:
            return False
        for number in condition.bounds:
            if not self.bounds[number].holds(values):
                return False
        return all(any(self.holds(each, state) for each in choice) for choice in condition.choices)

    def successor(self, operator: Operator, state: State) -> State | None:
        """Return the state after an operator that can be run; None if its effects conflict or are undefined."""
        bits, values = state
        added = deleted = 0
        changes: list[FluentChange] = []
        for outcome in operator.outcomes:
            condition = outcome.condition
            if condition is ALWAYS or self.holds(condition, state):
                added |= outcome.added
                deleted |= outcome.deleted
                changes += outcome.changes
        bits = (bits & ~deleted) | added
        if not changes:
            return bits, values
        after = change_values(changes, values)
        return None if after is None else (bits, after)


ALWAYS = Condition()


def change_values(changes: Sequence[FluentChange], values: expressions.Values) -> expressions.Values | None:
    """Return the values after changes at the same time; None if they conflict or read what is undefined."""
    after = list(values)
    kinds: dict[int, str] = {}
    assigned: dict[int, Number | None] = {}
    for change in changes:
        index, operator = change.index, change.operator
        amount = (
            change.amount.value
            if isinstance(change.amount, expressions.Constant)
            else expressions.evaluate(change.amount, values)
        )
        kind = KINDS[operator]
        if kinds.setdefault(index, kind) != kind:
            return None
        if kind == "assign" and assigned.setdefault(index, amount) != amount:
            return None
        value = change_number(operator, after[index], amount)
        if value is None:
            return None
        after[index] = value
    return tuple(after)


KINDS = {"increase": "add", "decrease": "add", "scale-up": "scale", "scale-down": "scale", "assign": "assign"}


# Ground conditions: quantifiers and what never changes are evaluated away; the rest is bits, bounds and choices.


UNSET = "no value"
"""In place of a predicate: that a fluent has no value yet."""

_NEGATED = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}


@dataclass(slots=True)
class ConditionMaker:
    """Makes conditions of formulas.

    Attributes:
        universe: The objects.
        bit: Gives the bit of an atom that changes, or whether it always holds.
        reader: Gives what stands for a fluent.
        unset: Gives the atoms of which one is true where an expression reads a value that is not there yet.
        bounds: The numeric conditions so far, by number.
    """

    universe: Universe
    bit: Callable[[syntax.GroundAtom], int | bool]
    reader: expressions.Reader
    unset: Callable[[expressions.Ground], Iterable[syntax.GroundAtom]] = lambda expression: ()
    bounds: dict[Bound, int] = field(default_factory=dict)
    _expanded: dict[int, tuple[syntax.Formula, syntax.Formula]] = field(default_factory=dict)
    _literals: dict[tuple[syntax.GroundAtom, bool], Condition | None] = field(default_factory=dict)

    def condition(self, formula: syntax.Formula, binding: Mapping[str, str]) -> Condition | None:
        """Return the condition that a formula is under a binding; None if it never holds."""
        known = self._expanded.get(id(formula))
        if known is None:  # the formula is kept, so that no other has its number
            known = self._expanded[id(formula)] = formula, expanded(formula)
        return self._made(known[1], dict(binding), wanted=True)

    def _made(self, formula: syntax.Formula, env: dict[str, str], wanted: bool) -> Condition | None:
        match formula:
            case syntax.Atom(predicate, terms):
                return self._literal((predicate, *[env.get(term, term) for term in terms]), wanted)
            case syntax.Equals(left, right):
                return ALWAYS if (env.get(left, left) == env.get(right, right)) == wanted else None
            case syntax.Comparison():
                return self._comparison(formula, env, wanted)
            case syntax.Not(operand):
                return self._made(operand, env, not wanted)
            case syntax.Imply(antecedent, consequent):
                return self._made(syntax.Or((syntax.Not(antecedent), consequent)), env, wanted)
            case syntax.And(operands) | syntax.Or(operands):
                join = conjoin if isinstance(formula, syntax.And) == wanted else disjoin
                return join([self._made(operand, env, wanted) for operand in operands])
            case syntax.Forall(variables, body) | syntax.Exists(variables, body):
                found = [self._made(body, {**env, **inner}, wanted) for inner in self.universe.bindings(variables)]
                return conjoin(found) if isinstance(formula, syntax.Forall) == wanted else disjoin(found)
            case _:
                raise AssertionError(formula)

    def _literal(self, atom: syntax.GroundAtom, wanted: bool) -> Condition | None:
        if (atom, wanted) not in self._literals:
            bit = self.bit(atom)
            if isinstance(bit, bool):
                made = ALWAYS if bit == wanted else None
            else:
                made = Condition(true=1 << bit) if wanted else Condition(false=1 << bit)
            self._literals[atom, wanted] = made
        return self._literals[atom, wanted]

    def _comparison(self, formula: syntax.Comparison, env: dict[str, str], wanted: bool) -> Condition | None:
        left = expressions.ground_expression(formula.left, env, self.reader)
        right = expressions.ground_expression(formula.right, env, self.reader)
        if left is None or right is None:
            return None if wanted else ALWAYS
        unset = [] if wanted else [*self._undefined(left), *self._undefined(right)]
        if formula.operator == "=":
            sides = [self._bound(left, right, strict=not wanted), self._bound(right, left, strict=not wanted)]
            return conjoin(sides) if wanted else disjoin(sides + unset)
        operator = formula.operator if wanted else _NEGATED[formula.operator]
        if operator.startswith("<"):
            left, right = right, left
        return disjoin([self._bound(left, right, strict=len(operator) == 1), *unset])

    def _undefined(self, expression: expressions.Ground) -> Iterator[Condition | None]:
        """Yield the conditions on which an expression has no value."""
        yield from (self._literal(atom, True) for atom in self.unset(expression))
        zero = expressions.Constant(0)
        for each in expressions.divisors_of(expression):
            yield conjoin([self._bound(each, zero, strict=False), self._bound(zero, each, strict=False)])

    def _bound(self, greater: expressions.Ground, less: expressions.Ground, strict: bool) -> Condition | None:
        expression: expressions.Ground = expressions.Operation("-", (greater, less))
        form = expressions.linear(expression)
        if form is not None and len(form.weights) < len({*expressions.variables_of(expression)}):
            form = None  # what cancels out must have a value all the same
        elif form is not None and not form.weights:
            expression = expressions.Constant(form.constant)
        found = Bound(expression, form, strict)
        if isinstance(expression, expressions.Constant):
            return ALWAYS if found.holds(()) else None
        return Condition(bounds=(self.bounds.setdefault(found, len(self.bounds)),))


def conjoin(parts: list[Condition | None]) -> Condition | None:
    """Return the conjunction of conditions; None stands for one that never holds."""
    true = false = 0
    bounds: dict[int, None] = {}
    choices: list[tuple[Condition, ...]] = []
    for part in parts:
        if part is None:
            return None
        true |= part.true
        false |= part.false
        if part.bounds or part.choices:
            bounds.update(dict.fromkeys(part.bounds))
            choices += part.choices
    if true & false:
        return None
    some = true or false or bounds or choices
    return Condition(true, false, tuple(bounds), tuple(dict.fromkeys(choices))) if some else ALWAYS


def disjoin(parts: list[Condition | None]) -> Condition | None:
    """Return the disjunction of conditions; None stands for one that never holds."""
    known = tuple(dict.fromkeys(part for part in parts if part is not None))
    if not known or ALWAYS in known:
        return ALWAYS if known else None
    return known[0] if len(known) == 1 else Condition(choices=(known,))
