"""Proven costs of carrying things, against costs that are found backwards from the goal."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.planner.cost_to_go.costs_to_go import OPTIMAL, SATISFICING, Cost, CostToGo, Effort
from chorewright.planner.cost_to_go.proofs import Proofs, _Open
from chorewright.planner.validation import validate
from tests.planner.carrying import GOALS, carrying_task, true_costs
from tests.planner.small_tasks import digest, golden, small_task

THOROUGH = Effort(provable=100, proof=100_000)
TIGHT = Effort(provable=100, proof=1)
POOLED = Effort(provable=100, proof=5, pool=8)
MOST = 2_500


def chosen(truth: dict[State, float], count: int) -> list[State]:
    states = sorted(truth, key=sorted)
    return states[:: max(1, len(states) // count)]


def check(domain: Domain, problem: Problem, truth: dict[State, float], count: int) -> None:
    states = chosen(truth, count)
    service = CostToGo(domain, problem, states)
    for state in states:
        answer = service.cost(state, THOROUGH)
        assert (answer.cost, answer.optimal) == (truth[state], True)
        plan = service.plan(state, THOROUGH)
        if plan is not None:
            verdict = validate(domain, replace(problem, init=tuple(sorted(state))), plan)
            assert verdict.valid
            assert verdict.cost == answer.cost
        for effort in (TIGHT, POOLED, SATISFICING):
            other = service.cost(state, effort)
            assert other.lower_bound <= truth[state] <= other.cost
            assert not other.optimal or other.cost == truth[state]
            assert (other.cost == inf) == (truth[state] == inf)


class Unfollowed(Proofs):
    """Proofs for a task that can follow no abstract plan, and does not say what stood in the way."""

    def _open(self, branch: Any, image: Any, state: Any) -> _Open:
        return _Open(branch, 1, 1, set(), np.zeros(1, np.bool_), 1)

    def _follow(self, each: Any, narrow: Any, plan: Any, bits: Any) -> tuple[None, list[int]]:
        return None, []

    def _reopen(self, stage: Any, facts: Any) -> Any:
        return np.zeros(1, np.bool_)


@pytest.mark.parametrize("branches", [1, 2, 3])
def test_a_branch_whose_abstraction_cannot_be_refined_is_given_up(branches: int) -> None:
    """All searches are paid for after the first, so that only giving up ends them."""
    asked: list[int] = []

    def prove(state: object, evaluations: int, bound: int) -> SimpleNamespace:
        asked.append(bound)
        assert len(asked) <= 20, "it goes on for ever"
        return SimpleNamespace(spent=3, lower=2, plan=(0,), proven=False)

    same = SimpleNamespace(image=lambda bits: bits)
    narrow = SimpleNamespace(
        abstraction=same, state=lambda image: image, found=SimpleNamespace(digest=b"abstract"), prove=prove
    )
    stage: Any = SimpleNamespace(
        ready=SimpleNamespace(abstraction=same, state=lambda image: image),
        branches=lambda image: [None] * (1 + branches),
        narrowed=lambda kept, settled, branch: narrow,
        kept_from=(),
    )
    anything: Any = None
    proofs = Unfollowed(anything, anything, 1.0, True, stage, anything, anything)
    found = proofs.bound(np.zeros(1, np.bool_), lambda: 100, 50, 1_000)
    assert (found.lower, found.operators) == (2, None)


@pytest.mark.parametrize("goal", range(len(GOALS)))
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 25))])
def test_costs_are_the_true_ones(seed: int, goal: int) -> None:
    domain, problem = carrying_task(seed, goal)
    truth = true_costs(domain, problem, MOST)
    if truth is not None:
        check(domain, problem, truth, 10)


def test_most_of_the_tasks_are_small_enough_to_be_compared() -> None:
    small = [true_costs(*carrying_task(seed, goal), MOST) for seed in range(2) for goal in range(len(GOALS))]
    assert sum(truth is not None for truth in small) >= len(small) / 2


@pytest.mark.parametrize("effort", [OPTIMAL, TIGHT, POOLED, SATISFICING], ids=str)
@pytest.mark.parametrize("goal", [0, 1, 5])
def test_answers_do_not_depend_on_what_was_asked_before(goal: int, effort: Effort) -> None:
    domain, problem = carrying_task(1, goal)
    truth = true_costs(domain, problem, 20_000)
    assert truth is not None
    states = chosen(truth, 12)
    alone: list[Cost] = [CostToGo(domain, problem, states).cost(state, effort) for state in states]
    service = CostToGo(domain, problem, states[::-1])
    for other in (TIGHT, THOROUGH, POOLED):
        service.costs(states[::2], other)
    assert list(service.costs(states[::-1], effort))[::-1] == alone


def test_a_pool_bounds_what_all_states_may_take() -> None:
    domain, problem = carrying_task(1, 1)
    truth = true_costs(domain, problem, 20_000)
    assert truth is not None
    states = chosen(truth, 40)
    service = CostToGo(domain, problem, states)
    proven = [
        sum(cost.optimal for cost in service.costs(states, Effort(provable=100, proof=1_000, pool=pool)))
        for pool in (0, 6, 25, 100_000)
    ]
    assert proven == sorted(proven)
    assert proven[0] < proven[1] < proven[-1] == len(states)


TOOLS = """(define (domain tools) (:requirements :adl :action-costs) (:types item tool)
 (:predicates (dirty ?x - item) (sharp ?t - tool))
 (:functions (total-cost) - number (price ?t - tool) - number)
 (:action use :parameters (?x - item ?t - tool) :precondition (and (dirty ?x) (sharp ?t))
  :effect (and (not (dirty ?x)) (increase (total-cost) (price ?t))))
 (:action grind :parameters (?t - tool) :precondition (not (sharp ?t))
  :effect (and (sharp ?t) (increase (total-cost) 10))))"""


def test_a_goal_whose_abstract_plans_cost_too_little_is_given_up() -> None:
    """Eight tools are alike but for their prices: the cheap one is blunt, and the plan can be followed with others."""
    tools = [f"t{number}" for number in range(9)]
    init = "".join(f"(sharp {tool}) (= (price {tool}) 4)" for tool in tools[1:])
    domain = parse_domain(TOOLS)
    problem = parse_problem(
        f"""(define (problem p) (:domain tools) (:objects c0 c1 - item {" ".join(tools)} - tool)
        (:init (dirty c0) (dirty c1) (= (price t0) 1) {init} (= (total-cost) 0))
        (:goal (or (not (dirty c0)) (not (dirty c1)))) (:metric minimize (total-cost)))""",
        domain,
    )
    state = frozenset(problem.init)
    answer = CostToGo(domain, problem, [state]).cost(state, THOROUGH)
    truth = true_costs(domain, problem, MOST)
    assert truth is not None
    assert (answer.cost, answer.optimal) == (truth[state], False)
    assert answer.lower_bound < truth[state] == 4


@pytest.mark.parametrize("goal", range(len(GOALS)))
def test_costs_are_those_of_fast_downward(goal: int) -> None:
    domain, problem = small_task(f"carrying-{goal}")
    expected = golden()[f"carrying-{goal}"]
    assert digest(domain, problem) == expected.digest
    state = frozenset(problem.init)
    answer = CostToGo(domain, problem, [state]).cost(state, THOROUGH)
    assert answer.optimal
    assert answer.cost == (inf if expected.cost is None else expected.cost)
