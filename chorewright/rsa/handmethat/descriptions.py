"""Descriptions: what a request says about a thing, how complex it is, and which things it fits.

A description is a set of specifiers with values (the paper's specification dictionary).
``data/handmethat_quests.json`` has the specifiers, their costs, and which exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from chorewright.errors import InputError
from chorewright.files.records import reader_of

Value: TypeAlias = str | bool
Description: TypeAlias = tuple[tuple[str, Value], ...]
"""Specifiers with values, in the order of the data file: ``(("type", "plate"), ("ontop", "table_0"))``."""

ANYTHING: Description = ()


@dataclass(frozen=True, slots=True)
class Specifier:
    """What it costs to say a specifier, and the name of the group of those that exclude each other, if it is in one."""

    cost: int = 1
    at_most_one: str = ""


@dataclass(frozen=True)
class Quests:
    """The data of requests; the data file explains each entry."""

    specifiers: Mapping[str, Specifier]
    position_cost: int
    verbs: Mapping[str, Mapping[str, bool]]
    beta1: float
    beta2: float
    alpha: float
    alpha1: float
    depth: int

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The specifiers in order, those that exclude each other together."""
        found: dict[str, list[str]] = {}
        for name, each in self.specifiers.items():
            found.setdefault(each.at_most_one or name, []).append(name)
        return tuple(map(tuple, found.values()))


quests = reader_of(Quests, "chorewright.rsa", "data/handmethat_quests.json")
"""Returns the shipped data of requests."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that a request may be about.

    Attributes:
        name: Its name.
        features: The value of each specifier that applies to it.
        movable: Whether it can be carried.
        relation: How other things are where it is, ``inside`` or ``ontop``; empty if nothing can be.
    """

    name: str
    features: Mapping[str, Value]
    movable: bool = True
    relation: str = ""

    @property
    def container(self) -> str:
        """What the item is directly in or on; empty for locations and held items."""
        return str(self.features.get("inside") or self.features.get("ontop") or "")


def description_of(entries: Mapping[str, Value] | Iterable[tuple[str, Value]]) -> Description:
    """Return a description with its specifiers in order.

    Raises:
        InputError: A specifier is unknown, or two exclude each other.
    """
    known = quests()
    given = dict(entries)
    for name in given:
        if name not in known.specifiers:
            raise InputError(f"unknown specifier {name!r}", hint=f"one of {', '.join(known.specifiers)}")
    for group in known.groups:
        both = [name for name in group if name in given]
        if len(both) > 1:
            raise InputError(f"a description cannot have both {both[0]!r} and {both[1]!r}")
    return tuple((name, given[name]) for name in known.specifiers if name in given)


def cost_of(description: Description) -> int:
    """Return what it costs to say a description (appendix A.4, Table 18)."""
    known = quests().specifiers
    return sum(known[name].cost for name, _ in description)


def descriptions_of(item: Item) -> tuple[Description, ...]:
    """Return all descriptions that fit an item, ``ANYTHING`` first."""
    choices: list[list[Description]] = []
    for group in quests().groups:
        given: list[Description] = [((name, item.features[name]),) for name in group if name in item.features]
        if given:
            choices.append([(), *given])
    return tuple(tuple(part for chosen in each for part in chosen) for each in product(*choices))


class Extents:
    """The items that descriptions fit, as bits: bit ``i`` stands for item ``i``."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.everything = (1 << len(items)) - 1
        self._having: dict[tuple[str, Value], int] = {}
        for number, item in enumerate(items):
            for feature in item.features.items():
                self._having[feature] = self._having.get(feature, 0) | (1 << number)

    def of(self, description: Description) -> int:
        """Return the items that a description fits."""
        bits = self.everything
        for feature in description:
            bits &= self._having.get(feature, 0)
        return bits
