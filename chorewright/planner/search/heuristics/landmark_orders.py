"""Reasonable orders of landmarks: which had better come first, because the other would have to go again.

Landmark A comes reasonably before B if B is wanted at the end, or still wanted when something after A is
made, and A cannot be made true without making B false (Hoffmann, Porteous and Sebastia, "Ordered landmarks
in planning", JAIR 2004; Richter and Westphal, "The LAMA planner", JAIR 2010, section 4.2). Some plans do
otherwise: these orders only say what counts as done.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.task import Int32, Task, lists
from chorewright.planner.search.heuristics.delete_relaxation import Relaxation
from chorewright.planner.search.heuristics.invariants import families
from chorewright.planner.search.heuristics.landmarks import Landmarks

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
    added_by = r.adds.inverted(r.fact_count)
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


__all__ = ["exclusive", "with_reasonable_orders"]
