"""The physics of the table: vectors, actions, lights, contacts, determinism; against CALVIN's own numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import MissingExtra, UsageError
from chorewright.problems.calvin.scenes import SCENES, TabletopState, concrete, initial_states, scene
from chorewright.replay.calvin import actions, arm, engine
from chorewright.replay.calvin.actions import Action, ArmTarget
from chorewright.replay.calvin.shapes import table_links
from chorewright.replay.calvin.world import TableObservation, TabletopWorld
from tests.command import environment

bullet = pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")

RANDOM = 20260101


@pytest.fixture(scope="module")
def world() -> Iterator[TabletopWorld]:
    with TabletopWorld(scene("D")) as made:
        yield made


def bytes_of(seen: TableObservation) -> bytes:
    return seen.robot_obs.tobytes() + seen.scene_obs.tobytes()


def stirred(world: TabletopWorld, steps: int = 60) -> bytes:
    """Stir the blocks with the open and closing hand; everything that was seen."""
    rng = np.random.default_rng(RANDOM)
    seen = world.reset()
    found = []
    for step in range(steps):
        move = rng.uniform(-0.6, 0.6, 6)
        move[:3] += (0.15, 0.45, -0.6) if step < 25 else 0.0
        seen = world.step([*move, 1.0 if step % 20 < 10 else -1.0])
        found.append(bytes_of(seen) + repr(sorted(world.snapshot().robot_contacts)).encode())
    return b"".join(found)


def test_the_published_start_gives_the_published_numbers(world: TabletopWorld) -> None:
    record = json.loads(sample("calvin/initial_states_192.json").read_text())
    for entry in record["states"][::32]:
        seen = world.reset(record["robot_obs"], entry["scene_obs"])
        assert np.abs(seen.robot_obs - record["robot_obs"]).max() < 2e-5
        assert np.abs(seen.scene_obs - entry["scene_obs"]).max() < 1e-3


@pytest.mark.parametrize("name", SCENES)
def test_every_block_rests_where_the_initial_state_says(name: str) -> None:
    with TabletopWorld(scene(name)) as made:
        for state in initial_states()[::24]:
            made.reset(*concrete(state, scene(name)))
            for _ in range(10):
                seen = made.step((*np.zeros(6), 1))
            now = made.snapshot()
            for colour in ("red", "blue", "pink"):
                link = "base_link" if getattr(state, f"{colour}_block") == "table" else "plank_link"
                assert now.blocks[f"block_{colour}"].contacts == {("table", link)}
            assert now.lights == {"lightbulb": state.lightbulb, "led": state.led}
            assert np.abs(seen.scene_obs - concrete(state, scene(name))[1]).max() < 2e-3


def test_same_actions_give_the_same_bytes_in_old_and_new_worlds(world: TabletopWorld) -> None:
    first = stirred(world)
    with TabletopWorld(scene("D")) as other:
        other.reset()
        assert stirred(other) == first
    assert stirred(world) == first


def test_worlds_in_one_process_do_not_disturb_each_other(world: TabletopWorld) -> None:
    alone = stirred(world, 20)
    with TabletopWorld(scene("B")) as other:
        rng, found = np.random.default_rng(RANDOM), []
        world.reset()
        for step in range(20):
            move = rng.uniform(-0.6, 0.6, 6)
            move[:3] += (0.15, 0.45, -0.6)
            seen = world.step([*move, 1.0 if step % 20 < 10 else -1.0])
            other.step([0.5, 0.5, -0.5, 0, 0, 0, 1])
            found.append(bytes_of(seen) + repr(sorted(world.snapshot().robot_contacts)).encode())
    assert b"".join(found) == alone


def test_reset_restores_any_state(world: TabletopWorld) -> None:
    stirred(world)
    seen = world.observation()
    world.reset()
    again = world.reset(seen.robot_obs, seen.scene_obs)
    assert np.abs(again.robot_obs - seen.robot_obs).max() < 5e-3
    assert np.abs(again.scene_obs[:6] - seen.scene_obs[:6]).max() < 5e-3
    assert np.abs(again.scene_obs[6:].reshape(3, 6)[:, :3] - seen.scene_obs[6:].reshape(3, 6)[:, :3]).max() < 5e-3


GOAL = np.array([0.06, -0.2, 0.55, np.pi, 0.0, 1.4])


def absolute_action(form: str) -> Action:
    if form == "tuple":
        return GOAL[:3], GOAL[3:], 1
    if form == "quaternion":
        return GOAL[:3], np.array(bullet.getQuaternionFromEuler(GOAL[3:])), 1
    return {"type": "cartesian_abs", "action": np.array([*GOAL, 1.0])}


@pytest.mark.parametrize("form", ["tuple", "quaternion", "cartesian_abs"])
def test_every_absolute_form_leads_to_the_pose(world: TabletopWorld, form: str) -> None:
    world.reset()
    for _ in range(40):
        seen = world.step(absolute_action(form))
    assert np.abs(seen.robot_obs[:3] - GOAL[:3]).max() < 1e-3
    assert np.abs((seen.robot_obs[3:6] - GOAL[3:] + np.pi) % (2 * np.pi) - np.pi).max() < 5e-3


def test_relative_actions_add_to_the_running_target(world: TabletopWorld) -> None:
    start = world.reset().robot_obs
    for _ in range(10):
        world.step([0.5, -0.25, 0.0, 0.0, 0.0, -0.4, 1])
    for _ in range(30):
        seen = world.step({"type": "cartesian_rel", "action": [0, 0, 0, 0, 0, 0, 1]}).robot_obs
    assert np.abs(seen[:3] - start[:3] - [0.1, -0.05, 0.0]).max() < 1e-3
    assert seen[5] - start[5] == pytest.approx(-0.2, abs=5e-3)


def test_joint_actions_set_joints(world: TabletopWorld) -> None:
    start = world.reset().robot_obs[7:14]
    wanted = start + np.array([0.1, -0.1, 0.05, 0.1, 0.0, -0.1, 0.2])
    for _ in range(40):
        seen = world.step({"type": "joint_abs", "action": [*wanted, 1]}).robot_obs
    assert np.abs(seen[7:14] - wanted).max() < 2e-3
    after = world.step({"type": "joint_rel", "action": [*[0.0] * 6, -0.05, -1]}).robot_obs
    assert -0.05 < after[13] - seen[13] < -0.01
    assert after[14] == -1


@pytest.mark.parametrize(
    "action",
    [
        [0.0] * 6,
        [0.0] * 8,
        [0.0] * 7,
        [0.0, 0.0, float("nan"), 0.0, 0.0, 0.0, 1],
        ["a"] * 7,
        ([0.0] * 3, [0.0] * 5, 1),
        ([0.0] * 3, [0.0] * 4, 1),
        ([0.0] * 3, [0.0] * 3, 0.5),
        {"type": "joint_abs", "action": [0.0] * 7},
        {"type": "velocity", "action": [0.0] * 7},
        {"action": [0.0] * 7},
    ],
)
def test_what_is_no_action_is_refused(world: TabletopWorld, action: Action) -> None:
    with pytest.raises(UsageError):
        world.step(action)


@pytest.mark.parametrize(("robot", "table"), [([0.0] * 14, None), (None, [0.0] * 25), (None, [np.nan] * 24)])
def test_what_is_no_state_is_refused(
    world: TabletopWorld, robot: list[float] | None, table: list[float] | None
) -> None:
    with pytest.raises(UsageError):
        world.reset(robot, table)


def test_the_led_changes_when_the_button_passes_half_its_travel_and_not_again(world: TabletopWorld) -> None:
    world.reset()
    x, y, z = scene("D").joints["base__button"].origin
    heights = (0.1, *[0.06] * 30, *[0.012] * 25, *[0.06] * 25, *[0.012] * 25)
    lit, pressed = [], []
    for height in heights:
        seen = world.step(([x, y, z + height], [np.pi, 0, 1.5], -1)).scene_obs
        lit.append(int(seen[5]))
        pressed.append(bool(seen[2] > 0.01))
    edges = [now and not before for before, now in zip([False, *pressed], pressed, strict=False)]
    assert sum(edges) == 2
    assert [sum(edges[: step + 1]) % 2 for step in range(len(edges))] == lit


@pytest.mark.parametrize(("opening", "burns"), [(0.0, 0), (0.04, 0), (0.048, 1), (0.088, 1)])
def test_the_bulb_burns_while_its_switch_is_past_half(world: TabletopWorld, opening: float, burns: int) -> None:
    robot, table = concrete(TabletopState(pink_block="slider_right"), scene("D"))
    table[3] = opening
    world.reset(robot, table)
    assert world.step((*np.zeros(6), 1)).scene_obs[4] == burns


@pytest.mark.parametrize("name", SCENES)
def test_the_joints_stop_at_the_ends_of_the_reference(name: str) -> None:
    facts = json.loads(sample("calvin/scenes.json").read_text())[name]
    with TabletopWorld(scene(name)) as made:
        for joint, number in made._bodies.joints.items():
            if "fixed" in joint:
                continue
            info = bullet.getJointInfo(made._bodies.table, number, physicsClientId=made._client)
            assert info[8:10] == pytest.approx(facts[joint]["range_m"])
    order = [list(pair) for pair in facts["movable_order"]]
    assert [[block.name, block.size] for block in scene(name).blocks] == order


def test_the_links_have_calvins_names() -> None:
    names = [link.name for link in table_links(scene("D"))]
    assert names[0] == "base_link"
    assert {"plank_link", "drawer_link", "slide_link", "switch_link", "button_link"} <= set(names)


def test_forward_kinematics_agree_with_bullet(world: TabletopWorld) -> None:
    rng = np.random.default_rng(RANDOM)
    rest = np.array(scene("D").robot_obs[7:14])
    robot, table = world.observation().robot_obs, world.observation().scene_obs
    for _ in range(20):
        robot[7:14] = rest + rng.uniform(-0.3, 0.3, 7)
        robot[:6] = 0.0
        seen = world.reset(robot, table).robot_obs
        position, rotation = arm.tool_pose(seen[7:14])
        assert np.abs(position - seen[:3]).max() < 1e-5
        assert np.abs(rotation - arm.rotation_from_euler(seen[3:6])).max() < 1e-5
        assert np.abs(arm.rotation_from_euler(arm.euler_from_rotation(rotation)) - rotation).max() < 1e-9
        quaternion = bullet.getQuaternionFromEuler(seen[3:6])
        assert np.abs(arm.rotation_from_quaternion(quaternion) - rotation).max() < 1e-5


def test_inverse_kinematics_reach_what_forward_kinematics_give() -> None:
    rng, rest = np.random.default_rng(RANDOM), np.array(scene("D").robot_obs[7:14])
    for _ in range(30):
        wanted = rest + rng.uniform(-0.25, 0.25, 7)
        pose = arm.tool_pose(wanted)
        found = arm.tool_pose(arm.joints_for(pose, rest, rest))
        assert np.abs(found[0] - pose[0]).max() < 1e-3
        assert np.abs(found[1] - pose[1]).max() < 5e-3


def test_relative_is_the_difference_of_targets_the_shorter_way_round() -> None:
    one = ArmTarget(np.array([0.0, 0.0, 0.5]), np.array([3.1, 0.0, 1.5]))
    other = ArmTarget(np.array([0.01, 0.0, 0.49]), np.array([-3.15, 0.0, 1.54]))
    assert actions.relative(one, other, -1) == pytest.approx([0.5, 0.0, -0.5, (2 * np.pi - 6.25) / 0.05, 0.0, 0.8, -1])
    assert actions.absolute(other, 1) == pytest.approx([0.01, 0.0, 0.49, -3.15, 0.0, 1.54, 1])


def test_without_pybullet_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(MissingExtra) as caught:
        engine.engine()
    assert "[calvin]" in str(caught.value.hint)


def test_nothing_reaches_stdout_and_no_hash_seed_matters() -> None:
    program = (
        "import hashlib, sys; from tests.replay.calvin.test_world import *; "
        "w = TabletopWorld(scene('D')); print(hashlib.sha256(stirred(w, 15)).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment({"PYTHONHASHSEED": seed}),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "7")
    }
    assert len(found) == 1
    assert len(found.pop().split()) == 1
