"""What other planners read: derived predicates of either type are written with one type, and mean the same."""

from __future__ import annotations

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.syntax import Atom
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate

DOMAIN = parse_domain("""(define (domain d) (:requirements :adl :derived-predicates) (:types cup box lamp)
  (:predicates (near ?x - (either cup box)) (full ?x - (either cup box)) (lit ?l - lamp))
  (:derived (near ?x - (either cup box)) (full ?x))
  (:action press :parameters (?l - lamp ?x - (either cup box)) :precondition (near ?x) :effect (lit ?l)))""")


def test_axioms_are_written_with_one_type_for_either() -> None:
    text = "(define (problem p) (:domain d) (:objects c - cup b - box l - lamp) (:init (full b)) (:goal (lit l)))"
    problem = parse_problem(text, DOMAIN)
    texts = write_plain(DOMAIN, problem)
    assert "either" not in texts[0] + texts[1]
    plain = parse_domain(texts[0])
    (axiom,) = plain.axioms
    assert (axiom.head.name, axiom.body) == ("near", Atom("full", ("?x",)))
    again = parse_problem(texts[1], plain)
    for thing, valid in (("b", True), ("c", False)):
        plan = [GroundAction("press", ("l", thing))]
        assert validate(DOMAIN, problem, plan).valid == validate(plain, again, plan).valid == valid
