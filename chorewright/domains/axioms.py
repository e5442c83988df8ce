"""Derived predicates: the stratified fixpoint of a domain's axioms over a state."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.evaluation import Facts, Universe, satisfying
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Domain,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    State,
)
from chorewright.errors import InputError, Location


def derive(domain: Domain, state: State, universe: Universe) -> State:
    """Return the state together with everything that the domain's axioms derive from it.

    Raises:
        InputError: A derived predicate depends on its own negation.
    """
    if not domain.axioms:
        return state
    levels = axiom_levels(domain)
    facts = Facts(state)
    for level in sorted(set(levels.values())):
        axioms = [axiom for axiom in domain.axioms if levels[axiom.head.name] == level]
        changed = True
        while changed:
            changed = False
            for axiom in axioms:
                names = [typed.name for typed in axiom.head.parameters]
                premise = Exists(axiom.head.parameters, axiom.body)
                found = [
                    (axiom.head.name, *(binding[name] for name in names))
                    for binding in satisfying(premise, facts, universe)
                ]
                changed |= facts.add(found)
    return frozenset(facts.atoms)


def axiom_levels(domain: Domain) -> dict[str, int]:
    """Return the stratum of each derived predicate: above all that it negates, not below what it uses.

    Raises:
        InputError: A derived predicate depends on its own negation.
    """
    levels = {axiom.head.name: 0 for axiom in domain.axioms}
    changed = True
    while changed:
        changed = False
        for axiom in domain.axioms:
            for predicate, positive in _occurrences(axiom.body, True):
                if predicate not in levels:
                    continue
                needed = levels[predicate] + (0 if positive else 1)
                if needed >= len(levels) + 1:
                    position = axiom.position
                    raise InputError(
                        f"derived predicate {axiom.head.name!r} depends on its own negation",
                        location=Location(
                            domain.path,
                            position.line if position else None,
                            position.column if position else None,
                        ),
                        hint="axioms must be stratified: break the cycle through 'not'",
                    )
                if levels[axiom.head.name] < needed:
                    levels[axiom.head.name] = needed
                    changed = True
    return levels


def _occurrences(formula: Formula, positive: bool) -> Iterator[tuple[str, bool]]:
    """Yield every predicate of a formula with the sign under which it occurs."""
    match formula:
        case Atom():
            yield formula.predicate, positive
        case Not(operand):
            yield from _occurrences(operand, not positive)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _occurrences(operand, positive)
        case Imply(antecedent, consequent):
            yield from _occurrences(antecedent, not positive)
            yield from _occurrences(consequent, positive)
        case Forall(body=body) | Exists(body=body) | AtLeast(body=body):
            yield from _occurrences(body, positive)
