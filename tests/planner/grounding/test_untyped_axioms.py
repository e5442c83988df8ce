"""Axioms over variables without types: atoms in which an object does not fit are false of it.

Fast Downward does not look at the types of atoms, so that files of others rely on this.
"""

from __future__ import annotations

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain
from chorewright.errors import InputErrors
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import validate

DOMAIN = """(define (domain towers) (:requirements :adl :derived-predicates)
 (:types block robot)
 (:predicates (on ?x ?y - block) (clear ?x - block) (ready ?r - robot) (above ?x ?y) (alone ?x))
 (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z - block) (and (on ?x ?z) (above ?z ?y)))))
 (:derived (alone ?x) (not (exists (?y - block) (or (on ?x ?y) (on ?y ?x)))))
 (:action stack :parameters (?r - robot ?x ?y - block)
  :precondition (and (ready ?r) (clear ?y) (alone ?x) (not (= ?x ?y)))
  :effect (and (on ?x ?y) (not (clear ?y)))))"""
PROBLEM = """(define (problem p) (:domain towers) (:objects a b c - block r - robot)
 (:init (ready r) (clear a) (clear b) (clear c)) (:goal {}))"""

# A goal, and how many steps it takes, or None if it cannot be reached.
GOALS = [
    ("(above a c)", 1),
    ("(and (above a c) (above b c))", 2),
    ("(alone r)", 0),
    ("(and (alone r) (not (alone c)))", 1),
    ("(exists (?x) (and (alone ?x) (above a c)))", 1),
    ("(above r a)", None),
    ("(above a r)", None),
    ("(not (alone r))", None),
]


@pytest.mark.parametrize("configuration", [Configuration(), Configuration("astar", "max"), Configuration(rungs=())])
@pytest.mark.parametrize(("goal", "steps"), GOALS)
def test_plans(goal: str, steps: int | None, configuration: Configuration) -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(PROBLEM.format(goal), domain)
    answer = solve(domain, problem, configuration=configuration)
    if steps is None:
        assert isinstance(answer, Unsolvable)
        return
    assert isinstance(answer, Plan)
    assert len(answer.actions) == steps
    assert validate(domain, problem, answer.actions).valid
    assert parse_domain(write_domain(domain)) == domain


def test_a_typed_head_is_still_checked() -> None:
    with pytest.raises(InputErrors, match="'\\?x' is a robot, but 'on' takes a block here"):
        parse_domain(DOMAIN.replace("(:derived (alone ?x)", "(:derived (alone ?x - robot)"))
