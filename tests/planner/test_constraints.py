"""Preferences, constraints and timed literals: written and read again, judged as by VAL, planned as by brute force."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UnsupportedError
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.plan import SATISFICING, GroundAction, Plan, TimedStep, Unsolvable
from chorewright.planner.plan_files import PlanFile, parse_plan
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import PlanWorld, Reason
from tests.command import chorewright

DOMAIN = """(define (domain lamps) (:requirements :typing :preferences :constraints :timed-initial-literals :fluents)
 (:types lamp) (:constants a b - lamp) (:predicates (on ?x - lamp) (hot ?x - lamp) (day)) (:functions (work))
 (:action light :parameters (?x -lamp) :precondition (and (not (on ?x)) (preference dark (not (day))))
  :effect (and (on ?x) (increase work 1)))
 (:action douse :parameters (?x- lamp) :precondition (on ?x) :effect (and (not (on ?x)) (increase (work) 2)))
 (:action heat :parameters (?x - lamp) :precondition (on ?x) :effect (and (hot ?x) (increase (work) 1))))"""


def task(
    constraints: str = "", goal: str = "(on a)", metric: str = "(work)", init: str = "", domain: str = DOMAIN
) -> tuple[Domain, Problem]:
    given = f"(:constraints (and {constraints}))" if constraints else ""
    text = f"""(define (problem p) (:domain lamps) (:init (= (work) 0) {init}) (:goal {goal}) {given}
        (:metric minimize {metric}))"""
    parsed = parse_domain(domain)
    return parsed, parse_problem(text, parsed)


# Each verdict and value is VAL's, with -t 0.001.
LIT = "1: (light a)\n2: (heat a)\n4: (douse a)\n5: (light a)"
VERDICTS = [
    ("(always (not (hot b)))", LIT, 5),
    ("(always (not (hot a)))", LIT, None),
    ("(sometime (hot a))", LIT, 5),
    ("(sometime (hot b))", LIT, None),
    ("(at-most-once (on a))", LIT, None),
    ("(at-most-once (hot a))", LIT, 5),
    ("(at end (hot a))", LIT, 5),
    ("(within 2 (hot a))", LIT, 5),
    ("(within 1 (hot a))", LIT, None),
    ("(sometime-after (hot a) (not (on a)))", LIT, None),
    ("(sometime-after (hot a) (on a))", LIT, 5),
    ("(sometime-after (on a) (on b))", LIT, None),
    ("(sometime-before (hot a) (on a))", LIT, 5),
    ("(sometime-before (on a) (on a))", LIT, None),
    ("(always-within 3 (on a) (not (on a)))", LIT, None),
    ("(always-within 3 (hot a) (not (on a)))", LIT, None),
    ("(always-within 2 (not (on a)) (on a))", LIT, 5),
    ("(forall (?x - lamp) (at-most-once (hot ?x)))", LIT, 5),
    ("(forall (?x - lamp) (sometime (hot ?x)))", LIT, None),
    ("(preference p (sometime (hot b)))", LIT, 15),
    ("(preference p (at end (hot b)))", LIT, 15),
    ("(forall (?x - lamp) (preference p (always (not (on ?x)))))", LIT, 15),
    ("(forall (?x - lamp) (preference p (always (on ?x))))", LIT, 25),
    ("(preference p (forall (?x - lamp) (always (on ?x))))", LIT, 15),
]


@pytest.mark.parametrize(("constraint", "plan", "value"), VERDICTS)
def test_constraints_are_judged_as_by_val(constraint: str, plan: str, value: int | None) -> None:
    domain, problem = task(constraint, metric="(+ (work) (* 10 (is-violated p)))")
    verdict = validate_plan(domain, problem, parse_plan(plan))
    assert verdict.valid == (value is not None), verdict.message
    assert verdict.valid or verdict.reason is Reason.VIOLATED_CONSTRAINT
    assert value is None or verdict.cost == value
    assert parse_problem(write_problem(problem), domain) == problem
    assert "preference" not in write_problem(problem).partition("(:constraints")[0]
    own = parse_domain(f"{DOMAIN[:-1]} (:constraints (and {constraint})))")
    assert parse_domain(write_domain(own)) == own


def test_preferences_of_goals_and_preconditions_are_counted() -> None:
    goal = "(and (on a) (preference g (hot b)) (forall (?x - lamp) (preference h (hot ?x))))"
    metric = "(+ (* 10 (is-violated dark)) (+ (is-violated g) (* 100 (is-violated h))))"
    domain, problem = task(goal=goal, metric=metric, init="(day)")
    verdict = validate_plan(domain, problem, parse_plan("(light a)\n(light b)\n(heat a)"))
    assert verdict.valid
    assert verdict.cost == 20 + 1 + 100
    assert verdict.violations == (("dark", 2), ("g", 1), ("h", 1))
    assert parse_problem(write_problem(problem), domain) == problem


TIMED = [
    ("(at 2.5 (on b))", "1: (light a)\n3: (heat b)", None),
    ("(at 2.5 (on b))", "1: (light a)\n2: (heat b)", Reason.UNMET_PRECONDITION),
    ("(at 2.5 (not (on a)))", "1: (light a)", Reason.MISSING_GOAL),
    ("(at 2.5 (not (on a)))", "3: (light a)", None),
    ("(at 3 (not (on a)))", "3: (light a)", Reason.INTERFERENCE),
    ("(at 2 (= (work) 7))", "1: (light a)\n3: (light b)", None),
]


@pytest.mark.parametrize(("init", "plan", "reason"), TIMED)
def test_timed_literals_happen_by_themselves(init: str, plan: str, reason: Reason | None) -> None:
    domain, problem = task(init=init)
    verdict = validate_plan(domain, problem, parse_plan(plan))
    assert verdict.reason == reason, verdict.message
    assert parse_problem(write_problem(problem), domain) == problem
    with pytest.raises(UnsupportedError, match="timed literals are not supported in search"):
        solve(domain, problem)


PLANNED = [
    ("(sometime (hot a))", "(on a)", "(work)"),
    ("(at-most-once (on a)) (sometime (not (on a)))", "(on a)", "(work)"),
    ("(always (not (hot a))) (sometime (hot b))", "(on a)", "(work)"),
    ("(sometime-before (hot a) (on b))", "(hot a)", "(work)"),
    ("(sometime-after (on a) (hot b))", "(on a)", "(work)"),
    ("(sometime-after (on a) (hot b)) (always (not (on b)))", "(on a)", "(work)"),
    ("(preference p (sometime (hot b)))", "(on a)", "(+ (work) (* 5 (is-violated p)))"),
    ("(preference p (sometime (hot b)))", "(on a)", "(+ (work) (is-violated p))"),
    ("(forall (?x - lamp) (preference p (always (not (on ?x)))))", "(or (hot a) (hot b))", "(is-violated p)"),
    ("(preference p (at-most-once (on a)))", "(and (hot a) (preference q (not (on a))))",
     "(+ (work) (+ (* 3 (is-violated p)) (* 4 (is-violated q))))"),
    ("(preference p (sometime (hot b)))", "(and (on a) (preference q (<= (work) 3)))",
     "(+ (work) (+ (* 5 (is-violated p)) (* 5 (is-violated q))))"),
    ("(preference p (sometime (hot b)))", "(on a)", "(+ (total-time) (* 0.5 (is-violated p)))"),
    ("(preference p (sometime (hot b)))", "(on a)", "(+ (total-time) (* 3 (is-violated p)))"),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "goal", "metric"), PLANNED)
def test_plans_are_as_cheap_as_by_brute_force(constraints: str, goal: str, metric: str) -> None:
    domain, problem = task(constraints, goal, metric)
    actions = [GroundAction(name, (lamp,)) for name in ("light", "douse", "heat") for lamp in "ab"]
    plans = (each for length in range(5) for each in product(actions, repeat=length))
    steps = ([TimedStep(number, action) for number, action in enumerate(plan, 1)] for plan in plans)
    verdicts = (validate_plan(domain, problem, PlanFile(tuple(each))) for each in steps)
    best = min((verdict.cost for verdict in verdicts if verdict.valid), default=None)
    answer = solve(domain, problem, configuration=OPTIMAL)
    if best is None:
        assert isinstance(answer, Unsolvable)
        return
    assert isinstance(answer, Plan)
    assert answer.cost == best
    usual = solve(domain, problem)
    assert isinstance(usual, Plan)
    assert validate_plan(domain, problem, PlanFile(tuple(TimedStep(n, a) for n, a in enumerate(usual.actions)))).valid


def test_what_is_not_minimised_is_said() -> None:
    for metric in ("(* (work) (is-violated p))", "(- 5 (is-violated p))", "(is-violated dark)"):
        answer = solve(*task("(preference p (sometime (hot b)))", metric=metric))
        assert isinstance(answer, Plan)
        assert answer.note == SATISFICING
    answer = solve(*task("(preference p (sometime (hot b)))", metric="(is-violated p)"))
    assert isinstance(answer, Plan)
    assert answer.note == ""


def test_what_depends_on_times_is_not_searched() -> None:
    with pytest.raises(UnsupportedError, match="depend on times"):
        solve(*task("(within 3 (hot a))"))
    answer = solve(*task("(preference p (within 3 (hot a)))", metric="(is-violated p)"))
    assert isinstance(answer, Plan)
    assert answer.note == SATISFICING


def test_worlds_that_know_no_constraints_refuse_them() -> None:
    with pytest.raises(UnsupportedError, match="not supported here"):
        PlanWorld.of(*task("(sometime (hot a))"))


LENIENT = """(in-package "x") (define (problem p) (:domain lights) (:objects c - lamp a - lamp c - lamp)
 (:init (= (work) 0) (= (oil) 3)) (:goal (on c)))"""


def test_lenient_reading_warns_of_each(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(LENIENT)
    assert chorewright("plan", "d.pddl", "p.pddl", cwd=tmp_path).returncode == 31
    done = chorewright("plan", "d.pddl", "p.pddl", "--lenient", "-o", "x.plan", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("warning: ") == 5
    done = chorewright("validate", "d.pddl", "p.pddl", "x.plan", "--lenient", cwd=tmp_path)
    assert done.stdout.startswith("x.plan: valid")
