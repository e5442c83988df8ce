"""Numbers in English: values of functions, comparisons, and expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chorewright.domains.facts import exact, number_text
from chorewright.domains.pddl.syntax import Comparison, Expression, FunctionTerm
from chorewright.files.english import listed
from chorewright.rsa.words.guesses import words_of

Call = Callable[[str], str]
"""Gives what an object or a variable is called."""

_RELATIONS = {
    "<": ("is less than", "is not less than"),
    "<=": ("is at most", "is more than"),
    "=": ("is", "is not"),
    ">=": ("is at least", "is less than"),
    ">": ("is more than", "is not more than"),
}
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


def say_value(function: str, names: Sequence[str], number: str, affirmed: bool = True) -> str:
    """Return that a function has a value: *the fuel of the van is 3*."""
    return f"{_function(function, names)} is {'' if affirmed else 'not '}{number}"


def say_comparison(comparison: Comparison, call: Call, affirmed: bool = True) -> str:
    """Return a comparison as a clause: *the fuel of the van is at least 3*."""
    relation = _RELATIONS[comparison.operator][0 if affirmed else 1]
    return f"{say_expression(comparison.left, call)} {relation} {say_expression(comparison.right, call)}"


def say_expression(expression: Expression, call: Call) -> str:
    """Return an expression: *the load of the van plus 2*."""
    if isinstance(expression, FunctionTerm):
        return _function(expression.function, [call(term) for term in expression.terms])
    if isinstance(expression, int | float):
        return number_text(exact(float(expression)))
    parts = [say_expression(operand, call) for operand in expression.operands]
    return f"minus {parts[0]}" if len(parts) == 1 else f" {_SIGNS[expression.operator]} ".join(parts)


def _function(function: str, names: Sequence[str]) -> str:
    return f"the {words_of(function)}" + (f" of {listed(list(names))}" if names else "")
