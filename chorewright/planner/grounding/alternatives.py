"""Alternatives of literals by rows: the columnar form of ground conditions, and its algebra.

A condition over a table of bindings holds for a row when all literals of one of the row's alternatives
hold; a row without alternatives can never satisfy it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def padded(bodies: Sequence[Sequence[int]]) -> Rows:
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
