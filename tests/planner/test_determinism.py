"""The same bytes for every hash seed: one plan each for a sample of all kinds of tasks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.planner.small_tasks import GENERATORS, HOUSEHOLD
from tests.reference import ROOT

SEEDS = ("0", "1", "77")

CHILD = """
import sys
from chorewright.planner.plan import Plan
from chorewright.planner.planning import OPTIMAL, solve
from tests.planner.small_tasks import small_task
for name in sys.argv[1:]:
    domain, problem = small_task(name)
    for answer in (solve(domain, problem), solve(domain, problem, configuration=OPTIMAL)):
        print(name, *answer.actions if isinstance(answer, Plan) else [answer])
"""


def sample(numbers: range) -> list[str]:
    names = [f"{family}-{number}" for family in GENERATORS for number in numbers]
    names += [f"household-{number}" for number in range(len(HOUSEHOLD))]
    if (ROOT / "planner" / "a").exists():
        names += [f"handmethat-{number}" for number in range(12)]
    return names


@pytest.mark.parametrize("numbers", [range(1), pytest.param(range(12), marks=pytest.mark.slow)], ids=str)
def test_plans_do_not_depend_on_the_hash_seed(numbers: range) -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CHILD, *sample(numbers)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in SEEDS
    ]
    assert len(outputs[0]) == 2 * len(sample(numbers))
    assert sum("(" in line for line in outputs[0]) > len(outputs[0]) / 2
    for first, *others in zip(*outputs, strict=True):
        assert set(others) == {first}
