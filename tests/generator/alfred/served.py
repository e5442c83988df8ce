"""What EB-ALFRED's and LoTa-Bench's environments and evaluators ask of the simulator: actions, and what they read.

Written from reading their public code (November 2026). EB-ALFRED and LoTa-Bench as published drive client 2.1.0;
LoTa-Bench's repository has since gone over to client 5.0.0, where it sets other things up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.originals.thor_env import Json

ITEM = "item"
EB, LOTA = "EB-ALFRED", "LoTa-Bench"

Arguments = Callable[[Json, Json], Mapping[str, object]]
"""From the metadata and the trajectory's scene to an action's arguments."""


@dataclass(frozen=True)
class Call:
    """An action as it is called, in an order in which each succeeds.

    Attributes:
        action: Its name.
        arguments: What it is called with.
        who: Whose code calls it so.
        versions: The clients.
        succeeds: Whether it should.
    """

    action: str
    arguments: Arguments = lambda metadata, scene: {}
    who: tuple[str, ...] = (EB, LOTA)
    versions: tuple[int, ...] = (2, 5)
    succeeds: bool = True


def told(**arguments: object) -> Arguments:
    """Return arguments that are always the same."""
    return lambda metadata, scene: arguments


def thing(metadata: Json, **wanted: object) -> Json:
    """Return the first object that has some values."""
    return next(each for each in metadata["objects"] if all(each[name] == value for name, value in wanted.items()))


def item(metadata: Json) -> Json:
    """Return the first thing that can be taken, lies in nothing that can be closed, and does not change when cut."""
    doors = {each["objectId"] for each in metadata["objects"] if each["openable"]}
    return next(
        each
        for each in metadata["objects"]
        if each["pickupable"] and not each["receptacle"] and not each["sliceable"] and each["parentReceptacles"]
        and not doors & set(each["parentReceptacles"])
    )  # fmt: skip


def held(metadata: Json) -> str:
    """Return the id of what is held."""
    return str(metadata["inventoryObjects"][0]["objectId"])


def beside(metadata: Json, target: Json) -> Mapping[str, object]:
    """Return a teleport to the point nearest to a thing, turned to it and tilted as the connectors tilt the camera."""
    place = target["position"]
    points = sorted(
        metadata["reachablePositions"], key=lambda each: sum((each[axis] - place[axis]) ** 2 for axis in "xyz")
    )
    x, z = place["x"] - points[0]["x"], place["z"] - points[0]["z"]
    tilt = 0.9 * math.degrees(math.atan2(place["y"] - 1.575, math.hypot(x, z)))
    return {"x": points[0]["x"], "y": 0.9, "z": points[0]["z"], "turn": math.degrees(math.atan2(x, z)) % 360,
            "horizon": min(60.0, max(-30.0, -tilt))}  # fmt: skip


def teleport(kind: str, *, vector: bool) -> Arguments:
    """Return a teleport beside a thing: with a turn as a number, or as newer clients want it."""

    def arguments(metadata: Json, scene: Json) -> Mapping[str, object]:
        to = dict(beside(metadata, item(metadata) if kind == ITEM else thing(metadata, objectType=kind)))
        turn = to.pop("turn")
        return {**to, "rotation": {"x": 0, "y": turn, "z": 0}, "standing": True} if vector else {**to, "rotation": turn}

    return arguments


def start(metadata: Json, scene: Json) -> Mapping[str, object]:
    """Return the trajectory's first action as EB-ALFRED changes it."""
    told = {name: value for name, value in scene["init_action"].items() if name not in ("action", "rotateOnTeleport")}
    return {**told, "standing": True}


def every_pose(metadata: Json, scene: Json) -> Mapping[str, object]:
    """Return the poses of all things, furniture too, as LoTa-Bench's newer code sets them."""
    return {
        "objectPoses": [
            {"objectName": each["name"], "position": each["position"], "rotation": each["rotation"]}
            for each in metadata["objects"]
            if each["objectType"] not in ("Floor", "Window", "LightSwitch")
        ]
    }


SETTINGS = {"gridSize": 0.25, "cameraY": 0.675, "renderImage": True, "renderDepthImage": False,
            "renderClassImage": False, "renderObjectImage": True, "visibilityDistance": 1.5,
            "makeAgentsVisible": False}  # fmt: skip
RECEPTACLE = "CounterTop"


def dirty(metadata: Json, scene: Json) -> Mapping[str, object]:
    """Return what makes something dirty."""
    return {"objectId": thing(metadata, dirtyable=True)["objectId"], "forceAction": True}


CALLS: tuple[Call, ...] = (
    Call("Reset", lambda metadata, scene: {"sceneName": scene["floor_plan"]}),
    Call("Initialize", told(**SETTINGS)),
    Call("SetObjectToggles", lambda metadata, scene: {"objectToggles": scene["object_toggles"]}),
    Call("SetStateOfAllObjects", told(StateChange="CanBeDirty", forceAction=True), versions=(2,)),
    Call("SetStateOfAllObjects", told(StateChange="CanBeFilled", forceAction=False), versions=(2,)),
    Call("DirtyObject", dirty, (LOTA,), (5,)),
    Call("SetObjectPoses", lambda metadata, scene: {"objectPoses": scene["object_poses"]}, versions=(2,)),
    Call("SetObjectPoses", every_pose, (LOTA,), (5,)),
    Call("GetReachablePositions"),
    Call("TeleportFull", start, (EB,), (2,)),
    Call("TeleportFull", lambda metadata, scene: {**start(metadata, scene), "rotateOnTeleport": True}, (LOTA,), (2,)),
    Call("Pass"),
    Call("TeleportFull", teleport(ITEM, vector=False), (EB, LOTA), (2,)),
    Call("TeleportFull", teleport(ITEM, vector=True), (LOTA,), (5,)),
    Call("PickupObject", lambda metadata, scene: {"objectId": item(metadata)["objectId"],
                                                  "forceAction": False}),
    Call("PickupObject", lambda metadata, scene: {"objectId": thing(metadata, pickupable=True, isPickedUp=False)
                                                  ["objectId"], "forceAction": False}, succeeds=False),
    Call("TeleportFull", teleport(RECEPTACLE, vector=False), (EB, LOTA), (2,)),
    Call("TeleportFull", teleport(RECEPTACLE, vector=True), (LOTA,), (5,)),
    Call("LookUp", told(degrees=30), (EB,)),
    Call("LookDown", told(degrees=30), (EB,)),
    Call("LookUp"),
    Call("LookDown"),
    Call("RotateRight", told(degrees=90), (EB,)),
    Call("RotateLeft", told(degrees=90), (EB,)),
    Call("RotateHand", told(x=40)),
    Call("PutObject", lambda metadata, scene: {"objectId": held(metadata), "forceAction": True, "receptacleObjectId":
                                               thing(metadata, objectType=RECEPTACLE)["objectId"]}),
    Call("PutObject", told(objectId="Mug|0", receptacleObjectId="CounterTop|0", forceAction=True), succeeds=False),
    Call("TeleportFull", teleport(ITEM, vector=False), (EB, LOTA), (2,)),
    Call("TeleportFull", teleport(ITEM, vector=True), (LOTA,), (5,)),
    Call("PickupObject", lambda metadata, scene: {"objectId": item(metadata)["objectId"],
                                                  "forceAction": False}),
    Call("DropHandObject", told(forceAction=True)),
    Call("DropHandObject", told(forceAction=True), succeeds=False),
    *(
        Call(action, lambda metadata, scene, kind=kind: {"objectId": thing(metadata, objectType=kind)["objectId"]},
             versions=versions)
        if action
        else Call("TeleportFull", teleport(kind, vector=versions == (5,)), versions=versions)
        for kind, actions in (("Microwave", ("OpenObject", "CloseObject", "ToggleObjectOn", "ToggleObjectOff")),
                              ("Bread", ("SliceObject",)), ("Faucet", ("ToggleObjectOn", "ToggleObjectOff")))
        for versions in ((2,), (5,))
        for action in ("", *actions)
    ),
    Call("CleanObject", lambda metadata, scene: {"objectId": thing(metadata, isDirty=True)["objectId"],
                                                 "forceAction": True}, (LOTA,)),
)  # fmt: skip

MOVES = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight")
"""Called with ``moveMagnitude`` 0.25 or without; they succeed where nothing is in the way."""

NUMBER = (int, float)
OBJECT: Mapping[str, tuple[type, ...]] = {
    "objectId": (str,), "objectType": (str,), "name": (str,), "position": (dict,), "rotation": (dict,),
    "visible": (bool,), "distance": NUMBER, "receptacle": (bool,), "receptacleObjectIds": (list, type(None)),
    "parentReceptacles": (list, type(None)), "pickupable": (bool,), "isPickedUp": (bool,), "toggleable": (bool,),
    "isToggled": (bool,), "openable": (bool,), "isOpen": (bool,), "sliceable": (bool,), "isSliced": (bool,),
    "dirtyable": (bool,), "isDirty": (bool,),
}  # fmt: skip
"""What they read of an object: connectors, goal conditions, and the sets of cleaned, heated and cooled things."""

METADATA: Mapping[str, tuple[type, ...]] = {
    "agent": (dict,), "objects": (list,), "inventoryObjects": (list,), "lastAction": (str,),
    "lastActionSuccess": (bool,), "errorMessage": (str,), "sceneName": (str,),
}  # fmt: skip
"""What they read of an event; ``actionReturn`` of GetReachablePositions is a list."""

EVENT = ("frame", "instance_segmentation_frame", "instance_detections2D", "color_to_object_id")
"""What the client makes of an event's pictures and its ``colors``, and they read."""
