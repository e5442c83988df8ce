"""ALFRED's names for our kinds, tasks and slots, from ``data/names.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.problems.household.kinds import Kinds


@dataclass(frozen=True, slots=True)
class Names:
    """The tables of ``data/names.json``."""

    classes: Mapping[str, str]
    ground: str
    slots: Mapping[str, tuple[str, ...]]
    sliced_suffix: str
    test_splits: tuple[str, ...]
    frames: Mapping[str, int]
    before: Mapping[str, int]
    cool_close: int


@lru_cache(maxsize=1)
def alfred_names() -> Names:
    """Return ALFRED's names."""
    source = resources.files("chorewright.generator.alfred") / "data" / "names.json"
    facts = json.loads(source.read_text("utf-8"))
    return Names(
        facts["classes"],
        facts["ground"],
        {slot: tuple(aliases) for slot, aliases in facts["slots"].items()},
        facts["sliced_suffix"],
        tuple(facts["test_splits"]),
        facts["frames"],
        facts["before"],
        facts["cool_close"],
    )


def alfred_class(kind: str) -> str:
    """Return ALFRED's name of a class."""
    return alfred_names().classes.get(kind, kind)


def alfred_id(ident: str) -> str:
    """Return an object id with ALFRED's class names."""
    kind, bar, rest = ident.partition("|")
    return alfred_class(kind) + bar + rest


@lru_cache(maxsize=1024)
def slots(parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Mapping[str, str]:
    """Return what fills ALFRED's slots: by the names of the parameters, and the others by their kinds.

    The first parameter that has no name of ALFRED's and can be picked up is the object, the next one that
    holds things is movable; the first receptacle that cannot be picked up is the receptacle, the first thing
    that can be switched on, and does not hold anything, the lamp.
    """
    filled = {key.lstrip("?").lower(): value for key, value in parameters}
    found: dict[str, str] = {}
    for name, aliases in alfred_names().slots.items():
        named = next((alias for alias in aliases if alias in filled), None)
        if named is not None:
            found[name] = filled.pop(named)
    for value in filled.values():
        kind = kinds[value]
        fitting = []
        if kind.item:
            fitting = ["object", "movable"] if kind.receptacle else ["object"]
        elif kind.receptacle:
            fitting = ["receptacle"]
        elif "toggleable" in kind.affordances:
            fitting = ["lamp"]
        free = next((name for name in fitting if name not in found), None)
        if free is not None:
            found[free] = value
    return found
