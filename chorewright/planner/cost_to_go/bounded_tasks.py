"""Tasks below a bound: what no plan needs that costs less than a bound is left out.

Landmark cuts leave each operator a part of its cost that they do not count; what a plan pays of such parts
comes on top of their bound. An operator has to be reached, and in a cheapest plan with fewest steps what it
adds has to be used by others, up to the goal: if that and the bound cost too much together, it is left out
(for single operators this is the fixing of variables by reduced costs). What is left has fewer ways, hence
larger cuts, so that this is done again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.cost_to_go.potentials import Potentials, height
from chorewright.planner.cost_to_go.unneeded_operators import chosen_rows
from chorewright.planner.grounding.task import CsrLists, Int64, lists
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.heuristics.landmark_cut import Cuts, cuts, landmark_cut
from chorewright.planner.search.heuristics.scratch import INFINITE
from chorewright.planner.search.states import SuccessorTable

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
        add=chosen_rows(m.add, keep),
        delete=chosen_rows(m.delete, keep),
        precondition=chosen_rows(m.precondition, keep),
    )
    r = _relaxation(task.potentials.relaxation, keep)
    potentials = task.potentials._replace(after=task.potentials.after[keep], relaxation=r)
    return Bounded(task.chosen[keep], task.cost[keep], moves, cuts(r), potentials)


def _relaxation(r: Relaxation, keep: Int64) -> Relaxation:
    """Of a task without conditional effects: one action for each operator, then those of the axioms."""
    rows = np.concatenate((keep, np.arange(r.operator_count, len(r.need))))
    requires = chosen_rows(r.requires, rows)
    owner = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(requires.start))
    number = np.full(len(rows), -1, np.int32)
    number[: len(keep)] = np.arange(len(keep))
    return r._replace(
        requires=requires,
        adds=chosen_rows(r.adds, rows),
        needed_by=lists(r.fact_count, requires.items.astype(np.int64), owner),
        need=r.need[rows],
        operator=number,
        cost=r.cost[rows],
        operator_count=len(keep),
    )


__all__ = ["Below", "Bounded", "below", "chains", "least_costs"]
