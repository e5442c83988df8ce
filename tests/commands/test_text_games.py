"""Text games from the command line: played, and agents measured."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ExitCode, UsageError
from chorewright.generator.alfred.games import AlfredEvaluation, GameScore, by_task, find_agent, games_of
from chorewright.generator.alfred.options import AlfredTrial
from chorewright.generator.measuring.evaluation import play
from chorewright.replay.alfred.play import TextGame
from tests.command import command, environment
from tests.generator.alfred.episodes import stored


def ran(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), input=typed, capture_output=True, text=True, env=environment(), check=False, timeout=600
    )


def evaluated(agent: str, **options: Any) -> tuple[GameScore, ...]:
    return play(AlfredEvaluation(), AlfredTrial(dataset=str(stored().folder), agent=agent, **options))


class Silent:
    """An agent of a user's that only looks."""

    def begin(self, play: object, rng: object) -> None:
        self.said = 0

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        self.said += 1
        return "look"


class Faulty(Silent):
    def act(self, observation: str, admissible: Sequence[str]) -> str:
        raise KeyError("lost")


class Mute(Silent):
    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return None  # type: ignore[return-value]


def replayed(played: GameScore) -> tuple[int, bool]:
    """Return how many commands a log has of a game, and whether they win it."""
    game = next(game for game in games_of(stored()) if game.name == played.name)
    world = TextGame(game)
    said = played.commands.split("\n") if played.commands else []
    for each in said:
        world.step(each)
    return len(said), world.won


def test_baselines_stand_in_order(tmp_path: Path) -> None:
    found = {}
    for agent in ("random", "exploring", "planner"):
        log = tmp_path / f"{agent}.jsonl"
        played = evaluated(agent, workers=0, log=str(log))
        assert evaluated(agent, workers=2) == played
        assert evaluated(agent, workers=0, log=str(log)) == played
        assert len(log.read_text("utf-8").splitlines()) == len(played) + 1
        assert [replayed(each) for each in played] == [(each.steps, each.won) for each in played]
        found[agent] = by_task(played)["overall"]
    assert found["planner"]["success"] == found["planner"]["weighted_success"] == 1.0
    assert found["random"]["success"] < found["exploring"]["success"]
    assert found["exploring"]["weighted_success"] < 1.0
    log = tmp_path / "planner.jsonl"
    with pytest.raises(UsageError, match="another evaluation: seed 0, not 1"):
        evaluated("planner", seed=1, workers=0, log=str(log))
    evaluated("planner", seed=1, workers=0, log=str(log), resume=False, episodes=1)
    assert len(log.read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize(("name", "said"), [("Faulty", "lost"), ("Mute", "not a command")])
def test_an_agent_that_fails_is_named(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        evaluated(f"{__name__}:{name}", workers=0)
    assert name in error.value.message


def test_a_users_agent_plays() -> None:
    played = evaluated(f"{__name__}:Silent", max_steps=3, workers=0)
    assert [each.steps for each in played] == [3] * len(played)
    assert not any(each.won for each in played)
    with pytest.raises(UsageError, match="no agent"):
        find_agent("none")


def test_the_verb_evaluates() -> None:
    done = ran("evaluate", "alfred", str(stored().folder), "--agent", "planner", "--json", "--workers", "0")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["overall"]["success"] == 1.0


def test_the_verb_plays() -> None:
    games = games_of(stored())
    index = stored()[0].index
    words = ("play", "alfred", "--episode", str(stored().folder), str(index))
    done = ran(*words, typed="\n".join(games[0].walkthrough or ()))
    assert done.returncode == 0, done.stderr
    assert "Won after" in done.stdout
    done = ran(*words, typed="dance\n")
    assert done.returncode == ExitCode.NEGATIVE
    assert "no command" in done.stdout
