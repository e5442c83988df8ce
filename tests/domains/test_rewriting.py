"""Problems that are rewritten: reaching a goal without ever making something true."""

from __future__ import annotations

from itertools import pairwise

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.rewriting import avoiding, never_derived, without_derived
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate

ROOMS = parse_domain("""(define (domain rooms) (:requirements :adl :derived-predicates)
  (:predicates (at ?r) (door ?a ?b) (lit ?r) (seen ?r))
  (:derived (seen ?r) (and (at ?r) (lit ?r)))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (door ?a ?b))
    :effect (and (not (at ?a)) (at ?b)))
  (:action sing :parameters (?r) :precondition (seen ?r) :effect (and)))""")
PROBLEM = parse_problem(
    """(define (problem p) (:domain rooms) (:objects a b c d)
    (:init (at a) (door a b) (door b d) (door a c) (door c d) (lit b) (lit d)) (:goal (at d)))""",
    ROOMS,
)


def plan(*rooms: str) -> list[GroundAction]:
    return [GroundAction("go", pair) for pair in pairwise(rooms)]


@pytest.mark.parametrize(("way", "right"), [("acd", True), ("abd", False)])
def test_what_is_derived_stays_false_in_every_state(way: str, right: bool) -> None:
    assert validate(ROOMS, PROBLEM, plan(*way)).valid
    assert validate(*never_derived(ROOMS, PROBLEM, ("seen", "b")), plan(*way)).valid == right
    assert not validate(*never_derived(ROOMS, PROBLEM, ("seen", "d")), plan(*way)).valid, "not at the end either"


@pytest.mark.parametrize(("way", "right"), [("acd", True), ("abd", False)])
def test_an_atom_is_never_made_true(way: str, right: bool) -> None:
    assert validate(*avoiding(ROOMS, PROBLEM, ("at", "b")), plan(*way)).valid == right


def test_conditions_on_what_is_derived_are_left_out() -> None:
    sing = [GroundAction("sing", ("a",)), *plan(*"acd")]
    assert not validate(ROOMS, PROBLEM, sing).valid
    assert validate(without_derived(ROOMS), PROBLEM, sing).valid
