"""Relaxed reachability: the atoms and action instances that can be reached when deletions are ignored.

The result is a superset of what is reachable; grounding makes it exact afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain
from chorewright.jit.kernels import njit
from chorewright.planner.grounding.joins.derivation import UNLIMITED_MEMORY, Derived, MemoryBudget, derive
from chorewright.planner.grounding.joins.rules import JoinProgram, compile_rules
from chorewright.planner.grounding.lifting import LiftedRules, lift_rules
from chorewright.planner.grounding.literals import Tables, literal_tables
from chorewright.planner.grounding.normal_form import Known


@dataclass(frozen=True, slots=True)
class LiftedProgram:
    """A domain ready to be grounded for any problem of which ``known`` holds."""

    rules: LiftedRules
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
    found = lift_rules(domain, known)
    heads = frozenset(rule.head.predicate for rule in found.rules)
    program = compile_rules(found.rules, found.arities, heads, found.implied, found.any_type)
    return LiftedProgram(found, literal_tables(found.actions, found.predicates, found.constants), program)


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


# What of a ground task can be reached and what can matter: two compiled fixpoints over literals.
#
# Literal ``2 * f`` is fact ``f``, ``2 * f + 1`` its negation; effect heads are ``2 * f`` (adds) and ``2 * f +
# 1`` (deletes), so an effect's head is the literal that it makes true. ``t`` are the lists of operators, effects and
# axioms, with the operator of each effect and the head of each axiom.


@njit(cache=True, nogil=True, inline="never")
def all_marked(flags: Any, start: Any, items: Any, i: Any) -> Any:
    for k in range(start[i], start[i + 1]):  # a loop: compiled code knows no generators in all()
        item = items[k]
        if not flags[item]:
            return False
    return True


@njit(cache=True, nogil=True)
def reach(reached: Any, t: Any, operator_on: Any, effect_on: Any, axiom_on: Any) -> None:
    """Close ``reached`` (by literal) under operators and axioms, deletions only making negations true."""
    pre_start, pre, effect_operator, cond_start, cond, head_start, head, axiom_head, body_start, body = t
    changed = True
    while changed:
        changed = False
        for o in range(operator_on.shape[0]):
            if not operator_on[o] and all_marked(reached, pre_start, pre, o):
                operator_on[o] = True
                changed = True
        for e in range(effect_on.shape[0]):
            if effect_on[e] or not operator_on[effect_operator[e]]:
                continue
            if all_marked(reached, cond_start, cond, e):
                effect_on[e] = True
                changed = True
                for k in range(head_start[e], head_start[e + 1]):
                    reached[head[k]] = True
        for a in range(axiom_on.shape[0]):
            if not axiom_on[a] and all_marked(reached, body_start, body, a):
                axiom_on[a] = True
                changed = True
                reached[2 * axiom_head[a]] = True


@njit(cache=True, nogil=True)
def relevant(wanted: Any, fixed: Any, t: Any, operator_on: Any, effect_on: Any, axiom_on: Any, used: Any) -> None:
    """Close ``wanted`` (by literal) backwards: what can bring about a wanted literal, and what may spoil one.

    ``fixed`` literals never change and are never wanted. An effect that can falsify a wanted literal is
    kept with its operator, and the negation of its condition becomes wanted, but it does not make its
    operator wanted.
    """
    pre_start, pre, effect_operator, cond_start, cond, head_start, head, axiom_head, body_start, body = t
    operator_used, effect_used, axiom_used = used
    changed = True
    while changed:
        changed = False
        for a in range(axiom_on.shape[0]):
            if not axiom_on[a] or axiom_used[a]:
                continue
            negated = wanted[2 * axiom_head[a] + 1]
            if wanted[2 * axiom_head[a]] or negated:
                axiom_used[a] = True
                changed = True
                for k in range(body_start[a], body_start[a + 1]):
                    if not fixed[body[k]]:
                        wanted[body[k]] = True
        for a in range(axiom_on.shape[0]):
            if axiom_used[a] and wanted[2 * axiom_head[a] + 1]:
                for k in range(body_start[a], body_start[a + 1]):
                    if not fixed[body[k] ^ 1] and not wanted[body[k] ^ 1]:
                        wanted[body[k] ^ 1] = True
                        changed = True
        for e in range(effect_on.shape[0]):
            if not effect_on[e]:
                continue
            useful = False
            harmful = False
            for k in range(head_start[e], head_start[e + 1]):
                useful = useful or wanted[head[k]]
                harmful = harmful or wanted[head[k] ^ 1]
            o = effect_operator[e]
            if useful and not operator_used[o]:
                operator_used[o] = True
                changed = True
                for k in range(pre_start[o], pre_start[o + 1]):
                    if not fixed[pre[k]]:
                        wanted[pre[k]] = True
            if useful and effect_used[e] != 1:
                effect_used[e] = 1
                changed = True
                for k in range(cond_start[e], cond_start[e + 1]):
                    if not fixed[cond[k]]:
                        wanted[cond[k]] = True
            if harmful and operator_used[o]:
                if effect_used[e] == 0:
                    effect_used[e] = 2
                    changed = True
                for k in range(cond_start[e], cond_start[e + 1]):
                    literal = cond[k] ^ 1
                    if not fixed[literal] and not wanted[literal]:
                        wanted[literal] = True
                        changed = True
