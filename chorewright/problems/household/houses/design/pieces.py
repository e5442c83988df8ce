"""Pieces of furniture as they stand: an asset's box at a place, with its parts and what is on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.problems.household.houses.assets import Asset, assets, thing_parts
from chorewright.problems.household.houses.design import rules
from chorewright.problems.household.houses.design.ground import Rectangle
from chorewright.problems.household.houses.house import HousePart, HouseThing
from chorewright.problems.household.scene import Vector

FRONTS = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}
"""The direction to which a thing's front looks, by its yaw."""

BACK = 0.01
"""Metres between a wall and what stands at it."""


class Unfurnished(Exception):
    """A room is too small for what it must have."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a thing may stand: the middle of its box on the floor plan, its yaw, and the number of its wall."""

    x: float
    z: float
    yaw: int
    edge: int | None = None

    @property
    def front(self) -> tuple[int, int]:
        """The direction to which it looks."""
        return FRONTS[self.yaw]

    def box(self, width: float, depth: float) -> Rectangle:
        """Return the rectangle of a thing of a size there."""
        if self.yaw % 180:
            width, depth = depth, width
        return self.x - width / 2, self.z - depth / 2, self.x + width / 2, self.z + depth / 2

    def offset(self, right: float, forward: float) -> tuple[float, float]:
        """Return the place so many metres to its right and before its middle; right and forward are its own."""
        dx, dz = self.front
        return round(self.x + forward * dx + right * dz, 4), round(self.z + forward * dz - right * dx, 4)

    def zone(self, width: float, depth: float, clear: float) -> Rectangle:
        """Return the rectangle in front of a thing of a size there."""
        x, z = self.offset(0.0, depth / 2 + clear / 2)
        return Spot(x, z, self.yaw).box(width, clear)


@dataclass(slots=True)
class FurniturePiece:
    """A piece of furniture.

    ``taken`` are the rectangles on its top that hold something, and ``count`` how many parts and children it has.
    """

    rule: rules.FurnishingRule
    asset: Asset
    room: int
    name: str
    spot: Spot
    middle: float
    parts: list[HousePart] = field(default_factory=list)
    children: list[HouseThing] = field(default_factory=list)
    taken: list[Rectangle] = field(default_factory=list)
    count: int = 0

    @property
    def box(self) -> Rectangle:
        """Its rectangle on the floor plan."""
        return self.spot.box(self.asset.size[0], self.asset.size[2])

    @property
    def top(self) -> float:
        """The height of its upper side."""
        return self.middle + self.asset.size[1] / 2

    def new_name(self, kind: str) -> str:
        """Return an id for a part or a child of a kind."""
        self.count += 1
        return f"{kind}|{self.name.split('|', 1)[1]}|{self.count - 1}"

    def add_part(self, kind: str, right: float, height: float, forward: float, size: Vector) -> HousePart:
        """Add a part by the middle of its box in the piece's own frame; ``height`` is above the floor."""
        x, z = self.spot.offset(right, forward)
        part = HousePart(self.new_name(kind), kind, (x, round(height, 4), z), size, float(self.spot.yaw))
        self.parts.append(part)
        return part

    def add_child(self, asset: Asset, x: float, bottom: float, z: float, yaw: float, within: str | None = None) -> None:
        """Add what lies on the piece, or in its part."""
        place = (round(x, 4), round(bottom + asset.size[1] / 2, 4), round(z, 4))
        name = self.new_name(asset.kind)
        kinematic = asset.primary == "Static"
        openness, is_on = (0.0 if asset.open_size is not None else None), None
        if "CanToggleOnOff" in asset.properties:
            is_on = False
        self.children.append(
            HouseThing(name, asset.asset_id, place, (0.0, yaw, 0.0), kinematic, openness, is_on, within=within)
        )

    def thing(self) -> HouseThing:
        """Return it as a thing of a house."""
        return HouseThing(
            self.name,
            self.asset.asset_id,
            (self.spot.x, round(self.middle, 4), self.spot.z),
            (0.0, float(self.spot.yaw), 0.0),
            kinematic=self.asset.primary != "CanPickup",
            openness=None if self.asset.open_size is None else 0.0,
            is_on=False if "CanToggleOnOff" in self.asset.properties else None,
            children=tuple(self.children),
            parts=tuple(self.parts),
        )

    def handled(self) -> Iterator[Rectangle]:
        """Yield the rectangles of all that must be reached: the piece if it holds things, its parts, what is on it."""
        if "Receptacle" in self.asset.properties:
            yield self.box
        thing = self.thing()
        for each in thing.walk():
            yield from (part_box(part) for part in thing_parts(each))
        for child in thing.children:
            width, _, depth = assets()[child.asset].size
            yield Spot(child.position[0], child.position[2], round(child.rotation[1])).box(width, depth)


def part_box(part: HousePart) -> Rectangle:
    """Return the rectangle of a part."""
    x, _, z = part.position
    return Spot(x, z, round(part.yaw)).box(part.size[0], part.size[2])


# What is built into counters: sinks with basin and tap, stoves with burners and knobs, drawers, cabinets, appliances.
#
# AI2-THOR has assets of counters, sinks, taps and appliances. Of burners, knobs, drawers and cabinets it has none: they
# are parts of the counter.


MODULE = 0.61
"""Metres of a counter's length for each front."""

FRONT = 0.57
"""The width of a front."""

INNER = 0.5
"""The depth of what is behind it."""

RIM = 0.02
"""Metres by which a sink's rim is above the counter."""

BURNERS = ((-0.14, -0.13), (0.14, -0.13), (-0.14, 0.13), (0.14, 0.13))
"""The middles of burners, to the right and forward."""


def fit(
    piece: FurniturePiece, given: rules.HouseRules, windows: list[tuple[float, float]], rng: np.random.Generator
) -> None:
    """Build into a counter what its rule says, and drawers and cabinets into the rest.

    Args:
        piece: The counter.
        given: The rules of its style.
        windows: Spans of its length over which no cabinets may hang, in metres right of its middle.
        rng: Decides about the fronts.
    """
    length, fittings = piece.asset.size[0], piece.rule.fittings
    modules = max(1, round(length / MODULE))
    busy = rules.whole(rng, 0, modules - 1) if fittings in ("sink", "stove") else -1
    hanging = piece.rule.fittings != "vanity" and rng.random() < given.chances["wall_cabinets"]
    for module in range(modules):
        right = (module + 0.5 - modules / 2) * (length / modules)
        if module == busy and fittings == "stove":
            _stove(piece, right)
            continue
        if module == busy:
            _cabinet(piece, right, 0.1, 0.7)
        else:
            _front(piece, right, rng)
        over_window = any(low < right + FRONT / 2 and right - FRONT / 2 < high for low, high in windows)
        if hanging and not over_window and module != busy:
            forward = 0.165 - piece.asset.size[2] / 2
            piece.add_part("Cabinet", right, 1.75, forward, (FRONT, 0.62, 0.32))
    if fittings == "sink":
        _sink(piece, (busy + 0.5 - modules / 2) * (length / modules), rng)
    _appliances(piece, rng)


def _front(piece: FurniturePiece, right: float, rng: np.random.Generator) -> None:
    """Build three drawers, or a drawer over a cabinet."""
    forward = (piece.asset.size[2] - INNER) / 2
    if rng.random() < 0.4:
        for height in (0.21, 0.47, 0.73):
            piece.add_part("Drawer", right, height, forward, (FRONT, 0.22, INNER))
    else:
        _cabinet(piece, right, 0.08, 0.54)
        piece.add_part("Drawer", right, 0.74, forward, (FRONT, 0.18, INNER))


def _cabinet(piece: FurniturePiece, right: float, bottom: float, height: float) -> None:
    forward = (piece.asset.size[2] - INNER) / 2
    piece.add_part("Cabinet", right, bottom + height / 2, forward, (FRONT, height, INNER))


def _stove(piece: FurniturePiece, right: float) -> None:
    """Build four burners with a knob each."""
    depth = piece.asset.size[2]
    for number, (across, forward) in enumerate(BURNERS):
        burner = piece.add_part("StoveBurner", right + across, piece.top + 0.01, forward, (0.2, 0.02, 0.2))
        place = (right - 0.21 + 0.14 * number, piece.top - 0.06, depth / 2 + 0.02)
        knob = piece.add_part("StoveKnob", *place, (0.05, 0.05, 0.04))
        piece.parts[-1] = replace(knob, controls=(burner.part_id,))
    x, z = piece.spot.offset(right, 0.0)
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(0.6, 0.5))


def _sink(piece: FurniturePiece, right: float, rng: np.random.Generator) -> None:
    """Let a sink into the counter, whose basin comes with it, with a tap at its back."""
    rule = replace(
        piece.rule, kind="Sink", assets=(), size=(min(0.8, piece.asset.size[0] - 0.02), 0.2, 0.47), least=0.0
    )
    asset = rules.one_of(rng, rules.suitable_assets(rule))
    taps = rules.suitable_assets(
        replace(rule, kind="Faucet", assets=("Kitchen_Faucet", "Bathroom_Faucet"), size=(0.5, 0.5, 0.3))
    )
    limit = (piece.asset.size[0] - asset.size[0]) / 2
    right = max(-limit, min(limit, right))
    x, z = piece.spot.offset(right, 0.02)
    piece.add_child(asset, x, piece.top + RIM - asset.size[1], z, float(piece.spot.yaw))
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(asset.size[0], asset.size[2]))
    tap = rules.one_of(rng, taps)
    x, z = piece.spot.offset(right, (tap.size[2] - piece.asset.size[2]) / 2 + 0.01)
    piece.add_child(tap, x, piece.top + RIM, z, float(piece.spot.yaw))
    piece.taken.append(Spot(x, z, piece.spot.yaw).box(tap.size[0], tap.size[2]))


def _appliances(piece: FurniturePiece, rng: np.random.Generator) -> None:
    """Stand the group's appliances side by side at the back of the counter."""
    wanted = [rules.one_of(rng, rules.suitable_assets(rule)) for rule in piece.rule.group if rng.random() < rule.chance]
    left = piece.asset.size[0] - sum(asset.size[0] for asset in wanted) - 0.05 * (len(wanted) + 1)
    edge = -piece.asset.size[0] / 2
    for number, asset in enumerate(wanted):
        slack = rules.between(rng, 0.0, max(0.0, left) / (len(wanted) - number))
        left -= slack
        right = edge + 0.05 + slack + asset.size[0] / 2
        edge = right + asset.size[0] / 2
        x, z = piece.spot.offset(right, (asset.size[2] - piece.asset.size[2]) / 2 + 0.01)
        piece.add_child(asset, x, piece.top, z, float(piece.spot.yaw))
        piece.taken.append(Spot(x, z, piece.spot.yaw).box(asset.size[0], asset.size[2]))
