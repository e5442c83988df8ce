"""The 120 iTHOR rooms as scenes, from the shipped rooms file."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.errors import UsageError
from chorewright.problems.thor.kinds import Kinds, shipped_kinds
from chorewright.problems.thor.scene import Attributes, Pose, Scene, SceneObject, Vector

KINDS = ("kitchen", "living_room", "bedroom", "bathroom")
"""The kinds of rooms, in the order of iTHOR's numbering: FloorPlan1-30, 201-230, 301-330, 401-430."""


@lru_cache(maxsize=1)
def _archive() -> zipfile.ZipFile:
    """Return the rooms file, read into memory: forked processes must not share a file position."""
    path = resources.files("chorewright.problems") / "data" / "rooms.zip"
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


@lru_cache(maxsize=1)
def room_names() -> tuple[str, ...]:
    """Return the names of all rooms, kitchens first."""
    numbers = [base + index for base in (0, 200, 300, 400) for index in range(1, 31)]
    return tuple(f"FloorPlan{number}" for number in numbers)


def room_kind(name: str) -> str:
    """Return kitchen, living_room, bedroom or bathroom.

    Raises:
        UsageError: There is no such room.
    """
    names = room_names()
    if name not in names:
        raise UsageError(
            f"there is no room {name!r}",
            hint="rooms are FloorPlan1-30, FloorPlan201-230, 301-330 and 401-430",
        )
    return KINDS[names.index(name) // 30]


def load_room(name: str, kinds: Kinds | None = None) -> Scene:
    """Return an untouched room, with the agent at its first standing point.

    Args:
        name: The room.
        kinds: What its things are; the shipped kinds by default.

    Raises:
        UsageError: There is no such room.
    """
    return _load_room(name, kinds or shipped_kinds())


@lru_cache(maxsize=256)
def _load_room(name: str, kinds: Kinds) -> Scene:
    kind = room_kind(name)
    record = json.loads(_archive().read(f"{name}.json"))
    grid = tuple((x, z) for x, z in record["points"])
    objects = tuple(_object(entry, kinds) for entry in record["objects"])
    return Scene(name, kind, objects, grid, record["agent_y"], Pose(*grid[0], 0, 30), kinds=kinds)


def _object(entry: dict[str, object], kinds: Kinds) -> SceneObject:
    attributes = Attributes()
    liquid = entry.get("liquid")
    if liquid or "open" in entry or "toggled" in entry or "dirty" in entry:
        attributes = Attributes(
            is_open=bool(entry.get("open")),
            is_toggled=bool(entry.get("toggled")),
            is_dirty=bool(entry.get("dirty")),
            liquid=str(liquid) if liquid else None,
        )
    return SceneObject(
        object_id=str(entry["id"]),
        kind=str(entry["kind"]),
        position=_vector(entry["position"]),
        rotation=_vector(entry.get("rotation", (0.0, 0.0, 0.0))),
        centre=_vector(entry["centre"]),
        size=_vector(entry["size"]),
        parents=_names(entry.get("parents", ())),
        controls=_names(entry.get("controls", ())),
        asset=str(entry.get("asset", "")),
        receptacle=bool(entry.get("receptacle")),
        attributes=attributes,
        traits=kinds[str(entry["kind"])],
    )


def _names(values: object) -> tuple[str, ...]:
    assert isinstance(values, list | tuple)
    return tuple(str(value) for value in values)


def _vector(values: object) -> Vector:
    assert isinstance(values, list | tuple)
    x, y, z = (float(value) for value in values)
    return x, y, z


@dataclass(frozen=True, slots=True)
class Shape:
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
def shapes() -> dict[str, Shape]:
    """Return the shapes of all kinds that are known, by kind."""
    return {
        kind: Shape(_vector(entry["size"]) if "size" in entry else None, entry.get("support"), entry.get("hang"))
        for kind, entry in json.loads(_archive().read("kinds.json")).items()
    }


@lru_cache(maxsize=1)
def typical_sizes() -> dict[str, Vector]:
    """Return the median box size of each kind over all of AI2-THOR's assets, in metres."""
    return {kind: shape.size for kind, shape in shapes().items() if shape.size is not None}
