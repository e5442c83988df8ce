"""What AI2-THOR's assets are: kind, box shut and open, what can be done with them; by the names that houses use.

Facts of ProcTHOR's asset database (1,653 assets of 109 types), reduced by ``benchmarks.shipped.assets``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin
from typing import Any, NamedTuple

from chorewright.files.records import reader_of
from chorewright.problems.household.houses.house import HousePart, HouseThing, Vector
from chorewright.problems.household.kinds import shipped_kinds, vector

ARCHIVE = "assets.zip"
MEMBER = "assets.json"


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset.

    Attributes:
        asset_id: Its name in house files (``Doorway_1``).
        kind: AI2-THOR's objectType.
        size: Its box in metres, shut.
        open_size: Its box when it is open; None if it cannot be opened.
        primary: ``Static``, ``Moveable`` or ``CanPickup``; None of door frames.
        properties: What else AI2-THOR says of it (``Receptacle``, ``CanOpen``, ...), sorted.
        split: ``train``, ``val`` or ``test``, as ProcTHOR uses the asset; None if in all.
    """

    asset_id: str
    kind: str
    size: Vector
    open_size: Vector | None
    primary: str | None
    properties: tuple[str, ...]
    split: str | None


_table = reader_of(dict[str, list[Any]], "chorewright.problems", f"data/{ARCHIVE}/{MEMBER}")


@lru_cache(maxsize=1)
def assets() -> Mapping[str, Asset]:
    """Return all known assets by their names."""
    found = {}
    for kind, entries in _table().items():
        for name, size, opened, primary, properties, split in entries:
            open_size = None if opened is None else vector(opened)
            found[name] = Asset(name, kind, vector(size), open_size, primary, tuple(properties), split)
    return found


def assets_of(kind: str) -> list[Asset]:
    """Return the known assets of a kind, sorted by name."""
    return [assets()[name] for name in sorted(entry[0] for entry in _table().get(kind, ()))]


def kind_of(asset_id: str, thing_id: str = "") -> str | None:
    """Return the kind of a house's thing: its asset's, else the one that its id begins with, None if neither is known.

    Ids are not to be trusted where the asset is known: some begin with the asset's name or a number.

    Args:
        asset_id: The asset's name.
        thing_id: The thing's id, such as ``Fridge|2|1``.
    """
    known = assets().get(asset_id)
    if known is not None:
        return known.kind
    first = thing_id.split("|")[0]
    return first if first in _table() or first in shipped_kinds() else None


# The parts of things: drawers of dressers, shelves of shelving units, basins of sinks.
#
# AI2-THOR makes them from the asset, and house files do not have them. Where an asset stands in one of iTHOR's rooms,
# its parts are objects there, and so are known (``asset_parts``, made by ``benchmarks.shipped``). A house of ours may
# say what parts a thing has; then these count.


PARTS = "parts.json"
"""The member of the archive of assets."""


class AssetPart(NamedTuple):
    """A part of an asset: its kind, and its box, seen from the middle of the asset's box before that is turned."""

    kind: str
    centre: Vector
    size: Vector


asset_parts = reader_of(dict[str, tuple[AssetPart, ...]], "chorewright.problems", f"data/{ARCHIVE}/{PARTS}")
"""Returns the parts of those assets of which they are known, by the assets' names."""


def thing_parts(thing: HouseThing) -> tuple[HousePart, ...]:
    """Return the parts of a thing: those that the house names, else its asset's.

    A sink of which nothing is known has a basin as large as itself. The id of a part that the house does not name is
    made of its kind, the thing's id and a number.
    """
    if thing.parts:
        return thing.parts
    known = asset_parts().get(thing.asset, ())
    asset = assets().get(thing.asset)
    if not known and asset is not None and asset.kind == "Sink":
        known = (AssetPart("SinkBasin", (0.0, 0.0, 0.0), asset.size),)
    return tuple(
        HousePart(
            f"{part.kind}|{thing.thing_id}|{number}",
            part.kind,
            place_in_house(part.centre, thing.position, thing.rotation[1]),
            part.size,
            thing.rotation[1],
        )
        for number, part in enumerate(known)
    )


def place_in_house(offset: Vector, middle: Vector, yaw: float) -> Vector:
    """Return where a place of a thing's own frame is in the house, to a tenth of a millimetre.

    Args:
        offset: The place, seen from the middle of the thing's box.
        middle: Where that is.
        yaw: By how many degrees the thing is turned, clockwise from above.
    """
    x, y, z = offset
    c, s = cos(radians(yaw)), sin(radians(yaw))
    place = (middle[0] + c * x + s * z, middle[1] + y, middle[2] - s * x + c * z)
    return round(place[0], 4) + 0.0, round(place[1], 4) + 0.0, round(place[2], 4) + 0.0


# The boxes of a house's things, turned as the things are, and their axis-aligned hulls.


BOX = "boundingBox"
"""The member of a thing's record with the size of its box, where its asset is none of AI2-THOR's."""


@dataclass(frozen=True, slots=True)
class TurnedBox:
    """A box that stands upright and is turned by ``yaw`` degrees, clockwise seen from above."""

    centre: Vector
    size: Vector
    yaw: float

    @property
    def hull(self) -> Vector:
        """The size of the smallest axis-aligned box around it."""
        turn = radians(self.yaw)
        across, along = abs(cos(turn)), abs(sin(turn))
        width, height, depth = self.size
        return (_millimetre(width * across + depth * along), height, _millimetre(width * along + depth * across))

    @property
    def bottom(self) -> float:
        """The height of its underside."""
        return self.centre[1] - self.size[1] / 2

    @property
    def top(self) -> float:
        """The height of its upper side."""
        return self.centre[1] + self.size[1] / 2


def turn_box(thing: HouseThing) -> TurnedBox | None:
    """Return the box of a thing as it stands; None if nobody says how large it is.

    A tilted thing has the upright box around it.
    """
    size = box_size(thing)
    if size is None:
        return None
    pitch, yaw, roll = thing.rotation
    if pitch % 180 or roll % 180:
        size = _tilt(size, radians(pitch), radians(roll))
    return TurnedBox(thing.position, size, yaw % 360)


def box_size(thing: HouseThing) -> Vector | None:
    """Return the size of a thing's box before it is turned: its own ``boundingBox``, else its asset's."""
    own = thing.rest.get(BOX)
    if isinstance(own, dict):
        sides = [own.get(axis) for axis in ("x", "y", "z")]
        if all(isinstance(side, int | float) and side >= 0 for side in sides):
            x, y, z = (float(side) for side in sides if isinstance(side, int | float))
            return x, y, z
    known = assets().get(thing.asset)
    return None if known is None else known.size


def _tilt(size: Vector, pitch: float, roll: float) -> Vector:
    """Return the hull of a box that is turned about z, then about x, as Unity turns things."""
    x, y, z = size
    x, y = abs(x * cos(roll)) + abs(y * sin(roll)), abs(x * sin(roll)) + abs(y * cos(roll))
    y, z = abs(y * cos(pitch)) + abs(z * sin(pitch)), abs(y * sin(pitch)) + abs(z * cos(pitch))
    return _millimetre(x), _millimetre(y), _millimetre(z)


def _millimetre(value: float) -> float:
    """Return metres as cosines of right angles must leave them: the same on every machine."""
    return round(value, 6)
