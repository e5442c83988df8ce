"""Scenes by name (the 120 rooms, houses made from seeds, folders of such houses), and rooms to try a task in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from chorewright.errors import InputError, UsageError, storing
from chorewright.files.english import require_known
from chorewright.files.json_source import load_json
from chorewright.files.pool import carry_out
from chorewright.files.text import clear_leftovers, is_leftover, write_atomically
from chorewright.generator.dataset.config import Assignment
from chorewright.generator.production.attempts import TaskTrials
from chorewright.generator.production.sampling import AT_ONCE, Choice
from chorewright.problems.household.houses import source
from chorewright.problems.household.houses.reading import write_house
from chorewright.problems.household.rooms import room_names
from chorewright.problems.household.scene import GENERATED, is_house_name

# Which rooms are asked for, and how a task's trials are spread over those that suit it.


Binding = tuple[tuple[str, str], ...]


def find_rooms(asked: Sequence[str]) -> tuple[str, ...]:
    """Return the rooms of ``--scenes``, in their own order; all of them if none is named.

    Raises:
        UsageError: There is no such room.
    """
    known = room_names()
    for name in asked:
        there = "rooms are FloorPlan1-30, 201-230, 301-330 and 401-430; houses, house:7"
        require_known(name, known, f"there is no room {name!r}", there)
    return tuple(name for name in known if not asked or name in asked)


def some_scenes(scenes: Sequence[str], count: int) -> tuple[str, ...]:
    """Return scenes with only some of the generated houses, evenly spread, if there are far more than are needed.

    Args:
        scenes: Scenes of any kind; to look at a house, it is generated.
        count: How many are needed.
    """
    houses = [name for name in scenes if is_house_name(name)]
    most = max(AT_ONCE, 2 * count)
    if len(houses) <= most:
        return tuple(scenes)
    kept = {houses[number * len(houses) // most] for number in range(most)}
    return tuple(name for name in scenes if not is_house_name(name) or name in kept)


def trials_in_rooms(task: str, choices: Sequence[Choice], count: int, seed: int) -> TaskTrials:
    """Return trials of a task in rooms that suit it, spread evenly; kinds that are not drawn yet come first.

    Args:
        task: The task.
        choices: The fillings that are possible, with their rooms.
        count: How many trials, at most one for each room.
        seed: Of the drawing.
    """
    by_room: dict[str, list[Binding]] = {}
    for choice in choices:
        for name in choice.scenes:
            by_room.setdefault(name, []).append(choice.parameters)
    suited = [name for name in dict.fromkeys((*room_names(), *by_room)) if name in by_room]
    count = min(count, len(suited))
    rng = np.random.Generator(np.random.PCG64(seed))
    seen: Counter[tuple[str, str]] = Counter()
    drawn: list[Assignment] = []
    for number in range(count):
        name = suited[number * len(suited) // count]
        binding = _rarest(by_room[name], seen, rng)
        seen.update(binding)
        drawn.append(Assignment(number, task, binding, name, ""))
    return TaskTrials(task, "rooms", len(suited), len(choices), drawn)


def _rarest(bindings: Sequence[Binding], seen: Counter[tuple[str, str]], rng: np.random.Generator) -> Binding:
    order = rng.permutation(len(bindings))
    return bindings[min(order, key=lambda place: sum(seen[pair] for pair in bindings[place]))]


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
    ends = {name: source.house_seed(name) % 100 for name in scenes if is_house_name(name)}
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
    source.house_seed(word)
    return (word,)


def _range(word: str) -> tuple[str, ...]:
    first, _, last = word.removeprefix(RANGE).partition("-")
    seeds = range(source.house_seed(f"{GENERATED}{first}"), source.house_seed(f"{GENERATED}{last or first}") + 1)
    if not 0 < len(seeds) <= MOST_HOUSES:
        raise UsageError(f"{word!r} are {len(seeds):,} houses", hint=f"from 1 to {MOST_HOUSES:,} at once: {RANGE}0-99")
    return tuple(f"{GENERATED}{seed}" for seed in seeds)


def is_scene_name(name: str) -> bool:
    """Return whether a name is that of a room, or looks like that of a house."""
    return name in room_names() or is_house_name(name)


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
    folder: Path, seeds: range, request: source.HouseRequest, workers: int, tell: Callable[[int, int], object]
) -> HousesMade:
    """Write the houses of some seeds; those whose files are there, and can be read, are kept.

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
    missing = [seed for seed in seeds if not _is_there(house_path(folder, seed))]
    jobs = [missing[first : first + SHARE] for first in range(0, len(missing), SHARE)]
    done = len(seeds) - len(missing)
    for count in carry_out(partial(_write, folder, request), jobs, min(workers, len(jobs)), "houses"):
        done += count
        tell(done, len(seeds))
    return HousesMade(len(missing), len(seeds) - len(missing))


def _is_there(path: Path) -> bool:
    """Whether a file is there that can be read; one that was damaged is made anew."""
    with suppress(InputError):
        return path.is_file() and isinstance(load_json(path).value, dict)
    return False


def _write(folder: Path, request: source.HouseRequest, seeds: list[int]) -> int:
    for seed in seeds:
        write_house(source.generated_house(seed, request), house_path(folder, seed))
    return len(seeds)


def _claim(folder: Path, request: source.HouseRequest) -> None:
    """Make a folder for the houses of a request, or check that it has houses of this request."""
    about = folder / ABOUT
    record = {"rooms": list(request.rooms), "style": request.style}
    if about.exists():
        if load_json(about).value != record:
            raise UsageError(f"{folder} has houses of other --rooms or another --style", hint="give another --out")
        return
    if folder.is_dir() and not all(map(is_leftover, folder.iterdir())):
        raise UsageError(f"{folder} is no folder of houses, and not empty", hint="give another --out")
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(about, f"{json.dumps(record)}\n".encode())
