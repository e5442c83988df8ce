"""The THOR twin: after every command the room agrees with the words."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import chorewright.environments  # noqa: F401  # registers the environments
from benchmarks.corpora.games import TASKS, game_of, walk
from chorewright.errors import UsageError
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.problem import domain_text, problem_text
from chorewright.replay.alfred.reading import parse_game
from chorewright.replay.alfred.scenes import Slots, scene_game
from chorewright.replay.alfred.textworld import grammar_text
from chorewright.replay.alfred.twin import Twin, location_pose


@pytest.mark.parametrize("task", TASKS)
def test_the_room_agrees_after_every_command(task: str) -> None:
    for seed in range(3):
        play = TextGame(game_of(task, seed))
        twin = Twin(play)
        assert twin.differences() == []
        for command in walk(play, seed, 50):
            twin.step(command)
            assert [call for call in twin.calls if call.refusal] == []
            assert twin.differences() == [], command
        assert twin.forced == 0


@pytest.mark.parametrize("task", TASKS)
def test_the_expert_wins_in_the_room(task: str) -> None:
    play = TextGame(game_of(task, 1))
    twin = Twin(play)
    for command in play.game.walkthrough or ():
        assert not play.won
        turn = twin.step(command)
        assert twin.differences() == []
    assert turn.terminated


def test_a_start_from_which_a_receptacle_is_reached_is_a_place_of_its_own() -> None:
    made = game_of("pick_heat_then_place_in_recep")
    pose = location_pose(made.locations[made.receptacles[0].places[0]])
    slots = Slots(made.task, made.goal.thing, made.goal.receptacle)
    game = scene_game(replace(made.scene, agent=pose), slots, made.name)
    play = TextGame(game)
    twin = Twin(play)
    assert "You are in the middle of a room" in twin.reset()
    assert {command for command in play.admissible() if command.startswith("go to ")} == {
        f"go to {name}" for name in play.names.receptacles
    }
    assert twin.differences() == []
    for command in (f"go to {play.names.receptacles[0]}", *(game.walkthrough or ())):
        twin.step(command)
        assert twin.differences() == []
    assert play.won
    again = parse_game("", domain_text(False), grammar_text(game), problem_text(game), game.walkthrough)
    assert TextGame(again).reset() == play.reset()


def test_differences_are_seen() -> None:
    play = TextGame(game_of("pick_and_place_simple"))
    twin = Twin(play)
    for command in (play.game.walkthrough or ())[:-1]:
        twin.step(command)
    play.step((play.game.walkthrough or ())[-1])  # in words only
    assert any("only in the room: holds" in each for each in twin.differences())


def test_a_game_from_a_file_needs_its_scene() -> None:
    game = game_of("pick_heat_then_place_in_recep_sliced")
    texts = (domain_text(True), grammar_text(game), problem_text(game))
    play = TextGame(parse_game("", *texts, game.walkthrough))
    with pytest.raises(UsageError, match="scene"):
        Twin(play)
    with pytest.raises(UsageError, match="has no"):
        Twin(play, game_of("look_at_obj_in_light").scene)
    twin = Twin(play, game.scene)
    for command in play.game.walkthrough or ():
        twin.step(command)
        assert twin.differences() == []
    assert play.won


def test_pictures_are_observations() -> None:
    games = [game_of("pick_and_place_simple")]
    made = gymnasium.make("chorewright/ALFWorld-v0", games=games, observation="both", size=64)
    first, _ = made.reset(seed=1)
    assert made.observation_space.contains(first)
    then, *_ = made.step((games[0].walkthrough or ())[0])
    assert made.observation_space.contains(then)
    assert not np.array_equal(first["rgb"], then["rgb"])
    only = gymnasium.make("chorewright/ALFWorld-v0", games=games, observation="rgb", size=64)
    assert np.array_equal(only.reset(seed=1)[0], first["rgb"])
    with pytest.raises(UsageError, match="observation"):
        gymnasium.make("chorewright/ALFWorld-v0", games=games, observation="smell")
