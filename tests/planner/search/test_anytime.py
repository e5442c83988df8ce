"""Rivals: the plans of other searches, where the first plan may be dear."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import cast

import pytest

from benchmarks.classical.generators import GENERATORS, classical_problems, problem_of
from chorewright.files.stopping import Stopped
from chorewright.planner import planning
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.plan import Limit, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.search import anytime
from chorewright.planner.search.anytime import chase
from chorewright.planner.search.configuration import DEFAULT, THOROUGH, Configuration
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult, prepare
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


@pytest.mark.parametrize(("name", "size"), [("rovers", 5), ("hiking", 5)])
def test_other_orders_of_the_steps_make_cheaper_plans(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cost = solved(name, size, THOROUGH).cost
    monkeypatch.setattr(anytime, "improve_orders", lambda prepared, found, *_: found)
    assert cost < solved(name, size, THOROUGH).cost


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
    assert str(THOROUGH) == f"{DEFAULT}-rivals-3x"


@pytest.mark.parametrize("grounding", [0, 500])
@pytest.mark.parametrize("name", ["hiking", "barman", "folding"])
def test_improvement_is_in_proportion_to_the_first_plan(
    name: str, grounding: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_WORK", 0)
    monkeypatch.setattr(planning, "GROUNDING", grounding)
    domain, problem = problem_of(name, SMALL[name] + 1, 3)
    spent = []
    for times in (0.5, 2, 1_000):
        first: list[Plan] = []
        answer = solve(domain, problem, Limits(), Configuration.usual(times=times), first.append)
        assert isinstance(answer, Plan)
        assert answer.evaluated <= first[0].evaluated + times * (first[0].evaluated + grounding)
        spent.append(answer.evaluated)
    assert spent[0] < spent[1] < spent[2]


def test_the_generators_make_the_same_problems_for_a_seed() -> None:
    for name, (generate, sizes) in GENERATORS.items():
        assert generate(Random(1), sizes[0]) == generate(Random(1), sizes[0]), name
    assert len(list(classical_problems(1))) == 3 * len(GENERATORS) >= 36


def reported(limits: Limits, configuration: Configuration = THOROUGH) -> list[Plan]:
    domain, problem = problem_of("hiking", 3, 3)
    plans: list[Plan] = []
    answer = solve(domain, problem, limits, configuration, plans.append)
    assert isinstance(answer, Plan)
    assert answer.actions == plans[-1].actions
    for plan in plans:
        verdict = validate(domain, problem, plan.actions)
        assert (verdict.valid, verdict.cost) == (True, plan.cost)
    return plans


@pytest.mark.parametrize("search", ["greedy", "lazy", "anytime"])
def test_the_first_plan_and_each_cheaper_one_are_reported(search: str) -> None:
    plans = reported(Limits(evaluations=10_000), Configuration.usual(search))
    assert len(plans) > 1
    costs = [plan.cost for plan in plans]
    assert costs == sorted(set(costs), reverse=True)


def test_who_listens_changes_nothing() -> None:
    domain, problem = problem_of("hiking", 3, 3)
    heard = solve(domain, problem, Limits(evaluations=10_000), THOROUGH, lambda _: None)
    assert heard == solve(domain, problem, Limits(evaluations=10_000), THOROUGH)


@pytest.mark.parametrize(
    ("limits", "times"), [(Limits(barren=1e-9), None), (Limits(), 1e-9)], ids=["no-improvement", "times"]
)
def test_improvement_ends(limits: Limits, times: float | None) -> None:
    domain, problem = problem_of("hiking", 4, 3)
    most = Configuration.usual("anytime", improve=10**9, times=times)
    answer = solve(domain, problem, limits, most)
    assert isinstance(answer, Plan)
    assert not answer.optimal


def test_a_limit_within_improvement_keeps_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise Stopped

    monkeypatch.setattr(anytime, "disjunctions", stop)
    assert reported(Limits())


@pytest.mark.parametrize(("most", "chased"), [(100_000, True), (1_000, False)])
def test_a_chase_takes_half_of_its_budget_and_gives_plans(most: int, chased: bool) -> None:
    domain, problem = problem_of("openstacks", 20, 3)
    task = ground(domain, problem)
    assert task is not None
    prepared = prepare(task)
    first = prepared.search("greedy", "ff", 1, UNBOUNDED, Budget(10_000, 10**6, NEVER))
    heard: list[int] = []
    best = chase(prepared, first, Budget(most, 10**6, NEVER), lambda plan: heard.append(prepared.plan_cost(plan)))
    assert best.operators is not None
    assert validate(domain, problem, [task.action(o) for o in best.operators]).valid
    assert best.evaluations <= most // 2
    assert bool(heard) == chased
    costs = [prepared.plan_cost(first.operators or ()), *heard]
    assert costs == sorted(set(costs), reverse=True)
    assert prepared.plan_cost(best.operators) == costs[-1]


def test_a_chase_saves_a_part_of_the_cost_until_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    domain, problem = problem_of("openstacks", 20, 3)
    task = ground(domain, problem)
    assert task is not None
    prepared = prepare(task)
    first = prepared.search("greedy", "ff", 1, UNBOUNDED, Budget(10_000, 10**6, NEVER))
    least, bounds = 80, list[int]()

    def search(*given: object) -> SearchResult:
        bounds.append(cast("int", given[4]))
        found = bounds[-1] > least
        return SearchResult((bounds[-1] - 1,) if found else None, None if found else Limit.EVALUATIONS, 1)

    monkeypatch.setattr(Prepared, "search", search)
    monkeypatch.setattr(Prepared, "plan_cost", lambda _, operators: operators[0])
    best = chase(prepared, replace(first, operators=(100,)), Budget(100_000, 10**6, NEVER))
    assert best.operators == (least,)
    # A twentieth is saved until that fails, then a fortieth, then anything; with the least weight, anything at once.
    assert bounds == [95, 90, 85, 80, 82, 79, 81, 80, 80]
