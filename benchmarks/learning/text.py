"""A policy for ALFRED's text games, learned from the expert: plain imitation beside DAgger, over the number of games.

    python -m benchmarks.learning.text --work FOLDER [--games 100 300 1000] [--trials 300] [--save] [--json FILE]

Needs torch (benchmarks/learning/requirements.txt). Games of all thirteen tasks are drawn in ALFRED's training rooms,
and ``chorewright.collect`` writes what the expert says. By imitation all N games are the expert's; by DAgger half of
them, then the policy so far plays a quarter each, with the expert's answers as labels. The policy ranks the admissible
commands from what it has read (``text_policy``, ``text_training``) and is tried in new games of 50 commands, in rooms
that it has never seen: ALFRED's unseen floor plans. What the folder holds is not made again. Minutes are CPU minutes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import chorewright as cw
from benchmarks.command import from_rich, keep
from benchmarks.learning.kept import (
    cpu_minutes,
    kept,
    learner_parser,
    megabytes,
    run_module,
    tell_memory,
    with_interval,
)
from benchmarks.learning.text_policy import TextPolicy
from benchmarks.results import Figure, Peer, Report, Target
from chorewright.generator import Dataset

BUILDINGS = (0, 200, 300, 400)
UNSEEN = (10, 219, 308, 424)
TESTS = (9, 29, 215, 226, 315, 325, 404, 425)
"""Rooms of ALFRED's unseen validation and test."""

SEEN = tuple(first + n for first in BUILDINGS for n in range(1, 31) if first + n not in UNSEEN + TESTS)

ALFWORLD = (
    *("look_at_obj_in_light", "pick_and_place_simple", "pick_clean_then_place_in_recep"),
    *("pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place"),
)
"""The six tasks that ALFWorld has games of."""

IMITATION, DAGGER = "imitation", "DAgger"
ROUNDS = 2
MOST_STEPS = 50

BUTLER = Peer(
    "ALFWorld's BUTLER", "37 %", "Shridhar et al. 2021: their games, six tasks, actions generated as text, unseen rooms"
)


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a way to learn from so many games.

    Attributes:
        way: Imitation or DAgger.
        games: How many games the data are of.
        minutes: What the data took.
        megabytes: How large they are.
        training: What all trainings took, in minutes.
        moments: Labels of the last training.
        won: Games won in unseen rooms, and how many were played.
    """

    way: str
    games: int
    minutes: float
    megabytes: float
    training: float
    moments: int
    won: tuple[int, int]


class TextBench:
    """Collects games, trains and plays in a folder; what is there is not made again."""

    def __init__(self, folder: Path, trials: int, epochs: int, console: Console | None = None) -> None:
        self._folder, self._trials, self._epochs = folder, trials, epochs
        self._console = console or Console(quiet=True)
        folder.mkdir(parents=True, exist_ok=True)

    def learn(self, way: str, games: int) -> Learned:
        """Return what comes of learning from so many games."""
        folders, trainings, minutes, name = [], [], 0.0, f"{way.lower()}-{games}"
        rounds = ROUNDS if way == DAGGER else 0
        first = games // 2 if rounds else games
        for number in range(rounds + 1):
            weights = self.weights(name, number - 1) if number else None
            count = (games - first) // rounds if number else first
            folder, spent = self._collect(f"{name}-{number}", count, number, weights, SEEN)
            folders.append(folder)
            minutes += spent
            trainings.append(self._train(self.weights(name, number), folders))
        won = self.play(name, rounds, UNSEEN, ())
        return Learned(
            way,
            games,
            minutes,
            sum(map(megabytes, folders)),
            sum(each["cpu_seconds"] for each in trainings) / 60,
            trainings[-1]["moments"],
            won,
        )

    def weights(self, name: str, number: int) -> Path:
        """Return the file of the weights after a round."""
        return self._folder / f"{name}-{number}.npz"

    def play(self, name: str, number: int, rooms: Sequence[int], tasks: Sequence[str]) -> tuple[int, int]:
        """Return how many new games a policy wins in some rooms, and of how many."""
        where = "unseen" if rooms is UNSEEN else "seen"
        played = f"{name}-{where}-{len(tasks) or 'all'}-{self._trials}"
        made = Dataset(self._collect(played, self._trials, 1000, self.weights(name, number), rooms, tasks)[0])
        return sum(each.extra("reached") == "true" for each in made), len(made)

    def _collect(
        self, name: str, games: int, seed: int, weights: Path | None, rooms: Sequence[int], tasks: Sequence[str] = ()
    ) -> tuple[Path, float]:
        """Write rollouts of a policy, or of the expert without weights; return the folder and the minutes."""
        folder, scenes = self._folder / name, tuple(f"FloorPlan{number}" for number in rooms)
        policy, beta = (_wait, 1.0) if weights is None else (TextPolicy(weights), 0.0)

        def collect() -> None:
            self._console.print(f"collect {games} games: {name}", highlight=False)
            env = cw.make_env("ALFWorld-v0", scenes=scenes, tasks=tuple(tasks))
            cw.collect(
                env,
                policy,
                folder,
                episodes=games,
                beta=beta,
                seed=seed,
                most_steps=MOST_STEPS,
                infos=("admissible_commands",),
            )

        return folder, cpu_minutes(folder.with_name(f"{name}.minutes"), collect)

    def _train(self, weights: Path, folders: Sequence[Path]) -> dict[str, Any]:
        """Train on datasets; return what the training says of itself."""
        words = ["benchmarks.learning.text_training", *map(str, folders), "--out", str(weights)]
        words += ["--epochs", str(self._epochs)]
        return kept(weights.with_suffix(".json"), lambda: json.loads(run_module(words, self._console)))


def _wait(observation: object, info: Mapping[str, object]) -> str:
    """Return the command of a policy that is never asked."""
    return "look"


def show(rows: Sequence[Learned]) -> Table:
    """Return a table of what was learned."""
    table = Table(title="games won in unseen rooms")
    for column in ("way", "games", "MB", "data, min", "labels", "trained, min", "won (95 %)"):
        table.add_column(column, justify="left" if column == "way" else "right")
    for row in rows:
        table.add_row(
            row.way, f"{row.games}", f"{row.megabytes:.1f}", f"{row.minutes:.1f}", f"{row.moments}",
            f"{row.training:.1f}", with_interval(*row.won),
        )  # fmt: skip
    return table


def figures(rows: Sequence[Learned], more: Mapping[str, tuple[int, int]]) -> list[Figure]:
    """Return the figures of what was learned; the target is that of the last row."""
    found = []
    for row in rows:
        last = row is rows[-1]
        won, of = row.won
        found.append(
            Figure(
                f"{row.way.lower()}-{row.games}",
                f"games won in unseen rooms, {row.way} from {row.games} games",
                won,
                of=of,
                target=Target("at least", 80) if last else None,
                peers=(BUTLER,) if last else (),
                note=with_interval(won, of),
            )
        )
    found += [
        Figure(f"last-{number}", f"the same policy: {what}", won, of=of)
        for number, (what, (won, of)) in enumerate(more.items())
    ]
    spent = rows[-1].minutes + rows[-1].training
    found.append(Figure("minutes", "data and training of the last", spent, "CPU min", digits=1))
    return found


def main() -> None:
    """Learn from each number of games in both ways."""
    parser = learner_parser(__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--trials", type=int, default=300, help="games in which a policy is tried")
    parser.add_argument("--epochs", type=int, default=5)
    asked, console = parser.parse_args(), Console()
    bench = TextBench(asked.work.resolve(), asked.trials, asked.epochs, console)
    rows = [bench.learn(way, games) for way in (IMITATION, DAGGER) for games in asked.games]
    name = f"{DAGGER.lower()}-{asked.games[-1]}"
    more = {
        "games won in seen rooms": bench.play(name, ROUNDS, SEEN, ()),
        "games of ALFWorld's six tasks won in unseen rooms": bench.play(name, ROUNDS, UNSEEN, ALFWORLD),
    }
    table = show(rows)
    console.print(table)
    for what, (won, of) in more.items():
        console.print(f"{what}: {won} of {of}", highlight=False)
    tell_memory(console)
    told = (
        "A small network ranks the admissible commands from the goal, observations and what it did; it is not told "
        "where things are. All thirteen tasks, 50 commands, ALFRED's unseen floor plans. 95 % intervals."
    )
    report = Report(
        name="learning_text",
        group="ALFRED",
        title="A policy for text games, learned from the expert",
        explanation=told,
        figures=tuple(figures(rows, more)),
        tables=(from_rich(table),),
    )
    keep(asked, report)


if __name__ == "__main__":
    main()
