"""Objects that are left out because others are alike: checked by letting them change places."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.grounding.normal_form import Normalizer
from chorewright.planner.grounding.numbering import NumberedProblem
from chorewright.planner.grounding.relevance import find_unneeded, lift_rules, relevant_objects, witnesses
from chorewright.planner.plan import Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate

KITCHEN = """(define (domain kitchen) (:requirements :adl)
 (:types place thing - object slice cup - thing)
 (:predicates (in ?x - thing ?p - place) (of ?a ?b - thing) (held ?x - thing) (free))
 (:action take :parameters (?x - thing ?p - place) :precondition (and (in ?x ?p) (free))
  :effect (and (held ?x) (not (free)) (not (in ?x ?p))))
 (:action put :parameters (?x - thing ?p - place) :precondition (held ?x)
  :effect (and (in ?x ?p) (free) (not (held ?x)))))"""

OBJECTS = "table shelf sink - place s1 s2 s3 s4 - slice c1 c2 c3 - cup"
INIT = "(free) (in s1 table) (in s2 table) (in s3 table) (in s4 shelf) (in c1 table) (in c2 table) (of c1 c2)"


def kitchen(goal: str, more: str = "") -> tuple[Domain, Problem]:
    domain = parse_domain(KITCHEN)
    text = f"(define (problem p) (:domain kitchen) (:objects {OBJECTS}) (:init {INIT} {more}) (:goal {goal}))"
    return domain, parse_problem(text, domain)


def left_out(domain: Domain, problem: Problem) -> set[str]:
    numbered = NumberedProblem.of(domain, problem)
    goal = Normalizer(numbered.known).formula(problem.goal)
    types = lift_rules(domain, numbered.known, strict=True).types
    every = np.ones(len(numbered.objects.names), np.bool_)
    flags = find_unneeded(domain, numbered, types, goal, every)
    return set() if flags is None else {numbered.objects.names[i] for i in np.flatnonzero(flags)}


@pytest.mark.parametrize(
    ("goal", "more", "expected"),
    [
        ("(exists (?s - slice) (in ?s sink))", "", {"s2", "s3"}),
        ("(exists (?s ?t - slice) (and (in ?s sink) (in ?t sink) (not (= ?s ?t))))", "", set()),
        ("(at-least 2 (?s - slice) (in ?s sink))", "", set()),
        ("(at-least 3 (?s - slice) (in ?s sink))", "", set()),
        ("(and (exists (?s - slice) (in ?s sink)) (exists (?s - slice) (in ?s shelf)))", "", set()),
        ("(forall (?s - slice) (in ?s sink))", "", set()),
        ("(not (at-least 2 (?s - slice) (in ?s table)))", "", set()),
        ("(forall (?c - cup) (exists (?s - slice) (of ?s ?c)))", "", set()),
        ("(and (exists (?s - slice) (in ?s sink)) (in s3 sink))", "", {"s2"}),
        ("(exists (?s - slice) (in ?s sink))", "(of s2 c1)", {"s3"}),
        ("(exists (?s - slice) (in ?s sink))", "(of s1 s2)", set()),
        ("(exists (?s - slice) (in ?s sink))", "(of s1 s1) (of s3 s3)", {"s3"}),
        ("(exists (?c - cup) (in ?c sink))", "", set()),
        ("(exists (?p - place) (in s1 ?p))", "", set()),
        ("(exists (?x - thing) (in ?x sink))", "", {"s2", "s3"}),
        ("(in s1 sink)", "", set()),
    ],
)
def test_what_is_left_out_can_change_places_with_what_is_kept(goal: str, more: str, expected: set[str]) -> None:
    domain, problem = kitchen(goal, more)
    found = left_out(domain, problem)
    assert found == expected
    init = set(problem.init)
    types = {o.name: o.types for o in problem.objects}
    for name in found:
        twins = [
            other
            for other in types
            if other not in found
            and types[other] == types[name]
            and {tuple({name: other, other: name}.get(t, t) for t in atom) for atom in init} == init
        ]
        assert twins


WEIGHED = """(define (domain weighed) (:requirements :typing :action-costs) (:types slice)
 (:predicates (cut ?x - slice)) (:functions (total-cost) - number (weight ?x - slice) - number)
 (:action cut :parameters (?x - slice) :effect (and (cut ?x) (increase (total-cost) (weight ?x)))))"""


def test_a_cost_that_tells_objects_apart_keeps_them() -> None:
    domain = parse_domain(WEIGHED)
    text = (
        "(define (problem p) (:domain weighed) (:objects a b - slice)"
        " (:init (= (weight a) 3) (= (weight b) 1) (= (total-cost) 0))"
        " (:goal (exists (?s - slice) (cut ?s))) (:metric minimize (total-cost)))"
    )
    assert not left_out(domain, parse_problem(text, domain))


@pytest.mark.parametrize(
    ("goal", "counts"),
    [
        ("(exists (?s - slice) (or (held ?s) (exists (?t - slice) (of ?s ?t))))", {("slice",): 2}),
        ("(at-least 2 (?s - slice) (exists (?c - cup) (of ?s ?c)))", {("slice",): 2, ("cup",): 2}),
        ("(forall (?s - slice) (exists (?c - cup) (of ?s ?c)))", {("slice",): inf, ("cup",): inf}),
    ],
)
def test_the_objects_that_a_goal_may_need_are_counted(goal: str, counts: dict[tuple[str, ...], float]) -> None:
    _, problem = kitchen(goal)
    assert witnesses(Normalizer().formula(problem.goal)) == counts


def test_fewer_objects_are_kept_and_the_plan_costs_the_same() -> None:
    names = " ".join(f"t{i}" for i in range(30))
    domain, problem = kitchen("(exists (?s - slice) (in ?s sink))")
    more = [f"(in {name} shelf)" for name in names.split()]
    text = (
        f"(define (problem p) (:domain kitchen) (:objects {OBJECTS} {names} - slice)"
        f" (:init {INIT} {' '.join(more)}) (:goal (exists (?s - slice) (in ?s sink))))"
    )
    wide = parse_problem(text, domain)
    every, few = relevant_objects(domain, wide, 0), relevant_objects(domain, wide, 0, few_alike=True)
    assert every is not None
    assert few is not None
    assert few < every
    first, second = solve(domain, problem), solve(domain, wide)
    assert isinstance(first, Plan)
    assert isinstance(second, Plan)
    assert first.cost == second.cost
    assert validate(domain, wide, second.actions).valid
