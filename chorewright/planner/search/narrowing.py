"""Narrowing: the operators of a ground task that are likely to be wanted, most others being detours.

Backward from the goal, each fact is wanted from the operators that make it at the least relaxed cost; then
all operators join that can be run with what these make, and that make a wanted fact at little more cost, or
make again what the others undo. A plan of the narrowed task is one of the whole task; there may be none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.reachability import all_marked
from chorewright.planner.grounding.task import Task
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import ADD, INFINITE
from chorewright.planner.search.search import prepare
from chorewright.planner.search.states import holds

LEAST = 200
"""Operators of a task that is worth being narrowed."""

SLACK = 3
"""Steps by which an operator may be worse than the best that makes the same."""


def narrow_task(task: Task, least: int = LEAST) -> Task | None:
    """The task with the operators that are likely to be wanted; None if that leaves out too few of them.

    Tasks with fewer than ``least`` operators are not narrowed, nor those whose operators do not all cost the
    same: few steps may be dear.

    Args:
        task: The task.
        least: The operators that make a task worth it.
    """
    if task.operator_count < least or task.cost.min() != task.cost.max():
        return None
    prepared = prepare(task)
    steps = np.where(prepared.guide.operator >= 0, 1, 0).astype(np.int64)
    facts = np.arange(task.fact_count, dtype=np.int32)
    counted = prepared.guide._replace(cost=steps, goal=facts)
    evaluate(prepared.initial, counted, prepared.work, ADD)
    chosen = _choose_wanted(
        prepared.initial,
        counted._replace(goal=task.goal),
        prepared.work.cost,
        prepared.guide.adds.invert(task.fact_count),
        prepared.moves,
        SLACK,
    )
    operators = np.flatnonzero(chosen)
    return task.with_operators(operators) if 2 * len(operators) < task.operator_count else None


@njit(cache=True, nogil=True)
def _choose_wanted(initial: Any, r: Any, cost: Any, makers: Any, m: Any, slack: Any) -> Any:
    """Which operators are wanted; ``cost`` are the facts' relaxed costs in steps."""
    actions = r.need.shape[0]
    value = np.empty(actions, np.int64)
    for a in range(actions):
        value[a] = r.cost[a]
        for k in range(r.requires.start[a], r.requires.start[a + 1]):
            value[a] = min(value[a] + cost[r.requires.items[k]], INFINITE)
    wanted = np.zeros(r.fact_count, np.bool_)
    kept = np.zeros(actions, np.bool_)
    made = np.zeros(r.fact_count, np.bool_)
    for f in range(r.fact_count):
        made[f] = holds(initial, f)
    for k in range(r.free.shape[0]):
        made[r.free[k]] = True
    stack = np.empty(r.fact_count + 1, np.int64)
    size = 0
    for k in range(r.goal.shape[0]):
        if not wanted[r.goal[k]]:
            wanted[r.goal[k]] = True
            stack[size] = r.goal[k]
            size += 1
    while size > 0:
        size -= 1
        f = stack[size]
        if cost[f] == 0:
            continue
        best = np.int64(INFINITE)
        for k in range(makers.start[f], makers.start[f + 1]):
            best = min(best, value[makers.items[k]])
        for k in range(makers.start[f], makers.start[f + 1]):
            a = makers.items[k]
            if kept[a] or value[a] >= INFINITE or (r.operator[a] >= 0 and value[a] > best):
                continue
            kept[a] = True
            for i in range(r.requires.start[a], r.requires.start[a + 1]):
                g = r.requires.items[i]
                if not wanted[g]:
                    wanted[g] = True
                    stack[size] = g
                    size += 1
    _join_in(r, cost, value, makers, m, slack, wanted, made, kept)
    chosen = np.zeros(r.operator_count, np.bool_)
    for a in range(actions):
        if kept[a] and r.operator[a] >= 0:
            chosen[r.operator[a]] = True
    return chosen


@njit(cache=True, nogil=True)
def _join_in(r: Any, cost: Any, value: Any, makers: Any, m: Any, slack: Any, wanted: Any, made: Any, kept: Any) -> None:
    """Keep what can be run with what is made and is nearly as good, or makes again what is undone."""
    undone = np.zeros(r.fact_count, np.bool_)
    counted = np.zeros(r.need.shape[0], np.bool_)
    least = np.full(r.fact_count + 1, INFINITE, np.int64)
    used = np.empty(r.need.shape[0], np.int64)
    for a in range(r.need.shape[0]):
        used[a] = _used_up(a, r, m)
    changed = True
    while changed:
        changed = False
        for a in range(r.need.shape[0]):
            if kept[a] and not counted[a]:
                counted[a] = True
                changed = True
                for i in range(r.adds.start[a], r.adds.start[a + 1]):
                    made[r.adds.items[i]] = True
                for i in range(r.requires.start[a], r.requires.start[a + 1]):
                    wanted[r.requires.items[i]] = True
                o = r.operator[a]
                if o >= 0:
                    _undo(o, m, undone)
        if not changed:
            break
        for f in range(r.fact_count):
            if not wanted[f] or (cost[f] == 0 and not undone[f]):
                continue
            for k in range(makers.start[f], makers.start[f + 1]):
                a = makers.items[k]
                if all_marked(made, r.requires.start, r.requires.items, a):
                    key = used[a]
                    least[key] = min(least[key], value[a])
            for k in range(makers.start[f], makers.start[f + 1]):
                a = makers.items[k]
                if (
                    not kept[a]
                    and value[a] <= least[used[a]] + slack
                    and all_marked(made, r.requires.start, r.requires.items, a)
                ):
                    kept[a] = True
            for k in range(makers.start[f], makers.start[f + 1]):
                least[used[makers.items[k]]] = INFINITE


@njit(cache=True, nogil=True)
def _undo(o: Any, m: Any, undone: Any) -> None:
    """Mark what an operator may make false."""
    for e in range(m.effect_start[o], m.effect_start[o + 1]):
        for i in range(m.delete.start[e], m.delete.start[e + 1]):
            undone[m.delete.items[i]] = True
        for i in range(m.add.start[e], m.add.start[e + 1]):
            f = m.complement[m.add.items[i]]
            if f >= 0:
                undone[f] = True


@njit(cache=True, nogil=True)
def _used_up(a: Any, r: Any, m: Any) -> Any:
    """The last of the facts that an action requires and makes false; one more than all facts if none."""
    found = np.int64(r.fact_count)
    o = r.operator[a]
    if o < 0:
        return found
    for i in range(r.requires.start[a], r.requires.start[a + 1]):
        f = r.requires.items[i]
        for e in range(m.effect_start[o], m.effect_start[o + 1]):
            for k in range(m.delete.start[e], m.delete.start[e + 1]):
                if m.delete.items[k] == f:
                    found = np.int64(f)
    return found
