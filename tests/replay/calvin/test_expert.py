"""The scripted expert: the detector sees its tasks done, its commands stay in bounds and replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import UsageError
from chorewright.generator.calvin.trial import forms, replay, run_chain
from chorewright.problems.calvin.published import find_published_chains
from chorewright.problems.calvin.scenes import SCENES, TabletopState, concrete, parse_state, scene, state_of_record
from chorewright.replay.calvin.actions import RELATIVE_METRES, relative
from chorewright.replay.calvin.expert import SKILLS, Expert
from chorewright.replay.calvin.handling import numbers_for, skill_of
from chorewright.replay.calvin.motion import Hand, Manner, reachable_yaw
from chorewright.replay.calvin.snapshot import tasks_done
from chorewright.replay.calvin.world import TabletopWorld

pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")

START = TabletopState(pink_block="slider_left")
SIDES = ("slider_left", "slider_right")
CHAIN = ("turn_on_led", "open_drawer", "lift_pink_block_slider", "place_in_drawer")


@pytest.fixture(scope="module")
def world() -> Iterator[TabletopWorld]:
    with TabletopWorld(scene("D")) as made:
        yield made


def test_every_task_has_a_skill() -> None:
    model = json.loads(sample("calvin/symbolic_task_model.json").read_text())
    skills = {task: skill_of(task) for task in model["tasks"]}
    assert {skill[0] for skill in skills.values()} == set(SKILLS)
    with pytest.raises(UsageError, match="no tabletop task 'open_window'"):
        skill_of("open_window")


def test_a_chain_is_done_within_bounds_in_one_stream_of_commands(world: TabletopWorld) -> None:
    seen = world.reset(*concrete(START, scene("D")))
    expert, numbers = Expert(world), numbers_for("D")
    before, checked = expert.target, 0
    assert np.abs(before.position - seen.robot_obs[:3]).max() == 0
    for task in CHAIN:
        attempt = expert.perform(task)
        assert (attempt.success, attempt.kept, attempt.reason, attempt.tries) == (True, True, "", 1), task
        assert attempt.done_after is not None
        assert attempt.done_after <= len(attempt.frames) <= numbers["step_limit"]
        for frame in attempt.frames:
            move = relative(before, frame.target, frame.gripper)
            assert np.abs(move[:6]).max() <= 0.95, (task, move)
            assert np.linalg.norm(move[:3]) * RELATIVE_METRES <= numbers["speed"] + 1e-9
            before, checked = frame.target, checked + 1
    assert checked > 250
    now = world.snapshot()
    assert now.robot_contacts == frozenset()
    assert now.blocks["block_pink"].contacts == {("table", "drawer_link")}


BESIDE_BUTTON = (-0.052, -0.114)
PUSHED = ("push_red_block_left", "rotate_red_block_right", "rotate_pink_block_left", "push_pink_block_right")


@pytest.mark.parametrize("task", PUSHED)
def test_what_is_pushed_or_turned_is_let_go_before_it_counts(world: TabletopWorld, task: str) -> None:
    """So that a task that asks for an untouched block may begin at that instant."""
    name = f"block_{task.split('_')[1]}"
    start = concrete(TabletopState(blue_block="slider_left"), scene("D"))
    world.reset(*start)
    before = world.snapshot().blocks[name].position
    attempt = Expert(world).perform(task)
    assert attempt.success
    assert attempt.done_after is not None
    counted = attempt.frames[attempt.done_after].snapshot.blocks[name]
    assert counted.contacts == {("table", "base_link")}
    after = world.snapshot().blocks[name].position
    assert abs(after[0] - before[0]) < 0.13, "it has not slid far"


def test_tasks_may_begin_at_the_instant_of_detection(world: TabletopWorld) -> None:
    tasks = ("push_pink_block_right", "push_into_drawer")
    start = TabletopState(drawer="open", red_block="slider_left", blue_block="slider_right")
    world.reset(*concrete(start, scene("D")))
    expert = Expert(world, from_detection=True)
    first, second = (expert.perform(task) for task in tasks)
    assert (first.success, second.success) == (True, True)
    assert first.done_after is not None
    assert second.done_after is not None
    drawn_back = len(first.frames) - first.done_after
    at_once = [frame.snapshot for frame in (*first.frames, *second.frames)]
    counted = first.done_after + second.done_after
    assert tasks_done(at_once[first.done_after], at_once[counted], tasks[1:]) == {tasks[1]}
    assert second.done_after > drawn_back > 10


@pytest.mark.parametrize("number", [47, 96])
def test_an_unstacked_block_lies_on_the_table_when_it_counts_as_unstacked(world: TabletopWorld, number: int) -> None:
    """So that the next task of the chain may lift or push it from there."""
    chain = find_published_chains()[number]
    world.reset(*concrete(chain.initial_state, scene("D")))
    expert = Expert(world, from_detection=True)
    attempts = [expert.perform(task) for task in chain.sequence]
    assert all(attempt.success for attempt in attempts), [attempt.reason for attempt in attempts]
    assert chain.sequence[-2] == "unstack_block"
    at_once = [frame.snapshot for attempt in attempts for frame in attempt.frames]
    seen = at_once[sum(attempt.done_after or 0 for attempt in attempts[:-1])]
    block = seen.blocks["block_" + chain.sequence[-1].split("_")[1]]
    assert ("table", "base_link") in block.contacts
    assert not block.touches & frozenset(seen.blocks)


@pytest.mark.parametrize("name", ["block_red", "block_pink"])
def test_fingers_keep_off_the_button(world: TabletopWorld, name: str) -> None:
    colour = name.removeprefix("block_")
    others = sorted({"red", "blue", "pink"} - {colour})
    state = parse_state(",".join(f"{other}_block={place}" for other, place in zip(others, SIDES, strict=True)))
    robot_obs, scene_obs = concrete(state, scene("D"))
    place = 6 + 6 * [block.name for block in scene("D").blocks].index(name)
    scene_obs[place : place + 2] = BESIDE_BUTTON
    world.reset(robot_obs, scene_obs)
    attempt = Expert(world).perform(f"lift_{colour}_block_table")
    assert (attempt.kept, attempt.tries) == (True, 1)
    assert {frame.snapshot.lights["led"] for frame in attempt.frames} == {0}


def test_a_block_at_the_end_of_reach_is_brought_back(world: TabletopWorld) -> None:
    robot_obs, scene_obs = concrete(TabletopState(blue_block="slider_left"), scene("D"))
    scene_obs[6:8] = (0.385, -0.11)
    world.reset(robot_obs, scene_obs)
    attempt = Expert(world).perform("push_red_block_left")
    assert (attempt.kept, attempt.tries) == (True, 1)


def test_what_was_commanded_replays_open_loop(world: TabletopWorld) -> None:
    start = concrete(START, scene("D"))
    trial = run_chain(world, start, CHAIN)
    assert trial.reason == ""
    commands = forms(trial.frames)
    for form in ("commanded_actions", "commanded_rel_actions"):
        assert replay(world, start, trial.runs, commands[form]()) == "", form
    still = [((0.03, -0.23, 0.57), (np.pi, 0.0, 1.5), 1)] * len(trial.frames)
    assert replay(world, start, trial.runs, still) == "turn_on_led is not done again"


def test_the_expert_is_deterministic(world: TabletopWorld) -> None:
    found = set()
    for _ in range(2):
        world.reset(*concrete(START, scene("D")))
        attempt = Expert(world).perform("open_drawer")
        found.add(b"".join(frame.observation.scene_obs.tobytes() for frame in attempt.frames))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("place_in_drawer", "no block is in the hand"),
        ("stack_block", "no block is in the hand"),
        ("unstack_block", "no block rests on another"),
        ("push_into_drawer", "the drawer is shut"),
    ],
)
def test_what_cannot_be_begun_fails_with_the_reason(world: TabletopWorld, task: str, reason: str) -> None:
    world.reset(*concrete(START, scene("D")))
    attempt = Expert(world).perform(task)
    assert (attempt.success, attempt.done_after, attempt.reason) == (False, None, reason)


def test_a_skill_is_tried_again_and_out_of_steps_ends_it(world: TabletopWorld) -> None:
    world.reset(*concrete(START, scene("D")))
    attempt = Expert(world).perform("open_drawer")
    assert attempt.success
    again = Expert(world).perform("open_drawer")  # it is open: nothing can be seen done
    assert (again.success, again.tries > 1) == (False, True)
    assert again.reason


def test_a_block_that_was_falling_is_raised_from_where_it_was(world: TabletopWorld) -> None:
    """It touched the drawer's edge when it counted as pushed in, and the lift counts from there."""
    world.reset(*concrete(TabletopState(drawer="open", red_block="drawer", blue_block="slider_left"), scene("D")))
    for _ in range(15):
        world.step([0, 0, 0, 0, 0, 0, 1])
    now = world.snapshot()
    block = now.blocks["block_red"]
    high = replace(block, position=(*block.position[:2], block.position[2] + 0.055))
    start = replace(now, blocks={**now.blocks, "block_red": high})
    attempt = Expert(world).perform("lift_red_block_drawer", start)
    assert (attempt.kept, attempt.tries) == (True, 1)


def test_in_other_manners_the_switch_goes_with_the_hand_step_by_step(world: TabletopWorld) -> None:
    for seed in range(4):
        world.reset(*concrete(TabletopState(red_block="slider_left"), scene("D")))
        manner = Manner(noise=0.01, speeds=(0.7, 1.4), holds=False, varied=True, seed=seed)
        attempt = Expert(world, manner=manner).perform("turn_on_lightbulb")
        assert (attempt.kept, attempt.tries) == (True, 1)
        switch = np.array([frame.observation.scene_obs[3] for frame in attempt.frames])
        assert np.diff(switch).max() < 0.03


def test_a_held_block_is_held_after_reset(world: TabletopWorld) -> None:
    world.reset(*concrete(START, scene("D")))
    assert Expert(world).perform("lift_red_block_table").kept
    seen = world.observation()
    world.reset()
    world.reset(seen.robot_obs, seen.scene_obs)
    pose = (seen.robot_obs[:3], seen.robot_obs[3:6], -1)
    for _ in range(30):
        now = world.step(pose)
    assert world.snapshot().blocks["block_red"].touches == {"robot"}
    assert np.abs(now.scene_obs[6:9] - seen.scene_obs[6:9]).max() < 2e-3


def test_an_unknown_task_is_refused(world: TabletopWorld) -> None:
    with pytest.raises(UsageError, match="open_window"):
        Expert(world).perform("open_window")


@pytest.mark.parametrize("yaw", np.linspace(-10, 10, 41).tolist())
def test_a_reachable_yaw_is_the_same_direction_within_half_a_turn(yaw: float) -> None:
    found = reachable_yaw(yaw, 1.5)
    assert abs(found - 1.5) <= np.pi + 1e-9
    assert np.cos(found - yaw) == pytest.approx(1.0)


def test_the_hand_moves_in_a_straight_line(world: TabletopWorld) -> None:
    world.reset()
    expert = Expert(world)
    hand = Hand(world, expert.numbers.single, (expert.target, 1))
    hand.begin("open_drawer")
    start, goal = hand.target.position, np.array([0.1, -0.2, 0.6])
    hand.go(goal, yaw=1.5)
    way = (goal - start) / np.linalg.norm(goal - start)
    for frame in hand.frames:
        offset = frame.target.position - start
        assert np.abs(offset - way * (offset @ way)).max() < 1e-9
    assert np.abs(hand.tool - goal).max() < 5e-3


@pytest.mark.parametrize(
    ("task", "place", "moved"), [("push_red_block_right", 6, 0.0999), ("push_blue_block_left", 12, -0.0999)]
)
def test_a_push_that_was_left_short_is_ended(task: str, place: int, moved: float, world: TabletopWorld) -> None:
    robot, table = concrete(START, scene("D"))
    world.reset(robot, table)
    start = world.snapshot()
    table = table.copy()
    table[place] += moved
    world.reset(robot, table)
    attempt = Expert(world).perform(task, start)
    assert (attempt.success, attempt.tries) == (True, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_published_chains_are_done_in_every_scene(name: str) -> None:
    published = json.loads(sample("calvin/sequences_1000.json").read_text())[:12]
    lengths = []
    with TabletopWorld(scene(name)) as made:
        for number, record in enumerate(published):
            state = state_of_record(record["initial_state"], "sequences_1000.json", f"$[{number}]")
            trial = run_chain(made, concrete(state, scene(name)), record["sequence"])
            lengths.append(len(trial.runs))
    assert lengths.count(5) >= 11, lengths
