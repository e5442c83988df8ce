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


KITCHEN = parse_domain("""(define (domain kitchen) (:requirements :adl :typing) (:types cup spoon - thing)
  (:predicates (clean ?x - thing) (shelved ?x - thing) (full ?x - cup) (done))
  (:action wash :parameters (?c - cup) :precondition (shelved ?c) :effect (clean ?c))
  (:action finish :parameters () :precondition (forall (?c - cup) (clean ?c)) :effect (done)))""")


def test_types_are_told_where_nothing_else_tells_them() -> None:
    def told(things: str, facts: str) -> str:
        text = f"(define (problem p) (:domain kitchen) (:objects {things}) (:init {facts}) (:goal (done)))"
        problem = parse_problem(text, KITCHEN)
        return sentence_about(Situation(KITCHEN, problem, ()), frozenset(problem.init))

    shelved = "(shelved ann) (shelved bob) (shelved eve)"
    assert told("ann bob - cup eve - spoon", shelved).startswith(
        "There are two cups: ann and bob. There is one spoon: eve. "
    )
    assert told("ann eve - cup bob - spoon", shelved).startswith(
        "There are two cups: ann and eve. There is one spoon: bob. "
    )
    assert "there" not in told("cup1 cup2 - cup spoon1 - spoon", "(shelved cup1)").lower()
    assert "there" not in told("ann bob - cup eve - spoon", f"{shelved} (full ann) (full bob)").lower()
