"""How versions of AI2-THOR differ: the names of kinds and pieces, and the field of view that they begin with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any, cast

IDLE = (
    "ChangeQuality",
    "PausePhysicsAutoSim",
    "AdvancePhysicsStep",
    "UnpausePhysicsAutoSim",
    "MakeObjectsOfTypeUnbreakable",
    "MakeAllObjectsUnbreakable",
)
"""Actions about what this simulator does not have: physics, shadows, things that break when they fall."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version's ways.

    Attributes:
        field_of_view: Degrees before a client says anything.
        first_piece: The number in the id of a sliced thing's first piece.
        names: Today's kinds to theirs, where they differ.
        merged: Their kinds that are part of another one today.
        older: Whether its ids and standing points may be those of older rooms.
    """

    field_of_view: float = 90.0
    first_piece: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    older: bool = False

    def ours(self, value: object) -> object:
        """Return a value of a call in today's names."""
        return _renamed(value, {theirs: ours for ours, theirs in self.names.items()})

    def theirs(self, metadata: Mapping[str, object]) -> dict[str, Any]:
        """Return metadata in the version's names; what bears an id of a merged kind is of that kind."""
        told = cast("dict[str, Any]", _renamed(dict(metadata), self.names))
        for each in told["objects"] if self.merged else ():
            first = each["objectId"].split("|", maxsplit=1)[0]
            if self.merged.get(first) == each["objectType"]:
                each["objectType"] = first
        return told


@lru_cache(maxsize=4)
def dialect(version: int) -> Dialect:
    """Return the ways of AI2-THOR's version 2 or 5 (3 and 4 are as 5)."""
    source = resources.files("chorewright.replay") / "data" / "thor_dialects.json"
    told = json.loads(source.read_text("utf-8"))["2" if version < 3 else "5"]
    return Dialect(
        float(told["field_of_view"]), int(told["first_piece"]), told["kinds"], told.get("merged", {}), version < 3
    )


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
