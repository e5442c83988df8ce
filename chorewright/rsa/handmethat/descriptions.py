"""Descriptions: what a request says about a thing, how complex it is, and which things it fits.

A description is a set of specifiers with values (the paper's specification dictionary).
``data/handmethat_quests.json`` has the specifiers, their costs, and which exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import product
from typing import TypeAlias

from chorewright.errors import InputError
from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json

Value: TypeAlias = str | bool
Description: TypeAlias = tuple[tuple[str, Value], ...]
"""Specifiers with values, in the order of the data file: ``(("type", "plate"), ("ontop", "table_0"))``."""

ANYTHING: Description = ()


@dataclass(frozen=True, slots=True)
class Quests:
    """The data of requests; the data file explains each entry.

    ``groups`` are the specifiers in order, those that exclude each other together.
    """

    costs: Mapping[str, int]
    groups: tuple[tuple[str, ...], ...]
    position_cost: int
    verbs: Mapping[str, Mapping[str, bool]]
    beta1: float
    beta2: float
    alpha: float
    alpha1: float
    depth: int


def parse_quests(text: str) -> Quests:
    """Read the data of requests from JSON of the shape of the shipped file.

    Raises:
        InputError: The text is not JSON or lacks an entry.
    """
    document = root(parse_json(text))
    costs: dict[str, int] = {}
    groups: dict[str, list[str]] = {}
    for name, facts in document["specifiers"].members():
        cost, group = facts.get("cost"), facts.get("at_most_one")
        costs[name] = 1 if cost is None else cost.whole()
        groups.setdefault(name if group is None else group.text(), []).append(name)
    return Quests(
        costs,
        tuple(tuple(group) for group in groups.values()),
        document["position_cost"].whole(),
        {
            verb: {state: value.flag() for state, value in states.members()}
            for verb, states in document["verbs"].members()
        },
        document["beta1"].number(),
        document["beta2"].number(),
        document["alpha"].number(),
        document["alpha1"].number(),
        document["depth"].whole(),
    )


@lru_cache(maxsize=1)
def quests() -> Quests:
    """Return the shipped data of requests."""
    path = resources.files("chorewright.rsa") / "data" / "handmethat_quests.json"
    return parse_quests(path.read_text("utf-8"))


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
        if name not in known.costs:
            raise InputError(f"unknown specifier {name!r}", hint=f"one of {', '.join(known.costs)}")
    for group in known.groups:
        both = [name for name in group if name in given]
        if len(both) > 1:
            raise InputError(f"a description cannot have both {both[0]!r} and {both[1]!r}")
    return tuple((name, given[name]) for name in known.costs if name in given)


def cost_of(description: Description) -> int:
    """Return what it costs to say a description (appendix A.4, Table 18)."""
    costs = quests().costs
    return sum(costs[name] for name, _ in description)


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
