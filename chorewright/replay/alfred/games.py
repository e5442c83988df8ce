"""Game files in folders: found, filtered as ALFWorld does, and read once."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import overload

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.json_source import load_json
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.reading import MOST_BYTES, read_game

GAME_FILE, TRAJECTORY_FILE = "game.tw-pddl", "traj_data.json"
TASK_TYPES = {
    1: "pick_and_place_simple",
    2: "look_at_obj_in_light",
    3: "pick_clean_then_place_in_recep",
    4: "pick_heat_then_place_in_recep",
    5: "pick_cool_then_place_in_recep",
    6: "pick_two_obj_and_place",
    7: "pick_and_place_with_movable_recep",
}
"""ALFRED's task types by the numbers that ALFWorld gives them; 7 is ours."""

_SLICED, _MOVABLE = "Sliced", "movable"


class GameFiles(Sequence[Game]):
    """Games by their files; each is read when it is first asked for, and kept."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list(paths)
        self._read: dict[str, Game] = {}

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, place: int) -> Game: ...
    @overload
    def __getitem__(self, place: slice) -> list[Game]: ...
    def __getitem__(self, place: int | slice) -> Game | list[Game]:
        if isinstance(place, slice):
            return [self.read(path) for path in self.paths[place]]
        return self.read(self.paths[place])

    def read(self, path: str) -> Game:
        """Return the game of a file; raises as ``read_game``."""
        game = self._read.get(path)
        if game is None:
            game = self._read[path] = read_game(path)
        return game


def game_files(
    folder: str | Path,
    task_types: Collection[str] = tuple(TASK_TYPES.values()),
    *,
    sliced: bool = True,
    checked: bool = True,
) -> list[str]:
    """Return the paths of the game files below a folder, sorted.

    Args:
        folder: A folder of trials, however deep; or one game file.
        task_types: Only of these types, by the ``traj_data.json`` beside the game.
        sliced: Also those whose folder says that something is sliced.
        checked: Only games that are known to be solvable.

    Raises:
        UsageError: There is no such folder.
        InputError: A file cannot be read.
    """
    root = Path(folder)
    if root.is_file():
        return [str(root)]
    if not root.is_dir():
        raise UsageError(f"there is no folder {folder}", hint="`chorewright export --format alfworld` makes one")
    found = []
    for where, _, names in os.walk(root):
        if GAME_FILE not in names or TRAJECTORY_FILE not in names or (_SLICED in where and not sliced):
            continue
        if _task(Path(where) / TRAJECTORY_FILE) not in task_types:
            continue
        path = Path(where) / GAME_FILE
        if not checked or _solvable(path):
            found.append(str(path))
    return sorted(found)


def _task(path: Path) -> str:
    document = load_json(path, MOST_BYTES, strict=False).value
    if not isinstance(document, dict) or not isinstance(document.get("task_type"), str):
        raise InputError("expected a text in 'task_type'", location=Location(str(path), json_path="$"))
    return str(document["task_type"])


def _solvable(path: Path) -> bool:
    document = load_json(path, MOST_BYTES, strict=False).value
    return isinstance(document, dict) and document.get("solvable") is True


def cycle(paths: Sequence[str], seed: int | None) -> Iterator[str]:
    """Yield paths in a random order, again and again, each round in another; the order is TextWorld's."""
    import numpy as np

    rng = np.random.RandomState(seed)
    order = list(paths)
    while order:
        rng.shuffle(order)
        yield from order
