"""What is known of predicates without arguments before anything is grounded."""

from __future__ import annotations

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding.normal_form import Known
from chorewright.planner.grounding.numbering import NumberedProblem

DOMAIN = parse_domain("""(define (domain d) (:requirements :adl :derived-predicates)
  (:predicates (always) (gone) (never) (made) (shown) (p ?x))
  (:derived (shown) (always))
  (:action act :parameters (?x) :precondition (p ?x) :effect (and (made) (not (gone)) (not (p ?x)))))""")


def test_what_nothing_changes_is_known() -> None:
    problem = parse_problem(
        "(define (problem p) (:domain d) (:objects a b) (:init (p b) (always) (gone)) (:goal (made)))", DOMAIN
    )
    numbered = NumberedProblem.of(DOMAIN, problem)
    assert numbered.known == Known(frozenset({"never"}), frozenset({"always"}))
    predicates, arguments = numbered.initial(2, None)
    assert len(set(predicates.tolist())) == 3
    assert arguments.tolist() == [[numbered.objects.numbers["b"], -1], [-1, -1], [-1, -1]]
    kept, _ = numbered.initial(2, numbered.chosen(frozenset({"a"})))
    assert kept.tolist() == predicates.tolist()[1:]
