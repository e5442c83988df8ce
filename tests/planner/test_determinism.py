"""The same bytes for every hash seed, compiled or not: one plan each for a sample of all kinds of tasks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.planner.small_tasks import GENERATORS, HOUSEHOLD

SEEDS = ("0", "1", "77", "1234", "4294967295")

CHILD = """
import sys
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import OPTIMAL, Configuration, solve
from tests.planner.small_tasks import small_task
for name in sys.argv[1:]:
    domain, problem = small_task(name)
    few = solve(domain, problem, Limits(evaluations=3000), Configuration("anytime"))
    best = solve(domain, problem, Limits(evaluations=20_000), OPTIMAL)
    for answer in (solve(domain, problem), few, best):
        print(name, *answer.actions if isinstance(answer, Plan) else [answer])
"""


COMPETITION = ("depot/p02", "citycar-opt14-adl/p2-2-2-1-2", "psr-middle/p01-s17-n2-l2-f30")


def sample(number: int, rooms: int, large: int) -> list[str]:
    """Tasks of each family, in rooms, and of the reference data."""
    names = [f"{family}-{place}" for family in GENERATORS for place in range(number)]
    names += [f"household-{place}" for place in range(rooms)]
    names += [f"handmethat-{place}" for place in range(large)]
    return [*names, *COMPETITION]


@pytest.mark.parametrize(
    ("names", "seeds"),
    [
        pytest.param(sample(1, 2, 2), SEEDS[:2], id="few"),
        pytest.param(sample(12, len(HOUSEHOLD), 12), SEEDS, marks=pytest.mark.slow, id="many"),
    ],
)
def test_plans_do_not_depend_on_the_hash_seed(names: list[str], seeds: tuple[str, ...]) -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CHILD, *names],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in seeds
    ]
    assert len(outputs[0]) == 3 * len(names)
    assert sum("(" in line for line in outputs[0]) > len(outputs[0]) / 2
    for first, *others in zip(*outputs, strict=True):
        assert set(others) == {first}


PYTHON = """
import sys
from chorewright.jit import objects
from chorewright.jit.kernels import interpreting
from chorewright.planner.plan import Limits
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import THOROUGH, Configuration
from tests.planner.small_tasks import small_task
if sys.argv[1] != "linked":
    objects.link = lambda *_: {}
seconds = 0.0 if sys.argv[1] == "linked" else float(sys.argv[1])
for name in sys.argv[2:]:
    domain, problem = small_task(name)
    for configuration in (THOROUGH, Configuration("astar", "lmcut"), Configuration("ehc", "add")):
        try:
            with interpreting(seconds):
                print(name, repr(solve(domain, problem, Limits(evaluations=150), configuration)))
        except Exception as error:
            print(name, error)
print("numba" in sys.modules)
"""
SMALL = ("stacks-0", "power-0", "cases-0")


def test_python_and_machine_code_find_the_same_plans() -> None:
    """With 0 seconds numba loads all, with 0.02 a kernel is given up midway, with an hour nothing is compiled; at last
    all is linked."""
    outputs = {
        seconds: subprocess.run(
            [sys.executable, "-c", PYTHON, seconds, *SMALL], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for seconds in ("0", "0.02", "3600", "linked")
    }
    *compiled, loaded = outputs["0"]
    assert sum("Plan(" in line for line in compiled) > len(SMALL)
    assert loaded == "True"
    assert outputs["0.02"] == outputs["0"]
    assert outputs["3600"] == [*compiled, "False"]
    assert outputs["linked"][:-1] == compiled
