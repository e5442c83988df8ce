"""Legal PDDL that looks like a mistake, or that planners seldom see: it is read as it is meant."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from chorewright.domains.arithmetic import is_numeric
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.subformulas import hierarchy
from chorewright.domains.pddl.writer import write_domain, write_problem
from chorewright.errors import ExitCode, InputErrors
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from tests.command import chorewright

TYPES = [
    ("truck1 truck2 - truck", ("truck1", "truck")),
    ("truck1 - truck car", ("truck1", "truck")),
    ("place1 place2 - places thing", ("place2", "places")),
    ("a b - objects", ("a", "objects")),
    ("a - objects objects - object", ("a", "objects")),
    ("a b -object c -a", ("c", "a")),
    ("a -(either b c) b c", ("a", "c")),
    ("goods depot -locatable locatable -object", ("goods", "locatable")),
]


@pytest.mark.parametrize(("types", "below"), TYPES)
def test_parents_need_no_declaration_and_dashes_no_blank(types: str, below: tuple[str, str]) -> None:
    domain = parse_domain(f"(define (domain d) (:types {types}) (:predicates (p)))")
    assert hierarchy(domain.types).is_subtype(*below)
    assert parse_domain(write_domain(domain)) == domain


def test_a_dash_sticks_to_its_type() -> None:
    spaced = """(define (domain d) (:types goods depot) (:constants c - depot)
     (:predicates (at ?g - goods ?d - depot) (open ?d - depot))
     (:functions (far ?d - depot) - number (total-cost) - number)
     (:action move :parameters (?g - goods ?a ?b - depot) :precondition (and (at ?g ?a)
       (forall (?d - depot) (open ?d)) (exists (?o - goods) (at ?o c))) :effect (and (at ?g ?b) (not (at ?g ?a)))))"""
    assert parse_domain(spaced.replace(" - ", " -")) == parse_domain(spaced)
    given = "(define (problem p) (:domain d) (:objects x y - goods e - depot) (:init (at x c)) (:goal (at x e)))"
    domain = parse_domain(spaced)
    assert parse_problem(given.replace(" - ", " -"), domain) == parse_problem(given, domain)


FUEL = """(define (domain d) (:requirements :strips :typing :fluents) (:types place)
 (:predicates (at ?x - place) (road ?x ?y - place))
 (:functions (fuel-used) (length ?x ?y - place) (wear ?x - place) - number)
 (:action go :parameters (?x ?y - place) :precondition (and (at ?x) (road ?x ?y))
  :effect (and (at ?y) (not (at ?x)) (increase (fuel-used) (length ?x ?y)) (increase (wear ?y) 3))))"""
TRIP = """(define (problem p) (:domain d) (:objects a b c - place)
 (:init (at a) (road a b) (road b c) (road a c) (= (fuel-used) 0) (= (wear a) 0) (= (wear b) 0) (= (wear c) 0)
  (= (length a b) 2) (= (length b c) 3) (= (length a c) 9)) (:goal (at c)) {})"""
METRICS = [
    ("(:metric minimize (fuel-used))", ("(go a b)", "(go b c)"), 5),
    ("", ("(go a c)",), 1),
    ("(:metric minimize (total-time))", ("(go a c)",), 1),
    ("(:metric minimize 5)", ("(go a c)",), 5),
]


@pytest.mark.parametrize(("metric", "steps", "cost"), METRICS)
def test_costs_may_have_any_name(metric: str, steps: tuple[str, ...], cost: float) -> None:
    domain = parse_domain(FUEL)
    problem = parse_problem(TRIP.format(metric), domain)
    plan = solve(domain, problem)
    assert isinstance(plan, Plan)
    assert tuple(map(str, plan.actions)) == steps
    assert plan.cost == validate(domain, problem, plan.actions).cost == cost
    assert parse_domain(write_domain(domain)) == domain
    assert parse_problem(write_problem(problem), domain) == problem


def test_other_planners_get_total_cost() -> None:
    domain = parse_domain(FUEL)
    problem = parse_problem(TRIP.format(METRICS[0][0]), domain)
    texts = write_plain(domain, problem)
    plain = parse_domain(texts[0])
    assert "fuel-used" not in texts[0] + texts[1]
    priced = parse_problem(texts[1], plain)
    steps = tuple(GroundAction("go", pair) for pair in (("a", "b"), ("b", "c")))
    assert validate(plain, priced, steps).cost == 5


EITHERS = """(define (domain e) (:requirements :adl) (:types cup box - thing thing room)
 (:predicates (at ?x - (either thing room)) (near ?x - (either cup room) ?y - room) (done))
 (:action touch :parameters (?x - (either cup room)) :precondition (at ?x) :effect (not (at ?x)))
 (:action pair :parameters (?x ?y - (either box cup)) :precondition (and (at ?x) (at ?y)) :effect (not (at ?x)))
 (:action sweep :precondition (forall (?x - (either box room)) (at ?x)) :effect (done))
 (:action see :precondition (exists (?x - (either cup room) ?y - room) (near ?x ?y))
  :effect (forall (?x - (either box room)) (not (at ?x)))))"""
SOME = """(define (problem e1) (:domain e) (:objects c - cup b - box r s - room)
 (:init (at c) (at b) (at r) (at s) (near c r)) (:goal (not (at c))))"""


def test_other_planners_get_one_type_for_either() -> None:
    domain = parse_domain(EITHERS)
    problem = parse_problem(SOME, domain)
    texts = write_plain(domain, problem)
    assert "either" in EITHERS
    assert "either" not in texts[0] + texts[1]
    plain = parse_domain(texts[0])
    again = parse_problem(texts[1], plain)
    things = ("c", "b", "r", "s")
    steps = [GroundAction(name, ()) for name in ("sweep", "see")]
    steps += [GroundAction("touch", (x,)) for x in things] + [
        GroundAction("pair", (x, y)) for x in things for y in things
    ]
    seen = set()
    for plan in product(steps, repeat=2):
        verdicts = [validate(one, other, plan) for one, other in ((domain, problem), (plain, again))]
        assert verdicts[0].valid == verdicts[1].valid, plan
        seen.add((plan[0], verdicts[0].valid))
    assert {step.name for step, valid in seen if valid} == {"sweep", "see", "touch", "pair"}
    assert GroundAction("touch", ("b",)) not in {step for step, valid in seen if valid}


REFUSED = [
    ("(increase (wear ?y) 3)", "(increase (wear ?y) (fule-used))", "'fule-used' is not declared"),
    ("(increase (wear ?y) 3)", "(decrease (wear) 3)", "'wear' takes 1 argument"),
    ("(increase (wear ?y) 3)", "(increase (wear a) 3)", "'a'"),
    ("(increase (wear ?y) 3)", "(increase (wear) 3)", "'wear'"),
]


@pytest.mark.parametrize(
    ("changed", "numeric"),
    [
        ("(increase (wear ?y) 3)", False),
        ("(increase (wear ?y) (fuel-used))", True),
        ("(decrease (wear ?y) 3)", True),
        ("(when (road ?x ?x) (increase (wear ?y) 3))", True),
        ("(increase (wear ?y) (* 2 (length ?x ?y)))", True),
    ],
)
def test_what_is_more_than_a_cost_is_numeric(changed: str, numeric: bool) -> None:
    domain = parse_domain(FUEL.replace("(increase (wear ?y) 3)", changed))
    assert is_numeric(domain) == numeric
    assert parse_domain(write_domain(domain)) == domain
    problem = parse_problem(TRIP.format("(:metric minimize (+ (fuel-used) (* 2 (wear c))))"), domain)
    assert is_numeric(domain, problem)
    assert parse_problem(write_problem(problem), domain) == problem


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_what_is_not_a_cost_is_refused(old: str, new: str, message: str) -> None:
    assert old in FUEL
    with pytest.raises(InputErrors, match=message):
        parse_domain(FUEL.replace(old, new))


@pytest.mark.parametrize(
    ("wrong", "code"), [("", ExitCode.UNSUPPORTED), ("(nothing)", ExitCode.BAD_INPUT)], ids=["unsupported", "wrong too"]
)
def test_many_unsupported_constructs_are_unsupported(wrong: str, code: ExitCode, tmp_path: Path) -> None:
    actions = "\n".join(f"(:process a{i} :parameters ())" for i in range(120))
    (tmp_path / "d.pddl").write_text(f"(define (domain d) (:predicates (p)) {wrong}\n{actions})", "utf-8")
    (tmp_path / "p.pddl").write_text("(define (problem p) (:domain d) (:init) (:goal (p)))", "utf-8")
    done = chorewright("validate", tmp_path / "d.pddl", tmp_path / "p.pddl", tmp_path / "p.pddl")
    assert done.returncode == int(code), done.stderr
    assert "more errors are not shown" in done.stderr
