"""Relevance: which objects a goal seems to need, so that most of the problem need not be grounded.

The atoms that the goal mentions are demanded; what the first (shallowest) derivation of each uses is kept.
Facts that hold from the start demand nothing. Nothing here has to be complete: a plan found with the kept
objects is checked on the whole problem, and the full task is always the last rung.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Domain,
    Equals,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Not,
    Or,
    Problem,
    Typed,
)
from chorewright.planner import atom_tables, joins
from chorewright.planner.demand import DemandProgram, with_demand
from chorewright.planner.grounding import Instances, known_predicates, number_problem
from chorewright.planner.lifting import LiftedRules, lifted_rules
from chorewright.planner.normal_form import Known, Normalizer, conjuncts, negation
from chorewright.planner.reachability import NEVER, Stopped

_PROGRAMS: dict[tuple[int, Known, bool], tuple[Domain, LiftedRules, DemandProgram]] = {}
_MOST_CACHED = 16
_MOST_LITERALS = 20_000


def demand_program(domain: Domain, known: Known, tight: bool) -> tuple[LiftedRules, DemandProgram]:
    """The domain's rules with demand, remembered for the next problem."""
    key = (id(domain), known, tight)
    found = _PROGRAMS.get(key)
    if found is None or found[0] is not domain:
        if len(_PROGRAMS) >= _MOST_CACHED:
            _PROGRAMS.clear()
        lifted = lifted_rules(domain, known, strict=True)
        found = _PROGRAMS[key] = (domain, lifted, with_demand(lifted, tight))
    return found[1], found[2]


def relevant_objects(
    domain: Domain, problem: Problem, level: int, stop: NDArray[np.int64] = NEVER
) -> frozenset[str] | None:
    """Objects that plans for the goal are likely to touch, or None to keep all.

    Raises:
        Stopped: ``stop[0]`` was set by another thread.
    """
    known = known_predicates(domain, problem.init)
    lifted, demand = demand_program(domain, known, level == 0)
    width = demand.program.width
    instances = number_problem(domain, problem, lifted, None, width)
    goal = Normalizer(known).formula(problem.goal)
    static = frozenset(p.name for p in domain.predicates) - lifted.added - lifted.deleted - lifted.derived
    walker = _GoalAtoms(frozenset(problem.init), static, domain, problem, lifted.subtypes)
    wanted: dict[tuple[GroundAtom, bool], None] = {}
    for literal in walker.literals(goal, {}):
        wanted[literal] = None
        if len(wanted) > _MOST_LITERALS:
            return None
    named = {t for t in _constants(goal) if t in instances.numbers}
    atoms = _marked(lifted, demand, instances, wanted, walker.initial, level == 0, stop)
    return frozenset(named | {instances.objects[i] for i in atoms})


def _marked(
    lifted: LiftedRules,
    demand: DemandProgram,
    instances: Instances,
    wanted: Mapping[tuple[GroundAtom, bool], None],
    initial: frozenset[GroundAtom],
    impatient: bool,
    stop: NDArray[np.int64],
) -> list[int]:
    """Numbers of the objects in the first derivations of the wanted literals.

    If ``impatient``, derivation ends when no further wanted literal has been derived for long.
    """
    width = demand.program.width
    predicates: list[int] = []
    rows: list[list[int]] = []
    goals: list[tuple[int, list[int]]] = []
    for atom, positive in wanted:
        if (atom in initial) == positive:
            continue
        number = lifted.predicates[atom[0]] if positive else lifted.absent.get(atom[0], -1)
        asked = demand.demands.get(number)
        if asked is None:
            continue
        arguments = [instances.numbers[name] for name in atom[1:]]
        row = arguments + [-1] * (width - len(arguments))
        predicates.append(asked)
        rows.append(row)
        goals.append((number, arguments))
    number_blocks = [instances.predicates, np.asarray(predicates, np.int32)]
    row_blocks = [instances.arguments, np.asarray(rows, np.int32).reshape(len(rows), width)]
    for (original, mask), copy in demand.supports.items():
        chosen = instances.arguments[instances.predicates == original]
        columns = np.flatnonzero(mask)
        projected = np.full((len(chosen), width), -1, np.int32)
        projected[:, : len(columns)] = chosen[:, columns]
        row_blocks.append(projected)
        number_blocks.append(np.full(len(chosen), copy, np.int32))
    all_predicates = np.concatenate(number_blocks)
    all_rows = np.vstack(row_blocks)
    program = demand.program
    heads = np.zeros(len(program.arity), np.bool_)
    heads[program.plans[4]] = True
    heads[predicates] = True
    fluent = heads[all_predicates]
    order = np.argsort(fluent, kind="stable")
    objects = [np.flatnonzero(column) for column in instances.type_matrix.T]
    type_objects = np.concatenate([*objects, np.zeros(0, np.int64)]).astype(np.int32)
    type_start = np.concatenate([[0], np.cumsum([len(column) for column in objects])]).astype(np.int32)
    asked_by = np.full(len(program.arity), -1, np.int32)
    for number, asked in demand.demands.items():
        asked_by[number] = asked
    capacity = 1 << 15
    while True:
        status, count, _, found, arguments, table, reasons = joins.derive(
            program.arity,
            np.ascontiguousarray(all_predicates[order]),
            np.ascontiguousarray(all_rows[order]),
            int(len(fluent) - fluent.sum()),
            *program.plans,
            *program.indexes,
            instances.type_matrix,
            type_start,
            type_objects,
            program.most_variables,
            capacity,
            3 * capacity,
            True,
            demand.increment,
            asked_by,
            len(goals) if impatient else -1,
            stop,
        )
        if status == 0:
            break
        if status == 2:
            raise Stopped
        capacity *= 4
    seeds = []
    for number, names in goals:
        out = np.empty(1, np.int32)
        atom_tables.look_up(
            table, found, arguments, number, np.asarray([names], np.int32).reshape(1, -1), out
        )
        if out[0] >= 0:
            seeds.append(out[0])
    marked = np.zeros(count, np.bool_)
    joins.trace(
        np.asarray(seeds, np.int32),
        reasons,
        table,
        found,
        arguments,
        program.arity,
        *demand.bodies,
        demand.ordinary,
        marked,
    )
    used = arguments[:count][marked]
    arity = program.arity[found[:count][marked]]
    used = used[np.arange(used.shape[1]) < arity[:, None]]
    return [int(i) for i in np.unique(used)]


def _constants(formula: Formula) -> Iterator[str]:
    """Names of objects in a formula."""
    match formula:
        case Atom(_, terms):
            yield from (t for t in terms if not t.startswith("?"))
        case Equals(left, right):
            yield from (t for t in (left, right) if not t.startswith("?"))
        case Not(operand):
            yield from _constants(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _constants(operand)
        case Forall(_, body) | Exists(_, body) | AtLeast(_, _, body):
            yield from _constants(body)


class _GoalAtoms:
    """Walks a goal for the ground literals that it may need, putting static atoms in."""

    def __init__(
        self,
        initial: frozenset[GroundAtom],
        static: frozenset[str],
        domain: Domain,
        problem: Problem,
        subtypes: Mapping[str, frozenset[str]],
    ) -> None:
        self.initial = initial
        self.static = static
        self.subtypes = subtypes
        self.typed = (*domain.constants, *problem.objects)
        self._objects: dict[tuple[str, ...], list[str]] = {}

    def objects(self, types: tuple[str, ...]) -> list[str]:
        found = self._objects.get(types)
        if found is None:
            wanted = frozenset[str]().union(*(self.subtypes.get(t, frozenset((t,))) for t in types))
            found = self._objects[types] = [
                o.name for o in self.typed if "object" in types or any(t in wanted for t in o.types)
            ]
        return found

    def truth(self, formula: Formula, binding: Mapping[str, str]) -> bool | None:
        """Truth of a static literal whose variables are bound, else None."""
        negated = isinstance(formula, Not)
        operand = formula.operand if isinstance(formula, Not) else formula
        if isinstance(operand, Atom) and operand.predicate in self.static:
            terms = [binding.get(t, t) for t in operand.terms]
            if any(t.startswith("?") for t in terms):
                return None
            return ((operand.predicate, *terms) in self.initial) != negated
        if isinstance(operand, Equals):
            left, right = binding.get(operand.left, operand.left), binding.get(operand.right, operand.right)
            if left.startswith("?") or right.startswith("?"):
                return None
            return (left == right) != negated
        return None

    def literals(self, formula: Formula, binding: dict[str, str]) -> Iterator[tuple[GroundAtom, bool]]:
        match formula:
            case Atom(predicate, terms):
                if predicate not in self.static:
                    yield (predicate, *(binding.get(t, t) for t in terms)), True
            case Not(Atom(predicate, terms)):
                if predicate not in self.static:
                    yield (predicate, *(binding.get(t, t) for t in terms)), False
            case And(operands):
                if all(self.truth(operand, binding) is not False for operand in operands):
                    for operand in operands:
                        yield from self.literals(operand, binding)
            case Or(operands):
                if all(self.truth(operand, binding) is not True for operand in operands):
                    for operand in operands:
                        yield from self.literals(operand, binding)
            case Exists(variables, body) | AtLeast(_, variables, body):
                yield from self._bindings(variables, body, conjuncts(body), binding)
            case Forall(variables, body):
                parts = body.operands if isinstance(body, Or) else (body,)
                yield from self._bindings(variables, body, [negation(part) for part in parts], binding)
            case Not(AtLeast(_, variables, body)):
                opposite = negation(body)
                yield from self._bindings(variables, opposite, conjuncts(opposite), binding)
            case _:
                return

    def _bindings(
        self, variables: Sequence[Typed], body: Formula, guards: Sequence[Formula], binding: dict[str, str]
    ) -> Iterator[tuple[GroundAtom, bool]]:
        if not variables:
            yield from self.literals(body, binding)
            return
        first, *rest = variables
        for name in self.objects(first.types):
            inner = {**binding, first.name: name}
            if all(self.truth(guard, inner) is not False for guard in guards):
                yield from self._bindings(rest, body, guards, inner)
