"""Rivals: the plans of other searches, where the first plan may be dear."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.classical.generators import GENERATORS, classical_problems, problem_of
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import DEFAULT, THOROUGH, Configuration
from chorewright.planner.validation import validate

SMALL = {"openstacks": 8, "rovers": 3, "childsnack": 4, "hiking": 2, "folding": 5, "barman": 3, "nurikabe": 4}


def solved(name: str, size: int, configuration: Configuration) -> Plan:
    domain, problem = problem_of(name, size, 3)
    answer = solve(domain, problem, Limits(evaluations=200_000), configuration)
    assert isinstance(answer, Plan)
    assert validate(domain, problem, answer.actions).valid
    return answer


@pytest.mark.parametrize(("name", "size"), SMALL.items())
def test_a_plan_with_rivals_costs_no_more(name: str, size: int) -> None:
    assert solved(name, size, THOROUGH).cost <= solved(name, size, DEFAULT).cost


def test_rivals_open_fewer_stacks() -> None:
    assert solved("openstacks", 20, THOROUGH).cost < 0.7 * solved("openstacks", 20, DEFAULT).cost


@pytest.mark.parametrize("seed", [1, 2])
def test_cheap_plans_are_found_where_the_estimates_are_too_high(seed: int) -> None:
    domain, problem = problem_of("nurikabe", 5, seed)
    best = solve(domain, problem, configuration=Configuration.usual("astar", "lmcut"))
    assert isinstance(best, Plan)
    assert best.optimal
    plan = solve(domain, problem, Limits(evaluations=200_000), THOROUGH)
    assert isinstance(plan, Plan)
    assert plan.cost == best.cost


def test_the_same_plan_again() -> None:
    assert solved("rovers", 4, THOROUGH).actions == solved("rovers", 4, THOROUGH).actions


def test_rivals_keep_to_the_limit_of_evaluations() -> None:
    domain, problem = problem_of("rovers", 5, 3)
    for most in (400, 1000, 3000):
        answer = solve(domain, problem, Limits(evaluations=most), THOROUGH)
        assert not isinstance(answer, Plan) or answer.evaluated <= most


def test_only_searches_by_turns_have_rivals() -> None:
    assert Configuration.usual().rivals
    assert Configuration.usual("anytime").rivals
    assert not Configuration.usual(improve=0).rivals
    assert not Configuration.usual(queues="ff").rivals
    assert not Configuration.usual("astar").rivals
    assert not DEFAULT.rivals
    assert str(THOROUGH) == f"{DEFAULT}-rivals"


def test_the_generators_make_the_same_problems_for_a_seed() -> None:
    for name, (generate, sizes) in GENERATORS.items():
        assert generate(Random(1), sizes[0]) == generate(Random(1), sizes[0]), name
    assert len(list(classical_problems(1))) == 3 * len(GENERATORS) >= 36
