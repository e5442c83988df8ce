"""The test of reachability that comes with the choice of objects, against brute force."""

from __future__ import annotations

import pytest

from chorewright.domains.formulas import holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding.relevance import Unreachable, relevant_objects
from chorewright.planner.plan import Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import World
from tests.planner.tables import GOALS, optimal_cost, random_task


@pytest.mark.parametrize("goal", range(len(GOALS)))
def test_what_is_called_unreachable_has_no_plan(goal: int) -> None:
    for seed in range(30):
        domain, problem = random_task(seed, goal)
        try:
            relevant_objects(domain, problem, 1)
        except Unreachable:
            world = World.of(domain, problem)
            assert optimal_cost(world, lambda s, p=problem, w=world: holds(p.goal, s, w.universe)) is None


LAMPS = """(define (domain d) (:requirements :adl :derived-predicates)
 (:predicates (on ?x) (wired ?x) (broken ?x) (hot ?x))
 (:derived (hot ?x) (and (on ?x) (not (broken ?x))))
 (:action switch :parameters (?x) :precondition (and (wired ?x) (not (broken ?x))) :effect (on ?x))
 (:action off :parameters (?x) :precondition (on ?x) :effect (not (on ?x))))"""


@pytest.mark.parametrize(
    ("goal", "reachable"),
    [
        ("(on a)", True),
        ("(on b)", False),
        ("(hot a)", True),
        ("(hot c)", False),
        ("(or (on a) (on b))", True),
        ("(or (on b) (on c))", False),
        ("(and (on a) (on b))", False),
        ("(exists (?x) (and (broken ?x) (on ?x)))", False),
        ("(exists (?x) (and (wired ?x) (on ?x)))", True),
        ("(and (not (on a)) (on a))", True),  # not together, but that the test does not see
        ("(not (hot a))", True),
        ("(not (broken c))", False),
    ],
)
def test_goals_of_which_a_part_is_out_of_reach(goal: str, reachable: bool) -> None:
    domain = parse_domain(LAMPS)
    init = "(wired a) (wired c) (broken c)"
    text = f"(define (problem p) (:domain d) (:objects a b c) (:init {init}) (:goal {goal}))"
    problem = parse_problem(text, domain)
    found = True
    try:
        relevant_objects(domain, problem, 1)
    except Unreachable:
        found = False
    assert found == reachable
    if not found:
        for configuration in (Configuration(), Configuration(rungs=())):
            assert isinstance(solve(domain, problem, configuration=configuration), Unsolvable)
