"""Cost-to-go of every reachable state of small tasks, against brute force."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from chorewright.domains.formulas import holds
from chorewright.domains.pddl.syntax import State
from chorewright.errors import UsageError
from chorewright.planner.cost_to_go.costs_to_go import OPTIMAL, SATISFICING, CostToGo, Effort
from chorewright.planner.cost_to_go.piecewise import Piecewise
from chorewright.planner.search.start_states import SearchStart, Union
from chorewright.planner.validation import PlanWorld, validate
from tests.planner.tables import GOALS, distances, random_strips, random_task

THOROUGH = Effort(provable=100, proof=100_000)


def spread(truth: dict[State, float], count: int) -> list[State]:
    states = sorted(truth, key=sorted)
    return states[:: max(1, len(states) // count)]


@pytest.mark.parametrize("relevant", [True, False])
@pytest.mark.parametrize("goal", range(len(GOALS)))
@pytest.mark.parametrize("seed", range(3))
def test_costs_of_all_states_are_those_of_brute_force(seed: int, goal: int, relevant: bool) -> None:
    domain, problem = random_task(seed, goal)
    world = PlanWorld.of(domain, problem)
    truth = distances(world)
    states = spread(truth, 40)
    service = CostToGo(domain, problem, states, relevant=relevant)
    for state in states:
        answer = service.cost(state, THOROUGH)
        assert answer.lower_bound <= answer.cost
        assert answer.cost >= truth[state]
        if truth[state] == inf:
            assert answer.cost == inf
        else:
            assert answer.lower_bound <= truth[state]
            assert answer.cost < inf
            if answer.optimal:
                assert answer.cost == truth[state]
            else:
                assert goal == len(GOALS) - 1, "only axioms leave a proof out"
        quick = service.cost(state, SATISFICING)
        assert quick.cost >= truth[state]
        assert (quick.cost == inf) == (truth[state] == inf)
        assert quick.lower_bound <= truth[state]


@pytest.mark.parametrize("seed", [*range(30), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(30, 60))])
def test_costs_of_strips_states_are_those_of_brute_force(seed: int) -> None:
    domain, problem = random_strips(seed)
    truth = distances(PlanWorld.of(domain, problem))
    states = spread(truth, 30)
    service = CostToGo(domain, problem, states, relevant=False)
    for state in states:
        answer = service.cost(state, THOROUGH)
        assert answer.optimal
        assert answer.cost == truth[state]
        assert service.cost(state, OPTIMAL).cost == answer.cost


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 12))])
@pytest.mark.parametrize("goal", [None, *range(len(GOALS))])
def test_plans_made_piece_by_piece_are_valid_and_cost_what_they_say(
    seed: int, goal: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chorewright.planner.cost_to_go.costs_to_go.LARGE", 0)
    domain, problem = random_strips(seed) if goal is None else random_task(seed, goal)
    world = PlanWorld.of(domain, problem)
    truth = distances(world)
    states = spread(truth, 15)
    service = CostToGo(domain, problem, states)
    backwards = CostToGo(domain, problem, states[::-1])
    again = [backwards.plan(state, SATISFICING) for state in states[::-1]][::-1]
    for state, same in zip(states, again, strict=True):
        plan = service.plan(state, SATISFICING)
        assert plan == same
        assert (plan is None) == (truth[state] == inf)
        if plan is not None:
            check = validate(domain, replace(problem, init=tuple(sorted(state))), plan)
            assert check.valid
            assert check.cost == service.cost(state, SATISFICING).cost


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("goal", range(len(GOALS)))
def test_most_plans_are_found_piece_by_piece(goal: int, alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where operators cost alike, parts of the goal are looked for in another way."""
    monkeypatch.setattr("chorewright.planner.cost_to_go.costs_to_go.LARGE", 0)
    solved = solvable = even = 0
    for seed in range(8):
        domain, problem = random_task(seed, goal)
        truth = distances(PlanWorld.of(domain, problem))
        states = spread(truth, 15)
        task = Union.of(domain, problem, problem.goal, states).task(None)
        if task is None:
            continue
        if alike:
            task = replace(task, cost=np.ones_like(task.cost))
        start = SearchStart.of(task, states[0].intersection(*states))
        pieces = Piecewise.of(start, [start.encode(state) for state in states], 300)
        for state in states:
            operators = pieces.plan(start.encode(state), 300)
            if operators is not None:
                solved += 1
                plan = tuple(task.action(operator) for operator in operators)
                check = validate(domain, replace(problem, init=tuple(sorted(state))), plan)
                assert check.valid
                assert check.cost >= truth[state]
        even += pieces.even
        solvable += sum(truth[state] < inf for state in states)
    assert 0.85 * solvable <= solved <= solvable
    assert solvable > 60
    assert even or not alike or goal in (3, len(GOALS) - 1)


def test_the_goal_may_be_another() -> None:
    domain, problem = random_task(0, 0)
    _, other = random_task(0, 3)
    world = PlanWorld.of(domain, problem)
    states = [world.initial()]
    service = CostToGo(domain, problem, states, goal=other.goal, relevant=False)
    same = CostToGo(domain, other, states, relevant=False)
    assert service.cost(states[0]) == same.cost(states[0])


def test_goal_states_cost_nothing() -> None:
    domain, problem = random_task(1, 3)
    world = PlanWorld.of(domain, problem)
    reached = [s for s in distances(world) if holds(problem.goal, s, world.universe)]
    if reached:
        answer = CostToGo(domain, problem, reached, relevant=False).cost(reached[0])
        assert (answer.cost, answer.optimal, answer.lower_bound) == (0.0, True, 0.0)


def test_no_states_are_refused() -> None:
    domain, problem = random_task(0, 0)
    with pytest.raises(UsageError, match="no states"):
        CostToGo(domain, problem, [])
