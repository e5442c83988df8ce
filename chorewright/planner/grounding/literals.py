"""Ground literals by tables: what each instance of an action or effect needs and makes true, compiled.

For every table of instances (an action's, a conditional effect's) the literals of its condition and the heads
of its effects are compiled once per domain; one call then puts in the objects of all instances. A disjunction
becomes clauses, of which static atoms mostly leave one literal or none; where they leave more, it is left to
``conditions``, as are parts that are neither literals nor disjunctions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Atom, Equals, Formula, Not, Or
from chorewright.jit.kernels import njit
from chorewright.planner.grounding.alternatives import FALSE, NONE, Alternatives
from chorewright.planner.grounding.joins.tables import find, hash_row
from chorewright.planner.grounding.lifting import ActionRule
from chorewright.planner.grounding.normal_form import ConditionalEffect, conjuncts

TRUE_ATOM, FALSE_ATOM, EQUAL, UNEQUAL, ADD, DELETE = range(6)

MANY = -3
"""In place of a clause's literal: static atoms leave several."""

MOST_CLAUSES = 8


class LiteralProgram(NamedTuple):
    """What is evaluated for each instance of an action or a conditional effect: a table for each of them.

    Attributes:
        tables: The predicate of a table's instances, first entry, heads, first clause, clauses (tables x 5). A table's
            heads come first among its entries.
        clauses: A clause's first entry, entries, and whether something that is no literal might make it true, too
            (clauses x 3).
        entries: An entry's kind, predicate and first term (entries x 3).
        terms: The terms: a column of the instance, or object n as -n - 1.
    """

    tables: NDArray[np.int32]
    clauses: NDArray[np.int32]
    entries: NDArray[np.int32]
    terms: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class LiteralPart:
    """A part of a table's condition that may have to be evaluated as it is.

    It need not be for the instances where none of its columns (``first`` up to ``last``) is ``MANY``.
    """

    formula: Formula
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Tables:
    """A domain's literal program, and the parts of each table's condition that are no literals."""

    program: LiteralProgram
    parts: tuple[tuple[LiteralPart, ...], ...]


@dataclass(slots=True)
class _Compiler:
    """Lays out tables one after the other."""

    predicates: Mapping[str, int]
    objects: dict[str, int]
    tables: list[tuple[int, ...]] = field(default_factory=list)
    clauses: list[tuple[int, ...]] = field(default_factory=list)
    entries: list[tuple[int, ...]] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    parts: list[tuple[LiteralPart, ...]] = field(default_factory=list)

    def table(
        self, instances: int, columns: Sequence[str], effects: Sequence[ConditionalEffect], condition: Formula
    ) -> None:
        first = len(self.entries)
        for effect in effects:
            for kind, atoms in ((ADD, effect.adds), (DELETE, effect.deletes)):
                for atom in atoms:
                    self.entry(kind, self.predicates[atom.predicate], atom.terms, columns)
        heads = len(self.entries) - first
        first_clause = len(self.clauses)
        parts = []
        for part in conjuncts(condition):
            before = len(self.clauses) - first_clause
            clauses, rest = _clauses(part)
            for clause in clauses:
                self.clauses.append((len(self.entries), len(clause), rest))
                for literal in clause:
                    self.literal(literal, columns)
            if not _is_literal(part):
                parts.append(LiteralPart(part, before, len(self.clauses) - first_clause))
        self.tables.append((instances, first, heads, first_clause, len(self.clauses) - first_clause))
        self.parts.append(tuple(parts))

    def literal(self, literal: Formula, columns: Sequence[str]) -> None:
        negated = isinstance(literal, Not)
        operand = literal.operand if isinstance(literal, Not) else literal
        if isinstance(operand, Atom):
            kind = FALSE_ATOM if negated else TRUE_ATOM
            self.entry(kind, self.predicates[operand.predicate], operand.terms, columns)
        elif isinstance(operand, Equals):
            self.entry(UNEQUAL if negated else EQUAL, -1, (operand.left, operand.right), columns)

    def entry(self, kind: int, predicate: int, terms: Sequence[str], columns: Sequence[str]) -> None:
        self.entries.append((kind, predicate, len(self.terms)))
        self.terms.extend(columns.index(t) if t.startswith("?") else -self.objects[t] - 1 for t in terms)


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula.operand if isinstance(formula, Not) else formula, Atom | Equals)


def _clauses(formula: Formula) -> tuple[list[tuple[Formula, ...]], bool]:
    """Clauses of literals that a formula implies, and whether it may hold though one of them does not.

    They are all that it says, except for disjuncts that are no conjunctions of literals; where no literals
    can tell, or the clauses would be many, there are none.
    """
    disjuncts = formula.operands if isinstance(formula, Or) else (formula,)
    plain = [conjuncts(one) for one in disjuncts if all(map(_is_literal, conjuncts(one)))]
    size = 1
    for literals in plain:
        size *= len(literals)
    if not plain or size > MOST_CLAUSES:
        return [], True
    return list(product(*plain)), len(plain) < len(disjuncts)


def literal_tables(actions: Sequence[ActionRule], predicates: Mapping[str, int], constants: Sequence[str]) -> Tables:
    """Compile the tables of all actions: each action's, followed by those of its conditional effects.

    Args:
        actions: The actions' rules.
        predicates: The number of each predicate.
        constants: The domain's constants; objects are numbered from them on.
    """
    compiler = _Compiler(predicates, {name: i for i, name in enumerate(constants)})
    for rule in actions:
        names = [p.name for p in rule.action.parameters]
        compiler.table(rule.predicate, names, rule.unconditional, rule.action.precondition)
        for effect in rule.conditional:
            compiler.table(effect.predicate, effect.columns, (effect.effect,), effect.effect.condition)
    program = LiteralProgram(
        np.asarray(compiler.tables, np.int32).reshape(-1, 5),
        np.asarray(compiler.clauses, np.int32).reshape(-1, 3),
        np.asarray(compiler.entries, np.int32).reshape(-1, 3),
        np.asarray(compiler.terms, np.int32).reshape(-1),
    )
    return Tables(program, tuple(compiler.parts))


@dataclass(frozen=True, slots=True)
class Instantiated:
    """The literals of all tables.

    Attributes:
        constant: Marks of the initial atoms that nothing reachable deletes; the last one is for "no atom".
        row_start: The first instance of each table (tables + 1).
        alive: Marks of the instances of which no literal is false.
        head_start: The first of each table's ``heads`` (tables + 1).
        heads: What each instance makes true: literals or ``NONE``, one instance after the other.
        literal_start: The first of each table's ``literals`` (tables + 1).
        literals: What each clause of an instance comes to, one instance after the other: a literal, ``NONE`` (true),
            ``FALSE``, or ``MANY`` if it is no literal.
    """

    constant: NDArray[np.bool_]
    row_start: NDArray[np.int64]
    alive: NDArray[np.bool_]
    head_start: NDArray[np.int64]
    heads: NDArray[np.int32]
    literal_start: NDArray[np.int64]
    literals: NDArray[np.int32]

    def condition(
        self, table: int, parts: Sequence[LiteralPart]
    ) -> tuple[Alternatives, list[tuple[Formula, NDArray[np.bool_] | None]]]:
        """Return what literals say of a table's instances, and the parts still to be evaluated.

        Args:
            table: The table's number.
            parts: The parts of its condition that may have to be evaluated as they are.

        Returns:
            The alternatives of the instances, one for each that is alive; and the parts, each with marks of the
            instances that it is to be evaluated for (None: all).
        """
        first, last = self.row_start[table], self.row_start[table + 1]
        kept = np.flatnonzero(self.alive[first:last])
        flat = self.literals[self.literal_start[table] : self.literal_start[table + 1]]
        if not len(flat):
            return Alternatives(kept, np.empty((len(kept), 0), np.int32)), [(p.formula, None) for p in parts]
        matrix = flat.reshape(last - first, -1)
        left: list[tuple[Formula, NDArray[np.bool_] | None]] = []
        for part in parts:
            if part.first == part.last:
                left.append((part.formula, None))
                continue
            several = (matrix[:, part.first : part.last] == MANY).any(axis=1)
            if several.any():
                matrix = matrix.copy()
                matrix[several, part.first : part.last] = NONE
                left.append((part.formula, several))
        return Alternatives(kept, matrix[kept][:, (matrix >= 0).any(axis=0)]), left

    def made(self, table: int) -> NDArray[np.int32]:
        """Return the literals that each of a table's instances makes true (instances x heads), padded with ``NONE``."""
        count = int(self.row_start[table + 1] - self.row_start[table])
        return self.heads[self.head_start[table] : self.head_start[table + 1]].reshape(count, -1)


@njit(cache=True, nogil=True)
def instantiate(program: Any, order: Any, starts: Any, atoms: Any, arity: Any, initial_count: Any, derived: Any) -> Any:
    """The fields of ``Instantiated``; ``order`` and ``starts`` give the atoms of each predicate."""
    tables, clauses, entries, terms = program
    atom_predicate, arguments, table = atoms
    size = tables.shape[0]
    row_start = np.zeros(size + 1, np.int64)
    head_start = np.zeros(size + 1, np.int64)
    literal_start = np.zeros(size + 1, np.int64)
    for t in range(size):
        rows = starts[tables[t, 0] + 1] - starts[tables[t, 0]]
        row_start[t + 1] = row_start[t] + rows
        head_start[t + 1] = head_start[t] + rows * tables[t, 2]
        literal_start[t + 1] = literal_start[t] + rows * tables[t, 4]
    heads = np.empty(head_start[size], np.int32)
    literals = np.empty(literal_start[size], np.int32)
    alive = np.ones(row_start[size], np.bool_)
    constant = np.zeros(atom_predicate.shape[0] + 1, np.bool_)
    for a in range(initial_count):
        constant[a] = not derived[atom_predicate[a]]
    scratch = np.zeros(arguments.shape[1] + 2, np.int32)
    for t in range(size):
        at = head_start[t]
        for r in range(starts[tables[t, 0]], starts[tables[t, 0] + 1]):
            for e in range(tables[t, 1], tables[t, 1] + tables[t, 2]):
                predicate = entries[e, 1]
                for i in range(arity[predicate]):
                    term = terms[entries[e, 2] + i]
                    scratch[i] = arguments[order[r], term] if term >= 0 else -term - 1
                atom = table[find(table, atom_predicate, arguments, predicate, scratch, arity[predicate])] - 1
                if entries[e, 0] == ADD:
                    heads[at] = 2 * atom
                elif atom < 0:
                    heads[at] = NONE
                else:
                    heads[at] = 2 * atom + 1
                    constant[atom] = False
                at += 1
    for t in range(size):
        at = literal_start[t]
        row = row_start[t]
        for r in range(starts[tables[t, 0]], starts[tables[t, 0] + 1]):
            for c in range(tables[t, 3], tables[t, 3] + tables[t, 4]):
                clause = FALSE if clauses[c, 2] == 0 else MANY
                for e in range(clauses[c, 0], clauses[c, 0] + clauses[c, 1]):
                    kind = entries[e, 0]
                    predicate = entries[e, 1]
                    length = arity[predicate] if predicate >= 0 else 2
                    for i in range(length):
                        term = terms[entries[e, 2] + i]
                        scratch[i] = arguments[order[r], term] if term >= 0 else -term - 1
                    if predicate < 0:
                        holds = (scratch[0] == scratch[1]) == (kind == EQUAL)
                        literal = NONE if holds else FALSE
                    else:
                        atom = table[find(table, atom_predicate, arguments, predicate, scratch, length)] - 1
                        if atom < 0:
                            literal = FALSE if kind == TRUE_ATOM else NONE
                        elif constant[atom]:
                            literal = NONE if kind == TRUE_ATOM else FALSE
                        else:
                            literal = 2 * atom + kind
                    if literal == NONE:
                        clause = NONE
                        break
                    if literal != FALSE:
                        clause = literal if clause == FALSE else MANY
                literals[at] = clause
                if clause == FALSE:
                    alive[row] = False
                at += 1
            row += 1
    return constant, row_start, alive, head_start, heads, literal_start, literals


@njit(cache=True, nogil=True)
def pair(left: Any, right: Any, most: Any) -> Any:
    """Pairs of rows with equal numbers, by rows of ``left``, then of ``right``; how many, and both numbers.

    If they are more than ``most``, only how many.
    """
    size = 16
    while size < 2 * right.shape[0]:
        size *= 2
    mask = np.uint64(size - 1)
    width = right.shape[1]
    first = np.full(size, -1, np.int32)
    following = np.full(right.shape[0], -1, np.int32)
    for r in range(right.shape[0] - 1, -1, -1):
        slot = hash_row(0, right[r], width) & mask
        following[r] = first[slot]
        first[slot] = r
    count = 0
    lefts = np.empty(0, np.int64)
    rights = np.empty(0, np.int64)
    for filling in range(2):
        if filling:
            if count > most:
                break
            lefts = np.empty(count, np.int64)
            rights = np.empty(count, np.int64)
        count = 0
        for i in range(left.shape[0]):
            r = first[hash_row(0, left[i], width) & mask]
            while r >= 0:
                same = True
                for k in range(width):
                    if right[r, k] != left[i, k]:
                        same = False
                        break
                if same:
                    if filling:
                        lefts[count] = i
                        rights[count] = r
                    count += 1
                r = following[r]
    return count, lefts, rights
