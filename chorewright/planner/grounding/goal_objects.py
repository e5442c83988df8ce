"""Objects that searches for a goal must keep: all that the goal speaks of, in any of the start states."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Domain,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    Problem,
    State,
)
from chorewright.planner.grounding.goal_atoms import GoalAtoms, constants
from chorewright.planner.grounding.normal_form import Normalizer, atoms_changed
from chorewright.planner.grounding.numbering import Numbered
from chorewright.planner.grounding.type_sets import TypeSets, subtype_closure

_MOST_LITERALS = 20_000


def goal_objects(domain: Domain, problem: Problem, common: State, states: Sequence[State]) -> frozenset[str] | None:
    """Return the objects in the literals that the goal may need.

    Args:
        domain: The domain.
        problem: The problem.
        common: The atoms that all states share.
        states: The states from which the goal is to be reached.

    Returns:
        The objects' names; None if there are too many literals to look at.
    """
    added, deleted = atoms_changed(domain)
    derived = {axiom.head.name for axiom in domain.axioms}
    varying = {atom[0] for state in states for atom in state - common}
    names = {p.name for p in domain.predicates}
    walker = GoalAtoms(
        common,
        frozenset(names - added - deleted - derived - varying),
        Numbered.of(domain, problem).objects,
        TypeSets((), subtype_closure(domain.types)),
    )
    goal = Normalizer().formula(problem.goal)
    kept = set(constants(goal))
    for number, (atom, _) in enumerate(walker.literals(goal, {})):
        if number == _MOST_LITERALS:
            return None
        kept.update(atom[1:])
    return frozenset(kept)


def speaks_of_all(domain: Domain) -> bool:
    """Whether a condition of an action or axiom quantifies universally.

    Then objects that are left out could spoil a plan.
    """
    normalizer = Normalizer()
    conditions: list[Formula] = []
    for action in domain.actions:
        normal = normalizer.action(action)
        if normal is not None:
            conditions += [normal.precondition, *(effect.condition for effect in normal.effects)]
    for axiom in domain.axioms:
        conditions += [normalizer.formula(axiom.body), normalizer.formula(axiom.body, negate=True)]
    while conditions:
        match conditions.pop():
            case Forall() | Not(AtLeast()):
                return True
            case And(operands) | Or(operands):
                conditions.extend(operands)
            case Exists(_, body) | AtLeast(_, _, body):
                conditions.append(body)
    return False


__all__ = ["goal_objects", "speaks_of_all"]
