"""The THOR world: a deterministic, physics-free simulator of iTHOR rooms with AI2-THOR's action names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from chorewright.domains.pddl.syntax import State
from chorewright.problems.household.containment import object_metadata, objects_metadata
from chorewright.problems.household.scene import Scene, Vector
from chorewright.problems.household.state import scene_names, state_of
from chorewright.replay.household import handling, motion, navigation, setup, states
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.refusals import UNKNOWN_ACTION, Refusal
from chorewright.replay.household.room import ALFRED_SETTINGS, Room, RoomSettings
from chorewright.replay.household.states import settle
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction

# The metadata of an event in AI2-THOR's schema, built on demand.


SCREEN = 300
"""Pixels of a side of the (not yet rendered) picture."""


def event_metadata(room: Room, action: SimulatorAction, event: Event, code: str) -> Mapping[str, object]:
    """Return what AI2-THOR reports after an action."""
    scene = room.scene()
    objects = objects_metadata(scene)
    for record, body in zip(objects, scene.objects, strict=True):
        record["visible"] = record["isInteractable"] = room.visible(body)
        if body.attributes.is_open:
            record["openness"] = room.openness.get(body.object_id, 1.0)
    for door in room.doors.values():
        seen = room.visible(door)
        record = object_metadata(door, (), (), room.place())
        openness = room.openness.get(door.object_id, record["openness"])
        objects.append({**record, "visible": seen, "isInteractable": seen, "openness": openness})
    held = room.objects[room.holding] if room.holding is not None else None
    return {
        "agent": {
            "name": "agent",
            "position": axes(room.place()),
            "rotation": {"x": 0.0, "y": room.rotation, "z": 0.0},
            "cameraHorizon": float(room.horizon),
            "isStanding": room.standing,
            "inHighFrictionArea": False,
        },
        "heldObjectPose": None if held is None else {"position": axes(held.position), "rotation": axes(held.rotation)},
        "objects": objects,
        "inventoryObjects": [] if held is None else [{"objectId": held.object_id, "objectType": held.kind}],
        "collided": False,
        "collidedObjects": [],
        "lastAction": action.action,
        "lastActionSuccess": event.success,
        "errorMessage": event.error_message,
        "errorCode": code,
        "actionReturn": event.action_return,
        "sceneName": room.origin.name,
        "screenWidth": SCREEN,
        "screenHeight": SCREEN,
        "fov": room.settings.field_of_view,
        "cameraPosition": axes(room.camera()),
        "cameraOrthSize": 0.0,
        "isSceneAtRest": True,
        "colors": [],
        "thirdPartyCameras": [],
        "reachablePositions": event.action_return if action.action == "GetReachablePositions" else [],
    }


def axes(vector: Vector) -> dict[str, float]:
    """Return a vector in AI2-THOR's form."""
    return {"x": float(vector[0]), "y": float(vector[1]), "z": float(vector[2])}


Effect = Callable[[Room, SimulatorAction], object]
"""Does an action and returns AI2-THOR's actionReturn, or raises ``Refusal`` before any change."""

MOTIONS: Mapping[str, Effect] = {
    **{f"Move{way}": partial(navigation.move, turn=turn) for way, turn in navigation.TURNS.items()},
    "RotateLeft": partial(navigation.rotate, sign=-1),
    "RotateRight": partial(navigation.rotate, sign=1),
    "LookUp": partial(navigation.look, sign=-1),
    "LookDown": partial(navigation.look, sign=1),
    "Teleport": navigation.teleport,
    "TeleportFull": navigation.teleport,
    "Stand": partial(navigation.stand_up, standing=True),
    "Crouch": partial(navigation.stand_up, standing=False),
    "GetReachablePositions": navigation.reachable_positions,
    "GetInteractablePoses": navigation.interactable_poses,
    "GetShortestPath": navigation.to_object,
    "GetShortestPathToPoint": navigation.to_point,
    "GetSpawnCoordinatesAboveReceptacle": handling.spawn_coordinates,
    "MoveHeldObject": motion.move_held,
    **{
        f"Move{what}{name}": partial(motion.move_held_along, way=way)
        for what in ("Hand", "HeldObject")
        for name, way in motion.WAYS.items()
    },
    "RotateHand": motion.rotate_hand,
    "RotateHeldObject": motion.rotate_held,
    "Pass": setup.nothing,
    "Done": setup.nothing,
    "Initialize": setup.initialize,
}
"""Actions after which appliances do nothing new."""

INTERACTIONS: Mapping[str, Effect] = {
    "PickupObject": handling.pick_up,
    "PutObject": handling.put_on_receptacle,
    "DropHandObject": handling.drop,
    "DropHeldObject": handling.drop,
    "ThrowObject": handling.throw,
    "PushObject": partial(handling.slide, turn=0.0),
    "PullObject": partial(handling.slide, turn=180.0),
    "DirectionalPush": handling.slide,
    "PlaceObjectAtPoint": handling.place_at_point,
    "OpenObject": states.open_object,
    "CloseObject": states.close_object,
    "ToggleObjectOn": states.toggle_on,
    "ToggleObjectOff": states.toggle_off,
    "SliceObject": states.slice_object,
    "BreakObject": states.break_object,
    "DirtyObject": partial(states.become, affordance="dirtyable", word="dirty", is_dirty=True),
    "CleanObject": partial(states.become, affordance="dirtyable", word="clean", is_dirty=False),
    "FillObjectWithLiquid": states.fill_object,
    "EmptyLiquidFromObject": partial(states.become, affordance="fillable", word="empty", liquid=None, brewed=False),
    "CookObject": partial(states.become, affordance="cookable", word="cooked", is_cooked=True, cooked=True),
    "UseUpObject": partial(states.become, affordance="usable", word="used up", is_used_up=True),
    "SetObjectPoses": setup.set_object_poses,
    "SetObjectToggles": setup.set_object_toggles,
    "SetStateOfAllObjects": setup.set_state_of_all_objects,
    "SetObjectStates": setup.set_object_states,
    "InitialRandomSpawn": setup.initial_random_spawn,
}
"""Actions that change objects."""

CAMERA = "agent"
"""The name of the agent's camera among an observation's pictures."""

_DONE = Event(True, "")


class ThorWorld:
    """The embedded simulator of THOR rooms, behind the ``Simulator`` protocol.

    Same scene, same actions, same events. An action that cannot be done fails with a message and changes
    nothing.
    """

    def __init__(self, settings: RoomSettings = ALFRED_SETTINGS) -> None:
        self.settings = settings
        self._room: Room | None = None
        self._action = SimulatorAction("Initialize")
        self._event = _DONE
        self._code = ""
        self._renderer: Renderer | None = None

    @property
    def room(self) -> Room:
        """The changing state.

        Raises:
            RuntimeError: The world has not been reset to a scene.
        """
        if self._room is None:
            raise RuntimeError("reset the world to a scene first")
        return self._room

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        self._room = Room(scene, self.settings)
        self._action, self._event, self._code = SimulatorAction("Initialize"), _DONE, ""
        return _DONE

    def step(self, action: SimulatorAction) -> Event:
        """Run one action; an action that cannot be done fails with a message and changes nothing."""
        room = self.room
        self._action = action
        try:
            effect = MOTIONS.get(action.action)
            if effect is not None:
                returned = effect(room, action)
            else:
                effect = INTERACTIONS.get(action.action)
                if effect is None:
                    raise Refusal(UNKNOWN_ACTION, what=action.action)
                returned = effect(room, action)
                settle(room)
        except Refusal as refusal:
            self._code = refusal.code
            self._event = Event(False, refusal.message)
            return self._event
        self._code = ""
        self._event = _DONE if returned is None else Event(True, "", returned)
        return self._event

    def scene(self) -> Scene:
        """Return the present state as a scene."""
        return self.room.scene()

    def state(self) -> State:
        """Return the true atoms of the household domain, the things named as in a problem of the first scene."""
        names = scene_names(self.room.origin, self.settings.first_piece)
        return state_of(self.scene(), names.ids, names.begun)

    def observation(self) -> Observation:
        """Return the agent's picture and the last event's metadata."""
        return Observation(self._event.error_message, {CAMERA: self.frame}, self.metadata())

    def frame(self, size: int) -> Frame:
        """Return what the agent sees, so many pixels on a side."""
        if self._renderer is None:
            self._renderer = Renderer()
        return self._renderer.frame(self.scene(), agent_camera(self.room, size))

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata in AI2-THOR's schema."""
        return event_metadata(self.room, self._action, self._event, self._code)

    def error_code(self) -> str:
        """Return AI2-THOR's code of the last event's error, empty if there was none."""
        return self._code

    def visible(self, object_id: str) -> bool:
        """Return whether the agent sees and reaches an object now; False if there is none of that id."""
        body = self.room.objects.get(object_id) or self.room.doors.get(object_id)
        return body is not None and self.room.visible(body)
