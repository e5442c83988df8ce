"""What objects of a kind are like over all rooms: their sizes, and where things lie on them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.files.records import decode_record
from chorewright.problems.household.scene import Vector


@lru_cache(maxsize=1)
def archive() -> zipfile.ZipFile:
    """Return the rooms file, read into memory: forked processes must not share a file position."""
    path = resources.files("chorewright.problems") / "data" / "rooms.zip"
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


def vector(values: object) -> Vector:
    """Return three numbers of JSON as a vector."""
    assert isinstance(values, list | tuple)
    x, y, z = (float(value) for value in values)
    return x, y, z


@dataclass(frozen=True, slots=True)
class KindShape:
    """The typical shape of a kind's objects over all rooms.

    Attributes:
        size: Middle box size of the kind's assets, in metres; None if AI2-THOR has no asset of it.
        support: The height at which things lie in or on a receptacle, as a fraction of its box.
        hang: Metres by which the middle of things hangs below the middle of a holder.
    """

    size: Vector | None = None
    support: float | None = None
    hang: float | None = None


@lru_cache(maxsize=1)
def shapes() -> dict[str, KindShape]:
    """Return the shapes of all kinds that are known, by kind."""
    return decode_record(dict[str, KindShape], archive().read("kinds.json"))


@lru_cache(maxsize=1)
def typical_sizes() -> dict[str, Vector]:
    """Return the median box size of each kind over all of AI2-THOR's assets, in metres."""
    return {kind: shape.size for kind, shape in shapes().items() if shape.size is not None}
