"""Furniture of a room, by rules: at walls, in corners, in the middle, hung up, and in groups about other pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np

from chorewright.problems.household.houses.assets import Asset
from chorewright.problems.household.houses.design import rules
from chorewright.problems.household.houses.design.ground import Ground, Rectangle
from chorewright.problems.household.houses.design.pieces import BACK, FurniturePiece, Spot, Unfurnished, fit
from chorewright.problems.household.houses.design.shell import FIRST, Edge, HouseShell

TRIES = 12
"""Places that are tried for a piece."""

REQUIRED_TRIES = 60
"""The same for a piece that a room must have."""

ROOM_TRIES = 8
"""How often a room is furnished anew if it lacks what it must have."""

CHAIR = 0.62
"""Metres along a table's side for each chair."""

YAWS = {(0, 1): 0, (1, 0): 90, (0, -1): 180, (-1, 0): 270}


class Furnisher:
    """Furnishes the rooms of a house, one after the other."""

    def __init__(self, shell: HouseShell, ground: Ground, given: rules.HouseRules, rng: np.random.Generator) -> None:
        self.shell, self.ground, self.rules, self.rng = shell, ground, given, rng
        self.pieces: list[FurniturePiece] = []
        self.walls = [_Walls.of(edges) for edges in shell.edges]
        for room, edges in enumerate(shell.edges):
            for edge in edges:
                for gap in edge.gaps:
                    if gap.clear:
                        ground.keep_clear(room, _before(edge, gap.left - 0.1, gap.right + 0.1, gap.clear))

    def furnish(self, room: int) -> list[FurniturePiece]:
        """Return the pieces of a room, which stand on the ground from now on.

        Raises:
            Unfurnished: A piece that it must have found no place, or a piece is always out of reach.
        """
        state = self.ground.snapshot(room)
        for _ in range(ROOM_TRIES):
            self.pieces = []
            order = self.rules.rooms[self.shell.house.rooms[room].kind]
            if all(self._follow(rule, room) for rule in order) and self._is_reached(room):
                return self.pieces
            self.ground.restore(room, state)
        raise Unfurnished

    def _is_reached(self, room: int) -> bool:
        """Whether all that is handled in a room is within reach, now that all of it stands."""
        return all(self.ground.reaches(room, box) for piece in self.pieces for box in piece.handled())

    def _follow(self, rule: rules.FurnishingRule, room: int) -> bool:
        """Place what a rule asks for; return false if a required piece found no place."""
        for number in range(rule.most):
            there = sum(piece.rule.kind == rule.kind for piece in self.pieces)
            if self.rng.random() >= rule.chance or (there >= rule.most and not rule.fittings):
                continue
            if self._place(rule, room, None) is None:
                return not (rule.required and number == 0)
        return True

    def _place(self, rule: rules.FurnishingRule, room: int, about: FurniturePiece | None) -> FurniturePiece | None:
        """Place a piece with its group; None if it found no place."""
        choice = rules.suitable_assets(rule)
        tries = REQUIRED_TRIES if rule.required else TRIES
        for attempt in range(tries):
            asset = choice[rules.whole(self.rng, 0, max(0, ceil(len(choice) * (1 - attempt / tries)) - 1))]
            spot = self._spot(rule, asset, room, about)
            if spot is not None and self._stands(rule, asset, room, spot):
                return self._settle(rule, asset, room, spot)
        return None

    def _stands(self, rule: rules.FurnishingRule, asset: Asset, room: int, spot: Spot) -> bool:
        """Put a piece on the ground if it may stand there."""
        width, height, depth = asset.size
        box = spot.box(width, depth)
        bottom = rule.level - height / 2 if rule.where == "wall" else 0.0
        top = bottom + height
        if rule.where == "wall":
            clear = self.ground.is_inside(room, box) and self.ground.is_free(room, box, bottom)
            return clear and self.ground.put(room, box, bottom, top, "Receptacle" in asset.properties)
        if not self.ground.is_allowed(room, box):
            return False
        if rule.clear and rule.where == "middle":
            grown = spot.box(width + 2 * rule.clear, depth + 2 * rule.clear)
            if not self.ground.is_inside(room, grown) or not self.ground.is_free(room, grown):
                return False
        elif rule.clear:
            zone = spot.zone(width, depth, rule.clear)
            if not self.ground.is_inside(room, zone) or not self.ground.is_free(room, zone):
                return False
        if asset.primary == "CanPickup":
            self.ground.note(room, box, top)
            return True
        return self.ground.put(room, box, bottom, top, True)

    def _settle(self, rule: rules.FurnishingRule, asset: Asset, room: int, spot: Spot) -> FurniturePiece:
        """Return a piece that stands on the ground, after its group has been placed."""
        height = asset.size[1]
        middle = rule.level if rule.where == "wall" else height / 2
        piece = FurniturePiece(rule, asset, room, f"{asset.kind}|{FIRST + room}|{len(self.pieces)}", spot, middle)
        self.pieces.append(piece)
        if rule.fittings:
            fit(piece, self.rules, self._windows_behind(piece), self.rng)
        for each in () if rule.fittings else rule.group:
            for _ in range(each.most):
                if self.rng.random() < each.chance:
                    if each.where == "on":
                        self._put_on(each, piece)
                    else:
                        self._place(each, room, piece)
        seated = any(each.where in ("around", "before") for each in rule.group)
        if rule.clear and not seated and rule.where in ("edge", "corner", "beside"):
            self.ground.keep_clear(room, spot.zone(asset.size[0], asset.size[2], rule.clear))
        return piece

    def _windows_behind(self, piece: FurniturePiece) -> list[tuple[float, float]]:
        """Return the spans of windows in the wall behind a counter, in metres right of its middle."""
        assert piece.spot.edge is not None
        edge = self.shell.edges[piece.room][piece.spot.edge]
        dx, dz = edge.stretch.along
        middle = (piece.spot.x - edge.stretch.start[0]) * dx + (piece.spot.z - edge.stretch.start[1]) * dz
        return [(middle - gap.right, middle - gap.left) for gap in edge.gaps]

    def _put_on(self, rule: rules.FurnishingRule, piece: FurniturePiece) -> None:
        """Put a thing on top of a piece, at its back."""
        choice = [
            asset
            for asset in rules.suitable_assets(rule)
            if asset.size[0] <= piece.asset.size[0] + 0.3 and asset.size[2] <= piece.asset.size[2] + 0.05
        ]
        if not choice:
            return
        asset = rules.one_of(self.rng, choice)
        slack = max(0.0, (piece.asset.size[0] - asset.size[0]) / 2)
        for _ in range(TRIES):
            forward = (asset.size[2] - piece.asset.size[2]) / 2 + rules.between(self.rng, 0.0, 0.03)
            x, z = piece.spot.offset(rules.between(self.rng, -slack, slack), min(0.0, forward))
            box = Spot(x, z, piece.spot.yaw).box(asset.size[0], asset.size[2])
            if all(box[0] >= t[2] or t[0] >= box[2] or box[1] >= t[3] or t[1] >= box[3] for t in piece.taken):
                piece.taken.append(box)
                piece.add_child(asset, x, piece.top, z, float(piece.spot.yaw))
                return

    def _spot(self, rule: rules.FurnishingRule, asset: Asset, room: int, about: FurniturePiece | None) -> Spot | None:
        """Draw a place for an asset, free or not."""
        if about is not None:
            spots = list(_about(rule, asset, about, self.rng))
            return rules.one_of(self.rng, spots) if spots else None
        if rule.where == "middle":
            return self._middle_spot(room)
        if rule.next_to and self.rng.random() < 0.7:
            beside = [piece for piece in self.pieces if piece.rule.kind == rule.next_to]
            if beside:
                return rules.one_of(self.rng, list(_beside(asset, rules.one_of(self.rng, beside), 0.0)))
        return self._edge_spot(rule, asset, room)

    def _middle_spot(self, room: int) -> Spot:
        column, row = rules.one_of(self.rng, sorted(self.ground.plan.regions[room]))
        unit = self.ground.plan.unit
        x, z = (rules.between(self.rng, place, place + 1) * unit for place in (column, row))
        return Spot(round(x, 2), round(z, 2), 90 * rules.whole(self.rng, 0, 3))

    def _edge_spot(self, rule: rules.FurnishingRule, asset: Asset, room: int) -> Spot | None:
        """Draw a place at a wall, where there is no hole behind the thing."""
        bottom = rule.level - asset.size[1] / 2 if rule.where == "wall" else 0.0
        top = bottom + asset.size[1]
        if top > self.shell.height:
            return None
        width, depth = asset.size[0], asset.size[2]
        spans = [span for span in self.walls[room].spans(top) if span[2] - span[1] >= width + 2 * BACK]
        if not spans:
            return None
        number, low, high = rules.one_of(self.rng, spans)
        low, high = low + BACK, high - BACK - width
        snug = rule.where == "corner" or (rule.where == "edge" and self.rng.random() < 0.5)
        left = rules.one_of(self.rng, (low, high)) if snug else rules.between(self.rng, low, high)
        return _at_wall(self.shell.edges[room][number], number, left + width / 2, depth)


def _at_wall(edge: Edge, number: int, middle: float, depth: float) -> Spot:
    x, z = edge.stretch.at(middle)
    dx, dz = edge.stretch.inward
    back = BACK + depth / 2
    return Spot(round(x + dx * back, 4), round(z + dz * back, 4), YAWS[dx, dz], number)


Span = tuple[int, float, float]
"""A part of a wall: the edge's number, and metres from its start."""


@dataclass(frozen=True, slots=True)
class _Walls:
    """The parts of a room's walls without holes: for things below the windows, and for higher ones."""

    sill: float
    low: tuple[Span, ...]
    high: tuple[Span, ...]

    @classmethod
    def of(cls, edges: Sequence[Edge]) -> _Walls:
        """Return the parts of a room's edges."""
        sill = min((gap.bottom for edge in edges for gap in edge.gaps if gap.bottom > 0.0), default=inf)
        low, high = (
            tuple(span for n, edge in enumerate(edges) if not edge.open for span in _between_gaps(n, edge, top))
            for top in (sill, inf)
        )
        return cls(sill, low, high)

    def spans(self, top: float) -> tuple[Span, ...]:
        """Return the parts at which something of a height may stand."""
        return self.low if top <= self.sill else self.high


def _between_gaps(number: int, edge: Edge, top: float) -> Iterator[Span]:
    """Yield the parts of an edge without holes that begin below a height."""
    reached = 0.0
    for left, right in sorted((gap.left, gap.right) for gap in edge.gaps if gap.bottom < top):
        yield number, reached, left
        reached = right
    yield number, reached, edge.stretch.length


def _before(edge: Edge, left: float, right: float, depth: float) -> Rectangle:
    """Return the rectangle inwards of a part of an edge."""
    (x0, z0), (x1, z1) = edge.stretch.at(left), edge.stretch.at(right)
    dx, dz = edge.stretch.inward
    xs, zs = (x0, x1, x0 + dx * depth, x1 + dx * depth), (z0, z1, z0 + dz * depth, z1 + dz * depth)
    return min(xs), min(zs), max(xs), max(zs)


def _about(rule: rules.FurnishingRule, asset: Asset, about: FurniturePiece, rng: np.random.Generator) -> Iterator[Spot]:
    """Yield places about a piece."""
    gap = rules.between(rng, *rule.gap)
    if rule.where == "beside":
        yield from _beside(asset, about, gap)
    elif rule.where == "around":
        yield from _around(asset, about, gap)
    else:
        width, depth = about.asset.size[0], about.asset.size[2]
        slack = max(0.0, (width - asset.size[0]) / 2) * (0.8 if rule.where == "before" else 0.2)
        x, z = about.spot.offset(rules.between(rng, -slack, slack), depth / 2 + gap + asset.size[2] / 2)
        yield Spot(x, z, (about.spot.yaw + 180) % 360)


def _beside(asset: Asset, about: FurniturePiece, gap: float) -> Iterator[Spot]:
    """Yield the places to the left and right of a piece, with their backs in line."""
    sideways = about.asset.size[0] / 2 + gap + asset.size[0] / 2 + 0.001
    forward = (asset.size[2] - about.asset.size[2]) / 2
    for side in (-1, 1):
        x, z = about.spot.offset(side * sideways, forward)
        yield Spot(x, z, about.spot.yaw, about.spot.edge)


def _around(asset: Asset, about: FurniturePiece, gap: float) -> Iterator[Spot]:
    """Yield places at the four sides of a table, facing it."""
    width, depth = about.asset.size[0], about.asset.size[2]
    for turn, length, reach in ((0, width, depth), (90, depth, width), (180, width, depth), (270, depth, width)):
        seats = max(1, floor(length / CHAIR))
        side = Spot(about.spot.x, about.spot.z, (about.spot.yaw + turn) % 360)
        for seat in range(seats):
            x, z = side.offset((seat + 0.5 - seats / 2) * length / seats, reach / 2 + gap + asset.size[2] / 2)
            yield Spot(x, z, (side.yaw + 180) % 360)
