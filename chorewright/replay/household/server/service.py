"""The service of a build of AI2-THOR, by the THOR world: a client's actions become metadata and pictures."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.scene import GRID, Scene
from chorewright.replay.household import pointing
from chorewright.replay.household.navigation import COARSEST, FINEST
from chorewright.replay.household.pixels.camera import LARGEST, Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.refusals import UNKNOWN_ACTION, Refusal, RefusalReason, bad, flag, number, text
from chorewright.replay.household.room import RoomSettings
from chorewright.replay.household.server import cameras, older
from chorewright.replay.household.server.arguments import check
from chorewright.replay.household.server.older import IDLE, dialect
from chorewright.replay.household.server.requests import Reply, create, scene_names, scene_of, tell_back, tell_name
from chorewright.replay.household.world import INTERACTIONS, ThorWorld, axes
from chorewright.replay.simulator import Argument, Event, Frame, SimulatorAction

NEAR_PLANE, FAR_PLANE = 0.1, 20.0
"""Metres that AI2-THOR's clients scale depths by."""

USUAL = 300
"""Pixels on a side of a picture where none was asked for that can be drawn."""

MOST_AGENTS = 2
"""Agents that there may be."""

DEFAULT_AGENT = "default"
"""The agent that there is; AI2-THOR 2 calls it tall."""

AGENT_MODE = RefusalReason(
    "InvalidArgument", "agentMode {what} is not supported: this simulator has the agent of the mode default only."
)

AGENTS = RefusalReason(
    "InvalidArgument", "There are one or two agents in this simulator, so agentCount cannot be {what}."
)

BAD_MESSAGE = "InvalidArgument"
"""The error code of a message that is no action; AI2-THOR's clients raise its message."""

INTERNAL = "InternalError"
"""The error code of what should not have gone wrong."""

MOVES = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight")
POINTING = ("GetObjectInFrame", "GetCoordinateFromRaycast")
"""Actions that look at the last picture and leave it as it is."""


class Service:
    """A world with one or two agents, the pictures that its client wants, and its third-party cameras.

    Args:
        width, height: Pixels of the first pictures. If these cannot be drawn, the pictures have ``USUAL`` ones,
            and Initialize fails with a message until a size that can be drawn is asked for.
        scene: The room before the client asks for one.
        version: AI2-THOR's version that the client is made for: 2, or 3 to 5.
    """

    def __init__(self, width: int = 300, height: int = 300, scene: str = "FloorPlan1", version: int = 5) -> None:
        fits = 1 <= width <= LARGEST and 1 <= height <= LARGEST
        self.width, self.height = (width, height) if fits else (USUAL, USUAL)
        self._unfit = None if fits else (width, height)
        self._version, self._dialect = version, dialect(version)
        self._world = ThorWorld(self._settings())
        self._renderer = Renderer()
        self._wanted: set[str] = {"image"}
        self._cameras: list[cameras.FreeCamera] = []
        self._step = GRID
        self._map = False
        self._frame: Frame | None = None
        self._older: older.OlderNames | None = None
        self._told: list[cameras.Json] = []
        self._known: Mapping[str, Callable[[SimulatorAction], object]] = {
            "Reset": self._reset,
            "Initialize": self._initialize,
            "CreateHouse": self._create_house,
            "ChangeResolution": self._change_resolution,
            "AddThirdPartyCamera": self._add_camera,
            "UpdateThirdPartyCamera": self._update_camera,
            "GetMapViewCameraProperties": lambda call: cameras.map_properties(self._world.room.origin),
            "ToggleMapView": self._toggle_map,
            "GetObjectInFrame": self._object_in_frame,
            "GetCoordinateFromRaycast": self._coordinate,
            "GetSceneBounds": lambda call: cameras.scene_bounds(self._world.room.origin),
            "GetScenesInBuild": lambda call: scene_names(version),
            **dict.fromkeys(("RandomizeMaterials", "RandomizeColors"), self._tint),
            **dict.fromkeys(("ResetMaterials", "ResetColors"), self._untint),
            "RandomizeLighting": self._relight,
            **dict.fromkeys(IDLE, lambda call: None),
        }
        self._reset(SimulatorAction("Reset", {"sceneName": scene}))
        self._tell("", Event(True, ""), "")

    def answer(self, action: Mapping[str, object]) -> Reply:
        """Do an action and return what a client sees; what cannot be done fails and changes nothing.

        What goes wrong in an action is told as its failure. What goes wrong in showing it is raised: then
        ``broken`` has a reply.
        """
        name = action.get("action")
        given = {key: self._dialect.ours(value) for key, value in action.items() if key != "action"}
        shown = name if isinstance(name, str) else ""
        call = SimulatorAction(shown or "An action", cast("Mapping[str, Argument]", given))
        event, code = Event(True, ""), ""
        try:
            if self._agents.choose(call):
                self._frame = None
            check(call, self._version)
            own = self._known.get(shown)
            if own is not None:
                event = Event(True, "", own(call))
            elif not shown:
                raise Refusal(UNKNOWN_ACTION, what=repr(name))
            else:
                event = self._world.step(self._complete(call))
                code = self._world.error_code()
                if shown == "SetObjectPoses" and event.success:
                    self._restore(call)
        except Refusal as refusal:
            event, code = Event(False, refusal.message), refusal.code
        except Exception as error:  # a build that ends leaves older clients waiting for ever
            traceback.print_exc()
            event, code = Event(False, f"{shown} failed: {error!r}"), INTERNAL
        if shown not in POINTING:
            self._frame = None
        self._tell(shown, event, code)
        return self._reply(call)

    def refuse(self, action: Mapping[str, object], fault: str) -> Reply:
        """Return what a client sees after a message that is no action: what it saw before, and what is wrong."""
        self._tell(tell_back(str(action.get("action") or "")), Event(False, fault), BAD_MESSAGE)
        return self._reply(SimulatorAction(""))

    def broken(self, action: Mapping[str, object], error: Exception) -> Reply:
        """Return the last metadata and black pictures, with an error as the reason why an action failed."""
        self._renderer, self._frame = Renderer(), None
        name = tell_back(str(action.get("action") or ""))
        failure = {
            "lastAction": name,
            "lastActionSuccess": False,
            "errorMessage": f"{name} failed: {error!r}",
            "errorCode": INTERNAL,
            "actionReturn": None,
        }
        fields = [field for field in cameras.PICTURES if field in self._wanted]
        dark = {field: cameras.black(field, self.width, self.height) for field in fields}
        pictures = {field: [dark[field]] * len(self._told) for field in fields}
        pictures |= {cameras.THIRD_PARTY[field]: [dark[field]] * len(self._cameras) for field in fields}
        coloured = {"image_ids", "image_classes"} & set(fields)
        named: cameras.Json = {"colors": [], "colorBounds": []} if coloured else {}
        return self._answer([{**told, **named, **failure} for told in self._told], pictures)

    def _answer(self, told: list[cameras.Json], pictures: Mapping[str, list[NDArray[np.generic]]]) -> Reply:
        """Return a reply with the metadata of all agents, in the client's dialect."""
        agents = [self._dialect.theirs(each) for each in told]
        active = self._agents.acting
        return Reply(agents[active], pictures, agents if len(agents) > 1 else (), active)

    def _tell(self, name: str, event: Event, code: str) -> None:
        """Note what a client reads of every agent now."""
        acting = self._agents.acting
        told: list[cameras.Json] = []
        try:
            for each in range(len(self._agents)):
                self._agents.act(each)
                told.append({**self._metadata(name, event, code), "agentId": each})
        finally:
            self._agents.act(acting)
        self._told = told

    def _restore(self, call: SimulatorAction) -> None:
        """Make the room more like an older build's where the client restores what was recorded there."""
        room = self._world.room
        if self._dialect.older and older.is_older(room, call):
            older.widen(room)
            self._older = older.OlderNames(room)
            self._renderer = Renderer()

    def _complete(self, call: SimulatorAction) -> SimulatorAction:
        """Return a call with what the client leaves to its build, or tells in an older way."""
        name, arguments = call.action, call.arguments
        if name in MOVES and not arguments.get("moveMagnitude") and self._step != GRID:
            call = SimulatorAction(name, {**arguments, "moveMagnitude": self._step})
        if self._noise is not None and name in (*MOVES, *cameras.TURNS):
            return self._noise.vary(
                call, self._world.room.settings.turn if name in cameras.TURNS else self._step, self._dice
            )
        if name == "GetReachablePositions":
            return SimulatorAction(name, {"gridSize": self._step, **arguments})
        if name not in INTERACTIONS:
            return call
        if pointing.points(call):
            return self._point(call)
        if self._older is not None:
            named = [self._older.adopt(arguments.get(key)) for key in ("objectId", "receptacleObjectId")]
            if any(named):
                self._renderer = Renderer()  # it knows the fixtures by their names
        return call

    def _point(self, call: SimulatorAction) -> SimulatorAction:
        """Return a call with the object that it points at; what is put somewhere lies there."""
        frame = self._seen()
        where = pointing.pixel(call, frame)
        room, arguments = self._world.room, call.arguments
        putting = call.action == "PutObject"
        target = pointing.receptacle_at(room, frame, where) if putting else pointing.object_at(frame, where)
        if target is None:
            raise Refusal(pointing.NO_TARGET, what=f"({arguments['x']}, {arguments['y']})")
        point = pointing.point_at(frame, self._camera(), where) if putting else None
        near = {} if point is None else {"near": axes(point)}
        return SimulatorAction(call.action, {**arguments, "objectId": target, **near})

    def _metadata(self, name: str, event: Event, code: str) -> cameras.Json:
        room = self._world.room
        metadata = dict(self._world.metadata())
        metadata |= {
            "lastAction": tell_back(name),
            "lastActionSuccess": event.success,
            "errorMessage": tell_back(event.error_message),
            "errorCode": code,
            "actionReturn": event.action_return,
            "sceneName": tell_name(room.origin),
            "screenWidth": self.width,
            "screenHeight": self.height,
            "thirdPartyCameras": [each.describe(place) for place, each in enumerate(self._cameras)],
            "currentTime": 0.0,
            "fov": room.settings.field_of_view,
        }
        if self._map:
            above = cameras.map_camera(room.origin)
            metadata |= {"cameraPosition": axes(above.position), "cameraOrthSize": above.size}
        for thing in cast("list[cameras.Json]", metadata["objects"]):
            thing["ObjectTemperature"] = thing["temperature"]
            thing["isPickedUp"] = thing["isPickedUp"] or thing["objectId"] in room.carried
        return metadata

    def _reply(self, call: SimulatorAction) -> Reply:
        told = [dict(each) for each in self._told]
        pictures: dict[str, list[NDArray[np.generic]]] = {}
        fields = self._fields(call)
        for metadata, frame in zip(told, self._views(), strict=True) if fields else ():
            for field in fields:
                pictures.setdefault(field, []).append(cameras.show(field, frame))
            if "image_ids" in fields or "image_classes" in fields:
                metadata["colors"] = cameras.colours_by_name(frame.names)
                metadata["colorBounds"] = cameras.colour_bounds(frame)
        for each in self._cameras if fields else ():
            other = self._drawn(each.camera(self.width, self.height))
            for field in fields:
                pictures.setdefault(cameras.THIRD_PARTY[field], []).append(cameras.show(field, other))
        return self._answer(told, pictures)

    def _views(self) -> Iterator[Frame]:
        """Yield what each agent sees."""
        acting = self._agents.acting
        for each in range(len(self._agents)):
            if each == acting:
                yield self._seen()
                continue
            self._agents.act(each)
            frame = self._drawn(self._camera())
            self._agents.act(acting)
            yield frame

    def _fields(self, call: SimulatorAction) -> list[str]:
        """Return which pictures are due: colours but for a call that says no, others from the first yes."""
        for field, names in cameras.PICTURES.items():
            if field != "image" and any(flag(call, name) for name in names):
                self._wanted.add(field)
        unwanted = not flag(call, "renderImage", default=True)
        return [field for field in cameras.PICTURES if field in self._wanted and not (field == "image" and unwanted)]

    def _seen(self) -> Frame:
        """Return what the agent sees, drawn if it has not been since the last change."""
        if self._frame is None:
            self._frame = self._drawn(self._camera())
        return self._frame

    def _drawn(self, camera: Camera) -> Frame:
        return self._appearance.draw_over(self._renderer.frame(self._world.scene(), camera))

    def _camera(self) -> Camera:
        room = self._world.room
        if self._map:
            return cameras.map_camera(room.origin).camera(self.width, self.height)
        angle = room.settings.field_of_view
        return Camera(room.camera(), room.rotation, room.horizon, angle, self.width, self.height)

    def _settings(self) -> RoomSettings:
        told = self._dialect
        return RoomSettings(
            field_of_view=told.field_of_view, knife_to_slice=False, first_piece=told.first_piece, any_tilt=told.older
        )

    def _reset(self, call: SimulatorAction) -> None:
        self._enter(scene_of(text(call, "sceneName")))
        self._cameras, self._wanted = [], {"image"}
        self._step, self._map = GRID, False
        self._begun = SimulatorAction("Initialize")
        self._noise: cameras.ActionNoise | None = None

    def _create_house(self, call: SimulatorAction) -> None:
        """Build a house; the agent is as it was initialized, and stands where the house says."""
        self._enter(create(call))
        self._initialize(self._begun)

    def _enter(self, scene: Scene) -> None:
        self._world = ThorWorld(self._settings())
        self._world.reset(scene)
        self._agents = cameras.AgentBodies(self._world.room, 1)
        self._older = None
        self._appearance, self._dice = cameras.Appearance(), np.random.default_rng(0)

    def _initialize(self, call: SimulatorAction) -> object:
        mode = call.arguments.get("agentMode") or DEFAULT_AGENT
        if mode not in (DEFAULT_AGENT, "tall"):
            raise Refusal(AGENT_MODE, what=repr(mode))
        agents = number(call, "agentCount", 1)
        if not 1 <= agents <= MOST_AGENTS or agents != int(agents):
            raise Refusal(AGENTS, what=agents)
        step = number(call, "gridSize", GRID)
        if not FINEST <= step <= COARSEST:
            raise bad(call, "gridSize", step)
        width, height = self._sides(call, ("width", "height"))
        event = self._world.step(call)
        if not event.success:
            raise Refusal(RefusalReason(self._world.error_code(), "{what}"), what=event.error_message)
        self._begun, self._noise = call, cameras.ActionNoise.of_call(call)
        self._dice = np.random.default_rng(int(number(call, "noiseSeed", 0)))
        self._step, self.width, self.height = step, width, height
        self._agents.act(0)
        self._agents = cameras.AgentBodies(self._world.room, int(agents))
        self._wanted = {field for field, names in cameras.PICTURES.items() if any(flag(call, name) for name in names)}
        if flag(call, "renderImage", default=True):
            self._wanted.add("image")
        return {"cameraNearPlane": NEAR_PLANE, "cameraFarPlane": FAR_PLANE}

    def _tint(self, call: SimulatorAction) -> None:
        self._appearance = self._appearance.with_tints(call, self._dice)

    def _untint(self, call: SimulatorAction) -> None:
        self._appearance = replace(self._appearance, tint=None, plain=())

    def _relight(self, call: SimulatorAction) -> None:
        self._appearance = self._appearance.with_light(call, self._dice)

    def _change_resolution(self, call: SimulatorAction) -> None:
        self.width, self.height = self._sides(call, ("x", "y"))
        self._unfit = None

    def _sides(self, call: SimulatorAction, names: tuple[str, str]) -> tuple[int, int]:
        """Return the pixels of a picture's sides; those that the client was started with may be none."""
        named = any(name in call.arguments for name in names)
        now = (self.width, self.height) if named or not self._unfit else self._unfit
        return cameras.picture_sides(call, names, now)

    def _add_camera(self, call: SimulatorAction) -> None:
        if len(self._cameras) >= cameras.MOST_CAMERAS:
            raise Refusal(cameras.TOO_MANY, what=cameras.MOST_CAMERAS)
        self._cameras.append(cameras.FreeCamera().changed(call))

    def _update_camera(self, call: SimulatorAction) -> None:
        place = int(number(call, "thirdPartyCameraId", 0))
        if not 0 <= place < len(self._cameras):
            raise Refusal(cameras.NO_CAMERA, what=place)
        self._cameras[place] = self._cameras[place].changed(call)

    def _toggle_map(self, call: SimulatorAction) -> None:
        self._map = not self._map

    def _object_in_frame(self, call: SimulatorAction) -> object:
        frame = self._seen()
        name = pointing.object_at(frame, pointing.pixel(call, frame))
        if name is None or (flag(call, "checkVisible") and not self._world.visible(name)):
            return None
        return name

    def _coordinate(self, call: SimulatorAction) -> object:
        """Return the point in the room that is seen at a place of the picture."""
        frame = self._seen()
        where = pointing.pixel(call, frame)
        point = pointing.point_at(frame, self._camera(), where)
        if point is None:
            raise Refusal(pointing.NO_TARGET, what=f"({call.arguments['x']}, {call.arguments['y']})")
        return axes(point)
