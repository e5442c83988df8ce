"""The memory budget: how much memory grounding may use, asked before arrays are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from chorewright.domains.formulas import conjuncts, supertypes
from chorewright.domains.pddl.syntax import Action, Atom, Domain, Problem
from chorewright.errors import LimitError
from chorewright.files.lazily import Remembered
from chorewright.planner.grounding.numbering import NumberedProblem, Signatures, Types, signatures

USUAL = 2000
"""Megabytes for the arrays of one step where nobody sets a limit."""


class OutOfMemory(Exception):
    """Grounding would take more memory than the user allows."""


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """A memory limit in megabytes, or None; half of it is for the largest array of a step."""

    megabytes: int | None = None

    @property
    def size(self) -> int:
        """Bytes that one step's arrays may take."""
        return USUAL * 1_000_000 if self.megabytes is None else self.megabytes * 500_000

    def rows(self, columns: int) -> int:
        """How many rows of so many 32-bit columns there is room for, with what goes along with a row."""
        return self.size // (4 * columns + 24)

    def check(self, rows: int, columns: int, what: str) -> None:
        """Ask for room for a table of numbers.

        Args:
            rows: The table's rows.
            columns: Its columns, of 32 bits each.
            what: The beginning of the error's message.

        Raises:
            OutOfMemory: there is a limit, and the table is too large for it.
            LimitError: there is none, but no machine should be asked for such a table.
        """
        if rows > self.rows(columns):
            self.refuse(f"{what} {rows} rows of {columns} columns")

    def refuse(self, reason: str) -> None:
        """Say that there is no room.

        Raises:
            OutOfMemory: there is a limit.
            LimitError: there is none.
        """
        if self.megabytes is not None:
            raise OutOfMemory(reason)
        raise LimitError(f"the problem is too large to ground: {reason}")


UNLIMITED_MEMORY = MemoryBudget()
"""Without a limit."""

__all__ = ["UNLIMITED_MEMORY", "MemoryBudget", "OutOfMemory"]


# How large the full task may be: a bound on the ground actions, from types and static preconditions.


@dataclass(frozen=True, slots=True)
class _Schema:
    """An action's parameters, and its static preconditions: predicate number and parameters in it."""

    parameters: tuple[tuple[str, Types], ...]
    static: tuple[tuple[int, frozenset[str]], ...]

    @classmethod
    def of(cls, action: Action, own: Signatures) -> _Schema:
        names = {p.name for p in action.parameters}
        static = sorted(
            (part.predicate, part.terms)
            for part in conjuncts(action.precondition)
            if isinstance(part, Atom) and part.predicate in own.static
        )
        return cls(
            tuple((p.name, p.types) for p in action.parameters),
            tuple((own.numbers[name], frozenset(names.intersection(terms))) for name, terms in static),
        )


_SCHEMAS: Remembered[tuple[_Schema, ...]] = Remembered()
_ABOVE: Remembered[tuple[str, ...]] = Remembered(1024)


def most_actions(domain: Domain, problem: Problem) -> int:
    """Return an upper bound on the ground actions that satisfy their static preconditions."""
    own = signatures(domain)
    schemas = _SCHEMAS.of(domain, None, lambda: tuple(_Schema.of(action, own) for action in domain.actions))
    numbered = NumberedProblem.of(domain, problem)
    facts = np.bincount(numbered.predicates, minlength=len(own.arity)).tolist()
    counts: Counter[str] = Counter()
    objects = numbered.objects
    for kind, number in zip(objects.kinds, np.bincount(objects.kind).tolist(), strict=True):
        for name in _ABOVE.of(domain, kind, partial(supertypes, domain, kind)):
            counts[name] += number
    return sum(_most(schema, facts, counts) for schema in schemas)


def _most(schema: _Schema, facts: Sequence[int], counts: Mapping[str, int]) -> int:
    """The smallest product that a greedy choice of static preconditions gives for one action."""
    sizes = {name: sum(counts[each] for each in types) for name, types in schema.parameters}
    product = 1
    for predicate, terms in sorted(schema.static, key=lambda atom: facts[atom[0]]):
        bound = [term for term in terms if term in sizes]
        if facts[predicate] < math.prod(sizes[term] for term in bound):
            product *= facts[predicate]
            for term in bound:
                del sizes[term]
    return product * math.prod(sizes.values())
