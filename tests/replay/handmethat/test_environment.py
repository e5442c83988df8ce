"""The Gymnasium environments: gymnasium's own checker, determinism, and what ``info`` tells."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import chorewright.environments  # noqa: F401  # registers the environments
from chorewright.errors import UsageError
from chorewright.replay.handmethat.environment import INFOS, HandMeThatEnv
from tests.replay.handmethat.tasks import stored

NAMES = ("chorewright/HandMeThat-v1", "chorewright/HandMeThat-v2")


@pytest.mark.parametrize("fully_observable", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_is_content(name: str, fully_observable: bool) -> None:
    made = gymnasium.make(name, tasks=stored(), fully_observable=fully_observable, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_no_version_is_out_of_date(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gymnasium.make(name, tasks=stored())
        assert made.spec is not None
        assert made.spec.id == name
        again = gymnasium.spec(name)
        assert gymnasium.make(again, tasks=stored()).reset(seed=1)[0] == made.reset(seed=1)[0]
        assert EnvSpec.from_json(again.to_json()).id == name


def test_a_version_has_to_be_named() -> None:
    for name in ("chorewright/HandMeThat", "chorewright/HandMeThat-v3"):
        with pytest.raises(gymnasium.error.Error, match="HandMeThat"):
            gymnasium.make(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_tasks_are_made_from_the_seed(name: str) -> None:
    made = gymnasium.make(name)
    first, _ = made.reset(seed=11)
    other, _ = made.reset()
    again, info = made.reset(seed=11)
    assert first == again != other
    done = False
    for command in info["policy_commands"]:
        _, _, done, _, info = made.step(command)
    assert done
    assert info["won"]


def test_the_experts_commands_win_and_info_tells_of_it() -> None:
    made = HandMeThatEnv(stored(), fully_observable=True)
    for index, task in enumerate(stored()):
        observation, info = made.reset(options={"index": index})
        assert set(info) == set(INFOS)
        assert task.sentence in observation
        assert task.sentence in info["objective"]
        done, total = False, 0.0
        while not done:
            assert set(info["policy_commands"][:1]) <= set(info["admissible_commands"])
            observation, reward, done, cut, info = made.step(info["policy_commands"][0])
            assert not cut
            total += float(reward)
        assert (info["won"], info["lost"], info["score"]) == (True, False, total)
        assert info["moves"] == 100 - total
        assert info["policy_commands"] == info["admissible_commands"] == ()


def test_the_expert_finds_its_way_from_anywhere() -> None:
    made = HandMeThatEnv(stored()[:1])
    _, info = made.reset(seed=0)
    made.step("move to pool")
    _, _, _, _, info = made.step("move to bed")
    for command in info["policy_commands"]:
        _, _, done, _, info = made.step(command)
    assert done
    assert info["won"]


def test_the_same_commands_give_the_same_episode() -> None:
    def episode() -> list[Any]:
        made = HandMeThatEnv(stored())
        turns: list[Any] = [made.reset(seed=5)]
        for _ in range(6):
            turns.append(made.step(sorted(turns[-1][-1]["admissible_commands"])[3]))
        return turns

    assert episode() == episode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"infos": ("score", "wisdom")}, "info has no 'wisdom'"),
        ({"infos": "wisdom"}, "info has no 'wisdom'"),
        ({"render_mode": "rgb_array"}, "no render mode"),
        ({"tasks": []}, "no task"),
    ],
)
def test_wrong_arguments_are_said(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HandMeThatEnv(**{"tasks": stored(), **changes})


def test_it_must_be_reset_first() -> None:
    with pytest.raises(UsageError, match="not been reset"):
        HandMeThatEnv(stored()).step("look")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"index": 99}, "no task 99"),
        ({"index": "first"}, "must be a whole number, not 'first'"),
        ({"index": 0.5}, "must be a whole number"),
        ({"indx": 1}, "reset has no option 'indx'"),
    ],
)
def test_wrong_options_are_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HandMeThatEnv(stored()).reset(options=options)


def test_one_info_may_be_named_alone() -> None:
    assert list(HandMeThatEnv(stored(), infos="score").reset(seed=0)[1]) == ["score"]
