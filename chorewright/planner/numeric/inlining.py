"""Derived predicates written out: each atom of one is replaced by the bodies of its axioms."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chorewright.domains.pddl.syntax import (
    And,
    AndEffect,
    AtLeast,
    Atom,
    Axiom,
    Domain,
    Effect,
    Exists,
    Forall,
    ForallEffect,
    Formula,
    Imply,
    Not,
    Or,
    Problem,
    WhenEffect,
)
from chorewright.domains.rewriting import substitute
from chorewright.errors import Location, UnsupportedError


def without_axioms(domain: Domain, problem: Problem) -> tuple[Domain, Problem]:
    """Return a task with the same plans that has no derived predicates.

    Raises:
        UnsupportedError: A derived predicate depends on itself.
    """
    if not domain.axioms:
        return domain, problem
    axioms: dict[str, list[Axiom]] = {}
    for axiom in domain.axioms:
        axioms.setdefault(axiom.head.name, []).append(axiom)
    inline = _Inlining(domain, axioms)
    actions = tuple(
        replace(each, precondition=inline.formula(each.precondition), effect=inline.effect(each.effect))
        for each in domain.actions
    )
    plain = tuple(each for each in domain.predicates if each.name not in axioms)
    written = replace(domain, predicates=plain, actions=actions, axioms=())
    return written, replace(problem, goal=inline.formula(problem.goal))


@dataclass(frozen=True, slots=True)
class _Inlining:
    """How a domain's derived predicates are replaced; ``within`` are those that are being written out."""

    domain: Domain
    axioms: dict[str, list[Axiom]]
    within: tuple[str, ...] = ()

    def formula(self, formula: Formula) -> Formula:
        match formula:
            case Atom(predicate) if predicate in self.axioms:
                return self._body(formula)
            case Not(operand):
                return Not(self.formula(operand))
            case And(operands):
                return And(tuple(map(self.formula, operands)))
            case Or(operands):
                return Or(tuple(map(self.formula, operands)))
            case Imply(antecedent, consequent):
                return Imply(self.formula(antecedent), self.formula(consequent))
            case Forall(body=body) | Exists(body=body) | AtLeast(body=body):
                return replace(formula, body=self.formula(body))
            case _:
                return formula

    def effect(self, effect: Effect) -> Effect:
        match effect:
            case AndEffect(effects):
                return AndEffect(tuple(map(self.effect, effects)))
            case ForallEffect(variables, inner):
                return ForallEffect(variables, self.effect(inner))
            case WhenEffect(condition, inner):
                return WhenEffect(self.formula(condition), self.effect(inner))
            case _:
                return effect

    def _body(self, atom: Atom) -> Formula:
        if atom.predicate in self.within:
            message = (
                f"the derived predicate '{atom.predicate}' depends on itself; search with numbers takes no such one"
            )
            position = self.axioms[atom.predicate][0].position
            line, column = (position.line, position.column) if position is not None else (None, None)
            where = Location(self.domain.path, line, column)
            raise UnsupportedError(message, location=where, hint="validate and play take it")
        deeper = _Inlining(self.domain, self.axioms, (*self.within, atom.predicate))
        bodies = []
        for axiom in self.axioms[atom.predicate]:
            names = (each.name for each in axiom.head.parameters)
            bodies.append(substitute(deeper.formula(axiom.body), dict(zip(names, atom.terms, strict=True))))
        return bodies[0] if len(bodies) == 1 else Or(tuple(bodies))
