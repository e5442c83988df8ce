"""Our game files in unmodified ALFWorld: its planner's expert, our walkthroughs, and the same texts turn by turn.

    python -m benchmarks.alfworld PYTHON [--folder FOLDER] [--expert 200] [--walkthroughs 500] [--extended 100]
                                  [--traces 100] [--stock 60] [--workers 2] [--save] [--json FILE]

``PYTHON`` has ``alfworld`` 0.4.2 and ``textworld`` 1.7.0. Episodes are generated and exported as game files, and
``tests/replay/alfred/record.py`` plays them there, some games for each task in turn: types 1 to 6 by ALFWorld's
expert that plans by Fast Downward, all by their walkthroughs, some by 30 random commands, of which every turn is
compared with ours; ``--stock`` games have ALFWorld's own domain and grammar in place of ours, and 15 % of their random
commands are malformed. ``--folder`` keeps all of it, and an interrupted run goes on there; ``--only`` counts what is
there. All times are CPU seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.alfred.export.exporter import AlfworldExporter
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import TASK_TYPES, read_game

RECORDER = ROOT / "tests" / "replay" / "alfred" / "record.py"
PLAIN = "plain"
"""Games of types 1 to 6 without slices: those that ALFWorld collects."""
EXTENDED = "extended"


def exported(folder: Path, plain: int, extended: int) -> dict[str, list[Path]]:
    """Return so many game files of either sort in an order that mixes the tasks, generated if they are not there.

    Three in ten episodes are sliced or movable.
    """
    episodes = max(plain * 3 // 2, extended * 4)
    data = folder / "data"
    options = (("annotations", 1), ("demonstrations", 1))
    run(GenerateConfig("alfred", episodes, options=options), data)
    AlfworldExporter().write(Dataset(data), folder / "games")
    index = json.loads((folder / "games" / "index.json").read_text("utf-8"))
    found: dict[str, list[Path]] = {PLAIN: [], EXTENDED: []}
    for name, told in sorted(index.items(), key=lambda item: item[1]["episode"]):
        six = told["task"].rsplit("/", 1)[-1] in list(TASK_TYPES.values())[:6]
        found[PLAIN if six else EXTENDED].append(folder / "games" / "json_2.1.1" / name / "game.tw-pddl")
    if len(found[PLAIN]) < plain or len(found[EXTENDED]) < extended:
        raise SystemExit(f"{len(found[PLAIN])} games of types 1 to 6 and {len(found[EXTENDED])} others are too few")
    return {PLAIN: found[PLAIN][:plain], EXTENDED: found[EXTENDED][:extended]}


STOCK = """
from alfworld.info import ALFRED_PDDL_PATH, ALFRED_TWL2_PATH
from json import dumps
from pathlib import Path
print(dumps([Path(path).read_text() for path in (ALFRED_PDDL_PATH, ALFRED_TWL2_PATH)]))
"""


def stock_games(python: str, folder: Path, games: Sequence[Path]) -> list[Path]:
    """Return games with the domain and the grammar that come with ALFWorld, whose problems are ours.

    What our domain adds is left out: how much effort it takes to handle what the goal is not about.
    """
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    told = subprocess.run([python, "-c", STOCK], env=outside, capture_output=True, text=True, check=True, cwd=folder)
    domain, grammar = json.loads(told.stdout)
    found = []
    for number, path in enumerate(games):
        game = json.loads(path.read_text("utf-8"))
        lines = game["pddl_problem"].split("\n")
        game["pddl_problem"] = "\n".join(line for line in lines if "(= (effort " not in line)
        game["pddl_domain"] = domain
        game["grammar"] = grammar.replace("UNKNOWN GOAL", read_game(path).sentence)
        own = folder / "stock" / str(number) / path.name
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(json.dumps(game), encoding="utf-8")
        (own.parent / "traj_data.json").write_bytes((path.parent / "traj_data.json").read_bytes())
        found.append(own)
    return found


def work(games: Mapping[str, Sequence[Path]], experts: int, traces: int) -> list[tuple[str, list[str]]]:
    """Return the games with what is recorded of each, so mixed that any first part has a like share of all."""
    plain, extended = games[PLAIN], games[EXTENDED]
    share = traces * len(extended) // max(len(plain) + len(extended), 1)
    ways: list[tuple[float, str, list[str]]] = []
    for sort, most in ((plain, traces - share), (extended, share)):
        for number, path in enumerate(sort):
            asked = ["walk"]
            asked += ["random"] * _spread(number, most, len(sort))
            asked += ["expert"] * (sort is plain and _spread(number, experts, len(sort)))
            ways.append(((number + 0.5) / len(sort), str(path), asked))
    return [(path, asked) for _, path, asked in sorted(ways)]


def _spread(number: int, count: int, of: int) -> bool:
    """Return whether a number is one of so many that are spread evenly over a range."""
    return (number + 1) * count // of > number * count // of


def record(python: str, folder: Path, asked: Sequence[tuple[str, list[str]]], workers: int) -> None:
    """Play what is asked for in so many processes, each with its part of the games."""
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    running = []
    for number in range(workers):
        listed = folder / f"work-{number}.json"
        listed.write_text(json.dumps(asked[number::workers]), encoding="utf-8")
        command = [python, str(RECORDER), str(folder / f"record-{number}.jsonl"), str(listed)]
        running.append(subprocess.Popen(command, env=outside, cwd=folder))
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("ALFWorld's recorder failed")


def recorded(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what was recorded of each game."""
    for path in sorted(folder.glob("record-*.jsonl")):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def same_turns(path: Path, turns: Sequence[Sequence[Any]]) -> int:
    """Return how many turns are the same in our hands."""
    play = TextGame(read_game(path))
    observation, score, done = play.reset(), int(play.won), play.won
    same = 0
    for number, (command, *expected) in enumerate(turn[:5] for turn in turns):
        if number:
            turn = play.step(command)
            observation, score, done = turn.observation, int(play.won), turn.terminated
        same += [observation, score, done, list(play.admissible())] == expected
    return same


def figures(lines: Sequence[dict[str, Any]], extended: set[str]) -> Iterator[Figure]:
    """Yield the figures of what was recorded."""
    every = Target("at least", 100.0)

    def won(way: str, of_extended: bool) -> tuple[int, int]:
        chosen = [line[way]["won"] for line in lines if way in line and (line["path"] in extended) == of_extended]
        return sum(chosen), len(chosen)

    for name, label, way, sort in (
        ("expert", "games of types 1 to 6 won by ALFWorld's expert that plans by Fast Downward", "expert", False),
        ("walkthroughs", "walkthroughs of types 1 to 6 that win in ALFWorld", "walk", False),
        ("extended", "walkthroughs of sliced and movable games that win in ALFWorld", "walk", True),
    ):
        value, count = won(way, sort)
        if count:
            yield Figure(name, label, value, of=count, target=every)
    traces = [(same_turns(Path(line["path"]), line["random"]["turns"]), line["random"]) for line in lines
              if "random" in line]  # fmt: skip
    if not traces:
        return
    turns = [len(trace["turns"]) for _, trace in traces]
    whole = sum(same == count for (same, _), count in zip(traces, turns, strict=True))
    yield Figure("games", "games whose 30 random commands are answered as ALFWorld answers", whole, of=len(traces),
                 target=every)  # fmt: skip
    yield Figure("turns", "turns with the same observation, score, done and admissible commands",
                 sum(same for same, _ in traces), of=sum(turns), target=every)  # fmt: skip
    steps = sum(trace["steps"] for _, trace in traces) / sum(trace["seconds"] for _, trace in traces)
    yield Figure("steps", "ALFWorld's steps a second, its resets included", steps, "steps/s", digits=1)
    load = sum(line["load"] for line in lines) / len(lines)
    yield Figure("load", "ALFWorld loads a game", load, "s", digits=2)


def stock_figures(lines: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """Yield the figures of the games with ALFWorld's own domain and grammar."""
    every = Target("at least", 100.0)
    traces = [(same_turns(Path(line["path"]), line["malformed"]["turns"]), len(line["malformed"]["turns"]))
              for line in lines if "malformed" in line]  # fmt: skip
    if traces:
        yield Figure("games", "games whose commands, 15 % of them malformed, are answered as ALFWorld answers",
                     sum(same == count for same, count in traces), of=len(traces), target=every)  # fmt: skip
        yield Figure("turns", "turns with the same observation, score, done and admissible commands",
                     sum(same for same, _ in traces), of=sum(count for _, count in traces), target=every)  # fmt: skip


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("python", metavar="PYTHON", help="a Python that has alfworld 0.4.2 and textworld 1.7.0")
    parser.add_argument("--folder", type=Path, help="where games and records are kept")
    parser.add_argument("--expert", type=int, default=200, help="games that ALFWorld's expert plays")
    parser.add_argument(
        "--walkthroughs", type=int, default=500, help="walkthroughs of types 1 to 6; 0 for none of our games"
    )
    parser.add_argument("--extended", type=int, default=100, help="walkthroughs of sliced and movable games")
    parser.add_argument("--traces", type=int, default=100, help="games with 30 random commands")
    parser.add_argument("--stock", type=int, default=60, help="games with ALFWorld's own domain, 15 %% malformed")
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    parser.add_argument("--only", action="store_true", help="count what is recorded already")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        games = exported(folder, max(arguments.walkthroughs, arguments.stock), arguments.extended)
        if not arguments.only:
            ours = {PLAIN: games[PLAIN][: arguments.walkthroughs], EXTENDED: games[EXTENDED]}
            asked = work(ours, arguments.expert, arguments.traces)
            stock = stock_games(arguments.python, folder, games[PLAIN][: arguments.stock])
            asked += [(str(path), ["malformed"]) for path in stock]
            record(arguments.python, folder, asked, arguments.workers)
        lines = list(recorded(folder))
        found = tuple(figures(lines, set(map(str, games[EXTENDED]))))
        stocked = tuple(stock_figures(lines))
    console = Console()
    for figure in (*found, *stocked):
        console.print(f"{figure.label}: {figure.value:g}{f' of {figure.of}' if figure.of else ''}")
    if stocked:
        keep(arguments, Report(
            name="alfworld_stock",
            group="ALFRED",
            title="Text games with ALFWorld's own domain",
            explanation="Our problems with the domain and the grammar of ALFWorld 0.4.2, in its unmodified code.",
            figures=stocked,
        ))  # fmt: skip
    if not arguments.walkthroughs:
        return
    keep(arguments, Report(
        name="alfworld",
        group="ALFRED",
        title="Text games in ALFWorld",
        explanation="Game files of `export --format alfworld`, played in unmodified ALFWorld 0.4.2.",
        figures=found,
    ))  # fmt: skip


if __name__ == "__main__":
    main()
