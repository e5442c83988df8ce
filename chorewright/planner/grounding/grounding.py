"""Grounding: a domain and a problem become an integer-encoded task with every operator that can matter.

Reachable atoms and action instances come from relaxed reachability; conditions are then put in by columns.
The result is sound and complete: it has a plan exactly if the problem has one. Restricted to some objects
it is still sound for problems in which the left-out objects stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.arithmetic import function_values
from chorewright.domains.formulas import axiom_levels
from chorewright.domains.pddl.syntax import FALSE, Domain, Formula, FunctionTerm, Problem
from chorewright.errors import UnsupportedError
from chorewright.files.lazily import Remembered
from chorewright.planner.grounding.alternatives import Alternatives, AuxiliaryFacts, pad, simplify
from chorewright.planner.grounding.conditions import Grounder
from chorewright.planner.grounding.encoding import TaskDraft, TaskSymbols, finish
from chorewright.planner.grounding.joins.derivation import NEVER, UNLIMITED_MEMORY, MemoryBudget
from chorewright.planner.grounding.lifting import ActionRule, EffectRule
from chorewright.planner.grounding.literals import Instantiated, instantiate, pair
from chorewright.planner.grounding.normal_form import Known
from chorewright.planner.grounding.numbering import NumberedObjects, NumberedProblem, normal_goal
from chorewright.planner.grounding.reachability import LiftedProgram, Reached, explore, lift
from chorewright.planner.grounding.task import Task

MOST_COST = 1e300
"""The most that a part of an action's cost may be; sums of them stay finite."""

_LIFTED: Remembered[LiftedProgram] = Remembered()


def lift_program(domain: Domain, known: Known) -> LiftedProgram:
    """The domain's compiled rules, remembered for the next problem.

    Raises:
        LimitError: an action has too many parameters.
    """
    return _LIFTED.of(domain, known, lambda: lift(domain, known))


def ground(
    domain: Domain,
    problem: Problem,
    keep: frozenset[str] | None = None,
    stop: NDArray[np.int64] = NEVER,
    memory: MemoryBudget = UNLIMITED_MEMORY,
) -> Task | None:
    """Ground a problem.

    Args:
        domain: The domain.
        problem: A problem of it.
        keep: The only objects and constants to consider; all by default.
        stop: One number; another thread sets it to non-zero to end grounding.
        memory: What grounding may take.

    Returns:
        The task; None if the goal is unreachable even when deletions are ignored.

    Raises:
        Stopped: it was stopped.
        OutOfMemory: the ground task is too large for the memory limit.
        LimitError: the ground task is too large, and there is no memory limit.
        UnsupportedError: an action has a negative cost.
    """
    numbered = NumberedProblem.of(domain, problem)
    lifted = lift_program(domain, numbered.known)
    kept = numbered.chosen(keep)
    predicates, arguments = numbered.initial(lifted.program.width, kept)
    types = lifted.rules.types.matrix(numbered.objects, kept)
    reached = explore(lifted, arguments, predicates, types, stop, memory)
    goal = normal_goal(problem, numbered.known)
    return _Encoder.of(domain, problem, lifted, numbered.objects, kept, reached, memory).task(goal)


@dataclass(slots=True)
class _Encoder:
    """Everything that encoding one problem needs.

    Attributes:
        problem: The problem.
        lifted: The domain's rules.
        objects: The problem's objects.
        reached: The reachable atoms and action instances.
        found: The literals of the instances.
        grounder: What evaluates conditions that are no literals.
        initial: Marks of the reachable atoms that are true in the initial state.
        draft: The operators, effects and axioms so far.
    """

    problem: Problem
    lifted: LiftedProgram
    objects: NumberedObjects
    reached: Reached
    found: Instantiated
    grounder: Grounder
    initial: NDArray[np.bool_]
    draft: TaskDraft

    @classmethod
    def of(
        cls,
        domain: Domain,
        problem: Problem,
        lifted: LiftedProgram,
        objects: NumberedObjects,
        kept: NDArray[np.bool_] | None,
        reached: Reached,
        memory: MemoryBudget,
    ) -> _Encoder:
        atoms = reached.atoms
        count = len(atoms.predicates)
        initial = np.zeros(count, np.bool_)
        initial[: atoms.initial_count] = True
        level = np.zeros(len(lifted.program.arity), np.int32)
        derived = np.zeros(len(lifted.program.arity), np.bool_)
        for name, height in axiom_levels(domain).items() if domain.axioms else ():
            level[lifted.rules.predicates[name]] = height
            derived[lifted.rules.predicates[name]] = True
        counted = lifted.program.arity, atoms.initial_count, derived
        found = Instantiated(*instantiate(lifted.tables.program, reached.order, reached.starts, atoms.atoms, *counted))
        atom_level = level[atoms.predicates]
        auxiliary = AuxiliaryFacts(count, atom_level, derived[atoms.predicates])

        def objects_of(types: tuple[str, ...]) -> NDArray[np.int32]:
            return lifted.rules.types.members(types, objects, kept)

        grounder = Grounder(reached, lifted.rules.predicates, objects, objects_of, found.constant, auxiliary, memory)
        draft = TaskDraft(count, derived[atoms.predicates], atom_level)
        return cls(problem, lifted, objects, reached, found, grounder, initial, draft)

    def table(self, predicate: int, columns: int) -> NDArray[np.int32]:
        return self.reached.atoms.arguments[self.reached.atoms_of(predicate)][:, :columns]

    def task(self, goal: Formula) -> Task | None:
        table = 0
        for number, rule in enumerate(self.lifted.rules.actions):
            self._action(number, rule, table)
            table += 1 + len(rule.conditional)
        for axiom in self.lifted.rules.axioms:
            rows = self.table(axiom.predicate, len(axiom.columns))
            found = self.grounder.evaluate(axiom.axiom.body, axiom.columns, rows)
            heads = self.grounder.atoms(axiom.axiom.head, axiom.columns, rows)
            self.draft.add_axioms(heads[found.rows], found.literals)
        if goal == FALSE:
            return None
        none = np.empty((1, 0), np.int32)
        found = self.grounder.auxiliary.single(simplify(self.grounder.evaluate(goal, [], none)), 1)
        if not len(found.rows):
            return None
        auxiliary = self.grounder.auxiliary
        self.draft.add_axioms(np.asarray(auxiliary.heads, np.int32), pad(auxiliary.bodies))
        literals = found.literals[0]
        symbols = TaskSymbols(
            tuple(rule.action.name for rule in self.lifted.rules.actions),
            self.objects.names,
            tuple(self.lifted.rules.predicates),
            self.reached,
            self.lifted.program.arity,
        )
        return finish(self.draft, auxiliary.strata, self.initial, literals[literals >= 0], symbols)

    def _condition(self, table: int, names: Sequence[str], rows: NDArray[np.int32]) -> Alternatives:
        found, others = self.found.condition(table, self.lifted.tables.parts[table])
        return self.grounder.conjoin(found, others, names, rows)

    def _action(self, number: int, rule: ActionRule, table: int) -> None:
        names = [p.name for p in rule.action.parameters]
        rows = self.table(rule.predicate, len(names))
        if not len(rows):
            return
        costs, priced = self._costs(rule, names, rows)
        found = simplify(self._condition(table, names, rows))
        if not priced.all():
            found = found.take(np.flatnonzero(priced[found.rows]))
        chosen = rows[found.rows]
        operators = self.draft.add_operators(number, chosen, found.literals, costs[found.rows], len(names))
        if rule.unconditional:
            heads = self.found.made(table)[found.rows]
            self.draft.add_effects(operators, np.empty((len(operators), 0), np.int32), heads)
        for place, conditional in enumerate(rule.conditional, table + 1):
            self._conditional(conditional, place, chosen, operators)

    def _conditional(self, rule: EffectRule, table: int, rows: NDArray[np.int32], operators: NDArray[np.int64]) -> None:
        if not len(rows) or not self.reached.count(rule.predicate):
            return
        instances = self.table(rule.predicate, len(rule.columns))
        found = self._condition(table, rule.columns, instances)
        heads = self.found.made(table)
        wanted = np.ascontiguousarray(rows[:, list(rule.shared)])
        present = np.ascontiguousarray(instances[found.rows, : len(rule.shared)])
        columns = heads.shape[1] + found.literals.shape[1]
        most = self.grounder.memory.rows(columns)
        count, select, chosen = pair(wanted, present, most)
        self.grounder.memory.check(count, columns, "conditional effects would take")
        self.draft.add_effects(operators[select], found.literals[chosen], heads[found.rows[chosen]])

    def _costs(
        self, rule: ActionRule, names: list[str], rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Cost of each row, and whether all static functions it asks for have values."""
        total = np.zeros(len(rows))
        priced = np.ones(len(rows), np.bool_)
        for increase in rule.action.costs:
            amount = increase.amount
            counts = self.problem.minimize_cost and increase.function == self.problem.cost_function
            if isinstance(amount, FunctionTerm):
                found = self._values(amount, names, rows)
                known = ~np.isnan(found)
                found[~known] = 0.0
                priced &= known
            else:
                found = np.full(len(rows), float(amount))
            if not counts or increase.terms:
                continue
            total += found
            if float(np.abs(found).max(initial=0)) > MOST_COST:
                raise UnsupportedError(f"an action {rule.action.name} costs more than {MOST_COST:g}")
        if (total < 0).any():
            raise UnsupportedError(f"an action {rule.action.name} has a negative cost")
        return total if self.problem.minimize_cost else np.ones(len(rows)), priced

    def _values(self, term: FunctionTerm, names: Sequence[str], rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """The value of a static function for each row, or not a number."""
        values = function_values(self.problem, term.function)
        columns = [self.grounder.column(t, names, rows).tolist() for t in term.terms]
        named = [map(self.objects.names.__getitem__, column) for column in columns]
        keys = zip(*named, strict=True) if named else iter([()] * len(rows))
        return np.fromiter(map(values.get, keys, repeat(np.nan)), np.float64, len(rows))
