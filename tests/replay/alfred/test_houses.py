"""Text games in houses: ALFWorld's forms, the rooms told besides, the expert, and the room that agrees."""

from __future__ import annotations

import re
from functools import lru_cache

import gymnasium
import numpy as np
import pytest

import chorewright.environments  # noqa: F401  # registers the environments
from benchmarks.corpora.games import TASKS, walk
from chorewright.generator.alfred.drawing import make_games
from chorewright.generator.alfred.games import find_agent, play_game
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.textworld import is_proven
from chorewright.replay.alfred.twin import Twin

HOUSES = ("house:5", "house:0")


@lru_cache(maxsize=32)
def house_game(task: str, seed: int = 0, scenes: tuple[str, ...] = HOUSES) -> Game:
    """A game of a task in one of some houses."""
    return make_games([task], scenes)(np.random.default_rng(seed))


@pytest.mark.parametrize("task", TASKS[:8:3])
def test_names_have_alfworlds_forms(task: str) -> None:
    game = house_game(task)
    kinds = {kind.lower() for kind in shipped_kinds()} | {"glassbottle"}
    for name in (*game.names.receptacles, *game.names.things):
        kind, number = name.split(" ")
        assert kind in kinds
        assert number.isdigit()
    assert any(name.startswith("sinkbasin ") for name in game.names.receptacles)
    assert len({*game.names.receptacles}) == len(game.receptacles)


def test_rooms_are_told_beside_alfworlds_sentences() -> None:
    game = house_game(TASKS[1])
    play = TextGame(game)
    welcome, told, task = play.reset().split("\n\n")
    assert welcome == "-= Welcome to TextWorld, ALFRED! =-"
    assert task.startswith("Your task is to: ")
    listed = re.findall(r"\ba ([a-z]+ \d+)", told)
    assert sorted(listed) == sorted(game.names.receptacles)
    rooms = dict(re.findall(r"In ([a-z ]+\d?): ([^.]+)\.", told))
    assert sorted(name for names in rooms.values() for name in names.split(", ")) == sorted(listed)
    assert game.scene is not None
    house = named_house(game.scene.name)
    assert len(rooms) <= len(house.rooms)
    kinds = sorted(room.kind.replace("_", " ") for room in house.rooms)
    assert {re.sub(r"^the | \d+$", "", room) for room in rooms} <= set(kinds)
    assert "fridge 1" in rooms["the kitchen"].split(", ")
    assert "In " not in play.step("look").observation.split("Looking")[-1]


def test_a_house_of_one_room_tells_no_rooms() -> None:
    single = next(f"house:{seed}" for seed in range(60) if len(named_house(f"house:{seed}").rooms) == 1)
    game = make_games((), (single,))(np.random.default_rng(0))
    assert not re.search(r"In (the )?[a-z ]+\d?:", TextGame(game).reset())


@pytest.mark.parametrize("task", TASKS[::4])
def test_the_room_agrees_after_every_command(task: str) -> None:
    play = TextGame(house_game(task))
    twin = Twin(play)
    assert twin.differences() == []
    for command in walk(play, 3, 25):
        twin.step(command)
        assert [call for call in twin.calls if call.refusal] == []
        assert twin.differences() == [], command
    twin = Twin(TextGame(play.game))
    for command in play.game.walkthrough or ():
        turn = twin.step(command)
    assert turn.terminated


@pytest.mark.parametrize("task", TASKS[::4])
def test_walkthroughs_are_proven_on_the_games_pddl(task: str) -> None:
    assert is_proven(house_game(task))


def played(count: int, houses: str) -> tuple[int, int]:
    """How many of some games the planner and the exploring agent win."""
    draw, rng = make_games((), (houses,)), np.random.default_rng(7)
    won = [0, 0]
    for number in range(count):
        game = draw(rng)
        for place, agent in enumerate(("planner", "exploring")):
            won[place] += play_game(find_agent(agent), game, np.random.default_rng(number), 100).won
    return won[0], won[1]


def test_the_expert_wins_in_houses() -> None:
    planner, exploring = played(12, "houses:3-5")
    assert planner == 12
    assert exploring <= 12


@pytest.mark.slow
def test_the_expert_wins_a_hundred_games_in_houses() -> None:
    assert played(100, "houses:0-39")[0] == 100


def test_any_text_is_answered() -> None:
    play, rng = TextGame(house_game(TASKS[0])), np.random.default_rng(0)
    for _ in range(300):
        text = "".join(map(chr, rng.integers(1, 0x2FFF, int(rng.integers(1, 40)))))
        assert play.step(text).observation.startswith("Nothing happens")


def test_the_environment_takes_houses() -> None:
    made = gymnasium.make("chorewright/ALFWorld-v0", scenes=("house:5",), infos=("extra.expert_plan", "won"))
    observation, info = made.reset(seed=1)
    assert made.observation_space.contains(observation)
    done = False
    while not done:
        observation, _, done, _, info = made.step(info["extra.expert_plan"][0])
    assert info["won"]
