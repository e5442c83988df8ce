"""Relaxed reachability: the atoms and action instances that can be reached when deletions are ignored.

The result is a superset of what is reachable; grounding makes it exact afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain
from chorewright.planner.grounding.joins.derivation import Derived, derive
from chorewright.planner.grounding.joins.rules import JoinProgram, compile_rules
from chorewright.planner.grounding.lifting import ActionRule, AxiomRule, lifted_rules
from chorewright.planner.grounding.literals import Tables, literal_tables
from chorewright.planner.grounding.normal_form import Known
from chorewright.planner.grounding.type_sets import TypeSets
from chorewright.planner.memory_budget import UNLIMITED_MEMORY, MemoryBudget


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """A domain ready to be grounded for any problem of which ``known`` holds."""

    predicates: Mapping[str, int]
    constants: tuple[str, ...]
    types: TypeSets
    added: frozenset[str]
    deleted: frozenset[str]
    derived: frozenset[str]
    actions: tuple[ActionRule, ...]
    axioms: tuple[AxiomRule, ...]
    tables: Tables
    program: JoinProgram


@dataclass(frozen=True, slots=True)
class Reached:
    """The reachable atoms by predicate.

    Attributes:
        atoms: The atoms.
        order: The atoms' numbers, sorted by predicate; those of one predicate ascend.
        starts: The first of ``order`` of each predicate (predicates + 1).
    """

    atoms: Derived
    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    def count(self, predicate: int) -> int:
        """How many atoms of a predicate there are."""
        return int(self.starts[predicate + 1] - self.starts[predicate])

    def atoms_of(self, predicate: int) -> NDArray[np.int64]:
        """Numbers of the atoms of a predicate, ascending."""
        return self.order[self.starts[predicate] : self.starts[predicate + 1]]


def lift(domain: Domain, known: Known) -> LiftedProgram:
    """Compile a domain's rules.

    Args:
        domain: The domain.
        known: The predicates without arguments whose truth never changes.

    Raises:
        LimitError: an action has too many parameters.
    """
    found = lifted_rules(domain, known)
    heads = frozenset(rule.head.predicate for rule in found.rules)
    program = compile_rules(found.rules, found.arities, heads, found.implied, found.any_type)
    return LiftedProgram(
        found.predicates,
        found.constants,
        found.types,
        found.added,
        found.deleted,
        found.derived,
        found.actions,
        found.axioms,
        literal_tables(found.actions, found.predicates, found.constants),
        program,
    )


def explore(
    lifted: LiftedProgram,
    atoms: NDArray[np.int32],
    predicates: NDArray[np.int32],
    type_matrix: NDArray[np.bool_],
    stop: NDArray[np.int64],
    memory: MemoryBudget = UNLIMITED_MEMORY,
) -> Reached:
    """Derive all reachable atoms from the initial ones.

    Args:
        lifted: The domain's rules.
        atoms: The objects of the initial atoms (atoms x the program's width; the rest is -1).
        predicates: Their predicates.
        type_matrix: Marks of the objects that belong to each type set (objects x type sets).
        stop: One number; another thread sets it to non-zero to end derivation.
        memory: What derivation may take.

    Raises:
        Stopped: it was stopped.
        OutOfMemory, LimitError: too many atoms and action instances are reachable; see ``derive``.
    """
    atoms_found = derive(lifted.program, predicates, atoms, type_matrix, stop, memory=memory)
    found = atoms_found.predicates
    starts = np.concatenate([[0], np.cumsum(np.bincount(found, minlength=len(lifted.program.arity)))])
    return Reached(atoms_found, np.argsort(found, kind="stable"), starts)
