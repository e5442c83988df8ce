"""What the effects of one step do to numbers: all amounts are read before, then every fluent changes once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chorewright.domains.arithmetic import Reader, changed_number, read_number
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.syntax import ChangeNumber, GroundAtom, IncreaseCost
from chorewright.domains.universe import Universe
from chorewright.domains.values import Fluent, Number, number_text, value_atom

ADDITIVE = ("increase", "decrease")
SCALING = ("scale-up", "scale-down")


@dataclass(frozen=True, slots=True)
class Change:
    """A numeric effect made ready to be run often."""

    operator: str
    function: str
    terms: tuple[str, ...]
    amount: Reader

    @classmethod
    def of(cls, effect: ChangeNumber | IncreaseCost) -> Change:
        """Prepare an effect."""
        if isinstance(effect, IncreaseCost):
            return cls("increase", effect.function, effect.terms, read_number(effect.amount))
        return cls(effect.operator, effect.target.function, effect.target.terms, read_number(effect.amount))


@dataclass(slots=True)
class NumberChanges:
    """The changes of numbers that take place at the same time, by fluent: the operators with their amounts."""

    found: dict[Fluent, list[tuple[str, Number | None]]] = field(default_factory=dict)

    def add(self, change: Change, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> None:
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
            value = changed_number(operator, value, amount)
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
