"""Alternatives of literals by rows: the columnar form of ground conditions, and its algebra.

A condition over a table of bindings holds for a row when all literals of one of the row's alternatives
hold; a row without alternatives can never satisfy it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

NONE, FALSE = -1, -2
"""In place of a literal: always true, never true."""

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Alternatives of literals; a row's condition holds when all literals of one of its alternatives do.

    Attributes:
        rows: The row that each alternative belongs to, ascending.
        literals: The literals that each alternative needs (alternatives x most literals; the rest is ``NONE``).
    """

    rows: NDArray[np.int64]
    literals: Rows

    def counts(self, size: int) -> NDArray[np.int64]:
        """How many alternatives each row has, of so many rows."""
        return np.bincount(self.rows, minlength=size)

    def take(self, which: NDArray[np.int64]) -> Alternatives:
        """The alternatives at some places, in the order given."""
        return Alternatives(self.rows[which], self.literals[which])


def pad(bodies: Sequence[Sequence[int]]) -> Rows:
    """A matrix of the rows, padded with -1."""
    width = max((len(body) for body in bodies), default=0)
    matrix = np.full((len(bodies), width), NONE, np.int32)
    for i, body in enumerate(bodies):
        matrix[i, : len(body)] = body
    return matrix


def merge(parts: Sequence[Alternatives]) -> Alternatives:
    """All alternatives of the parts, in the order of rows."""
    width = max((part.literals.shape[1] for part in parts), default=0)
    blocks = [_widen(part.literals, width) for part in parts]
    rows = np.concatenate([part.rows for part in parts]) if parts else np.empty(0, np.int64)
    literals = np.vstack(blocks) if blocks else np.empty((0, 0), np.int32)
    return in_order(Alternatives(rows, literals))


def _widen(matrix: Rows, width: int) -> Rows:
    missing = width - matrix.shape[1]
    if missing == 0:
        return matrix
    return np.hstack([matrix, np.full((len(matrix), missing), NONE, np.int32)])


def in_order(found: Alternatives) -> Alternatives:
    """The alternatives by ascending rows; those of one row keep their order."""
    if len(found.rows) < 2 or (np.diff(found.rows) >= 0).all():
        return found
    return found.take(np.argsort(found.rows, kind="stable"))


def simplify(found: Alternatives) -> Alternatives:
    """Keep one alternative of each row that has one without literals; drop repeated alternatives."""
    if not len(found.rows):
        return found
    size = int(found.rows.max()) + 1
    if found.counts(size).max() <= 1:
        return found
    literals = np.sort(found.literals, axis=1)
    repeated = (literals[:, 1:] == literals[:, :-1]) if literals.shape[1] > 1 else None
    if repeated is not None and repeated.any():
        literals[:, 1:][repeated] = NONE
        literals = np.sort(literals, axis=1)
    empty = (literals < 0).all(axis=1)
    true_rows = np.zeros(size, np.bool_)
    true_rows[found.rows[empty]] = True
    table = np.hstack([found.rows.reshape(-1, 1), literals])
    table[true_rows[found.rows], 1:] = NONE
    _, first = np.unique(table, axis=0, return_index=True)
    first.sort()
    return Alternatives(
        found.rows[first], literals[first] if not true_rows.any() else table[first, 1:].astype(np.int32)
    )


def combine(result: Alternatives, where: NDArray[np.int64], child: Alternatives, size: int) -> Alternatives:
    """Conjoin: each alternative of a row with each of the child's for the row's projection.

    Args:
        result: The alternatives of the rows.
        where: The child's row that each row is projected to.
        child: The alternatives of the child's rows.
        size: How many rows the child has.
    """
    counts = child.counts(size)
    starts = np.cumsum(counts) - counts
    target = where[result.rows]
    number = counts[target]
    select = np.repeat(np.arange(len(result.rows)), number)
    position = np.arange(len(select)) - np.repeat(np.cumsum(number) - number, number)
    position += np.repeat(starts[target], number)
    literals = np.hstack([result.literals[select], child.literals[position]])
    return Alternatives(result.rows[select], literals.astype(np.int32, copy=False))


# Auxiliary facts: facts with rules of their own that stand for alternatives and for numbers of conditions.


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
