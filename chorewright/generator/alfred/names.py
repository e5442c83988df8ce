"""ALFRED's names for our kinds, tasks and slots, from ``data/names.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chorewright.files.records import reader_of
from chorewright.problems.household.kinds import Kinds


@dataclass(frozen=True, slots=True)
class AlfredNames:
    """The tables of ``data/names.json``."""

    classes: Mapping[str, str]
    ground: str
    slots: Mapping[str, tuple[str, ...]]
    sliced_suffix: str
    test_splits: tuple[str, ...]
    frames: Mapping[str, int]
    before: Mapping[str, int]
    cool_close: int


names_in_alfred = reader_of(AlfredNames, "chorewright.generator.alfred", "data/names.json")
"""Returns ALFRED's names."""


def class_in_alfred(kind: str) -> str:
    """Return ALFRED's name of a class."""
    return names_in_alfred().classes.get(kind, kind)


def id_in_alfred(ident: str) -> str:
    """Return an object id with ALFRED's class names."""
    kind, bar, rest = ident.partition("|")
    return class_in_alfred(kind) + bar + rest


def slots(parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Mapping[str, str]:
    """Return what fills ALFRED's slots: by the names of the parameters, and the others by their kinds.

    The first parameter that has no name of ALFRED's and can be picked up is the object, the next one that
    holds things is movable; the first receptacle that cannot be picked up is the receptacle, the first thing
    that can be switched on, and does not hold anything, the lamp.
    """
    filled = {key.lstrip("?").lower(): value for key, value in parameters}
    found: dict[str, str] = {}
    for name, aliases in names_in_alfred().slots.items():
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
