"""Plans in stages: each goes on from what the actions before have made true, also by axioms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem
from chorewright.planner.plan import Plan
from chorewright.planner.stages import solve_in_stages
from chorewright.planner.validation import validate

DOMAIN = parse_domain("""(define (domain dark) (:requirements :adl :derived-predicates) (:types lamp note)
  (:predicates (power ?l - lamp) (fresh ?l - lamp) (blank ?n - note) (written ?n - note) (lit) (torn ?n - note))
  (:derived (lit) (exists (?l - lamp) (power ?l)))
  (:action press :parameters (?l - lamp) :precondition (fresh ?l) :effect (and (power ?l) (not (fresh ?l))))
  (:action write :parameters (?n - note) :precondition (blank ?n)
    :effect (and (not (blank ?n)) (when (lit) (written ?n)) (when (not (lit)) (torn ?n)))))""")
PROBLEM = parse_problem(
    "(define (problem p) (:domain dark) (:objects l - lamp n m - note) (:init (fresh l) (blank n) (blank m))"
    " (:goal (written n)))",
    DOMAIN,
)


@pytest.mark.parametrize(
    ("stages", "names"),
    [
        (["(written n)", "(written m)"], ["press", "write", "write"]),
        (["(power l)", "(written n)", "(lit)"], ["press", "write"]),
        (["(torn m)", "(written n)"], ["write", "press", "write"]),
        (["(or (torn n) (written n))", "(written m)"], None),
    ],
)
def test_stages_go_on_from_what_has_been_reached(stages: list[str], names: list[str] | None) -> None:
    goals = [parse_formula(text, DOMAIN, PROBLEM.objects) for text in stages]
    answer = solve_in_stages(DOMAIN, PROBLEM, [(goal, True) for goal in goals])
    assert isinstance(answer, Plan)
    if names is not None:
        assert [action.name for action in answer.actions] == names
    for goal in goals:
        assert validate(DOMAIN, replace(PROBLEM, goal=goal), answer.actions).valid


def test_what_cannot_be_had_is_left_out_unless_it_must_last() -> None:
    torn, written = (parse_formula(f"({word} n)", DOMAIN, PROBLEM.objects) for word in ("torn", "written"))
    assert isinstance(solve_in_stages(DOMAIN, PROBLEM, [(torn, True)]), Plan)
    assert solve_in_stages(DOMAIN, PROBLEM, [(torn, True), (written, True)]) is None
    assert isinstance(solve_in_stages(DOMAIN, PROBLEM, [(torn, True), (written, False)]), Plan)
