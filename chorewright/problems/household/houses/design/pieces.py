"""Pieces of furniture as they stand: an asset's box at a place, with its parts and what is on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from chorewright.problems.household.houses.assets import Asset, assets
from chorewright.problems.household.houses.design.ground import Rectangle
from chorewright.problems.household.houses.design.rules import Rule
from chorewright.problems.household.houses.house import HousePart, HouseThing
from chorewright.problems.household.houses.parts import thing_parts
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
class Piece:
    """A piece of furniture.

    ``taken`` are the rectangles on its top that hold something, and ``count`` how many parts and children it has.
    """

    rule: Rule
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
