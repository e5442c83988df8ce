"""All competition domains: grounded, solved and validated; optimal costs as pyperplan finds them."""

from __future__ import annotations

import pytest

from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from benchmarks.corpora.reference import sample
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.relevance import relevant_objects
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import validate
from tests.planner.lama_costs import handmethat_task, lama_costs

SLOW = frozenset(("psr-middle", "parking-opt11-strips", "cavediving-14-adl", "philosophers", "sokoban-opt08-strips"))


def problems() -> list[object]:
    try:
        found = competition_problems()
    except pytest.skip.Exception:
        return []
    return [
        pytest.param(domain, problem, marks=[pytest.mark.slow] if domain in SLOW else []) for domain, problem in found
    ]


@pytest.mark.parametrize(("domain_name", "problem_name"), problems())
def test_solved_within_a_minute(domain_name: str, problem_name: str) -> None:
    domain, problem = competition_task(domain_name, problem_name)
    answer = solve(domain, problem, Limits(seconds=60))
    assert isinstance(answer, Plan)
    verdict = validate(domain, problem, answer.actions)
    assert verdict.valid
    assert verdict.cost == answer.cost
    theirs = lama_costs()[f"{domain_name}/{problem_name}"]
    dearer = theirs is not None and answer.cost > theirs
    assert dearer == (f"{domain_name}/{problem_name}" in DEARER)


DEARER = ("maintenance-opt14-adl/maintenance-1-3-010-010-2-002.pddl", "parking-opt11-strips/pfile03-012.pddl")
"""Where Fast Downward's first plan costs less than ours."""


def test_plans_cost_no_more_than_those_of_lama_on_nine_of_ten_problems() -> None:
    assert {*DEARER} <= {*lama_costs()}
    assert len(DEARER) <= 0.1 * len(lama_costs())


PEER = [
    ("blocks", "probBLOCKS-4-2.pddl"),
    ("blocks", "probBLOCKS-5-2.pddl"),
    ("gripper", "prob01.pddl"),
    ("depot", "p01.pddl"),
    ("tpp", "p02.pddl"),
    ("visitall-opt11-strips", "problem03-half.pddl"),
    ("zenotravel", "p01.pddl"),
]


@pytest.mark.parametrize(("domain_name", "problem_name"), PEER)
def test_optimal_lengths_are_those_of_pyperplan(domain_name: str, problem_name: str) -> None:
    pytest.importorskip("pyperplan")
    from pyperplan.planner import SEARCHES, search_plan

    domain, problem = competition_task(domain_name, problem_name)
    answer = solve(domain, problem, configuration=OPTIMAL)
    assert isinstance(answer, Plan)
    folder = sample("ipc") / domain_name
    theirs = search_plan(str(folder / "domain.pddl"), str(folder / problem_name), SEARCHES["bfs"], None)
    assert len(theirs) == len(answer.actions)


@pytest.mark.parametrize("name", ["p00S", "p01S", "p03M", "p05M", "p07L", "p09L"])
def test_large_household_like_tasks_are_solved_on_a_tight_rung(name: str) -> None:
    domain, problem = handmethat_task(f"{name}.pddl")
    answer = solve(domain, problem, Limits(seconds=60))
    assert isinstance(answer, Plan)
    theirs = lama_costs()[f"handmethat/{name}.pddl"]
    assert theirs is None or answer.cost <= theirs
    keep = relevant_objects(domain, problem, 1)
    assert keep is not None
    assert len(keep) < 60


def test_the_full_task_of_230_objects_is_grounded() -> None:
    task = ground(*handmethat_task("p00S.pddl"))
    assert task is not None
    assert task.operator_count > 200_000
