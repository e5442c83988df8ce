"""The planner's effort for an attempt: by the command line, by the task, by the benchmark; other engines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.domains.library import find_template
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import UsageError
from chorewright.generator.alfred.recorded import NUMBER, effort_extras
from chorewright.generator.dataset.config import USUAL_EFFORT, GenerateConfig, PlannerEffort
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.solving import drawing
from chorewright.generator.production.trying import attempts_of
from chorewright.planner.plan import UNLIMITED, Limits, Plan
from chorewright.planner.stages import solve_with_parts
from chorewright.planner.validation import validate
from tests.command import chorewright

TASK = """(define (task two-cups) (:domain household) (:rooms kitchen) {}
  (:start (at-least 2 cup)) (:goal (forall (?x - cup) (exists (?s - sinkbasin) (in ?x ?s)))) (:say "Gather the cups."))
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "two-cups.task"
    path.write_text(TASK.format(""))
    return path


def test_the_command_line_comes_before_the_task_and_the_benchmark() -> None:
    assert USUAL_EFFORT.limits(100) == Limits(evaluations=100)
    assert USUAL_EFFORT.limits(100, 7) == Limits(evaluations=7)
    assert PlannerEffort(5, 2.5).limits(100, 7) == Limits(2.5, evaluations=5)


def test_only_an_unusual_effort_is_stored() -> None:
    usual = GenerateConfig("alfred", 1)
    assert "effort" not in usual.to_json()
    config = GenerateConfig("alfred", 1, effort=PlannerEffort(5, 2.5, "pyperplan"))
    assert GenerateConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert config.fingerprint() != usual.fingerprint()


@pytest.mark.parametrize(
    ("effort", "kept"),
    [
        (USUAL_EFFORT, ()),
        (PlannerEffort(5), (("evaluations", "5"),)),
        (PlannerEffort(engine="pyperplan"), (("engine", "pyperplan"),)),
    ],
)
def test_episodes_keep_an_unusual_effort(effort: PlannerEffort, kept: tuple[tuple[str, str], ...]) -> None:
    template = find_template("alfred/pick_and_place_simple")
    assert effort_extras(GenerateConfig("alfred", 1, effort=effort), template) == kept


@pytest.mark.parametrize("effort", [{"evaluations": -1}, {"seconds": -1.0}, {"seconds": float("inf")}, {"plans": 0}])
def test_no_effort(effort: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be positive"):
        PlannerEffort(**effort)


def test_a_task_says_its_effort(task: Path) -> None:
    few = attempts_of(str(task), 1, 0, {}, effort=PlannerEffort(1)).run()
    assert set(dict(few.reasons)) == {"plan: out of evaluations after 1 evaluations"}
    assert few.hint == "give the planner more with --evaluations"
    task.write_text(TASK.format("(:effort 1)"))
    assert attempts_of(str(task), 1, 0, {}).run().reasons == few.reasons
    assert attempts_of(str(task), 1, 0, {}, effort=PlannerEffort(5_000)).run().solved == 1


def test_check_task_and_generate_take_an_effort(task: Path) -> None:
    few = ("--evaluations", 1)
    done = chorewright("check-task", task, "--rooms", 1, "--attempts", 1, *few)
    assert done.returncode == 1
    assert "hint: give the planner more with --evaluations" in done.stdout
    out = task.parent / "data"
    done = chorewright("generate", "alfred", "--tasks", task, "-n", 1, "--workers", 1, "--out", out, *few)
    assert done.returncode == 1
    assert "hint: give the planner more with --evaluations" in done.stderr
    done = chorewright("generate", "alfred", "--tasks", task, "-n", 1, "--workers", 1, "--out", out)
    assert done.returncode != 0, "another effort is another dataset"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("objectnav --evaluations 5", "the benchmark objectnav takes no --evaluations"),
        ("teach --engine pyperplan", "the benchmark teach takes no --engine"),
        ("teach --plans 2", "the benchmark teach takes no --plans"),
        ("alfred --engine nobody", "nobody"),
        ("alfred --engine pyperplan --evaluations 5", "--evaluations is for the engine chorewright"),
        ("alfred --time-per-episode 0", "--time-per-episode must be positive"),
    ],
)
def test_an_effort_that_nobody_makes_is_refused(tmp_path: Path, words: str, message: str) -> None:
    done = chorewright("generate", *words.split(), "-n", 1, "--out", tmp_path / "data")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert message in done.stderr
    assert not (tmp_path / "data").exists()


def test_another_engine_plans_for_a_dataset(tmp_path: Path) -> None:
    words = ("generate", "pddl", "--domain", "hanoi", "-n", 1, "--workers", 1, "--engine", "pyperplan")
    done = chorewright(*words, "--out", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    shown = chorewright("show", tmp_path / "data", 0, "--json")
    assert '"pyperplan' in shown.stdout


def test_starts_have_several_plans() -> None:
    """Each plan of a start has other actions, is valid, and can be made again from what the episode says."""
    config = GenerateConfig("alfred", 6, 5, effort=PlannerEffort(plans=3))
    benchmark = BENCHMARKS.find("alfred")
    assert GenerateConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assigned = benchmark.assignments(config, 6)
    found = [benchmark.episode(each.index, config, each) for each in assigned]
    usual = GenerateConfig("alfred", 6, 5)
    assert found[0] == benchmark.episode(0, usual, assigned[0])
    for first in (0, 3):
        plans = [each for each in found[first : first + 3] if each.outcome.accepted]
        assert len(plans) > 1
        assert len({(each.task, each.seed, each.split, each.problem_sha256, each.scene) for each in plans}) == 1
        assert len({frozenset(each.plan) for each in plans}) == len(plans)
        draws = [int(dict(each.extras).get(NUMBER, 0)) for each in plans]
        assert draws == sorted(set(draws))
        for each in plans:
            verdict = validate(*benchmark.planning_task(each), each.plan)
            assert (verdict.valid, verdict.cost) == (True, each.plan_cost)
            assert each.plan_cost <= 2 * plans[0].plan_cost


def test_further_plans_of_a_start_are_no_earlier_ones() -> None:
    """Whatever is amended after the planner's answer: here a receptacle is kept undivided, and others are less odd."""
    config = GenerateConfig("alfred", 192, 11, effort=PlannerEffort(plans=4))
    benchmark = BENCHMARKS.find("alfred")
    assigned = benchmark.assignments(config, 192)
    for start in (168, 188):
        found = [benchmark.episode(index, config, assigned[index]) for index in range(start, start + 4)]
        accepted = [each for each in found if each.outcome.accepted]
        assert accepted == found[: len(accepted)]
        assert len(accepted) > 1
        assert len({frozenset(each.plan) for each in accepted}) == len(accepted)
        assert len({str([step.call() for step in each.steps]) for each in accepted}) == len(accepted)
        for each in found[len(accepted) :]:
            assert f"only {len(accepted)} different plans of this start are found" in each.outcome.reason


def test_a_draw_finds_a_plan_of_the_same_problem() -> None:
    domain = parse_domain("(define (domain d) (:predicates (on)) (:action press :effect (on)))")
    problem = parse_problem("(define (problem p) (:domain d) (:init) (:goal (on)))", domain)
    usual, other = (drawing(solve_with_parts, draw)(domain, problem, UNLIMITED) for draw in (0, 1))
    assert isinstance(usual, Plan)
    assert isinstance(other, Plan)
    assert other.actions == usual.actions
