"""Scenes by name: the 120 iTHOR rooms, from the shipped rooms file, and houses that are made from seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

import numpy as np

from chorewright.domains.vocabulary_files import ROOMS
from chorewright.errors import UsageError
from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.reading import house_of, house_record
from chorewright.problems.household.kinds import Kinds, Traits, archive, kinds_of, shipped_kinds, usual_size, vector
from chorewright.problems.household.scene import GRID, Attributes, Pose, Scene, SceneObject, Vector, is_house_name
from chorewright.problems.household.spawn import place_among

# Things of a user's kinds in the shipped rooms, which know nothing of them.


USUAL: Vector = (0.1, 0.15, 0.1)
"""The size of an item whose kind has none, in metres."""


def stock(scene: Scene) -> Scene:
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
    size = usual_size(traits, USUAL)
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


_NAMES = tuple(f"FloorPlan{base + index}" for base in (0, 200, 300, 400) for index in range(1, 31))


def room_names() -> tuple[str, ...]:
    """Return the names of all rooms, kitchens first."""
    return _NAMES


def room_kind(name: str) -> str:
    """Return kitchen, living_room, bedroom or bathroom.

    Raises:
        UsageError: There is no such room.
    """
    names = room_names()
    if name not in names:
        raise UsageError(
            f"there is no room {name!r}", hint="rooms are FloorPlan1-30, FloorPlan201-230, 301-330 and 401-430"
        )
    return ROOMS[names.index(name) // 30]


def load_room(name: str, kinds: Kinds | None = None) -> Scene:
    """Return an untouched room, with the agent at its first standing point.

    Of each kind that the vocabulary wants in such rooms, and that this one lacks, there is one.

    Args:
        name: The room.
        kinds: What its things are; the shipped kinds by default.

    Raises:
        UsageError: There is no such room.
    """
    known = kinds or shipped_kinds()
    scene: Scene = known.scenes.of(known, name, lambda: read_room(name, known))
    return scene


def named_scene(name: str, kinds: Kinds) -> Scene:
    """Return an untouched room or house.

    Raises:
        UsageError: There is no such room or house.
    """
    if not is_house_name(name):
        return load_room(name, kinds)
    from chorewright.problems.household.houses.scenes import house_scene  # heavy: networkx
    from chorewright.problems.household.houses.source import named_house

    scene: Scene = kinds.scenes.of(kinds, name, lambda: stock(house_scene(named_house(name), name, kinds)))
    return scene


def read_room(name: str, kinds: Kinds) -> Scene:
    """Read a room from its file; see ``load_room``."""
    kind = room_kind(name)
    record = json.loads(archive().read(f"{name}.json"))
    grid = tuple((x, z) for x, z in record["points"])
    objects = tuple(_object(entry, kinds) for entry in record["objects"])
    scene = Scene(name, kind, objects, grid, record["agent_y"], Pose(*grid[0], 0, 30), kinds=kinds)
    return stock(scene)


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


# Scenes as starts of stored episodes: what a dataset keeps of them, and what follows from that.
#
# What is true of a kind of thing is not stored with every thing; it follows from the kinds there are. The walls of a
# house are stored beside the scene, as JSON in the format of houses.


BUILDING = "house"
"""The name of the extra with the rooms and walls of a house, as JSON in the format of houses."""

_COMPASS = ("north", "east", "south", "west")


class StoredScenes:
    """How scenes are stored, completed and told; see ``Starts``."""

    record = Scene

    facts = staticmethod(kinds_of)

    def consequences(self, record: type) -> tuple[str, tuple[str, ...]] | None:
        """Return the stored field from which others follow, and these."""
        if record is Scene:
            return "name", ("kinds", "bystanders", "building")
        return ("kind", ("traits",)) if record is SceneObject else None

    def follow(self, record: type, values: Sequence[str], facts: Kinds) -> Sequence[Sequence[object]]:
        """Return the values of the fields that follow, for each of some values of the stored one."""
        if record is SceneObject:
            return (list(map(facts.__getitem__, values)),)
        return [facts] * len(values), [()] * len(values), [None] * len(values)

    def whole(self, start: Scene, extras: Mapping[str, str]) -> Scene:
        """Return a scene with its building, which an episode has among its extras.

        Raises:
            InputError: The extra is no house.
        """
        text = extras.get(BUILDING)
        if text is None or start.building is not None:
            return start
        return replace(start, building=_building(text))

    def lines(self, start: Scene, seed: int) -> tuple[tuple[str, str], ...]:
        """Return what people are told of a scene: heads and texts."""
        room = f"{start.name}, {len(start.objects)} objects, seed {seed}"
        return ("room", room), ("start", _pose(start.agent))


def building_extras(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Return what an episode's extras say of the scene's building; nothing of a room."""
    if scene.building is None:
        return ()
    return ((BUILDING, json.dumps(house_record(scene.building.house), sort_keys=True, separators=(",", ":"))),)


@lru_cache(maxsize=64)
def _building(text: str) -> Building:
    return Building(house_of(root(parse_json(text))))


def _pose(pose: Pose) -> str:
    facing = _COMPASS[pose.rotation % 4]
    x, z = pose.x * GRID, pose.z * GRID
    return f"x {x:g} m, z {z:g} m, facing {facing}, looking {pose.horizon} degrees down"
