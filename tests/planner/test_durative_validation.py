"""Plans with durations: each rule of PDDL 2.1 level 3, and unified-planning's validator on spoilt plans."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain
from chorewright.errors import ExitCode, UnsupportedError
from chorewright.planner.durative_validation import validate_timed
from chorewright.planner.plan import TimedStep
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import Reason, Verdict
from tests.command import chorewright

DOMAIN = """(define (domain kitchen) (:requirements :typing :durative-actions :numeric-fluents :duration-inequalities)
 (:types dish - object)
 (:predicates (raw ?d - dish) (boiled ?d - dish) (served ?d - dish) (fire) (free) (stirred ?d - dish) (burnt ?d - dish))
 (:functions (minutes ?d - dish) (gas) (tips))
 (:durative-action boil :parameters (?d - dish) :duration (= ?duration (minutes ?d))
  :condition (and (at start (raw ?d)) (over all (fire)))
  :effect (and (at start (not (raw ?d))) (at end (boiled ?d)) (at start (decrease (gas) ?duration))
   (when (at start (not (stirred ?d))) (at end (burnt ?d)))))
 (:durative-action serve :parameters (?d - dish) :duration (and (>= ?duration 1) (<= ?duration 2))
  :condition (and (at start (boiled ?d)) (at start (free)) (at end (>= (gas) 0)))
  :effect (and (at start (not (free))) (at end (free)) (at end (served ?d)) (at end (increase (tips) 2))))
 (:action light :parameters () :precondition (not (fire)) :effect (fire))
 (:action stir :parameters (?d - dish) :precondition (raw ?d) :effect (stirred ?d))
 (:action douse :parameters () :precondition (fire) :effect (not (fire))))"""
PROBLEM = """(define (problem dinner) (:domain kitchen) (:objects soup rice - dish)
 (:init (raw soup) (raw rice) (free) (= (minutes soup) 5) (= (minutes rice) 3.5) (= (gas) 10) (= (tips) 0))
 (:goal (and (served soup) (served rice) (not (fire)))) (:metric minimize (+ (total-time) (* 2 (tips)))))"""
GOOD = """0: (light)
0: (stir soup)
0.001: (boil soup) [5]
0.002: (boil rice) [3.5] ; together with the soup
3.503: (serve rice) [1]
5.002: (serve soup) [1.5]
5.01: (douse)
"""

CASES = [
    ("", None, None, ""),
    ("0.002: (boil rice)|0: (boil rice)", None, None, ""),  # the fire burns right after the start
    ("5.01: (douse)|5.001: (douse)", None, None, ""),  # at the very end nothing must hold any more
    ("5.01: (douse)|5: (douse)", Reason.UNMET_INVARIANT, 3, "(fire) over all, but not after 5"),
    ("0.001: (boil soup) [5]|0.001: (boil soup) [4.5]", Reason.WRONG_DURATION, 3, "takes 4.5, but must take 5"),
    ("0.001: (boil soup) [5]|0.001: (boil soup) [4.9995]", None, None, ""),
    ("(serve rice) [1]|(serve rice) [2.5]", Reason.WRONG_DURATION, 5, "<= 2"),
    ("(serve rice) [1]|(serve rice) [0.5]", Reason.WRONG_DURATION, 5, ">= 1"),
    ("(serve rice) [1]|(serve rice)", Reason.WRONG_DURATION, 5, "needs a duration"),
    ("(serve rice) [1]|(serve rice) [0]", Reason.WRONG_DURATION, 5, "takes 0, but must take >= 1"),
    ("0: (light)|0: (light) [1]", None, None, ""),  # as in VAL
    ("3.503: (serve|3.502: (serve", Reason.UNMET_PRECONDITION, 5, "(boiled rice) at start"),
    ("3.503: (serve|4.5: (serve", Reason.UNMET_PRECONDITION, 6, "(free) at start"),
    ("0.002: (boil rice)|0.001: (boil rice)", None, None, ""),  # both only take from the gas
    ("0: (stir soup)|0.001: (stir soup)", Reason.INTERFERENCE, 3, "(raw soup)"),
    ("5.01: (douse)\n|", Reason.MISSING_GOAL, None, "(not (fire))"),
    ("(serve rice)|(serve ric)", Reason.UNKNOWN_OBJECT, 5, "did you mean 'rice'"),
    ("(serve rice)|(sreve rice)", Reason.UNKNOWN_ACTION, 5, "did you mean 'serve'"),
    ("(serve rice)|(serve rice soup)", Reason.WRONG_ARITY, 5, "takes 1"),
]


def judge(plan: str, domain: str = DOMAIN, problem: str = PROBLEM) -> Verdict:
    parsed = parse_domain(domain)
    return validate_timed(parsed, parse_problem(problem, parsed), parse_plan(plan).steps)


@pytest.mark.parametrize(("change", "reason", "step", "said"), CASES)
def test_each_rule_has_its_verdict(change: str, reason: Reason | None, step: int | None, said: str) -> None:
    old, _, new = change.partition("|")
    assert old in GOOD
    verdict = judge(GOOD.replace(old, new) if old else GOOD)
    assert (verdict.reason, verdict.step) == (reason, step), verdict.message
    assert said in verdict.message
    assert verdict.valid == (reason is None)


def test_the_metric_knows_the_time() -> None:
    assert judge(GOOD).cost == pytest.approx(6.502 + 2 * 4)
    assert judge(GOOD, problem=PROBLEM.replace("(+ (total-time) (* 2 (tips)))", "(total-time)")).cost == 6.502


def test_the_metric_is_read_at_the_end_of_the_plan() -> None:
    later = PROBLEM.replace("(= (tips) 0)", "(= (tips) 0) (at 1 (= (tips) 3)) (at 10 (= (tips) 50)) (at 11 (free))")
    assert judge(GOOD, problem=later).cost == pytest.approx(6.502 + 2 * 7)  # as by VAL
    assert not judge(GOOD, problem=later.replace("(at 11 (free))", "(at 11 (fire))")).valid


def test_a_preference_of_a_precondition_is_read() -> None:
    domain = """(define (domain d) (:requirements :preferences) (:predicates (p) (q))
     (:action a :parameters () :effect (p))
     (:action b :parameters () :precondition (preference calm (not (p))) :effect (q)))"""
    problem = """(define (problem x) (:domain d) (:init) (:goal (and (p) (q))) (:metric minimize (is-violated calm)))"""
    assert judge("1: (a)\n1: (b)", domain, problem).reason is Reason.INTERFERENCE  # as by VAL
    assert judge("1: (b)\n2: (a)", domain, problem).cost == 0


@pytest.mark.parametrize(
    ("goal", "valid"),
    [("(burnt rice)", True), ("(burnt soup)", False), ("(= (gas) 1.5)", True), ("(< (tips) 4)", False)],
)
def test_effects_at_the_end_remember_what_held_at_the_start(goal: str, valid: bool) -> None:
    assert judge(GOOD, problem=PROBLEM.replace("(not (fire))", goal)).valid == valid


def test_the_order_of_lines_means_nothing() -> None:
    lines = GOOD.splitlines()
    assert judge("\n".join(reversed(lines))).valid


def test_a_durative_domain_is_written_and_read_the_same() -> None:
    domain = parse_domain(DOMAIN)
    assert parse_domain(write_domain(domain)) == domain
    with pytest.raises(UnsupportedError, match="durative actions are not supported in search"):
        solve(domain, parse_problem(PROBLEM, domain))


def test_the_command_checks_them(tmp_path: Path) -> None:
    for name, text in (("d.pddl", DOMAIN), ("p.pddl", PROBLEM), ("good", GOOD), ("bad", GOOD.replace("[5]", "[6]"))):
        (tmp_path / name).write_text(text)
    words = ("validate", tmp_path / "d.pddl", tmp_path / "p.pddl")
    done = chorewright(*words, tmp_path / "good")
    assert done.returncode == ExitCode.OK
    assert "valid: cost 14.502" in done.stdout
    done = chorewright(*words, tmp_path / "good", tmp_path / "bad", "--json")
    assert done.returncode == ExitCode.NEGATIVE
    assert '"step": 3' in done.stdout
    done = chorewright(*words, tmp_path / "d.pddl")
    assert done.returncode == ExitCode.BAD_INPUT
    done = chorewright("plan", tmp_path / "d.pddl", tmp_path / "p.pddl")
    assert done.returncode == ExitCode.UNSUPPORTED
    assert "d.pddl: durative actions are not supported in search" in done.stderr


PLAIN_DOMAIN = DOMAIN.replace(
    "(when (at start (not (stirred ?d))) (at end (burnt ?d)))", "(at end (burnt ?d))"
).replace("(decrease (gas) ?duration)", "(decrease (gas) (minutes ?d))")
"""Without effects that depend on other times, or on how long the action takes."""

MATCHES = (
    """(define (domain cellar) (:requirements :typing :durative-actions) (:types match fuse)
 (:predicates (unused ?m - match) (bright) (mended ?f - fuse) (hand-free) (dry ?m - match))
 (:durative-action strike :parameters (?m - match) :duration (= ?duration 5)
  :condition (and (at start (unused ?m)) (at start (dry ?m)))
  :effect (and (at start (not (unused ?m))) (at start (bright)) (at end (not (bright)))))
 (:durative-action mend :parameters (?f - fuse) :duration (= ?duration 2)
  :condition (and (at start (hand-free)) (over all (bright)))
  :effect (and (at start (not (hand-free))) (at end (hand-free)) (at end (mended ?f)))))""",
    """(define (problem p) (:domain cellar) (:objects m1 m2 - match f1 f2 f3 - fuse)
 (:init (unused m1) (unused m2) (dry m1) (dry m2) (hand-free))
 (:goal (and (mended f1) (mended f2) (mended f3))))""",
    """0: (strike m1) [5]
0.01: (mend f1) [2]
2.02: (mend f2) [2]
5.01: (strike m2) [5]
5.02: (mend f3) [2]""",
)
BUS = (
    """(define (domain bus) (:requirements :typing :durative-actions :numeric-fluents) (:types person place bus)
 (:predicates (at ?b - bus ?p - place) (waits ?x - person ?p - place) (in ?x - person ?b - bus))
 (:functions (minutes ?a ?b - place) (seats ?b - bus))
 (:durative-action drive :parameters (?b - bus ?f ?t - place) :duration (= ?duration (minutes ?f ?t))
  :condition (at start (at ?b ?f)) :effect (and (at start (not (at ?b ?f))) (at end (at ?b ?t))))
 (:durative-action board :parameters (?x - person ?b - bus ?p - place) :duration (= ?duration 1)
  :condition (and (at start (waits ?x ?p)) (over all (at ?b ?p)) (at start (>= (seats ?b) 1)))
  :effect (and (at start (not (waits ?x ?p))) (at start (decrease (seats ?b) 1)) (at end (in ?x ?b))))
 (:durative-action leave :parameters (?x - person ?b - bus ?p - place) :duration (= ?duration 1)
  :condition (and (at start (in ?x ?b)) (over all (at ?b ?p)))
  :effect (and (at start (not (in ?x ?b))) (at end (increase (seats ?b) 1)) (at end (waits ?x ?p)))))""",
    """(define (problem p) (:domain bus) (:objects ann bob - person home town - place van - bus)
 (:init (at van home) (waits ann home) (waits bob home) (= (seats van) 2)
  (= (minutes home town) 4) (= (minutes town home) 3) (= (minutes home home) 1) (= (minutes town town) 1))
 (:goal (and (waits ann town) (waits bob town) (at van home))))""",
    """0: (board ann van home) [1]
0.01: (board bob van home) [1]
1.02: (drive van home town) [4]
5.03: (leave ann van town) [1]
5.04: (leave bob van town) [1]
6.05: (drive van town home) [3]""",
)
GARDEN = (
    """(define (domain garden) (:requirements :typing :durative-actions :numeric-fluents :duration-inequalities)
 (:types bed) (:predicates (moist ?b - bed) (sown ?b - bed) (at-well) (can-free)) (:functions (can))
 (:action go :parameters () :precondition (at-well) :effect (not (at-well)))
 (:action come :parameters () :precondition (not (at-well)) :effect (at-well))
 (:durative-action fill :parameters () :duration (= ?duration 2)
  :condition (and (over all (at-well)) (at start (can-free)))
  :effect (and (at start (not (can-free))) (at end (can-free)) (at end (assign (can) 4))))
 (:durative-action water :parameters (?b - bed) :duration (and (>= ?duration 1) (<= ?duration 3))
  :condition (and (at start (>= (can) 2)) (at start (can-free)) (at start (sown ?b)))
  :effect (and (at start (not (can-free))) (at start (decrease (can) 2)) (at end (can-free)) (at end (moist ?b))))
 (:durative-action sow :parameters (?b - bed) :duration (= ?duration 1.5)
  :condition (at start (can-free)) :effect (at end (sown ?b))))""",
    """(define (problem p) (:domain garden) (:objects peas beans kale - bed) (:init (can-free) (= (can) 2) (sown kale))
 (:goal (and (moist peas) (moist beans) (not (at-well)))))""",
    """0: (sow peas) [1.5]
0.1: (sow beans) [1.5]
2: (water peas) [1]
3.01: (come)
3.02: (fill) [2]
5.03: (water beans) [2]
7.04: (go)""",
)
KITCHEN = PLAIN_DOMAIN, PROBLEM.replace(" (:metric minimize (+ (total-time) (* 2 (tips))))", ""), GOOD
DURATIVE = {"kitchen": KITCHEN, "cellar": MATCHES, "bus": BUS, "garden": GARDEN}


def spoilt(steps: Sequence[TimedStep], objects: Sequence[str], seed: int) -> Iterator[list[TimedStep]]:
    """Plans in which a step is dropped, moved in time, given another duration or another object."""
    rng = np.random.default_rng(seed)
    while True:
        plan = list(steps)
        for _ in range(int(rng.integers(1, 3))):
            at = int(rng.integers(len(plan)))
            step = plan[at]
            match int(rng.integers(4)):
                case 0 if len(plan) > 1:
                    del plan[at]
                case 1:
                    moved = step.time + Fraction(int(rng.integers(-3000, 3000)), 1000)
                    plan[at] = replace(step, time=max(Fraction(0), moved))
                case 2 if step.duration is not None:
                    plan[at] = replace(step, duration=step.duration + Fraction(int(rng.integers(-5, 6)), 4))
                case _ if step.action.arguments:
                    arguments = list(step.action.arguments)
                    arguments[int(rng.integers(len(arguments)))] = str(rng.choice(objects))
                    plan[at] = replace(step, action=replace(step.action, arguments=tuple(arguments)))
        yield plan


@pytest.mark.parametrize("name", sorted(DURATIVE))
def test_spoilt_plans_are_judged_as_by_unified_planning(name: str) -> None:
    """Its validator reads times as we write them; it takes no objects of a wrong type at all."""
    pytest.importorskip("unified_planning")
    from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator
    from unified_planning.io import PDDLReader

    text, asked, plan_text = DURATIVE[name]
    domain = parse_domain(text)
    problem = parse_problem(asked, domain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = PDDLReader()
        peer = reader.parse_problem_string(text, asked)
        judge_of = TimeTriggeredPlanValidator()
        judge_of.skip_checks = True
        good = parse_plan(plan_text).steps
        assert validate_timed(domain, problem, good).valid
        verdicts = []
        for plan in [list(good), *islice(spoilt(good, [each.name for each in problem.objects], 7), 200)]:
            if any(step.duration is not None and step.duration <= 0 for step in plan):
                continue
            lines = [f"{float(step.time):.3f}: {step.action}" + _length(step) for step in plan]
            ours = validate_timed(domain, problem, plan)
            if ours.reason in (Reason.INTERFERENCE, Reason.WRONG_TYPE):
                continue  # it lets actions read at a time what others change then
            told = bool(judge_of.validate(peer, reader.parse_plan_string(peer, "\n".join(lines))))
            verdicts.append((ours.valid, told, ours.message, lines))
    differing = [each for each in verdicts if each[0] != each[1]]
    assert not differing, f"{len(differing)} of {len(verdicts)}: {differing[:3]}"
    assert len(verdicts) > 100
    assert sum(valid for valid, *_ in verdicts) > 5


def _length(step: TimedStep) -> str:
    return "" if step.duration is None else f" [{float(step.duration):.3f}]"
