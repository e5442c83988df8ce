"""What is true of every object of a kind, as the household's ``object_types.json`` says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Kind:
    """The affordances and roles of an AI2-THOR objectType; the fields are those of ``object_types.json``."""

    name: str
    affordances: frozenset[str] = frozenset()
    receptacle: str = ""  # "always", "sometimes"
    preposition: str = "on"
    fits: frozenset[str] = frozenset()
    cooks: frozenset[str] = frozenset()
    piece: str | None = None
    pieces: int = 0
    roles: frozenset[str] = frozenset()  # single, door, drain, sharp, attended, rinses, heats, ...

    @property
    def item(self) -> bool:
        """Whether an agent can pick it up."""
        return "pickupable" in self.affordances

    @property
    def inside(self) -> bool:
        """Whether things lie in it rather than on it."""
        return self.preposition == "in"

    @property
    def closable(self) -> bool:
        """Whether it is a receptacle with a door or lid that hides what is inside."""
        return bool(self.receptacle) and "openable" in self.affordances and self.inside


@lru_cache(maxsize=1)
def kinds() -> dict[str, Kind]:
    """Return all known kinds by name, in the file's order."""
    source = resources.files("chorewright.domains") / "household" / "object_types.json"
    return {name: _kind(name, facts) for name, facts in json.loads(source.read_text("utf-8")).items()}


def kind_of(name: str) -> Kind:
    """Return the facts of a kind; an unknown kind has no affordances."""
    return kinds().get(name) or Kind(name)


def _kind(name: str, facts: dict[str, object]) -> Kind:
    def words(key: str) -> frozenset[str]:
        value = facts.get(key, ())
        return frozenset(str(word) for word in value) if isinstance(value, list) else frozenset()

    pieces = facts.get("pieces")
    piece, count = (str(pieces["kind"]), int(pieces["count"])) if isinstance(pieces, dict) else (None, 0)
    return Kind(
        name,
        words("affordances"),
        str(facts.get("receptacle", "")),
        str(facts.get("preposition", "on")),
        words("fits"),
        words("cooks"),
        piece,
        count,
        frozenset(key for key, value in facts.items() if value is True),
    )
