"""What a question tells: the state, its values that never change, and the goal where it is wanted."""

from __future__ import annotations

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.generator.measuring.questions.situation import Situation
from chorewright.generator.measuring.questions.yes_no import sentence_about

LAMPS = parse_domain("""(define (domain lamps) (:predicates (lit ?x) (broken ?x))
  (:action light :parameters (?x) :precondition (not (broken ?x)) :effect (lit ?x)))""")
PROBLEM = parse_problem("(define (problem p) (:domain lamps) (:objects a b) (:init (broken a)) (:goal (lit b)))", LAMPS)


def test_the_goal_is_told_only_where_it_is_wanted() -> None:
    situation = Situation(LAMPS, PROBLEM, ())
    told, whole = (sentence_about(situation, frozenset(PROBLEM.init), goal=goal) for goal in (False, True))
    assert "broken" in told
    assert "lit" not in told
    assert whole.startswith(f"{told} The task: ")
    assert "lit" in whole.removeprefix(told)
