"""The doors for agents: Gymnasium's environment, and ALFWorld's own interface."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import chorewright.environments  # noqa: F401  # registers the environments
from benchmarks.corpora.games import TASKS, game_of
from chorewright.errors import UsageError
from chorewright.replay.alfred.batches import INFOS, AlfredTWEnv, TextGameEnv, get_environment
from chorewright.replay.alfred.textworld import game_file

NAME = "chorewright/ALFWorld-v0"


def games() -> list[Any]:
    return [game_of(task) for task in TASKS]


def test_gymnasiums_checker_is_content() -> None:
    made = gymnasium.make(NAME, games=games(), infos=INFOS, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)


def test_episodes_follow_from_the_seed() -> None:
    made = gymnasium.make(NAME, tasks=["pick_cool_then_place_in_recep"], infos=INFOS)
    first, _ = made.reset(seed=5)
    other, _ = made.reset()
    again, info = made.reset(seed=5)
    assert first == again != other
    assert "cool" in first
    total = 0.0
    for command in info["extra.expert_plan"]:
        _, reward, done, cut, info = made.step(command)
        total += reward
    assert (total, done, cut, info["won"]) == (1.0, True, False, True)
    assert all(info["goal_conditions"])


def test_an_episode_is_truncated_and_a_game_is_chosen() -> None:
    env = TextGameEnv(games(), max_steps=3, reasons=True)
    env.reset(options={"game": 2})
    assert env.play.game is game_of(TASKS[2])
    assert [env.step("dance")[3] for _ in range(3)] == [False, False, True]
    env.reset(options={"game": game_of(TASKS[4]).name})
    assert env.play.game is game_of(TASKS[4])
    for wrong in ({"game": 99}, {"game": "none"}, {"game": 1.5}, {"games": 1}):
        with pytest.raises(UsageError):
            env.reset(options=wrong)


def test_many_play_in_processes() -> None:
    made = gymnasium.make_vec(
        NAME, 2, vectorization_mode="async", vector_kwargs={"shared_memory": False}, games=games()
    )
    told, infos = made.reset(seed=1)
    assert len(told) == 2
    assert told[0].startswith("-= Welcome to TextWorld, ALFRED! =-")
    told, *_ = made.step([infos["admissible_commands"][0][0], "look"])
    assert all(told)
    made.close()


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A configuration as ALFWorld's, with a folder of games in its layout."""
    root = tmp_path_factory.mktemp("games")
    for number, task in enumerate(TASKS):
        kind = task.removesuffix("_sliced")
        thing = "AppleSliced" if task != kind else "Apple"
        folder = root / f"{kind}-{thing}-None-Fridge-{number}" / "trial_1"
        folder.mkdir(parents=True)
        (folder / "game.tw-pddl").write_text(json.dumps(game_file(game_of(task), number != 5)), encoding="utf-8")
        (folder / "traj_data.json").write_text(json.dumps({"task_type": kind}), encoding="utf-8")
    dataset = {"data_path": str(root), "eval_id_data_path": str(root), "eval_ood_data_path": str(root)}
    return {
        "dataset": {**dataset, "num_train_games": -1, "num_eval_games": 3},
        "env": {"task_types": [1, 2, 3, 4, 5, 6], "domain_randomization": False, "expert_type": "planner"},
        "general": {"training_method": "dagger"},
        "dagger": {"training": {"max_nb_steps_per_episode": 50}},
    }


def test_games_are_collected_as_alfworld_does(config: dict[str, Any]) -> None:
    assert get_environment("AlfredTWEnv") is AlfredTWEnv
    env = AlfredTWEnv(config)
    assert env.num_games == len(env.game_files) == 5  # six types but one that is not solvable
    assert AlfredTWEnv(config, train_eval="eval_in_distribution").num_games == 3
    wider = {**config["env"], "task_types": [1, 2, 3, 4, 5, 6, 7], "sliced": True}
    assert AlfredTWEnv({**config, "env": wider}).num_games == 12
    with pytest.raises(UsageError):
        AlfredTWEnv(config, train_eval="test")
    with pytest.raises(UsageError):
        get_environment("AlfredThorEnv")


def test_a_batch_is_played_by_its_expert(config: dict[str, Any]) -> None:
    env = AlfredTWEnv(config).init_env(batch_size=4)
    told, infos = env.reset()
    assert isinstance(told, tuple)
    assert len(told) == len(infos["extra.gamefile"]) == 4
    dones: tuple[bool, ...] = (False,) * 4
    for _ in range(20):
        told, scores, dones, infos = env.step([plan[0] for plan in infos["extra.expert_plan"]])
    assert all(dones)
    assert all(infos["won"])
    assert scores == (1, 1, 1, 1)
    before = told
    told, *_ = env.step(["look"] * 4)
    assert told == before  # what is over stays as it is
    with pytest.raises(UsageError):
        env.step(["look"])


def test_the_order_follows_from_the_seed(config: dict[str, Any]) -> None:
    env = AlfredTWEnv(config).init_env(batch_size=1)
    env.seed(3)
    first = [env.reset()[1]["extra.gamefile"][0] for _ in range(7)]
    env.seed(3)
    env.skip(2)
    assert [env.reset()[1]["extra.gamefile"][0] for _ in range(5)] == first[2:]
    assert set(first) == set(env.gamefiles)


def test_the_loop_of_react_and_reflexion(config: dict[str, Any]) -> None:
    """As their published programs call the environment, with a script in the language model's place."""
    env = AlfredTWEnv(config, train_eval="eval_out_of_distribution").init_env(batch_size=1)
    won = 0
    for _ in range(3):
        told, info = env.reset()
        text = "\n".join(told[0].split("\n\n")[1:])
        name = "/".join(info["extra.gamefile"][0].split("/")[-3:-1])
        assert name.startswith(("pick", "look"))
        assert "Your task is to:" in text
        for command in json.loads(Path(info["extra.gamefile"][0]).read_text("utf-8"))["walkthrough"]:
            observation, _, done, info = env.step([command])
            assert observation[0]
            if done[0]:
                won += info["won"][0]
                break
    assert won == 3
