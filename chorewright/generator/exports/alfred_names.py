"""ALFRED's names for our kinds, tasks and slots, from ``data/alfred.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

from chorewright.errors import InputError, Location
from chorewright.generator.episode import Episode

Json: TypeAlias = object


@dataclass(frozen=True, slots=True)
class Names:
    """The tables of ``data/alfred.json``."""

    classes: Mapping[str, str]
    ground: str
    slots: Mapping[str, tuple[str, ...]]
    sliced_suffix: str
    test_splits: tuple[str, ...]
    frames: Mapping[str, int]
    cool_close: int


@lru_cache(maxsize=1)
def alfred_names() -> Names:
    """Return ALFRED's names."""
    source = resources.files("chorewright.generator.exports") / "data" / "alfred.json"
    facts = json.loads(source.read_text("utf-8"))
    return Names(
        facts["classes"],
        facts["ground"],
        {slot: tuple(aliases) for slot, aliases in facts["slots"].items()},
        facts["sliced_suffix"],
        tuple(facts["test_splits"]),
        facts["frames"],
        facts["cool_close"],
    )


def fail(episode: Episode, where: str, message: str) -> InputError:
    """Return the error that something of an episode cannot be exported."""
    return InputError(message, location=Location(f"episode {episode.index}", json_path=where))


def alfred_class(kind: str) -> str:
    """Return ALFRED's name of a class."""
    return alfred_names().classes.get(kind, kind)


def alfred_id(ident: str) -> str:
    """Return an object id with ALFRED's class names."""
    kind, bar, rest = ident.partition("|")
    return alfred_class(kind) + bar + rest


def slot(episode: Episode, name: str) -> str:
    """Return the kind in a slot, under any of the slot's names; empty if there is none."""
    filled = {key.lstrip("?").lower(): value for key, value in episode.parameters}
    return next((filled[alias] for alias in alfred_names().slots[name] if alias in filled), "")
