"""Calls as TEACh's simulator makes them, by the unmodified client 3.1.0, in its Python."""

import sys

import numpy as np
from ai2thor.controller import Controller

SIZE = 900
BUILD = "fdc047690ee0ab7a91ede50d286bd387d379713a"
KEYS = [
    "objectId",
    "objectType",
    "name",
    "position",
    "rotation",
    "visible",
    "receptacle",
    "parentReceptacles",
    "pickupable",
    "moveable",
    "openable",
    "isOpen",
    "toggleable",
    "isToggled",
    "sliceable",
    "isSliced",
    "dirtyable",
    "isDirty",
    "canFillWithLiquid",
    "isFilledWithLiquid",
    "cookable",
    "isCooked",
    "breakable",
    "isBroken",
    "canBeUsedUp",
    "isUsedUp",
    "ObjectTemperature",
    "axisAlignedBoundingBox",
]


def call(env, name, **arguments):
    event = env.step({"action": name, **arguments})
    assert event.metadata["lastActionSuccess"], (name, arguments, event.metadata["errorMessage"])
    return event


def look_at(env, wanted):
    """Teleport to where an object that is wanted is seen; return it and a relative coordinate on it."""
    for point in call(env, "GetReachablePositions").metadata["actionReturn"]:
        for turn in (0, 90, 180, 270):
            pose = {"position": point, "rotation": {"x": 0, "y": turn, "z": 0}, "horizon": 30}
            event = call(env, "Teleport", **pose)
            for thing in event.metadata["objects"]:
                mask = event.instance_masks.get(thing["objectId"])
                if wanted(thing) and thing["visible"] and mask is not None and mask.sum() > 2000:
                    rows, columns = np.nonzero(mask)
                    middle = len(rows) // 2
                    return thing, columns[middle] / SIZE, rows[middle] / SIZE
    raise AssertionError("nothing of the kind is seen from anywhere")


def main():
    build = f"thor-Linux64-{BUILD}"
    env = Controller(
        local_executable_path=f"{sys.argv[1]}/releases/{build}/{build}",
        scene="FloorPlan5_physics",
        gridSize=0.25,
        snapToGrid=True,
        visibilityDistance=1.5,
        width=SIZE,
        height=SIZE,
        agentCount=1,
        commit_id=BUILD,
    )
    call(env, "LookDown", agentId=0, degrees=30)
    metadata = call(env, "ToggleMapView").metadata
    above, half = metadata["cameraPosition"], metadata["cameraOrthSize"]
    metadata = call(env, "ToggleMapView").metadata
    where = metadata["agent"]["position"]
    assert abs(where["x"] - above["x"]) < half
    assert abs(where["z"] - above["z"]) < half
    for rotation in ({"x": 30, "y": 90, "z": 0}, {"x": 0, "y": 0, "z": 90}):
        event = call(env, "AddThirdPartyCamera", rotation=rotation, position={**where, "y": 1.9}, fieldOfView=90)
    assert [each["thirdPartyCameraId"] for each in event.metadata["thirdPartyCameras"]] == [0, 1]
    assert event.instance_segmentation_frame is None
    things = event.metadata["objects"]
    assert all(set(KEYS) <= set(thing) for thing in things)
    poses = [
        {"objectName": each["name"].split("(")[0], **{k: dict(each[k]) for k in ("rotation", "position")}}
        for each in things
        if each["pickupable"] or each["moveable"]
    ]
    event = call(env, "SetObjectPoses", objectPoses=poses, placeStationary=True)
    assert {each["objectId"] for each in things} == {each["objectId"] for each in event.metadata["objects"]}
    for kind in sorted({each["objectType"] for each in things if each["breakable"]}):
        call(env, "MakeObjectsOfTypeUnbreakable", objectType=kind)
    turned = {"x": 20.0, "y": 180.0, "z": 0.0}
    event = call(env, "UpdateThirdPartyCamera", thirdPartyCameraId=0, rotation=turned, position={**where, "y": 1.8})
    assert event.metadata["thirdPartyCameras"][0]["rotation"] == turned
    event = call(env, "Pass", agentId=0, renderObjectImage=True)
    frames = [event.frame, event.instance_segmentation_frame, *event.third_party_camera_frames]
    frames += event.third_party_instance_segmentation_frames
    assert [frame.shape for frame in frames] == [(SIZE, SIZE, 3)] * 6

    thing, x, y = look_at(env, lambda each: each["pickupable"])
    point = call(env, "GetCoordinateFromRaycast", x=x, y=y, agentId=0).metadata["actionReturn"]
    assert max(abs(point[axis] - thing["position"][axis]) for axis in "xyz") < 0.4
    call(env, "PickupObject", agentId=0, objectId=thing["objectId"])
    receptacle, x, y = look_at(env, lambda each: each["objectType"] in ("CounterTop", "DiningTable"))
    spot = call(env, "GetCoordinateFromRaycast", x=x, y=y, agentId=0).metadata["actionReturn"]
    put = {"agentId": 0, "forceAction": True, "placeStationary": True, "putNearXY": True}
    event = call(env, "PutObject", **put, x=x, y=y)
    put = event.get_object(thing["objectId"])
    assert receptacle["objectId"] in put["parentReceptacles"]
    assert max(abs(spot[axis] - put["position"][axis]) for axis in "xz") < 0.6
    mug = next(each for each in things if each["canFillWithLiquid"] and not each["isFilledWithLiquid"])["objectId"]
    event = call(env, "FillObjectWithLiquid", objectId=mug, fillLiquid="water", forceAction=True)
    assert event.get_object(mug)["isFilledWithLiquid"]
    call(env, "EmptyLiquidFromObject", objectId=mug, forceAction=True)
    event = call(env, "InitialRandomSpawn", randomSeed=3, numPlacementAttempts=5, placeStationary=True)
    assert {each["objectType"] for each in event.metadata["objects"]} == {each["objectType"] for each in things}
    said = ""
    try:
        env.step(action="Fly")
    except ValueError as error:
        said = str(error)
    assert "Invalid action: Fly" in said
    env.stop()
    with_a_body_for_the_commander(build)
    print("done")


def with_a_body_for_the_commander(build):
    """Start as for two agents: the Commander is the first, the Driver the second."""
    env = Controller(
        local_executable_path=f"{sys.argv[1]}/releases/{build}/{build}",
        scene="FloorPlan5_physics",
        gridSize=0.25,
        snapToGrid=True,
        visibilityDistance=1.5,
        width=SIZE,
        height=SIZE,
        agentCount=2,
        commit_id=BUILD,
    )
    for agent in (0, 1):
        call(env, "LookDown", agentId=agent, degrees=30)
    event = call(env, "AddThirdPartyCamera", rotation={"x": 0, "y": 0, "z": 90}, position={"x": -1, "y": 1, "z": -2})
    point = call(env, "GetReachablePositions").metadata["actionReturn"][-1]
    call(env, "Teleport", agentId=0, **point, rotation={"x": 0, "y": 90, "z": 0}, horizon=30)
    event = call(env, "Pass", agentId=1, renderObjectImage=True)
    assert [each.metadata["agentId"] for each in event.events] == [0, 1]
    assert [each.metadata["agent"]["cameraHorizon"] for each in event.events] == [30, 30]
    assert event.events[0].metadata["agent"]["position"]["x"] == point["x"]
    assert event.metadata["agent"] == event.events[1].metadata["agent"]
    for each in event.events:
        assert each.frame.shape == each.instance_segmentation_frame.shape == (SIZE, SIZE, 3)
    assert event.events[0].third_party_camera_frames[0].shape == (SIZE, SIZE, 3)
    assert "agent_1" in event.events[0].object_id_to_color
    things = event.metadata["objects"]
    floor = next(each["objectId"] for each in things if each["objectType"] == "Floor")
    cup = next(each["objectId"] for each in things if each["objectType"] in ("Mug", "Cup"))
    call(env, "PickupObject", agentId=0, objectId=cup, forceAction=True)
    call(env, "PutObject", agentId=0, objectId=floor, forceAction=True)
    event = call(env, "PickupObject", agentId=1, objectId=cup, forceAction=True)
    assert [len(each.metadata["inventoryObjects"]) for each in event.events] == [0, 1]
    env.stop()


main()
