"""Potentials: costs moved from the operators that enter a value of a group to those that leave it.

A relaxed plan that is somewhere once is there for good: it fetches two things from one place without coming
back. Of a group of which exactly one fact holds at any time, a value can be left only as often as it was
entered, so what entering it costs can as well be paid when it is left: with a potential ``p``, entering the
value costs ``p`` less and leaving it ``p`` more; a plan that begins with the value then costs ``p`` more, one
that ends with it ``p`` less. Landmark cuts of the task with such costs count every return (potentials as in
Pommerening, Helmert, Röger and Seipp, "From non-negative to general operator cost partitioning", AAAI 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.heuristics.landmark_cut import Cuts, landmark_cut
from chorewright.planner.search.heuristics.scratch import INFINITE
from chorewright.planner.search.states import holds

MOST_TRIED = 8
"""Values for which a potential is tried."""


class Values(NamedTuple):
    """What operators do to a group of which one fact holds at any time, its value.

    Attributes:
        facts: The group's facts.
        changing: The operators that make a value true, ascending.
        start: The first of ``before`` of each of them.
        before: The values from which each of them may lead, one operator after the other.
        after: The value to which each of them leads.
    """

    facts: Int32
    changing: Int64
    start: Int64
    before: Int32
    after: Int32


class Potentials(NamedTuple):
    """Values, their potentials, and the costs that are left.

    Attributes:
        facts: The values with a potential, ascending.
        amount: Their potentials, in integer units of cost.
        after: The potential of the value that each operator leads to; -1 if it leads to none.
        relaxation: The relaxation with the costs that are left.
    """

    facts: Int32
    amount: Int64
    after: Int64
    relaxation: Relaxation


def values_of(task: Task, group: Int32) -> Values:
    """Return what operators do to a group.

    Each operator that requires or deletes one of its facts has to add another, or the same.

    Args:
        task: The task; its operators have one effect each.
        group: The facts of the group.
    """
    inside = np.zeros(task.fact_count, np.bool_)
    inside[group] = True
    tables = task.effect_add, task.precondition, task.effect_delete
    (adder, added), (needer, needed), (loser, lost) = (_of(table, inside) for table in tables)
    changing, first = np.unique(adder, return_index=True)
    after = np.full(task.operator_count, -1, np.int32)
    after[changing] = added[first]
    requires = np.zeros(task.operator_count, np.bool_)
    requires[needer] = True
    # From where it leads is not known of an operator that joins several: from where it leads to as well.
    open_ended = changing[~requires[changing]]
    far = ~requires[loser] & (after[loser] >= 0)
    needs = after[needer] >= 0
    before = lists(
        task.operator_count,
        np.concatenate((needer[needs], open_ended, loser[far])),
        np.concatenate((needed[needs], after[open_ended], lost[far])),
    )
    return Values(group, changing, before.start[changing], before.items, after[changing])


def _of(table: CsrLists, inside: NDArray[np.bool_]) -> tuple[Int64, Int32]:
    """(operators, facts) of a table's facts that are in a group."""
    owner = np.repeat(np.arange(table.size), np.diff(table.start))
    chosen = inside[table.items]
    return owner[chosen], table.items[chosen]


def none(relaxation: Relaxation) -> Potentials:
    """No potentials: all costs are left as they are."""
    return Potentials(
        np.zeros(0, np.int32),
        np.zeros(0, np.int64),
        np.full(relaxation.operator_count, -1, np.int64),
        relaxation,
    )


def chosen(
    state: NDArray[np.uint64],
    relaxation: Relaxation,
    cuts: Cuts,
    cost: Int64,
    values: Values | None,
    relaxed: Sequence[int],
) -> tuple[Potentials, int]:
    """Potentials that raise the bound of a state, and the bound.

    They are tried for values that several operators of a relaxed plan leave, one after the other.

    Args:
        state: The packed state.
        relaxation: The relaxation with the true costs.
        cuts: Its scratch space for landmark cuts.
        cost: The operators' costs, in integer units.
        values: What operators do to the group that potentials are for; None to try none.
        relaxed: The operators of a relaxed plan.

    Returns:
        The potentials, and what any plan from the state costs at least in integer units; ``INFINITE`` in a dead end.
    """
    best = none(relaxation)
    bound = int(landmark_cut(state, relaxation, cuts))
    if values is None or not len(values.changing) or bound >= INFINITE:
        return best, bound
    entered = np.full(relaxation.fact_count, INFINITE, np.int64)
    np.minimum.at(entered, values.after, cost[values.changing])
    single = np.diff(np.append(values.start, len(values.before))) == 1
    left = values.before[values.start]
    used = single & (left != values.after) & np.isin(values.changing, relaxed)
    counts = np.bincount(left[used], minlength=relaxation.fact_count)
    order = sorted(np.flatnonzero((counts > 1) & (entered < INFINITE)).tolist(), key=lambda f: (-counts[f], f))
    amount = np.zeros(relaxation.fact_count, np.int64)
    for f in order[:MOST_TRIED]:
        amount[f] = entered[f]
        tried = _with(amount, relaxation, cost, values)
        found = int(landmark_cut(state, tried.relaxation, cuts)) - height(state, tried)
        if found > bound:
            best, bound = tried, found
        else:
            amount[f] = 0
    return best, bound


def height(state: NDArray[np.uint64], potentials: Potentials) -> int:
    """Return the potential of a packed state's value, in integer units; 0 if it has none."""
    pairs = zip(potentials.facts.tolist(), potentials.amount.tolist(), strict=True)
    return sum(amount for fact, amount in pairs if holds(state, fact))


def _with(amount: Int64, relaxation: Relaxation, cost: Int64, values: Values) -> Potentials:
    least = np.minimum.reduceat(amount[values.before], values.start)
    less = cost.copy()
    less[values.changing] += least - amount[values.after]
    after = np.full(len(cost), -1, np.int64)
    after[values.changing] = amount[values.after]
    facts = np.flatnonzero(amount).astype(np.int32)
    owned = relaxation.operator >= 0
    relaxed = np.where(owned, less[relaxation.operator], relaxation.cost)
    return Potentials(facts, amount[facts], after, relaxation._replace(cost=relaxed))


__all__ = ["Potentials", "Values", "chosen", "height", "none", "values_of"]
