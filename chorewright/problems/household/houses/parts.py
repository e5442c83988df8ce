"""The parts of things: drawers of dressers, shelves of shelving units, basins of sinks.

AI2-THOR makes them from the asset, and house files do not have them. Where an asset stands in one of iTHOR's rooms,
its parts are objects there, and so are known (``asset_parts``, made by ``build_assets``). A house of ours may say what
parts a thing has; then these count.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import cos, radians, sin

from chorewright.problems.household.houses.assets import ARCHIVE, assets
from chorewright.problems.household.houses.house import HousePart, HouseThing
from chorewright.problems.household.scene import Vector
from chorewright.problems.household.shapes import vector

PARTS = "parts.json"
"""The member of the archive of assets."""


@dataclass(frozen=True, slots=True)
class AssetPart:
    """A part of an asset: its kind, and its box, seen from the middle of the asset's box before that is turned."""

    kind: str
    centre: Vector
    size: Vector


@lru_cache(maxsize=1)
def asset_parts() -> Mapping[str, tuple[AssetPart, ...]]:
    """Return the parts of those assets of which they are known, by the assets' names."""
    path = resources.files("chorewright.problems") / "data" / ARCHIVE
    with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        table = json.loads(archive.read(PARTS))
    return {
        name: tuple(AssetPart(kind, vector(centre), vector(size)) for kind, centre, size in parts)
        for name, parts in table.items()
    }


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
            placed(part.centre, thing.position, thing.rotation[1]),
            part.size,
            thing.rotation[1],
        )
        for number, part in enumerate(known)
    )


def placed(offset: Vector, middle: Vector, yaw: float) -> Vector:
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
