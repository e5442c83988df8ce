"""A real build of AI2-THOR behind the ``Simulator`` protocol, watched: it must start, answer, and be seen.

The build runs below a process of its own (``process``). A start or step that takes too long, a build that dies or
sends garbage, and an all-black picture raise ``SimulatorFault`` and end the process. The next reset starts a
fresh one.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import State
from chorewright.errors import ChorewrightError
from chorewright.problems.household.metadata import scene_from_metadata
from chorewright.problems.household.scene import GRID, Scene, Vector
from chorewright.problems.household.state import scene_names, state_of
from chorewright.replay.household.real.process import Broken, Seen, drive
from chorewright.replay.household.room import ALFRED_SETTINGS, RoomSettings
from chorewright.replay.household.world import CAMERA
from chorewright.replay.simulator import Argument, Event, Frame, Observation, SimulatorAction

# Our objects in a real build: by id, by model, else by kind and place.


Told: TypeAlias = Sequence[Mapping[str, object]]
"""AI2-THOR's metadata of all objects."""

NEAR = 0.5
"""Metres within which an object of the same kind is ours."""


@dataclass(frozen=True, slots=True)
class RealNames:
    """Our object ids to the build's."""

    known: Mapping[str, str]

    @classmethod
    def match_all(cls, scene: Scene, told: Told) -> RealNames:
        """Return which object of the build each of ours is; none where nothing of its kind is near."""
        ids = {str(each["objectId"]) for each in told}
        known = {body.object_id: body.object_id for body in scene.objects if body.object_id in ids}
        pairs = sorted(
            (round(math.dist(body.position, _place(each)), 6), body.object_id, str(each["objectId"]))
            for body in scene.objects
            for each in told
            if body.kind == each["objectType"] and body.object_id not in known
        )
        taken = set(known.values())
        for gap, ours, theirs in pairs:
            if gap <= NEAR and ours not in known and theirs not in taken:
                known[ours] = theirs
                taken.add(theirs)
        return cls(known)

    @staticmethod
    def poses(scene: Scene, told: Told) -> list[Argument]:
        """Return the poses of our items for SetObjectPoses, by the names that the build's objects have."""
        names: dict[str, str] = {}
        for each in told:
            name = str(each["name"]).split("(")[0]
            names.setdefault(f"{each['objectType']}:{each.get('assetId', '')}", name)
            names.setdefault(str(each["objectType"]), name)
        found: list[Argument] = []
        for body in scene.objects:
            known = names.get(f"{body.kind}:{body.asset}") or names.get(body.kind)
            if known is not None and body.traits.item:
                pose = {"position": _axes(body.position), "rotation": _axes(body.rotation)}
                found.append({"objectName": known, **pose})
        return found

    def theirs(self, ours: str, told: Told) -> str:
        """Return the build's id of an object of ours; of a piece, that of the piece with the same number."""
        if ours in self.known:
            return self.known[ours]
        whole, bar, piece = ours.rpartition("|")
        if bar and whole in self.known:
            wanted = f"{self.known[whole]}|{piece}"
            kind = piece.split("_")[0]
            pieces = [str(each["objectId"]) for each in told if each["objectType"] == kind]
            return wanted if wanted in pieces else min(pieces, default=wanted)
        return ours


def _place(each: Mapping[str, object]) -> Vector:
    where = cast("Mapping[str, float]", each["position"])
    return where["x"], where["y"], where["z"]


def _axes(vector: Vector) -> dict[str, Argument]:
    return dict(zip("xyz", vector, strict=True))


BLACK = 2
"""The brightest value of a picture that counts as black."""

HELD = "held"
"""As an object id: whatever the agent holds."""

STATES = (
    ("toggleable", "is_toggled", "isToggled", "ToggleObjectOn", "ToggleObjectOff"),
    ("openable", "is_open", "isOpen", "OpenObject", "CloseObject"),
    ("dirtyable", "is_dirty", "isDirty", "DirtyObject", "CleanObject"),
)
"""Affordance, our attribute, AI2-THOR's property, and the actions that set and clear it."""


class SimulatorFault(ChorewrightError):
    """A build did not start, died, hung, answered garbage or showed nothing."""


@dataclass(frozen=True, slots=True)
class Build:
    """How a build is started and watched.

    Attributes:
        executable: Its path; empty for the one that AI2-THOR's client has downloaded.
        size: Pixels on a side of its pictures.
        start: Seconds that it may take to start and load a room.
        step: Seconds that an action may take.
        display: The X display for it.
    """

    executable: str = ""
    size: int = 300
    start: float = 120.0
    step: float = 30.0
    display: str = ":0"


class RealThor:
    """Drives a real build; what it sees last is in ``frame``."""

    def __init__(self, build: Build, settings: RoomSettings = ALFRED_SETTINGS) -> None:
        self.build, self.settings = build, settings
        self.frame: NDArray[np.uint8] | None = None
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._metadata: Mapping[str, object] = {}
        self._names = RealNames({})
        self._origin: Scene | None = None

    def reset(self, scene: Scene) -> Event:
        """Load a scene's room and put its items, states and agent as the scene has them.

        Raises:
            SimulatorFault: The build does not do its part.
        """
        self._names, self._origin = RealNames({}), scene
        if self._process is None:
            self._start(scene.name)
        else:
            self._ask({"reset": scene.name}, self.build.start)
        poses = RealNames.poses(scene, self._objects())
        placed = self._call("SetObjectPoses", {"objectPoses": poses, "placeStationary": True})
        if not placed.success:
            return placed
        self._names = RealNames.match_all(scene, self._objects())
        self._set_states(scene)
        where = {"x": scene.agent.x * GRID, "y": scene.agent_y, "z": scene.agent.z * GRID}
        turned = {"x": 0.0, "y": 90.0 * scene.agent.rotation, "z": 0.0}
        pose: dict[str, Argument] = {"position": where, "rotation": turned, "standing": True}
        return self._call("TeleportFull", {**pose, "horizon": float(scene.agent.horizon)})

    def step(self, action: SimulatorAction) -> Event:
        """Run one action, whose object ids are the scene's.

        Raises:
            SimulatorFault: The build does not do its part.
        """
        arguments = dict(action.arguments)
        receptacle = arguments.pop("receptacleObjectId", None)
        if receptacle is not None:  # from version 3 on, what is put is what is held
            arguments["objectId"] = receptacle
        named = arguments.get("objectId")
        if named == HELD:
            arguments["objectId"] = self._held()
        elif isinstance(named, str):
            arguments["objectId"] = self._names.theirs(named, self._objects())
        if action.action in ("LookUp", "LookDown"):
            arguments.setdefault("degrees", self.settings.tilt)
        return self._call(action.action, arguments)

    def scene(self) -> Scene:
        """Return the build's reported state as a scene."""
        assert self._origin is not None, "reset the simulator to a scene first"
        return scene_from_metadata(
            dict(self._metadata),
            name=self._origin.name,
            points=[[x * GRID, z * GRID] for x, z in self._origin.grid],
            kinds=self._origin.kinds,
        )

    def state(self) -> State:
        """Return the true atoms of the household domain, of the things that the build names as the scene does."""
        assert self._origin is not None, "reset the simulator to a scene first"
        names = scene_names(self._origin)
        ids = {name: self._names.theirs(known, self._objects()) for name, known in names.ids.items()}
        begun = frozenset(self._names.theirs(known, self._objects()) for known in names.begun)
        return state_of(self.scene(), ids, begun)

    def observation(self) -> Observation:
        """Return the build's picture, whose size is the build's own, and its metadata."""
        frame = self.frame
        pictures = {} if frame is None else {CAMERA: lambda size: Frame.of_colours(frame)}
        return Observation(str(self._metadata.get("errorMessage") or ""), pictures, self._metadata)

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata."""
        return self._metadata

    def close(self) -> None:
        """End the build."""
        process, self._process = self._process, None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if process is not None:
            process.join(0.5)
            if process.pid is not None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            if process.is_alive():
                process.kill()
            process.join()

    def _start(self, room: str) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        settings, build = self.settings, self.build
        parameters: dict[str, object] = {
            "scene": room,
            "x_display": build.display,
            "width": build.size,
            "height": build.size,
            "gridSize": GRID,
            "visibilityDistance": settings.reach,
            "fieldOfView": settings.field_of_view,
            "rotateStepDegrees": settings.turn,
            "server_start_timeout": 2 * build.start,  # our own watch ends first, and says so
            "server_timeout": 2 * build.step,
            "local_executable_path": build.executable or None,
        }
        self._process = context.Process(target=drive, args=(theirs, parameters), daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        self._hear(build.start, "start")

    def _set_states(self, scene: Scene) -> None:
        """Switch, open and dirty what the scene has so."""
        theirs = {str(each["objectId"]): each for each in self._objects()}
        for body in scene.objects:
            real = theirs.get(self._names.theirs(body.object_id, self._objects()))
            for affordance, ours, name, on, off in STATES:
                wanted = getattr(body.attributes, ours)
                if real is None or affordance not in body.traits.affordances or real.get(name) == wanted:
                    continue
                self._call(on if wanted else off, {"objectId": str(real["objectId"]), "forceAction": True})

    def _call(self, name: str, arguments: Mapping[str, Argument]) -> Event:
        seen = self._ask({"action": name, **arguments}, self.build.step)
        told = seen.metadata
        return Event(bool(told.get("lastActionSuccess")), str(told.get("errorMessage") or ""), told.get("actionReturn"))

    def _ask(self, action: Mapping[str, object], patience: float) -> Seen:
        what = str(action.get("action", "reset"))
        assert self._connection is not None
        try:
            self._connection.send(dict(action))
        except OSError:
            raise self._fault(f"{what}: the build died") from None
        return self._hear(patience, what)

    def _hear(self, patience: float, what: str) -> Seen:
        assert self._connection is not None
        try:
            if not self._connection.poll(patience):
                raise self._fault(f"{what}: no answer within {patience:g} s")
            answer = self._connection.recv()
        except (EOFError, OSError):
            raise self._fault(f"{what}: the build died") from None
        if isinstance(answer, Broken):
            raise self._fault(f"{what}: {answer.reason}")
        seen = cast(Seen, answer)
        if not isinstance(seen.metadata.get("objects"), list):
            raise self._fault(f"{what}: the answer has no objects")
        if seen.frame is None or int(seen.frame.max(initial=0)) <= BLACK:
            raise self._fault(f"{what}: the picture is {'missing' if seen.frame is None else 'black'}")
        self._metadata, self.frame = seen.metadata, seen.frame
        return seen

    def _fault(self, reason: str) -> SimulatorFault:
        """End the process and return what is to be raised."""
        self.close()
        return SimulatorFault(reason, hint="see AI2-THOR's log in ~/.ai2thor/log/unity.log")

    def _held(self) -> str:
        held = cast("list[Mapping[str, object]]", self._metadata.get("inventoryObjects") or [])
        return str(held[0]["objectId"]) if held else ""

    def _objects(self) -> list[Mapping[str, object]]:
        return cast("list[Mapping[str, object]]", self._metadata["objects"])
