"""All states of small problems: lamps that are switched one by one, with and without what is derived of them."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.files.stopping import Alarm
from chorewright.planner.equivalence.state_space import reachable_states

DERIVED = "(:derived (bright) (exists (?l) (lit ?l)))"
DOMAIN = """(define (domain lamps) (:requirements :adl :derived-predicates) (:predicates (lit ?l) (bright)) {}
  (:action on :parameters (?l) :precondition (not (lit ?l)) :effect (lit ?l))
  (:action off :parameters (?l) :precondition {} :effect (not (lit ?l))))"""
STATES = [set(lit) for lit in chain.from_iterable(combinations("abc", number) for number in range(4))]


@pytest.mark.parametrize(("derived", "condition"), [("", "(lit ?l)"), (DERIVED, "(and (bright) (lit ?l))")])
def test_all_states_are_listed_with_their_steps_and_shortest_plans(derived: str, condition: str) -> None:
    domain = parse_domain(DOMAIN.format(derived, condition))
    problem = parse_problem("(define (problem p) (:domain lamps) (:objects a b c) (:init) (:goal (bright)))", domain)
    with Alarm(None) as alarm:
        space = reachable_states(domain, problem, 8, alarm)
        assert reachable_states(domain, problem, 7, alarm) is None
    assert space is not None
    lit = [{name for predicate, *names in state for name in names if predicate == "lit"} for state in space.states]
    assert sorted(lit, key=sorted) == sorted(STATES, key=sorted)
    assert all(
        (("bright",) in state) == bool(derived and lamps) for state, lamps in zip(space.states, lit, strict=True)
    )
    for number, steps in enumerate(space.steps):
        assert len(steps) == 3
        for action, after in steps:
            assert lit[number] ^ lit[after] == set(action.arguments)
            assert action.name == ("on" if lit[after] > lit[number] else "off")
        assert len(space.plan_to(number)) == len(lit[number])
        assert {action.arguments[0] for action in space.plan_to(number)} == lit[number]
