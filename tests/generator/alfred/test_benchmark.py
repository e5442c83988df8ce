"""ALFRED's benchmark: assignments, episodes that keep their promises, retries, splits, the user's templates."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.library import find_template, household_domain, household_vocabulary
from chorewright.domains.templates.goal_templates import instantiate
from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.alfred.benchmark import SPAWN_FAILURES, AlfredAttempt, AlfredBenchmark
from chorewright.generator.alfred.options import settings
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.demonstration import Rejection
from chorewright.generator.household.possibilities import possible_choices, room_facts
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.stages import solve_with_parts
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import load_room, room_kind, room_names
from chorewright.problems.household.spawn import NoRoom
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction

BENCHMARK = AlfredBenchmark()
VOCABULARY_OF_ACTIONS = {
    "MoveAhead_25", "RotateLeft_90", "RotateRight_90", "LookUp_15", "LookDown_15", "PickupObject",
    "PutObject", "OpenObject", "CloseObject", "ToggleObjectOn", "ToggleObjectOff", "SliceObject",
}  # fmt: skip
MACROS = {
    "CleanObject": "Put On Off Pickup",
    "HeatObject": "Open Put Close On Off Open Pickup Close",
    "CoolObject": "Open Put Close Open Pickup Close",
}


def config(count: int, seed: int = 0, **options: tuple[str, ...]) -> GenerateConfig:
    return GenerateConfig("alfred", count, seed, options=tuple(options.items()))


def test_three_demonstrations_of_each_tuple_in_splits_of_rooms() -> None:
    assignments = BENCHMARK.assign(config(1500), 1500)
    tuples = Counter((one.task, one.parameters, one.scene) for one in assignments)
    assert set(tuples.values()) == {3}
    assert [one.repeat for one in assignments[:6]] == [0, 1, 2, 0, 1, 2]
    unseen = settings().folds
    for one in assignments:
        for split, scenes in unseen.items():
            assert (one.split == split) == (one.scene in scenes)
    tasks = Counter(one.task for one in assignments)
    assert set(tasks) == set(settings().task_shares)
    sliced = sum(number for task, number in tasks.items() if task.endswith("sliced"))
    assert 0.08 <= sliced / len(assignments) <= 0.18  # ALFRED: 974 of 7,080
    assert len({one.scene for one in assignments}) >= 110


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    assert BENCHMARK.assign(config(300), 60) == BENCHMARK.assign(config(300), 300)[:60]


def test_unseen_rooms_are_alfreds() -> None:
    """The rooms of the unseen folds are exactly those that no training demonstration uses."""
    with gzip.open(sample("alfred/demos-train.jsonl.gz"), "rt", encoding="utf-8") as lines:
        used = {f"FloorPlan{json.loads(line)['scene_num']}" for line in lines}
    unseen = {scene for scenes in settings().folds.values() for scene in scenes}
    assert unseen == set(room_names()) - used


def test_rooms_suit_the_tasks() -> None:
    for one in BENCHMARK.assign(config(600), 600):
        template = find_template(f"alfred/{one.task}")
        assert not template.rooms or room_kind(one.scene) in template.rooms
        kinds = room_facts(one.scene, shipped_kinds()).kinds
        assert all(kind in kinds for _, kind in one.parameters)


def test_nothing_that_a_goal_is_about_starts_where_it_shall_end() -> None:
    vocabulary = household_vocabulary()
    template = find_template("alfred/pick_heat_then_place_in_recep")
    goal = instantiate(template, {"object": "Mug", "receptacle": "Cabinet"}, vocabulary)
    request = spawn_request(load_room("FloorPlan10"), goal.goal, elsewhere())
    assert dict(request.counts) == {"Mug": (1, 4)}
    assert set(request.banned["Mug"]) == {"Cabinet", "Microwave"}
    two = find_template("alfred/pick_two_obj_and_place")
    goal = instantiate(two, {"object": "Mug", "receptacle": "Cabinet"}, vocabulary)
    request = spawn_request(load_room("FloorPlan10"), goal.goal, elsewhere())
    assert request.counts["Mug"] == (2, 4)


def test_a_tuple_needs_a_place_to_start() -> None:
    """A towel fits towel holders only: it cannot be brought to one."""
    template = find_template("alfred/pick_and_place_simple")
    facts = [room_facts(name, shipped_kinds()) for name in room_names()]
    choices = possible_choices("simple", template, shipped_kinds(), facts)
    assert not [one for one in choices if dict(one.parameters)["object"] == "Towel"]


def check(episode: Episode) -> None:
    """Check what every accepted episode promises, by running its steps once more."""
    assert episode.outcome.accepted
    assert all(met for _, met in episode.outcome.conditions)
    assert {step.action for step in episode.steps} <= VOCABULARY_OF_ACTIONS
    assert episode.segments[-1].action == "NoOp"
    assert json.loads(episode.segments[-1].details) == {"action": "End", "value": 1}
    assert [step.segment for step in episode.steps] == sorted(step.segment for step in episode.steps)
    names: dict[int, list[str]] = {}
    for step in episode.steps:
        names.setdefault(step.segment, []).append(step.action)
    for number, segment in enumerate(episode.segments[:-1]):
        assert names[number], segment
        moves = all(name.endswith(("_25", "_90", "_15")) for name in names[number])
        assert moves == (segment.action == "GotoLocation")
        if segment.action in MACROS:
            short = " ".join(name.removeprefix("Toggle").replace("Object", "") for name in names[number])
            assert short.removeprefix("Open ").removesuffix(" Close") == MACROS[segment.action].removeprefix(
                "Open "
            ).removesuffix(" Close")
    world = ThorWorld()
    world.reset(episode.scene)
    for step in episode.steps:
        arguments = json.loads(step.arguments)
        event = world.step(SimulatorAction(arguments.pop("action"), arguments))
        assert event.success, (step, event.error_message)
    ends = world.scene()
    assert not any(thing.attributes.is_open and "door" in thing.traits.roles for thing in ends.objects)
    annotations = {text.annotation for text in episode.instructions}
    for annotation in annotations:
        own = [text for text in episode.instructions if text.annotation == annotation]
        assert [text.segment for text in own if text.level == "step"] == list(range(len(episode.segments) - 1))
        assert sum(text.level == "goal" for text in own) == 1


@pytest.mark.parametrize("task", sorted(settings().task_shares))
def test_an_episode_of_each_task(task: str) -> None:
    settled = config(3, seed=5, tasks=(task,))
    assignment = BENCHMARK.assign(settled, 3)[1]
    episode = BENCHMARK.episode(1, settled, assignment)
    assert episode.task == task
    check(episode)
    assert BENCHMARK.episode(1, settled, assignment) == episode


USER_TASK = """
; Leave a lid up and put a thing in the bin.
(define (task bin_it)
  (:domain household)
  (:slots ?what in (and pickupable (not piece)) ?bin in {garbagecan})
  (:where (fits ?what ?bin))
  (:goal (exists (?w - ?what ?b - ?bin) (in ?w ?b)))
  (:conditions (binned (exists (?w - ?what ?b - ?bin) (in ?w ?b))))
  (:say "Throw {a what} into the {bin}."))
"""


def test_the_users_own_template() -> None:
    text = USER_TASK.replace("{garbagecan}", "garbagecan")
    settled = GenerateConfig("alfred", 4, 1, task_files=(("bin_it.task", text),))
    assignments = BENCHMARK.assign(settled, 4)
    assert {one.task for one in assignments} == {"bin_it"}
    episode = BENCHMARK.episode(0, settled, assignments[0])
    assert dict(episode.parameters)["bin"] == "GarbageCan"
    check(episode)


def test_what_has_no_plan_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two attempts of a tuple without a plan, four of an index; a search that met its limit counts twice."""
    settled = config(1, seed=2, tasks=("pick_and_place_simple",))
    assignment = BENCHMARK.assign(settled, 1)[0]
    for spent, attempts, tuples in ((0, 4, 2), (20_000, 2, 2)):
        refusal = Rejection("plan", "no", spent)
        monkeypatch.setattr(
            "chorewright.generator.household.demonstration.RoomAttempt.demonstrate", lambda *given, r=refusal, **more: r
        )
        episode = BENCHMARK.episode(0, settled, assignment)
        assert not episode.outcome.accepted
        planned = [each for each in episode.rejections if each.endswith("plan: no")]
        assert len(planned) == attempts
        assert len(set(planned)) == tuples


def test_what_has_no_room_is_not_spawned_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two spawns of each filling fail; a carrier without room to start where it is wanted has two for all objects."""
    settled = config(1, seed=2, tasks=("pick_and_place_with_movable_recep",))
    assignment = BENCHMARK.assign(settled, 1)[0]

    def full(*_: object) -> None:
        raise NoRoom("only 0 of 1 Bowl could be placed")

    monkeypatch.setattr("chorewright.generator.alfred.benchmark.spawn", full)
    tried: list[AlfredAttempt] = []
    for candidate in BENCHMARK.candidates(settled, assignment, np.random.default_rng(0), tried):
        tried.append(BENCHMARK.attempt(settled, candidate))
    fillings = {tuple(kind for name, kind in each.candidate.parameters if name != "object") for each in tried}
    assert len(tried) == SPAWN_FAILURES * len(fillings)


def test_an_impossible_attempt_says_why() -> None:
    """What always fails is tried with two spawns, then others are; every rejection has its reason."""
    settled = config(1, seed=2, tasks=("pick_and_place_simple",))
    assignment = BENCHMARK.assign(settled, 1)[0]
    bathroom = next(name for name in room_names() if room_kind(name) == "bathroom")
    impossible = replace(assignment, scene=bathroom, parameters=(("object", "Towel"), ("receptacle", "TowelHolder")))
    episode = BENCHMARK.episode(0, settled, impossible)
    assert len(episode.rejections) >= SPAWN_FAILURES
    assert all(": " in reason for reason in episode.rejections)
    assert episode.outcome.accepted
    assert episode.attempts == len(episode.rejections) + 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": ("red",)}, "no option"),
        ({"scenes": ("FloorPlan99",)}, "no room"),
        ({"splits": ("holiday",)}, "no split"),
        ({"tasks": ("fly",)}, "no task"),
        ({"annotations": ("many",)}, "annotations"),
        ({"scenes": ("FloorPlan401",), "tasks": ("pick_heat_then_place_in_recep",)}, "none of the tasks"),
        ({"scenes": ("FloorPlan1",), "splits": ("valid_unseen",)}, "none of the tasks"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ChorewrightError, match=message) as caught:
        BENCHMARK.assign(config(3, **options), 3)
    assert isinstance(caught.value, UsageError) or "no task" in message


def test_the_domain_is_the_shipped_one() -> None:
    assert household_domain().name == "household"


SCRIPT = """
import hashlib
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.dataset.config import GenerateConfig
config, benchmark = GenerateConfig("alfred", 60, 7), AlfredBenchmark()
assignments = benchmark.assign(config, 60)
text = repr(assignments) + repr(benchmark.episode(31, config, assignments[31]))
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.slow
def test_three_hash_seeds_make_the_same_episode() -> None:
    found = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.add(run.stdout.strip())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("task", "least", "most"), [("pick_and_place_simple", 4, 11), ("pick_heat_then_place_in_recep_sliced", 0, 0)]
)
def test_chance_decides_which_copy_is_fetched_but_of_what_is_cut(task: str, least: int, most: int) -> None:
    """Where it is not the nearest, the plan is dearer than the one that the planner finds by itself."""
    asked = config(12, 3, tasks=(task,))
    dearer = 0
    for assigned in BENCHMARK.assign(asked, 12):
        episode = BENCHMARK.episode(assigned.index, asked, assigned)
        own = solve_with_parts(*BENCHMARK.planning_task(episode), Limits(evaluations=settings().evaluations))
        assert isinstance(own, Plan)
        dearer += episode.plan_cost > own.cost
    assert least <= dearer <= most
