"""Facts about every object of a kind, fast enough for a simulator: its traits and its usual shape."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import resources
from typing import Any

from chorewright.domains.library import HOUSEHOLD, Library, load_shipped_library
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.pddl.writer import write_domain
from chorewright.domains.vocabulary import Vocabulary
from chorewright.files.lazily import Remembered
from chorewright.files.records import reader_of
from chorewright.problems.household.houses.house import Vector


@dataclass(frozen=True, slots=True)
class Traits:
    """The affordances, relations and roles of a kind (AI2-THOR's objectType).

    Attributes:
        name: The kind's.
        affordances: What can be done with it.
        receptacle: ``always``, ``sometimes`` (then the object says), or empty.
        preposition: Whether things lie ``in`` or ``on`` it.
        fits: The kinds of receptacles that it goes into or onto.
        cooks: The kinds that it cooks when it runs.
        piece: The kind that slicing it yields.
        pieces: How many of them.
        roles: All sets that it belongs to: single, door, drain, sharp, attended, rinses, heats, ...
        size: Metres of its box's sides, where the vocabulary says so.
        rooms: The kinds of rooms that are stocked with one, besides what the rooms have.
        item: Whether an agent can pick it up.
        inside: Whether things lie in it rather than on it.
        closable: Whether it is a receptacle with a door or lid that hides what is inside.
    """

    name: str
    affordances: frozenset[str] = frozenset()
    receptacle: str = ""
    preposition: str = "on"
    fits: frozenset[str] = frozenset()
    cooks: frozenset[str] = frozenset()
    piece: str | None = None
    pieces: int = 0
    roles: frozenset[str] = frozenset()
    size: tuple[float, float, float] | None = None
    rooms: tuple[str, ...] = ()

    item: bool = field(init=False, repr=False, compare=False)
    inside: bool = field(init=False, repr=False, compare=False)
    closable: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out once what is asked for often."""
        inside = bool(self.receptacle) and self.preposition == "in"
        object.__setattr__(self, "item", "pickupable" in self.affordances)
        object.__setattr__(self, "inside", inside)
        object.__setattr__(self, "closable", "openable" in self.affordances and inside)


@dataclass(frozen=True, eq=False)
class Kinds(Mapping[str, Traits]):
    """The language of the rooms: all known kinds by name, in the vocabulary's order, and what can be done with them.

    ``kinds[name]`` answers for every name: an unknown kind has no affordances.

    Attributes:
        vocabulary: The kinds with their sets, relations and words.
        domain: The household domain, with a type for each kind.
    """

    vocabulary: Vocabulary
    domain: Domain

    @cached_property
    def scenes(self) -> Remembered[Any]:
        """The rooms and houses of these kinds that were asked for last."""
        return Remembered(256)

    @cached_property
    def findings(self) -> Remembered[Any]:
        """What was found out last about rooms and tasks of these kinds."""
        return Remembered(16384)

    @cached_property
    def domain_sha256(self) -> str:
        """The digest of the domain as it is written, in hexadecimal."""
        return sha256(write_domain(self.domain).encode()).hexdigest()

    @cached_property
    def traits(self) -> Mapping[str, Traits]:
        """The traits of each known kind."""
        fits, cooks = (_second_by_first(self.vocabulary, relation) for relation in ("fits", "cooks"))
        return {
            name: Traits(
                name,
                frozenset(kind.affordances),
                kind.receptacle,
                kind.preposition,
                frozenset(fits.get(name, ())),
                frozenset(cooks.get(name, ())),
                kind.pieces.kind if kind.pieces else None,
                kind.pieces.count if kind.pieces else 0,
                frozenset(kind.sets),
                kind.size,
                kind.rooms,
            )
            for name, kind in self.vocabulary.kinds.items()
        }

    @cached_property
    def hulls(self) -> Mapping[str, tuple[str, ...]]:
        """The kinds that are around a kind and go by its name: a sink around its basin."""
        found: dict[str, tuple[str, ...]] = {}
        for name, traits in self.traits.items():
            for part in self.vocabulary.kinds[name].classes if "hull" in traits.roles else ():
                found[part] = (*found.get(part, ()), name)
        return found

    def __getitem__(self, name: str) -> Traits:
        return self.traits.get(name) or Traits(name)

    def __contains__(self, name: object) -> bool:
        return name in self.traits

    def __iter__(self) -> Iterator[str]:
        return iter(self.traits)

    def __len__(self) -> int:
        return len(self.traits)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Kinds) and (self.vocabulary, self.domain) == (other.vocabulary, other.domain)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self.vocabulary.kinds.values()))

    def __reduce__(self) -> tuple[type[Kinds], tuple[Vocabulary, Domain]]:
        return Kinds, (self.vocabulary, self.domain)


def _second_by_first(vocabulary: Vocabulary, relation: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first, second in sorted(vocabulary.relations.get(relation, ())):
        found.setdefault(first, []).append(second)
    return found


def kinds_of(library: Library) -> Kinds:
    """Return the kinds of a library's household.

    Raises:
        InputError: A file of the user's has errors.
    """
    return library.remember("kinds", lambda: Kinds(library.vocabulary(HOUSEHOLD), library.domain(HOUSEHOLD)))


def shipped_kinds() -> Kinds:
    """Return the kinds of the shipped household: for callers at the top; below, a scene carries its own."""
    return kinds_of(load_shipped_library())


# What objects of a kind are like over all rooms: their sizes, and where things lie on them.


@lru_cache(maxsize=1)
def archive() -> zipfile.ZipFile:
    """Return the rooms file, read into memory: forked processes must not share a file position."""
    path = resources.files("chorewright.problems") / "data" / "rooms.zip"
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


def vector(values: object) -> Vector:
    """Return three numbers of JSON as a vector."""
    assert isinstance(values, list | tuple)
    x, y, z = (float(value) for value in values)
    return x, y, z


@dataclass(frozen=True, slots=True)
class KindShape:
    """The typical shape of a kind's objects over all rooms.

    Attributes:
        size: Middle box size of the kind's assets, in metres; None if AI2-THOR has no asset of it.
        support: The height at which things lie in or on a receptacle, as a fraction of its box.
        hang: Metres by which the middle of things hangs below the middle of a holder.
    """

    size: Vector | None = None
    support: float | None = None
    hang: float | None = None


shapes = reader_of(dict[str, KindShape], "chorewright.problems", "data/rooms.zip/kinds.json")
"""Returns the shapes of all kinds that are known, by kind."""


def usual_size(traits: Traits, default: Vector) -> Vector:
    """Return the box of an item of a kind: as the vocabulary says, else the median of AI2-THOR's assets, in metres."""
    shape = shapes().get(traits.name)
    return traits.size or (shape.size if shape else None) or default


def usual_support(traits: Traits) -> float:
    """Return the height at which things lie in or on a kind of receptacle, as a fraction of its box."""
    shape = shapes().get(traits.name)
    if shape is not None and shape.support is not None:
        return shape.support
    return 0.05 if traits.inside else 1.0
