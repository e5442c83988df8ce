"""Shapes: which places of a line, ring, grid, tree or graph are neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

Edge = tuple[int, int]

STEPS = {"right": (1, 0), "left": (-1, 0), "down": (0, 1), "up": (0, -1)}
"""Directions in a grid; places are numbered by rows from the upper left corner."""

SIDES = (*STEPS, "beside")


def edges(kind: str, side: str, count: int, numbers: tuple[float, ...], rng: np.random.Generator) -> list[Edge]:
    """Return the pairs of neighbours among ``count`` places.

    Args:
        kind: ``line``, ``ring``, ``pairs``, ``grid``, ``tree`` or ``graph``.
        side: In a grid the direction from the first place to the second; else ``each``.
        count: How many places there are.
        numbers: Width and height of a grid, the probability of a graph's further edges.
        rng: Draws trees and graphs.
    """
    match kind:
        case "line":
            return list(pairwise(range(count)))
        case "ring":
            return [*pairwise(range(count)), *([(count - 1, 0)] if count > 2 else [])]
        case "pairs":
            return list(combinations(range(count), 2))
        case "grid":
            return list(_grid(side, int(numbers[0]), int(numbers[1])))
        case "tree":
            return _tree(count, rng)
        case "graph":
            return _graph(count, numbers[0], rng)
        case _:
            raise ValueError(f"there is no shape {kind!r}")


def _grid(side: str, width: int, height: int) -> Iterator[Edge]:
    for place in range(width * height):
        x, y = place % width, place // width
        for name, (dx, dy) in STEPS.items():
            if side in (name, "beside") and 0 <= x + dx < width and 0 <= y + dy < height:
                yield place, place + dx + dy * width


def _tree(count: int, rng: np.random.Generator) -> list[Edge]:
    """A random recursive tree over the places in a random order: (parent, child)."""
    order = [int(each) for each in rng.permutation(count)]
    return [(order[int(rng.integers(place))], order[place]) for place in range(1, count)]


def _graph(count: int, probability: float, rng: np.random.Generator) -> list[Edge]:
    """A connected graph: a random tree, and each other pair with the probability; each edge once."""
    tree = {(min(edge), max(edge)) for edge in _tree(count, rng)}
    drawn = rng.random(count * (count - 1) // 2)
    return [
        pair for pair, x in zip(combinations(range(count), 2), drawn, strict=True) if pair in tree or x < probability
    ]
