"""What wrappers around AI2-THOR ask a build for, beyond moving and handling: a table of calls and answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chorewright.problems.household.rooms import load_room
from chorewright.replay.household.server.requests import Reply
from chorewright.replay.household.server.service import Service


@pytest.fixture(scope="module")
def kitchen() -> Service:
    return Service(90, 90, "FloorPlan10")


def done(service: Service, name: str, **arguments: object) -> Reply:
    reply = service.answer({"action": name, **arguments})
    assert reply.metadata["lastActionSuccess"], (name, reply.metadata["errorMessage"])
    return reply


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("MakeObjectsOfTypeUnbreakable", {"objectType": "Mug"}),
        ("MakeAllObjectsUnbreakable", {}),
        ("PausePhysicsAutoSim", {}),
        ("ChangeQuality", {"quality": "Ultra"}),
        ("GetSceneBounds", {}),
        ("GetMapViewCameraProperties", {}),
        ("GetReachablePositions", {"gridSize": 0.25}),
    ],
)
def test_calls_that_change_nothing(kitchen: Service, name: str, arguments: dict[str, object]) -> None:
    before = done(kitchen, "Pass").metadata["objects"]
    assert done(kitchen, name, **arguments).metadata["objects"] == before


def test_pictures_are_sent_from_the_first_time_that_they_are_asked_for(kitchen: Service) -> None:
    """A later call that says no, as ALFRED's looks do, takes away colours and nothing else."""
    done(kitchen, "Reset", sceneName="FloorPlan10")
    done(kitchen, "Initialize")
    assert list(done(kitchen, "Pass").pictures) == ["image"]
    assert list(done(kitchen, "Pass", renderObjectImage=True).pictures) == ["image", "image_ids"]
    assert list(done(kitchen, "Pass", renderObjectImage=False).pictures) == ["image", "image_ids"]
    assert list(done(kitchen, "Pass", renderImage=False).pictures) == ["image_ids"]
    assert list(done(kitchen, "Initialize", renderDepthImage=True).pictures) == ["image", "image_depth"]
    done(kitchen, "Initialize")


def test_the_map_is_seen_from_above(kitchen: Service) -> None:
    plain = done(kitchen, "Pass")
    shown = done(kitchen, "ToggleMapView")
    above, half = shown.metadata["cameraPosition"], shown.metadata["cameraOrthSize"]
    for x, z in load_room("FloorPlan10").grid:
        assert abs(0.25 * x - above["x"]) < half
        assert abs(0.25 * z - above["z"]) < half
    assert (shown.pictures["image"][0] != plain.pictures["image"][0]).any()
    assert (done(kitchen, "ToggleMapView").pictures["image"][0] == plain.pictures["image"][0]).all()


def test_steps_are_as_long_as_the_grid_is_wide(kitchen: Service) -> None:
    for width, ahead in ((None, 0.25), (0.125, 0.125), (0.5, 0.5)):
        done(kitchen, "Reset", sceneName="FloorPlan10")
        done(kitchen, "Initialize", **({"gridSize": width} if width else {}))
        for point in done(kitchen, "GetReachablePositions").metadata["actionReturn"]:
            before = done(kitchen, "Teleport", position=point, rotation=90).metadata["agent"]["position"]
            moved = kitchen.answer({"action": "MoveAhead"}).metadata
            if moved["lastActionSuccess"]:
                break
        assert moved["agent"]["position"]["x"] - before["x"] == pytest.approx(ahead)


@pytest.mark.parametrize("width", [0.1, 0.5])
def test_points_are_as_far_apart_as_the_grid_is_wide(kitchen: Service, width: float) -> None:
    done(kitchen, "Reset", sceneName="FloorPlan10")
    usual = {(p["x"], p["z"]) for p in done(kitchen, "GetReachablePositions").metadata["actionReturn"]}
    done(kitchen, "Initialize", gridSize=width)
    start = done(kitchen, "Pass").metadata["agent"]["position"]
    points = [(p["x"], p["z"]) for p in done(kitchen, "GetReachablePositions").metadata["actionReturn"]]
    assert len(set(points)) == len(points) > len(usual) * (0.25 / width) ** 2 * 0.6
    for x, z in points:
        for value, origin in ((x, start["x"]), (z, start["z"])):
            assert (value - origin) / width == pytest.approx(round((value - origin) / width), abs=1e-4)
        assert min(max(abs(x - u), abs(z - v)) for u, v in usual) <= 0.1251
    for x, z in points[:: len(points) // 7]:
        there = done(kitchen, "TeleportFull", x=x, y=start["y"], z=z).metadata["agent"]["position"]
        assert (there["x"], there["z"]) == pytest.approx((x, z))
    assert not kitchen.answer({"action": "GetReachablePositions", "gridSize": 1e-6}).metadata["lastActionSuccess"]
    done(kitchen, "Initialize", gridSize=0.25)


def test_a_teleport_tilts_the_camera_as_the_version_lets_it() -> None:
    """AI2-THOR 2 takes any horizon: EB-ALFRED's and LoTa-Bench's connectors tilt it as the object lies."""
    for horizon, tilt in ((72.5, 72.5), (-58.0, -58.0), (330.0, -30.0), (-400.0, -40.0)):
        older = Service(30, 30, "FloorPlan10", version=2)
        agent = done(older, "TeleportFull", horizon=horizon).metadata["agent"]
        assert agent["cameraHorizon"] == pytest.approx(tilt)
        newer = Service(30, 30, "FloorPlan10").answer({"action": "TeleportFull", "horizon": horizon})
        assert not newer.metadata["lastActionSuccess"]


def test_pieces_are_named_as_the_version_names_them() -> None:
    for version, first in ((2, 1), (5, 0)):
        service = Service(30, 30, "FloorPlan10", version)
        apple = next(
            each["objectId"] for each in done(service, "Pass").metadata["objects"] if each["objectType"] == "Apple"
        )
        told = done(service, "SliceObject", objectId=apple, forceAction=True).metadata["objects"]
        pieces = {each["objectId"]: each for each in told if each["objectType"] == "AppleSliced"}
        assert list(pieces) == [f"{apple}|AppleSliced_{number}" for number in range(first, first + len(pieces))]
        assert all(f"_Slice_{name.rsplit('_', 1)[1]}" in each["name"] for name, each in pieces.items())
        assert next(each["isSliced"] for each in told if each["objectId"] == apple)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"agentCount": 3}, "one or two agents"),
        ({"agentCount": 1.5}, "Cannot convert to: int"),
        ({"agentId": 1}, "no agent 1"),
        ({"gridSize": 0}, "gridSize"),
        ({"gridSize": "wide"}, "gridSize"),
        ({"width": -1, "height": 30}, "-1 x 30 pixels"),
    ],
)
def test_settings_that_cannot_be_had(kitchen: Service, arguments: dict[str, object], says: str) -> None:
    reply = kitchen.answer({"action": "Initialize", **arguments})
    assert not reply.metadata["lastActionSuccess"]
    assert says in reply.metadata["errorMessage"]
    assert (kitchen.width, kitchen.height) == (90, 90)


def test_pointing(kitchen: Service) -> None:
    """A ray through a pixel ends at the object that is seen there, and is seen at that pixel."""
    done(kitchen, "Reset", sceneName="FloorPlan10")
    done(kitchen, "Initialize")
    hits = 0
    for point in done(kitchen, "GetReachablePositions").metadata["actionReturn"][::9]:
        done(kitchen, "Teleport", position=point, horizon=30)
        for x, y in ((0.5, 0.5), (0.3, 0.8)):
            name = done(kitchen, "GetObjectInFrame", x=x, y=y).metadata["actionReturn"]
            reply = kitchen.answer({"action": "GetCoordinateFromRaycast", "x": x, "y": y})
            if name is None or name.startswith("Floor"):
                continue
            where = reply.metadata["actionReturn"]
            seen = kitchen._camera().project((where["x"], where["y"], where["z"]))
            assert seen is not None
            assert seen[:2] == pytest.approx((x * 90, y * 90), abs=1.0)
            body = next(each for each in reply.metadata["objects"] if each["objectId"] == name)
            box = body["axisAlignedBoundingBox"]
            for axis in "xz":
                assert abs(where[axis] - box["center"][axis]) < box["size"][axis] / 2 + 0.35, (name, axis)
            hits += 1
    assert hits > 5
    assert not kitchen.answer({"action": "GetCoordinateFromRaycast", "x": 3, "y": 0}).metadata["lastActionSuccess"]


def test_states_of_kinds_and_poses_to_see_them_from(kitchen: Service) -> None:
    done(kitchen, "Reset", sceneName="FloorPlan10")
    told = {"objectType": "Cabinet", "stateChange": "openable", "isOpen": True}
    objects = done(kitchen, "SetObjectStates", SetObjectStates=told).metadata["objects"]
    assert all(each["isOpen"] == (each["objectType"] == "Cabinet") for each in objects if each["openable"])
    fridge = next(each["objectId"] for each in objects if each["objectType"] == "Fridge")
    before = done(kitchen, "Pass").metadata["agent"]
    poses = done(kitchen, "GetInteractablePoses", objectId=fridge, horizons=[0, 30]).metadata["actionReturn"]
    assert done(kitchen, "Pass").metadata["agent"] == before
    assert {pose["horizon"] for pose in poses} == {0, 30}
    for pose in poses[::17]:
        seen = done(kitchen, "TeleportFull", **pose).metadata["objects"]
        assert next(each["visible"] for each in seen if each["objectId"] == fridge)
    for name, arguments in (
        ("SetObjectStates", {}),
        ("SetObjectStates", {"SetObjectStates": {"stateChange": "magical"}}),
        ("GetInteractablePoses", {"objectId": fridge, "positions": 3}),
        ("GetInteractablePoses", {"objectId": fridge, "horizons": ["up"]}),
        ("GetInteractablePoses", {"objectId": "Fridge|none"}),
    ):
        assert not kitchen.answer({"action": name, **arguments}).metadata["lastActionSuccess"], name


def test_a_recorded_start_is_told_of_in_its_own_names() -> None:
    """ALFRED's recordings name fixtures as 2.1.0 did; what we have written names them as we do."""
    recorded = [{"objectName": "Mug_2a940808", "position": {"x": 0, "y": 1, "z": 0}, "rotation": {"x": 0}}]
    service = Service(30, 30, "FloorPlan305", version=2)
    drawer = "Drawer|+01.13|+00.16|+01.74"
    ours = {each["objectId"] for each in done(service, "Pass").metadata["objects"]}
    assert drawer not in ours
    theirs = {each["objectId"] for each in done(service, "SetObjectPoses", objectPoses=recorded).metadata["objects"]}
    assert drawer in theirs
    near = min((each for each in ours if each.startswith("Drawer")), key=lambda each: distance(each, drawer))
    assert near not in theirs
    done(service, "OpenObject", objectId=drawer, forceAction=True)
    lamp = next(each for each in theirs if each.startswith("DeskLamp"))
    kind, x, *rest = lamp.split("|")
    older = "|".join((kind, f"{float(x) + 0.02:+06.2f}", *rest))
    reply = done(service, "ToggleObjectOn", objectId=older, forceAction=True)
    assert older in {each["objectId"] for each in reply.metadata["objects"]}
    done(service, "Reset", sceneName="FloorPlan305")
    things = done(service, "Pass").metadata["objects"]
    written = [
        {"objectName": each["name"], "position": each["position"], "rotation": each["rotation"]}
        for each in things
        if each["pickupable"]
    ]
    again = done(service, "SetObjectPoses", objectPoses=written).metadata["objects"]
    assert {each["objectId"] for each in again} == ours


def test_kinds_are_named_as_the_version_names_them() -> None:
    for version, kind in ((2, "Glassbottle"), (5, "Bottle")):
        service = Service(30, 30, "FloorPlan10", version)
        assert service.answer({"action": "Pass"}).metadata["fov"] == (60 if version == 2 else 90)
        bottle = next(
            each["objectId"] for each in done(service, "Pass").metadata["objects"] if each["objectType"] == kind
        )
        reply = done(service, "PickupObject", objectId=bottle, forceAction=True)
        assert reply.metadata["inventoryObjects"] == [{"objectId": bottle, "objectType": kind}]
        assert bottle.startswith(f"{kind}|")


def test_an_error_of_ours_is_told_and_does_not_end_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Service(30, 30, "FloorPlan10")
    monkeypatch.setattr(service._world, "step", lambda action: 1 / 0)
    told = service.answer({"action": "MoveAhead"}).metadata
    assert (told["lastActionSuccess"], told["errorCode"]) == (False, "InternalError")
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_two_clients_do_not_meet() -> None:
    one, other = Service(30, 30, "FloorPlan10"), Service(30, 30, "FloorPlan10")
    before = done(other, "Pass")
    done(one, "RotateRight")
    after = done(other, "Pass")
    assert after.metadata["agent"] == before.metadata["agent"]
    assert np.array_equal(after.pictures["image"][0], before.pictures["image"][0])


def distance(one: str, other: str) -> float:
    points = [[float(part) for part in each.split("|")[1:4]] for each in (one, other)]
    return math.dist(*points)
