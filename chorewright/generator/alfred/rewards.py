"""The household as tasks for language models: rooms and wishes, played as ALFWorld's text games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.lazily import Remembered
from chorewright.generator.alfred.drawing import make_rounds
from chorewright.generator.alfred.options import settings
from chorewright.generator.household.scene_names import find_rooms
from chorewright.generator.rewards.drawing import SPLITS, random_numbers
from chorewright.generator.rewards.playing import GameKind, score_of_goal
from chorewright.generator.rewards.task import Facts, RewardTask, Score, check_choice
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.games.engine import Play

EVAL_ROOMS = ("valid_unseen", "tests_unseen")
"""ALFRED's splits whose rooms are those of the evaluation split."""

TOLD_ALIKE = ("FloorPlan412", "FloorPlan417", "FloorPlan428")
"""Rooms with the furniture of a room for evaluation, so that games in both may be told alike; they are of no split."""

ROUND, WISHES = 8, 4
"""So many tasks of successive numbers are made together, and so many in a room: to scatter it takes longest."""

MOST_KEPT = 32
"""Rounds."""


class DrawnGames:
    """Games by what they were drawn with; the last ones are kept, so that a judge draws none again."""

    def __init__(self) -> None:
        self._draws: Remembered[Callable[[np.random.Generator, int], list[Game]]] = Remembered()
        self._rounds: Remembered[list[Game]] = Remembered(MOST_KEPT)

    def game(self, facts: Facts) -> Game:
        """Return the game of a task."""
        number, place = divmod(facts["index"], ROUND)
        about = (tuple(facts["tasks"]), tuple(facts["scenes"])), facts["seed"], number
        return self._rounds.of(self, about, lambda: self._round(*about))[int(place)]

    def _round(self, source: tuple[tuple[str, ...], tuple[str, ...]], seed: int, number: int) -> list[Game]:
        draw = self._draws.of(self, source, lambda: make_rounds(*source))
        rng, games = random_numbers("household", seed, number), list[Game]()
        while len(games) < ROUND:
            games += draw(rng, min(WISHES, ROUND - len(games)))
        return [games[int(each)] for each in rng.permutation(ROUND)]


GAMES = DrawnGames()


@dataclass(frozen=True, kw_only=True)
class HouseholdKind(GameKind):
    """Do what is wished in a room.

    Attributes:
        tasks: Names of ALFRED's tasks, of which one is drawn; all by default.
        scenes: Rooms, of which one is drawn; all of the split's by default.
        split: ``eval`` for the rooms of ALFRED's unseen splits, ``train`` for others.
    """

    name: ClassVar[str] = "household"
    tasks: Sequence[str] = ()
    scenes: Sequence[str] = ()
    split: str = "train"

    def __post_init__(self) -> None:
        check_choice("split", self.split, SPLITS)
        self.rooms()

    def rooms(self) -> tuple[str, ...]:
        """Return the rooms that tasks are in.

        Raises:
            UsageError: There are none, or a room is not there.
        """
        unseen = {name for split in EVAL_ROOMS for name in settings().folds[split]}
        named = (name for name in find_rooms(self.scenes) if name not in TOLD_ALIKE)
        rooms = tuple(name for name in named if (name in unseen) == (self.split == "eval"))
        if not rooms:
            raise UsageError(f"none of these rooms is of the split {self.split}", hint=", ".join(sorted(unseen)))
        return rooms

    def task(self, seed: int, index: int) -> RewardTask:
        source = {"tasks": list(self.tasks), "scenes": list(self.rooms())}
        facts: dict[str, Any] = {"seed": seed, "index": index, **source}
        play = self.open(facts)
        commands, objects = play.game.walkthrough or (), len(play.game.things) + len(play.game.receptacles)
        facts["steps"] = len(commands)
        return self.game_task(play.game.name, self.split, play, commands, facts, objects=objects)

    def open(self, facts: Facts) -> TextGame:
        return TextGame(GAMES.game(facts))

    def judge(self, facts: Facts, play: Play[Any, Any], commands: int) -> Score:
        assert isinstance(play, TextGame)
        start = TextGame(play.game)
        met, before = (each.goal.conditions(each.state) for each in (play, start))
        return score_of_goal(facts["steps"], commands, play.won, sum(met), len(met), sum(before))
