"""The scenes that a client can ask for: rooms, generated houses, and houses that it sends (``CreateHouse``)."""

from __future__ import annotations

from functools import lru_cache

from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.json_node import root
from chorewright.files.json_source import bare
from chorewright.problems.household.houses.house import House, HouseRoom, Material
from chorewright.problems.household.houses.reading import house_of
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import is_house_name, named_house
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.refusals import Arguments, Reason, Refusal

PROCEDURAL = "Procedural"
"""The scene in which a client creates its houses."""

NO_SCENE = Reason("SceneNotFound", "There is no scene {what}.")
NO_HOUSE = Reason("InvalidArgument", "CreateHouse: {what}")

_SIDE = 5.0
"""Metres on a side of the empty room that stands before a house is created."""


def scene_of(name: str) -> Scene:
    """Return the scene of a name: a room's, ``house:SEED`` or ``Procedural``.

    Raises:
        Refusal: There is none.
    """
    plain = name.removesuffix("_physics")
    if plain == PROCEDURAL:
        return _empty()
    if plain in room_names():
        return load_room(plain)
    if is_house_name(plain):
        try:
            return house_scene(named_house(plain), plain)
        except UsageError as error:
            raise Refusal(NO_SCENE, what=plain) from error
    raise Refusal(NO_SCENE, what=plain)


def create(arguments: Arguments) -> Scene:
    """Return the scene of the house that ``CreateHouse`` gives.

    Raises:
        Refusal: It is no house, or nobody can stand in it; the message has the JSON path of what is wrong.
    """
    try:
        return house_scene(house_of(root(bare(arguments.get("house")))), PROCEDURAL)
    except ChorewrightError as error:
        raise Refusal(NO_HOUSE, what=str(error)) from error


def told_name(scene: Scene) -> str:
    """Return what a client reads as the scene's name."""
    return scene.name if scene.building is not None else f"{scene.name}_physics"


@lru_cache(maxsize=1)
def _empty() -> Scene:
    floor = ((0.0, 0.0), (0.0, _SIDE), (_SIDE, _SIDE), (_SIDE, 0.0))
    return house_scene(House((HouseRoom("room|1", "living_room", floor, Material("")),), ()), PROCEDURAL)
