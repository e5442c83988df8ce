"""Forty templates that no benchmark has: starts, sets, numbers, negation, liquids, stacks, several appliances."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chorewright.domains.library import find_template, household_domain, household_vocabulary
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import TRUE
from chorewright.domains.templates.goal_templates import candidates, instantiate
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import InputErrors, UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.handling import least_odd, oddness
from chorewright.generator.household.possibilities import broken_rule, not_granted
from chorewright.generator.household.remarks import oddities
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.generator.production.attempts import TrialReport
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.trying import attempts_of
from chorewright.generator.production.worlds import compile_task
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.spawn import spawn
from tests.command import ROOT, chorewright

FOLDER = ROOT / "tests" / "corpus" / "authoring"
FAILS: dict[str, str] = json.loads((FOLDER / "expected.json").read_text("utf-8"))["fails"]
NAMES = sorted(path.stem for path in FOLDER.glob("*.task"))
SOME = ("lamps-off", "roll-off-the-floor", "exactly-n-pillows", "n-of-a-kind", "fruit-in-fridge", "one-vegetable")
parse = partial(parse_template, domain=household_domain(), vocabulary=household_vocabulary())


def tried(name: str, rooms: int, attempts: int = 3) -> TrialReport:
    return attempts_of(str(FOLDER / f"{name}.task"), rooms, 0, {}, attempts=attempts).run()


def episode(name: str, seed: int = 0) -> Episode:
    """The first episode of a template."""
    text = (FOLDER / f"{name}.task").read_text("utf-8")
    config = GenerateConfig("alfred", 1, seed, task_files=((f"{name}.task", text),))
    benchmark = BENCHMARKS.find("alfred")
    (assignment,) = benchmark.assign(config, 1)
    return benchmark.episode(0, config, assignment)


def test_there_are_forty() -> None:
    assert len(NAMES) == 40
    assert FAILS.keys() < set(NAMES)


@pytest.mark.parametrize("name", SOME)
def test_some_are_solved(name: str) -> None:
    assert tried(name, 2, attempts=6).solved == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_gives_what_it_must(name: str) -> None:
    if name not in FAILS:
        report = tried(name, 20, attempts=8)
        assert report.solved >= 0.95 * len(report.trials), report.reasons
        return
    if FAILS[name].startswith("no room"):
        with pytest.raises(UsageError, match=FAILS[name]):
            tried(name, 3)
        return
    report = tried(name, 3)
    assert report.solved == 0
    assert all(reason.startswith("plan: ") for reason, _ in report.reasons)
    assert report.remarks[0] == (FAILS[name], 3)


@pytest.mark.parametrize("name", ["shut-the-boxes", "roll-off-the-floor", "exactly-n-pillows"])
def test_the_start_is_as_the_template_says(name: str) -> None:
    made = episode(name)
    assert made.outcome.accepted
    template = find_template(str(FOLDER / f"{name}.task"))
    goal = instantiate(template, made.parameters, household_vocabulary())
    assert len(goal.start) >= 2
    assert broken_rule(goal.start, made.room, shipped_kinds().domain, None) == ""
    kinds = [thing.kind for thing in made.room.objects]
    if name == "exactly-n-pillows":
        assert kinds.count("Pillow") == 3
    if name == "roll-off-the-floor":
        (roll,) = [thing for thing in made.room.objects if thing.kind == "ToiletPaper"]
        assert roll.parents[0].startswith("Floor")


@pytest.mark.parametrize(("name", "poured"), [("water-the-plant", 2), ("empty-the-mug", 1)])
def test_pouring_is_carried_out(name: str, poured: int) -> None:
    made = episode(name)
    assert made.outcome.accepted
    assert [segment.action for segment in made.segments].count("PourObject") == 1
    assert sum(step.action in ("FillObjectWithLiquid", "EmptyLiquidFromObject") for step in made.steps) == poured


GOALS = {
    "(exists (?x - fruit) (holding ?x))": "(exists (?x - (either apple tomato)) (holding ?x))",
    "(exists (?x - (and fruit (not (or tomato piece)))) (holding ?x))": "(exists (?x - apple) (holding ?x))",
    "(exactly 2 (?x - cup) (holding ?x))": "(and (at-least 2 (?x - cup) (holding ?x)) "
    "(not (at-least 3 (?x - cup) (holding ?x))))",
    "(at-most 1 (?x - cup) (holding ?x))": "(not (at-least 2 (?x - cup) (holding ?x)))",
}


@pytest.mark.parametrize("short", GOALS)
def test_what_is_said_in_short_means_the_same_spelled_out(short: str) -> None:
    found, spelled = (parse(f'(define (task t) (:goal {goal}) (:say "Do."))').goal for goal in (short, GOALS[short]))
    members = set(household_vocabulary().set_members("fruit"))
    assert members == {"Apple", "AppleSliced", "Tomato", "TomatoSliced"}
    assert found == spelled


def test_numbers_fill_slots_and_sentences() -> None:
    template = parse(
        "(define (task t) (:slots ?o in (or cup mug) ?n in 2..4) (:goal (at-least ?n (?x - ?o) (holding ?x)))"
        '(:say "Hold {n} {os}." "Take {n o} up." "Hold {n dish}."))'
    )
    found = candidates(template, household_vocabulary())
    assert len(found) == 6
    goal = instantiate(template, {"o": "Cup", "n": "3"}, household_vocabulary())
    assert goal.sentences == ("Hold three cups.", "Take three cups up.", "Hold three dishes.")
    assert goal.goal == parse('(define (task t) (:goal (at-least 3 (?x - cup) (holding ?x))) (:say "Do."))').goal


@pytest.mark.parametrize(("number", "said"), [("1", "Take one butter knife."), ("2", "Take two butter knives.")])
def test_nouns_agree_with_numbers(number: str, said: str) -> None:
    template = parse(
        "(define (task t) (:slots ?n in 1..2) (:goal (at-least ?n (?x - butterknife) (holding ?x)))"
        '(:say "Take {n butter knife}."))'
    )
    assert instantiate(template, {"n": number}, household_vocabulary()).sentences == (said,)


@pytest.mark.parametrize(("key", "near"), [("n forkk", "fork"), ("n objct", "object"), ("n mugs", "mug")])
def test_a_misspelt_noun_behind_a_number_is_refused(key: str, near: str) -> None:
    text = (
        "(define (task t) (:slots ?object in (or cup mug) ?n in 1..2) (:goal (at-least ?n (?x - ?object) (holding ?x)))"
    )
    with pytest.raises(InputErrors, match=f"no slot or kind is called '{key[2:]}'") as caught:
        parse(f'{text} (:say "Hold {{{key}}}."))')
    assert f"did you mean '{near}'" in str(caught.value.hint)


def test_only_numbers_count() -> None:
    with pytest.raises(InputErrors) as caught:
        parse('(define (task t) (:slots ?o in mug) (:goal (exists (?x - ?o) (holding ?x))) (:say "Hold {o fork}."))')
    assert "'{o fork}': the slot 'o' is no number" in caught.value.errors[0].message


MISTAKES = {
    "(:start (is-on bed))": "can be said of nothing toggleable",
    "(:start (sparkles mug))": "'sparkles' is not a rule about the start",
    "(:start (at-least many mug))": "a number from 0 to 20 is expected here",
    "(:start (in mug ?where))": "there is no slot '?where'",
    "(:start (at-least 2 mugs))": "there is no set or kind 'mugs'",
    "(:slots ?n in 3..2)": "numbers range from 1 to 20",
    "(:slots ?n in 2..3)": "the slot '?n' is not used in the goal",
}


@pytest.mark.parametrize("section", MISTAKES)
def test_mistakes_are_told(section: str) -> None:
    with pytest.raises(InputErrors) as caught:
        parse(f'(define (task t) {section} (:goal (exists (?m - mug) (holding ?m))) (:say "Do."))')
    assert any(MISTAKES[section] in error.message for error in caught.value.errors)


def remarked(folder: Path, sections: str, rooms: int = 1) -> list[str]:
    path = folder / "tried.task"
    path.write_text(f"(define (task tried) {sections})", "utf-8")
    return [remark for remark, _ in attempts_of(str(path), rooms, 0, {}, attempts=1).run().remarks]


ELSEWHERE = {
    "handmethat": "(:start (exactly 1 apple)) (:goal (exists (?a - apple) (dusty ?a)))",
    "tabletop": "(:start (exists (?b - block) (in ?b drawer))) (:goal (exists (?b - block) (in ?b drawer)))",
}


@pytest.mark.parametrize("domain", ELSEWHERE)
def test_worlds_that_keep_to_no_start_refuse_it(domain: str, tmp_path: Path) -> None:
    path = tmp_path / "tried.task"
    path.write_text(f'(define (task tried) (:domain {domain}) {ELSEWHERE[domain]} (:say "Do it."))', "utf-8")
    message = f"scenes of the world {domain} are its own: ':start' is not for its tasks"
    with pytest.raises(UsageError, match=message):
        compile_task(str(path), [], None, 0)
    with pytest.raises(UsageError, match=message):
        attempts_of(str(path), 1, 0, {})


def test_what_lies_in_furniture_is_not_on_the_floor() -> None:
    scene = load_room("FloorPlan301")
    stands = {thing.object_id for thing in scene.objects if any(each.startswith("Floor|") for each in thing.parents)}
    lies = {thing.kind for thing in scene.objects if thing.traits.item and stands & {*thing.parents}}
    assert lies
    for kind in lies:
        noun = household_vocabulary().kind(kind).noun
        assert any("floor" in why for why in not_granted(f"Pick the {noun} up off the floor.", TRUE, scene))


def test_a_room_that_failed_is_drawn(tmp_path: Path) -> None:
    path, maps = tmp_path / "tried.task", tmp_path / "maps"
    goal = "(:rooms bathroom) (:goal (exists (?a ?b - soapbar) (and (not (= ?a ?b)) (in ?a ?b))))"
    path.write_text(f'(define (task tried) {goal} (:say "Stack two bars of soap."))', "utf-8")
    done = chorewright("check-task", path, "--rooms", 1, "--attempts", 1, "--picture", maps)
    assert done.returncode == 1
    (drawn,) = maps.iterdir()
    assert f"maps: {drawn}" in done.stdout
    with Image.open(drawn) as picture:
        assert picture.width == 600
        assert picture.height > 600


REMARKS = {
    "(:rooms bathroom) (:goal (exists (?a ?b - soapbar) (and (not (= ?a ?b)) (in ?a ?b))))":
        "nothing of the kind SoapBar goes",
    "(:rooms bathroom) "
    "(:goal (and (exists (?c - candle) (holding ?c)) (exists (?a - soapbar ?b - soapbar) (in ?a ?b))))":
        "(exists (?a ?b - soapbar) (in ?a ?b)) cannot be reached",
    "(:rooms bathroom) (:start (exactly 0 cloth)) (:goal (forall (?s - soapbar) (exists (?b - bed) (in ?s ?b))))":
        "cannot be reached: there is no Bed",
    "(:rooms bedroom) (:start (not (is-on lamps))) "
    "(:goal (and (forall (?l - lamps) (not (is-on ?l))) (exists (?b - book) (holding ?b))))":
        "holds at the start: (forall (?l - (either desklamp floorlamp)) (not (is-on ?l)))",
    "(:rooms bathroom) (:start (exactly 0 cloth)) "
    "(:goal (and (forall (?c - cloth) (dirty ?c)) (exists (?b - soapbar) (holding ?b))))":
        "speaks of nothing: (forall (?c - cloth) (dirty ?c))",
}  # fmt: skip


@pytest.mark.parametrize("sections", REMARKS)
def test_the_author_is_told_what_is_vacuous_or_out_of_reach(sections: str, tmp_path: Path) -> None:
    found = remarked(tmp_path, f'{sections} (:say "Do it.")')
    assert any(REMARKS[sections] in each for each in found), found


PLATE_AWAY = """(define (problem p) (:domain household)
  (:objects plate_1 - plate knife_1 - knife shelf_1 - shelf fridge_1 - fridge sinkbasin_1 - sinkbasin a b - pose)
  (:init (at a) (hand-empty) (in plate_1 shelf_1) (in knife_1 shelf_1) (furniture shelf_1) (furniture fridge_1)
    (furniture sinkbasin_1) (openable fridge_1) (door fridge_1) (chills fridge_1) (drain sinkbasin_1))
  (:goal {goal}))"""
DOORS = [("open", "fridge_1", "a"), ("close", "fridge_1", "a")] * 2
ODD = [
    ("(in plate_1 shelf_1)", [("pick-up", "plate_1", "shelf_1", "a")] * 2, ["a plate is picked up 2 times"]),
    ("(not (dirty plate_1))", [("pick-up", "plate_1", "shelf_1", "a")] * 2, []),
    ("(not (dirty plate_1))", [("put", "plate_1", "sinkbasin_1", "a")], []),
    (
        "(not (dirty plate_1))",
        [("put", "plate_1", "fridge_1", "a")],
        ["a plate is put in or on a fridge, of which the goal does not speak"],
    ),
    ("(cool plate_1)", [("put", "plate_1", "fridge_1", "a")], []),
    ("(exists (?f - fridge) (in plate_1 ?f))", [("put", "plate_1", "fridge_1", "a")], []),
    ("(cool plate_1)", DOORS, ["a fridge is opened 2 times"]),
    ("(cool plate_1)", [DOORS[0], ("put", "plate_1", "fridge_1", "a"), *DOORS[1:3],
                        ("pick-up", "plate_1", "fridge_1", "a")], []),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "plan", "odd"), ODD)
def test_what_is_handled_too_often_is_odd(goal: str, plan: list[tuple[str, ...]], odd: list[str]) -> None:
    problem = parse_problem(PLATE_AWAY.format(goal=goal), household_domain())
    actions = [GroundAction(name, tuple(arguments)) for name, *arguments in plan]
    assert list(oddities(actions, problem, household_vocabulary())) == odd


def test_an_odd_plan_is_replaced_by_one_that_is_not() -> None:
    template = find_template(str(FOLDER / "fill-and-set.task"))
    goal = instantiate(template, {}, household_vocabulary())
    room, domain = load_room("FloorPlan11"), household_domain()
    request = spawn_request(room, goal.goal, elsewhere())
    for seed in range(3):
        problem = household_problem(spawn(room, np.random.Generator(np.random.PCG64(seed)), request), goal.goal).problem
        plan = solve(domain, problem, Limits(evaluations=20000))
        assert isinstance(plan, Plan)
        first = next(action for action in plan.actions if action.name == "pick-up")
        at = plan.actions.index(first)
        to_and_fro = (first, GroundAction("put", first.arguments)) * 3
        odd = replace(plan, actions=(*plan.actions[:at], *to_and_fro, *plan.actions[at:]))
        assert validate(domain, problem, odd.actions).valid
        assert oddness(odd.actions, problem) >= 4
        better = least_odd(domain, problem, odd, Limits(evaluations=20000))
        assert oddness(better.actions, problem) == 0
        assert validate(domain, problem, better.actions).cost == better.cost


LAMPS = """(define (task lamps) (:rooms bedroom) (:needs lamps)
  (:start ({state} lamps) (exactly 2 book) (not (in book bed)))
  (:goal (and (forall (?l - lamps) (not (is-on ?l))) (exists (?b - book ?d - bed) (in ?b ?d))))
  (:say "Put a book on the bed and turn off the lamps." "Put two books on the bed."
    "Put three books on the bed." "A book belongs on the bed."))"""


@pytest.mark.parametrize(("state", "untrue"), [("is-on", [2]), ("not (is-on", [0, 2])])
def test_sentences_are_true_of_their_episode(state: str, untrue: list[int], tmp_path: Path) -> None:
    text = LAMPS.format(state=state).replace("(not (is-on lamps)", "(not (is-on lamps))")
    path = tmp_path / "lamps.task"
    path.write_text(text, "utf-8")
    template = find_template(str(path))
    config = GenerateConfig("alfred", 1, 0, task_files=((path.name, text),))
    benchmark = BENCHMARKS.find("alfred")
    (assignment,) = benchmark.assign(config, 1)
    made = benchmark.episode(0, config, assignment)
    assert made.outcome.accepted
    said = {each.text for each in made.instructions if each.level == "goal"}
    assert len(said) == 3
    assert said.isdisjoint(template.sayings[place] for place in untrue)
    goal = instantiate(template, {}, household_vocabulary())
    for each in said:
        assert not_granted(each, goal.goal, made.room) == ()
    remarks = attempts_of(str(path), 1, 0, {}, attempts=4).run().remarks
    told = [remark for remark, _ in remarks if remark.startswith("untrue at the start")]
    assert len(told) == len(untrue)
