"""A client's messages read as actions and scenes, and the answers to them; what is none says why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.english import say_list
from chorewright.files.json_node import root
from chorewright.files.json_source import bare, is_deep
from chorewright.problems.household.houses.house import House, HouseRoom, Material
from chorewright.problems.household.houses.reading import house_of
from chorewright.problems.household.houses.scenes import find_left_out, house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Scene, is_house_name
from chorewright.replay.household.refusals import Refusal, RefusalReason
from chorewright.replay.household.server.cameras import Json
from chorewright.replay.simulator import SimulatorAction

LONGEST = 1 << 26
"""Bytes of the longest message that is read."""

DEEPEST = 32
"""Levels of lists and objects in an action."""

NUMBERS = 1 << 63
"""What a message's number must be smaller than."""

SHOWN = 2000
"""Characters of a client's text that are told back."""


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A message: the action with its arguments, the message's number, and what is wrong with it if anything is."""

    action: Mapping[str, object] = field(default_factory=dict)
    sequence: int = 0
    fault: str = ""


def read_request(body: bytes) -> ClientRequest:
    """Return the request of a message; one that is no action has a fault, and its number if that can be read."""
    if len(body) > LONGEST:
        return ClientRequest(fault=f"The message has {len(body)} bytes; at most {LONGEST} are read.")
    try:
        told = json.loads(body)
    except RecursionError:
        return ClientRequest(fault=f"The message has too many levels; at most {DEEPEST} are read.")
    except ValueError as error:  # broken JSON, other bytes than UTF-8, numbers of thousands of digits
        return ClientRequest(fault=f"The message is not JSON: {str(error)[:200]}.")
    if not isinstance(told, dict):
        return ClientRequest(fault="The message is not a JSON object with an action.")
    sequence = told.pop("sequenceId", 0)
    if isinstance(sequence, bool) or not isinstance(sequence, int) or abs(sequence) >= NUMBERS:
        return ClientRequest({"action": told.get("action")}, 0, "The message's sequenceId is not a number of 64 bits.")
    if is_deep(told, DEEPEST + 1):
        return ClientRequest({"action": told.get("action")}, sequence, f"The action has more than {DEEPEST} levels.")
    return ClientRequest(told, sequence)


def tell_back(text: str) -> str:
    """Return a client's text as it is told back: without what cannot be encoded, and cut if it is long."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}..."


# An answer to an action, as both protocols put it into bytes.


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to an action.

    Attributes:
        metadata: What a client reads of the agent that acted.
        pictures: By AI2-THOR's form field, one for each agent or one for each third-party camera: (height,
            width) or (height, width, channels), the top row first. Depths are float32 metres.
        agents: The metadata of all agents, if there are several.
        active: The number of the agent that acted.
    """

    metadata: Json
    pictures: Mapping[str, list[NDArray[np.generic]]]
    agents: Sequence[Json] = ()
    active: int = 0

    def message(self, sequence: int) -> Json:
        """Return the metadata as a client reads them, with the number of the message that is answered."""
        return {
            "agents": list(self.agents or (self.metadata,)),
            "thirdPartyCameras": self.metadata["thirdPartyCameras"],
            "activeAgentId": self.active,
            "sequenceId": sequence,
        }


# Pictures as the bytes that AI2-THOR's clients read: rows from the bottom, depths in three bytes.


def picture_bytes(field: str, picture: NDArray[np.generic], farthest: float) -> bytes:
    """Return a picture's bytes.

    Args:
        field: AI2-THOR's form field.
        picture: (height, width) depths in metres, or (height, width, 3) bytes.
        farthest: The depth in metres that all three bytes full stand for.
    """
    if "depth" in field:
        picture = depth_bytes(picture.astype(np.float64), farthest)
    return np.ascontiguousarray(picture[::-1]).tobytes()


def depth_bytes(depth: NDArray[np.float64], farthest: float) -> NDArray[np.uint8]:
    """Return depths as red + green / 256 + blue / 65536 of 256 parts of the farthest; nothing is farthest."""
    away = np.where(depth <= 0, farthest, np.minimum(depth, farthest))
    steps = np.minimum((away / farthest * 2**24).astype(np.int64), 2**24 - 1)
    return np.stack((steps >> 16, steps >> 8 & 255, steps & 255), axis=-1).astype(np.uint8)


# The scenes that a client can ask for: rooms, generated houses, and houses that it sends (``CreateHouse``).


PROCEDURAL = "Procedural"
"""The scene in which a client creates its houses."""

NO_SCENE = RefusalReason("SceneNotFound", "There is no scene {what}.")
NO_HOUSE = RefusalReason("InvalidArgument", "CreateHouse: {what}")

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


def scene_names(version: int) -> list[str]:
    """Return the names of the scenes that a client of a version can ask for: rooms, and from 3 on ``Procedural``."""
    names = [f"{name}_physics" for name in room_names()]
    return names if version < 3 else [*names, PROCEDURAL]


def create(call: SimulatorAction) -> Scene:
    """Return the scene of the house that ``CreateHouse`` gives.

    Raises:
        Refusal: It is no house, or has assets that nobody knows, or nobody can stand in it; the message names them, or
            has the JSON path of what is wrong.
    """
    try:
        house = house_of(root(bare(call.arguments.get("house"))))
        left_out = set(find_left_out(house))
        if left_out:
            unknown = {thing.asset: None for thing in house.all_things() if thing.thing_id in left_out}
            raise Refusal(NO_HOUSE, what=f"nobody knows the assets {say_list(list(unknown))}")
        return house_scene(house, PROCEDURAL)
    except ChorewrightError as error:
        raise Refusal(NO_HOUSE, what=str(error)) from error


def tell_name(scene: Scene) -> str:
    """Return what a client reads as the scene's name."""
    return scene.name if scene.building is not None else f"{scene.name}_physics"


def _empty() -> Scene:
    floor = ((0.0, 0.0), (0.0, _SIDE), (_SIDE, _SIDE), (_SIDE, 0.0))
    return house_scene(House((HouseRoom("room|1", "living_room", floor, Material("")),), ()), PROCEDURAL)
