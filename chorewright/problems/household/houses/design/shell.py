"""Walls, doors and windows of a plan.

Doors join the rooms to a tree, with a few more; a bathroom has one. A kitchen and a living room may be open to each
other. One door leads outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.problems.household.houses.assets import Asset, assets_of
from chorewright.problems.household.houses.design.plan import PRIVATE, HousePlan, Square, Squares
from chorewright.problems.household.houses.design.rules import HouseRules, between, choose_by_weight, one_of, shuffle
from chorewright.problems.household.houses.house import EXTERIOR, Corner, House, HouseRoom, Material, Opening, Wall

# Outlines of regions of squares: the floor's corners and the walls, clockwise, each with who is on its other side.


OUTSIDE = -1
"""The number of what is outside of the house."""

Side = tuple[Square, Square]
"""Two corners of squares: a side of a square, the square to its right."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A straight piece of a room's edge with one neighbour; the room is to its right."""

    start: Corner
    end: Corner
    neighbour: int

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return abs(self.end[0] - self.start[0]) + abs(self.end[1] - self.start[1])

    @property
    def along(self) -> Square:
        """The direction from start to end."""
        return _direction(self.start, self.end)

    @property
    def inward(self) -> Square:
        """The direction into the room."""
        dx, dz = self.along
        return dz, -dx

    def at(self, metres: float) -> Corner:
        """Return the place so many metres from the start."""
        dx, dz = self.along
        return self.start[0] + dx * metres, self.start[1] + dz * metres


def room_outline(plan: HousePlan, number: int) -> tuple[Stretch, ...]:
    """Return the edge of a room, clockwise, divided at corners and where the neighbour changes."""
    owner = {square: room for room, region in enumerate(plan.regions) for square in region}
    pieces: list[tuple[Square, Square, int]] = []
    for start, end in _ring(plan.regions[number]):
        neighbour = owner.get(_square_to_the_left(start, end), OUTSIDE)
        if pieces and pieces[-1][2] == neighbour and _direction(*pieces[-1][:2]) == _direction(start, end):
            pieces[-1] = (pieces[-1][0], end, neighbour)
        else:
            pieces.append((start, end, neighbour))
    return tuple(Stretch(_metres(plan, start), _metres(plan, end), other) for start, end, other in pieces)


def corners(outline: tuple[Stretch, ...]) -> tuple[Corner, ...]:
    """Return the corners of an outline where its direction changes."""
    return tuple(
        stretch.start
        for before, stretch in zip((outline[-1], *outline[:-1]), outline, strict=True)
        if before.along != stretch.along
    )


def _metres(plan: HousePlan, corner: Square) -> Corner:
    return round(corner[0] * plan.unit, 3), round(corner[1] * plan.unit, 3)


def _ring(region: Squares) -> Iterator[Side]:
    """Yield the sides around a region, clockwise, from a corner where its direction changes."""
    following: dict[Square, list[Square]] = {}
    for column, row in sorted(region):
        for start, end, other in (
            ((column, row), (column, row + 1), (column - 1, row)),
            ((column, row + 1), (column + 1, row + 1), (column, row + 1)),
            ((column + 1, row + 1), (column + 1, row), (column + 1, row)),
            ((column + 1, row), (column, row), (column, row - 1)),
        ):
            if other not in region:
                following.setdefault(start, []).append(end)
    first = min(following)
    place, heading = first, (0, 1)
    while True:
        ends = following[place]
        right = heading[1], -heading[0]
        end = ends[0] if len(ends) == 1 else next(each for each in ends if _direction(place, each) == right)
        yield place, end
        heading = _direction(place, end)
        place = end
        if place == first:
            return


def _direction(start: Corner | Square, end: Corner | Square) -> Square:
    dx, dz = end[0] - start[0], end[1] - start[1]
    return (dx > 0) - (dx < 0), (dz > 0) - (dz < 0)


def _square_to_the_left(start: Square, end: Square) -> Square:
    """Return the square to the left of a side."""
    dx, dz = _direction(start, end)
    if (dx, dz) == (0, 1):
        return start[0] - 1, start[1]
    if (dx, dz) == (1, 0):
        return start[0], start[1]
    if (dx, dz) == (0, -1):
        return start[0], end[1]
    return end[0], end[1] - 1


MARGIN = 0.15
"""Metres between a hole and the end of its wall."""

FIRST = 2
"""The number of the first room; ProcTHOR calls the outside 1."""

CLEAR = 0.7
"""Metres in front of a door that are kept clear."""

SWING = 1.0
"""The same for doors with a leaf that may open into the room."""

OPEN_PLAN = ("kitchen", "living_room")
"""The kinds of rooms that may be open to each other."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a stretch with a hole, in metres from its start.

    ``bottom`` is how high the hole is above the floor; ``clear`` how many metres in front of a door nothing may stand.
    """

    left: float
    right: float
    bottom: float
    clear: float = 0.0


@dataclass(frozen=True, slots=True)
class Edge:
    """A stretch of a room's edge with its holes; ``open`` if there is no wall."""

    stretch: Stretch
    gaps: tuple[Gap, ...] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class HouseShell:
    """A house without things, the edges of each room, and the height of its walls."""

    house: House
    edges: tuple[tuple[Edge, ...], ...]
    height: float


def build_shell(plan: HousePlan, rules: HouseRules, rng: np.random.Generator) -> HouseShell:
    """Return the walls, doors and windows of a plan."""
    return _Builder(plan, rules, rng).shell()


class _Builder:
    """The shell as it is built."""

    def __init__(self, plan: HousePlan, rules: HouseRules, rng: np.random.Generator) -> None:
        self.plan, self.rules, self.rng = plan, rules, rng
        self.height = round(between(rng, *rules.heights), 2)
        self.edges = [[Edge(stretch) for stretch in room_outline(plan, n)] for n in range(len(plan.kinds))]
        self.doors: list[Opening] = []
        self.windows: list[Opening] = []

    def shell(self) -> HouseShell:
        for pair in self._passages():
            self._join(pair)
        self._door_outside()
        for number in range(len(self.plan.kinds)):
            self._light(number)
        surfaces = [self.rules.materials(kind, self.rng) for kind in self.plan.kinds]
        rooms = tuple(
            HouseRoom(
                f"room|{FIRST + number}",
                kind,
                corners(room_outline(self.plan, number)),
                Material(surfaces[number][0]),
                rest={"ceilings": [], "children": []},
            )
            for number, kind in enumerate(self.plan.kinds)
        )
        walls = tuple(self._walls([Material(wall) for _, wall in surfaces]))
        edges = tuple(tuple(edges) for edges in self.edges)
        return HouseShell(House(rooms, walls, tuple(self.doors), tuple(self.windows)), edges, self.height)

    def _walls(self, materials: Sequence[Material]) -> Iterator[Wall]:
        for number, edges in enumerate(self.edges):
            for edge in edges:
                start, end = edge.stretch.start, edge.stretch.end
                name = _wall_id(number, edge.stretch)
                empty = True if edge.open else None
                yield Wall(name, f"room|{FIRST + number}", start, end, 0.0, self.height, materials[number], empty)
        outer = Material(one_of(self.rng, self.rules.facades))
        for edges in self.edges:
            for edge in edges:
                if edge.stretch.neighbour == OUTSIDE:
                    name = _wall_id(OUTSIDE, edge.stretch)
                    yield Wall(name, EXTERIOR, edge.stretch.end, edge.stretch.start, 0.0, self.height, outer)

    def _passages(self) -> list[tuple[int, int]]:
        """Return the pairs of rooms that one can walk between, without detours by a bathroom."""
        kinds, rng = self.plan.kinds, self.rng
        pairs = [pair for pair in self.plan.neighbours() if self._longest(pair) is not None]
        joined = {next((n for n, kind in enumerate(kinds) if kind != PRIVATE), 0)}
        chosen: list[tuple[int, int]] = []
        left = [pair for pair in shuffle(rng, pairs) if PRIVATE not in (kinds[pair[0]], kinds[pair[1]])]
        while True:
            border = [pair for pair in left if (pair[0] in joined) != (pair[1] in joined)]
            if not border:
                break
            hubs = [any(self.plan.kinds[number] == "living_room" for number in pair) for pair in border]
            pair = border[choose_by_weight(rng, [4.0 if hub else 1.0 for hub in hubs])]
            chosen.append(pair)
            joined |= set(pair)
        chosen += [pair for pair in left if pair not in chosen and rng.random() < self.rules.chances["extra_doors"]]
        for bath, kind in enumerate(kinds):
            sides = [pair for pair in pairs if bath in pair and {kinds[n] for n in pair} != {PRIVATE}]
            if kind == PRIVATE and sides:
                chosen.append(one_of(rng, sides))
        return sorted(chosen)

    def _longest(self, pair: tuple[int, int]) -> int | None:
        """Return the number of the longest edge of the first room beside the second."""
        found = [n for n, edge in enumerate(self.edges[pair[0]]) if edge.stretch.neighbour == pair[1]]
        return max(found, key=lambda n: (self.edges[pair[0]][n].stretch.length, -n), default=None)

    def _join(self, pair: tuple[int, int]) -> None:
        """Open the walls between two rooms, or put a door into one."""
        first, second = pair
        kinds = {self.plan.kinds[first], self.plan.kinds[second]}
        if kinds == set(OPEN_PLAN) and self.rng.random() < self.rules.chances["open_plan"]:
            for one, other in ((first, second), (second, first)):
                self.edges[one] = [
                    replace(edge, open=True) if edge.stretch.neighbour == other else edge for edge in self.edges[one]
                ]
            return
        number = self._longest(pair)
        assert number is not None
        stretch = self.edges[first][number].stretch
        chances = self.rules.chances
        leaf = PRIVATE in kinds or self.rng.random() < chances["leaves"]
        double = PRIVATE not in kinds and stretch.length > 2.6 and self.rng.random() < chances["double_doors"]
        asset = self._door("Doorway" if leaf else "Doorframe", double)
        opening = self._opening(f"door|{FIRST + first}|{FIRST + second}", asset, first, number, second, 0.0)
        self.doors.append(replace(opening, openable=True, openness=1.0) if leaf else opening)

    def _door(self, kind: str, double: bool) -> Asset:
        return one_of(self.rng, [asset for asset in assets_of(kind) if (asset.size[0] > 1.5) == double])

    def _door_outside(self) -> None:
        """Put a door into an outer wall, of a living room or kitchen if there is one."""
        weights, places, doors = [], [], self.rules.front_door
        for room, edges in enumerate(self.edges):
            for number, edge in enumerate(edges):
                if edge.stretch.neighbour == OUTSIDE:
                    places.append((room, number))
                    weights.append(edge.stretch.length * doors.get(self.plan.kinds[room], 0.01))
        room, number = places[choose_by_weight(self.rng, weights)]
        opening = self._opening(f"door|1|{FIRST + room}", self._door("Doorway", False), room, number, OUTSIDE, 0.0)
        self.doors.append(replace(opening, openable=False, openness=0.0))

    def _light(self, room: int) -> None:
        """Put windows into a room's outer walls."""
        left = self.rules.most_windows
        for number in shuffle(self.rng, range(len(self.edges[room]))):
            edge = self.edges[room][number]
            if (
                edge.stretch.neighbour != OUTSIDE
                or edge.gaps
                or not left
                or self.rng.random() > self.rules.chances["windows"]
            ):
                continue
            widest, highest = edge.stretch.length - 2 * MARGIN, self.height - 1.2
            fitting = [asset for asset in assets_of("Window") if asset.size[0] < widest and asset.size[1] < highest]
            if fitting:
                asset = one_of(self.rng, fitting)
                bottom = round(min(1.1, self.height - 0.15 - asset.size[1]), 2)
                name = f"window|{FIRST + room}|{self.rules.most_windows - left}"
                self.windows.append(self._opening(name, asset, room, number, OUTSIDE, bottom))
                left -= 1

    def _opening(self, name: str, asset: Asset, room: int, number: int, other: int, bottom: float) -> Opening:
        """Cut a hole of an asset's size into an edge of a room, and into the wall on its other side."""
        stretch = self.edges[room][number].stretch
        width, height = asset.size[0], asset.size[1]
        left = round(between(self.rng, MARGIN, max(MARGIN, stretch.length - width - MARGIN)), 3)
        swings = asset.open_size is not None and other != OUTSIDE
        clear = 0.0 if bottom > 0.0 else SWING if swings else CLEAR
        self._cut(room, number, Gap(left, left + width, bottom, clear))
        rooms = (f"room|{FIRST + room}", f"room|{FIRST + (room if other == OUTSIDE else other)}")
        if other != OUTSIDE:
            facing = next(
                n
                for n, edge in enumerate(self.edges[other])
                if edge.stretch.end == stretch.start and edge.stretch.start == stretch.end
            )
            self._cut(other, facing, Gap(stretch.length - left - width, stretch.length - left, bottom, clear))
        walls = (_wall_id(room, stretch), _wall_id(other, stretch))
        low, high = (left, bottom, 0.0), (round(left + width, 4), round(bottom + height, 4), 0.0)
        middle = (round(left + width / 2, 4), round(bottom + height / 2, 4), 0.0)
        return Opening(name, asset.asset_id, rooms, walls, low, high, middle)

    def _cut(self, room: int, number: int, gap: Gap) -> None:
        edge = self.edges[room][number]
        self.edges[room][number] = replace(edge, gaps=(*edge.gaps, gap))


def _wall_id(room: int, stretch: Stretch) -> str:
    """Return a wall's id: its room, or that it is outside, and its ends, sorted."""
    whose = EXTERIOR if room == OUTSIDE else str(FIRST + room)
    (x0, z0), (x1, z1) = sorted((stretch.start, stretch.end))
    return f"wall|{whose}|{x0:.2f}|{z0:.2f}|{x1:.2f}|{z1:.2f}"
