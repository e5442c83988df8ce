"""Builds the table of assets from ProcTHOR's database, with parts and small things from the shipped rooms.

Run as ``python -m benchmarks.shipped.assets PROCTHOR_WHEEL [TARGET]`` with the wheel
``procthor==0.0.1.dev2`` (Apache-2.0), as ``pip download --no-deps`` fetches it. The same wheel
and rooms file give the same bytes (with the same zlib). See ``docs/rooms.md``.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import ROOT
from benchmarks.shipped.rooms import ASSETS, Record, write_archive
from chorewright.problems.household.houses.assets import ARCHIVE, MEMBER, PARTS, place_in_house
from chorewright.problems.household.houses.design.items import ITEMS
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Scene, SceneObject

RECEPTACLES = "procthor/databases/receptacles.json"

PART_KINDS = ("Cabinet", "Drawer", "Shelf", "SinkBasin")
"""The kinds of parts that assets have."""

WHOLES = ("CoffeeTable", "Desk", "DiningTable", "Dresser", "ShelvingUnit", "SideTable", "Sink", "TVStand")
"""The kinds of assets that have parts."""

TOUCHING = 0.03
"""Metres by which a part may stick out of its whole."""

OUTSIDE = 0.1
"""The share of a part's extent that may stick out besides."""


def assets_record(database: Mapping[str, Sequence[Mapping[str, Any]]]) -> Record:
    """Return for each type its assets, sorted: name, box, open box, primary property, others, split; in metres."""
    return {kind: [_row(asset) for asset in sorted(database[kind], key=_name)] for kind in sorted(database)}


def parts_record(scenes: Iterable[Scene], wholes: Collection[str]) -> Record:
    """Return for each asset that stands in a scene the parts in its box: kind, middle and size, in the asset's frame.

    An asset that stands in several scenes has the most parts that it has in one of them.

    Args:
        scenes: Where assets stand.
        wholes: Those that have parts.
    """
    found: dict[str, list[tuple[str, list[float], list[float]]]] = {}
    for scene in scenes:
        parts = [thing for thing in scene.objects if thing.kind in PART_KINDS]
        for thing in scene.objects:
            if thing.asset not in wholes or abs(thing.rotation[1] % 90.0) > 1.0:
                continue
            inside = [_part(part, thing) for part in parts if _is_within(part, thing)]
            if len(inside) > len(found.get(thing.asset, ())):
                found[thing.asset] = sorted(inside)
    return {name: found[name] for name in sorted(found)}


def room_items(scenes: Iterable[Scene]) -> Record:
    """Return how often small things are in rooms, and on what, by kind of room and of thing.

    Of each kind: the share of rooms that have one, how many these have, and how many there are on each kind of
    receptacle.
    """
    rooms: Counter[str] = Counter()
    present: Counter[tuple[str, str]] = Counter()
    holders: dict[tuple[str, str], Counter[str]] = {}
    for scene in scenes:
        rooms[scene.room_kind] += 1
        kinds = {thing.object_id: thing.kind for thing in scene.objects}
        items = [thing for thing in scene.objects if thing.traits.item]
        present.update((scene.room_kind, kind) for kind in {thing.kind for thing in items})
        for thing in items:
            where = holders.setdefault((scene.room_kind, thing.kind), Counter())
            where[kinds[thing.parents[0]] if thing.parents else ""] += 1
    table: dict[str, dict[str, object]] = {room: {} for room in sorted(rooms)}
    for (room, kind), where in sorted(holders.items()):
        count = present[room, kind]
        lying = {holder: where[holder] for holder in sorted(where) if holder}
        table[room][kind] = [round(count / rooms[room], 3), round(where.total() / count, 2), lying]
    return {**table}


def receptacle_items(database: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Record:
    """Return ProcTHOR's chance that a thing of a kind lies on a receptacle, by kind of receptacle."""
    return {
        holder: {kind: round(database[holder][kind]["p"], 4) for kind in sorted(database[holder])}
        for holder in sorted(database)
    }


def _is_within(part: SceneObject, whole: SceneObject) -> bool:
    reach = [extent / 2 + TOUCHING for extent in whole.size]
    return all(
        abs(part.centre[axis] - whole.centre[axis]) + part.size[axis] / 2 <= reach[axis] + part.size[axis] * OUTSIDE
        for axis in range(3)
    )


def _part(part: SceneObject, whole: SceneObject) -> tuple[str, list[float], list[float]]:
    """Return a part as it lies in the frame of the whole."""
    yaw = 90 * round(whole.rotation[1] / 90)
    offset = [part.centre[axis] - whole.centre[axis] for axis in range(3)]
    centre = place_in_house((offset[0], offset[1], offset[2]), (0.0, 0.0, 0.0), -yaw)
    size = part.size if yaw % 180 == 0 else part.size[::-1]
    return part.kind, [round(value, 3) + 0.0 for value in centre], [round(value, 3) for value in size]


def _name(asset: Mapping[str, Any]) -> str:
    return str(asset["assetId"])


def _row(asset: Mapping[str, Any]) -> list[object]:
    opened = asset.get("states", {}).get("open")
    return [
        _name(asset),
        _box(asset["boundingBox"]),
        None if opened is None else _box(opened["boundingBox"]),
        asset.get("primaryProperty"),
        sorted(asset.get("secondaryProperties", ())),
        asset.get("split"),
    ]


def _box(box: Mapping[str, float]) -> list[float]:
    return [round(box[axis], 4) for axis in "xyz"]


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    target = Path(arguments[1]) if len(arguments) == 2 else ROOT / "chorewright" / "problems" / "data" / ARCHIVE
    with zipfile.ZipFile(arguments[0]) as wheel:
        database = json.loads(wheel.read(ASSETS))
        receptacles = json.loads(wheel.read(RECEPTACLES))
    wholes = {_name(asset) for kind in WHOLES for asset in database.get(kind, ())}
    scenes = [load_room(name) for name in room_names()]
    items: Record = {"rooms": room_items(scenes), "receptacles": receptacle_items(receptacles)}
    write_archive({MEMBER: assets_record(database), PARTS: parts_record(scenes, wholes), ITEMS: items}, target)
    print(f"{target}: {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
