"""Calls as ALFRED's and ALFWorld's wrappers make them, by the unmodified client 2.1.0, in its Python."""

import numpy as np
from ai2thor.controller import Controller

RENDER = {"renderImage": True, "renderDepthImage": True, "renderClassImage": True, "renderObjectImage": True}
QUIET = {"renderClassImage": False, "renderObjectImage": False, "renderDepthImage": False}
KEYS = [
    "objectId",
    "objectType",
    "name",
    "position",
    "rotation",
    "visible",
    "distance",
    "receptacle",
    "receptacleObjectIds",
    "parentReceptacles",
    "pickupable",
    "openable",
    "isOpen",
    "toggleable",
    "isToggled",
    "sliceable",
    "isSliced",
    "dirtyable",
    "isDirty",
    "isPickedUp",
]


def call(env, name, **arguments):
    event = env.step({"action": name, **arguments})
    assert event.metadata["lastActionSuccess"], (name, arguments, event.metadata["errorMessage"])
    return event


def stand_at(env, wanted):
    """Teleport to where an object that is wanted is seen; return it."""
    height = env.last_event.metadata["agent"]["position"]["y"]
    points = call(env, "GetReachablePositions", gridSize=0.25).metadata["reachablePositions"]
    for point in points:
        for rotation in (0, 90, 180, 270):
            event = env.step(
                {
                    "action": "TeleportFull",
                    "x": point["x"],
                    "y": height,
                    "z": point["z"],
                    "rotateOnTeleport": True,
                    "rotation": rotation,
                    "horizon": 30,
                }
            )
            for thing in event.metadata["objects"]:
                seen = event.instance_masks.get(thing["objectId"])
                if wanted(thing) and thing["visible"] and seen is not None and seen.sum() > 100:
                    return thing
    raise AssertionError("nothing of the kind is seen from anywhere")


def main():
    env = Controller(quality="MediumCloseFitShadows")
    env.start(x_display="0", player_screen_height=300, player_screen_width=300)
    env.reset("FloorPlan10")
    settings = {"gridSize": 0.25, "cameraY": 0.75, "visibility_distance": 1.5, "makeAgentsVisible": False}
    first = call(env, "Initialize", **settings, **RENDER)
    assert first.frame.shape == (300, 300, 3)
    assert first.depth_frame.shape == (300, 300)
    assert 100 < first.depth_frame.max() <= 5000, "millimetres"
    assert first.class_segmentation_frame.shape == first.instance_segmentation_frame.shape == (300, 300, 3)
    things = first.metadata["objects"]
    assert all(set(KEYS) <= set(thing) for thing in things)
    assert any(thing["objectType"] == "Glassbottle" for thing in things), "as 2.1.0 calls it"
    poses = [
        {"objectName": thing["name"].split("(Clone)")[0], **{k: thing[k] for k in ("position", "rotation")}}
        for thing in things
        if thing["pickupable"]
    ]
    call(env, "Initialize", **settings, **RENDER)
    call(env, "SetObjectToggles", objectToggles=[{"objectType": "Faucet", "isOn": False}])
    call(env, "SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=True)
    call(env, "SetStateOfAllObjects", StateChange="CanBeFilled", forceAction=False)
    again = call(env, "SetObjectPoses", objectPoses=poses)
    assert {each["objectId"] for each in things} == {each["objectId"] for each in again.metadata["objects"]}
    assert all(thing["isDirty"] for thing in again.metadata["objects"] if thing["dirtyable"])

    thing = stand_at(env, lambda each: each["pickupable"])
    agent = env.last_event.metadata["agent"]
    look = {"rotation": np.round(agent["rotation"]["y"], 4), "horizon": np.round(agent["cameraHorizon"], 3)}
    event = call(env, "TeleportFull", **agent["position"], **look, tempRenderChange=True, renderImage=True, **QUIET)
    assert event.instance_segmentation_frame is not None, "a mask is wanted next"
    mask = event.instance_masks[thing["objectId"]]
    colours = {tuple(colour) for colour in event.instance_segmentation_frame[mask]}
    assert [event.color_to_object_id[colour] for colour in colours] == [thing["objectId"]]
    call(env, "PickupObject", objectId=thing["objectId"])
    held = env.last_event.metadata["inventoryObjects"][0]
    assert (held["objectId"], held["objectType"]) == (thing["objectId"], thing["objectType"])

    door = stand_at(env, lambda each: each["objectType"] == "Fridge")["objectId"]
    call(env, "OpenObject", objectId=door, moveMagnitude=1.0)
    put = {"objectId": held["objectId"], "receptacleObjectId": door}
    call(env, "PutObject", **put, forceAction=True, placeStationary=True)
    event = call(env, "CloseObject", objectId=door, forceAction=True)
    assert held["objectId"] in event.get_object(door)["receptacleObjectIds"]
    tap = stand_at(env, lambda each: each["objectType"] == "Faucet")["objectId"]
    call(env, "ToggleObjectOn", objectId=tap)
    call(env, "ToggleObjectOff", objectId=tap)
    for name in ("RotateLeft", "RotateRight"):
        call(env, name, forceAction=True)
    assert env.last_event.pose_discrete[3] == 30
    event = env.step({"action": "PickupObject", "objectId": "Mug|+09.00|+09.00|+09.00"})
    assert not event.metadata["lastActionSuccess"]
    assert event.metadata["errorMessage"]
    said = ""
    try:
        env.step({"action": "Fly"})
    except ValueError as error:
        said = str(error)
    assert "Invalid action: Fly" in said
    env.stop()
    print("done")


main()
