"""Running a join program on a problem's initial atoms, with as much room as it needs and the memory budget allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import LimitError
from chorewright.files.stopping import Stopped
from chorewright.jit.kernels import njit
from chorewright.planner.grounding.joins import evaluation as joins
from chorewright.planner.grounding.joins import tables
from chorewright.planner.grounding.joins.rules import JoinProgram
from chorewright.planner.grounding.joins.tables import Derivations, Types, find

MOST_ATOMS = 8_000_000

NEVER = np.zeros(1, np.int64)
"""A stop flag that nobody sets."""

_FIRST_ROOM = 1 << 10
"""Atoms that there is room for at first: enough for what a goal in a furnished room asks for."""


USUAL_MEGABYTES = 2000
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
        return USUAL_MEGABYTES * 1_000_000 if self.megabytes is None else self.megabytes * 500_000

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


class Wish(NamedTuple):
    """Which atoms are wanted, and that it be remembered how they were derived; see ``joins.derive``.

    Attributes:
        increment: How many layers a derivation of each predicate adds: 0 or 1.
        late: Marks of the predicates whose atoms wait.
        asked_by: For each predicate the one whose initial atoms say which arguments are wanted; -1 if there is none.
        targets: The number of wanted atoms after which derivation may end; -1 to derive everything.
        last_rounds: How many times the atoms in line are worked off after that.
    """

    increment: NDArray[np.int32]
    late: NDArray[np.bool_]
    asked_by: NDArray[np.int32]
    targets: int
    last_rounds: int


@dataclass(frozen=True, slots=True)
class Derived:
    """All derived atoms, the initial ones first, and how they were derived.

    Attributes:
        predicates: The predicate of each atom.
        arguments: The objects of each atom (atoms x width; the rest is -1).
        table: The hash table that finds atoms: their number + 1, 0 where a slot is free; its size is a power of two.
        initial_count: How many atoms are initial ones.
        reasons: The derivations; empty unless there was a wish.
    """

    predicates: NDArray[np.int32]
    arguments: NDArray[np.int32]
    table: NDArray[np.int32]
    initial_count: int
    reasons: Derivations

    @property
    def atoms(self) -> tables.Atoms:
        """The atoms as kernels take them."""
        return tables.Atoms(self.predicates, self.arguments, self.table)

    def look_up(self, predicate: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Find atoms.

        Args:
            predicate: Their predicate.
            rows: Their objects (atoms x arity).

        Returns:
            The atom number of each row; -1 where there is none.
        """
        out = np.empty(len(rows), np.int32)
        rows = np.ascontiguousarray(rows)
        tables.look_up(self.table, self.predicates, self.arguments, predicate, rows, out)
        return out


def derive(
    program: JoinProgram,
    predicates: NDArray[np.int32],
    rows: NDArray[np.int32],
    type_matrix: NDArray[np.bool_],
    stop: NDArray[np.int64],
    wish: Wish | None = None,
    memory: MemoryBudget = UNLIMITED_MEMORY,
) -> Derived:
    """Derive all atoms that follow from the initial ones (or all that are wished for).

    Args:
        program: The rules.
        predicates: The predicates of the initial atoms.
        rows: Their objects (atoms x the program's width; the rest is -1).
        type_matrix: Marks of the objects that belong to each type set (objects x type sets).
        stop: One number; another thread sets it to non-zero to end derivation.
        wish: Which atoms are wanted; None to derive all, without reasons.
        memory: What derivation may take.

    Raises:
        Stopped: it was stopped.
        OutOfMemory: more atoms and action instances follow than the memory limit has room for.
        LimitError: there is no such limit, but they are more than ``MOST_ATOMS``, or too many for ``MemoryBudget``.
    """
    triggering = program.triggering[predicates]
    order = np.argsort(triggering, kind="stable")
    kinds, members = np.nonzero(type_matrix.T)
    type_start = np.zeros(type_matrix.shape[1] + 1, np.int32)
    np.cumsum(np.bincount(kinds, minlength=type_matrix.shape[1]), out=type_start[1:])
    most = max(1, min(MOST_ATOMS, memory.size // _bytes_per_atom(program, wish is not None)))
    size = _FIRST_ROOM
    while size <= len(predicates):
        size *= 2
    asked = wish or Wish(program.arity, np.zeros(len(program.arity), np.bool_), program.arity, -1, 0)
    status, count, initial, atoms, reasons = joins.derive(
        program.rules,
        Types(type_matrix, type_start, members.astype(np.int32)),
        np.ascontiguousarray(predicates[order]),
        np.ascontiguousarray(rows[order]),
        asked,
        (int(len(triggering) - triggering.sum()), program.most_variables, size, most),
        wish is not None,
        stop,
    )
    if status == joins.STOPPED:
        raise Stopped
    if status == joins.FULL or count > most:
        memory.refuse(f"more than {most} atoms and action instances are reachable")
    return Derived(atoms.predicate[:count], atoms.arguments[:count], atoms.table, int(initial), reasons)


def _bytes_per_atom(program: JoinProgram, reasons: bool) -> int:
    """What ``joins.derive`` allocates for each atom that it has room for, index entries included."""
    atom = 4 + 4 * program.width + 12
    entries = 3 * (2 * 4 + 3 * 8)
    return atom + entries + (8 + 2 * (8 + 4 * program.most_variables) if reasons else 0)


# What derived atoms were derived from: the atoms that their kept derivations use.


@njit(nogil=True)
def trace(seeds: Any, kept: Any, atoms: Any, arity: Any, bodies: Any, followed: Any, marked: Any) -> None:
    """Mark the seeds and all atoms that their kept derivations use, through ``followed`` predicates only."""
    why, _, rule_of, before, values = kept
    body_start, body_predicate, body_terms, terms = bodies
    predicates, arguments, table = atoms
    stack = np.empty(marked.shape[0] + 1, np.int32)
    scratch = np.zeros(arguments.shape[1] + 1, np.int32)
    depth = 0
    for i in range(seeds.shape[0]):
        if not marked[seeds[i]]:
            marked[seeds[i]] = True
            stack[depth] = seeds[i]
            depth += 1
    while depth > 0:
        depth -= 1
        derivation = why[stack[depth]]
        while derivation >= 0:
            rule = rule_of[derivation]
            value = values[derivation]
            for k in range(body_start[rule], body_start[rule + 1]):
                predicate = body_predicate[k]
                if not followed[predicate]:
                    continue
                length = arity[predicate]
                for i in range(length):
                    term = terms[body_terms[k] + i]
                    scratch[i] = value[term] if term >= 0 else -term - 1
                slot = find(table, predicates, arguments, predicate, scratch, length)
                other = table[slot] - 1
                if other >= 0 and not marked[other]:
                    marked[other] = True
                    stack[depth] = other
                    depth += 1
            derivation = before[derivation]
