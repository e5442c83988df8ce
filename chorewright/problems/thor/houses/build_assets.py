"""Builds the table of assets from ProcTHOR's database.

Run as ``python -m chorewright.problems.thor.houses.build_assets PROCTHOR_WHEEL [TARGET]`` with the wheel
``procthor==0.0.1.dev2`` (Apache-2.0), as ``pip download --no-deps`` fetches it. The same wheel gives the same bytes
(with the same zlib). See ``docs/rooms.md``.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chorewright.problems.thor.build_rooms import ASSETS, Record, write_archive
from chorewright.problems.thor.houses.assets import ARCHIVE, MEMBER


def assets_record(database: Mapping[str, Sequence[Mapping[str, Any]]]) -> Record:
    """Return for each type its assets, sorted: name, box, open box, primary property, others, split; in metres."""
    return {kind: [_row(asset) for asset in sorted(database[kind], key=_name)] for kind in sorted(database)}


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
    target = Path(arguments[1]) if len(arguments) == 2 else Path(__file__).parents[2] / "data" / ARCHIVE
    with zipfile.ZipFile(arguments[0]) as wheel:
        database = json.loads(wheel.read(ASSETS))
    write_archive({MEMBER: assets_record(database)}, target)
    print(f"{target}: {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
