"""Sessions whose Commander has a body: where it stands, what it does, how they are stored, exported and played."""

from __future__ import annotations

import json
from functools import cache
from math import hypot

import numpy as np
import pytest

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.records import from_table, to_table
from chorewright.generator.teach.benchmark import TeachBenchmark, read_problem
from chorewright.generator.teach.dialogue import NAME, NEAREST, commander_pose, start_scene, with_commander
from chorewright.generator.teach.export.exporter import documents
from chorewright.problems.household.free_space import largest_component
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID
from chorewright.problems.household.spawn import NoRoom
from chorewright.replay.teach.world import MOVES
from tests.generator.teach.test_wrapper import assert_plays

BENCHMARK = TeachBenchmark()
FAST = ("Coffee", "Water Plant", "Clean All X", "Put All X On Y")


@cache
def session(task: str, seed: int = 0) -> Episode:
    one = GenerateConfig("teach", 1, seed, options=(("embodied", True), ("tasks", (task,))))
    return BENCHMARK.episode(0, one, BENCHMARK.assign(one, 1)[0])


@pytest.mark.parametrize("name", room_names()[::6])
def test_the_commander_stands_where_it_cuts_nobody_off(name: str) -> None:
    room = load_room(name)
    try:
        scene = with_commander(room, np.random.default_rng(0))
    except NoRoom:
        assert len(room.grid) < 40, "only the smallest rooms have no place for two"
        return
    pose = commander_pose(scene)
    assert pose is not None
    assert hypot(pose.x - room.agent.x, pose.z - room.agent.z) * GRID >= NEAREST
    before = Grid.of(room, TEACH_LOOK).reachable(room.agent)
    after = Grid.of(scene, TEACH_LOOK).reachable(scene.agent)
    assert set(after) == set(before) - scene.taken()
    assert len(largest_component(frozenset(after))) == len(after)


@pytest.mark.parametrize("task", FAST)
def test_the_follower_never_walks_through_the_commander(task: str) -> None:
    one = session(task)
    assert one.outcome.accepted
    scene = start_scene(one)
    taken = scene.taken()
    assert taken
    for step in one.steps:
        x, _, z = json.loads(step.arguments)["pose"][:3]
        assert (round(x / GRID), round(z / GRID)) not in taken


@pytest.mark.parametrize("task", FAST)
def test_the_commander_turns_to_what_it_looks_up(task: str) -> None:
    one = session(task)
    scene = start_scene(one)
    pose = commander_pose(scene)
    assert pose is not None
    heading = 90.0 * pose.rotation
    entries = json.loads(dict(one.extras)["dialogue"])
    centres = {body.object_id: body.centre for body in scene.objects}
    for number, entry in enumerate(entries):
        if entry["action"] in MOVES:
            turned = 90.0 if entry["action"] == "Turn Right" else -90.0
            heading = (heading + turned) % 360
            x, _, z, tilt, rotation, _ = entry["pose"]
            assert (x, z, tilt, rotation) == (pose.x * GRID, pose.z * GRID, pose.horizon, heading)
        elif entry["action"] in ("SelectOid", "SearchObject") and entries[number + 1].get("about") in centres:
            x, _, z = centres[entries[number + 1]["about"]]
            ahead = np.radians(heading)
            assert (x - pose.x * GRID) * np.sin(ahead) + (z - pose.z * GRID) * np.cos(ahead) >= 0


def test_a_stored_session_is_the_same_session() -> None:
    one = session("Coffee")
    assert one.scene is not None
    assert not one.scene.bystanders
    (read,) = from_table(to_table([one]), one.room.kinds)
    assert read == one
    assert start_scene(read).bystanders == start_scene(one).bystanders
    assert read_problem(read) is not None


def test_games_tell_of_both_bodies() -> None:
    one = session("Coffee")
    game = json.loads(json.dumps(documents(one)[0][1]))["tasks"][0]["episodes"][0]
    assert game["commander_embodied"] == "True"
    commander, driver = game["initial_state"]["agents"]
    assert set(commander) == set(driver)
    pose = start_scene(one).bystanders[0].pose
    assert commander["position"]["x"] == pose.x * GRID
    turns = [each for each in game["interactions"] if each["agent_id"] == 0 and "pose" in each]
    if turns:
        assert game["final_state"]["agents"][0]["rotation"]["y"] == pytest.approx(-turns[-1]["pose"][5] % 360)
    other = json.loads(json.dumps(documents(without_body())[0][1]))["tasks"][0]["episodes"][0]
    assert other["commander_embodied"] == "False"
    assert "thirdPartyCameraId" in other["initial_state"]["agents"][0]


def without_body() -> Episode:
    one = GenerateConfig("teach", 1, 0, options=(("tasks", ("Coffee",)),))
    return BENCHMARK.episode(0, one, BENCHMARK.assign(one, 1)[0])


def test_a_session_is_played_with_two_agents() -> None:
    one = session("Coffee")
    assert NAME in {each.name for each in start_scene(one).bystanders}
    assert_plays(one)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("task", FAST)
def test_sessions_are_played_with_two_agents(task: str, seed: int) -> None:
    assert_plays(session(task, seed))
