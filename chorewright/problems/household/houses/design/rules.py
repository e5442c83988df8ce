"""What houses are made of: the shipped rules of rooms, furniture and small things (``problems/data/houses.json``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from chorewright.files.records import reader_of, record_of
from chorewright.problems.household.houses.assets import Asset, assets_of

# Draws from a random generator: of a list, by weights, between bounds.


Element = TypeVar("Element")


def generator_of(name: str, seed: int) -> np.random.Generator:
    """Return the random generator of a purpose and a seed."""
    words = [int.from_bytes(name.encode(), "big"), seed]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a whole number from ``low`` to ``high``, both included."""
    return low + min(int(rng.random() * (high - low + 1)), high - low)


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """Return a number between two others."""
    return low + float(rng.random()) * (high - low)


def one_of(rng: np.random.Generator, elements: Sequence[Element]) -> Element:
    """Return one of several elements."""
    return elements[whole(rng, 0, len(elements) - 1)]


def choose_by_weight(rng: np.random.Generator, weights: Sequence[float]) -> int:
    """Return the number of a weight, drawn in proportion to the weights; not all of them are 0."""
    left = float(rng.random()) * sum(weights)
    for number, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return number
    return max(number for number, weight in enumerate(weights) if weight > 0)


def shuffle(rng: np.random.Generator, elements: Sequence[Element]) -> list[Element]:
    """Return the elements in a random order."""
    keys = rng.random(len(elements)).tolist()
    return [elements[number] for number in sorted(range(len(elements)), key=keys.__getitem__)]


STYLES = ("rich", "procthor")
"""The styles of houses: with all that tasks need, or as ProcTHOR furnishes them."""


@dataclass(frozen=True, slots=True)
class FurnishingRule:
    """How things of a kind stand in a room, or about another thing.

    Attributes:
        kind: What they are.
        where: In a room ``edge``, ``corner``, ``middle`` or ``wall`` (hung up); about a thing ``around`` it, ``before``
            or ``beside`` it, ``opposite`` of it, or ``on`` it.
        chance: How likely each of them is there.
        most: How many there are at most in a room, or about the thing.
        required: Whether a room without one is furnished anew.
        clear: Metres that are kept clear in front of it.
        gap: Metres from the thing that it is about, least and most.
        assets: What the names of its assets begin with, if not all serve.
        size: The largest width, height and depth of its assets.
        level: Of things that hang: metres from the floor to the middle.
        least: The least height of its assets.
        fittings: What is built into a counter: ``sink``, ``stove`` or ``worktop``.
        next_to: The kind of thing beside which it stands if it can.
        group: What stands about it.
    """

    kind: str
    where: str = "edge"
    chance: float = 1.0
    most: int = 1
    required: bool = False
    clear: float = 0.65
    gap: tuple[float, float] = (0.05, 0.1)
    assets: tuple[str, ...] = ()
    size: tuple[float, float, float] = (9.0, 9.0, 9.0)
    level: float = 1.5
    least: float = 0.0
    fittings: str = ""
    next_to: str = ""
    group: tuple[FurnishingRule, ...] = ()


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The rules of a style.

    Attributes:
        style: The style.
        heights: The least and the greatest height of walls, in metres.
        units: The least and the greatest side of a plan's squares, in metres.
        specs: The lists of kinds that a house may have, by its number of rooms less 1.
        squares: How many squares a kind of room has, least and most.
        chances: Likelihoods of the shell: ``open_plan``, ``leaves``, ``double_doors``, ...
        front_door: How likely a metre of a room's outer walls has the door to the outside, by kind.
        most_windows: How many windows a room has at most.
        floors: Materials of floors by kind of room; the others are of inner and outer walls, ceilings and skies.
        needs: The kinds of things that each kind of room must have.
        rooms: The rules of furniture by kind of room.
    """

    style: str
    heights: tuple[float, float]
    units: tuple[float, float]
    specs: tuple[tuple[tuple[str, ...], ...], ...]
    squares: Mapping[str, tuple[int, int]]
    chances: Mapping[str, float]
    front_door: Mapping[str, float]
    most_windows: int
    floors: Mapping[str, tuple[str, ...]]
    walls: tuple[str, ...]
    facades: tuple[str, ...]
    ceilings: tuple[str, ...]
    skies: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    rooms: Mapping[str, tuple[FurnishingRule, ...]]

    def materials(self, kind: str, rng: np.random.Generator) -> tuple[str, str]:
        """Return materials of a room's floor and walls."""
        return one_of(rng, self.floors[kind]), one_of(rng, self.walls)


@lru_cache(maxsize=256)
def suitable_assets(rule: FurnishingRule) -> Sequence[Asset]:
    """Return the assets that serve a rule, those with the smallest footprint first."""
    found = [
        asset
        for asset in assets_of(rule.kind)
        if (not rule.assets or asset.asset_id.startswith(rule.assets))
        and all(side <= most for side, most in zip(asset.size, rule.size, strict=True))
        and asset.size[1] >= rule.least
    ]
    return sorted(found, key=lambda asset: (asset.size[0] * asset.size[2], asset.asset_id))


_record = reader_of(dict[str, Any], "chorewright.problems", "data/houses.json")


def rules_of(style: str) -> HouseRules:
    """Return the shipped rules of a style."""
    of_style = {name: _record()[name][style] for name in ("needs", "rooms")}
    return record_of(HouseRules, {**_record(), **of_style, "style": style})
