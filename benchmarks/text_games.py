"""ALFWorld's text games: speed, the expert, baselines, the THOR twin; beside unmodified ALFWorld where it is at hand.

    python -m benchmarks.text_games [--games 2000] [--walks 1000] [--alfworld PYTHON --recorded 13]
                                    [--save] [--json FILE]

Games are drawn on the fly, as many of each of the thirteen tasks. ``--alfworld`` names a Python that has
``alfworld`` 0.4.2 and ``textworld``: it plays walkthroughs and 30 random commands in some of the games, by
``tests/replay/text/record.py``, and every turn is compared. All times are CPU seconds.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import ROOT, benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.drawing import made_games
from chorewright.replay.text.environment import MOST_STEPS
from chorewright.replay.text.evaluation import AGENTS, Played, by_task, play_index
from chorewright.replay.text.game import Game
from chorewright.replay.text.play import TextGame
from chorewright.replay.text.reading import parse_game
from chorewright.replay.text.twin import Twin
from chorewright.replay.text.writing import game_file
from tests.replay.text.games import TASKS, walk

STEPS = 200
RECORDER = ROOT / "tests" / "replay" / "text" / "record.py"


def drawn(count: int) -> list[Game]:
    """Return so many games, task by task in turn."""
    draws = [made_games([task]) for task in TASKS]
    return [draws[n % len(draws)](np.random.default_rng((n, 1))) for n in range(count)]


def speed(games: Sequence[Game]) -> tuple[float, float]:
    """Return random steps a second with the admissible commands asked for, and milliseconds of a reset."""
    rng = np.random.default_rng(0)
    began, steps = time.process_time(), 0
    for game in games:
        play = TextGame(game)
        for _ in range(STEPS):
            known = play.admissible()
            play.step(known[int(rng.integers(len(known)))])
            steps += 1
    stepping = time.process_time() - began
    began = time.process_time()
    for game in games:
        TextGame(game).admissible()
    return steps / stepping, 1000 * (time.process_time() - began) / len(games)


def twin_walks(games: Sequence[Game], count: int) -> tuple[int, int, int]:
    """Return walks of 50 commands after each of which room and words agree, refused calls, and hidden targets."""
    agreed = refused = forced = 0
    for number in range(count):
        play = TextGame(games[number % len(games)])
        twin = Twin(play)
        same = not twin.differences()
        for command in walk(play, number, 50):
            twin.step(command)
            refused += sum(bool(call.refusal) for call in twin.calls)
            same = same and not twin.differences()
        agreed += same
        forced += twin.forced
    return agreed, refused, forced


def recorded(python: str, games: Sequence[Game]) -> tuple[int, int, int, float]:
    """Return turns that are the same in ALFWorld, of how many, walkthroughs that win there, and its steps a second."""
    with TemporaryDirectory() as folder:
        paths = []
        for number, game in enumerate(games):
            path = Path(folder) / f"{number:04d}" / "game.tw-pddl"
            path.parent.mkdir()
            path.write_text(json.dumps(game_file(game, True)), encoding="utf-8")
            paths.append(str(path))
        out = Path(folder) / "record.json.gz"
        outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run([python, str(RECORDER), str(out), *paths], check=True, env=outside, cwd=folder)
        traces = json.loads(gzip.decompress(out.read_bytes()))
    same = total = won = steps = 0
    seconds = 0.0
    for trace in traces:
        turns = list(_compared(trace))
        same, total = same + sum(turns), total + len(turns)
        won += bool(trace["walk"] and trace["turns"][-1][3])
        steps, seconds = steps + len(turns) - 1, seconds + trace["seconds"]
    return same, total, won, steps / seconds


def _compared(trace: dict) -> Iterator[bool]:
    game = trace["game"]
    parts = (game["pddl_domain"], game["grammar"], game["pddl_problem"], tuple(game["walkthrough"]))
    play = TextGame(parse_game("recorded", *parts))
    observation, score, done = play.reset(), int(play.won), play.won
    for command, *expected in (turn[:5] for turn in trace["turns"]):
        if command:
            turn = play.step(command)
            observation, score, done = turn.observation, turn.score, turn.done
        yield [observation, score, done, list(play.admissible())] == expected


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--games", type=int, default=2000, help="games drawn")
    parser.add_argument("--walks", type=int, default=1000, help="random walks of 50 commands in words and in the room")
    parser.add_argument("--alfworld", metavar="PYTHON", help="a Python that has alfworld 0.4.2 and textworld")
    parser.add_argument("--recorded", type=int, default=13, help="games that it plays")
    arguments = parser.parse_args()
    games = drawn(arguments.games)
    rate, reset = speed(games[:200])
    played = {name: _played(name, games) for name in AGENTS}
    agreed, refused, forced = twin_walks(games, arguments.walks)
    table = Table("task", "games", *(f"{name}, %" for name in AGENTS), "exploring, commands", "planner, commands")
    scores = {name: by_task(each) for name, each in played.items()}
    for task in scores["planner"]:
        rates = [f"{100 * scores[name][task].success:.1f}" for name in AGENTS]
        steps = [f"{scores[name][task].steps:.1f}" for name in ("exploring", "planner")]
        table.add_row(task, str(scores["planner"][task].games), *rates, *steps)
    console = Console()
    console.print(table)
    console.print(f"{rate:,.0f} steps/s, reset {reset:.2f} ms; {agreed} of {arguments.walks} walks agree,")
    console.print(f"{refused} calls refused, {forced} targets not seen")
    figures = [
        Figure("steps", "random steps a second on a core, admissible commands included", rate, "steps/s", digits=0,
               target=Target("at least", 5000)),
        Figure("reset", "reset of a loaded game", reset, "ms", digits=2, target=Target("at most", 5.0)),
        Figure("expert", "games won by the expert", sum(each.won for each in played["planner"]), of=len(games),
               target=Target("at least", 100)),
        Figure("exploring", "games won by the exploring agent in 50 commands",
               sum(each.won for each in played["exploring"]), of=len(games)),
        Figure("twin", "random walks of 50 commands after each of which the room's facts are the words'", agreed,
               of=arguments.walks, target=Target("at least", 100)),
    ]  # fmt: skip
    if arguments.alfworld:
        same, total, won, theirs = recorded(arguments.alfworld, games[: arguments.recorded])
        console.print(f"ALFWorld: {same} of {total} turns the same, {won} walkthroughs won, {theirs:.1f} steps/s")
        figures += [
            Figure("same", "turns whose observation, score, done and admissible commands are ALFWorld's", same,
                   of=total, target=Target("at least", 100)),
            Figure("walkthroughs", "walkthroughs that win in unmodified ALFWorld", won, of=arguments.recorded,
                   target=Target("at least", 100)),
            Figure("alfworld_steps", "ALFWorld's steps a second in the same games", theirs, "steps/s", digits=1),
        ]  # fmt: skip
    keep(arguments, Report(
        name="text_games",
        group="ALFRED",
        title="Text games",
        explanation="ALFWorld's text games without a grammar engine, drawn on the fly for all thirteen tasks.",
        figures=tuple(figures),
        tables=(from_rich(table),),
    ))  # fmt: skip


def _played(name: str, games: Sequence[Game]) -> list[Played]:
    agent = AGENTS[name]()
    return [play_index(agent, games, index, 0, MOST_STEPS) for index in range(len(games))]


if __name__ == "__main__":
    main()
