"""The test of reachability that comes with the choice of objects, against brute force."""

from __future__ import annotations

import pytest

from chorewright.domains.formulas import holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding.relevance import Unreachable, relevant_objects
from chorewright.planner.plan import Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import PlanWorld
from tests.planner.tables import GOALS, optimal_cost, random_task


@pytest.mark.parametrize("goal", range(len(GOALS)))
def test_what_is_called_unreachable_has_no_plan(goal: int) -> None:
    for seed in range(30):
        domain, problem = random_task(seed, goal)
        try:
            relevant_objects(domain, problem, 1)
        except Unreachable:
            world = PlanWorld.of(domain, problem)
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


KITCHEN = """(define (domain kitchen) (:requirements :strips :typing :action-costs)
 (:types item place spot)
 (:predicates (at ?s - spot) (near ?t - item ?s - spot) (beside ?p - place ?s - spot) (open ?p - place ?s - spot)
   (in ?t - item ?p - place) (board ?p - place) (held ?t - item) (cut ?t - item))
 (:functions (total-cost) - number)
 (:action walk :parameters (?a ?b - spot) :precondition (at ?a)
   :effect (and (at ?b) (not (at ?a)) (increase (total-cost) 1)))
 (:action reveal :parameters (?p - place ?s - spot) :precondition (and (at ?s) (open ?p ?s)) :effect (beside ?p ?s))
 (:action take :parameters (?t - item ?p - place ?s - spot)
   :precondition (and (at ?s) (near ?t ?s) (beside ?p ?s) (in ?t ?p))
   :effect (and (held ?t) (not (in ?t ?p)) (not (near ?t ?s))))
 (:action lay :parameters (?t - item ?p - place ?s - spot)
   :precondition (and (at ?s) (beside ?p ?s) (held ?t))
   :effect (and (in ?t ?p) (near ?t ?s) (not (held ?t))))
 (:action slice :parameters (?t - item ?p - place ?s - spot)
   :precondition (and (at ?s) (near ?t ?s) (beside ?p ?s) (in ?t ?p) (board ?p))
   :effect (cut ?t)))"""


def test_what_lies_where_it_is_of_no_use_is_taken_elsewhere() -> None:
    """Level 0 does not rest content with a loaf's place where loaves are not cut; it leaves out what has no part."""
    domain = parse_domain(KITCHEN)
    problem = parse_problem(
        """(define (problem loaf) (:domain kitchen)
        (:objects loaf apple - item fridge table shelf - place left right far - spot)
        (:init (at far) (in loaf fridge) (near loaf left) (beside fridge left) (board table) (beside table right)
          (in apple shelf) (near apple far) (beside shelf far))
        (:goal (cut loaf)) (:metric minimize (total-cost)))""",
        domain,
    )
    kept = relevant_objects(domain, problem, 0)
    assert kept is not None
    assert {"loaf", "fridge", "table", "left", "right"} <= kept
    assert "apple" not in kept
    everything = relevant_objects(domain, problem, 1)
    assert everything is not None
    assert kept <= everything


def test_domains_of_very_many_conditions_have_no_tight_tasks() -> None:
    def relevant(actions: int) -> frozenset[str] | None:
        conditions = " ".join(f"(wired x{i})" for i in range(30))
        many = "".join(
            f" (:action a{n} :parameters (?x) :precondition (and {conditions} (not (broken ?x))) :effect (on ?x))"
            for n in range(actions)
        )
        objects = " ".join(f"x{i}" for i in range(31))
        domain = parse_domain(LAMPS.replace("(:predicates", f"(:constants {objects}) (:predicates")[:-1] + many + ")")
        init = " ".join(f"(wired x{i})" for i in range(30))
        problem = parse_problem(f"(define (problem p) (:domain d) (:init {init}) (:goal (on x30)))", domain)
        return relevant_objects(domain, problem, 1)

    assert "x30" in (relevant(1) or ())
    assert relevant(50) is None
