"""Which actions must not take place at the same time: PDDL 2.1's rule of no moving targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from chorewright.domains.arithmetic import Reader, change_number, read_number
from chorewright.domains.facts import Facts, Fluent, Number, Universe, number_text, value_atom
from chorewright.domains.pddl.subformulas import function_terms, numbers_in
from chorewright.domains.pddl.syntax import (
    And,
    AndEffect,
    AtLeast,
    Atom,
    ChangeNumber,
    Comparison,
    Effect,
    Exists,
    Forall,
    ForallEffect,
    Formula,
    GroundAtom,
    Imply,
    IncreaseCost,
    Not,
    Or,
    Typed,
    WhenEffect,
)


@dataclass(slots=True)
class Footprint:
    """What an action reads and changes.

    ``reads`` are atoms of conditions, and fluents of conditions and amounts; ``changed`` are fluents with whether
    the changes only add to them.
    """

    reads: set[GroundAtom] = field(default_factory=set)
    values: set[Fluent] = field(default_factory=set)
    added: set[GroundAtom] = field(default_factory=set)
    deleted: set[GroundAtom] = field(default_factory=set)
    changed: dict[Fluent, bool] = field(default_factory=dict)

    def read(self, formula: Formula, universe: Universe, binding: Mapping[str, str]) -> None:
        """Add what a condition reads."""
        for is_value, name in read_by(formula, universe, dict(binding)):
            (self.values if is_value else self.reads).add(name)

    def read_effect(self, effect: Effect, universe: Universe, env: dict[str, str]) -> None:
        """Add what the conditions and amounts of an effect read."""
        match effect:
            case AndEffect(effects):
                for inner in effects:
                    self.read_effect(inner, universe, env)
            case ForallEffect(variables, inner):
                for found in bindings(variables, universe):
                    self.read_effect(inner, universe, {**env, **found})
            case WhenEffect(condition, inner):
                self.read(condition, universe, env)
                self.read_effect(inner, universe, env)
            case IncreaseCost(amount=amount) | ChangeNumber(amount=amount):
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


def read_by(formula: Formula, universe: Universe, env: dict[str, str]) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield the ground atoms that a formula mentions (False) and the fluents that it reads (True)."""
    match formula:
        case Atom(predicate, terms):
            yield False, (predicate, *[env.get(term, term) for term in terms])
        case Comparison():
            for read in numbers_in(formula):
                yield True, (read.function, *[env.get(term, term) for term in read.terms])
        case Not(operand):
            yield from read_by(operand, universe, env)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from read_by(operand, universe, env)
        case Imply(antecedent, consequent):
            yield from read_by(antecedent, universe, env)
            yield from read_by(consequent, universe, env)
        case Forall(variables, body) | Exists(variables, body) | AtLeast(_, variables, body):
            for inner in bindings(variables, universe):
                yield from read_by(body, universe, {**env, **inner})
        case _:
            return


def bindings(variables: tuple[Typed, ...], universe: Universe) -> Iterator[dict[str, str]]:
    """Yield all values of variables."""
    names = [variable.name for variable in variables]
    for values in product(*(universe.members(variable.types) for variable in variables)):
        yield dict(zip(names, values, strict=True))


__all__ = ["Footprint", "bindings", "read_by"]


# What the effects of one step do to numbers: all amounts are read before, then every fluent changes once.


ADDITIVE = ("increase", "decrease")
SCALING = ("scale-up", "scale-down")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A numeric effect made ready to be run often."""

    operator: str
    function: str
    terms: tuple[str, ...]
    amount: Reader

    @classmethod
    def of(cls, effect: ChangeNumber | IncreaseCost) -> NumberChange:
        """Prepare an effect."""
        if isinstance(effect, IncreaseCost):
            return cls("increase", effect.function, effect.terms, read_number(effect.amount))
        return cls(effect.operator, effect.target.function, effect.target.terms, read_number(effect.amount))


@dataclass(slots=True)
class NumberChanges:
    """The changes of numbers that take place at the same time, by fluent: the operators with their amounts."""

    found: dict[Fluent, list[tuple[str, Number | None]]] = field(default_factory=dict)

    def add(self, change: NumberChange, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> None:
        """Add a change; its amount is read now."""
        fluent = (change.function, *[binding.get(each, each) for each in change.terms])
        amount = change.amount(facts, universe, binding)
        self.found.setdefault(fluent, []).append((change.operator, amount))

    def after(self, fluent: Fluent, before: Number | None) -> Number | None:
        """Return the value of a fluent afterwards; None if it cannot be said (see ``problem``)."""
        changes = self.found[fluent]
        if not self._agree(fluent):
            return None
        value = before
        for operator, amount in changes:
            value = change_number(operator, value, amount)
        return value

    def _agree(self, fluent: Fluent) -> bool:
        changes = self.found[fluent]
        operators = {operator for operator, _ in changes}
        if operators == {"assign"}:
            return len({amount for _, amount in changes}) == 1
        return operators <= set(ADDITIVE) or operators <= set(SCALING)

    def additive(self) -> dict[Fluent, bool]:
        """Return the fluents that change, each with whether it is only added to."""
        return {fluent: all(operator in ADDITIVE for operator, _ in changes) for fluent, changes in self.found.items()}

    def merge(self, other: NumberChanges) -> None:
        """Add all changes of another."""
        for fluent, changes in other.found.items():
            self.found.setdefault(fluent, []).extend(changes)

    def problem(self, facts: Facts) -> tuple[bool, str] | None:
        """Say what is wrong with the changes, and whether it is that they conflict; None if they can be made."""
        for fluent in self.found:
            shown = f"({' '.join(fluent)})"
            if not self._agree(fluent):
                return True, f"its effects on {shown} conflict"
            if self.after(fluent, facts.numbers.get(fluent)) is None:
                return False, f"its effect on {shown} reads a value that is not defined, or divides by 0"
        return None

    def atoms(self, facts: Facts) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return the atoms of values that the changes delete and add."""
        deleted: set[GroundAtom] = set()
        added: set[GroundAtom] = set()
        for fluent in self.found:
            before = facts.numbers.get(fluent)
            after = self.after(fluent, before)
            if after is None or after == before:
                continue
            if before is not None:
                deleted.add(("=", *fluent, number_text(before)))
            added.add(value_atom(fluent, after))
        return deleted, added
