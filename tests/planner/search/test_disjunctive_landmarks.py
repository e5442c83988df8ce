"""Disjunctive landmarks: the goal is out of reach without any of their facts; plans keep their order."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.search.heuristics.disjunctive_landmarks import WIDEST, reach_without, with_disjunctions
from chorewright.planner.search.heuristics.landmarks import Landmarks, accept, find_landmarks, to_come
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, prepare
from chorewright.planner.search.states import holds
from tests.planner.small_tasks import small_task
from tests.planner.tables import states_of

SMALL = ("parcels-2", "ferry-0", "lift-1", "drinks-0", "settlers-0", "tidying-0", "household-1", "household-3")
COMPETITION = (("elevators-opt08-strips", "p03.pddl"), ("transport-opt08-strips", "p01.pddl"), ("depot", "p02.pddl"))


def prepared(name: str, file: str | None = None) -> Prepared:
    task = ground(*(small_task(name) if file is None else competition_task(name, file)))
    assert task is not None
    return prepare(task)


def all_marks(p: Prepared) -> tuple[Landmarks, Landmarks]:
    single = find_landmarks(p.initial, p.guide)
    return single, with_disjunctions(p.initial, p.task, p.guide, single)


def reached(p: Prepared, banned: frozenset[int]) -> frozenset[int]:
    """The facts in reach of the delete relaxation if some are never made true."""
    r = p.guide
    true = {f for f in range(r.fact_count) if holds(p.initial, f)} | set(r.free.tolist())
    waiting = [(r.requires.of(a), r.adds.of(a)) for a in range(len(r.need))]
    before = -1
    while len(waiting) != before:
        before = len(waiting)
        ready = [each for each in waiting if true.issuperset(each[0])]
        waiting = [each for each in waiting if not true.issuperset(each[0])]
        true.update(f for _, added in ready for f in added if f not in banned)
    return frozenset(true)


TASKS = [*((name, None) for name in SMALL), *COMPETITION, ("zenotravel", "p02.pddl")]


@pytest.mark.parametrize(("name", "file"), TASKS)
def test_the_goal_needs_one_fact_of_each_disjunction(name: str, file: str | None) -> None:
    p = prepared(name, file)
    single, marks = all_marks(p)
    options = [marks.options.of(k) for k in range(marks.options.size)]
    flat = [fact for option in options for fact in option]
    assert len(flat) == len(set(flat))
    assert options[: single.options.size] == [single.options.of(k) for k in range(single.options.size)]
    goal = p.guide.goal.tolist()
    assert reached(p, frozenset()).issuperset(goal)
    for k, option in enumerate(options[single.options.size :], single.options.size):
        assert 1 < len(option) <= WIDEST
        assert {int(marks.number[fact]) for fact in option} == {k}
        assert not reached(p, frozenset(option)).issuperset(goal)


@pytest.mark.parametrize(("name", "file"), COMPETITION)
def test_competition_tasks_have_disjunctions(name: str, file: str) -> None:
    single, marks = all_marks(prepared(name, file))
    assert marks.options.size > single.options.size
    assert len(marks.before.items) > len(single.before.items)


@pytest.mark.parametrize(("name", "file"), TASKS)
def test_actions_in_reach_without_facts_are_those_of_brute_force(name: str, file: str | None) -> None:
    p = prepared(name, file)
    goal: list[int] = p.guide.goal.tolist()
    for option in (goal, goal[:1], goal[:0]):
        barred = np.zeros(p.guide.fact_count, np.bool_)
        barred[option] = True
        true = reached(p, frozenset(option))
        ready = reach_without(p.initial, p.guide, barred).tolist()
        assert ready == [true.issuperset(p.guide.requires.of(a)) for a in range(len(ready))]


@pytest.mark.parametrize(("name", "file"), TASKS)
def test_plans_make_disjunctions_true_before_what_they_lead_to(name: str, file: str | None) -> None:
    p = prepared(name, file)
    _, marks = all_marks(p)
    found = p.search("greedy", "ff", 1, UNBOUNDED, Budget(100_000, 10**6, np.zeros(1, np.int64)))
    assert found.operators is not None
    states = states_of(p, found.operators)
    first = []
    for k in range(marks.options.size):
        option = marks.options.of(k)
        true = (i for i, state in enumerate(states) if any(holds(state, fact) for fact in option))
        first.append(next(true))
    for k in range(marks.options.size):
        for after in marks.before.of(k):
            derived = all(p.task.derived[fact] for fact in marks.options.of(after))
            state = states[first[after] - (0 if derived else 1)]
            assert any(holds(state, fact) for fact in marks.options.of(k))
    accepted = np.zeros((marks.options.size + 63) // 64, np.uint64)
    for state in states:
        accept(accepted.copy(), state, marks, accepted)
    assert to_come(accepted, states[-1], marks) == 0


def test_searches_that_count_disjunctions_find_plans() -> None:
    p = prepared("elevators-opt08-strips", "p03.pddl").by_steps()
    _, marks = all_marks(p)
    budget = Budget(100_000, 10**6, np.zeros(1, np.int64))
    found = p.search("greedy", "ff", 1, UNBOUNDED, budget, marks)
    assert found.operators is not None
    end = states_of(p, found.operators)[-1]
    assert all(holds(end, fact) for fact in p.guide.goal.tolist())
