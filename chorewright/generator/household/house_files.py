"""Folders of generated houses: one file for each seed, made by several processes, and continued where one stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.json_source import load_json
from chorewright.files.text import clear_leftovers, is_leftover, storage_error, write_atomically
from chorewright.generator.production.pool import done_by
from chorewright.problems.household.houses.design.drawing import HouseRequest
from chorewright.problems.household.houses.source import generated_house
from chorewright.problems.household.houses.writing import write_house

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
    for count in done_by(partial(_write, folder, request), jobs, min(workers, len(jobs)), "houses"):
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
