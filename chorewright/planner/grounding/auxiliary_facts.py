"""Auxiliary facts: facts with rules of their own that stand for alternatives and for numbers of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.alternatives import NONE, Alternatives, merge


@dataclass(slots=True)
class AuxiliaryFacts:
    """Auxiliary facts and their rules.

    Attributes:
        first: The number of the first auxiliary fact.
        atom_strata: The stratum of each atom.
        derived: Marks of the atoms that are derived.
        strata: The stratum of each fact.
        heads: The fact that each rule derives.
        bodies: The literals that each rule needs.
    """

    first: int
    atom_strata: NDArray[np.int32]
    derived: NDArray[np.bool_]
    strata: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    bodies: list[tuple[int, ...]] = field(default_factory=list)

    def stratum(self, literal: int) -> int:
        """The stratum in which a literal's truth is known."""
        fact = literal >> 1
        own = fact >= self.first
        height = self.strata[fact - self.first] if own else int(self.atom_strata[fact])
        return height + 1 if literal & 1 and (own or self.derived[fact]) else height

    def new(self, stratum: int) -> int:
        """Make a fact in a stratum; returns its number."""
        self.strata.append(stratum)
        return self.first + len(self.strata) - 1

    def rule(self, head: int, body: Sequence[int]) -> None:
        """Let a fact follow from some literals."""
        self.heads.append(head)
        self.bodies.append(tuple(body))

    def at_least(self, count: int, options: Sequence[int]) -> list[tuple[int, ...]]:
        """Return alternatives for "at least ``count`` of the literals hold", counted by auxiliary facts if need be."""
        if count <= 0:
            return [()]
        if count > len(options):
            return []
        if count == len(options):
            return [tuple(options)]
        if count == 1:
            return [(literal,) for literal in options]
        stratum = max(self.stratum(literal) for literal in options)
        before: list[int] = [NONE]  # fact "at least j of the first i", NONE for j = 0
        for option in options:
            after = [NONE]
            for j in range(1, min(count, len(before)) + 1):
                fact = self.new(stratum)
                if j < len(before):
                    self.rule(fact, (2 * before[j],))
                self.rule(fact, (option,) if j == 1 else (2 * before[j - 1], option))
                after.append(fact)
            before = after
        return [(2 * before[count],)]

    def single(self, found: Alternatives, size: int, always: bool = False) -> Alternatives:
        """At most one alternative per row: where there are several, an auxiliary fact stands for them.

        With ``always``, alternatives of several literals are replaced, too, so that at most one column is
        left.

        Args:
            found: The alternatives.
            size: How many rows there are.
            always: Whether to leave one literal at most in each alternative.
        """
        several = found.counts(size) > 1
        if always and found.literals.shape[1] > 1:
            wide = (found.literals >= 0).sum(axis=1) > 1
            several[found.rows[wide]] = True
        if not several.any():
            if not always:
                return found
            return Alternatives(found.rows, found.literals.max(axis=1, initial=NONE).reshape(-1, 1))
        replaced = several[found.rows]
        facts: dict[int, int] = {}
        for row, literals in zip(found.rows[replaced].tolist(), found.literals[replaced].tolist(), strict=True):
            body = [literal for literal in literals if literal >= 0]
            level = max((self.stratum(literal) for literal in body), default=0)
            fact = facts.get(row)
            if fact is None:
                fact = facts[row] = self.new(level)
            position = fact - self.first
            self.strata[position] = max(self.strata[position], level)
            self.rule(fact, body)
        kept = found.take(np.flatnonzero(~replaced))
        extra = Alternatives(
            np.fromiter(facts.keys(), np.int64, len(facts)),
            2 * np.fromiter(facts.values(), np.int32, len(facts)).reshape(-1, 1),
        )
        result = merge([kept, extra])
        if always:
            return Alternatives(result.rows, result.literals.max(axis=1, initial=NONE).reshape(-1, 1))
        return result


__all__ = ["AuxiliaryFacts"]
