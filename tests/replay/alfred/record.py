"""Records what unmodified ALFWorld says to random commands and to walkthroughs, and what its planner's expert does.

Run it in an environment of its own, which needs a C compiler: ``pip install alfworld==0.4.2 textworld==1.7.0 pyyaml``.

    python tests/replay/alfred/record.py OUT.json.gz GAME...        random commands and the walkthrough of each game
    python tests/replay/alfred/record.py OUT.jsonl WORK.json        what WORK asks for, a line for each game

``WORK`` is a list of [game file, [way, ...]], a way one of ``random``, ``malformed`` (random, some of them damaged),
``walk`` and ``expert``; lines that ``OUT`` has already are kept. ``test_textworld.py`` compares the record with our
games; the shipped one has a game of each of the thirteen tasks.
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
from alfworld.agents.environment.alfred_tw_env import AlfredDemangler, AlfredExpert, AlfredInfos  # type: ignore[import-not-found]
from textworld.envs import PddlEnv  # type: ignore[import-not-found]

STEPS = 30
MOST_EXPERT_STEPS = 50
MALFORMED = 0.15
"""How often a command of the way ``malformed`` is damaged."""
LOOKING = ("go to", "examine", "help", "look", "inventory")


class Recorder:
    """One game in ALFWorld's hands, by itself and with the expert that plans by Fast Downward."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.game = json.loads(path.read_text("utf-8"))
        self._infos = textworld.EnvInfos(won=True, admissible_commands=True, facts=True)
        self._alone = AlfredInfos(AlfredDemangler(PddlEnv(self._infos)))
        self._expert = AlfredExpert(self._alone, expert_type="planner")
        self._expert.load(str(path))

    def played(self, way: str) -> list[list[Any]]:
        """Return turns: command, observation, score, done, admissible commands; the last one with all facts."""
        env = self._expert if way == "expert" else self._alone
        self._infos.policy_commands = way == "expert"
        rng = random.Random(self.path.parent.name)
        state = env.reset()
        turns = [["", state.feedback, 0, bool(state["won"]), list(state["admissible_commands"])]]
        for number in range(self._most(way)):
            command = self._command(way, number, turns[-1][4], rng, state)
            state, score, done = env.step(command)
            turns.append([command, state.feedback, score, bool(done), list(state["admissible_commands"])])
            if done and way == "expert":
                break
        turns[-1].append(sorted({str(fact) for fact in state["facts"]}))
        return turns

    def _most(self, way: str) -> int:
        most = {"random": STEPS, "malformed": STEPS, "expert": MOST_EXPERT_STEPS}
        return most.get(way) or len(self.game["walkthrough"])

    def _command(self, way: str, number: int, known: list[str], rng: random.Random, state: Any) -> str:
        if way == "walk":
            return str(self.game["walkthrough"][number])
        if way == "expert":
            return str((state["extra.expert_plan"] or ["look"])[0])
        doing = [command for command in known if not command.startswith(LOOKING)]
        chosen = rng.choice(doing if doing and rng.random() < 0.5 else known)
        return damaged(chosen, rng) if way == "malformed" and rng.random() < MALFORMED else chosen


def damaged(command: str, rng: random.Random) -> str:
    """Return a command with something wrong in it, as agents write them."""
    words = command.split()
    ways = (
        command.upper(),
        f"{command}.",
        f"  {command}  ",
        command.replace(" ", "  "),
        " ".join(words[:-1]),
        f"{command} {rng.randrange(9)}",
        command.replace(words[0], f"{words[0]}x", 1),
        f"> {command}",
        f"{command}\nlook",
        "",
        "go to nowhere 1",
        "take the thing from it",
        "\u00e9\u4e2d\U0001f600",
        "(define (domain x))",
    )
    return rng.choice(ways)


def record_whole(out: Path, games: list[str]) -> None:
    """Record some games to a file, with all that was said."""
    found = []
    for game in games:
        recorder = Recorder(Path(game))
        for way in ("random", "walk"):
            began = time.process_time()
            turns = recorder.played(way)
            seconds = time.process_time() - began
            found.append({"game": recorder.game, "turns": turns, "walk": way == "walk", "seconds": seconds})
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        file.write(json.dumps(found).encode())


def record_work(out: Path, work: list[tuple[str, list[str]]]) -> None:
    """Record what is asked for, line by line; of walkthroughs and experts only whether they won, and the steps."""
    before = {json.loads(line)["path"] for line in out.read_text().splitlines()} if out.exists() else set()
    for path, ways in work:
        if path in before:
            continue
        began = time.process_time()
        recorder = Recorder(Path(path))
        line: dict[str, Any] = {"path": path, "load": time.process_time() - began}
        for way in ways:
            began = time.process_time()
            turns = recorder.played(way)
            seconds = time.process_time() - began
            line[way] = {"won": turns[-1][3], "steps": len(turns) - 1, "seconds": seconds}
            if way in ("random", "malformed"):
                line[way]["turns"] = turns
        with out.open("a") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    arguments = sys.argv[1:]  # the engine overwrites sys.argv
    if arguments[1].endswith(".json"):
        record_work(Path(arguments[0]), json.loads(Path(arguments[1]).read_text("utf-8")))
    else:
        record_whole(Path(arguments[0]), arguments[1:])
