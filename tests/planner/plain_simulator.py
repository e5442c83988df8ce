"""A second validator, for tests: PDDL's definitions read literally, sharing no code with ours.

Quantifiers run over all objects, types are looked up in the declared tree, and no state is ever indexed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from chorewright.domains.pddl import syntax as s
from chorewright.planner.plan import GroundAction

Binding = dict[str, str]
Facts = set[tuple[str, ...]]


@dataclass
class PlainSimulator:
    """Runs plans for one domain and problem."""

    domain: s.Domain
    problem: s.Problem

    def __post_init__(self) -> None:
        self.parents = {t.name: t.types for t in self.domain.types}
        self.objects = {o.name: o.types for o in (*self.domain.constants, *self.problem.objects)}
        self.costs = {(v.function, *v.objects): v.value for v in self.problem.values}

    def below(self, name: str, wanted: str) -> bool:
        """Whether a type is another or below it."""
        if wanted in (name, "object"):
            return True
        return any(self.below(parent, wanted) for parent in self.parents.get(name, ()) if parent != name)

    def fits(self, thing: str, types: Sequence[str]) -> bool:
        """Whether an object is of one of the types."""
        return any(self.below(own, wanted) for own in self.objects[thing] for wanted in types)

    def bindings(self, variables: Sequence[s.Typed], outer: Binding) -> Iterator[Binding]:
        """All ways to bind the variables."""
        choices = [[o for o in self.objects if self.fits(o, v.types)] for v in variables]
        for values in product(*choices):
            yield {**outer, **dict(zip((v.name for v in variables), values, strict=True))}

    def true(self, formula: s.Formula, state: Facts, b: Binding, negated: Facts | None = None) -> bool:
        """Whether a formula holds; what is negated may be looked up in facts of its own."""
        other = state if negated is None else negated
        if isinstance(formula, s.Atom):
            return (formula.predicate, *(b.get(t, t) for t in formula.terms)) in state
        if isinstance(formula, s.Equals):
            return b.get(formula.left, formula.left) == b.get(formula.right, formula.right)
        if isinstance(formula, s.Not):
            return not self.true(formula.operand, other, b, state)
        if isinstance(formula, s.And):
            return all(self.true(part, state, b, other) for part in formula.operands)
        if isinstance(formula, s.Or):
            return any(self.true(part, state, b, other) for part in formula.operands)
        if isinstance(formula, s.Imply):
            met = self.true(formula.antecedent, other, b, state)
            return not met or self.true(formula.consequent, state, b, other)
        found = (self.true(formula.body, state, inner, other) for inner in self.bindings(formula.variables, b))
        if isinstance(formula, s.Forall):
            return all(found)
        if isinstance(formula, s.Exists):
            return any(found)
        return sum(found) >= formula.count

    def fire(self, effect: s.Effect, state: Facts, b: Binding) -> Iterator[tuple[bool, tuple[str, ...]]]:
        """(adds or deletes, atom) of an effect; raises KeyError if a cost has no value."""
        if isinstance(effect, (s.AddEffect, s.DeleteEffect)):
            atom = (effect.atom.predicate, *(b.get(t, t) for t in effect.atom.terms))
            yield isinstance(effect, s.AddEffect), atom
        elif isinstance(effect, s.AndEffect):
            for part in effect.effects:
                yield from self.fire(part, state, b)
        elif isinstance(effect, s.ForallEffect):
            for inner in self.bindings(effect.variables, b):
                yield from self.fire(effect.effect, state, inner)
        elif isinstance(effect, s.WhenEffect):
            if self.true(effect.condition, state, b):
                yield from self.fire(effect.effect, state, b)
        elif isinstance(effect.amount, s.FunctionTerm) and self.problem.minimize_cost:
            self.costs[(effect.amount.function, *(b.get(t, t) for t in effect.amount.terms))]

    def close(self, state: Facts) -> Facts:
        """Derive the derived atoms anew, as the alternating fixpoint: no strata are ever computed.

        With negation read off a lower bound too much is derived, with negation read off that too little.
        """
        heads = {axiom.head.name for axiom in self.domain.axioms}
        least = base = {atom for atom in state if atom[0] not in heads}
        while True:
            most = self.derive(base, least)
            grown = self.derive(base, most)
            if grown == least:
                assert most == least, "a derived predicate depends on its own negation"
                return least
            least = grown

    def derive(self, base: Facts, negated: Facts) -> Facts:
        """The atoms that the axioms give when what is negated is looked up in fixed facts."""
        state = set(base)
        grown = bool(self.domain.axioms)
        while grown:
            size = len(state)
            for axiom in self.domain.axioms:
                for b in self.bindings(axiom.head.parameters, {}):
                    if self.true(axiom.body, state, b, negated):
                        state.add((axiom.head.name, *(b[p.name] for p in axiom.head.parameters)))
            grown = len(state) > size
        return state

    def valid(self, plan: Sequence[GroundAction]) -> bool:
        """Whether a plan can be run and reaches the goal."""
        state = self.close(set(self.problem.init))
        for step in plan:
            schema = next((a for a in self.domain.actions if a.name == step.name), None)
            if schema is None or len(schema.parameters) != len(step.arguments):
                return False
            if any(name not in self.objects for name in step.arguments):
                return False
            pairs = list(zip(schema.parameters, step.arguments, strict=True))
            if not all(self.fits(name, parameter.types) for parameter, name in pairs):
                return False
            b = {parameter.name: name for parameter, name in pairs}
            if not self.true(schema.precondition, state, b):
                return False
            try:
                fired = list(self.fire(schema.effect, state, b))
            except KeyError:
                return False
            state = state - {atom for adds, atom in fired if not adds}
            state = self.close(state | {atom for adds, atom in fired if adds})
        return self.true(self.problem.goal, state, {})
