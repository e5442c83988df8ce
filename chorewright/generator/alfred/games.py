"""Text games of ALFRED's episodes: from datasets or from game files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.lazily import LazySequence
from chorewright.generator.alfred.names import slots
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import PROGRESS
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.household.problems import room_of
from chorewright.problems.household.kinds import Kinds
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.reading import GameFiles, game_files
from chorewright.replay.alfred.scenes import Slots, scene_game


def game_of(episode: Episode, *, strict: bool = False, extended: bool | None = None) -> Game:
    """Return the text game of a stored episode; see ``scene_game``.

    Raises:
        UnsupportedError: Its task has no text games.
    """
    filled = filled_slots(episode.task, episode.parameters, room_of(episode).kinds)
    name = f"{episode.benchmark}-{episode.seed}-{episode.index}"
    return scene_game(room_of(episode), filled, name, strict=strict, extended=extended)


def filled_slots(task: str, parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Slots:
    """Return what fills the slots of a task, by its parameters."""
    found = slots(parameters, kinds)
    name = task.rsplit("/", 1)[-1].replace("-", "_")
    return Slots(name, *(found.get(slot, "") for slot in ("object", "receptacle", "movable", "lamp")))


def stored_games(dataset: Dataset) -> Sequence[Game]:
    """Return the text games of a dataset's accepted episodes; each is made when it is first asked for, and kept."""
    return LazySequence(dataset, game_of)


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
        found = stored_games(dataset if split is None else dataset.filter(split=split))
    else:
        paths = game_files(path)
        found = GameFiles([each for each in paths if split is None or split in Path(each).parts])
        if paths and not len(found):
            folders = sorted({_split_of(Path(each).relative_to(path)) for each in paths} - {""})
            hint = f"there are games of {', '.join(folders)}" if folders else None
            raise InputError(f"there are no text games of {split!r}", location=Location(str(path)), hint=hint)
    if not len(found):
        raise InputError("there are no text games", location=Location(str(path)))
    return found


def _split_of(path: Path) -> str:
    """Return the folder of a split in ALFWorld's layout, or the first folder; empty if there is none."""
    folders = [part for part in path.parent.parts if not part.startswith("json_")]
    return folders[0] if folders else ""
