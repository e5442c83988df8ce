"""Scenes by name: the 120 rooms, houses that are generated from seeds, and folders of such houses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.json_source import load_json
from chorewright.files.pool import carry_out
from chorewright.files.text import clear_leftovers, is_leftover, storage_error, write_atomically
from chorewright.generator.household.rooms import find_rooms
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import (
    PREFIX,
    HouseRequest,
    generated_house,
    house_seed,
    is_house_name,
    named_house,
)
from chorewright.problems.household.houses.writing import write_house
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.rooms import load_room, room_names, stock
from chorewright.problems.household.scene import Scene

RANGE = "houses:"
"""What words for several houses begin with: ``houses:0-99``."""

MOST_HOUSES = 100_000
"""Houses that one word may mean."""

UNSEEN_HOUSES = {"valid_unseen": range(80, 90), "tests_unseen": range(90, 100), "test_unseen": range(90, 100)}
"""The splits of ALFRED and TEACh that have generated houses of their own: seeds that end in these two digits."""


def with_houses(named: Mapping[str, Sequence[str]], scenes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the scenes of the splits that have scenes of their own, with the generated houses among some scenes.

    Args:
        named: The rooms of each of these splits.
        scenes: Scenes of any kind.
    """
    ends = {name: house_seed(name) % 100 for name in scenes if is_house_name(name)}
    return {
        split: (*rooms, *(name for name, end in ends.items() if end in UNSEEN_HOUSES.get(split, ())))
        for split, rooms in named.items()
    }


def scene_names(word: str) -> tuple[str, ...]:
    """Return the names of the scenes that a word means: a room, ``house:7``, or ``houses:0-99``.

    Raises:
        UsageError: There is no such room or house.
    """
    if word.startswith(RANGE):
        return _range(word)
    if not is_house_name(word):
        return find_rooms((word,))
    house_seed(word)
    return (word,)


def _range(word: str) -> tuple[str, ...]:
    first, _, last = word.removeprefix(RANGE).partition("-")
    seeds = range(house_seed(f"{PREFIX}{first}"), house_seed(f"{PREFIX}{last or first}") + 1)
    if not 0 < len(seeds) <= MOST_HOUSES:
        raise UsageError(f"{word!r} are {len(seeds):,} houses", hint=f"from 1 to {MOST_HOUSES:,} at once: {RANGE}0-99")
    return tuple(f"{PREFIX}{seed}" for seed in seeds)


def is_scene_name(name: str) -> bool:
    """Return whether a name is that of a room, or looks like that of a house."""
    return name in room_names() or is_house_name(name)


def named_scene(name: str, kinds: Kinds) -> Scene:
    """Return an untouched room or house.

    Raises:
        UsageError: There is no such room or house.
    """
    if not is_house_name(name):
        return load_room(name, kinds)
    scene: Scene = kinds.scenes.of(kinds, name, lambda: stock(house_scene(named_house(name), name, kinds)))
    return scene


# Folders of generated houses: one file for each seed, made by several processes, and continued where one stopped.


ABOUT = "houses.json"
"""The file that says what houses a folder has."""

SHARE = 8
"""How many houses a process makes before it reports."""


@dataclass(frozen=True, slots=True)
class HousesMade:
    """What a run did: how many houses it wrote, and how many had been there."""

    written: int
    kept: int


def house_path(folder: Path, seed: int) -> Path:
    """Return the file of the house of a seed."""
    return folder / f"house_{seed:06d}.json"


def write_houses(
    folder: Path, seeds: range, request: HouseRequest, workers: int, tell: Callable[[int, int], object]
) -> HousesMade:
    """Write the houses of some seeds; those whose files are there are kept.

    The bytes do not depend on the number of processes.

    Args:
        folder: A new folder, or one with houses of the same request.
        seeds: Which houses.
        request: Their rooms and style.
        workers: How many processes make them; 0 for this one.
        tell: Gets how many of how many are done.

    Raises:
        UsageError: The folder has other houses.
        StorageError: A file cannot be written.
    """
    _claim(folder, request)
    clear_leftovers(folder)
    missing = [seed for seed in seeds if not house_path(folder, seed).exists()]
    jobs = [missing[first : first + SHARE] for first in range(0, len(missing), SHARE)]
    done = len(seeds) - len(missing)
    for count in carry_out(partial(_write, folder, request), jobs, min(workers, len(jobs)), "houses"):
        done += count
        tell(done, len(seeds))
    return HousesMade(len(missing), len(seeds) - len(missing))


def _write(folder: Path, request: HouseRequest, seeds: list[int]) -> int:
    for seed in seeds:
        write_house(generated_house(seed, request), house_path(folder, seed))
    return len(seeds)


def _claim(folder: Path, request: HouseRequest) -> None:
    """Make a folder for the houses of a request, or check that it has houses of this request."""
    about = folder / ABOUT
    record = {"rooms": list(request.rooms), "style": request.style}
    if about.exists():
        if load_json(about).value != record:
            raise UsageError(f"{folder} has houses of other --rooms or another --style", hint="give another --out")
        return
    if folder.is_dir() and not all(map(is_leftover, folder.iterdir())):
        raise UsageError(f"{folder} is no folder of houses, and not empty", hint="give another --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(about, f"{json.dumps(record)}\n".encode())
    except OSError as error:
        raise storage_error(error, folder) from error
