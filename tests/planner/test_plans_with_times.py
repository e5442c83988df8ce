"""Plans with times of domains without durations, and what is proposed for plans that fail."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.plan_files import TOLERANCE, PlanFile, parse_plan
from chorewright.planner.repair import propose_repair
from chorewright.planner.validation import Reason, Verdict
from tests.command import chorewright

DOMAIN = """(define (domain ferries) (:requirements :strips :negative-preconditions :action-costs)
 (:predicates (at ?f ?q) (sea ?q ?r) (closed ?q) (seen ?q) (paid ?f) (loud ?f))
 (:functions (total-cost) - number (miles ?q ?r) - number)
 (:action sail :parameters (?f ?q ?r) :precondition (and (at ?f ?q) (sea ?q ?r) (not (closed ?r)))
  :effect (and (not (at ?f ?q)) (at ?f ?r) (seen ?r) (increase (total-cost) (miles ?q ?r))))
 (:action pay :parameters (?f) :precondition (not (paid ?f)) :effect (paid ?f))
 (:action shut :parameters (?q) :precondition (not (closed ?q)) :effect (closed ?q))
 (:action flip :parameters (?q) :precondition () :effect (and (not (seen ?q)) (seen ?q))))"""
PROBLEM = """(define (problem p) (:domain ferries) (:objects a b - object x y z - object)
 (:init (at a x) (at b x) (sea x y) (sea y z) (= (total-cost) 0) (= (miles x y) 2) (= (miles y z) 3))
 (:goal (and (at a z) (seen y))) (:metric minimize (total-cost)))"""

# Each verdict is VAL's, with -t 0.001.
VERDICTS = [
    ("0: (sail a x y)\n1: (sail a y z)", None, 5),
    ("0.0003: (SAIL A X Y) [1.0000]\n1.0005: (SAIL A Y Z) [1.0000]", None, 5),
    ("1: (sail a y z)\n0: (sail a x y)", None, 5),
    ("0: (sail a x y)\n0: (sail a y z)", Reason.UNMET_PRECONDITION, 0),
    ("0: (sail a x y)\n0.0001: (sail a y z)", Reason.UNMET_PRECONDITION, 0),
    ("0: (sail a x y)\n0.00011: (sail a y z)", None, 5),
    ("0: (sail a x y)\n0: (sail b x y)\n1: (sail a y z)", None, 7),
    ("0: (sail a x y)\n0: (pay a)\n1: (sail a y z)", None, 5),
    ("0: (pay a)\n0: (pay a)\n1: (sail a x y)\n2: (sail a y z)", Reason.INTERFERENCE, 0),
    ("0: (sail a x y)\n0: (shut y)\n1: (sail a y z)", Reason.INTERFERENCE, 0),
    ("0: (flip y)\n0: (sail a x y)\n1: (sail a y z)", Reason.INTERFERENCE, 0),
    ("0: (sail a x y)\n0: (sail a x y)\n1: (sail a y z)", Reason.INTERFERENCE, 0),
    ("(sail a x y)\n(sail a y z) [7]", None, 5),
    ("(sail a x y)\n(sail a y z) [7] [1]", None, 5),
    ("(sail a x y) [2] [7]", Reason.MISSING_GOAL, 2),
    ("0: (sail a x y)\n0: (pay b)", Reason.MISSING_GOAL, 2),
    ("0: (sail a y x)\n0: (pay b)", Reason.UNMET_PRECONDITION, 0),
    ("0: (sail a z x)\n0: (pay b)\n", Reason.UNMET_PRECONDITION, 0),
]


def task(domain: str = DOMAIN, problem: str = PROBLEM) -> tuple[Domain, Problem]:
    parsed = parse_domain(domain)
    return parsed, parse_problem(problem, parsed)


def judge(plan: str) -> Verdict:
    return validate_plan(*task(), parse_plan(plan))


@pytest.mark.parametrize(("plan", "reason", "cost"), VERDICTS)
def test_steps_of_one_time_happen_together(plan: str, reason: Reason | None, cost: int) -> None:
    verdict = judge(plan)
    assert verdict.reason == reason, verdict.message
    assert verdict.cost == cost


CIRCUIT = """(define (domain circuit) (:requirements :strips :derived-predicates :typing) (:types lamp wire)
 (:predicates (on ?w - wire) (main ?w - wire) (feeds ?w ?v - wire) (shines ?l - lamp ?w - wire) (live ?w - wire)
  (lit ?l - lamp) (seen ?l - lamp) (warm ?l - lamp) (dusty ?l - lamp) (named ?l - lamp))
 (:derived (live ?w - wire) (and (on ?w) (or (main ?w) (exists (?v - wire) (and (feeds ?v ?w) (live ?v))))))
 (:derived (lit ?l - lamp) (exists (?w - wire) (and (shines ?l ?w) (live ?w))))
 (:action watch :parameters (?l - lamp) :precondition (lit ?l) :effect (seen ?l))
 (:action dust :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (not (dusty ?l)))
 (:action warm-up :parameters (?l - lamp) :precondition (and) :effect (when (lit ?l) (warm ?l)))
 (:action call :parameters (?l - lamp) :precondition (dusty ?l) :effect (named ?l))
 (:action turn-on :parameters (?w - wire) :precondition (and) :effect (on ?w))
 (:action turn-off :parameters (?w - wire) :precondition (on ?w) :effect (not (on ?w))))"""
ROOM = """(define (problem r) (:domain circuit) (:objects l m - lamp u v w - wire)
 (:init (on v) (main v) (dusty l) (dusty m) (feeds u v) (feeds v w) (shines l w) (named m)) (:goal (named m)))"""

# Each verdict is VAL's, with -t 0.001.
OF_DERIVED = [
    ("0: (dust l)\n0: (turn-on u)", False),
    ("0: (dust m)\n0: (turn-on w)", False),
    ("0: (call l)\n0: (turn-on w)", True),
    ("0: (dust l)\n0: (dust m)", True),
    ("0: (dust l)\n1: (turn-on w)", True),
    ("0: (turn-on w)\n0: (turn-off v)", True),
    ("0: (dust l)\n0: (call l)", False),
    ("0: (warm-up l)\n0: (turn-on v)", True),
    ("0: (turn-on w)\n1: (warm-up l)\n1: (turn-off w)", False),
]


@pytest.mark.parametrize(("plan", "valid"), OF_DERIVED)
def test_what_derived_atoms_come_from_is_touched_with_them(plan: str, valid: bool) -> None:
    verdict = validate_plan(*task(CIRCUIT, ROOM), parse_plan(plan))
    assert verdict.valid == valid
    assert verdict.reason in (None, Reason.INTERFERENCE)
    assert valid or re.fullmatch(r"step \d: \(.*\) interferes with \(.*\) at the same time: .*", verdict.message)


def test_the_tolerance_says_which_times_are_one() -> None:
    plan = parse_plan("0: (sail a x y)\n0.05: (sail a y z)")
    assert validate_plan(*task(), plan).valid
    assert not validate_plan(*task(), plan, Fraction(1, 2)).valid


def test_without_a_metric_steps_count() -> None:
    domain, problem = task(problem=PROBLEM.replace(" (:metric minimize (total-cost))", ""))
    assert validate_plan(domain, problem, parse_plan("0: (sail a x y) 0: (pay a) 1: (sail a y z)")).cost == 3


REPAIRS = [
    ("(sail a x y)\n(sail a y y)", "write (sail a y z) in step 2, not (sail a y y)"),
    ("(sail a x y)\n(sale a y z)", "write (sail a y z) in step 2, not (sale a y z)"),
    ("(sail a y z)\n(sail a x y)", "move step 1, (sail a y z), to the end"),
    ("(sail a x y)", "add (sail a y z) after step 1"),
    ("(sail a y z)", "add (sail a x y) at the beginning"),
    ("(sail a x y)\n(shut y)\n(shut y)\n(sail a y z)", "leave out step 3: (shut y)"),
    ("", "add (sail a x y) (sail a y z) at the beginning"),
    ("(shut y)", None),
    ("0: (sail a x y)\n0: (sail a y z)", "start at 0.001 step 2, (sail a y z)"),
]


@pytest.mark.parametrize(("plan", "said"), REPAIRS)
def test_the_smallest_change_is_proposed(plan: str, said: str | None) -> None:
    given = parse_plan(plan)
    verdict = validate_plan(*task(), given)
    assert not verdict.valid
    proposed = propose_repair(*task(), given, verdict, TOLERANCE)
    if plan.endswith("(shut y)\n(sail a y z)"):
        assert proposed is not None  # another object does, too
    else:
        assert proposed == said


TIMED = """(define (domain oven) (:requirements :durative-actions) (:predicates (raw) (hot) (done) (cold))
 (:action heat :parameters () :precondition (cold) :effect (and (hot) (not (cold))))
 (:durative-action bake :parameters () :duration (= ?duration 4) :condition (and (at start (raw)) (over all (hot)))
  :effect (and (at start (not (raw))) (at end (done))))
 (:durative-action rest :parameters () :duration (= ?duration 0) :condition (at start (done))
  :effect (at end (cold))))"""
OVEN = "(define (problem p) (:domain oven) (:init (raw) (cold)) (:goal (done)))"


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("0: (heat)\n0.001: (bake) [3]", "give [4] to step 2, (bake)"),
        ("1: (heat)\n0.5: (bake) [4]", "start at 1.001 step 2, (bake)"),
        ("0: (heat)\n0.001: (bake) [4]\n5: (heat)", "leave out step 3: (heat)"),
    ],
)
def test_times_and_durations_are_proposed(plan: str, said: str) -> None:
    domain, problem = task(TIMED, OVEN)
    verdict = validate_plan(domain, problem, parse_plan(plan))
    proposed = propose_repair(domain, problem, parse_plan(plan), verdict, TOLERANCE)
    if "5: (heat)" in plan:
        assert proposed is not None
    else:
        assert proposed == said


def test_a_duration_of_nothing() -> None:
    domain, problem = task(TIMED, OVEN.replace("(done)))", "(and (done) (cold))))"))
    plan = "0: (heat)\n0.001: (bake) [4.000]\n4.002: (rest){}"
    for length, valid in ((" [0.000]", True), ("", True), (" [0.0009]", True), (" [0.001]", False)):  # as in VAL
        assert validate_plan(domain, problem, parse_plan(plan.format(length))).valid is valid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("d.pddl", DOMAIN), ("p.pddl", PROBLEM), ("od.pddl", TIMED), ("op.pddl", OVEN)):
        (tmp_path / name).write_text(text)
    (tmp_path / "plans").mkdir()
    for number, (plan, _, _) in enumerate(VERDICTS[:4]):
        (tmp_path / "plans" / ("sas_plan.1" if number == 0 else f"{number}.plan")).write_text(plan)
    (tmp_path / "plans" / "notes.txt").write_text("nothing")
    (tmp_path / "oven.plan").write_text("0: (heat) [0.001]\n0.001: (bake) [4]")
    return tmp_path


@pytest.mark.parametrize(("task", "plan", "says"), [
    (("od.pddl", "op.pddl"), "0: (rest)", "valid (steps are not added to plans with times)"),
    (("d.pddl", "p.pddl"), "(sail b x x)\n(sail b y z)", "valid"),
])  # fmt: skip
def test_what_is_not_tried_is_said(folder: Path, task: tuple[str, str], plan: str, says: str) -> None:
    (folder / "poor.plan").write_text(plan)
    done = chorewright("validate", *task, "poor.plan", "--repair", cwd=folder)
    assert done.stdout.splitlines()[-1] == f"poor.plan: repair: no small change makes it {says}"


def test_folders_and_long_verdicts(folder: Path) -> None:
    done = chorewright("validate", "d.pddl", "p.pddl", "plans", "--repair", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "plans/1.plan: valid: cost 5",
        "plans/2.plan: valid: cost 5",
        "plans/3.plan: invalid: step 2: (sail a y z) needs (at a y)",
        "plans/3.plan: repair: start at 0.001 step 2, (sail a y z)",
        "plans/sas_plan.1: valid: cost 5",
    ]
    assert "4 plans: 3 valid, 1 invalid" in done.stderr
    longer = PROBLEM.replace("(at a z)", f"(at a z) (seen z) {' '.join(f'(paid {each})' for each in 'abxyz')}")
    (folder / "p.pddl").write_text(longer)
    [line] = chorewright("validate", "d.pddl", "p.pddl", "plans/1.plan", cwd=folder).stdout.splitlines()
    assert len(line) > 90


def test_verbose_shows_what_happens_when(folder: Path) -> None:
    done = chorewright("validate", "-v", "od.pddl", "op.pddl", "oven.plan", cwd=folder)
    assert done.stdout.splitlines() == [
        "  0: (heat)",
        "     + (hot)",
        "     - (cold)",
        "  0.001: start (bake)",
        "     - (raw)",
        "  4.001: end (bake)",
        "     + (done)",
        "oven.plan: valid: cost 4.001",
    ]
    [row] = json.loads(chorewright("validate", "-v", "--json", "od.pddl", "op.pddl", "oven.plan", cwd=folder).stdout)
    assert [each["events"] for each in row["trace"]] == [["(heat)"], ["start (bake)"], ["end (bake)"]]


def test_a_tolerance_that_is_none(folder: Path) -> None:
    assert chorewright("validate", "--tolerance", "2", "od.pddl", "op.pddl", "oven.plan", cwd=folder).returncode == 2
    (folder / "oven.plan").write_text("0: (heat)\n0.1: (bake) [4.05]")
    assert chorewright("validate", "od.pddl", "op.pddl", "oven.plan", cwd=folder).returncode == 1
    assert chorewright("validate", "--tolerance", "0.1", "od.pddl", "op.pddl", "oven.plan", cwd=folder).returncode == 0


def test_a_plan_without_steps_is_a_sequence() -> None:
    assert PlanFile(()).is_sequence()
