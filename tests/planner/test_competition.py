"""All competition domains: grounded, solved and validated; optimal costs as pyperplan finds them."""

from __future__ import annotations

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding import ground
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.relevance import relevant_objects
from chorewright.planner.validation import validate
from tests.planner.tables import competition_problems, competition_task
from tests.reference import reference

SLOW = frozenset(
    ("psr-middle", "parking-opt11-strips", "cavediving-14-adl", "philosophers", "sokoban-opt08-strips")
)


def problems() -> list[object]:
    try:
        found = competition_problems()
    except pytest.skip.Exception:
        return []
    return [
        pytest.param(domain, problem, marks=[pytest.mark.slow] if domain in SLOW else [])
        for domain, problem in found
    ]


@pytest.mark.parametrize(("domain_name", "problem_name"), problems())
def test_solved_within_a_minute(domain_name: str, problem_name: str) -> None:
    domain, problem = competition_task(domain_name, problem_name)
    answer = solve(domain, problem, Limits(seconds=60))
    assert isinstance(answer, Plan)
    verdict = validate(domain, problem, answer.actions)
    assert verdict.valid
    assert verdict.cost == answer.cost


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
    folder = reference("ipc") / domain_name
    theirs = search_plan(str(folder / "domain.pddl"), str(folder / problem_name), SEARCHES["bfs"], None)
    assert len(theirs) == len(answer.actions)


LARGE = {"p00S": 14, "p01S": 7, "p03M": 26, "p05M": 60, "p07L": 77, "p09L": 60}
"""Steps that our plans for 230 objects stay within; Fast Downward's first plans have 14, -, 26, 42, 77, -."""


@pytest.mark.parametrize("name", LARGE)
def test_large_household_like_tasks_are_solved_on_a_tight_rung(name: str) -> None:
    folder = reference("planner/a")
    domain = parse_domain((folder / "domain.pddl").read_text())
    problem = parse_problem((folder / f"{name}.pddl").read_text(), domain)
    answer = solve(domain, problem, Limits(seconds=60))
    assert isinstance(answer, Plan)
    assert len(answer.actions) <= LARGE[name]
    keep = relevant_objects(domain, problem, 1)
    assert keep is not None
    assert len(keep) < 60


def test_the_full_task_of_230_objects_is_grounded() -> None:
    folder = reference("planner/a")
    domain = parse_domain((folder / "domain.pddl").read_text())
    problem = parse_problem((folder / "p00S.pddl").read_text(), domain)
    task = ground(domain, problem)
    assert task is not None
    assert task.operator_count > 200_000
