"""Relaxed reachability: the atoms and action instances that can be reached when deletions are ignored.

The result is a superset of what is reachable; grounding makes it exact afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import LimitError
from chorewright.planner import atom_tables, joins
from chorewright.planner.join_plans import JoinProgram, compile_rules
from chorewright.planner.lifting import ActionRule, AxiomRule, lifted_rules
from chorewright.planner.normal_form import Known

MOST_ATOMS = 20_000_000

NEVER = np.zeros(1, np.int64)
"""A stop flag that nobody sets."""


class Stopped(Exception):
    """Grounding was ended from another thread."""


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """A domain ready to be grounded for any problem of which ``known`` holds."""

    predicates: Mapping[str, int]
    constants: tuple[str, ...]
    type_sets: tuple[tuple[str, ...], ...]
    subtypes: Mapping[str, frozenset[str]]
    added: frozenset[str]
    deleted: frozenset[str]
    derived: frozenset[str]
    actions: tuple[ActionRule, ...]
    axioms: tuple[AxiomRule, ...]
    program: JoinProgram


@dataclass(frozen=True, slots=True)
class Reached:
    """The reachable atoms, initial ones first: predicate, arguments, and the hash table that finds them."""

    predicates: NDArray[np.int32]
    arguments: NDArray[np.int32]
    table: NDArray[np.int32]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    initial_count: int

    def atoms_of(self, predicate: int) -> NDArray[np.int64]:
        """Numbers of the atoms of a predicate, ascending."""
        return self.order[self.starts[predicate] : self.starts[predicate + 1]]

    def look_up(self, predicate: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Atom number of each row of arguments, or -1 where it is not reachable."""
        out = np.empty(len(rows), np.int32)
        atom_tables.look_up(
            self.table, self.predicates, self.arguments, predicate, np.ascontiguousarray(rows), out
        )
        return out


def lift(domain: Domain, known: Known) -> LiftedProgram:
    """Compile a domain's rules.

    Raises:
        LimitError: an action has too many parameters.
    """
    found = lifted_rules(domain, known)
    heads = frozenset(rule.head.predicate for rule in found.rules)
    program = compile_rules(found.rules, found.arities, heads, found.implied, found.any_type)
    return LiftedProgram(
        found.predicates,
        found.constants,
        found.type_sets,
        found.subtypes,
        found.added,
        found.deleted,
        found.derived,
        found.actions,
        found.axioms,
        program,
    )


def explore(
    lifted: LiftedProgram,
    atoms: NDArray[np.int32],
    predicates: NDArray[np.int32],
    type_matrix: NDArray[np.bool_],
    stop: NDArray[np.int64],
) -> Reached:
    """Derive all reachable atoms from the initial ones.

    Args:
        atoms: object numbers, one row per initial atom, padded with -1 to the program's width.
        predicates: predicate numbers of the initial atoms.
        type_matrix: objects by type sets.
        stop: set to non-zero by another thread to end it.

    Raises:
        Stopped: it was stopped.
        LimitError: more than ``MOST_ATOMS`` atoms and action instances are reachable.
    """
    program = lifted.program
    heads = np.zeros(len(program.arity), np.bool_)
    heads[program.plans[4]] = True
    fluent = heads[predicates]
    order = np.argsort(fluent, kind="stable")
    objects = [np.flatnonzero(column) for column in type_matrix.T]
    type_objects = np.concatenate([*objects, np.zeros(0, np.int64)]).astype(np.int32)
    type_start = np.concatenate([[0], np.cumsum([len(column) for column in objects])]).astype(np.int32)
    capacity = 1 << 15
    while True:
        status, count, initial, found, arguments, table, _ = joins.derive(
            program.arity,
            np.ascontiguousarray(predicates[order]),
            np.ascontiguousarray(atoms[order]),
            int(len(fluent) - fluent.sum()),
            *program.plans,
            *program.indexes,
            type_matrix,
            type_start,
            type_objects,
            program.most_variables,
            capacity,
            3 * capacity,
            False,
            program.arity,
            program.arity,
            -1,
            stop,
        )
        if status == 0:
            break
        if status == 2:
            raise Stopped
        capacity *= 8
        if capacity > MOST_ATOMS:
            raise LimitError(f"more than {MOST_ATOMS} atoms and action instances are reachable")
    found = found[:count]
    arguments = arguments[:count]
    by_predicate = np.argsort(found, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(found, minlength=len(program.arity)))])
    return Reached(found, arguments, table, by_predicate, starts, int(initial))
