"""Support: the literals that make a formula true in a state, for one choice of its witnesses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import TypeAlias

from chorewright.domains.evaluation import Binding, holds, satisfying
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Equals,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Typed,
)
from chorewright.domains.universe import Universe

GroundLiteral: TypeAlias = tuple[GroundAtom, bool]
"""An atom, and whether it is true."""


def support(
    formula: Formula, facts: Facts, universe: Universe, binding: Binding | None = None
) -> tuple[GroundLiteral, ...]:
    """Return literals that hold in a state and from which the formula follows, each once.

    Of disjuncts and witnesses that hold, the first is taken. Equalities need no literal.

    Args:
        formula: A formula that is true in the state.
        binding: The values of its free variables.
    """
    return tuple(dict.fromkeys(_support(formula, True, facts, universe, dict(binding or {}))))


def _support(
    formula: Formula, wanted: bool, facts: Facts, universe: Universe, binding: dict[str, str]
) -> Iterator[GroundLiteral]:
    """The literals for which a formula is ``wanted``, which it is."""

    def of(part: Formula, value: bool = wanted, more: Binding | None = None) -> Iterator[GroundLiteral]:
        return _support(part, value, facts, universe, {**binding, **(more or {})})

    def is_so(part: Formula, value: bool = wanted, more: Binding | None = None) -> bool:
        return holds(part, facts, universe, {**binding, **(more or {})}) == value

    match formula:
        case Atom(predicate, terms):
            yield (predicate, *(binding.get(term, term) for term in terms)), wanted
        case Equals():
            return
        case Not(operand):
            yield from of(operand, not wanted)
        case Imply(antecedent, consequent):
            yield from of(Or((Not(antecedent), consequent)))
        case And(operands) | Or(operands):
            if isinstance(formula, And) == wanted:
                for operand in operands:
                    yield from of(operand)
            else:
                yield from of(next(operand for operand in operands if is_so(operand)))
        case Forall(variables, body) | Exists(variables, body):
            values = _bindings(variables, universe)
            if isinstance(formula, Forall) == wanted:
                for each in values:
                    yield from of(body, more=each)
            elif wanted:
                yield from of(body, more=next(satisfying(formula, facts, universe, binding)))
            else:
                yield from of(body, more=next(each for each in values if is_so(body, more=each)))
        case AtLeast(count, variables, body):
            same = (each for each in _bindings(variables, universe) if is_so(body, more=each))
            for each in islice(same, count) if wanted else same:
                yield from of(body, more=each)


def _bindings(variables: tuple[Typed, ...], universe: Universe) -> Iterator[Binding]:
    names = [variable.name for variable in variables]
    for values in product(*(universe.members(variable.types) for variable in variables)):
        yield dict(zip(names, values, strict=True))
