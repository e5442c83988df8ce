"""Pointing: what the agent sees, and which object a mask or a relative coordinate in its picture means.

AI2-THOR takes what is at the coordinate's pixel. The other rules are those of the benchmarks' own wrappers
around it. ALFRED (Shridhar et al. 2020): the instance with the largest overlap of areas that can be
interacted with at all, and is not held. TEACh (Padmakumar et al. 2022): what is at the pixel if the action
can be done to it, else what of the patch around it has the largest part of its pixels there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.scene import Scene, SceneObject, Vector
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household.executor import RoomSimulator
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.refusals import RefusalReason, bad, missing, number
from chorewright.replay.household.room import Room
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Event, Frame, SimulatorAction

PATCH = 10
"""Pixels on a side of the patch around a coordinate in which TEACh looks for an object.

So the paper; the released wrapper looks this far to each side, in a patch of 20 x 20.
"""

NOTHING = "There is nothing at this place of the picture that this can be done to."

Fits = Callable[[SceneObject], bool]

Pixel: TypeAlias = tuple[int, int]
"""Row and column."""

NO_TARGET = RefusalReason("ObjectNotFound", "No target found at {what} of the picture.")


def seen_objects(room: Room, frame: Frame) -> tuple[str, ...]:
    """Return the objects that AI2-THOR would call visible: some pixel of them is seen, and they are in reach.

    Reach is the distance on the floor plane from the camera to the object's box.
    """
    shown = {frame.names[place] for place in np.unique(frame.instances).tolist() if place >= 0}
    (x, _, z), reach = room.camera(), room.settings.reach
    return tuple(
        name
        for name, body in room.objects.items()
        if name in shown and (name == room.holding or floor_distance(x, z, body.centre, body.size) <= reach)
    )


def points(call: SimulatorAction) -> bool:
    """Return whether a call points at something instead of naming it."""
    return not call.arguments.get("objectId") and "x" in call.arguments and "y" in call.arguments


def pixel(call: SimulatorAction, frame: Frame) -> Pixel:
    """Return the pixel that a call's ``x`` and ``y`` mean.

    Raises:
        Refusal: One is missing, or not between 0 and 1.
    """
    height, width = frame.instances.shape
    places = []
    for name in ("x", "y"):
        if call.arguments.get(name) is None:
            raise missing(call, name)
        value = number(call, name)
        if not 0 <= value <= 1:
            raise bad(call, name, value)
        places.append(value)
    return min(int(places[1] * height), height - 1), min(int(places[0] * width), width - 1)


def object_at(frame: Frame, where: Pixel) -> str | None:
    """Return the id of the object that is seen at a pixel; walls and the sky are none."""
    seen = int(frame.instances[where])
    name = frame.names[seen] if seen >= 0 else ""
    return name if "|" in name else None


def point_at(frame: Frame, camera: Camera, where: Pixel) -> Vector | None:
    """Return the point in the room that is seen at a pixel, or None where nothing is."""
    depth = float(frame.depth[where])
    if depth <= 0:
        return None
    right, up, forward = camera.axes()
    focal = camera.focal_length
    across = (where[1] + 0.5 - camera.width / 2) / focal
    above = (camera.height / 2 - where[0] - 0.5) / focal
    ray = depth * (forward + across * right + above * up)
    x, y, z = (round(p + float(r), 4) for p, r in zip(camera.position, ray, strict=True))
    return x, y, z


def receptacle_at(room: Room, frame: Frame, where: Pixel) -> str | None:
    """Return the receptacle that is seen at a pixel, or that holds what is seen there."""
    seen = object_at(frame, where)
    if seen is None or seen not in room.objects:
        return None
    for name in (seen, *room.around(seen)):
        if is_receptacle(room.objects[name]):
            return name
    return None


def runs(mask: NDArray[np.bool_]) -> list[list[int]]:
    """Return a mask as ALFRED stores it: [start, length] of each run in its rows one after the other."""
    flat = np.concatenate(([False], mask.reshape(-1), [False]))
    changes = np.flatnonzero(flat[1:] != flat[:-1]).reshape(-1, 2)
    return [[int(start), int(stop - start)] for start, stop in changes]


def mask_of(runs: Iterable[Sequence[int]], height: int = 300, width: int = 300) -> NDArray[np.bool_]:
    """Return the mask that ALFRED's runs stand for."""
    flat = np.zeros(height * width, np.bool_)
    for start, length in runs:
        flat[start : start + length] = True
    return flat.reshape(height, width)


def interactive(body: SceneObject) -> bool:
    """Return whether a mask may mean an object in ALFRED's wrapper: something can be done to it."""
    affordances = body.traits.affordances
    return is_receptacle(body) or not affordances.isdisjoint(("pickupable", "openable", "toggleable", "sliceable"))


def masked_object(room: Room, frame: Frame, mask: NDArray[np.bool_]) -> str | None:
    """Return the object that a mask means, or None: the best by intersection over union of areas."""
    inside = frame.instances[mask]
    area = int(mask.sum())
    best: tuple[float, str] | None = None
    for place in np.unique(inside[inside >= 0]).tolist():
        body = room.objects.get(frame.names[place])
        if body is None or body.object_id == room.holding or not interactive(body):
            continue
        common = int((inside == place).sum())
        overlap = common / (area + int((frame.instances == place).sum()) - common)
        if best is None or overlap > best[0]:
            best = overlap, body.object_id
    return best[1] if best else None


def clicked_object(room: Room, frame: Frame, x: float, y: float, fits: Fits, patch: int = PATCH) -> str | None:
    """Return the object that a relative coordinate means, or None.

    Args:
        room: Whose objects are seen.
        frame: The agent's picture.
        x, y: From (0, 0) in the upper left corner to less than (1, 1).
        fits: Whether what is to be done can be done to an object.
        patch: Pixels on a side of the patch; TEACh's pictures have 900 on a side.
    """
    height, width = frame.instances.shape
    row, column = min(round(y * height), height - 1), min(round(x * width), width - 1)
    if row < 0 or column < 0:
        return None

    def fitting(place: int) -> str | None:
        body = room.objects.get(frame.names[place]) if place >= 0 else None
        return body.object_id if body is not None and fits(body) else None

    exact = fitting(int(frame.instances[row, column]))
    if exact is not None:
        return exact
    half = patch // 2
    around = frame.instances[max(0, row - half) : row + half, max(0, column - half) : column + half]
    best: tuple[float, str] | None = None
    for place in np.unique(around).tolist():
        name = fitting(place)
        if name is not None:
            share = int((around == place).sum()) / int((frame.instances == place).sum())
            if best is None or share > best[0]:
                best = share, name
    return best[1] if best else None


class Wrapper(RoomSimulator, Protocol):
    """A benchmark's own actions over a THOR world, which name their objects by coordinates."""

    world: ThorWorld

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata in AI2-THOR's schema."""
        ...

    def target(self, action: str) -> Fits | None:
        """Return whether an action can be done to an object now; None of an action that is about no object."""
        ...


class PointingWorld:
    """A simulator whose interactions name no object but point at it in the agent's picture.

    AI2-THOR's actions take ``mask`` (runs), those of a wrapper ``x`` and ``y``, too; what has an ``objectId`` goes on
    as it is.
    ``target`` is the object that the last one meant.
    """

    def __init__(self, simulator: ThorWorld | Wrapper, size: int = 300) -> None:
        """Point into the pictures of a world.

        Args:
            simulator: A THOR world, or a benchmark's actions over one.
            size: Pixels on a side of the picture: ALFRED's masks are 300, TEACh's pictures 900.
        """
        self.simulator, self.size = simulator, size
        self.target: str | None = None
        self._renderer = Renderer()

    @property
    def world(self) -> ThorWorld:
        """The world behind it."""
        return self.simulator if isinstance(self.simulator, ThorWorld) else self.simulator.world

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        self.target = None
        return self.simulator.reset(scene)

    def step(self, action: SimulatorAction) -> Event:
        """Run an action; one that points at nothing fails with a message and changes nothing."""
        told = action.arguments
        points = "mask" in told or ("x" in told and "y" in told and self._fits(action) is not None)
        if not points or told.get("objectId"):
            self.target = str(told.get("receptacleObjectId") or told.get("objectId") or "") or None
            return self.simulator.step(action)
        self.target = self._meant(action)
        if self.target is None:
            return Event(False, NOTHING)
        arguments = {key: value for key, value in told.items() if key not in ("mask", "x", "y")}
        arguments["objectId"] = self.target
        held = self.world.room.holding
        if action.action == "PutObject" and held is not None:
            arguments |= {"objectId": held, "receptacleObjectId": self.target}
        return self.simulator.step(SimulatorAction(action.action, arguments))

    def frame(self) -> Frame:
        """Return the agent's picture."""
        return self._renderer.frame(self.world.scene(), agent_camera(self.world.room, self.size))

    def scene(self) -> Scene:
        """Return the present state as a scene."""
        return self.simulator.scene()

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata, in which what is visible is what is seen in the picture."""
        told = dict(self.simulator.metadata())
        seen = set(seen_objects(self.world.room, self.frame()))
        objects = told["objects"]
        assert isinstance(objects, list)
        told["objects"] = [
            {**each, "visible": each["objectId"] in seen, "isInteractable": each["objectId"] in seen}
            for each in objects
        ]
        return told

    def _meant(self, action: SimulatorAction) -> str | None:
        room, frame = self.world.room, self.frame()
        if "mask" in action.arguments:
            return masked_object(room, frame, mask_of(_pairs(action.arguments["mask"]), self.size, self.size))
        x, y = action.arguments["x"], action.arguments["y"]
        fits = self._fits(action)
        if fits is None or not isinstance(x, int | float) or not isinstance(y, int | float):
            return None
        return clicked_object(room, frame, x, y, fits)

    def _fits(self, action: SimulatorAction) -> Fits | None:
        return None if isinstance(self.simulator, ThorWorld) else self.simulator.target(action.action)


def _pairs(value: Argument) -> Iterable[tuple[int, int]]:
    """Yield the runs of a mask; what is no pair of numbers stands for nothing."""
    for pair in value if isinstance(value, Sequence) else ():
        match pair:
            case [int() as start, int() as length] if start >= 0 and length >= 0:
                yield start, length
