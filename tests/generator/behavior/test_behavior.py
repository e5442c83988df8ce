"""BEHAVIOR's activities from scene to episode: planned, replayed, scored, said, and written down."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.behavior.reader import parse_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.domains.facts import Universe
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.errors import UsageError
from chorewright.generator.behavior.benchmark import BehaviorBenchmark
from chorewright.generator.behavior.world import ActivityCandidate, attempt, partial_score
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.planner.plan import Limits
from chorewright.planner.validation import validate
from chorewright.problems.behavior.activity_problem import activity_problem, behavior_domain, domain_of
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.problems.behavior.scenes import activity_scene
from tests.command import chorewright

LIMITS = Limits(evaluations=150_000)
SAMPLE = [(version, name) for version in VERSIONS for name in activity_names(version)][5::70]
HARD = ("make_dinner_rolls",)
PLANNED = [pytest.param(*each, marks=pytest.mark.slow if each[1] in HARD else ()) for each in SAMPLE]

CANDLES = """(define (problem candles-0) (:domain omnigibson)
  (:objects candle.n.01_1 candle.n.01_2 candle.n.01_3 - candle.n.01 table.n.02_1 table.n.02_2 - table.n.02
            floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
  (:init (ontop candle.n.01_1 floor.n.01_1) (ontop candle.n.01_2 floor.n.01_1) (ontop candle.n.01_3 floor.n.01_1)
         (inroom table.n.02_1 kitchen) (inroom table.n.02_2 kitchen) (inroom floor.n.01_1 kitchen)
         (ontop agent.n.01_1 floor.n.01_1))
  (:goal {}))
"""


def candidate(activity: Activity, **options: int) -> ActivityCandidate:
    return ActivityCandidate(
        activity.name, activity, options.get("seed", 0), options.get("distractors", 0), options.get("hands", 1)
    )


def test_every_activity_is_a_legal_problem_of_the_domain() -> None:
    """Both with the synsets of all activities as types and with its own only."""
    whole = behavior_domain()
    for version, name in SAMPLE:
        activity = activity_scene(shipped_activity(name, version)).activity
        own = domain_of(activity)
        problem = activity_problem(activity, own)
        assert parse_problem(write_problem(problem), own) == problem
        parse_problem(write_problem(activity_problem(shipped_activity(name, version), whole)), whole)


@pytest.mark.parametrize(("version", "name"), PLANNED)
def test_activities_are_planned_and_their_plans_are_valid(version: str, name: str) -> None:
    done = attempt(candidate(shipped_activity(name, version)), LIMITS)
    assert done.accepted, done.reason
    made = done.made
    assert made is not None
    found = made.solution
    assert found.plan is not None
    assert validate(found.domain, found.problem, found.plan.actions).valid
    assert all(met for _, met in found.conditions)
    assert made.scores[-1] == 1.0 > made.scores[0]


def test_what_cannot_be_is_rejected_with_its_reason() -> None:
    """This one asks for a refrigerator inside a plate."""
    done = attempt(candidate(shipped_activity("clearing_table_after_breakfast", "1k")), LIMITS)
    assert done.reason == "plan: the goal cannot be reached even when nothing is ever deleted"


def test_a_goal_that_holds_already_is_rejected() -> None:
    activity = parse_activity(CANDLES.format("(ontop ?candle.n.01_1 ?floor.n.01_1)"))
    assert attempt(candidate(activity), LIMITS).reason == "start: the goal holds already"


@pytest.mark.parametrize(
    ("goal", "on_first", "score"),
    [
        ("(forall (?candle.n.01 - candle.n.01) (ontop ?candle.n.01 ?table.n.02_1))", [1, 2], 2 / 3),
        ("(exists (?candle.n.01 - candle.n.01) (ontop ?candle.n.01 ?table.n.02_1))", [2], 1.0),
        ("(forn (2) (?candle.n.01 - candle.n.01) (ontop ?candle.n.01 ?table.n.02_1))", [3], 1 / 2),
        (
            "(forpairs (?candle.n.01 - candle.n.01) (?table.n.02 - table.n.02) (ontop ?candle.n.01 ?table.n.02))",
            [1, 2],
            0.5,
        ),
        (
            "(or (and (ontop ?candle.n.01_1 ?table.n.02_1) (ontop ?candle.n.01_2 ?table.n.02_2)) (hot ?table.n.02_1))",
            [1],
            0.5,
        ),
        ("(not (or (ontop ?candle.n.01_1 ?table.n.02_1) (ontop ?candle.n.01_2 ?table.n.02_1)))", [1], 0.5),
        ("(imply (ontop ?candle.n.01_1 ?table.n.02_1) (ontop ?candle.n.01_2 ?table.n.02_1))", [3], 1.0),
    ],
)
def test_the_score_is_the_best_way_s_share(goal: str, on_first: list[int], score: float) -> None:
    activity = parse_activity(CANDLES.format(goal))
    domain = domain_of(activity)
    universe = Universe.of(domain, activity_problem(activity, domain))
    state = frozenset(("ontop", f"candle-n-01_{number}", "table-n-02_1") for number in on_first)
    assert partial_score(activity, state, universe) == pytest.approx(score)


def test_scores_of_pairs_are_those_of_the_best_matching() -> None:
    goal = "(forpairs (?candle.n.01 - candle.n.01) (?table.n.02 - table.n.02) (nextto ?candle.n.01 ?table.n.02))"
    activity = parse_activity(CANDLES.format(goal))
    domain = domain_of(activity)
    universe = Universe.of(domain, activity_problem(activity, domain))
    rng = np.random.Generator(np.random.PCG64(3))
    for _ in range(50):
        table = rng.random((3, 2)) < 0.4
        state = frozenset(
            ("nextto", f"candle-n-01_{x + 1}", f"table-n-02_{y + 1}") for x in range(3) for y in range(2) if table[x, y]
        )
        best = max(sum(table[x, y] for y, x in enumerate(order)) for order in itertools.permutations(range(3), 2)) / 2
        assert partial_score(activity, state, universe) == pytest.approx(best)


def test_two_hands_make_no_longer_plans() -> None:
    activity = shipped_activity("collecting_aluminum_cans", "100")
    one, two = (attempt(candidate(activity, hands=hands), LIMITS).made for hands in (1, 2))
    assert one is not None
    assert one.solution.plan is not None
    assert two is not None
    assert two.solution.plan is not None
    assert two.solution.plan.cost <= one.solution.plan.cost


def test_distractors_are_of_kinds_that_the_goal_does_not_see() -> None:
    activity = shipped_activity("chop_an_onion", "1k")
    scene = activity_scene(activity, seed=4, distractors=6)
    added = [each for each in scene.activity.objects if each not in activity_scene(activity).activity.objects]
    assert len(added) == 6
    assert not {each.types for each in added} & {each.types for each in activity.objects}
    assert activity_scene(activity, seed=4, distractors=6) == scene
    assert activity_scene(activity, seed=5, distractors=6) != scene


def test_in_between_products_are_added() -> None:
    """Cookies are baked of a dough that the activity does not name."""
    activity = shipped_activity("baking_sugar_cookies", "1k")
    assert "sugar_cookie_dough.n.01" not in activity.synsets()
    assert "sugar_cookie_dough.n.01" in activity_scene(activity).activity.synsets()


def test_assignments_take_all_activities_in_turn_each_in_one_split() -> None:
    config = GenerateConfig("behavior", 250, options=(("version", "100"),))
    assigned = BehaviorBenchmark().assign(config, 250)
    assert {each.task for each in assigned[:100]} == set(activity_names("100"))
    splits = {each.task: each.split for each in assigned}
    assert all(splits[each.task] == each.split for each in assigned)
    assert {name: list(splits.values()).count(name) for name in ("train", "valid", "test")} == {
        "train": 80,
        "valid": 10,
        "test": 10,
    }
    only = BehaviorBenchmark().assign(
        GenerateConfig("behavior", 20, options=(("splits", ("test",)), ("version", "100"))), 20
    )
    assert {each.task for each in only} == {name for name, split in splits.items() if split == "test"}


def test_a_misspelt_activity_gets_a_hint() -> None:
    config = GenerateConfig("behavior", 1, options=(("tasks", ("making_te",)), ("version", "100")))
    with pytest.raises(UsageError) as caught:
        BehaviorBenchmark().assign(config, 1)
    assert caught.value.hint == "did you mean 'making_tea'?"


def test_a_dataset_is_made_verified_and_shown(tmp_path: Path) -> None:
    activity = tmp_path / "candles.bddl"
    activity.write_text(CANDLES.format("(ontop ?candle.n.01_1 ?table.n.02_1)"), encoding="utf-8")
    data = tmp_path / "data"
    words = ("generate", "behavior", "--task", activity, "--task", "make_coffee", "--episodes", 4, "--distractors", 2)
    done = chorewright(*words, "--workers", 1, "--out", data)
    assert done.returncode == 0, done.stderr
    assert chorewright("verify", data, "--remake", 4).returncode == 0
    shown = chorewright("show", data, 0, "--json")
    episode = json.loads(shown.stdout)
    assert episode["outcome"]["accepted"]
    sentences = [each["text"] for each in episode["instructions"] if each["level"] == "goal"]
    assert len(set(sentences)) == 3
    page = chorewright("view", data, 0, "--out", tmp_path / "page.html")
    assert page.returncode == 0, page.stderr


def test_a_broken_activity_is_refused_with_its_place(tmp_path: Path) -> None:
    activity = tmp_path / "candles.bddl"
    activity.write_text(CANDLES.format("(onto ?candle.n.01_1 ?table.n.02_1)"), encoding="utf-8")
    done = chorewright("generate", "behavior", "--task", activity, "--out", tmp_path / "data")
    assert done.returncode == 31
    assert re.search(r"candles\.bddl:7:10: there is no predicate 'onto'", done.stderr)
    assert "did you mean 'ontop'?" in done.stderr


def test_activities_are_tasks() -> None:
    shown = chorewright("tasks", "behavior/1k/make_coffee")
    assert shown.returncode == 0, shown.stderr
    assert "drip coffee" in shown.stdout
    assert "BEHAVIOR" in chorewright("tasks").stdout


def test_an_activity_s_file_is_a_task_by_itself(tmp_path: Path) -> None:
    activity = tmp_path / "candles.bddl"
    activity.write_text(CANDLES.format("(ontop ?candle.n.01_1 ?table.n.02_1)"), encoding="utf-8")
    for task in (activity, f"behavior/{activity}"):
        made = chorewright("compile", task, "--out", tmp_path / "pddl")
        assert made.returncode == 0, made.stderr
        assert (tmp_path / "pddl" / "problem.pddl").exists()
    activity.write_text(activity.read_text().replace("kitchen", "kichen"), encoding="utf-8")
    for verb in ("tasks", "compile", "check-task"):
        done = chorewright(verb, activity)
        assert (done.returncode, "did you mean 'kitchen'?" in done.stderr) == (31, True), verb
