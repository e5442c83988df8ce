"""How versions of AI2-THOR differ: names of kinds, ids of fixtures, the first field of view."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import cast

from chorewright.problems.kinds import kind_of, kinds
from chorewright.problems.scene import SceneObject, Vector

NEAR = 0.5
"""Metres within which an object of the same kind is the one that an older id means."""

SAME_PLACE = 0.15
"""Metres within which a receptacle of another kind is, since some have changed their kind."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version's ways.

    Attributes:
        field_of_view: Degrees before a client says anything.
        names: Today's kinds to theirs, where they differ.
        older: Whether its ids may be older than our rooms.
    """

    field_of_view: float = 90.0
    names: Mapping[str, str] = field(default_factory=dict)
    older: bool = False

    def ours(self, value: object) -> object:
        """Return a value of a call in today's names."""
        return _renamed(value, {theirs: ours for ours, theirs in self.names.items()})

    def theirs(self, value: object) -> object:
        """Return metadata in the version's names."""
        return _renamed(value, self.names)


@lru_cache(maxsize=4)
def dialect(version: int) -> Dialect:
    """Return the ways of AI2-THOR's version 2 or 5 (3 and 4 are as 5)."""
    source = resources.files("chorewright.replay") / "data" / "thor_dialects.json"
    told = json.loads(source.read_text("utf-8"))["2" if version < 3 else "5"]
    return Dialect(float(told["field_of_view"]), told["kinds"], version < 3)


def object_of_older_id(objects: Iterable[SceneObject], wanted: str) -> str | None:
    """Return the object that an id of an older build means, whose rooms were a little different.

    An id holds the place where its object first was. The nearest of the same kind within ``NEAR`` is meant,
    else a receptacle that stands there now.
    """
    kind, where = _read(wanted)
    if where is None:
        return None
    same, other = [], []
    piece = wanted.split("|")[4:]
    for index, body in enumerate(objects):
        there = _read(body.object_id)[1]
        if there is None:
            continue
        gap = round(math.dist(where, there), 6)
        if body.kind == kind and gap <= NEAR:
            same.append((gap, body.object_id.split("|")[4:] != piece, index, body.object_id))
        elif gap <= SAME_PLACE and body.receptacle and kind in kinds() and not kind_of(kind).item:
            other.append((gap, False, index, body.object_id))
    found = min(same or other, default=None)
    return found[3] if found else None


def _read(object_id: str) -> tuple[str, Vector | None]:
    """Return the kind and the place that an id tells."""
    parts = object_id.split("|")
    kind = parts[4].split("_")[0] if len(parts) > 4 else parts[0]
    try:
        x, y, z = (float(part) for part in parts[1:4])
    except ValueError:
        return kind, None
    return kind, (x, y, z)


def _renamed(value: object, names: Mapping[str, str]) -> object:
    """Return a JSON value whose texts that begin with a kind begin with another name of it."""
    if not names:
        return value
    if isinstance(value, str):
        for old, new in names.items():
            if value == old or value.startswith((f"{old}|", f"{old}_")):
                return new + value[len(old) :]
        return value
    if isinstance(value, Mapping):
        return {key: _renamed(part, names) for key, part in cast(Mapping[str, object], value).items()}
    if isinstance(value, list | tuple):
        return [_renamed(part, names) for part in value]
    return value
