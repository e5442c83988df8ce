"""Which scenes are held back: of iTHOR's rooms the last ten of each kind, of ten other scenes two.

Generated houses go by the tens of their seeds, as with ALFRED and TEACh: those of 80 to 99 of a hundred are held back
there, too. Where other scenes go follows from their names, so of these it is two on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean
from chorewright.generator.objectnav.options import settings
from chorewright.problems.household.houses.source import house_seed, is_house_name
from chorewright.problems.household.rooms import room_names

OF_A_KIND = 30
"""iTHOR's rooms of each kind."""


def split_of(scene: str) -> str:
    """Return the split of a scene, which follows from its name."""
    if scene in room_names():
        number = room_names().index(scene) % OF_A_KIND + 1
        return next(split for split, (first, last) in settings().rooms.items() if first <= number <= last)
    tens = house_seed(scene) // 10 if is_house_name(scene) else sha256(scene.encode()).digest()[0]
    place = tens % sum(settings().others.values())
    for split, count in settings().others.items():
        place -= count
        if place < 0:
            return split
    raise AssertionError("the shares have a place for each scene")


def in_splits(scenes: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return the scenes of some splits, of all if none is named.

    Raises:
        UsageError: There is no such split, or no scene is in them.
    """
    known = tuple(settings().rooms)
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) or f"splits: {', '.join(known)}"
            raise UsageError(f"there is no split {name!r}", hint=hint)
    found = [scene for scene in scenes if not asked or split_of(scene) in asked]
    if not found:
        raise UsageError(f"none of the scenes is in the split {' or '.join(asked)}", hint="ask for more scenes")
    return found
