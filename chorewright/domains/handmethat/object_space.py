"""The object space of HandMeThat: categories in subclasses and classes, and the states and roles of each.

``handmethat/object_space.json`` has Tables 7, 8 and 11 of the paper, and what the paper leaves open. Names are
those of the PDDL types, in kebab case (``xmas-tree``). This module converts them to the reference's spelling.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path

from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import vocabulary_of
from chorewright.errors import InputError
from chorewright.files.json_source import JsonValue

LOCATION = "location"
RECEPTACLE = "receptacle"


@dataclass(frozen=True, slots=True)
class Category:
    """A category of Table 7, for example ``apple``.

    Attributes:
        name: The PDDL type.
        kind: Its class: ``location``, ``receptacle``, ``food``, ``tool`` or ``thing``.
        subclass: For example ``fruit``; a location has none. A subclass with one category has its name.
        noun: English, for example ``Xmas tree``.
        plural: Its plural where that is not regular; of uncountable nouns the noun.
        properties: The meta-properties of Table 8, in the order in which the reference lists them.
        roles: What it does to others: ``heats``, ``cools``, ``soaks``, ``cuts``.
        cleaned_by: The categories of the tools that clean it.
        reference: The reference's name, for example ``xmas_tree``.
    """

    name: str
    kind: str
    subclass: str
    noun: str
    plural: str
    properties: tuple[str, ...]
    roles: tuple[str, ...]
    cleaned_by: tuple[str, ...]
    reference: str

    @property
    def movable(self) -> bool:
        return self.kind != LOCATION

    @property
    def receptacle(self) -> bool:
        """Whether it is a movable container."""
        return self.kind == RECEPTACLE

    @property
    def item(self) -> bool:
        """Whether it is movable and holds nothing: food, tool or thing."""
        return self.movable and not self.receptacle

    @property
    def relation(self) -> str:
        """How things are placed there: ``inside`` or ``ontop``; empty if nothing can be in or on it."""
        if "has-inside" in self.properties:
            return "inside"
        return "ontop" if "has-ontop" in self.properties else ""


@dataclass(frozen=True, slots=True)
class ObjectNumbers:
    """How many categories of a subclass a scene has, and how many objects each; both bounds inclusive.

    ``alone`` is for the objects of a category that is the only one of its subclass in the scene.
    """

    categories: tuple[int, int]
    objects: tuple[int, int]
    alone: tuple[int, int]


@dataclass(frozen=True)
class ObjectSpace:
    """The categories by name in the order of Table 7, and how scenes of them are sampled.

    Attributes:
        categories: By name.
        subclasses: The names of the categories of each subclass, receptacles first.
        states: The property that a category needs for each state, e.g. ``open: openable``, in the
            reference's order.
        attributes: The values of each static attribute: ``color``, ``size``.
        positions: Table 11: locations, receptacle categories or receptacle subclasses for each subclass.
        numbers: For each subclass.
        true_of: The states that hold at the start for given categories of objects.
        true_at: The states that hold at the start for what is at given categories of locations.
        chances: The states that hold at the start with a chance, as (numerator, denominator).
    """

    categories: Mapping[str, Category]
    subclasses: Mapping[str, tuple[str, ...]]
    states: Mapping[str, str]
    attributes: Mapping[str, tuple[str, ...]]
    positions: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, ObjectNumbers]
    true_of: Mapping[str, tuple[str, ...]]
    true_at: Mapping[str, tuple[str, ...]]
    chances: Mapping[str, tuple[int, int]]

    @cached_property
    def locations(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.categories.values() if not each.movable)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.kind for each in self.categories.values()))

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for each in self.categories.values():
            for name in dict.fromkeys((each.kind, each.subclass, each.name)):
                if name:
                    found.setdefault(name, []).append(each.name)
        return {name: tuple(members) for name, members in found.items()}

    @cached_property
    def _states(self) -> Mapping[str, tuple[str, ...]]:
        return {
            each.name: tuple(state for state, needed in self.states.items() if needed in each.properties)
            for each in self.categories.values()
        }

    @cached_property
    def _by_reference(self) -> Mapping[str, str]:
        return {each.reference: each.name for each in self.categories.values()}

    def members(self, name: str) -> tuple[str, ...]:
        """Return the categories of a class or subclass; a category stands for itself; () if there is none."""
        return self._members.get(name, ())

    def states_of(self, category: str) -> tuple[str, ...]:
        """Return the states that objects of a category can be in, in the reference's order."""
        return self._states[category]

    def attributes_of(self, category: str) -> tuple[str, ...]:
        """Return the static attributes of a category: ``color``, ``size``, both or none."""
        properties = self.categories[category].properties
        return tuple(name for name in self.attributes if f"has-{name}" in properties)

    def category_of_reference(self, name: str) -> Category:
        """Return the category with this name in the reference.

        Raises:
            InputError: There is none.
        """
        found = self._by_reference.get(name)
        if found is None:
            raise InputError(f"HandMeThat has no object type {name!r}")
        return self.categories[found]


def category_of(name: str) -> str:
    """Return the category of an object from its name: ``xmas-tree`` of ``xmas-tree_0``."""
    return name.rpartition("_")[0]


def reference_name(name: str, space: ObjectSpace) -> str:
    """Return the reference's name of an object: ``xmas_tree#0`` (ours: ``xmas-tree_0``)."""
    category = space.categories[category_of(name)]
    return f"{category.reference}#{name.rpartition('_')[2]}" if category.movable else category.reference


def object_name(reference: str, space: ObjectSpace) -> str:
    """Return our name of an object from the reference's; the inverse of ``reference_name``.

    Raises:
        InputError: It is no such name.
    """
    kind, sign, number = reference.partition("#")
    category = space.category_of_reference(kind)
    if category.movable != bool(sign) or (sign and not (number.isascii() and number.isdigit())):
        raise InputError(f"{reference!r} is not the name of an object of HandMeThat")
    return f"{category.name}_{number or 0}"


@lru_cache(maxsize=1)
def object_space() -> ObjectSpace:
    """Return the shipped object space; it is read once."""
    path = Path(str(files("chorewright.domains") / "handmethat" / "object_space.json"))
    return parse_object_space(path.read_text(encoding="utf-8"))


def vocabulary() -> Vocabulary:
    """Return the vocabulary of the shipped categories; the meta-properties are sets."""
    entries: dict[str, dict[str, JsonValue]] = {}
    for category in object_space().categories.values():
        entry: dict[str, JsonValue] = {"noun": category.noun, "sets": [*category.properties, *category.roles]}
        if category.plural:
            entry["plural"] = category.plural
            if category.plural == category.noun:
                entry["article"] = "some"
        if category.relation:
            entry["preposition"] = "in" if category.relation == "inside" else "on"
        entries[category.name] = entry
    return vocabulary_of(entries)


def parse_object_space(text: str) -> ObjectSpace:
    """Read an object space from JSON of the shape of the shipped file."""
    document = json.loads(text)
    found: dict[str, tuple[str, str]] = {}
    subclasses: dict[str, tuple[str, ...]] = {}
    for kind, members in document["classes"].items():
        for subclass, names in members.items() if isinstance(members, dict) else [("", members)]:
            found.update((name, (kind, subclass)) for name in names)
            if subclass:
                subclasses[subclass] = tuple(names)
    categories = {
        name: Category(
            name=name,
            kind=kind,
            subclass=subclass,
            noun=document["nouns"].get(name, name.replace("-", " ")),
            plural=document["plurals"].get(name, ""),
            properties=_naming(document["properties"], name, subclass, kind),
            roles=_naming(document["roles"], name, subclass, kind),
            cleaned_by=_naming(document["cleaned-by"], name, subclass, kind),
            reference=document["reference-names"].get(name, name.replace("-", "_")),
        )
        for name, (kind, subclass) in found.items()
    }
    return ObjectSpace(
        categories=categories,
        subclasses=subclasses,
        states=dict(document["states"]),
        attributes=_lists(document["attributes"]),
        positions=_lists(document["positions"]),
        numbers={name: _numbers(entry) for name, entry in document["sampling"].items()},
        true_of=_lists(document["initially"]["of"]),
        true_at=_lists(document["initially"]["at"]),
        chances={name: (low, high) for name, (low, high) in document["initially"]["chance"].items()},
    )


def _naming(entries: Mapping[str, Iterable[str]], name: str, subclass: str, kind: str) -> tuple[str, ...]:
    """Return the keys of the entries that name a category, its subclass or its class."""
    names = {name, subclass, kind}
    return tuple(key for key, members in entries.items() if not names.isdisjoint(members))


def _lists(entries: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(members) for name, members in entries.items()}


def _numbers(entry: Mapping[str, tuple[int, int]]) -> ObjectNumbers:
    low, high = entry["objects"]
    first, last = entry["categories"]
    least, most = entry.get("alone", (low, high))
    return ObjectNumbers((first, last), (low, high), (least, most))
