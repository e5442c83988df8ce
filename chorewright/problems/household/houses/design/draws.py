"""Draws from a random generator: of a list, by weights, between bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

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


def weighted(rng: np.random.Generator, weights: Sequence[float]) -> int:
    """Return the number of a weight, drawn in proportion to the weights; not all of them are 0."""
    left = float(rng.random()) * sum(weights)
    for number, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return number
    return max(number for number, weight in enumerate(weights) if weight > 0)


def shuffled(rng: np.random.Generator, elements: Sequence[Element]) -> list[Element]:
    """Return the elements in a random order."""
    keys = rng.random(len(elements)).tolist()
    return [elements[number] for number in sorted(range(len(elements)), key=keys.__getitem__)]
