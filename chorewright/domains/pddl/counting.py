"""``at-least`` in plain PDDL: that many witnesses, pairwise different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from chorewright.domains.pddl.subformulas import variables_in
from chorewright.domains.pddl.syntax import (
    And,
    Arithmetic,
    AtLeast,
    Atom,
    Comparison,
    Equals,
    Exists,
    Expression,
    Forall,
    Formula,
    FunctionTerm,
    Imply,
    Not,
    Or,
    Typed,
)
from chorewright.errors import LimitError

MAX_EXPANDED = 64
"""The largest count of ``at-least`` that is expanded: its inequalities grow with the square."""

MAX_COPIES = 4096
"""The largest number of copies that nested ``at-least`` make of a condition: the product of their counts."""


def expanded(formula: Formula) -> Formula:
    """The formula without ``at-least``: ``exists`` over copies of its variables that differ pairwise.

    Copy ``k`` of ``?x`` is ``?x_k``, or ``?x_k_`` and so on where that name occurs already.

    Raises:
        LimitError: a count is above ``MAX_EXPANDED``, or nested ones copy more than ``MAX_COPIES`` times.
    """
    if (copies := _copies(formula)) > MAX_COPIES:
        raise LimitError(f"nested at-least would copy a condition {copies} times; the limit is {MAX_COPIES}")
    return _plain(formula)


def _copies(formula: Formula) -> int:
    """How many copies of a condition the expansion of a formula makes at most."""
    match formula:
        case Not(operand):
            return _copies(operand)
        case And(operands) | Or(operands):
            return max(map(_copies, operands), default=1)
        case Imply(antecedent, consequent):
            return max(_copies(antecedent), _copies(consequent))
        case Forall(_, body) | Exists(_, body):
            return _copies(body)
        case AtLeast(count, _, body):
            return max(count, 1) * _copies(body)
        case _:
            return 1


def _plain(formula: Formula) -> Formula:
    match formula:
        case Not(operand):
            return Not(_plain(operand))
        case And(operands):
            return And(tuple(map(_plain, operands)))
        case Or(operands):
            return Or(tuple(map(_plain, operands)))
        case Imply(antecedent, consequent):
            return Imply(_plain(antecedent), _plain(consequent))
        case Forall(variables, body):
            return Forall(variables, _plain(body))
        case Exists(variables, body):
            return Exists(variables, _plain(body))
        case AtLeast(count, variables, body):
            return _expand(count, variables, _plain(body))
        case _:
            return formula


def _expand(count: int, variables: Sequence[Typed], body: Formula) -> Formula:
    if count == 0:
        return And(())
    if count == 1:
        return Exists(tuple(variables), body)
    if count > MAX_EXPANDED:
        raise LimitError(f"at-least {count} is too large to be expanded; the limit is {MAX_EXPANDED}")
    taken = {*variables_in(body), *(entry.name for entry in variables)}
    copies: list[dict[str, str]] = []
    for number in range(1, count + 1):
        copy: dict[str, str] = {}
        for entry in variables:
            name = f"{entry.name}_{number}"
            while name in taken:
                name += "_"
            taken.add(name)
            copy[entry.name] = name
        copies.append(copy)
    bound = tuple(Typed(copy[entry.name], entry.types) for copy in copies for entry in variables)
    different: list[Formula] = []
    for one, other in combinations(copies, 2):
        unequal = tuple(Not(Equals(one[entry.name], other[entry.name])) for entry in variables)
        different.append(unequal[0] if len(unequal) == 1 else Or(unequal))
    return Exists(bound, And((*different, *(rename(body, copy) for copy in copies))))


def rename_number(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with variables renamed."""
    match expression:
        case FunctionTerm(function, terms, position):
            return FunctionTerm(function, tuple(names.get(term, term) for term in terms), position)
        case Arithmetic(operator, operands):
            return Arithmetic(operator, tuple(rename_number(operand, names) for operand in operands))
        case _:
            return expression


def rename(formula: Formula, names: dict[str, str]) -> Formula:
    """The formula with free variables renamed to names that occur nowhere in it."""
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(names.get(term, term) for term in terms))
        case Equals(left, right):
            return Equals(names.get(left, left), names.get(right, right))
        case Comparison(operator, one, other, position):
            return Comparison(operator, rename_number(one, names), rename_number(other, names), position)
        case Not(operand):
            return Not(rename(operand, names))
        case And(operands):
            return And(tuple(rename(operand, names) for operand in operands))
        case Or(operands):
            return Or(tuple(rename(operand, names) for operand in operands))
        case Imply(antecedent, consequent):
            return Imply(rename(antecedent, names), rename(consequent, names))
    bound = {entry.name for entry in formula.variables}
    inner = rename(formula.body, {old: new for old, new in names.items() if old not in bound})
    if isinstance(formula, AtLeast):
        return AtLeast(formula.count, formula.variables, inner)
    return type(formula)(formula.variables, inner)
