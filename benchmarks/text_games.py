"""ALFWorld's text games: speed, batches, the expert, baselines, and the THOR twin.

    python -m benchmarks.text_games [--games 2000] [--walks 1000] [--save] [--json FILE]

Games are drawn on the fly, as many of each of the thirteen tasks. A batch of 64 is played by two processes, by
ALFWorld's own calls. All times are CPU seconds; ``benchmarks.alfworld`` measures ALFWorld beside.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, keep
from benchmarks.corpora.games import TASKS, walk
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.drawing import make_games
from chorewright.generator.alfred.games import AGENTS, GameScore, by_task, play_game
from chorewright.generator.measuring.evaluation import random_numbers
from chorewright.replay.alfred.batches import MOST_STEPS, GameBatch
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import GameFiles
from chorewright.replay.alfred.textworld import game_file
from chorewright.replay.alfred.twin import Twin

STEPS = 200
BATCH, PROCESSES = 64, 2
"""Games played at a time, and the processes that play them."""


def drawn(count: int) -> list[Game]:
    """Return so many games, task by task in turn."""
    draws = [make_games([task]) for task in TASKS]
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


def batch_speed(games: Sequence[Game]) -> float:
    """Return steps a second of a batch in two processes, one to a core: all steps by the slower one's CPU time."""
    with TemporaryDirectory() as folder:
        paths = []
        for number, game in enumerate(games[:BATCH]):
            path = Path(folder) / f"{number}.tw-pddl"
            path.write_text(json.dumps(game_file(game, True)), encoding="utf-8")
            paths.append(str(path))
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            parts = pool.map(_play_batch, [paths[number::PROCESSES] for number in range(PROCESSES)], chunksize=1)
    return sum(steps for steps, _ in parts) / max(seconds for _, seconds in parts)


def _play_batch(paths: list[str]) -> tuple[int, float]:
    batch = GameBatch(GameFiles(paths), len(paths), max_steps=None)
    _, infos = batch.reset()
    rng = np.random.default_rng(0)
    began = time.process_time()
    for _ in range(STEPS):
        chosen = [known[int(rng.integers(len(known)))] for known in infos["admissible_commands"]]
        _, _, _, infos = batch.step(chosen)
    return STEPS * len(paths), time.process_time() - began


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


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--games", type=int, default=2000, help="games drawn")
    parser.add_argument("--walks", type=int, default=1000, help="random walks of 50 commands in words and in the room")
    arguments = parser.parse_args()
    games = drawn(arguments.games)
    rate, reset = speed(games[:200])
    batch = batch_speed(games)
    played = {name: _played(name, games) for name in AGENTS}
    agreed, refused, forced = twin_walks(games, arguments.walks)
    table = Table("task", "games", *(f"{name}, %" for name in AGENTS), "exploring, commands", "planner, commands")
    scores = {name: by_task(each) for name, each in played.items()}
    for task in scores["planner"]:
        rates = [f"{100 * scores[name][task]['success']:.1f}" for name in AGENTS]
        steps = [f"{scores[name][task]['steps']:.1f}" for name in ("exploring", "planner")]
        table.add_row(task, str(scores["planner"][task]["games"]), *rates, *steps)
    console = Console()
    console.print(table)
    console.print(f"{rate:,.0f} steps/s, batch {batch:,.0f} steps/s, reset {reset:.2f} ms;")
    console.print(f"{agreed} of {arguments.walks} walks agree,")
    console.print(f"{refused} calls refused, {forced} targets not seen")
    figures = [
        Figure("steps", "random steps a second on a core, admissible commands included", rate, "steps/s", digits=0,
               target=Target("at least", 5000)),
        Figure("batch", f"steps a second of {BATCH} games in a batch on {PROCESSES} cores", batch, "steps/s", digits=0,
               target=Target("at least", 8000)),
        Figure("reset", "reset of a loaded game", reset, "ms", digits=2, target=Target("at most", 5.0)),
        Figure("expert", "games won by the expert", sum(each.won for each in played["planner"]), of=len(games),
               target=Target("at least", 100)),
        Figure("exploring", "games won by the exploring agent in 50 commands",
               sum(each.won for each in played["exploring"]), of=len(games)),
        Figure("twin", "random walks of 50 commands after each of which the room's facts are the words'", agreed,
               of=arguments.walks, target=Target("at least", 100)),
    ]  # fmt: skip
    keep(arguments, Report(
        name="text_games",
        group="ALFRED",
        title="Text games",
        explanation="ALFWorld's text games without a grammar engine, drawn on the fly for all thirteen tasks.",
        figures=tuple(figures),
        tables=(from_rich(table),),
    ))  # fmt: skip


def _played(name: str, games: Sequence[Game]) -> list[GameScore]:
    agent = AGENTS[name]()
    return [play_game(agent, game, random_numbers(0, index), MOST_STEPS) for index, game in enumerate(games)]


if __name__ == "__main__":
    main()
