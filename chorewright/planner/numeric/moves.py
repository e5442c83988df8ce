"""The numbers of a numeric task's conditions and expressions, and the moves of its relaxation.

An effect that depends on the state moves a condition by what it is in the state that is asked about; besides, it is
looked through: what must hold before for the condition to hold after, and what must hold for it to move at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from chorewright.domains.facts import Number
from chorewright.planner.numeric.expressions import Constant, Ground, Operation, linear, variables_of
from chorewright.planner.numeric.kernels import BOUND, CHOICE, FALSE, TRUE
from chorewright.planner.numeric.relaxation import bits_of
from chorewright.planner.numeric.task import Condition, FluentChange, NumericTask

ADDITIVE = ("increase", "decrease")
MOST_SCALE = 1_000_000
MOST_REGRESSED = 2_000
"""Conditions that are made by looking through an effect that depends on the state."""


@dataclass(slots=True)
class Move:
    """As in the kernels; a gain is an expression, by which expression it grows, and whether that happens only once."""

    operator: int
    needs: Sequence[int]
    makes: Sequence[int] = ()
    changes: tuple[FluentChange, ...] = ()
    gains: list[tuple[int, int, bool]] = field(default_factory=list)


@dataclass(slots=True)
class BoundForm:
    """An expression of conditions: a factor that makes its weights whole, its fluents, and what is asked of it."""

    factor: Fraction
    fluents: frozenset[int]
    aims: list[tuple[int, Ground, bool]] = field(default_factory=list)


@dataclass
class TaskNumbers:
    """What is known while a task is encoded: expressions and conditions have numbers in the order of their use."""

    task: NumericTask
    metric: Ground
    rows: dict[object, int] = field(default_factory=dict)
    conditions: dict[tuple[int, int, float, bool], int] = field(default_factory=dict)
    known_choices: dict[tuple[Condition, ...], int] = field(default_factory=dict)
    choices: list[list[list[int]]] = field(default_factory=list)
    forms: dict[int, BoundForm] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    regressed: int = 0
    simple: bool = True

    @cached_property
    def weights(self) -> dict[int, Number]:
        """The metric's weights; of one that is not linear, those of the number of steps."""
        form = linear(self.metric)
        return dict(form.weights) if form is not None else {len(self.task.fluents): 1}

    @cached_property
    def columns(self) -> dict[int, int]:
        """The places of the fluents that tell states apart."""
        needed = {each for bound in self.task.bounds for each in variables_of(bound.expression)}
        before = -1
        while before != len(needed):
            before = len(needed)
            for each in self._changes():
                if each.index in needed or each.index in self.weights:
                    needed.update(variables_of(each.amount))
                    needed.update([each.index] if each.operator not in ADDITIVE else [])
        return {index: place for place, index in enumerate(sorted(needed))}

    def _changes(self) -> Iterator[FluentChange]:
        for operator in self.task.operators:
            for outcome in operator.outcomes:
                yield from outcome.changes

    @cached_property
    def scale(self) -> int:
        """What makes all values whole; 0 where nothing does."""
        changes = [each for each in self._changes() if each.index in self.columns]
        amounts = [linear(each.amount) for each in changes]
        forms = [form for form in (*amounts, *(bound.linear for bound in self.task.bounds)) if form is not None]
        weights = [weight for form in amounts if form is not None for _, weight in form.weights]
        scaling = any(each.operator.startswith("scale") for each in changes)
        linear_only = len(forms) == len(amounts) + len(self.task.bounds)
        if scaling or not linear_only or any(Fraction(each).denominator > 1 for each in weights):
            return 0
        values = [self.task.initial[1][index] for index in self.columns]
        numbers = [*(form.constant for form in forms), *(value for value in values if value is not None)]
        scale = math.lcm(*(Fraction(each).denominator for each in numbers))
        return scale if scale <= MOST_SCALE else 0

    # Expressions: rows of weights, or programs.

    def expression(self, ground: Ground, factor: Number = 1, of_metric: bool = False) -> int:
        """Return the number of an expression times a factor, in scaled values; the metric is not scaled."""
        form, scale = linear(ground), self.scale or 1
        if form is None:
            product = ground if factor == 1 else Operation("*", (Constant(factor), ground))
            return self.rows.setdefault(product, len(self.rows))
        times = (
            (Fraction(factor) / scale, Fraction(factor)) if of_metric else (Fraction(factor), Fraction(factor) * scale)
        )
        weights = tuple((self.columns[index], float(weight * times[0])) for index, weight in form.weights)
        return self.rows.setdefault((weights, float(form.constant * times[1])), len(self.rows))

    def _bound(self, ground: Ground, strict: bool) -> int:
        """Return the number of the condition that an expression is at least 0, or above it."""
        form = linear(ground)
        if form is None:
            number, offset, factor = self.expression(ground), 0.0, Fraction(1)
        else:
            factor = Fraction(math.lcm(*(Fraction(weight).denominator for _, weight in form.weights)))
            without = Operation("-", (ground, Constant(form.constant)))
            number, offset = self.expression(without, factor), float(form.constant * factor * (self.scale or 1))
        key = (BOUND, number, offset, strict)
        if key not in self.conditions:
            fluents = frozenset(variables_of(ground))
            self.forms.setdefault(number, BoundForm(factor, fluents)).aims.append(
                (len(self.conditions), ground, strict)
            )
        return self.conditions.setdefault(key, len(self.conditions))

    def needs_of(self, condition: Condition) -> list[int]:
        """Return the numbers of all that a condition needs."""
        found = [self._literal(TRUE, bit) for bit in bits_of(condition.true)]
        found += [self._literal(FALSE, bit) for bit in bits_of(condition.false)]
        for number in condition.bounds:
            found.append(self._bound(self.task.bounds[number].expression, self.task.bounds[number].strict))
        for choice in condition.choices:
            if choice not in self.known_choices:
                alternatives = [self.needs_of(each) for each in choice]  # they get smaller numbers
                self.choices.append(alternatives)
                key = (CHOICE, len(self.choices) - 1, 0.0, False)
                self.known_choices[choice] = self.conditions.setdefault(key, len(self.conditions))
            found.append(self.known_choices[choice])
        return list(dict.fromkeys(found))

    def _literal(self, kind: int, bit: int) -> int:
        return self.conditions.setdefault((kind, bit, 0.0, False), len(self.conditions))

    # Moves, and what they do to expressions.

    def add_moves(self, needs: Sequence[list[int]], outcomes: Sequence[list[list[int]]]) -> None:
        """Add the moves of all operators.

        Args:
            needs: What each operator needs, by numbers of conditions.
            outcomes: What each of its outcomes needs besides.
        """
        for index, operator in enumerate(self.task.operators):
            for outcome, more in zip(operator.outcomes, outcomes[index], strict=True):
                keys = [(TRUE, bit, 0.0, False) for bit in bits_of(outcome.added)]
                keys += [(FALSE, bit, 0.0, False) for bit in bits_of(outcome.deleted)]
                makes = [self.conditions[key] for key in keys if key in self.conditions]
                changes = tuple(each for each in outcome.changes if each.index in self.columns)
                if makes or changes:
                    self.moves.append(Move(index, tuple(dict.fromkeys(needs[index] + more)), makes, changes))
        first = list(self.forms)
        self._add_gains(first, True)
        self._add_gains([number for number in self.forms if number not in first], False)
        for (kind, about, _, _), number in self.conditions.items():
            if kind == CHOICE:
                self.moves += [Move(-1, each, [number]) for each in self.choices[about]]

    def _add_gains(self, numbers: Sequence[int], regress: bool) -> None:
        by_fluent: dict[int, list[int]] = {}
        for number in numbers:
            for fluent in self.forms[number].fluents:
                by_fluent.setdefault(fluent, []).append(number)
        for move in [each for each in self.moves if each.changes]:
            touched = (number for change in move.changes for number in by_fluent.get(change.index, ()))
            for number in dict.fromkeys(touched):
                self._add_gain(move, number, regress)

    def _add_gain(self, move: Move, number: int, regress: bool) -> None:
        """Note what a move does to an expression; where that depends on the state, also what must hold before."""
        form = self.forms[number]
        ground = form.aims[0][1]
        by = Operation("-", (after_changes(ground, move.changes), ground))
        known = linear(by)
        once = any(each.operator not in ADDITIVE for each in move.changes if each.index in form.fluents)
        constant = known is not None and not known.weights
        if constant and not once:
            if known is not None and known.constant > 0:
                move.gains.append((number, self.expression(by, form.factor), False))
            return
        self.simple = False
        move.gains.append((number, self.expression(by, form.factor), once))
        if not regress or self.regressed > MOST_REGRESSED:
            return
        for condition, aim, strict in tuple(form.aims):
            before = after_changes(aim, move.changes)
            if linear(before) is not None:
                self._add_regressed(move, before, strict, [condition])
        if not once and known is not None:
            enough = Operation("-", (by, Constant(1)))
            gains = [(number, self.expression(Constant(1), form.factor), False)]
            self._add_regressed(move, enough, False, [], gains)

    def _add_regressed(
        self,
        move: Move,
        before: Ground,
        strict: bool,
        makes: Sequence[int],
        gains: Sequence[tuple[int, int, bool]] = (),
    ) -> None:
        form = linear(before)
        assert form is not None
        if form.weights:
            self.regressed += 1
            needs = (*move.needs, self._bound(before, strict))
        elif form.constant > 0 or (form.constant == 0 and not strict):
            needs = tuple(move.needs)
        else:
            return
        self.moves.append(Move(move.operator, tuple(dict.fromkeys(needs)), makes, (), list(gains)))


def after_changes(ground: Ground, changes: Sequence[FluentChange]) -> Ground:
    """Return an expression with the values after changes put in."""
    if isinstance(ground, Constant):
        return ground
    if isinstance(ground, Operation):
        return Operation(ground.operator, tuple(after_changes(each, changes) for each in ground.operands))
    found: Ground = ground
    for change in changes:
        if change.index != ground.index:
            continue
        if change.operator == "assign":
            found = change.amount
        else:
            operator = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}[change.operator]
            found = Operation(operator, (found, change.amount))
    return found
