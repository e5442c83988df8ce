"""BDDL's conditions as first-order formulas: what they mean, and what the planner is given.

* A quantifier ranges over the objects declared with exactly its synset, so its variable's type is that synset.
* ``forn`` is exact: at least n, and not at least n + 1.
* ``forpairs`` is no matching. With L the smaller number of objects, at least L of the first have some partner that
  satisfies the body, and at least L of the second have one; a thing is not its own partner. ``fornpairs`` says n for L.
"""

from __future__ import annotations

from collections.abc import Callable

from chorewright.domains.behavior.names import pddl_name
from chorewright.domains.behavior.syntax import Activity, Condition, Connective, Quantified
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Typed,
)

AtomRewriter = Callable[[Atom], Formula]
"""What an atom, in PDDL's names, becomes in the domain that is planned in."""


def _same(atom: Atom) -> Formula:
    return atom


def lower_condition(condition: Condition, activity: Activity, rewrite: AtomRewriter = _same) -> Formula:
    """Return a condition of an activity as a formula over PDDL names (``names.pddl_name``).

    Args:
        condition: The goal, or a part of it without free variables.
        activity: Whose objects the quantifiers range over.
        rewrite: Puts a domain's own formula in place of an atom.
    """
    return _lower(condition, activity, rewrite, frozenset())


def _lower(condition: Condition, activity: Activity, rewrite: AtomRewriter, bound: frozenset[str]) -> Formula:
    match condition:
        case Atom(predicate, terms):
            return rewrite(Atom(predicate, tuple(_term(each, bound) for each in terms)))
        case Connective("and", operands):
            return And(tuple(_lower(each, activity, rewrite, bound) for each in operands))
        case Connective("or", operands):
            return Or(tuple(_lower(each, activity, rewrite, bound) for each in operands))
        case Connective("not", (operand,)):
            return Not(_lower(operand, activity, rewrite, bound))
        case Connective("imply", (first, second)):
            return Imply(_lower(first, activity, rewrite, bound), _lower(second, activity, rewrite, bound))
        case Quantified():
            return _quantified(condition, activity, rewrite, bound)
    raise ValueError(f"not a condition: {condition!r}")


def _quantified(condition: Quantified, activity: Activity, rewrite: AtomRewriter, bound: frozenset[str]) -> Formula:
    inner = bound | {each.name for each in condition.variables}
    body = _lower(condition.body, activity, rewrite, inner)
    variables = tuple(Typed(pddl_name(each.name), (pddl_name(each.types[0]),)) for each in condition.variables)
    count = condition.count or 0
    if condition.word == "forall":
        return Forall(variables, body)
    if condition.word == "exists":
        return Exists(variables, body)
    if condition.word == "forn":
        return And((_at_least(count, variables[0], body), Not(AtLeast(count + 1, variables, body))))
    if condition.word == "forpairs":
        count = min(len(activity.instances(each.types[0])) for each in condition.variables)
    first, second = variables
    paired = And((Not(Equals(first.name, second.name)), body))
    return And(
        (
            _at_least(count, first, Exists((second,), paired)),
            _at_least(count, second, Exists((first,), paired)),
        )
    )


def _at_least(count: int, variable: Typed, body: Formula) -> Formula:
    return AtLeast(count, (variable,), body) if count else And(())


def _term(term: str, bound: frozenset[str]) -> str:
    return pddl_name(term) if term in bound else pddl_name(term.removeprefix("?"))
