"""A* with LM-cut finds what Fast Downward finds: small tasks, household, classic and random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.errors import UnsupportedError
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import validate
from tests.planner.fast_downward import LANDMARKS, driver
from tests.planner.small_tasks import NAMES, digest, golden, measured, small_task

LANDMARK_CUT = Configuration("astar", "lmcut", improve=0, rungs=())
BLIND = Configuration("astar", "blind", improve=0, rungs=())
ANEW = "the task is not that of the golden file: run python -m tests.planner.small_tasks"


def optimal_cost(name: str) -> float | None:
    """Our optimal cost, by LM-cut, or blind where there are axioms; None if there is no plan."""
    domain, problem = small_task(name)
    try:
        answer = solve(domain, problem, configuration=LANDMARK_CUT)
    except UnsupportedError:
        assert domain.axioms
        answer = solve(domain, problem, configuration=BLIND)
    if isinstance(answer, Unsolvable):
        return None
    assert isinstance(answer, Plan)
    assert answer.optimal
    verdict = validate(domain, problem, answer.actions)
    assert verdict.valid
    assert verdict.cost == answer.cost
    return answer.cost


def test_there_are_enough_tasks() -> None:
    by_landmarks = [name for name, entry in golden().items() if entry.search == LANDMARKS]
    assert list(golden()) == list(NAMES)
    assert len(by_landmarks) >= 300
    assert sum(entry.cost is None for entry in golden().values()) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_costs_are_those_of_fast_downward(name: str) -> None:
    expected = golden()[name]
    assert digest(*small_task(name)) == expected.digest, ANEW
    if expected.search:
        assert optimal_cost(name) == expected.cost
    else:
        optimal_cost(name)


@pytest.mark.slow
def test_the_golden_file_is_what_fast_downward_finds(tmp_path: Path) -> None:
    driver()
    for name in NAMES:
        assert measured(name, tmp_path) == golden()[name], name
