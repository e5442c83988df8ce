"""Records what unmodified ALFWorld says to random commands and to walkthroughs.

Run it in an environment of its own, which needs a C compiler: ``pip install alfworld==0.4.2 textworld==1.7.0 pyyaml``,
then ``python tests/replay/text/record.py OUT.json.gz GAME...``. ``test_textworld.py`` compares the record with
our games; the shipped one has a game of each of the thirteen tasks.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import textworld  # type: ignore[import-not-found]
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler  # type: ignore[import-not-found]
from textworld.envs import PddlEnv  # type: ignore[import-not-found]

STEPS = 30
LOOKING = ("go to", "examine", "help", "look", "inventory")


def record(path: Path, walk: bool) -> list[list[Any]]:
    """Return turns: command, observation, score, done, admissible commands."""
    env = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True, facts=True)))
    env.load(str(path))
    state = env.reset()
    rng = random.Random(path.parent.name)
    walkthrough = json.loads(path.read_text("utf-8"))["walkthrough"]
    turns = [["", state.feedback, 0, bool(state["won"]), list(state["admissible_commands"])]]
    for number in range(len(walkthrough) if walk else STEPS):
        known = turns[-1][4]
        doing = [command for command in known if not command.startswith(LOOKING)]
        command = walkthrough[number] if walk else rng.choice(doing if doing and rng.random() < 0.5 else known)
        state, score, done = env.step(command)
        turns.append([command, state.feedback, score, bool(done), list(state["admissible_commands"])])
    turns[-1].append(sorted({str(fact) for fact in state["facts"]}))
    return turns


def main(out: str, games: list[str]) -> None:
    """Record some games to a file."""
    found = []
    for game in games:
        for walk in (False, True):
            began = time.process_time()
            turns = record(Path(game), walk)
            content = json.loads(Path(game).read_text("utf-8"))
            found.append({"game": content, "turns": turns, "walk": walk, "seconds": time.process_time() - began})
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        file.write(json.dumps(found).encode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
