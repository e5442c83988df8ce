"""Planning problems as environments: Gymnasium's rules, vectors, and the calls of PDDLGym."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import chorewright.environments
from benchmarks.corpora.planning_tasks import IPC
from benchmarks.corpora.reference import sample
from chorewright.errors import InputErrors, UsageError
from chorewright.replay.games.environment import INFOS
from chorewright.replay.games.game import ProblemGames
from chorewright.replay.games.literal_environment import InvalidAction, PDDLEnv


def blocks() -> Path:
    return sample(IPC) / "blocks"


def make(**options: Any) -> gymnasium.Env[Any, str]:
    return gymnasium.make("chorewright/PDDL-v0", domain=blocks() / "domain.pddl", problems=blocks(), **options)


@pytest.mark.parametrize("observation", ["text", "atoms", "both"])
def test_gymnasium_accepts_it(observation: str) -> None:
    check_env(make(observation=observation, infos=INFOS).unwrapped, skip_render_check=True)


def test_the_expert_plays_to_the_end() -> None:
    env = make(infos=("expert_command", "won", "cost", "goal_conditions"), reward="cost")
    _, info = env.reset(seed=3)
    total, done = 0.0, False
    while not done:
        _, reward, done, truncated, info = env.step(info["expert_command"])
        total += reward
        assert not truncated
    assert info["won"]
    assert total == 1.0 - info["cost"]
    assert info["goal_conditions"][0] == info["goal_conditions"][1]


def test_an_episode_is_cut_after_its_most_steps() -> None:
    with pytest.raises(UsageError, match="max_steps must be at least 1, not 0"):
        make(max_steps=0).reset()
    env = make(max_steps=3)
    env.reset(seed=0)
    assert [env.step("look")[3] for _ in range(3)] == [False, False, True]


def test_games_are_chosen_by_seed_name_and_number() -> None:
    env = make()
    first = [env.reset(seed=seed)[1]["problem"] for seed in range(8)]
    assert first == [env.reset(seed=seed)[1]["problem"] for seed in range(8)]
    assert len(set(first)) > 1
    for number in range(len(list(blocks().glob("prob*.pddl")))):
        name = env.reset(options={"game": number})[1]["problem"]
        assert env.reset(options={"game": name})[1]["problem"] == name
    for wrong in ({"game": 99}, {"game": "none"}, {"game": 1.5}, {"game": None, "other": 1}):
        with pytest.raises(UsageError):
            env.reset(options=wrong)


@pytest.mark.parametrize(
    "options", [{"observation": "rgb"}, {"reward": "none"}, {"infos": ("x",)}, {"render_mode": "rgb_array"}]
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        chorewright.environments.pddl(blocks() / "domain.pddl", blocks(), **options)


def test_files_that_cannot_be_played(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no problem to play"):
        ProblemGames(blocks() / "domain.pddl", tmp_path)
    with pytest.raises(UsageError):
        chorewright.environments.pddl()
    (tmp_path / "bad.pddl").write_text("(define (problem p) (:domain blocks) (:init (flies)))", encoding="utf-8")
    with pytest.raises(InputErrors):
        ProblemGames(blocks() / "domain.pddl", tmp_path)[0]


def test_several_at_once() -> None:
    envs = gymnasium.make_vec(
        "chorewright/PDDL-v0",
        num_envs=3,
        vectorization_mode="sync",
        domain=blocks() / "domain.pddl",
        problems=blocks(),
        infos=("expert_command",),
    )
    texts, info = envs.reset(seed=0)
    assert len(texts) == 3
    won = False
    for _ in range(40):
        texts, _, done, _, info = envs.step(tuple(info["expert_command"]))
        won = won or bool(done.any())
    assert won
    envs.close()


def test_programs_for_literals_run() -> None:
    env = PDDLEnv(blocks() / "domain.pddl", blocks(), seed=1, raise_error_on_invalid_action=True)
    env.fix_problem_index(0)
    state, info = env.reset()
    assert Path(info["problem_file"]).name == Path(env.problems[0]).name
    for _ in range(30):
        valid = env.action_space.all_ground_literals(state)
        action = env.action_space.sample(state)
        assert action in valid
        before = state
        state, reward, done, truncated, info = env.step(action)
        assert state.literals != before.literals
        assert not truncated
        assert reward == float(done)
    env.set_state(before)
    again, *_ = env.step(action)
    assert again.literals == state.literals
    every = env.action_space.all_ground_literals(again, valid_only=False)
    wrong = next(iter(every - env.action_space.all_ground_literals(again)))
    with pytest.raises(InvalidAction):
        env.step(wrong)
    predicate = next(each for each in env.action_predicates if each.name == "stack")
    a, b = sorted(state.objects)[:2]
    assert str(predicate(a, b)) == f"stack({a},{b})"
