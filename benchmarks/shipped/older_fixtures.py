"""Builds the list of the fixtures that AI2-THOR 2.1.0's rooms had under other ids than ours.

Run as ``python -m benchmarks.shipped.older_fixtures ALFWORLD_WHEEL`` with the wheel
``alfworld==0.4.2`` (MIT), as ``pip download --no-deps`` fetches it. The same wheel gives the same bytes.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Sequence

from benchmarks.command import ROOT
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import room_names

LIST = "alfworld/gen/layouts/{}-openable.json"
UNLISTED = {
    "FloorPlan401": ["Cart|-03.21|+00.00|+00.15"],
    "FloorPlan429": ["Shelf|+00.82|+00.81|-01.76"],
    "FloorPlan430": ["Cart|-02.92|+00.01|+01.48"],
}
"""What ALFRED's demonstrations handle and ALFWorld does not list: today's rooms have other kinds there."""

ABOUT = (
    "Ids of receptacles in AI2-THOR 2.1.0, by room, from alfworld 0.4.2 and, of three rooms, from ALFRED's "
    "demonstrations (both MIT License); see NOTICE."
)


def fixtures(wheel: zipfile.ZipFile) -> dict[str, list[str]]:
    """Return the ids of each room's fixtures that ALFWorld lists, in their order by name."""
    listed = {}
    for name in room_names():
        ids = filter(_is_fixture, json.loads(wheel.read(LIST.format(name))))
        listed[name] = sorted([*ids, *UNLISTED.get(name, ())])
    return listed


def _is_fixture(object_id: str) -> bool:
    parts = object_id.split("|")
    kind = parts[4].split("_")[0] if len(parts) > 4 else parts[0]
    return kind in shipped_kinds() and not shipped_kinds()[kind].item


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit code."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with zipfile.ZipFile(arguments[0]) as wheel:
        listed = fixtures(wheel)
    target = ROOT / "chorewright" / "replay" / "data" / "thor_older_fixtures.json"
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(ids)}" for name, ids in listed.items())
    target.write_text(f'{{"about": {json.dumps(ABOUT)},\n"fixtures": {{\n{lines}\n}}}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
