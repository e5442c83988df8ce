"""The same texts as unmodified ALFWorld's: recorded by ``record.py``, a game of each of the thirteen tasks."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import parse_game
from chorewright.replay.alfred.textworld import facts

RECORD = Path(__file__).parents[2] / "corpus" / "text_games" / "textworld.json.gz"
TRACES: list[dict[str, Any]] = json.loads(gzip.decompress(RECORD.read_bytes()))

UNTOLD = ("checked", "not_", "ison(")
"""Facts of the engine that are not compared: what was looked at, what is false, and whether a lamp is on.

To a lamp that is used, the engine's list of facts applies both conditional effects, so that it says "off" whatever the
planner's state says.
"""


def played(trace: dict[str, Any]) -> TextGame:
    """The trace's game in our hands."""
    game = trace["game"]
    parts = (game["pddl_domain"], game["grammar"], game["pddl_problem"], tuple(game["walkthrough"]))
    return TextGame(parse_game("recorded", *parts))


@pytest.mark.parametrize("trace", TRACES, ids=range(len(TRACES)))
def test_all_turns_are_equal(trace: dict[str, Any]) -> None:
    play = played(trace)
    observation, score, done = play.reset(), int(play.won), play.won
    for command, *expected in (turn[:5] for turn in trace["turns"]):
        if command:
            turn = play.step(command)
            observation, score, done = turn.observation, int(play.won), turn.terminated
        assert [observation, score, done, list(play.admissible())] == expected, command
    assert not trace["walk"] or done
    theirs = {re.sub(r"\s+:", ":", fact) for fact in trace["turns"][-1][5] if not fact.startswith(UNTOLD)}
    assert {str(fact) for fact in facts(play) if fact.name != "ison"} == theirs


def test_all_tasks_are_recorded() -> None:
    assert len({played(trace).game.task for trace in TRACES}) == 13
