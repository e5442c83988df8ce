"""Costs of any size and fineness: no plan is lost to them, and only exact costs make a plan optimal."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import UnsupportedError
from chorewright.files.stopping import Alarm
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import OPTIMAL, Configuration, solve
from chorewright.planner.search.heuristics.delete_relaxation import COARSE, MOST_COST, integer_costs
from chorewright.planner.search.search import UNBOUNDED, Budget, prepare

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

CHAIN = """(define (domain d) (:requirements :adl :action-costs) (:predicates (at ?x) (next ?x ?y))
 (:functions (total-cost) - number (c ?x) - number)
 (:action step :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y))
  :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (c ?x)))))"""

STEPS = 120
"""Of a chain whose costs together are more units than the queue can order."""

LANDMARKS = Configuration("astar", "lmcut", improve=0, rungs=())


def chain(length: int, *costs: str) -> str:
    """A chain of steps that cost what is given, in turn."""
    init = " ".join(f"(next o{i} o{i + 1}) (= (c o{i}) {costs[i % len(costs)]})" for i in range(length))
    names = " ".join(f"o{i}" for i in range(length + 1))
    return (
        f"(define (problem x) (:domain d) (:objects {names}) (:init (at o0) {init}) (:goal (at o{length}))"
        " (:metric minimize (total-cost)))"
    )


@pytest.mark.parametrize(
    ("costs", "optimal"),
    [
        (("1",), True),
        (("0",), True),
        (("1000.123456",), True),
        (("1000000000",), True),
        (("1e12",), True),
        (("1e300",), True),
        (("0.0000001",), True),
        (("1000.123456", "1073.123457"), False),  # exact, but more units than the queue can order
        (("1e12", "0.1"), False),
        (("1e300", "1"), False),
    ],
)
@pytest.mark.parametrize("configuration", [Configuration(), OPTIMAL, LANDMARKS], ids=str)
def test_a_long_chain_has_a_plan(costs: tuple[str, ...], optimal: bool, configuration: Configuration) -> None:
    domain = parse_domain(CHAIN)
    answer = solve(domain, parse_problem(chain(STEPS, *costs), domain), configuration=configuration)
    assert isinstance(answer, Plan)
    assert len(answer.actions) == STEPS
    assert answer.cost == pytest.approx(STEPS / 2 * (float(costs[0]) + float(costs[-1])))
    assert answer.optimal == (optimal and configuration.optimal)


def test_too_large_costs_are_refused() -> None:
    domain = parse_domain(CHAIN)
    with pytest.raises(UnsupportedError, match="costs more than 1e"):
        solve(domain, parse_problem(chain(3, "1e308"), domain))


@pytest.mark.parametrize(
    "costs",
    [
        [],
        [0.0],
        [1.0, 2.0, 5.0],
        [9e-7, 1e-7],
        [0.1 + 0.2, 0.5, 0.7 + 0.1],
        [1e12, 3e12],
        [12.25, 1e6],
        [0.333333333, 0.5],
        [10_000_000.25, 0.0],
    ],
)
def test_integer_costs_are_exact_where_they_can_be(costs: list[float]) -> None:
    integers, unit = integer_costs(np.asarray(costs))
    assert integers.max(initial=0) < MOST_COST
    assert integers.tolist() == [round(Fraction(cost) / Fraction(unit)) for cost in costs]
    assert np.allclose(integers * unit, costs, rtol=1e-12, atol=0)
    assert math.gcd(*integers.tolist()) in (0, 1)


@pytest.mark.parametrize("costs", [[1e12, 0.1], [1 / 3, 1e9 / 7], [1e300, 1.0], [5e-324, 1.0], [2.0**31, 1.0]])
def test_other_costs_are_rounded_in_order(costs: list[float]) -> None:
    integers, unit = integer_costs(np.asarray(costs))
    assert integers.min() >= 1
    assert integers.max() == COARSE
    assert np.isclose(integers.max() * unit, max(costs))
    assert not np.allclose(integers * unit, costs, rtol=1e-12, atol=0)


@pytest.mark.parametrize("search", ["greedy", "astar"])
def test_a_search_says_whether_it_cut_paths_off(search: str) -> None:
    domain = parse_domain(CHAIN)
    task = ground(domain, parse_problem(chain(6, "3", "2"), domain))
    assert task is not None
    prepared = prepare(task)
    budget = Budget(1000, 1000, Alarm(None).flag)
    for bound in (0, 1, 14, 15):
        found = prepared.search(search, "ff", 1, bound, budget)
        assert (found.operators, found.limit, found.pruned) == (None, None, True)
    for bound in (16, UNBOUNDED):
        assert prepared.search(search, "ff", 1, bound, budget).operators is not None
    dead = parse_domain(CHAIN.replace("(not (at ?x))", "(not (at ?x)) (not (next ?x ?y))"))
    task = ground(dead, parse_problem(chain(6, "1").replace("(at o6)", "(and (at o6) (next o0 o1))"), dead))
    assert task is not None
    found = prepare(task).search(search, "ff", 1, UNBOUNDED, budget)
    assert (found.operators, found.limit, found.pruned) == (None, None, False)


def test_unsolvable_is_still_found() -> None:
    domain = parse_domain(CHAIN)
    problem = parse_problem(chain(6, "1e9").replace("(:goal (at o6)", "(:goal (and (at o1) (at o6))"), domain)
    assert isinstance(solve(domain, problem), Unsolvable)
