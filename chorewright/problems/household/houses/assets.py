"""What AI2-THOR's assets are: kind, box shut and open, what can be done with them; by the names that houses use.

Facts of ProcTHOR's asset database (1,653 assets of 109 types), reduced by ``build_assets``.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.shapes import vector
from chorewright.problems.household.vectors import Vector

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


@lru_cache(maxsize=1)
def assets() -> Mapping[str, Asset]:
    """Return all known assets by their names."""
    path = resources.files("chorewright.problems") / "data" / ARCHIVE
    with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        table = json.loads(archive.read(MEMBER))
    found = {}
    for kind, entries in table.items():
        for name, size, opened, primary, properties, split in entries:
            open_size = None if opened is None else vector(opened)
            found[name] = Asset(name, kind, vector(size), open_size, primary, tuple(properties), split)
    return found


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
    return first if first in _kinds() else None


@lru_cache(maxsize=1)
def _kinds() -> frozenset[str]:
    """The kinds of assets, and of what AI2-THOR makes of them: drawers, basins, burners."""
    return frozenset((*shipped_kinds(), *(asset.kind for asset in assets().values())))
