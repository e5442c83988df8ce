"""The ground numeric task: states of atoms and values, conditions, and actions that lead from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.domains.arithmetic import changed_number
from chorewright.domains.facts import Fluent, Number
from chorewright.planner.numeric.expressions import Constant, Ground, Linear, Values, evaluate
from chorewright.planner.plan import GroundAction

State: TypeAlias = tuple[int, Values]
"""The true atoms as the bits of a number, and the values of the fluents."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``expression >= 0``, or ``> 0`` if it is ``strict``; without a linear form, ``linear`` is None."""

    expression: Ground
    linear: Linear | None
    strict: bool

    def value(self, values: Sequence[Number | None]) -> Number | None:
        """Return the value of the expression."""
        return evaluate(self.expression, values) if self.linear is None else self.linear.value(values)

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
class Change:
    """A numeric effect on a fluent, with an amount that is read in the state before."""

    operator: str
    index: int
    amount: Ground


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action does where a condition holds; ``added`` wins over ``deleted``. Bits as in states."""

    condition: Condition
    added: int
    deleted: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground action; its first outcome has no condition."""

    action: GroundAction
    condition: Condition
    outcomes: tuple[Outcome, ...]


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
        changes: list[Change] = []
        for outcome in operator.outcomes:
            condition = outcome.condition
            if condition is ALWAYS or self.holds(condition, state):
                added |= outcome.added
                deleted |= outcome.deleted
                changes += outcome.changes
        bits = (bits & ~deleted) | added
        if not changes:
            return bits, values
        after = changed_values(changes, values)
        return None if after is None else (bits, after)


ALWAYS = Condition()


def changed_values(changes: Sequence[Change], values: Values) -> Values | None:
    """Return the values after changes at the same time; None if they conflict or read what is undefined."""
    after = list(values)
    kinds: dict[int, str] = {}
    assigned: dict[int, Number | None] = {}
    for change in changes:
        index, operator = change.index, change.operator
        amount = change.amount.value if isinstance(change.amount, Constant) else evaluate(change.amount, values)
        kind = KINDS[operator]
        if kinds.setdefault(index, kind) != kind:
            return None
        if kind == "assign" and assigned.setdefault(index, amount) != amount:
            return None
        value = changed_number(operator, after[index], amount)
        if value is None:
            return None
        after[index] = value
    return tuple(after)


KINDS = {"increase": "add", "decrease": "add", "scale-up": "scale", "scale-down": "scale", "assign": "assign"}
