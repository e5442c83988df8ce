"""Agents' loops finish episodes with our imports; ``loops.py`` compares what they are told with ALFWorld's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora.games import game_of
from chorewright.errors import UsageError
from chorewright.replay.alfred import textworld
from chorewright.replay.alfred.textworld import game_file
from tests.replay.alfred import loops

PLAYED = ("look_at_obj_in_light", "pick_heat_then_place_in_recep", "pick_two_obj_and_place")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    for task in PLAYED:
        trial = folder / "json_2.1.1" / "train" / f"{task}-Thing-None-Place-1" / "trial_1"
        trial.mkdir(parents=True)
        (trial / "game.tw-pddl").write_text(json.dumps(game_file(game_of(task), True)), "utf-8")
        (trial / "traj_data.json").write_text(json.dumps({"task_type": task}), "utf-8")
    return folder


@pytest.mark.parametrize("loop", ["ReAct", "verl-agent", "AgentBench", "TALES"])
def test_a_scripted_agent_finishes_an_episode(games: Path, loop: str) -> None:
    play, paths = loops.ours(games)[loop], loops.some(games, 3)
    assert len(paths) == len(PLAYED)
    for path in paths:
        told = play(path)
        if loop == "verl-agent":
            assert told[-3:-1] == [10.0, True]
            assert told[2:5] == ["Nothing happens.", 0.0, False]
        elif loop == "TALES":
            assert told[-6:-1] == [1, True, len(told[1]), True, False]
        else:
            assert told[-1] is True


def test_what_textworld_tells(games: Path) -> None:
    (path, *_) = loops.some(games, 3)
    asked = textworld.EnvInfos(won=True, moves=False, description=True, extras=["gamefile", "expert_plan", "other"])
    env = textworld.start(path, asked, [textworld.Filter, textworld.AlfredDemangler(), lambda env: env])
    with pytest.raises(UsageError, match="reset the game"):
        env.step("look")
    _, info = env.reset()
    expert: list[str] = info["extra.expert_plan"]
    assert info == {
        "won": False, "description": None, "extra.gamefile": path, "extra.expert_plan": expert, "extra.other": None,
    }  # fmt: skip
    told: list[Any] = [env.step(command)[1:3] for command in expert]
    assert told[-1] == (1, True)
    assert set(told[:-1]) == {(0, False)}
    env.close()
    assert textworld.start(path).reset()[1] == {}


def test_mistakes_of_textworlds_callers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no info 'wonn'") as caught:
        textworld.EnvInfos(wonn=True)
    assert "did you mean 'won'" in caught.value.hint
    with pytest.raises(UsageError, match="No such file"):
        textworld.start(tmp_path / "none.tw-pddl")
    with pytest.raises(UsageError, match="shuffled"):
        textworld.AlfredDemangler(shuffle=True)
