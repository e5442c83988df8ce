"""Scenes by name: the 120 rooms, and houses that are generated from seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from chorewright.errors import UsageError
from chorewright.generator.household.rooms import asked_rooms
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import PREFIX, house_seed, is_house_name, named_house
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.rooms import load_room, room_names, stocked
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
        return asked_rooms((word,))
    house_seed(word)
    return (word,)


def names_houses(word: str) -> bool:
    """Return whether a word is the name of a house, or means several houses."""
    return word.startswith((PREFIX, RANGE))


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
    return _house(name, kinds) if is_house_name(name) else load_room(name, kinds)


@lru_cache(maxsize=256)
def _house(name: str, kinds: Kinds) -> Scene:
    return stocked(house_scene(named_house(name), name, kinds))
