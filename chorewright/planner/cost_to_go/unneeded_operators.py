"""Unneeded operators: those that no cheapest plan needs are left out, alike ones become one.

``collapse`` makes one operator of those that lead to the same from each other value of a group (moving
there from anywhere), which costs no more than before. ``prune`` leaves out operators that make nothing that
is wanted. Freeing a group's value (a hand) does not make its other values wanted: whoever drops what was only
taken up to be dropped again can leave out both. This holds where the group's unwanted values are entered
from and left to one wanted value only; otherwise they count as wanted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.cost_to_go.abstraction import Abstraction
from chorewright.planner.grounding.task import CsrLists, Int64, Task, lists


def collapse(below: Abstraction) -> Abstraction:
    """Join operators that differ only in the value of a group that they require and delete."""
    task = below.task
    count = task.operator_count
    rng = np.random.Generator(np.random.PCG64(7))  # weights of a checksum; any will do
    weight = rng.integers(1, 2**62, (3, task.fact_count), dtype=np.int64)
    owner_of = {kind: t.owners() for kind, t in enumerate(_parts(task))}
    total = task.cost.astype(np.int64)
    for kind, table in enumerate(_parts(task)):
        np.add.at(total, owner_of[kind], weight[kind, table.items])
    joined = np.arange(count)
    values = np.full(count, -1, np.int64)
    family = np.full(count, -1, np.int64)
    for k, owners in enumerate(below.owners):
        size = np.bincount(owners[owners >= 0], minlength=1)
        entered = np.full(count, -1, np.int64)
        adds = task.effect_add
        inside = owners[adds.items] >= 0
        entered[owner_of[1][inside]] = owners[adds.items[inside]]
        pre = task.precondition
        fits = (owners[pre.items] >= 0) & (owners[pre.items] == entered[owner_of[0]])
        rest: dict[tuple[int, int], list[tuple[int, int]]] = {}
        owner, value = owner_of[0][fits], pre.items[fits]
        checksums = total[owner] - weight[0, value] - weight[2, value]
        _, back, often = np.unique(checksums, return_inverse=True, return_counts=True)
        enough = often[back.reshape(-1)] >= np.maximum(2, size[entered[owner]] - 1)
        for key, o, v in zip(checksums[enough].tolist(), owner[enough].tolist(), value[enough].tolist(), strict=True):
            if values[o] < 0 and v in task.effect_delete.of(o):
                rest.setdefault((key, int(entered[o])), []).append((o, v))
        for (_, group), alike in rest.items():
            if len(alike) == size[group] - 1 > 1 and len({v for _, v in alike}) == len(alike):
                for o, v in alike:
                    joined[o], values[o], family[o] = alike[0][0], v, k
    return _join(below, joined, values, family) if (values >= 0).any() else below


def _parts(task: Task) -> tuple[CsrLists, CsrLists, CsrLists]:
    return task.precondition, task.effect_add, task.effect_delete


def _join(below: Abstraction, joined: Int64, values: Int64, family: Int64) -> Abstraction:
    """The first of each joined set, without the value required, deleting all values of the group."""
    task = below.task
    first = np.flatnonzero(joined == np.arange(len(joined)))
    pres, deletes = [], []
    for o in first.tolist():
        pre, delete = task.precondition.of(o), task.effect_delete.of(o)
        if values[o] >= 0:
            owners = below.owners[family[o]]
            group = np.flatnonzero(owners == owners[values[o]])
            made = set(task.effect_add.of(o))
            pre = [f for f in pre if f != values[o]]
            delete = sorted({*delete, *(f for f in group.tolist() if f not in made)})
        pres.append(pre)
        deletes.append(delete)
    number = np.full(len(joined), -1, np.int64)
    number[first] = np.arange(len(first))
    smaller = subset(below, first)
    return replace(
        smaller,
        task=replace(smaller.task, precondition=lists_of(pres), effect_delete=lists_of(deletes)),
        members=lists(len(first), number[joined[below.members.owners()]], below.members.items),
    )


def lists_of(rows: list[list[int]]) -> CsrLists:
    """The same lists in two arrays."""
    start = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=start[1:])
    return CsrLists(start, np.asarray([f for row in rows for f in row], np.int32))


def subset(below: Abstraction, chosen: Int64) -> Abstraction:
    """The abstraction with some of its operators only.

    Args:
        below: The abstraction; its operators have one effect each.
        chosen: The operators, in the order in which they are to be numbered.
    """
    return replace(below, task=below.task.with_operators(chosen), members=below.members.rows(chosen))


def prune(below: Abstraction, starts: NDArray[np.bool_]) -> Abstraction:
    """Leave out the operators that no cheapest plan needs.

    Args:
        below: The abstraction.
        starts: Marks of the abstract facts that hold in some state that will be asked for.
    """
    task = below.task
    wanted = np.zeros(task.fact_count, np.bool_)
    wanted[task.goal] = True
    wanted[task.axiom_body.items] = True
    kept = np.zeros(task.operator_count, np.bool_)
    occupied = starts.copy()
    hub = np.zeros(below.owners.shape, np.bool_)
    _mark_hubs(task.operator_arrays(), below.owners, hub)
    _spread(task.operator_arrays(), task.complement, below.owners, hub, wanted, occupied, kept)
    return subset(below, np.flatnonzero(kept))


@njit(cache=True, nogil=True)
def _mark_hubs(t: Any, owners: Any, hub: Any) -> None:
    """Mark the facts through which all ways between other values of a group lead."""
    pre_start, pre, effect_start, add_start, add, delete_start, delete = t
    for k in range(owners.shape[0]):
        groups = 0
        for f in range(owners.shape[1]):
            groups = max(groups, owners[k, f] + 1)
        # The two facts of which the hub may be one: -1 not known yet, -2 neither.
        one = np.full(groups, -1, np.int64)
        other = np.full(groups, -1, np.int64)
        for o in range(pre_start.shape[0] - 1):
            first, last = effect_start[o], effect_start[o + 1]
            for i in range(add_start[first], add_start[last]):
                g = owners[k, add[i]]
                if g < 0:
                    continue
                v = np.int64(-2)
                for j in range(pre_start[o], pre_start[o + 1]):
                    if owners[k, pre[j]] == g:
                        v = pre[j]
                if one[g] == -1:
                    one[g] = add[i]
                    other[g] = v
                if one[g] != add[i] and one[g] != v:
                    one[g] = -2
                if other[g] != add[i] and other[g] != v:
                    other[g] = -2
        for o in range(pre_start.shape[0] - 1):
            for i in range(delete_start[effect_start[o]], delete_start[effect_start[o + 1]]):
                g = owners[k, delete[i]]
                if g < 0:
                    continue
                leaves = False
                for j in range(pre_start[o], pre_start[o + 1]):
                    leaves = leaves or owners[k, pre[j]] == g
                if not leaves:
                    one[g] = -2
                    other[g] = -2
        for g in range(groups):
            if one[g] >= 0:
                hub[k, one[g]] = True
            if other[g] >= 0:
                hub[k, other[g]] = True


@njit(cache=True, nogil=True)
def _look(o: Any, t: Any, complement: Any, owners: Any, hub: Any, wanted: Any, occupied: Any) -> Any:
    """(whether an operator is needed, the value that it requires only to leave it for a hub, or -1)."""
    pre_start, pre, effect_start, add_start, add, delete_start, delete = t
    first, last = effect_start[o], effect_start[o + 1]
    leaves = np.int64(-1)
    for i in range(add_start[first], add_start[last]):
        a = add[i]
        if not wanted[a]:
            continue
        v = np.int64(-1)
        for k in range(owners.shape[0]):
            if hub[k, a]:
                for j in range(pre_start[o], pre_start[o + 1]):
                    if owners[k, pre[j]] == owners[k, a]:
                        v = pre[j]
        if v < 0 or (leaves >= 0 and leaves != v):
            return True, np.int64(-1)
        leaves = v
    for i in range(delete_start[first], delete_start[last]):
        f = complement[delete[i]]
        if f >= 0 and wanted[f]:
            return True, np.int64(-1)
    return leaves >= 0 and occupied[leaves], leaves


@njit(cache=True, nogil=True)
def _spread(t: Any, complement: Any, owners: Any, hub: Any, wanted: Any, occupied: Any, kept: Any) -> None:
    """Want what the kept operators require, keep what makes wanted facts, to the fixpoint."""
    pre_start, pre, effect_start, add_start, add, _, _ = t
    changed = True
    while changed:
        changed = False
        for o in range(kept.shape[0]):
            needed, leaves = _look(o, t, complement, owners, hub, wanted, occupied)
            if not needed:
                continue
            if not kept[o]:
                kept[o] = True
                changed = True
                for i in range(add_start[effect_start[o]], add_start[effect_start[o + 1]]):
                    occupied[add[i]] = True
            for i in range(pre_start[o], pre_start[o + 1]):
                if pre[i] != leaves and not wanted[pre[i]]:
                    wanted[pre[i]] = True
                    changed = True
