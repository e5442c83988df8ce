"""Which actions must not take place at the same time: PDDL 2.1's rule of no moving targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from chorewright.domains.facts import Fluent, Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import function_terms, numbers_in, parts


@dataclass(slots=True)
class Footprint:
    """What an action reads and changes.

    ``reads`` are atoms of conditions, and fluents of conditions and amounts; ``changed`` are fluents with whether
    the changes only add to them.
    """

    reads: set[syntax.GroundAtom] = field(default_factory=set)
    values: set[Fluent] = field(default_factory=set)
    added: set[syntax.GroundAtom] = field(default_factory=set)
    deleted: set[syntax.GroundAtom] = field(default_factory=set)
    changed: dict[Fluent, bool] = field(default_factory=dict)

    def read(self, formula: syntax.Formula, universe: Universe, binding: Mapping[str, str]) -> None:
        """Add what a condition reads."""
        for is_value, name in read_by(formula, universe, dict(binding)):
            (self.values if is_value else self.reads).add(name)

    def read_effect(self, effect: syntax.Effect, universe: Universe, env: dict[str, str]) -> None:
        """Add what the conditions and amounts of an effect read."""
        match effect:
            case syntax.AndEffect(effects):
                for inner in effects:
                    self.read_effect(inner, universe, env)
            case syntax.ForallEffect(variables, inner):
                for found in universe.bindings(variables):
                    self.read_effect(inner, universe, {**env, **found})
            case syntax.WhenEffect(condition, inner):
                self.read(condition, universe, env)
                self.read_effect(inner, universe, env)
            case syntax.IncreaseCost(amount=amount) | syntax.ChangeNumber(amount=amount):
                for read in function_terms(amount):
                    self.values.add((read.function, *[env.get(term, term) for term in read.terms]))
            case _:
                return

    def interferes(self, other: Footprint) -> str | None:
        """Return what two actions at the same time both touch, so that their order would matter; None if nothing."""
        for one, two in ((self, other), (other, self)):
            touched = sorted(one.reads & (two.added | two.deleted)) or sorted(one.added & two.deleted)
            touched = touched or sorted(one.values & two.changed.keys())
            if touched:
                return f"({' '.join(touched[0])})"
        for fluent, additive in sorted(self.changed.items()):
            if fluent in other.changed and not (additive and other.changed[fluent]):
                return f"({' '.join(fluent)})"
        return None


def read_by(formula: syntax.Formula, universe: Universe, env: dict[str, str]) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield the ground atoms that a formula mentions (False) and the fluents that it reads (True)."""
    match formula:
        case syntax.Atom(predicate, terms):
            yield False, (predicate, *[env.get(term, term) for term in terms])
        case syntax.Comparison():
            for read in numbers_in(formula):
                yield True, (read.function, *[env.get(term, term) for term in read.terms])
        case syntax.Forall(variables, body) | syntax.Exists(variables, body) | syntax.AtLeast(_, variables, body):
            for inner in universe.bindings(variables):
                yield from read_by(body, universe, {**env, **inner})
        case _:
            for part in parts(formula):
                yield from read_by(part, universe, env)
