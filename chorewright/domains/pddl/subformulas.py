"""The parts of a formula, its atoms with their signs, its numbers; the parts of an effect."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.pddl.syntax import (
    AddEffect,
    And,
    AndEffect,
    Arithmetic,
    AtLeast,
    Atom,
    ChangeNumber,
    Comparison,
    DeleteEffect,
    Effect,
    Equals,
    Exists,
    Expression,
    Forall,
    ForallEffect,
    Formula,
    FunctionTerm,
    Imply,
    IncreaseCost,
    Not,
    Or,
    WhenEffect,
)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and everything inside it, each before its parts, from left to right."""
    yield formula
    match formula:
        case Atom() | Equals() | Comparison():
            return
        case Not(operand):
            yield from subformulas(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from subformulas(operand)
        case Imply(antecedent, consequent):
            yield from subformulas(antecedent)
            yield from subformulas(consequent)
        case Forall(body=body) | Exists(body=body) | AtLeast(body=body):
            yield from subformulas(body)


def signed_atoms(formula: Formula, positive: bool = True) -> Iterator[tuple[Atom, bool]]:
    """Yield the atoms of a formula, each with whether it is under an even number of negations."""
    match formula:
        case Atom():
            yield formula, positive
        case Equals() | Comparison():
            return
        case Not(operand):
            yield from signed_atoms(operand, not positive)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from signed_atoms(operand, positive)
        case Imply(antecedent, consequent):
            yield from signed_atoms(antecedent, not positive)
            yield from signed_atoms(consequent, positive)
        case Forall(body=body) | Exists(body=body) | AtLeast(body=body):
            yield from signed_atoms(body, positive)


def variables_in(formula: Formula) -> frozenset[str]:
    """Return all variables that occur in a formula, bound or free."""
    found: set[str] = set()
    for part in subformulas(formula):
        match part:
            case Atom(terms=terms):
                found.update(term for term in terms if term.startswith("?"))
            case Equals(left, right):
                found.update(term for term in (left, right) if term.startswith("?"))
            case Comparison():
                found.update(term for each in numbers_in(part) for term in each.terms if term.startswith("?"))
            case Forall(variables=bound) | Exists(variables=bound) | AtLeast(variables=bound):
                found.update(typed.name for typed in bound)
            case _:
                pass
    return frozenset(found)


def function_terms(expression: Expression) -> Iterator[FunctionTerm]:
    """Yield the functions that an expression reads, from left to right."""
    if isinstance(expression, FunctionTerm):
        yield expression
    elif isinstance(expression, Arithmetic):
        for operand in expression.operands:
            yield from function_terms(operand)


def numbers_in(formula: Formula) -> Iterator[FunctionTerm]:
    """Yield the functions that the comparisons of a formula read."""
    for part in subformulas(formula):
        if isinstance(part, Comparison):
            yield from function_terms(part.left)
            yield from function_terms(part.right)


def simple_effects(effect: Effect) -> Iterator[AddEffect | DeleteEffect | IncreaseCost | ChangeNumber]:
    """Yield the parts of an effect that change one thing each, whatever they stand below."""
    match effect:
        case AndEffect(effects):
            for part in effects:
                yield from simple_effects(part)
        case ForallEffect(_, inner) | WhenEffect(_, inner):
            yield from simple_effects(inner)
        case _:
            yield effect


def conditions_in(effect: Effect) -> Iterator[Formula]:
    """Yield the conditions of the parts of an effect."""
    match effect:
        case AndEffect(effects):
            for part in effects:
                yield from conditions_in(part)
        case ForallEffect(_, inner):
            yield from conditions_in(inner)
        case WhenEffect(condition, inner):
            yield condition
            yield from conditions_in(inner)
        case _:
            return


def increases_of(effect: Effect) -> Iterator[IncreaseCost]:
    """Yield the increases of plain costs that an effect consists of."""
    return (part for part in simple_effects(effect) if isinstance(part, IncreaseCost))
