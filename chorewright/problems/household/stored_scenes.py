"""Scenes as starts of stored episodes: what a dataset keeps of them, and what follows from that.

What is true of a kind of thing is not stored with every thing; it follows from the kinds there are. The walls of a
house are stored beside the scene, as JSON in the format of houses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.reading import house_of
from chorewright.problems.household.houses.writing import house_record
from chorewright.problems.household.kinds import Kinds, kinds_of
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject

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
