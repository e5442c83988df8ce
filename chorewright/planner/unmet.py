"""What of a condition does not hold: its smallest parts, as PDDL text for a reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chorewright.domains.formulas import Facts, Universe, holds, satisfying, substitute
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Comparison,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Typed,
)
from chorewright.domains.pddl.writer import write_formula


def unmet(formula: Formula, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts that ``unmet_parts`` yields, as PDDL text."""
    return map(condition_text, unmet_parts(formula, facts, universe, binding))


def unmet_parts(formula: Formula, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> Iterator[Formula]:
    """Yield the smallest parts of a formula that do not hold, with objects put in.

    Args:
        formula: The formula.
        facts: The state, derived atoms included.
        universe: The objects.
        binding: The objects of its free variables.
    """
    if holds(formula, facts, universe, binding):
        return
    match formula:
        case And(operands):
            for operand in operands:
                yield from unmet_parts(operand, facts, universe, binding)
        case Forall(variables, body):
            outer = {n: v for n, v in binding.items() if all(x.name != n for x in variables)}
            for found in satisfying(Exists(variables, Not(body)), facts, universe, outer):
                yield from unmet_parts(body, facts, universe, {**binding, **found})
                return
        case Imply(_, consequent):
            yield from unmet_parts(consequent, facts, universe, binding)
        case Not(Not(operand)):
            yield from unmet_parts(operand, facts, universe, binding)
        case Not(Or(operands)):
            for operand in operands:
                yield from unmet_parts(Not(operand), facts, universe, binding)
        case Not(Exists(variables, body)):
            yield from unmet_parts(Forall(variables, Not(body)), facts, universe, binding)
        case _:
            yield substitute(formula, dict(binding))


def condition_text(formula: Formula) -> str:
    """A formula as PDDL text on one line."""
    match formula:
        case Atom(predicate, terms):
            return f"({' '.join((predicate, *terms))})"
        case Equals(left, right):
            return f"(= {left} {right})"
        case Comparison():
            return write_formula(formula)
        case Not(operand):
            return f"(not {condition_text(operand)})"
        case And(operands):
            return f"({' '.join(('and', *map(condition_text, operands)))})"
        case Or(operands):
            return f"({' '.join(('or', *map(condition_text, operands)))})"
        case Imply(antecedent, consequent):
            return f"(imply {condition_text(antecedent)} {condition_text(consequent)})"
        case Forall(variables, body):
            return f"(forall ({_write_types(variables)}) {condition_text(body)})"
        case Exists(variables, body):
            return f"(exists ({_write_types(variables)}) {condition_text(body)})"
        case AtLeast(count, variables, body):
            return f"(at-least {count} ({_write_types(variables)}) {condition_text(body)})"


def _write_types(variables: Sequence[Typed]) -> str:
    parts = []
    for variable in variables:
        types = variable.types[0] if len(variable.types) == 1 else f"(either {' '.join(variable.types)})"
        parts.append(f"{variable.name} - {types}")
    return " ".join(parts)


__all__ = ["condition_text", "unmet", "unmet_parts"]
