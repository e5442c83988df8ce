"""The plan of a house: which squares of a grid each room has.

A boundary with cut corners is divided by a tree of rooms: a node's squares are split between its two children in
proportion to what they ask for, along either axis. A split may end within a row of squares; then rooms are L-shaped.
All rooms are in one piece, and a room that one passes through is never reached by way of a bathroom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import networkx as nx
import numpy as np

from chorewright.problems.household.houses.design.rules import between, shuffle, whole

Square = tuple[int, int]
"""Column (east) and row (north) of a square."""

Squares = frozenset[Square]

PRIVATE = "bathroom"
"""The kind of rooms that have one door."""

TRIES = 200
"""How many plans are drawn at most."""

EXACT = 2.0
"""What a split costs for each square that one side has more than its share."""

THIN = 1.0
"""What a split costs for each square of a room that is one square wide."""


@dataclass(frozen=True, slots=True)
class PlannedRoom:
    """A room that a plan must have: its kind, and how many squares it asks for."""

    kind: str
    squares: int


@dataclass(frozen=True, slots=True)
class HousePlan:
    """Rooms with their squares; ``unit`` is the side of a square in metres."""

    unit: float
    kinds: tuple[str, ...]
    regions: tuple[Squares, ...]

    def neighbours(self) -> list[tuple[int, int]]:
        """Return the pairs of rooms that have a wall in common, sorted."""
        owner = {square: number for number, region in enumerate(self.regions) for square in region}
        pairs = set()
        for (column, row), number in owner.items():
            for other in (owner.get((column + 1, row)), owner.get((column, row + 1))):
                if other is not None and other != number:
                    pairs.add((min(number, other), max(number, other)))
        return sorted(pairs)


class NoHousePlan(Exception):
    """No plan was found for the rooms; others may have one."""


def draw_plan(rooms: Sequence[PlannedRoom], unit: float, rng: np.random.Generator) -> HousePlan:
    """Return a plan for rooms, which keep their order.

    Raises:
        NoPlan: None was found.
    """
    for _ in range(TRIES):
        boundary = _boundary(sum(room.squares for room in rooms), rng)
        order = _zones(rooms, rng)
        regions: dict[int, int] = {}
        if _divide(order, rooms, boundary, regions, rng) and _is_roomy(rooms, regions):
            squares = tuple(frozenset(_squares(regions[number])) for number in range(len(rooms)))
            plan = HousePlan(unit, tuple(room.kind for room in rooms), squares)
            if _is_joined(plan):
                return plan
    raise NoHousePlan


def _boundary(squares: int, rng: np.random.Generator) -> int:
    """Return about so many squares: a rectangle, perhaps with corners cut off."""
    ratio = between(rng, 1.0, 1.7)
    cut = squares >= 9 and rng.random() < 0.6
    size = squares * (1.15 if cut else 1.0)
    depth = max(1 if squares < 4 else 2, round(sqrt(size / ratio)))
    width = max(1, ceil(size / depth - 0.25))
    if rng.random() < 0.5:
        width, depth = depth, width
    found = _mask((column, row) for column in range(width) for row in range(depth))
    while cut and found.bit_count() > squares:
        across, along = whole(rng, 1, max(1, width // 2)), whole(rng, 1, max(1, depth // 2))
        east, north = rng.random() < 0.5, rng.random() < 0.5
        columns = range(width - across, width) if east else range(across)
        rows = range(depth - along, depth) if north else range(along)
        left = found & ~_mask((column, row) for column in columns for row in rows)
        cut = bool(rng.random() < 0.5)
        if left.bit_count() >= squares and _is_one(left):
            found = left
    return found


def _zones(rooms: Sequence[PlannedRoom], rng: np.random.Generator) -> list[int]:
    """Return the rooms' numbers in an order in which neighbours belong together: day rooms, then suites."""
    day = [number for number, room in enumerate(rooms) if room.kind in ("kitchen", "living_room")]
    beds = [number for number, room in enumerate(rooms) if room.kind == "bedroom"]
    baths = [number for number, room in enumerate(rooms) if room.kind == PRIVATE]
    suites = [[number] for number in shuffle(rng, beds)] or ([day[:1]] if day else [])
    if not beds:
        day = day[1:]
    for number, bath in enumerate(baths):
        if suites:
            suites[number % len(suites)].append(bath)
        else:
            suites.append([bath])
    return [*shuffle(rng, day), *(number for suite in suites for number in suite)]


def _divide(
    order: Sequence[int], rooms: Sequence[PlannedRoom], region: int, found: dict[int, int], rng: np.random.Generator
) -> bool:
    """Divide a region between rooms; return whether that was possible."""
    size = region.bit_count()
    if size < len(order):
        return False
    if len(order) == 1:
        found[order[0]] = region
        return True
    asked = [rooms[number].squares for number in order]
    noise = rng.random(len(order)).tolist()
    middle = min(range(1, len(order)), key=lambda cut: abs(sum(asked[:cut]) - sum(asked[cut:])) + 2 * noise[cut])
    share = sum(asked[:middle]) / sum(asked)
    parts = list(_parts(region, share * size))
    best: tuple[float, int] | None = None
    for part, luck in zip(parts, rng.random(len(parts)).tolist(), strict=True):
        rest = region & ~part
        count = part.bit_count()
        if count < middle or size - count < len(order) - middle or not _is_one(part) or not _is_one(rest):
            continue
        cost = EXACT * abs(count - share * size) + _outline(part) + _outline(rest) + 2 * luck
        for side, numbers in ((part, order[:middle]), (rest, order[middle:])):
            if any(rooms[number].kind != PRIVATE for number in numbers):
                cost += THIN * _thin(side)
        if best is None or cost < best[0]:
            best = (cost, part)
    if best is None:
        return False
    part = best[1]
    return _divide(order[:middle], rooms, part, found, rng) and _divide(
        order[middle:], rooms, region & ~part, found, rng
    )


def _parts(region: int, size: float) -> Iterator[int]:
    """Yield parts of a region of about a size, taken row by row from each of its four sides."""
    squares = _squares(region)
    for axis in (0, 1):
        for side in (1, -1):
            for start in (1, -1):
                line = sorted(squares, key=lambda square: (side * square[axis], start * square[1 - axis]))
                ends = (count for count in range(1, len(line)) if line[count][axis] != line[count - 1][axis])
                near = {end for end in ends if abs(end - size) <= 0.25 * size + 1}
                for count in sorted({round(size)} | (near if start == 1 else set())):
                    if 0 < count < len(line):
                        yield _mask(line[:count])


STRIDE = 64
"""How far the bits of two neighbouring rows are apart: more than a house has columns."""


def _mask(squares: Iterable[Square]) -> int:
    """Return squares as the bits of a number, which makes plans ten times as fast."""
    return sum(1 << (row * STRIDE + column + 1) for column, row in squares)


def _squares(mask: int) -> list[Square]:
    """Return the squares of a number's bits."""
    found = []
    while mask:
        bit = (mask & -mask).bit_length() - 1
        found.append((bit % STRIDE - 1, bit // STRIDE))
        mask &= mask - 1
    return found


def _is_one(region: int) -> bool:
    """Whether squares are connected by their sides."""
    reached, grown = 0, region & -region
    while grown != reached:
        reached = grown
        grown = (grown | grown << 1 | grown >> 1 | grown << STRIDE | grown >> STRIDE) & region
    return reached == region


def _outline(region: int) -> int:
    """Return the number of sides of squares on the region's edge."""
    inner = (region & region >> 1).bit_count() + (region & region >> STRIDE).bit_count()
    return 4 * region.bit_count() - 2 * inner


def _thin(region: int) -> int:
    """Return how many squares are in no block of two by two."""
    rows = region & region >> 1
    blocks = rows & rows >> STRIDE
    pairs = blocks | blocks << 1
    return (region & ~(pairs | pairs << STRIDE)).bit_count()


def _is_roomy(rooms: Sequence[PlannedRoom], regions: Mapping[int, int]) -> bool:
    """Whether all rooms but bathrooms have a block of two by two squares, if they are that large."""
    return all(
        rooms[number].kind == PRIVATE or region.bit_count() < 4 or _thin(region) <= region.bit_count() - 4
        for number, region in regions.items()
    )


def _is_joined(plan: HousePlan) -> bool:
    """Whether one can walk everywhere without passing through a bathroom."""
    passed = [number for number, kind in enumerate(plan.kinds) if kind != PRIVATE]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(passed)
    pairs = plan.neighbours()
    graph.add_edges_from(pair for pair in pairs if all(number in graph for number in pair))
    if passed and not nx.is_connected(graph):
        return False
    private = [number for number, kind in enumerate(plan.kinds) if kind == PRIVATE]
    if not passed:
        return len(private) == 1
    return all(any(bath in pair and not all(n in private for n in pair) for pair in pairs) for bath in private)
