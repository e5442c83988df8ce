"""Every search with every heuristic: plans or a clear refusal, the optimal costs that Fast Downward found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.errors import UnsupportedError, UsageError
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.plan_files import parse_plan, read_plan
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import QUEUES, SEARCHES, WEIGHTED, Configuration
from chorewright.planner.search.search import HEURISTICS
from chorewright.planner.validation import validate
from tests.command import chorewright, command, environment
from tests.planner.small_tasks import golden, small_task

NAMES = ("stacks-0", "tiles-1", "ferry-2", "power-0", "network-1", "household-2", "household-6")
ALLOWED = [(search, heuristic) for search, heuristics in SEARCHES.items() for heuristic in heuristics]
REFUSED = [pair for pair in product(SEARCHES, HEURISTICS) if pair not in ALLOWED]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("search", "heuristic"), ALLOWED)
def test_plans_cost_at_least_the_optimum(search: str, heuristic: str, name: str) -> None:
    domain, problem = small_task(name)
    weight = 3 if search in WEIGHTED else 1
    configuration = Configuration(search, heuristic, weight, improve=0, rungs=())
    limits = Limits(evaluations=100_000)
    if heuristic == "lmcut" and domain.axioms:
        with pytest.raises(UnsupportedError, match="does not know axioms"):
            solve(domain, problem, limits, configuration)
        return
    answer = solve(domain, problem, limits, configuration)
    optimum = golden()[name].cost
    if optimum is None:
        assert isinstance(answer, Unsolvable)
        return
    assert isinstance(answer, Plan)
    verdict = validate(domain, problem, answer.actions)
    assert (verdict.valid, verdict.cost) == (True, answer.cost)
    assert answer.cost >= optimum
    assert answer.optimal == (search == "anytime" or configuration.optimal)
    if answer.optimal:
        assert answer.cost == optimum
    assert solve(domain, problem, limits, configuration) == answer


@pytest.mark.parametrize(("search", "heuristic"), REFUSED)
def test_other_pairs_are_refused_with_what_there_is(search: str, heuristic: str) -> None:
    with pytest.raises(UsageError, match=f"{search} search cannot be led by .* {heuristic}") as refusal:
        Configuration(search, heuristic)
    assert (refusal.value.hint or "").startswith(f"{search} takes {', '.join(SEARCHES[search])}: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"search": "beam"}, "unknown search"),
        ({"heuristic": "cea"}, "unknown heuristic"),
        ({"queues": "three"}, "unknown queues"),
        ({"search": "wastar", "queues": "novelty"}, "one queue"),
        ({"heuristic": "add", "queues": "novelty"}, "one queue"),
        ({"search": "ehc", "weight": 3}, "no weight"),
        ({"improve": -1}, "negative"),
    ],
)
def test_senseless_configurations_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Configuration(**arguments)


@pytest.mark.parametrize("queues", QUEUES)
@pytest.mark.parametrize("search", ["greedy", "ehc", "lazy", "anytime"])
def test_all_queues_lead_to_plans(search: str, queues: str) -> None:
    for name in ("stacks-0", "household-2"):
        domain, problem = small_task(name)
        answer = solve(domain, problem, Limits(evaluations=100_000), Configuration(search, queues=queues))
        assert isinstance(answer, Plan)


SLOPE = """(define (domain slope) (:requirements :strips) (:predicates (at ?x) (next ?x ?y) (key) (open))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y)) :effect (and (at ?y) (not (at ?x))))
 (:action jump :parameters () :precondition (at top) :effect (and (key) (not (at top)) (at ditch)))
 (:action dig :parameters () :precondition (at side) :effect (key))
 (:action enter :parameters () :precondition (and (key) (at door)) :effect (open)))"""


def test_hill_climbing_comes_back_from_a_dead_end() -> None:
    """The nearest way to the key ends in a ditch that nothing leads out of."""
    domain = parse_domain(SLOPE.replace("(:predicates", "(:constants top ditch side door) (:predicates"))
    text = """(define (problem p) (:domain slope) (:objects start) (:init (at start) (next start top)
     (next start side) (next side door) (next top start) {}) (:goal (open)))"""
    answer = solve(domain, parse_problem(text.format(""), domain), configuration=Configuration("ehc"))
    assert isinstance(answer, Plan)
    assert [str(action) for action in answer.actions] == [
        "(go start side)", "(dig)", "(go side door)", "(enter)",
    ]  # fmt: skip
    nowhere = text.format("").replace("(next side door)", "(next door side)")
    assert isinstance(solve(domain, parse_problem(nowhere, domain), configuration=Configuration("ehc")), Unsolvable)


@pytest.mark.parametrize("name", ["tiles-0", "household-0", "household-3"])
def test_anytime_plans_get_cheaper_and_end_optimal(name: str) -> None:
    domain, problem = small_task(name)
    reported: list[Plan] = []
    answer = solve(domain, problem, configuration=Configuration("anytime", improve=0), report=reported.append)
    assert isinstance(answer, Plan)
    assert (answer.optimal, answer.cost) == (True, golden()[name].cost)
    costs = [plan.cost for plan in reported]
    assert costs == sorted(set(costs), reverse=True)
    assert all(validate(domain, problem, plan.actions).cost == plan.cost for plan in reported)
    assert costs[-1] == answer.cost
    few = Limits(evaluations=reported[0].evaluated + 50)
    first = solve(domain, problem, few, Configuration("anytime", improve=0))
    assert isinstance(first, Plan)
    assert answer.cost <= first.cost <= reported[0].cost


def test_a_limit_before_the_first_plan() -> None:
    domain, problem = small_task("tiles-1")
    answer = solve(domain, problem, Limits(evaluations=2), Configuration("anytime"))
    assert answer == OutOfLimits(Limit.EVALUATIONS, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    domain, problem = small_task("tiles-1")
    (tmp_path / "domain.pddl").write_text(write_domain(domain))
    (tmp_path / "problem.pddl").write_text(write_problem(problem))
    return tmp_path


def test_anytime_on_the_command_line(folder: Path) -> None:
    words = "plan --search anytime --improve 0 --json -o best.plan domain.pddl problem.pddl"
    done = chorewright(*words.split(), cwd=folder)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert (answer["optimal"], answer["cost"]) == (True, golden()["tiles-1"].cost)
    assert done.stderr.splitlines()[-1] == f"{answer['steps']} steps, cost {answer['cost']:g}"
    assert (folder / "best.plan").read_text().count("(") == answer["steps"] + 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    ("number", "code", "out"), [(signal.SIGINT, 130, True), (signal.SIGTERM, 143, True), (signal.SIGTERM, 143, False)]
)
def test_an_interruption_gives_the_best_plan_so_far(tmp_path: Path, number: int, code: int, out: bool) -> None:
    domain, problem = competition_task("depot", "p03.pddl")
    (tmp_path / "domain.pddl").write_text(write_domain(domain))
    (tmp_path / "problem.pddl").write_text(write_problem(problem))
    given = ("-o", "best.plan") if out else ()
    words = command("plan", "--search", "anytime", *given, "domain.pddl", "problem.pddl")
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        first = run.stderr.readline()
        run.send_signal(number)
        output, errors = run.communicate(timeout=60)
    assert run.returncode == code
    assert "Traceback" not in errors
    found = read_plan(tmp_path / "best.plan") if out else parse_plan(output)
    verdict = validate(domain, problem, found.actions)
    assert verdict.valid
    assert verdict.cost <= float(first.rpartition("cost ")[2])
    if out:
        assert output == f"best.plan: {verdict.cost:g} steps, cost {verdict.cost:g}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--search lazy --heuristic add", "lazy takes ff: "),
        ("--search ehc --heuristic blind", "ehc takes ff, add, max, goal-count, lmcut: "),
        ("--search uphill", "one of greedy, ehc, lazy, wastar, astar, anytime"),
        ("--weight 3", "--search lazy and wastar"),
    ],
)
def test_refusals_on_the_command_line(folder: Path, words: str, said: str) -> None:
    done = chorewright("plan", *words.split(), "domain.pddl", "problem.pddl", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
