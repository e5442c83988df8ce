"""kairos behind our door: durations, timed literals, preferences and numbers; its plans are judged like all others."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import EngineError, MissingExtra, UsageError
from chorewright.planner.durative_validation import validate_plan
from chorewright.planner.engines.lookup import CheckedEngine, find_engine
from chorewright.planner.plan import UNLIMITED, Limits, Plan, Unsolvable, write_plan
from chorewright.planner.plan_files import parse_plan
from tests.command import chorewright

LAMPS = """(define (domain lamps) (:requirements :typing :durative-actions :timed-initial-literals)
 (:types room) (:predicates (at ?r - room) (door ?a ?b - room) (lit ?r - room) (open ?r - room))
 (:durative-action go :parameters (?a ?b - room) :duration (= ?duration 2)
  :condition (and (at start (at ?a)) (over all (door ?a ?b)) (at end (open ?b)))
  :effect (and (at start (not (at ?a))) (at end (at ?b))))
 (:action light :parameters (?r - room) :precondition (at ?r) :effect (lit ?r)))"""
NIGHT = """(define (problem night) (:domain lamps) (:objects a b - room)
 (:init (at a) (door a b) (door b a) (open a) {opens}) (:goal (and (lit a) (lit b))) (:metric minimize (total-time)))"""
ROOMS = """(define (domain rooms) (:requirements :strips :preferences)
 (:predicates (at ?r) (seen ?r) (quiet)) (:functions (total-cost) - number)
 (:action go :parameters (?a ?b) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b) (seen ?b) (not (quiet))
   (increase (total-cost) 1))))"""
WALK = """(define (problem walk) (:domain rooms) (:objects x y z) (:init (at x) (quiet) (= (total-cost) 0))
 (:goal (and (seen y) (preference hush (quiet)) (preference far (seen z))))
 (:metric minimize (+ (total-cost) (* 5 (is-violated far)) (is-violated hush))))"""


TANK = """(define (domain tank) (:requirements :typing :fluents :time :negative-preconditions) (:types tank)
 (:predicates (filling ?t - tank) (full ?t - tank)) (:functions (level ?t - tank) (rate ?t - tank) (size ?t - tank))
 (:action open :parameters (?t - tank) :precondition (not (filling ?t)) :effect (filling ?t))
 (:action close :parameters (?t - tank) :precondition (filling ?t) :effect (not (filling ?t)))
 (:process fill :parameters (?t - tank) :precondition (filling ?t) :effect (increase (level ?t) (* #t (rate ?t))))
 (:event overflow :parameters (?t - tank) :precondition (and (filling ?t) (>= (level ?t) (size ?t)))
  :effect (and (not (filling ?t)) (full ?t))))"""
FILLED = """(define (problem filled) (:domain tank) (:objects a - tank)
 (:init (= (level a) 0) (= (rate a) 2) (= (size a) 10))
 (:goal (and (>= (level a) 6) (not (filling a)) (not (full a)))))"""


def task(domain: str, problem: str) -> tuple[Domain, Problem]:
    parsed = parse_domain(domain)
    return parsed, parse_problem(problem, parsed)


def test_durations_and_timed_literals_are_planned_with_times() -> None:
    pytest.importorskip("kairos")
    given = task(LAMPS, NIGHT.format(opens="(at 5 (open b))"))
    answer = find_engine("kairos").solve(*given, Limits(seconds=60))
    assert isinstance(answer, Plan)
    text = write_plan(answer.steps, answer.cost, *given)
    assert "(go a b) [2]" in text
    read = parse_plan(text)
    verdict = validate_plan(*given, read)
    assert (verdict.valid, verdict.cost) == (True, answer.cost)
    assert answer.cost >= 5  # the door opens then
    assert [step.duration for step in read.steps if step.action.name == "light"] == [None, None]


def test_preferences_count_in_the_cost() -> None:
    pytest.importorskip("kairos")
    answer = find_engine("kairos").solve(*task(ROOMS, WALK), Limits(seconds=60))
    assert isinstance(answer, Plan)
    assert answer.cost in (3, 7)  # one preference cannot be kept, and the other costs a step
    assert answer.schedule == ()


def test_what_has_no_plan_is_said() -> None:
    pytest.importorskip("kairos")
    domain, problem = task(ROOMS, WALK.replace("(seen y)", "(at nowhere)").replace("x y z", "x y z nowhere"))
    answer = find_engine("kairos").solve(domain, problem, Limits(seconds=60))
    assert isinstance(answer, Plan)  # it goes there
    walled = ROOMS.replace(":precondition (at ?a)", ":precondition (and (at ?a) (seen ?b))")
    assert isinstance(find_engine("kairos").solve(*task(walled, WALK), Limits(seconds=60)), Unsolvable)


def test_it_is_named_when_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kairos", None)
    with pytest.raises(MissingExtra, match="kairos is not installed") as caught:
        find_engine("kairos").solve(*task(ROOMS, WALK))
    assert "kairos]" in str(caught.value.hint)


def test_a_wrong_plan_is_an_error_in_the_validators_words(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = ModuleType("kairos")
    code = """
from types import SimpleNamespace as S
PddlError = ValueError
parse_domain = lambda text: text
parse_problem = lambda text, domain: text
class Planner:
    def solve(self, problem, **options):
        return S(plan=S(steps=[S(name="GO", args=["y", "z"], time=0.0, duration=0.0)]))
"""
    exec(compile(code, "kairos", "exec"), theirs.__dict__)
    monkeypatch.setitem(sys.modules, "kairos", theirs)
    with pytest.raises(EngineError, match=r"kairos gave a plan that is not valid: step 1: .*\(at y\)"):
        find_engine("kairos").solve(*task(ROOMS, WALK))


def test_evaluations_are_no_limit_of_it() -> None:
    with pytest.raises(UsageError, match="kairos cannot be limited by evaluations"):
        find_engine("kairos").solve(*task(ROOMS, WALK), Limits(evaluations=10))


def test_the_command_line_writes_a_plan_with_times(tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    domain, problem, plan = tmp_path / "d.pddl", tmp_path / "p.pddl", tmp_path / "plan"
    domain.write_text(LAMPS)
    problem.write_text(NIGHT.format(opens="(open b)"))
    refused = chorewright("plan", domain, problem)
    assert (refused.returncode, "--engine kairos" in refused.stderr) == (34, True)
    done = chorewright("plan", domain, problem, "--engine", "kairos", "--out", plan)
    assert done.returncode == 0, done.stderr
    assert "[2]" in plan.read_text()
    assert chorewright("validate", domain, problem, plan).returncode == 0


class Nightwatch:
    """A user's planner with times, always the same ones."""

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Plan:
        """Return them."""
        steps = parse_plan("0: (light a)\n5: (go a b) [2]\n8: (light b)").steps
        return Plan(tuple(step.action for step in steps), 0, "nightwatch", "", schedule=steps)


def test_times_of_an_engine_of_your_own_are_judged() -> None:
    answer = CheckedEngine("nightwatch", Nightwatch()).solve(*task(LAMPS, NIGHT.format(opens="(at 5 (open b))")))
    assert isinstance(answer, Plan)
    assert (answer.cost, len(answer.schedule)) == (8, 3)
    with pytest.raises(EngineError, match="not valid"):
        CheckedEngine("nightwatch", Nightwatch()).solve(*task(LAMPS, NIGHT.format(opens="(at 9 (open b))")))


@pytest.fixture
def tank(tmp_path: Path) -> tuple[Path, Path]:
    """The files of a PDDL+ problem."""
    domain, problem = tmp_path / "tank.pddl", tmp_path / "filled.pddl"
    domain.write_text(TANK)
    problem.write_text(FILLED)
    return domain, problem


def test_what_we_cannot_read_is_passed_on_as_written(tank: tuple[Path, Path]) -> None:
    """A tank filled at 2 a second that overflows at 10 is open for 3 to 5 seconds."""
    pytest.importorskip("kairos")
    done = chorewright("plan", *tank, "--engine", "kairos")
    assert done.returncode == 0
    assert "only kairos has judged this plan" in done.stderr
    first, second = parse_plan(done.stdout).steps
    assert [str(step.action) for step in (first, second)] == ["(open a)", "(close a)"]
    assert 3 <= second.time - first.time < 5


def test_several_problems_that_we_cannot_read_are_passed_on(tank: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    tank[0].with_name("broken.pddl").write_text("(define (problem p) (:domain tank)")
    others = [tank[0].with_name(name) for name in ("again.pddl", "broken.pddl")]
    others[0].write_text(FILLED)
    done = chorewright("plan", *tank, *others, "--engine", "kairos", "--out", tmp_path / "plans")
    assert done.returncode == 31
    assert done.stdout.count("only kairos has judged this plan") == 2
    assert "broken.pddl: error (exit code 31)" in done.stdout
    told = chorewright(
        "plan", *tank, *others, tmp_path / "nowhere.pddl", "--engine", "kairos", "--json", "--workers", 2
    )
    assert [record["exit_code"] for record in json.loads(told.stdout)] == [0, 0, 31, 2]
    alone = chorewright("plan", *tank, "--engine", "kairos").stdout
    for name in ("filled", "again"):
        assert (tmp_path / "plans" / f"{name}.plan").read_text() == alone


def test_a_metric_of_what_we_cannot_read_is_told(tank: tuple[Path, Path]) -> None:
    pytest.importorskip("kairos")
    tank[1].write_text(FILLED[: FILLED.rindex(")")] + " (:metric minimize (total-time)))")
    done = chorewright("plan", *tank, "--engine", "kairos")
    assert done.returncode == 0
    assert re.search(r"; cost = [0-9.]+ \(general cost\)", done.stdout)


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        (TANK[: TANK.rindex(")")] + " (:task t :parameters ()))", "hierarchical tasks are not supported"),
        (TANK.replace("(full ?t)", "(ful ?t)"), "unknown predicate 'ful'"),
    ],
)
def test_what_kairos_cannot_read_either_is_told_by_both(tank: tuple[Path, Path], domain: str, said: str) -> None:
    pytest.importorskip("kairos")
    tank[0].write_text(domain)
    done = chorewright("plan", *tank, "--engine", "kairos")
    assert done.returncode == 34
    assert f"{tank[0]}:" in done.stderr
    assert "processes are not supported" in done.stderr
    assert "kairos cannot read the problem" in done.stderr
    assert said in " ".join(done.stderr.split())


def test_that_the_engine_finds_nothing_is_told(tank: tuple[Path, Path]) -> None:
    pytest.importorskip("kairos")
    tank[1].write_text(FILLED.replace("(level a) 6", "(level a) 60"))
    done = chorewright("plan", *tank, "--engine", "kairos")
    assert done.returncode == 12
    assert "0 evaluations" not in done.stderr


def test_a_pipe_is_not_read_twice(tank: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("kairos")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(TANK,), daemon=True)
    writer.start()
    done = chorewright("plan", pipe, tank[1], "--engine", "kairos", timeout=60)
    assert done.returncode == 34
    assert "processes are not supported" in done.stderr


def test_our_planner_refuses_it(tank: tuple[Path, Path]) -> None:
    done = chorewright("plan", *tank)
    assert (done.returncode, done.stdout) == (34, "")
    assert "processes are not supported" in done.stderr
