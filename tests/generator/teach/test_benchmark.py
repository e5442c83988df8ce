"""TEACh's benchmark: sessions that replay to what they say, rejections, shares, determinism, every task."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.compiler import compile_goal
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check, progress_json
from chorewright.errors import ChorewrightError, InputError, UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.records import from_table, to_table
from chorewright.generator.household.demonstration import Rejection
from chorewright.generator.household.moments import call_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.teach.benchmark import TeachBenchmark
from chorewright.generator.teach.compiling import TeachProblem, compile_teach, definitions_of, plan_task
from chorewright.generator.teach.demonstration import SessionAttempt
from chorewright.generator.teach.export.exporter import documents
from chorewright.generator.teach.records import final_scene
from chorewright.generator.teach.variants import find_suitable_rooms, settings, variants
from chorewright.planner.plan import Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import room_names
from chorewright.replay.teach.world import INTERACTIONS, MOVES, TeachWorld, teach_world
from tests.domains.teach.definition_files import WASH

BENCHMARK = TeachBenchmark()
DATASET = tuple(settings().tasks)
OTHERS = {
    "Toast": "", "Clean X": "Mug", "Sliced X": "Apple", "Cooked Slice Of X": "Potato", "Omelette": "",
    "Poach Egg": "", "Toggle X All Y": "on 1 Lights", "Tutorial": "", "Candles": "", "Workspace": "1 1 1",
    "Basic Kitchen Tasks": "", "Basic Bathroom Tasks": "", "Custom Properties Kitchen Tasks": "",
}  # fmt: skip
FAST = ("Coffee", "Water Plant", "Clean All X", "Put All X On Y", "Toast", "Boil X")


def config(count: int, seed: int = 0, **options: tuple[str, ...]) -> GenerateConfig:
    return GenerateConfig("teach", count, seed, options=tuple(options.items()))


@cache
def episode(task: str, seed: int = 0) -> Episode:
    """Return the first episode of a task."""
    given = OTHERS.get(task, "")
    options = {"tasks": (task,), **({"params": (given,)} if given else {})}
    one = config(1, seed, **options)
    return BENCHMARK.episode(0, one, BENCHMARK.assign(one, 1)[0])


def assert_keeps_its_promises(one: Episode) -> None:
    """Replay a session's actions and compare what it says with what comes of them."""
    assert one.outcome.accepted, one.rejections
    task = shipped_definitions().task(one.task, [value for _, value in one.parameters])
    told = json.loads(dict(one.extras)["progress"])
    assert told["before"] == json.loads(json.dumps(progress_json(check(task, teach_world(one.room)))))
    assert not told["before"]["success"]
    world = TeachWorld()
    world.reset(one.room)
    time = -1.0
    for step in one.steps:
        arguments = json.loads(step.arguments)
        known = MOVES.get(step.action) or INTERACTIONS[step.action]
        assert arguments["id"] == known.number
        assert arguments["time"] > time
        time = arguments["time"]
        event = world.step(call_of(step.action, step.arguments))
        assert event.success == step.success, event.error_message
        if step.action in INTERACTIONS:
            assert 0.0 <= arguments["x"] < 1.0
            assert 0.0 <= arguments["y"] < 1.0
        agent = world.metadata()["agent"]
        assert isinstance(agent, dict)
        place, turn = agent["position"], agent["rotation"]
        assert arguments["pose"] == [place["x"], pytest.approx(place["y"], abs=1e-4), place["z"],
                                     agent["cameraHorizon"], turn["y"], 0.0]  # fmt: skip
    assert world.scene() == final_scene(one)
    progress = check(task, teach_world(world.scene()))
    assert progress.success
    assert told["after"] == json.loads(json.dumps(progress_json(progress)))
    assert all(holds for _, holds in one.outcome.conditions)
    segments = [step.segment for step in one.steps]
    assert segments == sorted(segments)
    assert segments[-1] < len(one.segments)
    dialogue = json.loads(dict(one.extras)["dialogue"])
    for number in (number for number, step in enumerate(one.steps) if not step.success):
        after = [act for entry in dialogue if entry["before"] == number + 1 for act, _ in entry.get("acts", ())]
        assert "NotifyFailure" in after  # what fails is talked about
    spoken = [entry for entry in dialogue if entry["action"] == "Text"]
    assert [entry["text"] for entry in spoken] == [each.text for each in one.instructions]
    assert {0} <= {entry["agent"] for entry in spoken} <= {0, 1}  # a Follower may act without a word
    times = [(entry["time"], entry["duration"]) for entry in dialogue]
    times += [(told["time"], told["duration"]) for told in (json.loads(step.arguments) for step in one.steps)]
    times.sort()
    for (start, lasts), (after, _) in pairwise(times):
        assert start + lasts <= after + 1e-6  # one thing at a time
    for entry in dialogue:
        following = one.steps[entry["before"] :][:1]
        assert all(entry["time"] < json.loads(step.arguments)["time"] for step in following)


@pytest.mark.parametrize("task", FAST)
def test_sessions_keep_their_promises(task: str) -> None:
    assert_keeps_its_promises(episode(task))


@pytest.mark.slow
@pytest.mark.parametrize("task", [name for name in (*DATASET, *OTHERS) if name not in FAST])
@pytest.mark.parametrize("seed", [0, 1])
def test_sessions_of_all_25_tasks_keep_their_promises(task: str, seed: int) -> None:
    assert_keeps_its_promises(episode(task, seed))


def test_all_25_tasks_are_named() -> None:
    assert {*DATASET, *OTHERS} == {*shipped_definitions().names}
    assert len(DATASET) == 12


def test_an_episode_is_stored_and_read_without_loss() -> None:
    one = episode("Coffee")
    assert next(from_table(to_table([one]), shipped_kinds())) == one
    assert isinstance(BENCHMARKS.find("teach"), TeachBenchmark)


def test_a_dataset_stands_beside_the_paper() -> None:
    one = episode("Coffee")
    found = {each.label: (each.ours, each.paper) for each in BENCHMARK.paper_figures([one])}
    texts = [each for each in json.loads(dict(one.extras)["dialogue"]) if each["action"] == "Text"]
    assert found["utterances a session"] == (f"{len(texts):.2f}", "13.67")
    assert found["actions of the Follower"] == (f"{len(one.steps):.1f}", "131.8")


def test_the_same_index_gives_the_same_episode_and_other_seeds_others() -> None:
    one = config(1, tasks=("Coffee",))
    again = TeachBenchmark().episode(0, one, BENCHMARK.assign(one, 1)[0])
    assert again == episode("Coffee")
    assert episode("Coffee", 1).room != again.room


def test_shares_of_tasks_and_splits() -> None:
    """Table 2's sessions and Table 3's splits, within one of the exact share."""
    count = 1200
    found = BENCHMARK.assign(config(count), count)
    assert found[:50] == BENCHMARK.assign(config(50), 50)
    splits = Counter(one.split for one in found)
    shares = settings().split_shares
    for split, share in shares.items():
        assert abs(splits[split] - count * share / sum(shares.values())) <= 2
    rules = settings().tasks
    for split in ("train", "valid_seen", "test_seen"):
        own = Counter(one.task for one in found if one.split == split)
        whole = sum(rule.share for rule in rules.values())
        for task, rule in rules.items():
            assert abs(own[task] - splits[split] * rule.share / whole) <= 2, (split, task)
    for one in found:
        for split, rooms in settings().folds.items():
            assert (one.split == split) == (one.scene in rooms)
        assert one.scene in find_suitable_rooms(one.task, tuple(value for _, value in one.parameters))
    assert len({one.scene for one in found}) >= 100  # 109 in the paper
    seen: Counter[object] = Counter()
    for one in found:
        key = (one.task, one.parameters, one.scene)
        assert one.repeat == seen[key]
        seen[key] += 1
    salads = Counter(one.parameters for one in found if one.task == "Salad" and one.split == "train")
    assert max(salads.values()) - min(salads.values()) <= 1
    assert len(salads) == len(variants("Salad"))


def coffee() -> TeachProblem:
    return compile_teach("Coffee", (), "FloorPlan10", 0)


def test_rejections_name_the_stage() -> None:
    compiled = coffee()
    plan = plan_task(compiled)
    assert isinstance(plan, Plan)
    done = SessionAttempt(compiled).replay(plan)
    assert not isinstance(done, Rejection)
    assert not done.begun.success
    assert done.ended.success
    short = SessionAttempt(compiled).replay(replace(plan, actions=plan.actions[:-2]))
    assert isinstance(short, Rejection)
    assert short.stage == "check"
    swapped = (*plan.actions[1:], plan.actions[0])
    wrong = SessionAttempt(compiled).replay(replace(plan, actions=swapped))
    assert isinstance(wrong, Rejection)
    assert wrong.stage in ("replay", "check")
    for answer, reason in [
        (Unsolvable("there is no mug"), "plan: there is no mug"),
        (_out_of_limits(compiled), "plan: out of evaluations"),
    ]:
        rejected = SessionAttempt(compiled, planner=lambda one, limits, answer=answer: answer).demonstrate()
        assert str(rejected).startswith(reason)
    final = replace(compiled, scene=done.execution.final)
    assert str(SessionAttempt(final).demonstrate()) == "start: the task is done already"


def _out_of_limits(compiled: TeachProblem) -> OutOfLimits:
    answer = solve(compiled.domain, compiled.problem, Limits(evaluations=1))
    assert isinstance(answer, OutOfLimits)
    return answer


def test_an_index_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    one = config(1, tasks=("Coffee",))
    monkeypatch.setattr(
        "chorewright.generator.teach.demonstration.SessionAttempt.demonstrate", lambda attempt: Rejection("plan", "no")
    )
    failed = BENCHMARK.episode(0, one, BENCHMARK.assign(one, 1)[0])
    assert not failed.outcome.accepted
    assert failed.outcome.reason == "plan: no"
    assert len(failed.rejections) == settings().seeds_per_variant
    assert next(from_table(to_table([failed]), shipped_kinds())) == failed


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"colour": ("red",)}, "no option --colour"),
        ({"tasks": ("Cofee",)}, "Cofee"),
        ({"scenes": ("FloorPlan99",)}, "no room 'FloorPlan99'"),
        ({"splits": ("tests",)}, "no split 'tests'"),
        ({"tasks": ("Workspace",)}, "no rule for the 3 parameters"),
        ({"params": ("1 1",)}, "parameters belong to one task"),
        ({"tasks": ("Sandwich",), "params": ("1",)}, "takes 2 parameters"),
        ({"tasks": ("Coffee",), "scenes": ("FloorPlan401",)}, "none of the tasks is possible"),
        ({"tasks": ("Clean X",), "params": ("Spaceship",)}, "Spaceship"),
    ],
)
def test_wrong_options(options: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(ChorewrightError, match=says):
        BENCHMARK.assign(config(3, **options), 3)
    with pytest.raises(UsageError, match="goal template"):
        BENCHMARK.assign(replace(config(3), task_files=(("a.task", "()"),)), 3)


def test_own_definitions_are_part_of_the_configuration() -> None:
    """Own tasks come alone unless others are asked for; an own task of a known name takes its place."""
    wash = json.dumps({**WASH, "task_id": 990, "task_name": "Rinse"})
    own = replace(config(2, params=("Mug",)), task_files=(("rinse.json", wash),))
    assert [each.task for each in BENCHMARK.assign(own, 2)] == ["Rinse", "Rinse"]
    one = BENCHMARK.episode(0, own, BENCHMARK.assign(own, 2)[0])
    assert one.outcome.accepted, one.rejections
    assert GenerateConfig.from_json(own.to_json()) == own
    names = {path[0] for path, _ in documents(one, definitions_of(own))}
    assert {"games", "tfd_instances"} <= names
    with pytest.raises(InputError, match="no TEACh task 'Rinse'"):
        documents(one)
    put = json.dumps({**WASH, "task_id": 110, "task_name": "Put All X On Y"})
    other = replace(config(1, params=("Mug",), tasks=("put-all-x-on-y",)), task_files=(("put.json", put),))
    assert BENCHMARK.episode(0, other, BENCHMARK.assign(other, 1)[0]).outcome.accepted


def test_every_room_serves_some_task() -> None:
    used = {
        room
        for name in ("Put All X On Y", "Coffee")
        for params in variants(name)
        for room in find_suitable_rooms(name, params)
    }
    assert used == {*room_names()}


@pytest.mark.slow
def test_all_variants_compile() -> None:
    for name in DATASET:
        for params in variants(name):
            assert compile_goal(shipped_definitions().task(name, params), household_vocabulary())


SCRIPT = """
import hashlib
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.teach.benchmark import TeachBenchmark
config, benchmark = GenerateConfig("teach", 60, 7), TeachBenchmark()
assignments = benchmark.assign(config, 60)
text = repr(assignments) + "".join(repr(benchmark.episode(one, config, assignments[one])) for one in (4, 31))
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.slow
def test_three_hash_seeds_make_the_same_episodes() -> None:
    found = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.add(run.stdout.strip())
    assert len(found) == 1


def test_a_user_s_kinds_are_things_of_tasks_too() -> None:
    kinds = """{"Thermos": {"affordances": ["pickupable"], "fits": ["CounterTop", "Fridge"], "rooms": ["kitchen"]}}"""
    options = (("params", ("Thermos in Fridge",)), ("tasks", ("put-all-x-on-y",)))
    one = GenerateConfig("teach", 1, 1, options=options, task_files=(("kinds/thermos.json", kinds),))
    (assignment,) = BENCHMARK.assign(one, 1)
    made = BENCHMARK.episode(0, one, assignment)
    assert made.outcome.accepted
    assert made.domain_sha256 == made.room.kinds.domain_sha256 != shipped_kinds().domain_sha256
    assert any(step.action == "Place" and "Fridge" in step.arguments for step in made.steps)
    with pytest.raises(UsageError, match="Thermos"):
        BENCHMARK.assign(replace(one, task_files=()), 1)
