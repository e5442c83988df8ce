"""BEHAVIOR's activities as text games."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import chorewright.environments
from chorewright.errors import UsageError
from chorewright.generator.behavior.world import activity_game, draw_games, find_activity
from chorewright.problems.behavior.activity_problem import base_domain
from chorewright.replay.games.game import PddlGame
from chorewright.replay.games.play import PddlPlay

ACTIVITIES = ("100/making_tea", "1k/make_a_milkshake", "1k/folding_piece_of_cloth", "1k/putting_up_shelves")


def game(name: str) -> PddlGame:
    return activity_game(find_activity(name), name)


@pytest.mark.parametrize("name", ACTIVITIES)
def test_the_expert_reaches_the_goal_by_commands(name: str) -> None:
    play = PddlPlay(game(name))
    assert "agent" not in play.reset()
    expert = play.expert()
    actions = expert.actions()
    assert actions
    for action in actions:
        command = expert.command()
        assert command in play.admissible()
        turn = play.step(command)
        assert turn.action == action
        assert turn.observation.startswith("You ")
        expert.follow(turn.action)
    assert play.won


@pytest.mark.parametrize("name", ACTIVITIES)
def test_whatever_is_done_can_be_told(name: str) -> None:
    play = PddlPlay(game(name))
    play.reset()
    rng = np.random.default_rng(1)
    for _ in range(40):
        commands = play.admissible()
        assert len(set(commands)) == len(commands)
        assert not any("agent" in each for each in commands)
        assert play.step(commands[int(rng.integers(len(commands)))]).action is not None
        assert play.look()


def test_refusals_are_said_in_the_activitys_words() -> None:
    play = PddlPlay(game("100/making_tea"))
    play.reset()
    told = play.step("pick up the tea bag").observation
    assert told == "Nothing happens. You cannot pick up the tea bag: the tea bag is out of reach here."
    play.step("go to the cabinet")
    assert "the cabinet is open" in play.step("open the cabinet").observation
    assert play.step("open the cabinet").reason == "You cannot open the cabinet: the cabinet is open."
    assert "you are not holding" in play.step("soak the lemon in the sink").observation


def test_every_action_of_the_domain_can_be_refused() -> None:
    """Also conditions that are no literals have an answer."""
    play = PddlPlay(game("1k/make_a_milkshake"))
    play.reset()
    universe = play.game.table.world.universe
    for schema in base_domain().actions:
        first = [universe.members(each.types)[:1] for each in schema.parameters]
        if all(first):
            text = f"({' '.join((schema.name, *(each[0] for each in first)))})"
            assert play.step(text).observation


def test_an_environment_draws_activities() -> None:
    env = gymnasium.make("chorewright/BEHAVIOR-v0", infos=("admissible_commands", "problem"))
    drawn = {env.reset(seed=seed)[1]["problem"] for seed in (1, 2, 3)}
    assert len(drawn) == 3
    assert env.reset(seed=1)[1]["problem"] in drawn
    assert draw_games("100")(np.random.default_rng(0)).name.startswith("100/")
    chosen = chorewright.environments.behavior("100/making_tea", hands=2)
    _, info = chosen.reset(seed=0)
    assert info["problem"] == "100/making_tea"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("2k/making_tea", "did you mean 'making_tea'?"), ("zzz", "give 100/NAME, 1k/NAME or a .bddl file")],
)
def test_an_unknown_activity_has_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="there is no activity") as caught:
        find_activity(name)
    assert caught.value.hint == hint
