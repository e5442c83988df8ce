"""The metadata of an event in AI2-THOR's schema, built on demand."""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.problems.household.object_metadata import object_metadata, objects_metadata
from chorewright.problems.household.scene import Vector
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import Event, SimulatorAction

SCREEN = 300
"""Pixels of a side of the (not yet rendered) picture."""


def event_metadata(room: Room, action: SimulatorAction, event: Event, code: str) -> Mapping[str, object]:
    """Return what AI2-THOR reports after an action."""
    scene = room.scene()
    objects = objects_metadata(scene)
    for record, body in zip(objects, scene.objects, strict=True):
        record["visible"] = record["isInteractable"] = room.visible(body)
    for door in room.doors.values():
        seen = room.visible(door)
        record = object_metadata(door, (), (), room.place())
        objects.append({**record, "visible": seen, "isInteractable": seen})
    held = room.objects[room.holding] if room.holding is not None else None
    return {
        "agent": {
            "name": "agent",
            "position": _axes(room.place()),
            "rotation": {"x": 0.0, "y": room.rotation, "z": 0.0},
            "cameraHorizon": float(room.horizon),
            "isStanding": room.standing,
            "inHighFrictionArea": False,
        },
        "heldObjectPose": None
        if held is None
        else {"position": _axes(held.position), "rotation": _axes(held.rotation)},
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
        "cameraPosition": _axes(room.camera()),
        "cameraOrthSize": 0.0,
        "isSceneAtRest": True,
        "colors": [],
        "thirdPartyCameras": [],
        "reachablePositions": event.action_return if action.action == "GetReachablePositions" else [],
    }


def _axes(vector: Vector) -> dict[str, float]:
    return {"x": float(vector[0]), "y": float(vector[1]), "z": float(vector[2])}
