"""The vocabulary: the kinds of things there are, their sets and relations, and their English words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from chorewright.domains.facts import Facts, supertypes
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Typed
from chorewright.errors import InputError
from chorewright.files.english import did_you_mean

PREPOSITIONS = {"in": "into", "on": "onto"}


@dataclass(frozen=True, slots=True)
class Pieces:
    """What slicing a kind yields: how many of which kind, unless the scene says otherwise."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing, e.g. AI2-THOR's ``CellPhone``.

    ``sets`` are all sets it belongs to, in kebab case; ``receptacle`` is ``always``, ``sometimes`` or empty;
    ``preposition`` says whether things lie in or on it. ``size`` is that of a usual one, in metres (width,
    height, depth), where the vocabulary says so; ``rooms`` are the kinds of rooms that get one of it.
    """

    name: str
    pddl_type: str
    noun: str
    plural: str
    other_nouns: tuple[str, ...] = ()
    article: str = "a"
    preposition: str = "in"
    affordances: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    receptacle: str = ""
    pieces: Pieces | None = None
    size: tuple[float, float, float] | None = None
    rooms: tuple[str, ...] = ()

    @property
    def nouns(self) -> tuple[str, ...]:
        return (self.noun, *self.other_nouns)

    @property
    def a_noun(self) -> str:
        """The noun with its indefinite article."""
        return f"{self.article} {self.noun}"

    @property
    def preposition_of_motion(self) -> str:
        """The preposition of putting something there: into or onto."""
        return PREPOSITIONS.get(self.preposition, self.preposition)


@dataclass(frozen=True)
class Vocabulary:
    """Kinds by name, sets of kinds by their kebab-case names, and relations as pairs of kinds."""

    kinds: Mapping[str, Kind]
    sets: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, frozenset[tuple[str, str]]]

    @cached_property
    def _by_lower_name(self) -> Mapping[str, str]:
        return {kind.name.lower(): kind.name for kind in self.kinds.values()}

    @cached_property
    def _by_type(self) -> Mapping[str, str]:
        return {kind.pddl_type: kind.name for kind in self.kinds.values()}

    @cached_property
    def facts(self) -> Facts:
        """The sets and relations as a state whose objects are the kinds' PDDL types."""
        types = {kind.name: kind.pddl_type for kind in self.kinds.values()}
        atoms: set[GroundAtom] = set()
        for name, members in self.sets.items():
            atoms.update((name, types[member]) for member in members)
        for name, pairs in self.relations.items():
            atoms.update((name, types[first], types[second]) for first, second in pairs)
        return Facts(frozenset(atoms))

    @cached_property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """The classes of each kind, as TEACh's ``simbotObjectClass`` lists them: the kind itself first."""
        return {name: (name, *kind.classes) for name, kind in self.kinds.items()}

    def find(self, name: str) -> str | None:
        """Return the spelling of a kind's name, ignoring case; None if there is no such kind."""
        return self._by_lower_name.get(name.lower())

    def kind(self, name: str) -> Kind:
        """Return a kind by name, ignoring case.

        Raises:
            InputError: There is no such kind.
        """
        found = self.find(name)
        if found is None:
            raise InputError(f"unknown kind {name!r}", hint=did_you_mean(name, self.kinds))
        return self.kinds[found]

    def kind_of_type(self, pddl_type: str) -> Kind | None:
        """Return the kind with this PDDL type; None for types of no kind, such as ``item``."""
        name = self._by_type.get(pddl_type)
        return self.kinds[name] if name is not None else None

    def has_set(self, name: str) -> bool:
        return name.lower() in self.sets

    def set_members(self, name: str) -> tuple[str, ...]:
        """Return the kinds of a set in the vocabulary's order; a kind's name stands for itself.

        Raises:
            InputError: There is neither a kind nor a set of this name.
        """
        kind = self.find(name)
        if kind is not None:
            return (kind,)
        members = self.sets.get(name.lower())
        if members is None:
            raise InputError(f"unknown set {name!r}", hint=did_you_mean(name, (*self.sets, *self.kinds)))
        return members

    def is_a(self, kind: str, name: str) -> bool:
        """Return whether a kind belongs to a set (or is the kind of this name)."""
        return self.kind(kind).name in self.set_members(name)

    def is_related(self, relation: str, first: str, second: str) -> bool:
        """Return whether two kinds stand in a relation, e.g. ``fits``.

        Raises:
            InputError: There is no such relation or kind.
        """
        pairs = self.relations.get(relation)
        if pairs is None:
            raise InputError(f"unknown relation {relation!r}", hint=did_you_mean(relation, self.relations))
        return (self.kind(first).name, self.kind(second).name) in pairs

    def fits(self, item: str, receptacle: str) -> bool:
        """Return whether things of the first kind may be put in or on things of the second."""
        return self.is_related("fits", item, receptacle)

    def whole_of(self, piece: str) -> str | None:
        """Return the kind that is sliced into pieces of this kind; None if it is not a piece."""
        name = self.kind(piece).name
        for kind in self.kinds.values():
            if kind.pieces is not None and kind.pieces.kind == name:
                return kind.name
        return None

    def with_types(self, domain: Domain) -> Vocabulary:
        """Return the vocabulary with the domain's types above its kinds as further sets."""
        members: dict[str, list[str]] = {typed.name: [] for typed in domain.types}
        members["object"] = []
        for kind in self.kinds.values():
            for name in supertypes(domain, (kind.pddl_type,)):
                if name in members:
                    members[name].append(kind.name)
        added = {
            name: tuple(kind for kind in self.kinds if kind in kinds or kind in self.sets.get(name, ()))
            for name, kinds in members.items()
            if kinds and name not in self._by_lower_name
        }
        return Vocabulary(self.kinds, {**self.sets, **added}, self.relations)


def extend_domain(domain: Domain, vocabulary: Vocabulary) -> Domain:
    """Return the domain with a type for each kind it lacks: an ``item`` if pickupable, else a ``fixture``."""
    known = {typed.name for typed in domain.types}
    missing = [kind for kind in vocabulary.kinds.values() if kind.pddl_type not in known]
    if not missing:
        return domain
    added = tuple(
        Typed(kind.pddl_type, ("item" if "pickupable" in kind.affordances else "fixture",)) for kind in missing
    )
    return replace(domain, types=(*domain.types, *added))


# A vocabulary as rows that people and programs read: its sets with their members, its kinds with what is known.


Row = Mapping[str, str | list[str]]


def set_rows(vocabulary: Vocabulary) -> Mapping[str, Row]:
    """Return each set's name and members, by name."""
    return {name: {"name": name, "members": list(vocabulary.sets[name])} for name in sorted(vocabulary.sets)}


def kind_rows(vocabulary: Vocabulary) -> Mapping[str, Row]:
    """Return what is known of each kind, by name: its type, nouns, sets, relations both ways, and pieces."""
    return {name: _row(vocabulary, name) for name in sorted(vocabulary.kinds)}


def _row(vocabulary: Vocabulary, name: str) -> Row:
    kind = vocabulary.kinds[name]
    sets = sorted(each for each, members in vocabulary.sets.items() if name in members)
    row: dict[str, str | list[str]] = {
        "name": name,
        "type": kind.pddl_type,
        "nouns": list(kind.nouns),
        "sets": sets,
        "pieces": f"{kind.pieces.count} {kind.pieces.kind}" if kind.pieces else "",
    }
    for relation, pairs in sorted(vocabulary.relations.items()):
        row[relation] = sorted(second for first, second in pairs if first == name)
        row[f"{relation} of"] = sorted(first for first, second in pairs if second == name)
    return row
