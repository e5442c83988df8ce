"""Disjunctive landmarks: small sets of facts one of which every plan makes true at some time.

Found by one step back from a landmark (Hoffmann, Porteous and Sebastia, "Ordered landmarks in planning",
2004; Richter and Westphal, "The LAMA planner", 2010): whatever first makes it true needs a fact of a kind, so
one of the facts of that kind comes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Task
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.heuristics.landmarks import Landmarks, landmarks
from chorewright.planner.search.states import holds

WIDEST = 4
"""Facts of the largest disjunction that is kept."""

MOST_ACHIEVERS = 2000
"""A landmark that more relaxed actions can make true first is not followed back."""

MOST_WORK = 50_000_000
"""Landmarks times the relaxation's size beyond which none is followed back."""

Key = tuple[int, ...]


def with_disjunctions(state: NDArray[np.uint64], task: Task, r: Relaxation, marks: Landmarks) -> Landmarks:
    """Add the disjunctions that come before landmarks; no two landmarks have a fact in common.

    Args:
        state: The packed state that the landmarks are for.
        task: The task.
        r: Its relaxation.
        marks: The landmarks.

    Returns:
        The landmarks, those of ``marks`` first; ``marks`` itself if the task is too large.
    """
    options = [marks.options.of(k) for k in range(marks.options.size)]
    if len(options) * (len(r.requires.items) + len(r.need)) > MOST_WORK:
        return marks
    number = {fact: k for k, option in enumerate(options) for fact in option}
    orders = [(k, after) for k in range(len(options)) for after in marks.before.of(k)]
    added_by = r.adds.inverted(r.fact_count)
    settled = {f for f in range(r.fact_count) if holds(state, f)}.union(r.free.tolist())
    k = 0
    while k < len(options):
        if settled.isdisjoint(options[k]):
            achievers = _first_achievers(state, r, added_by, options[k])
            for option in _before(task, r, achievers):
                if not settled.isdisjoint(option):
                    continue
                known = {number.get(fact, -1) for fact in option}
                if known == {-1}:
                    number.update(dict.fromkeys(option, len(options)))
                    orders.append((len(options), k))
                    options.append(option)
                elif len(known) == 1 and sorted(options[min(known)]) == option and min(known) != k:
                    orders.append((min(known), k))
        k += 1
    return landmarks(r, options, orders)


def _first_achievers(state: NDArray[np.uint64], r: Relaxation, added_by: CsrLists, option: list[int]) -> list[int]:
    """The relaxed actions that can make one of some facts true first; none if there are too many."""
    adding = dict.fromkeys(chain.from_iterable(added_by.of(fact) for fact in option))
    if len(adding) > MOST_ACHIEVERS:
        return []
    barred = np.zeros(r.fact_count, np.bool_)
    barred[option] = True
    ready = reach_without(state, r, barred)
    return [a for a in adding if ready[a]]


def _before(task: Task, r: Relaxation, achievers: list[int]) -> list[list[int]]:
    """Sets of facts of a kind of which each of some relaxed actions requires one, small ones first."""
    shared: dict[Key, set[int]] | None = None
    for a in achievers:
        mine: dict[Key, set[int]] = {}
        for fact in r.requires.of(a):
            for key in _kinds(task, fact):
                mine.setdefault(key, set()).add(fact)
        if shared is None:
            shared = mine
        else:
            both = ((key, shared[key] | mine[key]) for key in shared if key in mine)
            shared = {key: facts for key, facts in both if len(facts) <= WIDEST}
        if not shared:
            return []
    sets = sorted((len(facts), sorted(facts)) for facts in (shared or {}).values())
    return [facts for size, facts in sets if 1 < size <= WIDEST]


def _kinds(task: Task, fact: int) -> Iterator[Key]:
    """A fact's kinds: its predicate, and its predicate with all arguments but one."""
    predicate = int(task.fact_predicate[fact])
    if predicate >= 0:
        yield (predicate,)
        arguments = task.fact_arguments[fact, : task.fact_arity[fact]].tolist()
        if len(arguments) > 1:
            for place in range(len(arguments)):
                yield (predicate, place, *arguments[:place], *arguments[place + 1 :])


@njit(cache=True, nogil=True)
def reach_without(state: Any, r: Any, barred: Any) -> Any:
    """Whether each relaxed action's preconditions can be reached while some facts are never made true."""
    counter = np.empty(r.need.shape[0], np.int32)
    ready = np.zeros(r.need.shape[0], np.bool_)
    reached = np.zeros(r.fact_count, np.bool_)
    stack = np.empty(r.fact_count + 1, np.int32)
    depth = 0
    for f in range(r.fact_count):
        if holds(state, f):
            reached[f] = True
            stack[depth] = f
            depth += 1
    for k in range(r.free.shape[0]):
        f = r.free[k]
        if not reached[f]:
            reached[f] = True
            stack[depth] = f
            depth += 1
    for a in range(r.need.shape[0]):
        counter[a] = r.need[a]
        if counter[a] == 0:
            ready[a] = True
            depth = _make(a, r, barred, reached, stack, depth)
    while depth > 0:
        depth -= 1
        f = stack[depth]
        for k in range(r.needed_by.start[f], r.needed_by.start[f + 1]):
            a = r.needed_by.items[k]
            counter[a] -= 1
            if counter[a] == 0:
                ready[a] = True
                depth = _make(a, r, barred, reached, stack, depth)
    return ready


@njit(cache=True, nogil=True)
def _make(a: Any, r: Any, barred: Any, reached: Any, stack: Any, depth: Any) -> Any:
    """Reach what a relaxed action makes true and is not barred; returns the stack's new depth."""
    for j in range(r.adds.start[a], r.adds.start[a + 1]):
        g = r.adds.items[j]
        if not reached[g] and not barred[g]:
            reached[g] = True
            stack[depth] = g
            depth += 1
    return depth


__all__ = ["WIDEST", "reach_without", "with_disjunctions"]
