"""Problems that are solved and carried out: what the steps of a run say, and the stage at which one is rejected."""

from __future__ import annotations

import json

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.generator.production.solving import Solution, solve_and_carry_out
from chorewright.planner.plan import Limits

DOMAIN = parse_domain("""(define (domain lamps) (:predicates (lit ?x) (dark ?x))
  (:action press :parameters (?x) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))""")


def solution(goal: str) -> Solution:
    text = f"(define (problem p) (:domain lamps) (:objects a b) (:init (dark a) (lit b)) (:goal {goal}))"
    return solve_and_carry_out(DOMAIN, parse_problem(text, DOMAIN), Limits())


def test_steps_tell_what_was_done_and_what_it_changed() -> None:
    done = solution("(and (lit a) (lit b))")
    assert done.rejection is None
    assert done.conditions == (("goal", True),)
    assert done.end == {("lit", "a"), ("lit", "b")}
    (step,) = done.steps
    assert (step.action, step.segment, step.success) == ("press", 0, True)
    assert list(json.loads(step.arguments).values()) == ["a"]
    assert (step.added, step.removed) == ((("lit", "a"),), (("dark", "a"),))


@pytest.mark.parametrize(("goal", "stage"), [("(lit b)", "start"), ("(dark b)", "plan")])
def test_what_needs_no_plan_or_has_none_is_rejected(goal: str, stage: str) -> None:
    rejection = solution(goal).rejection
    assert rejection is not None
    assert rejection.stage == stage
