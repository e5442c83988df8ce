"""Exploring agents: they reason only about what the text world has shown, and find what is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from chorewright.generator.handmethat.evaluation import find_agent, means, play
from chorewright.generator.measuring.evaluation import random_numbers
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HandMeThatScene
from chorewright.replay.handmethat.agents import Explorer, OneTrialAgent, alike, repeat
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import plain_name, visible_at
from chorewright.replay.handmethat.world import PAPER, TextWorld
from chorewright.rsa.handmethat.meanings import meaning_of
from tests.replay.handmethat.tasks import made, scene, stored


class Doubtful:
    """Is never confident; notes what it is told of, and stops when it is its turn."""

    confident = False

    def __init__(self) -> None:
        self.told: set[str] = set()

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: HandMeThatScene | None = None) -> None:
        self.told |= task.scene.by_name.keys() | task.start.by_name.keys()

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return "stop"


TASKS = [*(made(scene(seed)) for seed in range(4)), *stored()]


@pytest.mark.parametrize("number", range(len(TASKS)))
def test_what_is_told_has_been_seen(number: int) -> None:
    world = TextWorld(TASKS[number], fully_observable=False)
    doubtful = Doubtful()
    agent = Explorer(doubtful)
    observation = world.reset()
    read, visited = [observation], []
    agent.begin(TASKS[number], np.random.default_rng(0))
    while not world.over:
        admissible = world.admissible()
        command = agent.act(observation, admissible)
        assert command in (*admissible, "stop")  # nothing is refused
        turn = world.step(command)
        if isinstance(turn.action, GroundAction) and turn.action.name == "move":
            visited.append(turn.action.arguments[2])
        observation = turn.observation
        read.append(observation)
    text = "\n".join(read)
    things = {name for name in doubtful.told if world.game.scene.by_name[name].category.movable}
    assert things
    assert [name for name in sorted(things) if plain_name(name) not in text] == []
    assert world.moves <= PAPER.moves
    assert {"floor_0", *visited} == {each.name for each in world.scene.entities if not each.category.movable}


@pytest.mark.parametrize(("name", "least"), [("heuristic", 0.2), ("planner", 0.6)])
def test_exploring_agents_find_things(name: str, least: float) -> None:
    tasks = enumerate(stored())
    played = [play(find_agent(name, False), task, random_numbers(0, index), False) for index, task in tasks]
    assert means(played).success >= least
    assert all(each.moves <= PAPER.moves for each in played)


def test_a_confident_agent_is_let_act_at_once() -> None:
    task = next(each for each in stored() if alike(each))
    agent = Explorer(OneTrialAgent(repeat, lambda told: told.context.groundings(told.utterance)))
    agent.begin(task, np.random.default_rng(0))
    world = TextWorld(task, fully_observable=False)
    assert agent.act(world.reset(), world.admissible()) in (*world.admissible(), "stop")


@pytest.mark.parametrize("name", ["heuristic", "planner"])
def test_a_place_that_is_named_is_looked_for(name: str) -> None:
    known = {each.name for each in visible_at(scene(), scene().robot.at)}
    box = next(
        each.name
        for each in scene().movables
        if each.category.relation and not each.can_be("open") and each.name not in known
    )
    kind = next(each.category.name for each in scene().movables if not each.category.relation)
    wanted = meaning_of("move_to", {"type": kind}, box)
    task = made(scene(), wanted, wanted)
    played = play(find_agent(name, False), task, np.random.default_rng(0), False)
    assert played.won
