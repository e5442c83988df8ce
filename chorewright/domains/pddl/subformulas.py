"""The parts of a formula: its subformulas, and its atoms with their signs; the costs in an effect."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.pddl.syntax import (
    And,
    AndEffect,
    AtLeast,
    Atom,
    Effect,
    Equals,
    Exists,
    Forall,
    ForallEffect,
    Formula,
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
        case Atom() | Equals():
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
        case Equals():
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
            case Forall(variables=bound) | Exists(variables=bound) | AtLeast(variables=bound):
                found.update(typed.name for typed in bound)
            case _:
                pass
    return frozenset(found)


def increases_of(effect: Effect) -> Iterator[IncreaseCost]:
    """Yield the increases of functions that an effect consists of."""
    match effect:
        case IncreaseCost():
            yield effect
        case AndEffect(effects):
            for part in effects:
                yield from increases_of(part)
        case ForallEffect(_, inner) | WhenEffect(_, inner):
            yield from increases_of(inner)
        case _:
            return
