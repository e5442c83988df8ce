"""Landmarks: facts that every plan makes true at some time, and which must be true right before others.

All landmarks of the delete relaxation that are single facts, by propagation to the fixpoint (Zhu and Givan,
"Landmark extraction via planning graph propagation", 2003; Keyder, Richter and Helmert, "Sound and complete
landmarks for and/or graphs", 2010). Counting those to come is the second opinion of greedy search (Richter
and Westphal, "The LAMA planner", 2010).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, lists
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.states import holds

USUAL_WORK, MOST_WORK, MOST_WORDS = 20_000_000, 400_000_000, 10_000_000
"""Words that one sweep over the relaxed actions usually may combine, those that all sweeps may in a thorough search,
and those that may be kept then; with more, only the goals are counted."""

MOST = np.iinfo(np.int64).max


class Landmarks(NamedTuple):
    """Landmarks, each a set of facts of which one is enough, and orders between them.

    Attributes:
        options: The facts of each landmark; no fact is in two.
        number: The landmark of each fact; -1 if it has none.
        goal: Marks of the landmarks that are goals.
        cost: What it takes to make each true at least, in integer units; 1 at least.
        before: The landmarks right before which each must be true when they are first made true.
        first: The landmarks that must have been reached before each counts as reached.
    """

    options: CsrLists
    number: Int32
    goal: NDArray[np.bool_]
    cost: Int64
    before: CsrLists
    first: CsrLists


_EMPTY = np.empty(0, np.int32)
_NOTHING = CsrLists(np.zeros(1, np.int64), _EMPTY)
NONE = Landmarks(_NOTHING, _EMPTY, np.empty(0, np.bool_), np.empty(0, np.int64), _NOTHING, _NOTHING)
"""No landmarks at all, for a search that does not count them."""


def goals_only(r: Relaxation) -> Landmarks:
    """The goals as landmarks without order: counting them is the goal-count heuristic."""
    return landmarks(r, [[fact] for fact in r.goal.tolist()], [])


def find_landmarks(state: NDArray[np.uint64], r: Relaxation, thorough: bool = False) -> Landmarks:
    """Find the landmarks on the way from a state to the goal.

    Args:
        state: The packed state.
        r: The relaxation.
        thorough: Whether the task may be larger than is usual.

    Returns:
        The landmarks; only the goals if the task is too large, or some goal is out of reach.
    """
    words = (r.fact_count + 63) // 64
    work = len(r.requires.items) * words
    if work > USUAL_WORK and not (thorough and r.fact_count * words <= MOST_WORDS):
        return goals_only(r)
    marks = np.zeros((r.fact_count, words), np.uint64)
    if not _propagate(state, r, marks, MOST if work <= USUAL_WORK else MOST_WORK // work):
        return goals_only(r)
    facts, orders = _order(state, r, marks)
    return landmarks(r, [[fact] for fact in facts.tolist()], [(i, j) for i, j in orders.tolist()])


def landmarks(r: Relaxation, options: list[list[int]], orders: list[tuple[int, int]]) -> Landmarks:
    """Build landmarks.

    Args:
        r: The relaxation.
        options: The facts of each landmark; no fact is in two, and every goal is in one.
        orders: Pairs of landmarks: the first must be true right before the second is first made true.
    """
    owner = np.repeat(np.arange(len(options)), [len(option) for option in options])
    facts = np.asarray([fact for option in options for fact in option], np.int32)
    number = np.full(r.fact_count, -1, np.int32)
    number[facts] = owner
    goal = np.zeros(len(options), np.bool_)
    goal[number[r.goal]] = True
    added = np.full(r.fact_count, MOST, np.int64)
    np.minimum.at(added, r.adds.items, r.cost[r.adds.owners()])
    cost = np.full(len(options), MOST, np.int64)
    np.minimum.at(cost, owner, added[facts])
    cost = np.maximum(np.where(cost == MOST, 0, cost), 1)
    pairs = np.asarray(orders, np.int64).reshape(-1, 2)
    before = lists(len(options), pairs[:, 0], pairs[:, 1].astype(np.int32))
    first = lists(len(options), pairs[:, 1], pairs[:, 0].astype(np.int32))
    return Landmarks(lists(len(options), owner, facts), number, goal, cost, before, first)


@njit(cache=True, nogil=True)
def _propagate(state: Any, r: Any, marks: Any, sweeps: Any) -> Any:
    """Fill in each fact's landmarks as bits; whether all goals can be reached, and so many sweeps are enough."""
    words = marks.shape[1]
    reached = np.zeros(r.fact_count, np.bool_)
    for f in range(r.fact_count):
        if holds(state, f):
            reached[f] = True
            marks[f, f >> 6] |= np.uint64(1) << np.uint64(f & 63)
    for k in range(r.free.shape[0]):
        reached[r.free[k]] = True
    union = np.empty(words, np.uint64)
    changed = True
    while changed:
        if sweeps == 0:
            return False
        sweeps -= 1
        changed = False
        for a in range(r.need.shape[0]):
            possible = True
            for k in range(r.requires.start[a], r.requires.start[a + 1]):
                if not reached[r.requires.items[k]]:
                    possible = False
                    break
            if not possible:
                continue
            for v in range(words):
                union[v] = 0
            for k in range(r.requires.start[a], r.requires.start[a + 1]):
                f = r.requires.items[k]
                for v in range(words):
                    union[v] |= marks[f, v]
            for k in range(r.adds.start[a], r.adds.start[a + 1]):
                f = r.adds.items[k]
                own = np.uint64(1) << np.uint64(f & 63)
                if not reached[f]:
                    reached[f] = True
                    changed = True
                    for v in range(words):
                        marks[f, v] = union[v]
                    marks[f, f >> 6] |= own
                    continue
                for v in range(words):
                    kept = marks[f, v] & (union[v] | (own if v == f >> 6 else np.uint64(0)))
                    if kept != marks[f, v]:
                        marks[f, v] = kept
                        changed = True
    for k in range(r.goal.shape[0]):  # a loop: compiled code knows no generators in all()
        f = r.goal[k]
        if not reached[f]:
            return False
    return True


@njit(cache=True, nogil=True)
def _order(state: Any, r: Any, marks: Any) -> Any:
    """The goals' landmarks as facts, ascending, and pairs (i, j): i must be true right before j first is.

    What holds at first is a landmark only if it is a goal or must be true before another one.
    """
    words = marks.shape[1]
    chosen = np.zeros(r.fact_count, np.bool_)
    for k in range(r.goal.shape[0]):
        chosen[r.goal[k]] = True
        for f in range(r.fact_count):
            if (marks[r.goal[k], f >> 6] >> np.uint64(f & 63)) & np.uint64(1):
                chosen[f] = True
    every = np.full((r.fact_count, words), ~np.uint64(0), np.uint64)
    achieved = np.zeros(r.fact_count, np.bool_)
    pre = np.empty(words, np.uint64)
    for a in range(r.need.shape[0]):
        wanted = False
        for k in range(r.adds.start[a], r.adds.start[a + 1]):
            f = r.adds.items[k]
            wanted |= chosen[f] and not holds(state, f)
        if not wanted:
            continue
        for v in range(words):
            pre[v] = 0
        for k in range(r.requires.start[a], r.requires.start[a + 1]):
            f = r.requires.items[k]
            pre[f >> 6] |= np.uint64(1) << np.uint64(f & 63)
        for k in range(r.adds.start[a], r.adds.start[a + 1]):
            f = r.adds.items[k]
            if not chosen[f] or holds(state, f):
                continue
            later = False  # it needs the fact itself to have been true: no first achiever
            for j in range(r.requires.start[a], r.requires.start[a + 1]):
                g = r.requires.items[j]
                if (marks[g, f >> 6] >> np.uint64(f & 63)) & np.uint64(1):
                    later = True
                    break
            if not later:
                achieved[f] = True
                for v in range(words):
                    every[f, v] &= pre[v]
    useful = np.zeros(r.fact_count, np.bool_)
    for k in range(r.goal.shape[0]):
        useful[r.goal[k]] = True
    pairs = 0
    for j in range(r.fact_count):
        if chosen[j] and not holds(state, j):
            useful[j] = True
            if achieved[j]:
                for i in range(r.fact_count):
                    if (every[j, i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
                        useful[i] = True
                        pairs += 1
    facts = np.flatnonzero(useful).astype(np.int32)
    number = np.full(r.fact_count, -1, np.int64)
    for k in range(facts.shape[0]):
        number[facts[k]] = k
    orders = np.empty((pairs, 2), np.int64)
    pairs = 0
    for j in range(r.fact_count):
        if chosen[j] and not holds(state, j) and achieved[j]:
            for i in range(r.fact_count):
                if (every[j, i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
                    orders[pairs, 0] = number[i]
                    orders[pairs, 1] = number[j]
                    pairs += 1
    return facts, orders


@njit(cache=True, nogil=True)
def comes_true(k: Any, state: Any, marks: Any) -> Any:
    """Whether a landmark is true in a state."""
    for i in range(marks.options.start[k], marks.options.start[k + 1]):
        if holds(state, marks.options.items[i]):
            return True
    return False


@njit(cache=True, nogil=True)
def accept(before: Any, state: Any, marks: Any, accepted: Any) -> None:
    """The landmarks reached on a path: those of its parent's, and those true now whose turn it is."""
    for v in range(accepted.shape[0]):
        accepted[v] = before[v]
    changed = True
    while changed:
        changed = False
        for k in range(marks.cost.shape[0]):
            if not holds(accepted, k) and comes_true(k, state, marks) and timely(k, accepted, marks):
                accepted[k >> 6] |= np.uint64(1) << np.uint64(k & 63)
                changed = True


@njit(cache=True, nogil=True)
def timely(k: Any, accepted: Any, marks: Any) -> Any:
    """Whether all landmarks that come before one have been reached."""
    for i in range(marks.first.start[k], marks.first.start[k + 1]):
        if not holds(accepted, marks.first.items[i]):
            return False
    return True


@njit(cache=True, nogil=True)
def to_come(accepted: Any, state: Any, marks: Any) -> Any:
    """The cost of the landmarks that are still to be made true, for the first time or again."""
    total = np.int64(0)
    for k in range(marks.cost.shape[0]):
        if not holds(accepted, k):
            total += marks.cost[k]
        elif not comes_true(k, state, marks):
            again = marks.goal[k]
            if not again:
                for i in range(marks.before.start[k], marks.before.start[k + 1]):
                    if not holds(accepted, marks.before.items[i]):
                        again = True
                        break
            if again:
                total += marks.cost[k]
    return total
