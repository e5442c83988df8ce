"""The 120 iTHOR rooms as scenes, from the shipped rooms file."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

import numpy as np

from chorewright.errors import UsageError
from chorewright.problems.household.kinds import Kinds, Traits, shipped_kinds
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.shapes import archive, shapes, vector
from chorewright.problems.household.spawn import place_among

# Things of a user's kinds in the shipped rooms, which know nothing of them.


USUAL: Vector = (0.1, 0.15, 0.1)
"""The size of an item whose kind has none, in metres."""


def stocked(scene: Scene) -> Scene:
    """Return a room with one item of each kind that wants to be in such rooms, somewhere that it fits.

    Where it lies follows from the names of room and kind alone. A room that has no place for it stays without.
    """
    present = {thing.kind for thing in scene.objects}
    missing = [
        traits
        for traits in scene.kinds.values()
        if not set(traits.rooms).isdisjoint(scene.room_kinds()) and traits.item and traits.name not in present
    ]
    for traits in missing:
        seed = int.from_bytes(sha256(f"{scene.name} {traits.name}".encode()).digest()[:8], "big")
        thing = place_among(scene, _new(traits), np.random.Generator(np.random.PCG64(seed)))
        if thing is not None:
            scene = replace(scene, objects=(*scene.objects, thing))
    return scene


def _new(traits: Traits) -> SceneObject:
    """Return an item that is nowhere yet: the middle of its box is at the origin."""
    shape = shapes().get(traits.name)
    size = traits.size or (shape.size if shape else None) or USUAL
    origin = (0.0, 0.0, 0.0)
    return SceneObject(
        traits.name,
        traits.name,
        origin,
        origin,
        origin,
        size,
        asset=f"{traits.name}_1",
        receptacle=bool(traits.receptacle),
        traits=traits,
    )


KINDS = ("kitchen", "living_room", "bedroom", "bathroom")
"""The kinds of rooms, in the order of iTHOR's numbering: FloorPlan1-30, 201-230, 301-330, 401-430."""


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

    Of each kind that the vocabulary wants in such rooms, and that this one lacks, there is one.

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
    record = json.loads(archive().read(f"{name}.json"))
    grid = tuple((x, z) for x, z in record["points"])
    objects = tuple(_object(entry, kinds) for entry in record["objects"])
    scene = Scene(name, kind, objects, grid, record["agent_y"], Pose(*grid[0], 0, 30), kinds=kinds)
    return stocked(scene)


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
        position=vector(entry["position"]),
        rotation=vector(entry.get("rotation", (0.0, 0.0, 0.0))),
        centre=vector(entry["centre"]),
        size=vector(entry["size"]),
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
