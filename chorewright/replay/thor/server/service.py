"""What a build of AI2-THOR does with a client's actions, done by the THOR world: metadata and pictures."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.rooms import load_room, room_names
from chorewright.problems.scene import GRID
from chorewright.replay.simulator import Event, SimulatorAction
from chorewright.replay.thor.arguments import Arguments, flag, number, text
from chorewright.replay.thor.pixels.camera import LARGEST, Camera
from chorewright.replay.thor.pixels.renderer import Frame, Renderer
from chorewright.replay.thor.refusals import BAD_ARGUMENT, UNKNOWN_ACTION, Reason, Refused
from chorewright.replay.thor.room import Settings
from chorewright.replay.thor.server import older, pointing
from chorewright.replay.thor.server.cameras import (
    FreeCamera,
    Json,
    axes,
    map_camera,
    map_properties,
    scene_bounds,
)
from chorewright.replay.thor.server.dialects import Dialect, dialect
from chorewright.replay.thor.world import INTERACTIONS, ThorWorld

Colour: TypeAlias = tuple[int, int, int]

NEAR_PLANE, FAR_PLANE = 0.1, 20.0
"""Metres that AI2-THOR's clients scale depths by."""

NO_SCENE = Reason("SceneNotFound", "There is no scene {what}.")
NO_CAMERA = Reason("InvalidArgument", "There is no third-party camera {what}.")
ONE_AGENT = Reason("InvalidArgument", "There is one agent in this simulator, so agentCount cannot be {what}.")

PICTURES = {
    "image": ("renderImage",),
    "image_depth": ("renderDepthImage",),
    "image_ids": ("renderInstanceSegmentation", "renderObjectImage"),
    "image_classes": ("renderSemanticSegmentation", "renderClassImage"),
    "image_normals": ("renderNormalsImage",),
    "image_flow": ("renderFlowImage",),
}
"""The pictures that a client can ask for, and the arguments by which it does."""

THIRD_PARTY = {
    "image": "image-thirdParty-camera",
    "image_depth": "image_thirdParty_depth",
    "image_ids": "image_thirdParty_image_ids",
    "image_classes": "image_thirdParty_classes",
    "image_normals": "image_thirdParty_normals",
    "image_flow": "image_thirdParty_flow",
}
"""The form field of a third-party camera's picture."""

MOVES = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight")
POINTING = ("GetObjectInFrame", "GetCoordinateFromRaycast")
"""Actions that look at the last picture and leave it as it is."""

IDLE = (
    "ChangeQuality",
    "PausePhysicsAutoSim",
    "AdvancePhysicsStep",
    "UnpausePhysicsAutoSim",
    "MakeObjectsOfTypeUnbreakable",
    "MakeAllObjectsUnbreakable",
)
"""Actions about what this simulator does not have: physics, shadows, things that break when they fall."""


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


class Service:
    """A world, what its client wants to see of it, and its third-party cameras.

    Args:
        width, height: Pixels of the first pictures.
        scene: The room before the client asks for one.
        version: AI2-THOR's version that the client is made for: 2, or 3 to 5.
    """

    def __init__(
        self, width: int = 300, height: int = 300, scene: str = "FloorPlan1", version: int = 5
    ) -> None:
        self.width, self.height = width, height
        self._dialect: Dialect = dialect(version)
        self._world = ThorWorld(self._settings())
        self._renderer = Renderer()
        self._wanted: set[str] = {"image"}
        self._cameras: list[FreeCamera] = []
        self._step = GRID
        self._map = False
        self._frame: Frame | None = None
        self._older: older.OlderNames | None = None
        self._known: Mapping[str, Callable[[Arguments], object]] = {
            "Reset": self._reset,
            "Initialize": self._initialize,
            "ChangeResolution": self._change_resolution,
            "AddThirdPartyCamera": self._add_camera,
            "UpdateThirdPartyCamera": self._update_camera,
            "GetMapViewCameraProperties": lambda arguments: map_properties(self._world.room.origin),
            "ToggleMapView": self._toggle_map,
            "GetObjectInFrame": self._object_in_frame,
            "GetCoordinateFromRaycast": self._coordinate,
            "GetSceneBounds": lambda arguments: scene_bounds(self._world.room.origin),
            **dict.fromkeys(IDLE, lambda arguments: None),
        }
        self._reset({"sceneName": scene})

    def answer(self, action: Mapping[str, object]) -> Reply:
        """Do an action and return what a client sees; what cannot be done fails and changes nothing."""
        name = action.get("action")
        given = {key: self._dialect.ours(value) for key, value in action.items() if key != "action"}
        arguments = cast(Arguments, given)
        shown = str(name) if name is not None else ""
        event, code = Event(True, ""), ""
        try:
            own = self._known.get(shown)
            if own is not None:
                event = Event(True, "", own(arguments))
            elif not shown:
                raise Refused(UNKNOWN_ACTION, what=repr(name))
            else:
                event = self._world.step(SimulatorAction(shown, self._completed(shown, arguments)))
                code = self._world.error_code()
                if shown == "SetObjectPoses" and event.success:
                    self._restored(arguments)
        except Refused as refused:
            event, code = Event(False, refused.message), refused.code
        except Exception as error:  # a build that ends leaves older clients waiting for ever
            traceback.print_exc()
            event, code = Event(False, f"{shown} went wrong: {error!r}"), "InternalError"
        if shown not in POINTING:
            self._frame = None
        return self._reply(shown, arguments, event, code)

    def _restored(self, arguments: Arguments) -> None:
        """Make the room more like an older build's where the client restores what was recorded there."""
        room = self._world.room
        if self._dialect.older and older.is_older(room, arguments):
            older.widen(room)
            self._older = older.OlderNames(room)
            self._renderer = Renderer()

    def _completed(self, name: str, arguments: Arguments) -> Arguments:
        """Return the arguments with what the client leaves to its build, or tells in an older way."""
        if name in MOVES and not arguments.get("moveMagnitude") and self._step != GRID:
            return {**arguments, "moveMagnitude": self._step}
        if name not in INTERACTIONS:
            return arguments
        if pointing.points(arguments):
            return self._pointed(name, arguments)
        if self._older is not None:
            named = [self._older.adopt(arguments.get(key)) for key in ("objectId", "receptacleObjectId")]
            if any(named):
                self._renderer = Renderer()  # it knows the fixtures by their names
        return arguments

    def _pointed(self, name: str, arguments: Arguments) -> Arguments:
        """Return the arguments with the object that the call points at; what is put somewhere lies there."""
        frame = self._seen()
        where = pointing.pixel(arguments, frame, name)
        room = self._world.room
        putting = name == "PutObject"
        target = pointing.receptacle_at(room, frame, where) if putting else pointing.object_at(frame, where)
        if target is None:
            raise Refused(pointing.NO_TARGET, what=f"({arguments['x']}, {arguments['y']})")
        point = pointing.point_at(frame, self._camera(), where) if putting else None
        near = {} if point is None else {"near": axes(point)}
        return {**arguments, "objectId": target, **near}

    def _reply(self, name: str, arguments: Arguments, event: Event, code: str) -> Reply:
        room = self._world.room
        metadata = dict(self._world.metadata())
        metadata |= {
            "lastAction": name,
            "lastActionSuccess": event.success,
            "errorMessage": event.error_message,
            "errorCode": code,
            "actionReturn": event.action_return,
            "sceneName": f"{room.origin.name}_physics",
            "screenWidth": self.width,
            "screenHeight": self.height,
            "agentId": 0,
            "thirdPartyCameras": [each.described(place) for place, each in enumerate(self._cameras)],
            "currentTime": 0.0,
            "fov": room.settings.field_of_view,
        }
        if self._map:
            above = map_camera(room.origin)
            metadata |= {"cameraPosition": axes(above.position), "cameraOrthSize": above.size}
        for thing in cast("list[Json]", metadata["objects"]):
            thing["ObjectTemperature"] = thing["temperature"]
        pictures: dict[str, list[NDArray[np.generic]]] = {}
        fields = self._fields(arguments)
        if fields:
            frame = self._seen()
            for field in fields:
                pictures[field] = [_picture(field, frame)]
            for each in self._cameras:
                other = self._drawn(each.camera(self.width, self.height))
                for field in fields:
                    pictures.setdefault(THIRD_PARTY[field], []).append(_picture(field, other))
            if "image_ids" in fields or "image_classes" in fields:
                metadata["colors"] = _named_colours(frame.names)
                metadata["colorBounds"] = _colour_bounds(frame)
        return Reply(cast(Json, self._dialect.theirs(metadata)), pictures)

    def _fields(self, arguments: Arguments) -> list[str]:
        """Return which pictures are due: colours but for a call that says no, others from the first yes."""
        for field, names in PICTURES.items():
            if field != "image" and any(flag(arguments, name) for name in names):
                self._wanted.add(field)
        unwanted = not flag(arguments, "renderImage", default=True)
        return [field for field in PICTURES if field in self._wanted and not (field == "image" and unwanted)]

    def _seen(self) -> Frame:
        """Return what the agent sees, drawn if it has not been since the last change."""
        if self._frame is None:
            self._frame = self._drawn(self._camera())
        return self._frame

    def _drawn(self, camera: Camera) -> Frame:
        return self._renderer.frame(self._world.scene(), camera)

    def _camera(self) -> Camera:
        room = self._world.room
        if self._map:
            return map_camera(room.origin).camera(self.width, self.height)
        angle = room.settings.field_of_view
        return Camera(room.camera(), room.rotation, room.horizon, angle, self.width, self.height)

    def _settings(self) -> Settings:
        return Settings(field_of_view=self._dialect.field_of_view, knife_to_slice=False)

    def _reset(self, arguments: Arguments) -> object:
        name = text(arguments, "sceneName", "Reset").removesuffix("_physics")
        if name not in room_names():
            raise Refused(NO_SCENE, what=name)
        self._world = ThorWorld(self._settings())
        self._world.reset(load_room(name))
        self._older = None
        self._cameras, self._wanted = [], {"image"}
        self._step, self._map = GRID, False
        return None

    def _initialize(self, arguments: Arguments) -> object:
        action = "Initialize"
        agents = number(arguments, "agentCount", 1, action)
        if agents != 1:
            raise Refused(ONE_AGENT, what=agents)
        step = number(arguments, "gridSize", GRID, action)
        if not 0 < step <= 10:
            raise Refused(BAD_ARGUMENT, action=action, what=step, name="gridSize")
        width = _side(number(arguments, "width", self.width, action), "width", action)
        height = _side(number(arguments, "height", self.height, action), "height", action)
        event = self._world.step(SimulatorAction(action, arguments))
        if not event.success:
            raise Refused(BAD_ARGUMENT, action=action, what="a value", name=event.error_message)
        self._step, self.width, self.height = step, width, height
        self._wanted = {
            field for field, names in PICTURES.items() if any(flag(arguments, name) for name in names)
        }
        if flag(arguments, "renderImage", default=True):
            self._wanted.add("image")
        return {"cameraNearPlane": NEAR_PLANE, "cameraFarPlane": FAR_PLANE}

    def _change_resolution(self, arguments: Arguments) -> object:
        action = "ChangeResolution"
        width = _side(number(arguments, "x", self.width, action), "x", action)
        height = _side(number(arguments, "y", self.height, action), "y", action)
        self.width, self.height = width, height
        return None

    def _add_camera(self, arguments: Arguments) -> object:
        self._cameras.append(FreeCamera().changed(arguments))
        return None

    def _update_camera(self, arguments: Arguments) -> object:
        place = int(number(arguments, "thirdPartyCameraId", 0, "UpdateThirdPartyCamera"))
        if not 0 <= place < len(self._cameras):
            raise Refused(NO_CAMERA, what=place)
        self._cameras[place] = self._cameras[place].changed(arguments)
        return None

    def _toggle_map(self, arguments: Arguments) -> object:
        self._map = not self._map
        return None

    def _object_in_frame(self, arguments: Arguments) -> object:
        frame = self._seen()
        name = pointing.object_at(frame, pointing.pixel(arguments, frame, "GetObjectInFrame"))
        if name is None or (flag(arguments, "checkVisible") and not self._world.visible(name)):
            return None
        return name

    def _coordinate(self, arguments: Arguments) -> object:
        """Return the point in the room that is seen at a place of the picture."""
        frame = self._seen()
        where = pointing.pixel(arguments, frame, "GetCoordinateFromRaycast")
        point = pointing.point_at(frame, self._camera(), where)
        if point is None:
            raise Refused(pointing.NO_TARGET, what=f"({arguments['x']}, {arguments['y']})")
        return axes(point)


def _side(value: float, name: str, action: str) -> int:
    """Return the pixels of a picture's side."""
    if not 1 <= value <= LARGEST or value != int(value):
        raise Refused(BAD_ARGUMENT, action=action, what=value, name=name)
    return int(value)


def colour_of(name: str) -> Colour:
    """Return the colour of an instance or class in segmentations: the same in all processes."""
    value = crc32(name.encode())
    return value & 255, value >> 8 & 255, value >> 16 & 255


def _picture(field: str, frame: Frame) -> NDArray[np.generic]:
    if field == "image":
        return frame.rgb
    if field == "image_depth":
        return frame.depth
    if field in ("image_ids", "image_classes"):
        names = frame.names if field == "image_ids" else [name.split("|")[0] for name in frame.names]
        palette = np.array([*map(colour_of, names), (0, 0, 0)], np.uint8)
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
