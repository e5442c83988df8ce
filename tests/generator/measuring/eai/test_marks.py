"""Questions of the Embodied Agent Interface: right answers are right, wrong ones are wrong in the way they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.evaluation import holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Atom, Not
from chorewright.errors import UsageError
from chorewright.generator.measuring.eai.answers import Unreadable, json_in, read_actions, read_goals, read_subgoals
from chorewright.generator.measuring.eai.evaluation import MARKERS, EaiEvaluation, figures, mark, parts_of
from chorewright.generator.measuring.eai.marks import (
    AFFORDANCE,
    ARGUMENTS,
    ERRORS,
    GOAL,
    HALLUCINATION,
    MISSING,
    ORDER,
    PARSING,
    LiteralCounts,
)
from chorewright.generator.measuring.eai.questions import (
    ACTIONS,
    GOALS,
    KINDS,
    SUBGOALS,
    TRANSITIONS,
    action_texts,
    question,
    subgoal_lines,
    used_actions,
)
from chorewright.generator.measuring.eai.tasks import EaiTask, GoalLiteral, goal_literals, ground, make_task, states
from chorewright.generator.measuring.trial import EaiTrial
from chorewright.planner.validation import PlanWorld
from tests.planner.small_tasks import small_task

KITCHEN = """(define (domain kitchen) (:requirements :adl :derived-predicates)
  (:types thing box)
  (:predicates (in ?x - thing ?b - box) (open ?b - box) (held ?x - thing) (free) (washable ?x - thing)
               (clean ?x - thing) (away ?x - thing))
  (:derived (away ?x - thing) (exists (?b - box) (and (in ?x ?b) (not (open ?b)))))
  (:action unlock :parameters (?b - box) :precondition (not (open ?b)) :effect (open ?b))
  (:action shut :parameters (?b - box) :precondition (open ?b) :effect (not (open ?b)))
  (:action take :parameters (?x - thing ?b - box) :precondition (and (in ?x ?b) (open ?b) (free))
    :effect (and (held ?x) (not (in ?x ?b)) (not (free))))
  (:action put :parameters (?x - thing ?b - box) :precondition (and (held ?x) (open ?b))
    :effect (and (in ?x ?b) (free) (not (held ?x))))
  (:action wash :parameters (?x - thing) :precondition (and (held ?x) (washable ?x)) :effect (clean ?x)))"""
PROBLEM = """(define (problem tidy) (:domain kitchen)
  (:objects cup book - thing red blue - box)
  (:init (in cup red) (in book red) (free) (washable cup))
  (:goal (and (clean cup) (exists (?b - box) (and (in cup ?b) (not (= ?b red)))) (away cup))))"""


@lru_cache
def kitchen() -> EaiTask:
    domain = parse_domain(KITCHEN)
    task = make_task("tidy_1", domain, parse_problem(PROBLEM, domain))
    assert task is not None
    return task


def some_tasks() -> list[EaiTask]:
    found = [kitchen()]
    for name in ("blocks", "gripper"):
        task = make_task(name, *competition_task(name, {"blocks": "probBLOCKS-4-1.pddl"}.get(name, "prob01.pddl")))
        assert task is not None
        found.append(task)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_right_answers_are_right(kind: str) -> None:
    tasks = some_tasks()
    answers = {each.name: question(each, kind).answer for each in tasks}
    scores = [mark(kind, each, answers) for each in tasks]
    assert all(each.mark.correct and each.mark.executable and not each.mark.error for each in scores)
    values = figures(scores)
    assert values["correct"] == values["executable"] == 1.0
    assert values.get("f1", 1.0) == 1.0
    assert all(each.name in answers for each in tasks)
    fewer = figures([mark(kind, each, {}) for each in tasks])
    assert (fewer["correct"], fewer["answered"], fewer["questions"]) == (0.0, 0, len(tasks))


def act(*lines: str) -> str:
    words = [each.split() for each in lines]
    return json.dumps([{"action": name, "object": ", ".join(rest)} for name, *rest in words])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("I cannot do that.", PARSING),
        (act("unlock red", "fly cup"), HALLUCINATION),
        (act("unlock green"), HALLUCINATION),
        (act("unlock red blue"), ARGUMENTS),
        (act("take cup red"), MISSING),
        (act("unlock red", "take cup red", "put cup red", "shut red", "take cup red"), ORDER),
        (act("unlock red", "take book red", "wash book"), AFFORDANCE),
        (act("unlock cup"), AFFORDANCE),
        (act("unlock red", "shut red"), GOAL),
        (act(), GOAL),
    ],
)
def test_plans_fail_in_their_way(answer: str, error: str) -> None:
    mark = MARKERS[ACTIONS](kitchen(), answer)
    assert (mark.correct, mark.error) == (False, error), mark.message
    assert mark.executable == (error == GOAL)


def test_plans_may_be_written_in_several_ways() -> None:
    task = kitchen()
    for text in (
        json.dumps([str(each) for each in task.plan]),
        "Sure:\n```json\n"
        + json.dumps({"actions": [{"ACTION": a.name.upper(), "OBJECT": list(a.arguments)} for a in task.plan]}),
        "\n".join(map(str, task.plan)),
        "{" + ", ".join(f"'{each.name}': {list(each.arguments)}" for each in task.plan) + "}",
    ):
        assert MARKERS[ACTIONS](task, text).correct, text


def test_steps_that_change_nothing_are_counted() -> None:
    domain = parse_domain(
        "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition (and) :effect (p)))"
    )
    task = make_task("t", domain, parse_problem("(define (problem x) (:domain d) (:init) (:goal (p)))", domain))
    assert task is not None
    mark = MARKERS[ACTIONS](task, '["a", "a", "a"]')
    assert (mark.correct, mark.additional) == (True, 2)


def test_goals_may_be_filled_in_any_way() -> None:
    task = kitchen()
    own = MARKERS[GOALS](task, json.dumps({"node goals": [["clean", "cup"]], "edge goals": [["in", "cup", "blue"]]}))
    assert own.correct
    assert own.counts.right == 2
    for goals, error in (
        ([["clean", "cup"]], GOAL),
        ([["shiny", "cup"]], HALLUCINATION),
        ([["clean", "pot"]], HALLUCINATION),
        ([["clean", "cup", "red"]], ARGUMENTS),
    ):
        assert MARKERS[GOALS](task, json.dumps({"node goals": goals, "edge goals": []})).error == error
    assert MARKERS[GOALS](task, "[]").error == PARSING
    assert read_goals(
        '{"node goals": [{"name": "a", "state": "not open"}, ["not", "open", "b"]], "edge goals": []}'
    ) == (GoalLiteral(("open", "a"), False), GoalLiteral(("open", "b"), False))


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (["held(cup)", "clean(cup) and (in(cup, red) or in(cup, blue))", "in(cup, blue) and not open(blue)"], ""),
        (["unlock(red)", "take(cup, red)", "wash(cup)", "in(cup, blue) and away(cup)"], ""),
        (["clean(book)"], MISSING),
        (["take(cup, red)"], MISSING),
        (["wash(book) and open(red)"], HALLUCINATION),
        (["shiny(cup)"], HALLUCINATION),
        (["clean(cup, red)"], ARGUMENTS),
        (["clean(cup) and"], PARSING),
        (["(clean(cup)"], PARSING),
        (["clean(cup)"], GOAL),
    ],
)
def test_subgoals_are_reached_or_not(lines: list[str], error: str) -> None:
    mark = MARKERS[SUBGOALS](kitchen(), json.dumps({"output": lines}))
    assert mark.error == error, mark.message
    assert mark.correct == (not error)


def test_definitions_are_compared_and_tried() -> None:
    task = kitchen()
    right = question(task, TRANSITIONS).answer
    assert MARKERS[TRANSITIONS](task, right.replace("?x", "?thing").replace("?b", "?c")).counts.f1 == 1.0
    weaker = right.replace("(washable ?x)", "(and)")
    mark = MARKERS[TRANSITIONS](task, weaker)
    assert mark.correct
    assert 0.9 < mark.counts.f1 < 1.0
    wrong = right.replace(":precondition (not (open ?b))", ":precondition (open ?b)")
    mark = MARKERS[TRANSITIONS](task, wrong)
    assert (mark.correct, mark.error) == (False, GOAL)
    names = used_actions(task)
    for text, error in (
        ("no idea", PARSING),
        (action_texts(task.domain, names[1:]), PARSING),
        (right.replace("washable", "cleanable"), HALLUCINATION),
        (right + "\n(:action fly :parameters () :precondition (and) :effect (free))", PARSING),
        ("(:action wash :parameters (?x - thing", PARSING),
    ):
        assert MARKERS[TRANSITIONS](task, text).error == error, text
    wanted = [part for each in task.domain.actions for part in parts_of(each)]
    assert LiteralCounts.of(wanted, wanted).f1 == 1.0


@pytest.mark.parametrize("name", ["carrying-0", "carrying-3", "handmethat-1"])
def test_literals_of_a_goal_are_enough_and_hold(name: str) -> None:
    task = make_task(name, *small_task(name))
    assert task is not None
    world = PlanWorld.of(task.domain, task.problem)
    end, literals = states(task)[-1], goal_literals(task)
    assert all((each.atom in end) == each.positive for each in literals)
    for each in literals:
        changed = end - {each.atom} if each.positive else end | {each.atom}
        atom = Atom(each.atom[0], each.atom[1:])
        assert each in ground(atom if each.positive else Not(atom), end, world.universe)
        if not holds(task.problem.goal, changed, world.universe):
            break
    else:
        raise AssertionError("no literal matters")
    assert subgoal_lines(task)


LETTERS = st.text(alphabet="abcup()[]{},:'\"not and or\n -_", max_size=60)


@settings(max_examples=60, deadline=None)
@given(LETTERS | st.text(max_size=40), st.sampled_from(KINDS))
def test_any_answer_is_marked(text: str, kind: str) -> None:
    mark = MARKERS[kind](kitchen(), text)
    assert mark.error
    assert not mark.correct


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_damaged_answers_are_marked(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    task = kitchen()
    text = list(question(task, kind).answer)
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(len(text)))
        text[place] = '(){}[]",: x'[int(rng.integers(11))]
    mark = MARKERS[kind](task, "".join(text))
    assert mark.error in ("", *ERRORS)
    assert not (mark.error and mark.correct)
    if kind in (ACTIONS, SUBGOALS):
        assert mark.correct != bool(mark.error)
    else:
        counts = mark.counts
        assert counts.right <= min(counts.answered, counts.wanted)
        assert mark.error or mark.correct == (counts.right == counts.answered == counts.wanted)


def test_an_answer_to_no_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kitchen.pddl").write_text(KITCHEN)
    (tmp_path / "problem_pddl").mkdir()
    broken = PROBLEM.replace("(free)", "(fre)")
    for name, text in (("tidy_1", PROBLEM), ("broken_1", broken)):
        (tmp_path / "problem_pddl" / f"{name}.pddl").write_text(text)
    file = tmp_path / f"{ACTIONS}.json"
    trial = EaiTrial(dataset=str(tmp_path), answers=(str(file),))
    for name in ("tidy_1", "broken_1", "tidi_1"):
        file.write_text(json.dumps([{"identifier": name, "llm_output": "[]"}]))
        with nullcontext() if name != "tidi_1" else pytest.raises(UsageError, match="no task 'tidi_1'") as caught:
            assert EaiEvaluation().open(trial).count == 1
    assert caught is not None
    assert caught.value.hint == "did you mean 'tidy_1'?"


@pytest.mark.parametrize("read", [read_goals, read_actions, read_subgoals, json_in])
def test_nesting_has_an_end(read: Callable[[str], object]) -> None:
    with pytest.raises(Unreadable):
        read("[" * 100_000)
    with pytest.raises(Unreadable):
        read_subgoals(json.dumps({"output": ["(" * 10_000]}))
