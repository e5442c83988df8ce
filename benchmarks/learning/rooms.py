"""A policy for the rooms, learned from generated demonstrations: how well it does in rooms that it has not seen.

    python -m benchmarks.learning.rooms --work FOLDER [--episodes 400] [--games 100] [--epochs 8] [--batch 256]
                                        [--workers 2] [--variants usual neither ...] [--save] [--json FILE]

Needs torch (benchmarks/learning/requirements.txt). The policy (``rooms_policy``) is told the sentence of the subgoal;
the next one comes when the subgoal is done: a walk when what comes next can be done from where the agent is, an
interaction when it succeeds with a thing of its kind. A task is done when its goal holds within three times the
expert's steps. Each subgoal is also tried by itself, from where the expert begins it. Rooms of the test are ALFRED's
valid_unseen. What the folder holds is not made again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.command import from_rich, keep
from benchmarks.learning.kept import kept, learner_parser, megabytes, tell_memory, with_interval
from benchmarks.learning.rooms_frames import (
    FAILED,
    SIDE,
    STOP,
    Frames,
    Game,
    Names,
    frames_of,
    hashed,
    kind_of,
    sentence_of,
    spread,
)
from benchmarks.results import Figure, Report, Target
from chorewright.generator import Dataset
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.production.line import run
from chorewright.replay.household.executor import MOVES
from chorewright.replay.simulator import Frame

if TYPE_CHECKING:
    from benchmarks.learning.rooms_policy import RoomNetwork

TASKS = ("pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep")
PATIENCE = 3
"""How many times the expert's steps a policy may take."""

SHARPNESS = 2.0
"""By how much scores of actions are multiplied before one is drawn: some chance is left, or a policy turns forever."""

STALLED = 10
"""Failures in a row after which a policy is taken to be stuck, as ALFRED does."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What a policy learns from, and what it is given."""

    what: str
    noise: float = 0.1
    looks: int = 0
    share: float = 1.0
    sees: bool = True
    reads: bool = True


VARIANTS = {
    "usual": Variant("picture, sentence, last actions; noise"),
    "neither": Variant("last actions only", sees=False, reads=False),
    "blind": Variant("no picture", sees=False),
    "deaf": Variant("no sentence", reads=False),
    "quiet": Variant("no noise", noise=0.0),
    "looks": Variant("each episode in another look", looks=1),
    "half": Variant("half of the frames", share=0.5),
    "quarter": Variant("a quarter of the frames", share=0.25),
}


@dataclass(frozen=True, slots=True)
class Played:
    """How an episode went.

    Attributes:
        done: Whether its task was done.
        subgoals: Subgoals done one after the other.
        of: Their number.
        each: Subgoals done from where the expert begins them.
    """

    done: bool
    subgoals: int
    of: int
    each: int


def make(folder: Path, episodes: int, split: str, noise: float, workers: int) -> Dataset:
    """Return a dataset of ALFRED's; it is made, or completed, if it is not there."""
    options = (
        ("tasks", tuple(f"alfred/{name}" for name in TASKS)),
        ("splits", (split,)),
        ("annotations", 1 if split == "train" else 3),
        ("demonstrations", 1),
        *((("noise", noise),) if noise else ()),
    )
    run(GenerateConfig("alfred", episodes, seed=1, options=options), folder, workers=workers)
    return Dataset(folder)


def play(folder: Path, weights: Path, index: int) -> Played:
    """Let a policy play an episode, and each subgoal from where the expert begins it."""
    from benchmarks.learning.rooms_policy import load

    network, episode = load(weights), Dataset(folder)[index]
    game, count, rng = Game(episode), len(episode.segments) - 1, np.random.default_rng((episode.seed, index))
    go(game, network, count, len(episode.steps), rng)
    each = 0
    for segment in range(count):
        begun = Game(episode)
        begun.lead(segment)
        go(begun, network, segment + 1, sum(step.segment == segment for step in episode.steps), rng)
        each += begun.segment > segment
    return Played(game.won(), game.segment, count, each)


def go(game: Game, network: RoomNetwork, segment: int, steps: int, rng: np.random.Generator) -> None:
    """Let a policy act until it comes to a subgoal, gives up or is stuck, or has taken the expert's steps too often."""
    names, failures = network.names, 0
    for _ in range(PATIENCE * steps):
        frame = game.frame(SIDE)
        last = [1 + names.actions.index(name) if name in names.actions else 0 for name in game.last]
        scores, things = network.look(frame.rgb, hashed(sentence_of(game.episode, game.segment)), last)
        chances = np.exp(SHARPNESS * (scores - scores.max()))
        for name in (STOP, FAILED):
            if name in names.actions and (name == FAILED or game.segment < len(game.episode.segments) - 1):
                chances[names.actions.index(name)] = 0.0
        name = names.actions[int(rng.choice(len(chances), p=chances / chances.sum()))]
        if name == STOP:
            break
        thing = "" if name in MOVES.values() else _nearest(frame, names.kinds, things)
        failures = 0 if game.act(name, thing) else failures + 1
        if failures >= STALLED or game.segment >= segment:
            break


def _nearest(frame: Frame, kinds: Sequence[str], scores: NDArray[np.float64]) -> str:
    """Return the nearest thing in view of the likeliest kind in view; nothing if there is none."""
    best: tuple[float, float, str] | None = None
    for number in np.unique(frame.instances):
        name = frame.names[number] if number >= 0 else ""
        if kind_of(name) in kinds:
            far = float(frame.depth[frame.instances == number].min())
            one = (-float(scores[kinds.index(kind_of(name))]), far, name)
            best = one if best is None or one < best else best
    return best[2] if best else ""


@dataclass(frozen=True, slots=True)
class RoomsLearned:
    """What came of a variant: frames, minutes of data and training, megabytes, and its games."""

    name: str
    frames: int
    made: float
    trained: float
    megabytes: float
    games: tuple[Played, ...]

    @property
    def tasks(self) -> tuple[int, int]:
        """Tasks done, and how many were tried."""
        return sum(each.done for each in self.games), len(self.games)

    @property
    def subgoals(self) -> tuple[int, int]:
        """Subgoals done one after the other, and how many there are."""
        return sum(each.subgoals for each in self.games), sum(each.of for each in self.games)

    @property
    def each(self) -> tuple[int, int]:
        """Subgoals done from where the expert begins them, and how many there are."""
        return sum(game.each for game in self.games), self.subgoals[1]


@lru_cache(maxsize=1)
def _frames(folder: Path, looks: int, share: float, workers: int) -> tuple[Frames, Names]:
    """Return the frames of a dataset; they are kept, as variants share them."""
    return frames_of(Dataset(folder), looks, share, workers)


def learn(asked: argparse.Namespace, name: str, console: Console) -> RoomsLearned:
    """Return what comes of a variant; what its folder holds is not made again."""
    from benchmarks.learning.rooms_policy import save, train

    variant = VARIANTS[name]
    test = make(asked.work / "unseen", asked.games, "valid_unseen", 0.0, asked.workers)

    def played() -> dict[str, Any]:
        began = time.perf_counter()
        data = make(asked.work / f"train-{variant.noise:g}", asked.episodes, "train", variant.noise, asked.workers)
        frames, names = _frames(Path(str(data.folder)), variant.looks, variant.share, asked.workers)
        made = time.perf_counter() - began
        network, trained = train(frames, names, variant.sees, variant.reads, asked.epochs, 0, asked.batch)
        save(network, asked.work / f"{name}.pt")
        size = megabytes(Path(str(data.folder)))
        told = {"frames": len(frames.actions), "made": made / 60, "trained": trained / 60, "megabytes": size}
        console.print(f"{name}: {told}", highlight=False)
        work = partial(play, Path(str(test.folder)), asked.work / f"{name}.pt")
        return {**told, "games": [astuple(each) for each in spread(work, range(len(test)), asked.workers)]}

    told = kept(asked.work / f"{name}.json", played)
    games = tuple(Played(*game) for game in told.pop("games"))
    return RoomsLearned(name, games=games, **told)


def show_rooms(rows: Sequence[RoomsLearned]) -> Table:
    """Return a table of variants."""
    table = Table(title="one policy over three of ALFRED's tasks, in rooms that it has not seen")
    columns = ("", "learned from", "frames", "MB", "made, min", "trained, min", "tasks done", "subgoals in a row")
    for column in (*columns, "each subgoal"):
        table.add_column(column, justify="left" if column in ("", "learned from") else "right")
    for row in rows:
        table.add_row(
            row.name, VARIANTS[row.name].what, f"{row.frames}", f"{row.megabytes:.1f}", f"{row.made:.1f}",
            f"{row.trained:.1f}", with_interval(*row.tasks), with_interval(*row.subgoals), with_interval(*row.each),
        )  # fmt: skip
    return table


def room_figures(rows: Sequence[RoomsLearned]) -> list[Figure]:
    """Return the figures of variants; the target is three times what the policy without pictures and sentences does."""
    found = []
    least = next((row.tasks for row in rows if row.name == "neither"), None)
    for row in rows:
        (done, count), (some, of), (each, _) = row.tasks, row.subgoals, row.each
        what = VARIANTS[row.name].what
        found.append(Figure(f"{row.name}_tasks", f"tasks done, {what}", done, of=count))
        found.append(Figure(f"{row.name}_subgoals", f"subgoals done one after the other, {what}", some, of=of))
        found.append(Figure(f"{row.name}_each", f"subgoals done from the expert's start, {what}", each, of=of))
        if row.name == "usual" and least is not None and least[0]:
            ratio = (done / count) / (least[0] / least[1])
            found.append(
                Figure(
                    "ratio",
                    "tasks done, times those of the policy with neither",
                    ratio,
                    digits=1,
                    target=Target("at least", 3),
                )
            )
    return found


def main() -> None:
    """Learn and play the variants."""
    parser = learner_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=["usual", "neither"])
    parser.add_argument("--episodes", type=int, default=400, help="demonstrations to learn from")
    parser.add_argument("--games", type=int, default=100, help="tasks in rooms not seen")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=256, help="frames of a step of training")
    asked, console = parser.parse_args(), Console()
    asked.work.mkdir(parents=True, exist_ok=True)
    rows = [learn(asked, name, console) for name in asked.variants]
    table = show_rooms(rows)
    console.print(table)
    tell_memory(console)
    keep(
        asked,
        Report(
            name="learning_rooms",
            group="ALFRED",
            title="A policy learned from generated demonstrations in rooms that it has not seen",
            explanation="A small convolutional network from pictures of 64 x 64; sentences of subgoals, one after the "
            "other as they are done. 95 % intervals.",
            figures=tuple(room_figures(rows)),
            tables=(from_rich(table),),
        ),
    )


if __name__ == "__main__":
    main()
