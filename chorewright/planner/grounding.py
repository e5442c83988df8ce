"""Grounding: a domain and a problem become an integer-encoded task with every operator that can matter.

Reachable atoms and action instances come from relaxed reachability; conditions are then put in by columns.
The result is sound and complete: it has a plan exactly if the problem has one. Restricted to some objects
it is still sound for problems in which the left-out objects stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.formulas import axiom_levels
from chorewright.domains.pddl.syntax import (
    FALSE,
    Domain,
    Formula,
    FunctionTerm,
    GroundAtom,
    Problem,
)
from chorewright.errors import UnsupportedError
from chorewright.planner.alternatives import NONE, padded, simplify
from chorewright.planner.conditions import AuxiliaryFacts, Grounder
from chorewright.planner.costs import function_values
from chorewright.planner.derivation import NEVER
from chorewright.planner.encoding import Draft, finish
from chorewright.planner.lifting import ActionRule, EffectRule, LiftedRules
from chorewright.planner.normal_form import (
    ConditionalEffect,
    Known,
    Normalizer,
    atoms_changed,
)
from chorewright.planner.reachability import LiftedProgram, Reached, explore, lift
from chorewright.planner.room import AMPLE, Room
from chorewright.planner.task import Task

MOST_COST = 1e300
"""The most that a part of an action's cost may be; sums of them stay finite."""

_LIFTED: dict[tuple[int, Known], tuple[Domain, LiftedProgram]] = {}
_MOST_CACHED = 16


def lifted_program(domain: Domain, known: Known) -> LiftedProgram:
    """The domain's compiled rules, remembered for the next problem."""
    key = (id(domain), known)
    found = _LIFTED.get(key)
    if found is None or found[0] is not domain:
        if len(_LIFTED) >= _MOST_CACHED:
            _LIFTED.clear()
        found = _LIFTED[key] = (domain, lift(domain, known))
    return found[1]


def known_predicates(domain: Domain, atoms: Iterable[GroundAtom]) -> Known:
    """Predicates without arguments that are false, or true, in all states."""
    added, deleted = atoms_changed(domain)
    derived = {axiom.head.name for axiom in domain.axioms}
    bare = {p.name for p in domain.predicates if not p.parameters} - derived
    present = {atom[0] for atom in atoms if len(atom) == 1}
    never = frozenset(name for name in bare if name not in added and name not in present)
    always = frozenset(name for name in bare if name not in deleted and name in present)
    return Known(never, always)


@dataclass(frozen=True, slots=True)
class Instances:
    """A problem's objects and initial atoms as numbers."""

    objects: tuple[str, ...]
    numbers: dict[str, int]
    type_matrix: NDArray[np.bool_]
    predicates: NDArray[np.int32]
    arguments: NDArray[np.int32]


def number_problem(
    domain: Domain,
    problem: Problem,
    lifted: LiftedProgram | LiftedRules,
    keep: frozenset[str] | None,
    width: int,
) -> Instances:
    """Number the objects (constants first) and the initial atoms; with ``keep``, only those objects."""
    constants = domain.constants
    others = [o for o in problem.objects if keep is None or o.name in keep]
    typed = [*constants, *others]
    numbers = {o.name: i for i, o in enumerate(typed)}
    matrix = np.zeros((len(typed), len(lifted.type_sets)), np.bool_)
    rows: dict[tuple[str, ...], list[bool]] = {}
    for i, item in enumerate(typed):
        row = rows.get(item.types)
        if row is None:
            row = rows[item.types] = [
                any(
                    own in lifted.subtypes.get(wanted, frozenset((wanted,)))
                    for own in item.types
                    for wanted in types
                )
                or "object" in types
                for types in lifted.type_sets
            ]
        matrix[i] = row
    predicates = []
    flat: list[int] = []
    table = lifted.predicates
    for atom in problem.init:
        try:
            found = [numbers[name] for name in atom[1:]]
        except KeyError:
            continue  # an object that is left out
        if atom[0] in table and atom[0] not in lifted.derived:
            predicates.append(table[atom[0]])
            flat.extend(found)
            flat.extend([-1] * (width - len(found)))
    arguments = np.asarray(flat, np.int32).reshape(len(predicates), width)
    return Instances(
        tuple(o.name for o in typed), numbers, matrix, np.asarray(predicates, np.int32), arguments
    )


def ground(
    domain: Domain,
    problem: Problem,
    keep: frozenset[str] | None = None,
    stop: NDArray[np.int64] = NEVER,
    memory: Room = AMPLE,
) -> Task | None:
    """Ground a problem; None if its goal is unreachable even when deletions are ignored.

    Args:
        keep: the only objects to consider (constants always are); all by default.
        stop: set to non-zero by another thread to end it.

    Raises:
        Stopped: it was stopped.
        OutOfRoom: the ground task is too large for the memory limit.
        LimitError: the ground task is too large, and there is no memory limit.
        UnsupportedError: an action has a negative cost.
    """
    known = known_predicates(domain, problem.init)
    lifted = lifted_program(domain, known)
    instances = number_problem(domain, problem, lifted, keep, lifted.program.width)
    reached = explore(lifted, instances.arguments, instances.predicates, instances.type_matrix, stop, memory)
    return _Encoder.of(domain, problem, lifted, instances, reached, memory).task(
        Normalizer(known).formula(problem.goal)
    )


@dataclass(slots=True)
class _Encoder:
    """Everything that encoding one problem needs."""

    problem: Problem
    lifted: LiftedProgram
    instances: Instances
    reached: Reached
    grounder: Grounder
    initial: NDArray[np.bool_]
    draft: Draft

    @classmethod
    def of(
        cls,
        domain: Domain,
        problem: Problem,
        lifted: LiftedProgram,
        instances: Instances,
        reached: Reached,
        memory: Room,
    ) -> _Encoder:
        count = len(reached.atoms.predicates)
        initial = np.zeros(count, np.bool_)
        initial[: reached.atoms.initial_count] = True
        levels = axiom_levels(domain)
        by_number = np.zeros(len(lifted.program.arity), np.int32)
        for name, level in levels.items():
            by_number[lifted.predicates[name]] = level
        derived_number = np.zeros(len(lifted.program.arity), np.bool_)
        for name in lifted.derived:
            derived_number[lifted.predicates[name]] = True
        auxiliary = AuxiliaryFacts(count)
        atom_level = by_number[reached.atoms.predicates]

        def stratum(literal: int) -> int:
            fact = literal >> 1
            level = auxiliary.strata[fact - count] if fact >= count else int(atom_level[fact])
            is_derived = fact >= count or derived_number[reached.atoms.predicates[fact]]
            return level + 1 if literal & 1 and is_derived else level

        objects_by_types: dict[tuple[str, ...], NDArray[np.int32]] = {}
        typed = [*domain.constants, *(o for o in problem.objects if o.name in instances.numbers)]

        def objects_of(types: tuple[str, ...]) -> NDArray[np.int32]:
            found = objects_by_types.get(types)
            if found is None:
                wanted: frozenset[str] = frozenset().union(
                    *(lifted.subtypes.get(t, frozenset((t,))) for t in types)
                )
                chosen = [
                    instances.numbers[o.name]
                    for o in typed
                    if "object" in types or any(t in wanted for t in o.types)
                ]
                found = objects_by_types[types] = np.asarray(sorted(chosen), np.int32)
            return found

        grounder = Grounder(
            reached,
            dict(lifted.predicates),
            instances.numbers,
            objects_of,
            np.zeros(count + 1, np.bool_),
            stratum,
            auxiliary,
            memory,
        )
        draft = Draft(count, derived_number[reached.atoms.predicates], atom_level)
        return cls(problem, lifted, instances, reached, grounder, initial, draft)

    def table(self, predicate: int, columns: int) -> NDArray[np.int32]:
        return self.reached.atoms.arguments[self.reached.atoms_of(predicate)][:, :columns]

    def task(self, goal: Formula) -> Task | None:
        self._find_constants()
        for number, rule in enumerate(self.lifted.actions):
            self._action(number, rule)
        for axiom in self.lifted.axioms:
            rows = self.table(axiom.predicate, len(axiom.columns))
            found = self.grounder.evaluate(axiom.axiom.body, axiom.columns, rows)
            heads = self.grounder.atoms(axiom.axiom.head, axiom.columns, rows)
            self.draft.add_axioms(heads[found.rows], found.literals)
        if goal == FALSE:
            return None
        none = np.empty((1, 0), np.int32)
        found = self.grounder.single(simplify(self.grounder.evaluate(goal, [], none)), 1)
        if not len(found.rows):
            return None
        auxiliary = self.grounder.auxiliary
        self.draft.add_axioms(np.asarray(auxiliary.heads, np.int32), padded(auxiliary.bodies))
        literals = found.literals[0]
        return finish(
            self.draft,
            auxiliary.strata,
            self.initial,
            literals[literals >= 0],
            tuple(rule.action.name for rule in self.lifted.actions),
            self.instances.objects,
            tuple(self.lifted.predicates),
            self.reached,
            self.lifted.program.arity,
        )

    def _find_constants(self) -> None:
        """Mark the initial atoms that no reachable effect can delete."""
        deletable = np.zeros(len(self.initial), np.bool_)
        for rule in self.lifted.actions:
            names = [p.name for p in rule.action.parameters]
            tables: list[tuple[ConditionalEffect, list[str], int]] = [
                (effect, names, rule.predicate) for effect in rule.unconditional
            ]
            tables += [(e.effect, list(e.columns), e.predicate) for e in rule.conditional]
            for effect, columns, predicate in tables:
                if not effect.deletes:
                    continue
                rows = self.table(predicate, len(columns))
                for atom in effect.deletes:
                    found = self.grounder.atoms(atom, columns, rows)
                    deletable[found[found >= 0]] = True
        derived = self.draft.derived
        self.grounder.constant[:-1] = self.initial & ~deletable & ~derived

    def _action(self, number: int, rule: ActionRule) -> None:
        names = [p.name for p in rule.action.parameters]
        rows = self.table(rule.predicate, len(names))
        if not len(rows):
            return
        costs, priced = self._costs(rule, names, rows)
        found = simplify(self.grounder.evaluate(rule.action.precondition, names, rows))
        if not priced.all():
            found = found.take(np.flatnonzero(priced[found.rows]))
        operators = self.draft.add_operators(
            number, rows[found.rows], found.literals, costs[found.rows], len(names)
        )
        for effect in rule.unconditional:
            heads = self._heads(effect, names, rows[found.rows])
            self.draft.add_effects(operators, np.empty((len(operators), 0), np.int32), heads)
        for conditional in rule.conditional:
            self._conditional(conditional, rows[found.rows], operators)

    def _heads(
        self, effect: ConditionalEffect, names: list[str], rows: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Literals that an effect makes true, one row per binding."""
        columns = []
        for atom in effect.adds:
            columns.append(2 * self.grounder.atoms(atom, names, rows))
        for atom in effect.deletes:
            found = self.grounder.atoms(atom, names, rows)
            columns.append(np.where(found < 0, NONE, 2 * found + 1))
        if not columns:
            return np.empty((len(rows), 0), np.int32)
        return np.stack(columns, axis=1).astype(np.int32)

    def _conditional(self, rule: EffectRule, rows: NDArray[np.int32], operators: NDArray[np.int64]) -> None:
        names = list(rule.columns)
        table = self.table(rule.predicate, len(names))
        if not len(table) or not len(rows):
            return
        found = self.grounder.evaluate(rule.effect.condition, names, table)
        heads = self._heads(rule.effect, names, table)
        shared = len(rule.shared)
        both = self.grounder.code(np.vstack([rows[:, list(rule.shared)], table[:, :shared][found.rows]]))
        wanted, present = both[: len(rows)], both[len(rows) :]
        order = np.argsort(present, kind="stable")
        start = np.searchsorted(present[order], wanted, "left")
        count = np.searchsorted(present[order], wanted, "right") - start
        columns = heads.shape[1] + found.literals.shape[1]
        self.grounder.memory.check(int(count.sum()), columns, "conditional effects would take")
        select = np.repeat(np.arange(len(rows)), count)
        position = (
            np.arange(len(select)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(start, count)
        )
        chosen = order[position]
        self.draft.add_effects(operators[select], found.literals[chosen], heads[found.rows[chosen]])

    def _costs(
        self, rule: ActionRule, names: list[str], rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Cost of each row, and whether all static functions it asks for have values."""
        total = np.zeros(len(rows))
        priced = np.ones(len(rows), np.bool_)
        if not self.problem.minimize_cost:
            return np.ones(len(rows)), priced
        for amount in rule.action.costs:
            if isinstance(amount, FunctionTerm):
                values = function_values(self.problem, amount.function)
                columns = [self.grounder.column(t, names, rows).tolist() for t in amount.terms]
                objects = self.instances.objects
                keys = zip(*columns, strict=True) if columns else iter([()] * len(rows))
                found = np.array([values.get(tuple([objects[i] for i in key]), np.nan) for key in keys])
                priced &= ~np.isnan(found)
                found = np.where(np.isnan(found), 0.0, found)
            else:
                found = np.full(len(rows), float(amount))
            if (np.abs(found) > MOST_COST).any():
                raise UnsupportedError(f"an action {rule.action.name} costs more than {MOST_COST:g}")
            total += found
        if (total < 0).any():
            raise UnsupportedError(f"an action {rule.action.name} has a negative cost")
        return total, priced
