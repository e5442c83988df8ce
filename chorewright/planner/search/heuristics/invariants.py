"""Invariants: families of facts of which at most one holds in any state, found in the task itself.

A family counts some predicates' facts by one of their arguments (its owner): where things are by the thing,
what is held by who holds it. It is an invariant if no operator adds more to an owner's facts than it takes
away from what it required (Helmert, "Concise finite-domain representations for PDDL planning tasks", AIJ
2009, section 5, here checked on the ground operators), and each owner has at most one fact at the start.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import Int32, Task

_MOST_CANDIDATES = 60
_MOST_PARTS = 4

Family = tuple[tuple[int, int], ...]
"""Pairs of a predicate and the position of the owner among its arguments."""


@njit(cache=True, nogil=True)
def _find_unbalanced(t: Any, owner: Any, mark: Any) -> Any:
    """The first operator that may leave an owner with two facts, and the owner; -1 if there is none.

    ``mark`` is scratch space: facts that the operator deletes.
    """
    pre_start, pre, effect_start, add_start, add, delete_start, delete = t
    for o in range(pre_start.shape[0] - 1):
        first, last = effect_start[o], effect_start[o + 1]
        for j in range(delete_start[first], delete_start[last]):
            mark[delete[j]] = True
        bad = -1
        for j in range(add_start[first], add_start[last]):
            mine = owner[add[j]]
            if mine < 0:
                continue
            crowded = barred = False
            for i in range(add_start[first], j):
                if owner[add[i]] == mine and add[i] != add[j]:
                    crowded = True
            spent = False
            required = np.int64(-1)
            for k in range(pre_start[o], pre_start[o + 1]):
                f = pre[k]
                if owner[f] == mine:
                    # What requires two facts of an owner that never has two is never applied.
                    barred |= 0 <= required != f
                    required = np.int64(f)
                # What is required, deleted and added again is no room for another fact.
                if f == add[j] or (owner[f] == mine and mark[f]):
                    spent = True
            if not barred and (crowded or not spent):
                bad = mine
        for j in range(delete_start[first], delete_start[last]):
            mark[delete[j]] = False
        if bad >= 0:
            return o, bad
    return -1, -1


def owners(task: Task, family: Family) -> Int32:
    """Return the owner in whose group each fact is; -1 if it is in none.

    Args:
        task: The task.
        family: The predicates, and the argument of each that is the owner.
    """
    owner = np.full(task.fact_count, -1, np.int32)
    for predicate, position in family:
        mine = np.flatnonzero(task.fact_predicate == predicate)
        owner[mine] = task.fact_arguments[mine, position]
    return owner


def families(task: Task, starts: Iterable[NDArray[np.bool_]]) -> list[Int32]:
    """Find the families of groups of which at most one fact holds at any time.

    Facts of owners that have two at some start are left out.

    Args:
        task: The task; it has no conditional effects, and no derived predicates that matter.
        starts: Marks of the facts that hold, for each start state.

    Returns:
        For each family the owner of each fact; -1 if it has none.
    """
    changing = np.zeros(task.fact_count, np.bool_)
    changing[task.effect_add.items] = True
    predicates = sorted(set(task.fact_predicate[changing].tolist()) - {-1})
    waiting: list[Family] = []
    for predicate in predicates:
        arity = int(task.fact_arity[task.fact_predicate == predicate][0])
        waiting += [((predicate, position),) for position in range(arity)]
    found: list[Family] = []
    tried: set[Family] = set()
    mark = np.zeros(task.fact_count, np.bool_)
    while waiting and len(tried) < _MOST_CANDIDATES:
        family = waiting.pop(0)
        if family in tried or any(set(other) <= set(family) for other in found):
            continue
        tried.add(family)
        owner = owners(task, family)
        operator, whose = _find_unbalanced(task.operator_arrays(), owner, mark)
        if operator < 0:
            found.append(family)
        elif len(family) < _MOST_PARTS:
            waiting += _extensions(task, family, int(operator), int(whose))
    states = list(starts)
    return [owner for family in found if (owner := _at_most_one(task, family, states)).max(initial=-1) >= 0]


def _extensions(task: Task, family: Family, operator: int, whose: int) -> list[Family]:
    """The family with another predicate of which the operator requires and deletes a fact of the owner."""
    first, last = task.effect_start[operator], task.effect_start[operator + 1]
    deleted = task.effect_delete.items[task.effect_delete.start[first] : task.effect_delete.start[last]]
    known = {predicate for predicate, _ in family}
    wider: list[Family] = []
    for fact in sorted(set(task.precondition.of(operator)) & set(deleted.tolist())):
        predicate = int(task.fact_predicate[fact])
        if predicate < 0 or predicate in known:
            continue
        for position in range(int(task.fact_arity[fact])):
            if int(task.fact_arguments[fact, position]) == whose:
                wider.append(tuple(sorted((*family, (predicate, position)))))
    return wider


def _at_most_one(task: Task, family: Family, starts: list[NDArray[np.bool_]]) -> Int32:
    owner = owners(task, family)
    crowded = np.zeros(len(task.objects) + 1, np.bool_)
    for state in starts:
        mine = owner[state & (owner >= 0)]
        crowded[: len(task.objects)] |= np.bincount(mine, minlength=len(task.objects)) > 1
    return np.where((owner >= 0) & ~crowded[owner], owner, -1).astype(np.int32)
