"""What ``validate -v`` shows and what ``plan --engine`` does, on the command line."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from chorewright.commands.shell import fold
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain
from chorewright.planner.plan import GroundAction
from chorewright.planner.progression import changes, objects_touched
from tests.command import chorewright

DOMAIN = """(define (domain d) (:requirements :adl) (:predicates (on ?x) (dark))
 (:derived (bright) (not (dark)))
 (:action press :parameters (?x) :precondition (not (on ?x))
  :effect (and (on ?x) (when (dark) (not (dark))))))"""
PROBLEM = "(define (problem p) (:domain d) (:objects a b) (:init (dark)) (:goal (and (on a) (on b))))"


TANK = parse_domain("""(define (domain tank) (:requirements :fluents) (:predicates (done))
  (:functions (fuel) (paid) (total-cost))
  (:action burn :precondition (>= (fuel) 2) :effect (and (decrease (fuel) 2) (increase (paid) 5)))
  (:action fill :effect (and (increase (fuel) 3) (increase (paid) 1)))
  (:action end :effect (done)))""")
TOLLS = parse_domain("""(define (domain tolls) (:requirements :action-costs) (:predicates (at ?x))
  (:functions (toll ?x) (total-cost))
  (:action go :parameters (?x ?y) :precondition (at ?x)
    :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (toll ?y)))))""")


@pytest.mark.parametrize(
    ("domain", "rest", "plan", "costs"),
    [
        (TANK, "(:metric minimize (paid))", "burn fill burn end", [5, 1, 5, 0]),
        (TANK, "(:metric minimize (+ (* 2 (paid)) (fuel)))", "burn fill burn end", [8, 5, 8, 0]),
        (TANK, "(:metric maximize (fuel))", "fill burn end", [3, -2, 0]),
        (TANK, "", "fill burn end", [1, 1, 1]),
        (TOLLS, "(:metric minimize (total-cost))", "go(a,b) go(b,c) go(c,b)", [4, 7, 4]),
        (TOLLS, "", "go(a,b) go(b,c)", [1, 1]),
    ],
)
def test_costs_of_steps_are_what_the_metric_says(domain: Domain, rest: str, plan: str, costs: list[float]) -> None:
    goal, objects = ("(done)", "") if domain is TANK else ("(at b)", "a b c")
    init = "(= (fuel) 3) (= (paid) 0)" if domain is TANK else "(at a) (= (toll b) 4) (= (toll c) 7) (= (total-cost) 0)"
    problem = parse_problem(
        f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init {init}) (:goal {goal}) {rest})",
        domain,
    )
    steps = [re.findall(r"\w+", word) for word in plan.split()]
    found = list(changes(domain, problem, [GroundAction(name, tuple(given)) for name, *given in steps]))
    assert [change.cost for change in found] == costs
    start = 3 if "maximize" in rest or "fuel))" in rest else 0
    assert [change.total - start for change in found] == [sum(costs[: place + 1]) for place in range(len(costs))]


FOLLOWED = parse_domain("""(define (domain followed) (:requirements :adl) (:predicates (at ?x) (dog ?x) (near ?x ?y))
  (:action go :parameters (?x ?y) :precondition (at ?x)
    :effect (and (not (at ?x)) (at ?y)
      (forall (?z) (when (and (dog ?z) (near ?z ?y)) (and (not (dog ?z)) (dog ?y)))))))""")


@pytest.mark.parametrize(
    ("plan", "touched"),
    [("", ""), ("go(a,b)", "ab"), ("go(a,b) go(b,c)", "abcd"), ("go(a,b) go(a,c) go(b,c)", "ab"), ("go(b,c)", "")],
)
def test_objects_of_a_plan_are_those_that_it_names_and_on_which_it_depends(plan: str, touched: str) -> None:
    """The dog at d follows to c; what comes after a step that cannot be done does not count."""
    problem = parse_problem(
        "(define (problem p) (:domain followed) (:objects a b c d e) (:init (at a) (dog d) (near d c)) (:goal (at c)))",
        FOLLOWED,
    )
    steps = [re.findall(r"\w+", word) for word in plan.split()]
    found = objects_touched(FOLLOWED, problem, [GroundAction(name, tuple(given)) for name, *given in steps])
    assert found == set(touched)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    domain = DOMAIN.replace("(dark))", "(dark) (bright))", 1).replace(":adl", ":adl :derived-predicates")
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    (tmp_path / "good.plan").write_text("(press a)\n(press b)\n")
    (tmp_path / "bad.plan").write_text("(press a)\n(press a)\n")
    return tmp_path


def test_each_step_is_shown_with_what_it_changes(folder: Path) -> None:
    done = chorewright("validate", "-v", "domain.pddl", "problem.pddl", "good.plan", "bad.plan", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "  1: (press a) (cost 1, total 1)",
        "     + (bright)",
        "     + (on a)",
        "     - (dark)",
        "  2: (press b) (cost 1, total 2)",
        "     + (on b)",
        "good.plan: valid: cost 2",
        "  1: (press a) (cost 1, total 1)",
        "     + (bright)",
        "     + (on a)",
        "     - (dark)",
        "bad.plan: invalid: step 2: (press a) needs (not (on a))",
    ]


def test_the_trace_in_json(folder: Path) -> None:
    done = chorewright("validate", "-v", "--json", "domain.pddl", "problem.pddl", "good.plan", cwd=folder)
    (result,) = json.loads(done.stdout)
    assert result["trace"][1] == {
        "step": 2, "action": "(press b)", "added": [["on", "b"]], "removed": [], "cost": 1.0, "total": 2.0,
    }  # fmt: skip


def test_a_problem_is_checked_though_its_domain_is_wrong(folder: Path) -> None:
    domain = (folder / "domain.pddl").read_text().replace("(not (on ?x))\n", "(not (one ?x))\n")
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(PROBLEM.replace("(on b)", "(on c)"))
    for verb, *plans in (["plan"], ["validate", "good.plan"]):
        done = chorewright(verb, "domain.pddl", "problem.pddl", *plans, cwd=folder)
        said = [line for line in done.stderr.splitlines() if ".pddl:" in line]
        assert (done.returncode, done.stdout) == (31, "")
        assert said == [
            "domain.pddl:3:54: the predicate 'one' is not declared",
            "problem.pddl:1:86: the object 'c' is not declared",
        ]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--engine pyperplan", 34, "'bright' is a derived predicate"),
        ("--engine fast-upward", 2, "one of chorewright, fast-downward, kairos, pyperplan"),
        ("--engine tamer", 35, "pip install up-tamer"),
        ("--engine pyperplan --search astar", 2, "--search"),
    ],
)
def test_engines_on_the_command_line(folder: Path, words: str, code: int, said: str) -> None:
    done = chorewright("plan", *words.split(), "domain.pddl", "problem.pddl", cwd=folder)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_pyperplan_on_the_command_line(folder: Path) -> None:
    strips = "(define (domain d) (:predicates (on ?x)) (:action press :parameters (?x) :effect (on ?x)))"
    (folder / "domain.pddl").write_text(strips)
    (folder / "problem.pddl").write_text(PROBLEM.replace("(dark)", ""))
    done = chorewright("plan", "--engine", "pyperplan", "--json", "domain.pddl", "problem.pddl", cwd=folder)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["planner"], sorted(answer["plan"])) == ("pyperplan", ["(press a)", "(press b)"])


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_verdicts_fit_on_a_narrow_terminal_and_stay_whole_in_pipes(folder: Path) -> None:
    goals = " ".join(f"(on {name})" for name in "abcdefghijklmnop")
    problem = PROBLEM.replace("a b", " ".join("abcdefghijklmnop")).replace("(on a) (on b)", goals)
    (folder / "problem.pddl").write_text(problem)
    (folder / "empty.plan").write_text("")
    done = chorewright("validate", "domain.pddl", "problem.pddl", "empty.plan", cwd=folder)
    assert done.returncode == 1
    [line] = done.stdout.splitlines()
    lines = fold(line, _Terminal()).splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines).count("(on ") == 16
    assert max(map(len, chorewright("plan", "--help", env={"COLUMNS": "80"}).stdout.splitlines())) <= 80
