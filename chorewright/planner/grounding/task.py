"""The integer-encoded planning task: facts, operators with conditional effects, axioms and the goal as
arrays.

Every condition is a list of facts that must be true. A fact is a ground atom, the complement of one (only
where a condition asks for its absence), or an auxiliary fact that stands for a disjunction. States are
packed bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.planner.plan import GroundAction

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

OperatorArrays = tuple[Int64, Int32, Int64, Int64, Int32, Int64, Int32]
"""Operators as kernels take them: starts and items of preconditions, starts of effects, additions, deletions."""


class CsrLists(NamedTuple):
    """Lists of integers, one after the other: list ``i`` is ``items[start[i]:start[i + 1]]``.

    Attributes:
        start: The first item of each list, and one number past the last (lists + 1).
        items: The items of all lists.
    """

    start: Int64
    items: Int32

    def of(self, i: int, end: int | None = None) -> list[int]:
        """List ``i``, or those from it to before ``end`` in one, as Python's integers."""
        return [int(x) for x in self.items[self.start[i] : self.start[i + 1 if end is None else end]]]

    @property
    def size(self) -> int:
        """How many lists there are."""
        return len(self.start) - 1

    def owners(self) -> Int64:
        """The list that each item is in."""
        return np.repeat(np.arange(self.size), np.diff(self.start))

    def rows(self, chosen: Int64 | Int32) -> CsrLists:
        """Some of the lists, in the order given."""
        length = self.start[chosen + 1] - self.start[chosen]
        start = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(length, out=start[1:])
        position = np.arange(start[-1]) + np.repeat(self.start[chosen] - start[:-1], length)
        return CsrLists(start, np.ascontiguousarray(self.items[position]))

    def invert(self, size: int) -> CsrLists:
        """For each of so many items the lists that it is in, ascending."""
        return lists(size, self.items.astype(np.int64), self.owners().astype(np.int32))


def distinct(values: Int64) -> Int64:
    """Distinct values, ascending; by sorting, since numpy's hashing ``unique`` is slow on regular numbers."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def lists(size: int, owners: Int64, items: Int32) -> CsrLists:
    """Make lists from (owner, item) pairs, each list in the order of the pairs.

    Args:
        size: How many lists there are.
        owners: The list that each item goes into.
        items: The items.
    """
    order = np.argsort(owners, kind="stable")
    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=size), out=start[1:])
    return CsrLists(start, np.ascontiguousarray(items[order], dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A grounded task.

    Facts, operators, effects, axioms, objects and names are numbered from 0. Effects are sorted by operator, axioms by
    stratum.

    Attributes:
        fact_count: How many facts there are.
        complement: For each fact the one that is true just when it is false; -1 if there is none.
        derived: Marks of the facts that axioms alone decide.
        initial: Marks of the facts that are true in the initial state.
        goal: The facts that are to be true.
        precondition: The facts that each operator needs.
        cost: What each operator adds to the metric, in the problem's unit.
        effect_start: Each operator's first effect, and one number past the last (operators + 1).
        effect_condition: The facts that each effect needs besides the precondition.
        effect_add: The facts that each effect makes true.
        effect_delete: The facts that each effect makes false.
        axiom_head: The fact that each axiom derives.
        axiom_body: The facts that each axiom needs.
        axiom_stratum: The stratum of each axiom.
        action_names: The names of the action schemas.
        operator_action: The schema of each operator.
        operator_arguments: The objects that each operator is applied to (operators x most parameters; the rest is -1).
        operator_arity: How many objects each operator is applied to.
        objects: The objects' names.
        fact_names: The predicates' names.
        fact_predicate: The predicate of each fact; -1 for complements and auxiliary facts.
        fact_arguments: The objects of each fact (facts x most arguments; the rest is -1).
        fact_arity: How many objects each fact has.
    """

    fact_count: int
    complement: Int32
    derived: NDArray[np.bool_]
    initial: NDArray[np.bool_]
    goal: Int32
    precondition: CsrLists
    cost: NDArray[np.float64]
    effect_start: Int64
    effect_condition: CsrLists
    effect_add: CsrLists
    effect_delete: CsrLists
    axiom_head: Int32
    axiom_body: CsrLists
    axiom_stratum: Int32
    action_names: tuple[str, ...]
    operator_action: Int32
    operator_arguments: Int32
    operator_arity: Int32
    objects: tuple[str, ...]
    fact_names: tuple[str, ...]
    fact_predicate: Int32
    fact_arguments: Int32
    fact_arity: Int32

    @property
    def operator_count(self) -> int:
        """How many operators there are."""
        return len(self.cost)

    @property
    def size(self) -> int:
        """How many effects and axioms there are: about in proportion to the time that an evaluation takes."""
        return int(self.effect_start[-1]) + len(self.axiom_head)

    def action(self, operator: int) -> GroundAction:
        """The ground action that an operator stands for."""
        arguments = self.operator_arguments[operator, : self.operator_arity[operator]]
        name = self.action_names[self.operator_action[operator]]
        return GroundAction(name, tuple(self.objects[i] for i in arguments))

    def atom(self, fact: int) -> GroundAtom | None:
        """The ground atom of a fact, or None for complements and auxiliary facts."""
        if self.fact_predicate[fact] < 0:
            return None
        arguments = self.fact_arguments[fact, : self.fact_arity[fact]]
        return (self.fact_names[self.fact_predicate[fact]], *(self.objects[i] for i in arguments))

    def with_operators(self, chosen: Int64) -> Task:
        """The task with only some of its operators, in the order in which they are to be numbered."""
        effects = CsrLists(self.effect_start, np.arange(self.effect_start[-1], dtype=np.int32)).rows(chosen)
        return replace(
            self,
            precondition=self.precondition.rows(chosen),
            cost=self.cost[chosen],
            effect_start=effects.start,
            effect_condition=self.effect_condition.rows(effects.items),
            effect_add=self.effect_add.rows(effects.items),
            effect_delete=self.effect_delete.rows(effects.items),
            operator_action=self.operator_action[chosen],
            operator_arguments=self.operator_arguments[chosen],
            operator_arity=self.operator_arity[chosen],
        )

    def operator_arrays(self) -> OperatorArrays:
        """The operators as kernels take them; only where none has conditional effects."""
        return (*self.precondition, self.effect_start, *self.effect_add, *self.effect_delete)

    def without_axioms(self) -> Task:
        """The task without axioms, for goals and operators that read nothing derived."""
        none = np.zeros(0, np.int32)
        return replace(
            self,
            derived=np.zeros_like(self.derived),
            axiom_head=none,
            axiom_body=CsrLists(np.zeros(1, np.int64), none),
            axiom_stratum=none,
        )

    def words(self) -> int:
        """How many 64-bit words a packed state has."""
        return max(1, (self.fact_count + 63) // 64)


def pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack truth values into 64-bit words, least significant bit first.

    Args:
        bits: A truth value for each fact.

    Returns:
        The words, one at least; the bits past the last fact are 0.
    """
    size = max(1, (len(bits) + 63) // 64) * 64
    padded = np.zeros(size, np.uint8)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)
