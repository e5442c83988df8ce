"""What is true of every object of a kind: the vocabulary, as quick to ask as a simulator needs it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from chorewright.domains.library import household_vocabulary


@dataclass(frozen=True, slots=True)
class Kind:
    """The affordances, relations and roles of an AI2-THOR objectType.

    ``fits`` are the kinds of receptacles it goes into or onto, ``cooks`` the kinds it cooks when it runs.
    ``roles`` are all sets it belongs to: single, door, drain, sharp, attended, rinses, heats, ...
    """

    name: str
    affordances: frozenset[str] = frozenset()
    receptacle: str = ""  # "always", "sometimes"
    preposition: str = "on"
    fits: frozenset[str] = frozenset()
    cooks: frozenset[str] = frozenset()
    piece: str | None = None
    pieces: int = 0
    roles: frozenset[str] = frozenset()

    @property
    def item(self) -> bool:
        """Whether an agent can pick it up."""
        return "pickupable" in self.affordances

    @property
    def inside(self) -> bool:
        """Whether things lie in it rather than on it."""
        return bool(self.receptacle) and self.preposition == "in"

    @property
    def closable(self) -> bool:
        """Whether it is a receptacle with a door or lid that hides what is inside."""
        return "openable" in self.affordances and self.inside


@lru_cache(maxsize=1)
def kinds() -> dict[str, Kind]:
    """Return all known kinds by name, in the vocabulary's order."""
    vocabulary = household_vocabulary()

    def related(relation: str, name: str) -> frozenset[str]:
        pairs = vocabulary.relations.get(relation, frozenset())
        return frozenset(second for first, second in pairs if first == name)

    return {
        name: Kind(
            name,
            frozenset(kind.affordances),
            kind.receptacle,
            kind.preposition,
            related("fits", name),
            related("cooks", name),
            kind.pieces.kind if kind.pieces else None,
            kind.pieces.count if kind.pieces else 0,
            frozenset(kind.sets),
        )
        for name, kind in vocabulary.kinds.items()
    }


def kind_of(name: str) -> Kind:
    """Return the facts of a kind; an unknown kind has no affordances."""
    return kinds().get(name) or Kind(name)
