"""Text games of ALFRED's episodes: from datasets, from game files, or made on the fly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np

from chorewright.domains.templates.goal_templates import instantiate
from chorewright.errors import InputError, Location, UnsupportedError, UsageError
from chorewright.generator.alfred.benchmark import task_choices
from chorewright.generator.alfred.conditions import apart
from chorewright.generator.config import GenerateConfig
from chorewright.generator.episode import Episode
from chorewright.generator.exports.alfred.names import slots
from chorewright.generator.household.own_scenes import scene_of
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.generator.kinds import configured_kinds
from chorewright.generator.store.dataset import Dataset
from chorewright.generator.store.dataset_folder import PROGRESS
from chorewright.generator.store.manifest import MANIFEST
from chorewright.problems.thor.kinds import Kinds
from chorewright.problems.thor.spawn import NoRoom, spawn
from chorewright.replay.text.environment import Games
from chorewright.replay.text.game import Game
from chorewright.replay.text.games import GameFiles, game_files
from chorewright.replay.text.play import TextGame
from chorewright.replay.text.scenes import Slots, scene_game

DRAWS = 200
"""Rooms that are scattered at most for one game."""


def game_of(episode: Episode, *, strict: bool = False, extended: bool | None = None) -> Game:
    """Return the text game of a stored episode; see ``scene_game``.

    Raises:
        UnsupportedError: Its task has no text games.
    """
    filled = _slots(episode.task, episode.parameters, episode.room.kinds)
    name = f"{episode.benchmark}-{episode.seed}-{episode.index}"
    return scene_game(episode.room, filled, name, strict=strict, extended=extended)


def _slots(task: str, parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Slots:
    found = slots(parameters, kinds)
    name = task.rsplit("/", 1)[-1].replace("-", "_")
    return Slots(name, *(found.get(slot, "") for slot in ("object", "receptacle", "movable", "lamp")))


class EpisodeGames(Sequence[Game]):
    """The text games of a dataset's accepted episodes; each is made when it is first asked for, and kept."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._made: dict[int, Game] = {}

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, place: int) -> Game: ...
    @overload
    def __getitem__(self, place: slice) -> list[Game]: ...
    def __getitem__(self, place: int | slice) -> Game | list[Game]:
        if isinstance(place, slice):
            return [self._game(number) for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._game(place % len(self))

    def _game(self, place: int) -> Game:
        game = self._made.get(place)
        if game is None:
            game = self._made[place] = game_of(self._dataset[place])
        return game


def games_at(path: Path, split: str | None = None) -> Sequence[Game]:
    """Return the games of a dataset, of one game file or of a folder of these.

    Args:
        path: The dataset or files.
        split: Only this split: a dataset's, or a folder that game files lie below.

    Raises:
        UsageError: There is nothing at the path.
        InputError: There are no games.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", location=Location(str(path)))
    found: Sequence[Game]
    if any((path / part).exists() for part in (MANIFEST, PROGRESS)):
        dataset = Dataset(path)
        found = EpisodeGames(dataset if split is None else dataset.filter(split=split))
    else:
        paths = game_files(path)
        found = GameFiles([each for each in paths if split is None or split in Path(each).parts])
    if not len(found):
        raise InputError("there are no text games", location=Location(str(path)))
    return found


def made_games(tasks: Sequence[str] = (), scenes: Sequence[str] = ()) -> Games:
    """Return a function that makes games on the fly: a task with its slots filled, in a scattered room.

    Args:
        tasks: Names of ALFRED's tasks, of which one is drawn; all thirteen by default.
        scenes: Rooms, of which one is drawn; all by default.

    Raises:
        UsageError: There is no such task or room, or none of the tasks is possible in any of the rooms.
    """
    named = tuple(f"alfred/{name}" if "/" not in name else name for name in tasks)
    options = [(key, value) for key, value in (("tasks", named), ("scenes", tuple(scenes))) if value]
    config = GenerateConfig("alfred", 1, options=tuple(options))
    kinds = configured_kinds(config)
    possible = [(name, template, found) for name, (template, found) in task_choices(config).items() if found]
    if not possible:
        raise UsageError("none of the tasks is possible in any of the rooms", hint="choose others")

    def draw(rng: np.random.Generator) -> Game:
        for _ in range(DRAWS):
            name, template, choices = possible[int(rng.integers(len(possible)))]
            choice = choices[int(rng.integers(len(choices)))]
            room = scene_of(config, choice.scenes[int(rng.integers(len(choice.scenes)))], kinds)
            goal = instantiate(template, choice.parameters, kinds.vocabulary)
            seed = int(rng.integers(2**31))
            request = apart(spawn_request(room, goal.goal, elsewhere()), kinds)
            try:
                scene = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
            except NoRoom:
                continue
            filled = _slots(name, choice.parameters, kinds)
            game = scene_game(scene, filled, f"{room.name}-{name}-{seed}")
            if game.walkthrough and not TextGame(game).won:
                return game
        raise UnsupportedError(f"no game was found in {DRAWS} scattered rooms", hint="choose other tasks or rooms")

    return draw
