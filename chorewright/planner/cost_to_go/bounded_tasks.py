"""Tasks below a bound: what no plan needs that costs less than a bound is left out.

Landmark cuts leave each operator a part of its cost that they do not count; what a plan pays of such parts
comes on top of their bound. An operator has to be reached, and in a cheapest plan with fewest steps what it
adds has to be used by others, up to the goal: if that and the bound cost too much together, it is left out
(for single operators this is the fixing of variables by reduced costs). What is left has fewer ways, hence
larger cuts, so that this is done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists
from chorewright.planner.search.heuristics.delete_relaxation import INFINITE, Relaxation
from chorewright.planner.search.heuristics.landmark_cut import Cuts, cuts, landmark_cut
from chorewright.planner.search.states import SuccessorTable, holds

# Potentials: costs moved from the operators that enter a value of a group to those that leave it.
#
# A relaxed plan that is somewhere once is there for good: it fetches two things from one place without coming
# back. Of a group of which exactly one fact holds at any time, a value can be left only as often as it was
# entered, so what entering it costs can as well be paid when it is left: with a potential ``p``, entering the
# value costs ``p`` less and leaving it ``p`` more; a plan that begins with the value then costs ``p`` more, one
# that ends with it ``p`` less. Landmark cuts of the task with such costs count every return (potentials as in
# Pommerening, Helmert, Röger and Seipp, "From non-negative to general operator cost partitioning", AAAI 2015).


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
    chosen = inside[table.items]
    return table.owners()[chosen], table.items[chosen]


def none(relaxation: Relaxation) -> Potentials:
    """No potentials: all costs are left as they are."""
    return Potentials(
        np.zeros(0, np.int32), np.zeros(0, np.int64), np.full(relaxation.operator_count, -1, np.int64), relaxation
    )


def choose_potentials(
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


MOST_ROUNDS = 6

ENOUGH = 0.8
"""Another round follows if one leaves so few of the operators."""


class Bounded(NamedTuple):
    """A task without some operators, as its search needs it.

    Attributes:
        chosen: The operators that are left, by their numbers in the whole task, ascending.
        cost: Their costs, in integer units.
        moves: The successor table of these operators.
        cuts: The scratch space of landmark cuts for them.
        potentials: The potentials, with the relaxation of these operators.
    """

    chosen: Int64
    cost: Int64
    moves: SuccessorTable
    cuts: Cuts
    potentials: Potentials


class Below(NamedTuple):
    """The task of plans that cost less than a bound.

    Attributes:
        task: The task; None if there are no such plans.
        beyond: What all other plans cost at least, in integer units.
        looked_at: The operators of all evaluations that it took, summed up.
    """

    task: Bounded | None
    beyond: int
    looked_at: int


def below(task: Bounded, state: NDArray[np.uint64], bound: int) -> Below:
    """Leave out of a task what no plan from a state needs that costs less than ``bound``.

    Args:
        task: The task.
        state: A packed state of it.
        bound: What a plan has to stay below, in integer units.

    Returns:
        What is left, and what the plans that are left out cost at least.
    """
    raised = height(state, task.potentials)
    beyond = INFINITE
    looked_at = 0
    for _ in range(MOST_ROUNDS):
        r = task.potentials.relaxation
        looked_at += r.operator_count
        value = int(landmark_cut(state, r, task.cuts))
        if value >= INFINITE or value - raised >= bound:
            return Below(None, beyond if value >= INFINITE else min(beyond, value - raised), looked_at)
        least = least_costs(r, task.cuts, value)
        least = np.where(least < INFINITE, least - raised, INFINITE)
        keep = np.flatnonzero(least < bound)
        if len(keep) == len(least):
            break
        beyond = min(beyond, int(least[least >= bound].min()))
        task = _without(task, keep)
        if len(keep) > ENOUGH * len(least):
            break
    return Below(task, beyond, looked_at)


@njit(cache=True, nogil=True)
def chains(r: Any, added_by: Any, left: Any, least: Any) -> None:
    """For each fact the least that operators cost which use it, directly or not, for the goal.

    ``left`` are the costs of the relaxed actions.
    """
    least[:] = INFINITE
    queue = np.empty(r.fact_count + 1, np.int32)
    queued = np.zeros(r.fact_count + 1, np.bool_)
    size = queue.shape[0]
    first = 0
    last = 0
    for k in range(r.goal.shape[0]):
        f = r.goal[k]
        if not queued[f]:
            least[f] = 0
            queued[f] = True
            queue[last] = f
            last += 1
    while first != last:
        f = queue[first]
        first = (first + 1) % size
        queued[f] = False
        for k in range(added_by.start[f], added_by.start[f + 1]):
            a = added_by.items[k]
            value = least[f] + left[a]
            for i in range(r.requires.start[a], r.requires.start[a + 1]):
                g = r.requires.items[i]
                if value < least[g]:
                    least[g] = value
                    if not queued[g]:
                        queued[g] = True
                        queue[last] = g
                        last = (last + 1) % size


@njit(cache=True, nogil=True)
def least_costs(r: Any, c: Any, value: Any) -> Any:
    """What a plan with an operator costs at least, for each: after the evaluation of a state by cuts."""
    found = np.full(r.operator_count, np.int64(INFINITE))
    used = np.empty(r.fact_count + 1, np.int64)
    chains(r, c.added_by, c.left, used)
    for a in range(r.need.shape[0]):
        o = r.operator[a]
        if o < 0 or c.supporter[a] < 0:
            continue
        least = np.int64(INFINITE)
        for k in range(r.adds.start[a], r.adds.start[a + 1]):
            least = min(least, used[r.adds.items[k]])
        if least < INFINITE:
            found[o] = min(found[o], value + c.supporter_cost[a] + c.left[a] + least)
    return found


def _without(task: Bounded, keep: Int64) -> Bounded:
    """Only some of the operators."""
    m = task.moves
    none = CsrLists(np.zeros(len(keep) + 1, np.int64), np.zeros(0, np.int32))
    moves = m._replace(
        effect_start=np.arange(len(keep) + 1, dtype=np.int64),
        condition=none,
        add=m.add.rows(keep),
        delete=m.delete.rows(keep),
        precondition=m.precondition.rows(keep),
    )
    r = _relaxation(task.potentials.relaxation, keep)
    potentials = task.potentials._replace(after=task.potentials.after[keep], relaxation=r)
    return Bounded(task.chosen[keep], task.cost[keep], moves, cuts(r), potentials)


def _relaxation(r: Relaxation, keep: Int64) -> Relaxation:
    """Of a task without conditional effects: one action for each operator, then those of the axioms."""
    rows = np.concatenate((keep, np.arange(r.operator_count, len(r.need))))
    requires = r.requires.rows(rows)
    number = np.full(len(rows), -1, np.int32)
    number[: len(keep)] = np.arange(len(keep))
    return r._replace(
        requires=requires,
        adds=r.adds.rows(rows),
        needed_by=requires.invert(r.fact_count),
        need=r.need[rows],
        operator=number,
        cost=r.cost[rows],
        operator_count=len(keep),
    )
