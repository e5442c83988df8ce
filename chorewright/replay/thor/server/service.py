"""What a build of AI2-THOR does with a client's actions, done by the THOR world: metadata and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.problems.rooms import load_room, room_names
from chorewright.problems.scene import Vector
from chorewright.replay.simulator import Argument, Event, SimulatorAction
from chorewright.replay.thor.arguments import Arguments, flag, number, text
from chorewright.replay.thor.pixels.camera import LARGEST, Camera
from chorewright.replay.thor.pixels.renderer import Frame, Renderer
from chorewright.replay.thor.pixels.walls import bounds
from chorewright.replay.thor.refusals import BAD_ARGUMENT, UNKNOWN_ACTION, Reason, Refused
from chorewright.replay.thor.room import Settings
from chorewright.replay.thor.world import ThorWorld

Json: TypeAlias = dict[str, object]
Colour: TypeAlias = tuple[int, int, int]

NEAR_PLANE, FAR_PLANE = 0.1, 20.0
"""Metres that AI2-THOR's clients scale depths by."""

NO_SCENE = Reason("SceneNotFound", "There is no scene {what}.")
NO_CAMERA = Reason("InvalidArgument", "There is no third-party camera {what}.")
FAR_AWAY = 60.0
"""Metres from which an orthographic camera's view is drawn: there perspective hardly shows."""

PICTURES = {
    "image": ("renderImage",),
    "image_depth": ("renderDepthImage",),
    "image_ids": ("renderInstanceSegmentation", "renderObjectImage"),
    "image_classes": ("renderSemanticSegmentation", "renderClassImage"),
    "image_normals": ("renderNormalsImage",),
    "image_flow": ("renderFlowImage",),
}
"""The pictures that a client can ask for, and the arguments by which it does."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to an action.

    Attributes:
        metadata: What a client reads of one agent.
        pictures: By AI2-THOR's form field, one for the agent or one for each third-party camera: (height,
            width) or (height, width, channels), the top row first. Depths are float32 metres.
    """

    metadata: Json
    pictures: Mapping[str, list[NDArray[np.generic]]]


@dataclass(frozen=True, slots=True)
class ThirdPartyCamera:
    """A camera that no agent carries; ``size`` is half an orthographic view's height in metres, else 0."""

    position: Vector
    rotation: Vector
    field_of_view: float
    size: float = 0.0

    def camera(self, width: int, height: int) -> Camera:
        """Return the camera that draws it."""
        tilt, turn, _ = self.rotation
        plain = Camera(self.position, turn, tilt, self.field_of_view, width, height)
        if not self.size:
            return plain
        forward = plain.axes()[2]
        x, y, z = (p - FAR_AWAY * float(f) for p, f in zip(self.position, forward, strict=True))
        angle = float(np.degrees(2 * np.arctan(self.size / FAR_AWAY)))
        return Camera((x, y, z), turn, tilt, round(angle, 9), width, height)


class Service:
    """A world, what its client wants to see of it, and its third-party cameras.

    Args:
        width, height: Pixels of the first pictures.
        scene: The room before the client asks for one.
    """

    def __init__(self, width: int = 300, height: int = 300, scene: str = "FloorPlan1") -> None:
        self.width, self.height = width, height
        self._world = ThorWorld(Settings())
        self._renderer = Renderer()
        self._wanted: dict[str, bool] = {"image": True}
        self._cameras: list[ThirdPartyCamera] = []
        self._known: Mapping[str, Callable[[Arguments], object]] = {
            "Reset": self._reset,
            "Initialize": self._initialize,
            "ChangeResolution": self._change_resolution,
            "AddThirdPartyCamera": self._add_camera,
            "UpdateThirdPartyCamera": self._update_camera,
            "GetMapViewCameraProperties": self._map_view,
            "GetObjectInFrame": self._object_in_frame,
            "GetSceneBounds": self._scene_bounds,
            "ChangeQuality": _nothing,
            "PausePhysicsAutoSim": _nothing,
            "AdvancePhysicsStep": _nothing,
            "UnpausePhysicsAutoSim": _nothing,
        }
        self._reset({"sceneName": scene})

    def answer(self, action: Mapping[str, object]) -> Reply:
        """Do an action and return what a client sees; what cannot be done fails and changes nothing."""
        name = action.get("action")
        arguments = cast(Arguments, {key: value for key, value in action.items() if key != "action"})
        shown = str(name) if name is not None else ""
        event, code = Event(True, ""), ""
        try:
            own = self._known.get(shown)
            if own is not None:
                event = Event(True, "", own(arguments))
            elif not shown:
                raise Refused(UNKNOWN_ACTION, what=repr(name))
            else:
                event = self._world.step(SimulatorAction(shown, arguments))
                code = self._world.error_code()
        except Refused as refused:
            event, code = Event(False, refused.message), refused.code
        return self._reply(shown, arguments, event, code)

    def _reply(self, name: str, arguments: Arguments, event: Event, code: str) -> Reply:
        metadata = dict(self._world.metadata())
        metadata |= {
            "lastAction": name,
            "lastActionSuccess": event.success,
            "errorMessage": event.error_message,
            "errorCode": code,
            "actionReturn": event.action_return,
            "sceneName": f"{self._world.room.origin.name}_physics",
            "screenWidth": self.width,
            "screenHeight": self.height,
            "agentId": 0,
            "thirdPartyCameras": [_described(camera) for camera in self._cameras],
            "currentTime": 0.0,
            "fov": self._world.room.settings.field_of_view,
        }
        wanted = {
            field: next((flag(arguments, each) for each in names if arguments.get(each) is not None), None)
            for field, names in PICTURES.items()
        }
        fields = [
            field for field in PICTURES if (w := wanted[field]) or (w is None and self._wanted.get(field))
        ]
        pictures: dict[str, list[NDArray[np.generic]]] = {}
        if fields:
            frame = self._renderer.frame(self._world.scene(), self._camera())
            colours = {name: colour_of(name) for name in frame.names}
            for field in fields:
                pictures[field] = [_picture(field, frame, colours)]
            for place, camera in enumerate(self._cameras):
                other = self._renderer.frame(self._world.scene(), camera.camera(self.width, self.height))
                for field in fields:
                    pictures.setdefault(THIRD_PARTY[field], []).append(_picture(field, other, colours))
                assert len(pictures[THIRD_PARTY[fields[0]]]) == place + 1
            if "image_ids" in fields or "image_classes" in fields:
                metadata["colors"] = _named_colours(frame.names)
                metadata["colorBounds"] = _colour_bounds(frame)
        return Reply(metadata, pictures)

    def _camera(self) -> Camera:
        room = self._world.room
        return Camera(
            room.camera(), room.rotation, room.horizon, room.settings.field_of_view, self.width, self.height
        )

    def _reset(self, arguments: Arguments) -> object:
        name = text(arguments, "sceneName", "Reset").removesuffix("_physics")
        if name not in room_names():
            raise Refused(NO_SCENE, what=name)
        self._world = ThorWorld(Settings())
        self._world.reset(load_room(name))
        self._cameras = []
        self._wanted = {"image": True}
        return None

    def _initialize(self, arguments: Arguments) -> object:
        event = self._world.step(SimulatorAction("Initialize", arguments))
        if not event.success:
            raise Refused(BAD_ARGUMENT, action="Initialize", what="a value", name=event.error_message)
        for field, names in PICTURES.items():
            for name in names:
                if arguments.get(name) is not None:
                    self._wanted[field] = flag(arguments, name)
        width, height = arguments.get("width"), arguments.get("height")
        if width is not None and height is not None:
            self._resize(
                number(arguments, "width", 0, "Initialize"), number(arguments, "height", 0, "Initialize")
            )
        return {"cameraNearPlane": NEAR_PLANE, "cameraFarPlane": FAR_PLANE}

    def _change_resolution(self, arguments: Arguments) -> object:
        action = "ChangeResolution"
        self._resize(number(arguments, "x", self.width, action), number(arguments, "y", self.height, action))
        return None

    def _resize(self, width: float, height: float) -> None:
        for name, value in (("x", width), ("y", height)):
            if not 1 <= value <= LARGEST or value != int(value):
                raise Refused(BAD_ARGUMENT, action="ChangeResolution", what=value, name=name)
        self.width, self.height = int(width), int(height)

    def _add_camera(self, arguments: Arguments) -> object:
        self._cameras.append(_third_party(arguments, ThirdPartyCamera((0, 0, 0), (0, 0, 0), 90.0)))
        return None

    def _update_camera(self, arguments: Arguments) -> object:
        place = int(number(arguments, "thirdPartyCameraId", 0, "UpdateThirdPartyCamera"))
        if not 0 <= place < len(self._cameras):
            raise Refused(NO_CAMERA, what=place)
        self._cameras[place] = _third_party(arguments, self._cameras[place])
        return None

    def _map_view(self, arguments: Arguments) -> object:
        west, _, south, east, top, north = bounds(self._world.room.origin)
        return {
            "position": {"x": (west + east) / 2, "y": top, "z": (south + north) / 2},
            "rotation": {"x": 90.0, "y": 0.0, "z": 0.0},
            "orthographicSize": max(east - west, north - south) / 2 + 0.05,
            "orthographic": True,
        }

    def _object_in_frame(self, arguments: Arguments) -> object:
        action = "GetObjectInFrame"
        x, y = number(arguments, "x", -1.0, action), number(arguments, "y", -1.0, action)
        for name, value in (("x", x), ("y", y)):
            if not 0 <= value <= 1:
                raise Refused(BAD_ARGUMENT, action=action, what=value, name=name)
        frame = self._renderer.frame(self._world.scene(), self._camera())
        row, column = min(int(y * self.height), self.height - 1), min(int(x * self.width), self.width - 1)
        seen = int(frame.instances[row, column])
        name = frame.names[seen] if seen >= 0 else ""
        if "|" not in name or (flag(arguments, "checkVisible") and not self._world.visible(name)):
            return None
        return name

    def _scene_bounds(self, arguments: Arguments) -> object:
        west, floor, south, east, top, north = bounds(self._world.room.origin)
        low, high = (west, floor, south), (east, top, north)
        return {
            "center": _axes(cast(Vector, tuple((a + b) / 2 for a, b in zip(low, high, strict=True)))),
            "size": _axes(cast(Vector, tuple(b - a for a, b in zip(low, high, strict=True)))),
            "cornerPoints": [[x, y, z] for x in (west, east) for y in (floor, top) for z in (south, north)],
        }


THIRD_PARTY = {
    "image": "image-thirdParty-camera",
    "image_depth": "image_thirdParty_depth",
    "image_ids": "image_thirdParty_image_ids",
    "image_classes": "image_thirdParty_classes",
    "image_normals": "image_thirdParty_normals",
    "image_flow": "image_thirdParty_flow",
}


def colour_of(name: str) -> Colour:
    """Return the colour of an instance or class in segmentations: the same in all processes."""
    value = crc32(name.encode())
    return value & 255, value >> 8 & 255, value >> 16 & 255


def _picture(field: str, frame: Frame, colours: Mapping[str, Colour]) -> NDArray[np.generic]:
    if field == "image":
        return frame.rgb
    if field == "image_depth":
        return frame.depth
    if field in ("image_ids", "image_classes"):
        of = colours.__getitem__ if field == "image_ids" else lambda name: colour_of(name.split("|")[0])
        palette = np.array([*(of(name) for name in frame.names), (0, 0, 0)], np.uint8)
        return cast("NDArray[np.generic]", palette[frame.instances])
    return np.zeros_like(frame.rgb)


def _named_colours(names: tuple[str, ...]) -> list[Json]:
    classes = sorted({name.split("|")[0] for name in names})
    return [{"name": name, "color": list(colour_of(name))} for name in (*names, *classes)]


def _colour_bounds(frame: Frame) -> list[Json]:
    """Return the boxes of all instances that are seen: [left, bottom, right, top], rows from the bottom."""
    height = frame.instances.shape[0]
    found: list[Json] = []
    for number_ in np.unique(frame.instances[frame.instances >= 0]).tolist():
        rows, columns = np.nonzero(frame.instances == number_)
        box = [columns.min(), height - 1 - rows.max(), columns.max() + 1, height - rows.min()]
        colour = colour_of(frame.names[number_])
        found.append({"color": list(colour), "bounds": [int(side) for side in box]})
    return found


def _described(camera: ThirdPartyCamera) -> Json:
    return {
        "thirdPartyCameraId": 0,
        "position": _axes(camera.position),
        "rotation": _axes(camera.rotation),
        "fieldOfView": camera.field_of_view,
    }


def _third_party(arguments: Arguments, before: ThirdPartyCamera) -> ThirdPartyCamera:
    action = "AddThirdPartyCamera"
    changed = replace(
        before,
        position=_vector(arguments, "position", before.position, action),
        rotation=_vector(arguments, "rotation", before.rotation, action),
        field_of_view=number(arguments, "fieldOfView", before.field_of_view, action) or before.field_of_view,
    )
    if flag(arguments, "orthographic"):
        changed = replace(changed, size=number(arguments, "orthographicSize", before.size or 5.0, action))
    try:
        changed.camera(1, 1)
    except UsageError:
        raise Refused(BAD_ARGUMENT, action=action, what=changed.field_of_view, name="fieldOfView") from None
    return changed


def _vector(arguments: Arguments, name: str, before: Vector, action: str) -> Vector:
    value: Argument = arguments.get(name)
    if value is None:
        return before
    if not isinstance(value, Mapping):
        raise Refused(BAD_ARGUMENT, action=action, what=repr(value), name=name)
    x, y, z = (number(value, axis, old, action) for axis, old in zip("xyz", before, strict=True))
    return x, y, z


def _axes(vector: Vector) -> dict[str, float]:
    return {"x": float(vector[0]), "y": float(vector[1]), "z": float(vector[2])}


def _nothing(arguments: Arguments) -> object:
    return None
