"""Ground numeric expressions: their exact values in a state, their bounds over intervals, their linear forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from chorewright.domains.arithmetic import calculate
from chorewright.domains.facts import Fluent, Number, exact
from chorewright.domains.pddl.syntax import Expression, FunctionTerm

Values: TypeAlias = tuple["Number | None", ...]
"""The value of each fluent of a task; None where it is undefined."""

Interval: TypeAlias = tuple["Number | float", "Number | float"]
"""A lower and an upper bound, exact where they are finite."""

ANY: Interval = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Constant:
    value: Number


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a fluent of the task."""

    index: int


@dataclass(frozen=True, slots=True)
class Operation:
    operator: str
    operands: tuple[Ground, ...]


Ground: TypeAlias = Constant | Variable | Operation

Reader: TypeAlias = Callable[[Fluent], Ground | None]
"""Gives what stands for a fluent in a task; None if it is undefined for ever."""


def ground_expression(expression: Expression, binding: Mapping[str, str], reader: Reader) -> Ground | None:
    """Return an expression with objects put in and what never changes calculated; None if it is undefined for ever."""
    if isinstance(expression, FunctionTerm):
        return reader((expression.function, *[binding.get(term, term) for term in expression.terms]))
    if isinstance(expression, int | float):
        return Constant(exact(float(expression)))
    operands: list[Ground] = []
    for operand in expression.operands:
        found = ground_expression(operand, binding, reader)
        if found is None:
            return None
        operands.append(found)
    if all(isinstance(operand, Constant) for operand in operands):
        value = calculate(expression.operator, [each.value for each in operands if isinstance(each, Constant)])
        return None if value is None else Constant(value)
    return Operation(expression.operator, tuple(operands))


def variables_of(expression: Ground) -> Iterator[int]:
    """Yield the fluents that an expression reads."""
    if isinstance(expression, Variable):
        yield expression.index
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from variables_of(operand)


def divisors_of(expression: Ground) -> Iterator[Ground]:
    """Yield what an expression divides by."""
    if isinstance(expression, Operation):
        if expression.operator == "/":
            yield expression.operands[1]
        for operand in expression.operands:
            yield from divisors_of(operand)


def evaluate(expression: Ground, values: Sequence[Number | None]) -> Number | None:
    """Return the value of an expression; None if it is undefined."""
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Variable):
        return values[expression.index]
    return calculate(expression.operator, [evaluate(operand, values) for operand in expression.operands])


def bounds(expression: Ground, intervals: Sequence[Interval]) -> Interval:
    """Return bounds of an expression whose fluents are in intervals; they may be wider than needed."""
    if isinstance(expression, Constant):
        return expression.value, expression.value
    if isinstance(expression, Variable):
        return intervals[expression.index]
    parts = [bounds(operand, intervals) for operand in expression.operands]
    result = parts[0]
    if len(parts) == 1:
        return -result[1], -result[0]
    for part in parts[1:]:
        result = combine(expression.operator, result, part)
    return result


def combine(operator: str, one: Interval, other: Interval) -> Interval:
    """Return bounds of the sum, difference, product or quotient of what is in two intervals."""
    if operator == "+":
        return one[0] + other[0], one[1] + other[1]
    if operator == "-":
        return one[0] - other[1], one[1] - other[0]
    if operator == "/":
        if other[0] <= 0 <= other[1]:
            return ANY
        other = (_inverse(other[1]), _inverse(other[0]))
    products = [0 if 0 in (a, b) else a * b for a in one for b in other]
    return min(products), max(products)


def _inverse(value: Number | float) -> Number | float:
    return 0 if isinstance(value, float) and math.isinf(value) else Fraction(1) / value


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of fluents and a constant."""

    weights: tuple[tuple[int, Number], ...]
    constant: Number

    def value(self, values: Sequence[Number | None]) -> Number | None:
        """Return the sum; None if a fluent is undefined."""
        total = self.constant
        for index, weight in self.weights:
            value = values[index]
            if value is None:
                return None
            total += weight * value
        return total


def linear(expression: Ground) -> Linear | None:
    """Return the linear form of an expression; None if it has none."""
    found = _linear(expression)
    if found is None:
        return None
    weights, constant = found
    return Linear(tuple((index, weight) for index, weight in sorted(weights.items()) if weight != 0), constant)


def _linear(expression: Ground) -> tuple[dict[int, Number], Number] | None:
    if isinstance(expression, Constant):
        return {}, expression.value
    if isinstance(expression, Variable):
        return {expression.index: 1}, 0
    parts = [_linear(operand) for operand in expression.operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    weights, constant = known[0]
    if len(known) == 1:
        return {index: -weight for index, weight in weights.items()}, -constant
    for more, offset in known[1:]:
        if expression.operator in "+-":
            sign = 1 if expression.operator == "+" else -1
            weights = {
                index: weights.get(index, 0) + sign * more.get(index, 0) for index in dict.fromkeys([*weights, *more])
            }
            constant += sign * offset
        elif not more and (expression.operator == "*" or offset != 0):
            factor = offset if expression.operator == "*" else Fraction(1) / offset
            weights, constant = {index: weight * factor for index, weight in weights.items()}, constant * factor
        elif not weights and expression.operator == "*":
            weights, constant = {index: weight * constant for index, weight in more.items()}, constant * offset
        else:
            return None
    return weights, constant
