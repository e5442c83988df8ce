"""Abstraction by objects: left-out objects of one class are taken as one, whose facts are mostly ignored.

Costs in the abstract task never exceed the true ones: whatever an action does to concrete states, its image
does, or does more, to their images. A fact between a kept object and left-out ones is true if any of the
facts that it stands for is, and becomes false only where it belongs to a kept owner's group (see
``invariants``); facts of left-out objects alone count as true and false at once. The operators that an
abstract one stands for are remembered, so that an abstract plan can be tried on the task itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists
from chorewright.planner.search.search_kernels import grown

PRE, ADD, DELETE = 0, 1, 2
"""What an item of an operator's row is: ``4 * fact + kind``."""


@dataclass(frozen=True, slots=True, eq=False)
class Abstraction:
    """An abstract task and its relation to the one below.

    Attributes:
        task: The abstract task.
        fact_of: The abstract fact of each fact below; -1 for those that are ignored.
        members: The operators below that each abstract operator stands for.
        owners: For each family (rows) the owner of each abstract fact; -1 if it has none (families x facts).
    """

    task: Task
    fact_of: Int32
    members: CsrLists
    owners: Int32

    def image(self, facts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the abstract facts that are true in a state below, complements as well.

        Args:
            facts: Marks of the facts below that are true.

        Returns:
            A mark for each abstract fact; those that axioms decide are as ``facts`` has them.
        """
        bits = np.zeros(self.task.fact_count, np.bool_)
        bits[self.fact_of[facts & (self.fact_of >= 0)]] = True
        return bits


@njit(cache=True, nogil=True)
def _spends(o: Any, f: Any, m: Any, t: Any, fact_of: Any, owners: Any) -> Any:
    """Whether after the operator no fact with the image ``m``, merged of several, can be true.

    So it is where the operator requires and deletes, or replaces, the only fact of the owner's group.
    """
    pre_start, pre, effect_start, add_start, add, delete_start, delete = t
    first, last = effect_start[o], effect_start[o + 1]
    for k in range(owners.shape[0]):
        mine = owners[k, f]
        if mine < 0:
            continue
        for i in range(add_start[first], add_start[last]):
            if owners[k, add[i]] == mine and fact_of[add[i]] != m:
                return True
        for i in range(pre_start[o], pre_start[o + 1]):
            q = pre[i]
            if owners[k, q] != mine:
                continue
            if fact_of[q] != m:
                return True
            for j in range(delete_start[first], delete_start[last]):
                if delete[j] == q:
                    return True
    return False


@njit(cache=True, nogil=True)
def _row(o: Any, t: Any, fact_of: Any, merged: Any, owners: Any, useful: Any, row: Any) -> Any:
    """Write an operator's image; returns its length, 0 if it changes nothing."""
    pre_start, pre, effect_start, add_start, add, delete_start, delete = t
    first, last = effect_start[o], effect_start[o + 1]
    n = 0
    for i in range(pre_start[o], pre_start[o + 1]):
        m = fact_of[pre[i]]
        if m >= 0:
            row[n] = 4 * m + PRE
            n += 1
    for i in range(add_start[first], add_start[last]):
        m = fact_of[add[i]]
        if m >= 0:
            row[n] = 4 * m + ADD
            n += 1
    for i in range(delete_start[first], delete_start[last]):
        f = delete[i]
        m = fact_of[f]
        if m >= 0 and (not merged[m] or _spends(o, f, m, t, fact_of, owners)):
            row[n] = 4 * m + DELETE
            n += 1
    for i in range(1, n):
        item = row[i]
        j = i - 1
        while j >= 0 and row[j] > item:
            row[j + 1] = row[j]
            j -= 1
        row[j + 1] = item
    # What is required and added, or deleted and added, or named twice, is said once.
    size = 0
    changes = False
    i = 0
    while i < n:
        m = row[i] >> 2
        has = np.zeros(3, np.bool_)
        while i < n and row[i] >> 2 == m:
            has[row[i] & 3] = True
            i += 1
        if has[PRE]:
            row[size] = 4 * m + PRE
            size += 1
        if has[ADD]:
            if not has[PRE]:
                row[size] = 4 * m + ADD
                size += 1
                changes = True
        elif has[DELETE]:
            row[size] = 4 * m + DELETE
            size += 1
            changes = changes or useful[m]
    return size if changes else 0


@njit(cache=True, nogil=True)
def _images(t: Any, cost: Any, fact_of: Any, merged: Any, owners: Any, useful: Any) -> Any:
    """The different images of all operators.

    Returns each operator's image (-1: it changes nothing), the images' starts and items, their costs,
    and an operator of each.
    """
    pre_start, _, effect_start, add_start, _, delete_start, _ = t
    number = np.full(cost.shape[0], -1, np.int32)
    width = 0
    for o in range(cost.shape[0]):
        first, last = effect_start[o], effect_start[o + 1]
        width = max(
            width,
            pre_start[o + 1]
            - pre_start[o]
            + add_start[last]
            - add_start[first]
            + delete_start[last]
            - delete_start[first],
        )
    row = np.empty(width + 1, np.int64)
    starts = np.zeros(1025, np.int64)
    items = np.empty(8192, np.int64)
    costs = np.empty(1024, np.int64)
    one = np.empty(1024, np.int64)
    table = np.zeros(4096, np.int32)
    count = 0
    for o in range(cost.shape[0]):
        size = _row(o, t, fact_of, merged, owners, useful, row)
        if size == 0:
            continue
        code = np.uint64(cost[o]) * np.uint64(0x9E3779B97F4A7C15)
        for i in range(size):
            code = (code ^ np.uint64(row[i])) * np.uint64(0xBF58476D1CE4E5B9)
            code ^= code >> np.uint64(29)
        slot = np.int64(code & np.uint64(table.shape[0] - 1))
        while table[slot] != 0:
            other = table[slot] - 1
            same = costs[other] == cost[o] and starts[other + 1] - starts[other] == size
            i = 0
            while same and i < size:
                same = items[starts[other] + i] == row[i]
                i += 1
            if same:
                break
            slot = (slot + 1) & (table.shape[0] - 1)
        if table[slot] != 0:
            number[o] = table[slot] - 1
            continue
        if count + 1 >= costs.shape[0]:
            starts = grown(starts)
            costs = grown(costs)
            one = grown(one)
        while starts[count] + size > items.shape[0]:
            items = grown(items)
        for i in range(size):
            items[starts[count] + i] = row[i]
        starts[count + 1] = starts[count] + size
        costs[count] = cost[o]
        one[count] = o
        number[o] = count
        count += 1
        table[slot] = count
        if 3 * count > table.shape[0]:
            table = _rehash(table, starts, items, costs, count)
    return number, starts[: count + 1], items[: starts[count]], costs[:count], one[:count]


@njit(cache=True, nogil=True)
def _rehash(table: Any, starts: Any, items: Any, costs: Any, count: Any) -> Any:
    larger = np.zeros(2 * table.shape[0], np.int32)
    for c in range(count):
        code = np.uint64(costs[c]) * np.uint64(0x9E3779B97F4A7C15)
        for i in range(starts[c], starts[c + 1]):
            code = (code ^ np.uint64(items[i])) * np.uint64(0xBF58476D1CE4E5B9)
            code ^= code >> np.uint64(29)
        slot = np.int64(code & np.uint64(larger.shape[0] - 1))
        while larger[slot] != 0:
            slot = (slot + 1) & (larger.shape[0] - 1)
        larger[slot] = c + 1
    return larger


def abstract(task: Task, owners: Int32, cost: Int64, classes: Int32, settled: NDArray[np.bool_]) -> Abstraction:
    """Return the task with some objects taken as one.

    Args:
        task: A task without conditional effects in which axioms decide auxiliary facts of the goal only.
        owners: For each family (rows) the owner of each fact; -1 if it has none (families x facts).
        cost: The operators' costs, in integer units.
        classes: For each object -1 if it is kept, else its class, from 0.
        settled: Marks of the facts that the goal is not to ask for; leaving them out lowers costs at most.
    """
    names, object_of = _objects(task, classes)
    # One more than there are objects: that is where -1, for no object, leads.
    kept = np.append(classes < 0, False)
    named = task.fact_predicate >= 0
    arguments = np.where(task.fact_arguments >= 0, object_of[task.fact_arguments], -1)
    whole = np.asarray(np.where(task.fact_arguments >= 0, kept[task.fact_arguments], True).all(axis=1))
    tracked = np.asarray(((task.fact_arguments >= 0) & kept[task.fact_arguments]).any(axis=1))
    positive = np.flatnonzero(named & (whole | tracked))
    code = np.column_stack((task.fact_predicate[positive], arguments[positive]))
    rows, first, inverse = np.unique(code, axis=0, return_index=True, return_inverse=True)
    fact_of = np.full(task.fact_count, -1, np.int32)
    fact_of[positive] = inverse.reshape(-1)
    complements = np.flatnonzero(~named & ~task.derived)
    complements = complements[whole[task.complement[complements]]]
    fact_of[complements] = len(rows) + np.arange(len(complements))
    auxiliary = np.flatnonzero(~named & task.derived)
    fact_of[auxiliary] = len(rows) + len(complements) + np.arange(len(auxiliary))
    count = len(rows) + len(complements) + len(auxiliary)

    complement = np.full(count, -1, np.int32)
    complement[fact_of[complements]] = fact_of[task.complement[complements]]
    complement[fact_of[task.complement[complements]]] = fact_of[complements]
    merged = np.zeros(count, np.bool_)
    merged[: len(rows)] = ~whole[positive[first]]
    derived = np.zeros(count, np.bool_)
    derived[len(rows) + len(complements) :] = True

    kept_owners = np.where((owners >= 0) & kept[owners], owners, -1).astype(np.int32)
    number, starts, items, costs, one = _images(
        task.operator_arrays(), cost, fact_of, merged, kept_owners, complement >= 0
    )
    new_owners = np.full((len(owners), count), -1, np.int32)
    new_owners[:, : len(rows)] = kept_owners[:, positive[first]]
    new_owners = np.where(new_owners >= 0, object_of[new_owners], -1).astype(np.int32)
    goal, head, body, stratum = _goal(task, fact_of, settled)
    fact_arguments = np.full((count, task.fact_arguments.shape[1]), -1, np.int32)
    fact_arguments[: len(rows)] = rows[:, 1:]
    predicate = np.full(count, -1, np.int32)
    predicate[: len(rows)] = rows[:, 0]
    operator_arguments = task.operator_arguments[one]
    operator_arguments = np.where(operator_arguments >= 0, object_of[operator_arguments], -1)
    result = replace(
        task,
        fact_count=count,
        complement=complement,
        derived=derived,
        initial=np.zeros(count, np.bool_),
        goal=goal,
        axiom_head=head,
        axiom_body=body,
        axiom_stratum=stratum,
        operator_action=task.operator_action[one],
        operator_arguments=operator_arguments.astype(np.int32),
        operator_arity=task.operator_arity[one],
        objects=names,
        fact_predicate=predicate,
        fact_arguments=fact_arguments,
        fact_arity=np.where(predicate >= 0, (fact_arguments >= 0).sum(axis=1), 0).astype(np.int32),
        **_operators(starts, items, costs),
    )
    used = np.flatnonzero(number >= 0)
    members = lists(len(costs), number[used].astype(np.int64), used.astype(np.int32))
    return Abstraction(result, fact_of, members, new_owners)


def _objects(task: Task, classes: Int32) -> tuple[tuple[str, ...], Int64]:
    """The abstract objects' names, the kept ones first, and the number of each object's image (-1's: -1)."""
    kept = np.flatnonzero(classes < 0)
    object_of = np.full(len(classes) + 1, -1, np.int64)
    object_of[kept] = np.arange(len(kept))
    left_out = np.flatnonzero(classes >= 0)
    object_of[left_out] = len(kept) + classes[left_out]
    names = [task.objects[i] for i in kept]
    names += [f"#{number}" for number in range(int(classes.max(initial=-1)) + 1)]
    return tuple(names), object_of


def _operators(starts: Int64, items: Int64, costs: Int64) -> dict[str, Any]:
    """The arrays of a task that describe operators with one effect each."""
    count = len(costs)
    owner = np.repeat(np.arange(count), np.diff(starts))
    kind = items & 3
    facts = (items >> 2).astype(np.int32)
    none = CsrLists(np.zeros(count + 1, np.int64), np.zeros(0, np.int32))
    return {
        "precondition": lists(count, owner[kind == PRE], facts[kind == PRE]),
        "cost": costs.astype(np.float64),
        "effect_start": np.arange(count + 1, dtype=np.int64),
        "effect_condition": none,
        "effect_add": lists(count, owner[kind == ADD], facts[kind == ADD]),
        "effect_delete": lists(count, owner[kind == DELETE], facts[kind == DELETE]),
    }


def find_holding_axioms(task: Task, true: NDArray[np.bool_]) -> set[int]:
    """The heads of axioms that hold."""
    held: set[int] = set()
    rows = [task.axiom_body.of(axiom) for axiom in range(len(task.axiom_head))]
    while True:
        found = {
            int(head)
            for head, body in zip(task.axiom_head, rows, strict=True)
            if all(true[f] or f in held for f in body)
        }
        if found == held:
            return held
        held = found


def _goal(task: Task, fact_of: Int32, settled: NDArray[np.bool_]) -> tuple[Int32, Int32, CsrLists, Int32]:
    """The goal and its axioms without what is settled or ignored, nor what then holds by itself."""
    open_facts = ~settled & (fact_of >= 0)
    bodies = [[f for f in task.axiom_body.of(a) if open_facts[f]] for a in range(len(task.axiom_head))]
    given = find_holding_axioms(task, ~open_facts)
    chosen = [a for a in range(len(bodies)) if int(task.axiom_head[a]) not in given]
    goal = [f for f in task.goal.tolist() if open_facts[f] and f not in given]
    pairs = [(i, fact_of[f]) for i, a in enumerate(chosen) for f in bodies[a] if f not in given]
    owner = np.asarray([i for i, _ in pairs], np.int64)
    facts = np.asarray([f for _, f in pairs], np.int32)
    return (
        np.unique(fact_of[goal]).astype(np.int32) if goal else np.zeros(0, np.int32),
        fact_of[task.axiom_head[chosen]].astype(np.int32),
        lists(len(chosen), owner, facts),
        task.axiom_stratum[chosen],
    )
