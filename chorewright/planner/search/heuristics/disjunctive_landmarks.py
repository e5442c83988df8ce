"""Disjunctive landmarks (small sets of facts, one of which every plan makes true), and reasonable orders of landmarks.

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
from chorewright.planner.grounding.task import CsrLists, Int32, Task, lists
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.heuristics.invariants import families
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
    added_by = r.adds.invert(r.fact_count)
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


# Reasonable orders of landmarks: which had better come first, because the other would have to go again.
#
# Landmark A comes reasonably before B if B is wanted at the end, or still wanted when something after A is
# made, and A cannot be made true without making B false (Hoffmann, Porteous and Sebastia, "Ordered landmarks
# in planning", JAIR 2004; Richter and Westphal, "The LAMA planner", JAIR 2010, section 4.2). Some plans do
# otherwise: these orders only say what counts as done.


MOST_LANDMARKS = 1500
"""With more landmarks none are ordered: it would take too long."""

MOST_ADDERS = 5000
"""What more relaxed actions make true is not asked for what all of them make true with it."""


def with_reasonable_orders(task: Task, r: Relaxation, marks: Landmarks) -> Landmarks:
    """Add reasonable orders to ``first`` of the landmarks, none of which closes a cycle.

    Args:
        task: The task.
        r: Its relaxation.
        marks: The landmarks; too many stay as they are.
    """
    count = marks.options.size
    if count > MOST_LANDMARKS:
        return marks
    single = [k for k in range(count) if len(marks.options.of(k)) == 1]
    clashes = _interference(task, r, marks, single)
    order = _Order(count)
    for earlier in range(count):
        for later in marks.before.of(earlier):
            order.add(earlier, later)
    necessary = list(order.earlier)
    pairs: list[tuple[int, int]] = []
    for later in single:
        for earlier in _candidates(marks, necessary, later, single):
            if clashes[earlier, later] and order.add(earlier, later):
                pairs.append((earlier, later))
    owners = np.concatenate([marks.first.owners(), np.asarray([j for _, j in pairs], np.int64)])
    items = np.concatenate([marks.first.items, np.asarray([i for i, _ in pairs], np.int32)])
    return marks._replace(first=lists(count, owners, items))


class _Order:
    """A partial order by the sets of what comes before and after each element, as bits."""

    def __init__(self, count: int) -> None:
        self.earlier = [0] * count
        self.later = [0] * count

    def add(self, one: int, other: int) -> bool:
        """Put one before the other; whether that was neither known nor excluded."""
        if one == other or self.earlier[other] >> one & 1 or self.earlier[one] >> other & 1:
            return False
        above = self.earlier[one] | 1 << one
        below = self.later[other] | 1 << other
        for k in _bits(below):
            self.earlier[k] |= above
        for k in _bits(above):
            self.later[k] |= below
        return True


def _bits(number: int) -> list[int]:
    """The positions of the ones of a number, ascending."""
    text = bin(number)[:1:-1]
    return [k for k, bit in enumerate(text) if bit == "1"]


def _candidates(marks: Landmarks, necessary: list[int], later: int, single: list[int]) -> list[int]:
    """The landmarks that may come reasonably before one: while it is still wanted, they are made true.

    A goal is wanted at the end, when all others have been; what is needed right before something, when the
    other landmarks before that are.
    """
    if marks.goal[later]:
        return [k for k in single if k != later]
    found = 0
    for after in marks.before.of(later):
        found |= necessary[after]
    return [k for k in single if k != later and found >> k & 1]


def _interference(task: Task, r: Relaxation, marks: Landmarks, single: list[int]) -> NDArray[np.bool_]:
    """Whether making the first landmark true makes the second false: of single facts only.

    They exclude each other, or something that is made true with the first, or that is needed right before it,
    excludes the second.
    """
    count = marks.options.size
    result = np.zeros((count, count), np.bool_)
    fact = np.asarray([marks.options.of(k)[0] for k in single], np.int64)
    keys = exclusive(task)
    added_by = r.adds.invert(r.fact_count)
    needed: list[list[int]] = [[] for _ in range(count)]
    for earlier in single:
        for later in marks.before.of(earlier):
            needed[later].append(marks.options.of(earlier)[0])
    for k, own in zip(single, fact.tolist(), strict=True):
        with_it = [own, *_facts_made_together(r, added_by.of(own)), *needed[k]]
        clash = np.zeros(len(single), np.bool_)
        for other in dict.fromkeys(with_it):
            shared = ((keys[fact] == keys[other]) & (keys[other] >= 0)).any(axis=1)
            clash |= shared & (fact != other)
        clash[fact == own] = False
        result[k, single] = clash
    return result


def _facts_made_together(r: Relaxation, achievers: list[int]) -> list[int]:
    """The facts that all of some relaxed actions add."""
    if not achievers or len(achievers) > MOST_ADDERS:
        return []
    common = set(r.adds.of(achievers[0]))
    for a in achievers[1:]:
        common.intersection_update(r.adds.of(a))
        if len(common) == 1:
            break
    return sorted(common)


def exclusive(task: Task) -> Int32:
    """A row of keys for each fact: two facts with the same key (not -1) in a column exclude each other.

    The columns are families of invariants, and one in which a fact and its complement have the same key.

    Returns:
        The keys (facts x columns).
    """
    facts = np.arange(task.fact_count, dtype=np.int32)
    opposite = np.where(task.complement >= 0, np.minimum(facts, task.complement), -1).astype(np.int32)
    columns = [opposite]
    if not len(task.effect_condition.items) and not task.derived.any():
        columns += families(task, [task.initial])
    return np.stack(columns, axis=1)
