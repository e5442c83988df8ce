"""Best-first width search: its plans are plans, and what it calls new is what sets of facts and pairs say."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.planner.grounding.grounding import ground
from chorewright.planner.search import width_kernels
from chorewright.planner.search.heuristics.disjunctive_landmarks import with_reasonable_orders
from chorewright.planner.search.heuristics.landmarks import find_landmarks
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, index_by_watched, prepare
from chorewright.planner.search.states import holds, successor
from tests.planner.small_tasks import small_task
from tests.planner.tables import states_of

NAMES = (
    "stacks-0", "stacks-1", "hands-0", "parcels-2", "ferry-0", "tiles-0", "lift-1", "drinks-0", "settlers-0",
    "islands-1", "power-0", "tidying-0", "cases-1", "network-0", "household-1", "household-3", "depot/p01",
    "logistics00/probLOGISTICS-4-0", "philosophers/p01-phil2", "psr-middle/p02-s23-n2-l3-f70",
    "woodworking-opt08-strips/p01", "blocks/probBLOCKS-4-1",
)  # fmt: skip
BUDGET = Budget(20_000, 10**6, np.zeros(1, np.int64))


def prepared(name: str) -> Prepared:
    task = ground(*small_task(name))
    assert task is not None
    return prepare(task)


def holding(state: np.ndarray, facts: int) -> list[int]:
    return [f for f in range(facts) if holds(state, f)]


def walk(p: Prepared, steps: int) -> list[np.ndarray]:
    """States of a random walk."""
    random, states = np.random.default_rng(7), [p.initial]
    for _ in range(steps):
        usable = applicable(p, states[-1])
        if not usable:
            break
        states.append(np.empty_like(p.initial))
        successor(states[-2], usable[int(random.integers(len(usable)))], p.moves, states[-1])
    return states


def applicable(p: Prepared, state: np.ndarray) -> list[int]:
    true = set(holding(state, p.task.fact_count))
    return [o for o in range(p.task.operator_count) if true.issuperset(p.task.precondition.of(o))]


@pytest.mark.parametrize("name", NAMES)
def test_plans_are_plans_below_the_bound_and_always_the_same(name: str) -> None:
    p = prepared(name).by_steps()
    marks = with_reasonable_orders(p.task, p.guide, find_landmarks(p.initial, p.guide))
    found = p.widen(UNBOUNDED, BUDGET, marks)
    assert found.operators is not None
    for bound in (UNBOUNDED, p.plan_cost(found.operators)):
        again = p.widen(bound, BUDGET, marks)
        if again.operators is None:
            assert again.pruned
            continue
        states = states_of(p, again.operators)
        for state, operator in zip(states, again.operators, strict=False):
            assert operator in applicable(p, state)
        assert set(p.task.goal.tolist()) <= set(holding(states[-1], p.task.fact_count))
        assert p.plan_cost(again.operators) < bound
        assert bound != UNBOUNDED or again == found


@pytest.mark.parametrize("name", NAMES)
def test_operators_by_watched_facts_are_those_that_can_be_applied(name: str) -> None:
    p = prepared(name)
    usable = np.empty(p.task.operator_count + 1, np.int32)
    for state in walk(p, 30):
        number = width_kernels.usable_in(state, index_by_watched(p.task), p.moves, usable)
        assert sorted(usable[:number].tolist()) == applicable(p, state)


@pytest.mark.parametrize("name", NAMES)
def test_new_facts_and_pairs_are_those_of_sets(name: str) -> None:
    p = prepared(name)
    pairs = np.zeros(1 << (width_kernels.PAIR_BITS - 6), np.uint64)
    seen = np.zeros(len(p.initial), np.uint64)
    facts: set[int] = set()
    known: set[frozenset[int]] = set()
    numbers = width_kernels.scatter(p.task.fact_count)
    before = p.initial
    for number, state in enumerate(walk(p, 40)):
        true = holding(state, p.task.fact_count)
        fresh = [f for f in true if number == 0 or not holds(before, f)]
        plain = [f for f in true if not 0 <= p.task.complement[f] < f]
        mine = {frozenset((f, g)) for f in fresh if f in plain for g in plain}
        assert width_kernels.new_fact(state, seen) == bool(set(true) - facts)
        new = width_kernels.new_pair(state, before, p.moves, numbers, pairs, 0, number == 0)
        assert new == bool(mine - known)
        facts.update(true)
        known |= mine
        before = state


def test_limits_end_the_search() -> None:
    p = prepared("depot/p01")
    marks = find_landmarks(p.initial, p.guide)
    assert p.widen(UNBOUNDED, Budget(2, 10**6, np.zeros(1, np.int64)), marks).operators is None
    assert p.widen(UNBOUNDED, Budget(1000, 5, np.zeros(1, np.int64)), marks).operators is None
    assert p.widen(UNBOUNDED, Budget(1000, 10**6, np.ones(1, np.int64)), marks).limit is not None
    assert p.widen(0, BUDGET, marks).pruned
