"""Agents: what the exploring one knows, how the figures are counted, and what becomes of a user's agent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.measuring.evaluation import OVERALL
from chorewright.generator.objectnav.evaluation import NavigationScore, by_group, find_agent, means, play
from chorewright.replay.objectnav.agents import NavigationAgent, RandomNavigator, Searcher
from chorewright.replay.objectnav.world import NavigationObservation, NavigationTask, NavigationWorld, shortest_way
from tests.replay.objectnav.test_world import SCENES, starts

TASKS = [
    NavigationTask(f"{name} {number}", scene, target, way.metres)
    for name in (SCENES[0], *SCENES[4:])
    for number, (scene, target, goals) in enumerate(starts(name, 4))
    if (way := shortest_way(frozenset(scene.grid), scene.agent, goals)) is not None and way.metres >= 1
]


def actions_of(agent: NavigationAgent, task: NavigationTask, told: NavigationTask) -> list[str]:
    """What an agent does in a task, if it is told of another one at the beginning."""
    world, found = NavigationWorld(), []
    observation = world.reset(task)
    agent.begin(told, np.random.default_rng(0))
    while not world.done and world.steps < 500:
        found.append(agent.act(observation))
        observation = world.step(found[-1])
    return found


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_exploring_agent_does_not_know_where_things_are(task: NavigationTask) -> None:
    """It does the same if it is told of a scene without anything in it."""
    bare = replace(task, scene=replace(task.scene, objects=()), shortest=0.0)
    assert actions_of(Searcher(), task, bare) == actions_of(Searcher(), task, task)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_shortest_path_has_an_spl_of_one_and_exploring_is_no_shorter(task: NavigationTask) -> None:
    world, rng = NavigationWorld(), np.random.default_rng(0)
    best = play(find_agent("shortest-path"), task, rng, world)
    found = play(find_agent("exploring"), task, rng, world)
    assert best.success
    assert best.walked == task.shortest
    assert found.success
    assert found.walked >= task.shortest


def test_figures_are_those_of_the_definitions() -> None:
    every = [
        NavigationScore("0", "train", "house", "Mug", True, 4.0, 8.0, 0.0, 40),
        NavigationScore("1", "train", "house", "Bed", True, 2.0, 2.0, 0.0, 10),
        NavigationScore("2", "val", "kitchen", "Mug", False, 4.0, 4.0, 1.0, 20),
        NavigationScore("3", "val", "kitchen", "Mug", False, 4.0, 2.0, 6.0, 30),
    ]
    whole = means(every)
    assert (whole["episodes"], whole["success"], whole["spl"]) == (4, 0.5, (0.5 + 1.0) / 4)
    assert whole["soft_spl"] == (0.5 + 1.0 + 0.75 + 0.0) / 4
    assert (whole["left"], whole["steps"]) == (7.0 / 4, 25.0)
    groups = by_group(every)
    assert {name: each["episodes"] for name, each in groups["target"].items()} == {"Bed": 1, "Mug": 3}
    assert groups["split"]["train"]["spl"] == 0.75
    assert groups["place"]["kitchen"]["success"] == 0
    assert groups[OVERALL][OVERALL] == whole


def test_the_random_agent_does_the_same_for_the_same_numbers() -> None:
    assert actions_of(RandomNavigator(), TASKS[0], TASKS[0]) == actions_of(RandomNavigator(), TASKS[0], TASKS[0])


class LooksAndStops:
    """A user's agent that asks for all there is to know, and stops."""

    def begin(self, task: NavigationTask, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: NavigationObservation) -> str:
        assert observation.rgb(64).shape == (64, 64, 3)
        assert observation.depth(64).shape == (64, 64)
        objects = observation.metadata()["objects"]
        assert isinstance(objects, list)
        assert any(each["objectType"] == observation.target for each in objects)
        return "Done"


class Jumps:
    """A user's agent that does what there is not."""

    def begin(self, task: NavigationTask, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: NavigationObservation) -> str:
        return "Jump"


def test_an_agent_of_the_users_own_plays() -> None:
    played = play(
        find_agent(f"{__name__}:LooksAndStops", Origin.PERSON), TASKS[0], np.random.default_rng(0), NavigationWorld()
    )
    assert (played.steps, played.success, played.left) == (1, False, TASKS[0].shortest)
    with pytest.raises(UsageError, match="'Jump', which is no action"):
        play(find_agent(f"{__name__}:Jumps", Origin.PERSON), TASKS[0], np.random.default_rng(0), NavigationWorld())
    with pytest.raises(UsageError, match="no agent 'explorer'"):
        find_agent("explorer")


def test_what_cannot_be_done_changes_nothing() -> None:
    world = NavigationWorld()
    world.reset(TASKS[0])
    before = world.pose
    said = world.step("Fly")
    assert (said.success, world.pose, world.steps) == (False, before, 1)
    for _ in range(80):
        said = world.step("MoveAhead")
    assert not said.success
    assert said.message
    assert world.walked < 80 * 0.25
