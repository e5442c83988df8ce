"""The cheapest plans: those of an enumeration of all paths without a state twice."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.errors import LimitError
from chorewright.planner.equivalence.cheapest_plans import cheapest_plans, different_plans
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.progression import applicable
from chorewright.planner.validation import PlanWorld, validate

DOMAIN = """(define (domain errands) (:requirements :strips :action-costs)
 (:predicates (at ?x) (way ?x ?y) (done ?x))
 (:functions (far ?x ?y) (total-cost))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y))
  :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (far ?x ?y))))
 (:action do :parameters (?x) :precondition (at ?x) :effect (and (done ?x) (increase (total-cost) 1))))"""


def errands(seed: int) -> tuple[Domain, Problem]:
    """Four places with random ways, and something to do at two of them."""
    rng, places = np.random.default_rng(seed), "abcd"
    ways = [(x, y) for x in places for y in places if x != y and rng.random() < 0.6]
    facts = " ".join(f"(way {x} {y}) (= (far {x} {y}) {rng.integers(0, 4)})" for x, y in ways)
    domain = parse_domain(DOMAIN)
    return domain, parse_problem(
        f"""(define (problem p) (:domain errands) (:objects {" ".join(places)})
        (:init (at a) {facts} (= (total-cost) 0)) (:goal (and (done b) (done c))) (:metric minimize (total-cost)))""",
        domain,
    )


def all_plans(domain: Domain, problem: Problem) -> dict[tuple[GroundAction, ...], float]:
    """Every plan that visits no state twice and ends where the goal first holds, by depth-first search."""
    world = PlanWorld.of(domain, problem)
    found: dict[tuple[GroundAction, ...], float] = {}

    def extend(state: State, visited: frozenset[State], steps: tuple[GroundAction, ...]) -> None:
        if holds(problem.goal, Facts(state), world.universe):
            found[steps] = validate(domain, problem, steps).cost
            return
        for action in applicable(domain, world.universe, Facts(state)):
            after = world.apply(action, state, Facts(state))
            if after not in visited:
                extend(after, visited | {after}, (*steps, action))

    extend(world.initial(), frozenset((world.initial(),)), ())
    return found


@pytest.mark.parametrize("seed", range(8))
def test_all_plans_come_in_the_order_of_their_costs(seed: int) -> None:
    domain, problem = errands(seed)
    expected = all_plans(domain, problem)
    with Limits().alarm() as alarm:
        plans = list(cheapest_plans(domain, problem, alarm))
    assert {plan.actions: plan.cost for plan in plans} == expected
    assert len(plans) == len(expected)
    assert [plan.cost for plan in plans] == sorted(expected.values())
    assert [plan.optimal for plan in plans] == [plan.cost == plans[0].cost for plan in plans]


def test_different_plans_have_less_in_common_than_the_cheapest() -> None:
    domain, problem = errands(1)
    with Limits().alarm() as alarm:
        cheapest = list(islice(cheapest_plans(domain, problem, alarm), 4))
        different = different_plans(cheapest_plans(domain, problem, alarm), 4)
    assert different[0] == cheapest[0]
    assert len({plan.actions for plan in different}) == 4

    def common(plans: list[Plan]) -> int:
        sets = [set(plan.actions) for plan in plans]
        return sum(len(one & other) for one in sets for other in sets)

    assert common(different) <= common(cheapest)


def test_problems_with_more_states_are_refused() -> None:
    with Limits().alarm() as alarm, pytest.raises(LimitError, match="more than 3 states are reachable"):
        cheapest_plans(*errands(1), alarm, most=3)
