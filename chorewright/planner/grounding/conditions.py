"""Ground conditions by columns: a formula over a table of bindings becomes alternatives of literals.

Each row of the table binds the formula's free variables. Facts that never change are put in, disjunctions
that would multiply become auxiliary facts with rules of their own, so nothing grows exponentially.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.subformulas import ordered_variables
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Equals, Exists, Forall, Formula, Not, Or, Typed
from chorewright.planner.grounding import alternatives
from chorewright.planner.grounding.joins.derivation import MemoryBudget
from chorewright.planner.grounding.literals import pair
from chorewright.planner.grounding.normal_form import conjuncts, negation
from chorewright.planner.grounding.numbering import NumberedObjects
from chorewright.planner.grounding.reachability import Reached

MOST_SPLITS = 6
"""At most so many alternatives are multiplied out; beyond, a disjunction becomes an auxiliary fact."""


@dataclass(slots=True)
class Grounder:
    """Evaluates formulas over tables of bindings.

    A table has one row of object numbers for each binding and one column for each variable; the columns' names are
    passed with it. Literals are ``2 * fact`` and ``2 * fact + 1`` (negated). Facts are atoms, then auxiliary facts.

    Attributes:
        reached: The reachable atoms.
        predicates: The predicates' numbers.
        objects: The problem's objects.
        objects_of: Gives the numbers of the objects that are of any of some types, ascending.
        constant: Marks of the atoms that always hold; the last one is for "no atom".
        auxiliary: The auxiliary facts; evaluation adds to them.
        memory: What the tables may take.
    """

    reached: Reached
    predicates: Mapping[str, int]
    objects: NumberedObjects
    objects_of: Callable[[tuple[str, ...]], alternatives.Rows]
    constant: NDArray[np.bool_]
    auxiliary: alternatives.AuxiliaryFacts
    memory: MemoryBudget

    def column(self, term: str, names: Sequence[str], rows: alternatives.Rows) -> NDArray[np.int32]:
        """The object that a variable or constant stands for in each row."""
        if term.startswith("?"):
            return rows[:, names.index(term)]
        return np.full(len(rows), self.objects.numbers[term], np.int32)

    def atoms(self, atom: Atom, names: Sequence[str], rows: alternatives.Rows) -> NDArray[np.int32]:
        """Find the atoms that a pattern stands for.

        Args:
            atom: The pattern.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).

        Returns:
            The atom number of each row; -1 where it is not reachable.
        """
        arguments = np.empty((len(rows), len(atom.terms)), np.int32)
        for i, term in enumerate(atom.terms):
            arguments[:, i] = self.column(term, names, rows)
        return self.reached.atoms.look_up(self.predicates[atom.predicate], arguments)

    def literals(self, formula: Formula, names: Sequence[str], rows: alternatives.Rows) -> NDArray[np.int32] | None:
        """Evaluate a formula that may be a literal.

        Args:
            formula: The formula.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).

        Returns:
            One literal for each row (``NONE``: true, ``FALSE``: false); None if the formula is not a literal.
        """
        negated = isinstance(formula, Not)
        operand = formula.operand if isinstance(formula, Not) else formula
        if isinstance(operand, Atom):
            found = self.atoms(operand, names, rows)
            always = (found >= 0) & self.constant[found]
            if negated:
                return np.where(
                    found < 0, alternatives.NONE, np.where(always, alternatives.FALSE, 2 * found + 1)
                ).astype(np.int32)
            return np.where(found < 0, alternatives.FALSE, np.where(always, alternatives.NONE, 2 * found)).astype(
                np.int32
            )
        if isinstance(operand, Equals):
            same = self.column(operand.left, names, rows) == self.column(operand.right, names, rows)
            return np.where(same != negated, alternatives.NONE, alternatives.FALSE).astype(np.int32)
        return None

    def evaluate(self, formula: Formula, names: Sequence[str], rows: alternatives.Rows) -> alternatives.Alternatives:
        """Evaluate a formula in negation normal form for each row.

        Args:
            formula: The formula; its free variables are among ``names``.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).

        Raises:
            OutOfMemory, LimitError: a quantifier's table is too large; see ``MemoryBudget.check``.
        """
        columns: list[NDArray[np.int32]] = []
        others: list[Formula] = []
        alive = np.ones(len(rows), np.bool_)
        for part in conjuncts(formula):
            literals = self.literals(part, names, rows)
            if literals is None:
                others.append(part)
                continue
            alive &= literals != alternatives.FALSE
            if (literals >= 0).any():
                columns.append(literals)
        kept = np.flatnonzero(alive)
        matrix = np.stack([c[kept] for c in columns], axis=1) if columns else np.empty((len(kept), 0), np.int32)
        return self.conjoin(alternatives.Alternatives(kept, matrix), [(part, None) for part in others], names, rows)

    def conjoin(
        self,
        result: alternatives.Alternatives,
        others: Sequence[tuple[Formula, NDArray[np.bool_] | None]],
        names: Sequence[str],
        rows: alternatives.Rows,
    ) -> alternatives.Alternatives:
        """Alternatives (one per row at most) and further parts of their rows' condition, none a literal.

        A part with flags is a condition of the flagged rows only.

        Args:
            result: The alternatives of the rows so far.
            others: The parts, each with a flag for each row, or None for all rows.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).
        """
        size = len(rows)
        splits = 1
        for part, flags in others:
            if not len(result.rows):
                break
            present = np.unique(result.rows) if splits > 1 else result.rows
            if flags is not None:
                present = present[flags[present]]
            used = [n for n in ordered_variables(part) if n in names]
            projected = rows[present][:, [names.index(n) for n in used]]
            unique, inverse = self.distinct(projected)
            child = alternatives.simplify(self.compound(part, used, unique))
            count = len(unique)
            most = int(child.counts(count).max(initial=0))
            if most > 1 and splits * most > MOST_SPLITS:
                child = self.auxiliary.single(child, count)
                most = 1
            splits *= max(1, most)
            where = np.full(size, count, np.int64)
            where[present] = inverse
            if flags is not None:
                # For the other rows one alternative that asks for nothing.
                child = alternatives.merge(
                    [child, alternatives.Alternatives(np.full(1, count), np.empty((1, 0), np.int32))]
                )
                count += 1
            result = alternatives.combine(result, where, child, count)
        return result

    def distinct(self, rows: alternatives.Rows) -> tuple[alternatives.Rows, NDArray[np.int64]]:
        """Leave out repeated rows; the order does not depend on how they were given.

        Returns:
            The distinct rows, and the place of each row's among them.
        """
        if rows.shape[1] == 0:
            return rows[:1], np.zeros(len(rows), np.int64)
        code = self.code(rows)
        _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        return rows[first], inverse.reshape(-1).astype(np.int64)

    def code(self, rows: alternatives.Rows) -> NDArray[np.int64]:
        """One number per row of objects, equal for equal rows."""
        base = len(self.objects.names) + 1
        code = np.zeros(len(rows), np.int64)
        room = 1
        for i in range(rows.shape[1]):
            room *= base
            if room > 2**62:
                _, inverse = np.unique(code, return_inverse=True)
                code = inverse.reshape(-1).astype(np.int64)
                room = (len(rows) + 1) * base
            code = code * base + rows[:, i]
        return code

    def compound(self, formula: Formula, names: Sequence[str], rows: alternatives.Rows) -> alternatives.Alternatives:
        """Evaluate a formula that is no literal, operator by operator; for the rest see ``evaluate``."""
        match formula:
            case Or(operands):
                parts = [self.evaluate(operand, names, rows) for operand in operands]
                return alternatives.merge(parts)
            case Exists(variables, body):
                owner, inner, table = self.expand(variables, body, names, rows)
                found = self.evaluate(body, inner, table)
                return alternatives.in_order(alternatives.Alternatives(owner[found.rows], found.literals))
            case Forall(variables, body):
                return self.universal(variables, body, names, rows)
            case AtLeast(count, variables, body):
                owner, inner, table = self.expand(variables, body, names, rows)
                return self.counted(np.full(len(rows), count), owner, self.evaluate(body, inner, table), len(table))
            case Not(AtLeast(count, variables, body)):
                owner, inner, table = self.cross(variables, names, rows)
                needed = np.bincount(owner, minlength=len(rows)) - count + 1
                return self.counted(needed, owner, self.evaluate(negation(body), inner, table), len(table))
            case _:
                return self.evaluate(formula, names, rows)

    def universal(
        self, variables: Sequence[Typed], body: Formula, names: Sequence[str], rows: alternatives.Rows
    ) -> alternatives.Alternatives:
        """Evaluate a universal quantifier: what its bindings ask for, taken together."""
        # What makes the body fail is joined first: only bindings where every guard holds can matter.
        guards = [negation(part) for part in (body.operands if isinstance(body, Or) else (body,))]
        positive = And(tuple(g for g in guards if isinstance(g, Atom)))
        owner, inner, table = self.expand(variables, positive, names, rows)
        found = self.auxiliary.single(alternatives.simplify(self.evaluate(body, inner, table)), len(table))
        holds = np.bincount(owner, minlength=len(rows)) == np.bincount(owner[found.rows], minlength=len(rows))
        alternative, _ = np.nonzero(found.literals >= 0)
        literal = found.literals[found.literals >= 0]
        pairs = np.unique(np.stack([owner[found.rows[alternative]], literal], axis=1), axis=0)
        pairs = pairs[holds[pairs[:, 0]]] if len(pairs) else pairs.reshape(0, 2)
        counts = np.bincount(pairs[:, 0], minlength=len(rows))
        matrix = np.full((len(rows), int(counts.max(initial=0))), alternatives.NONE, np.int32)
        position = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
        matrix[pairs[:, 0], position] = pairs[:, 1]
        kept = np.flatnonzero(holds)
        return alternatives.Alternatives(kept, matrix[kept])

    def counted(
        self, needed: NDArray[np.int64], owner: NDArray[np.int64], found: alternatives.Alternatives, size: int
    ) -> alternatives.Alternatives:
        """Evaluate "at least so many bindings hold", through a chain of auxiliary counting facts.

        Args:
            needed: How many bindings must hold, for each row.
            owner: The row that each binding belongs to.
            found: The alternatives of the bindings.
            size: How many bindings there are.
        """
        literals = self.auxiliary.single(alternatives.simplify(found), size, always=True)
        choices: list[list[int]] = [[] for _ in needed]
        for row, literal in zip(owner[literals.rows].tolist(), literals.literals.tolist(), strict=True):
            choices[row].append(literal[0] if literal else alternatives.NONE)
        rows: list[int] = []
        bodies: list[tuple[int, ...]] = []
        for row, options in enumerate(choices):
            open_ = [literal for literal in options if literal != alternatives.NONE]
            count = int(needed[row]) - (len(options) - len(open_))
            for body in self.auxiliary.at_least(count, open_):
                rows.append(row)
                bodies.append(body)
        return alternatives.Alternatives(np.asarray(rows, np.int64), alternatives.pad(bodies))

    def cross(
        self, variables: Sequence[Typed], names: Sequence[str], rows: alternatives.Rows
    ) -> tuple[NDArray[np.int64], list[str], alternatives.Rows]:
        """Every row with every binding of the variables: the row each came from, column names, table."""
        return self.expand(variables, And(()), names, rows)

    def expand(
        self, variables: Sequence[Typed], body: Formula, names: Sequence[str], rows: alternatives.Rows
    ) -> tuple[NDArray[np.int64], list[str], alternatives.Rows]:
        """Bind variables: each row with the bindings for which the body's positive atoms are reachable.

        Args:
            variables: The variables.
            body: The formula that they are bound in.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).

        Returns:
            The row that each new row came from, the names of its columns, and the new rows.

        Raises:
            OutOfMemory, LimitError: the table is too large; see ``MemoryBudget.check``.
        """
        owner = np.arange(len(rows), dtype=np.int64)
        table = rows
        inner = list(names)
        waiting = {v.name: v for v in variables}
        atoms = [part for part in conjuncts(body) if isinstance(part, Atom)]
        while waiting:
            joinable = [a for a in atoms if any(t in waiting for t in a.terms) and _once(a, waiting)]
            if joinable:
                atom = min(joinable, key=lambda a: sum(t in waiting for t in a.terms))
                atoms.remove(atom)
                select, fresh = self.join(atom, inner, table, waiting)
                added = [t for t in atom.terms if t in waiting]
                owner, table = owner[select], np.hstack([table[select], fresh])
                inner.extend(added)
                for name in added:
                    allowed = self.objects_of(waiting.pop(name).types)
                    fits = np.isin(table[:, inner.index(name)], allowed)
                    if not fits.all():
                        owner, table = owner[fits], table[fits]
            else:
                name = next(iter(waiting))
                allowed = self.objects_of(waiting.pop(name).types)
                width = len(inner) + 1
                self.memory.check(len(table) * len(allowed), width, "a quantifier would take")
                owner = np.repeat(owner, len(allowed))
                fresh = np.tile(allowed, len(table)).reshape(-1, 1).astype(np.int32)
                table = np.hstack([np.repeat(table, len(allowed), axis=0), fresh])
                inner.append(name)
        return owner, inner, table

    def join(
        self, atom: Atom, names: Sequence[str], rows: alternatives.Rows, waiting: dict[str, Typed]
    ) -> tuple[NDArray[np.int64], alternatives.Rows]:
        """Join rows with the reachable atoms that match a pattern.

        Args:
            atom: The pattern.
            names: The variable of each column.
            rows: Object numbers (bindings x variables).
            waiting: The variables that are not bound yet, by name.

        Returns:
            For each match the row's place, and the objects of the pattern's new variables (matches x new variables).

        Raises:
            OutOfMemory, LimitError: there are too many matches; see ``MemoryBudget.check``.
        """
        relation = self.reached.atoms.arguments[self.reached.atoms_of(self.predicates[atom.predicate])]
        keys = [i for i, t in enumerate(atom.terms) if t not in waiting]
        fresh = [i for i, t in enumerate(atom.terms) if t in waiting]
        left = np.empty((len(rows), len(keys)), np.int32)
        for j, i in enumerate(keys):
            left[:, j] = self.column(atom.terms[i], names, rows)
        width = rows.shape[1] + len(fresh)
        present = np.ascontiguousarray(relation[:, keys])
        count, select, position = pair(left, present, self.memory.rows(width))
        self.memory.check(count, width, "a quantifier would take")
        return select, relation[position][:, fresh]


def _once(atom: Atom, waiting: dict[str, Typed]) -> bool:
    """Whether no waiting variable occurs twice in the atom."""
    fresh = [t for t in atom.terms if t in waiting]
    return len(fresh) == len(set(fresh))
