"""Landmarks are those that brute force finds, are true on every plan, and in their order."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.numbering import most_actions
from chorewright.planner.grounding.task import pack
from chorewright.planner.search.heuristics import landmarks
from chorewright.planner.search.heuristics.landmarks import accept, find_landmarks, goals_only, to_come
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, prepare
from chorewright.planner.search.states import holds
from tests.planner.small_tasks import small_task
from tests.planner.tables import states_of

NAMES = (
    "stacks-1", "hands-0", "parcels-2", "ferry-0", "tiles-0", "lift-1", "drinks-0", "settlers-0",
    "islands-1", "power-0", "tidying-0", "cases-1", "network-0", "household-1", "household-3",
    "depot/p01", "logistics00/probLOGISTICS-4-0", "philosophers/p01-phil2",
)  # fmt: skip


def prepared(name: str) -> Prepared | None:
    task = ground(*small_task(name))
    return None if task is None else prepare(task)


def goal_reached_without(p: Prepared, banned: int) -> bool:
    """Whether the goal is in reach of the delete relaxation if a fact is never made true."""
    r = p.guide
    true = {f for f in range(r.fact_count) if holds(p.initial, f)} | set(r.free.tolist())
    waiting = list(range(len(r.need)))
    changed = True
    while changed:
        changed = False
        for a in tuple(waiting):
            if true.issuperset(r.requires.of(a)):
                waiting.remove(a)
                true.update(f for f in r.adds.of(a) if f != banned)
                changed = True
    return true.issuperset(r.goal.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_landmarks_are_those_of_brute_force(name: str) -> None:
    p = prepared(name)
    assert p is not None
    assert goal_reached_without(p, -1)
    marks = find_landmarks(p.initial, p.guide)
    free = p.guide.free.tolist()
    later = [f for f in marks.options.items.tolist() if f not in free and not holds(p.initial, f)]
    facts = [f for f in range(p.guide.fact_count) if f not in free and not holds(p.initial, f)]
    assert later == [f for f in facts if not goal_reached_without(p, f)]
    assert set(p.guide.goal.tolist()) <= set(marks.options.items.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_plans_make_landmarks_true_in_their_order(name: str) -> None:
    p = prepared(name)
    assert p is not None
    found = p.search("greedy", "ff", 1, UNBOUNDED, Budget(100_000, 10**6, np.zeros(1, np.int64)))
    assert found.operators is not None
    states = states_of(p, found.operators)
    for marks in (find_landmarks(p.initial, p.guide), goals_only(p.guide)):
        first = [
            next(i for i, state in enumerate(states) if holds(state, fact)) for fact in marks.options.items.tolist()
        ]
        for number in range(marks.options.size):
            for after in marks.before.of(number):
                # What axioms decide becomes true along with what it is decided by.
                state = states[first[after] - (0 if p.task.derived[marks.options.items[after]] else 1)]
                assert holds(state, marks.options.items[number])
        accepted = np.zeros((marks.options.size + 63) // 64, np.uint64)
        for state in states:
            accept(accepted.copy(), state, marks, accepted)
        assert to_come(accepted, states[-1], marks) == 0
        nothing = pack(np.zeros(p.task.fact_count, np.bool_))
        assert to_come(np.zeros_like(accepted), nothing, marks) == marks.cost.sum()


@pytest.mark.parametrize("name", [*NAMES, "psr-middle/p02-s23-n2-l3-f70", "woodworking-opt08-strips/p01"])
def test_no_task_is_larger_than_its_extent(name: str) -> None:
    domain, problem = small_task(name)
    task = ground(domain, problem)
    assert task is not None
    actions = {task.action(o) for o in range(task.operator_count)}
    assert len(actions) <= most_actions(domain, problem)


def test_landmarks_of_larger_tasks_are_for_thorough_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    p = prepared("parcels-2")
    assert p is not None
    every, few = find_landmarks(p.initial, p.guide).options.size, goals_only(p.guide).options.size
    assert every > few
    work = len(p.guide.requires.items) * p.task.words()

    def found(usual: int, most: int, words: int) -> tuple[int, int]:
        for name, value in (("USUAL_WORK", usual), ("MOST_WORK", most), ("MOST_WORDS", words)):
            monkeypatch.setattr(landmarks, name, value)
        return tuple(find_landmarks(p.initial, p.guide, thorough).options.size for thorough in (False, True))

    assert found(work, 0, 0) == (every, every)
    assert found(work - 1, 100 * work, 10**6) == (few, every)
    assert found(work - 1, work - 1, 10**6) == (few, few)  # not even one sweep
    assert found(work - 1, 100 * work, 0) == (few, few)
