"""All that EB-ALFRED and LoTa-Bench call is answered as it should be, and all that they read has the right type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.originals.thor_env import Json
from chorewright.generator.alfred.export.exporter import trajectory
from chorewright.replay.household.server.service import Service
from tests.generator.alfred.served import CALLS, EVENT, METADATA, MOVES, OBJECT, SETTINGS, thing
from tests.generator.alfred.test_client import program
from tests.generator.alfred.test_thor_env import GATE, episode

__all__ = ["program"]
DOCUMENT = Path(__file__).parents[3] / "docs" / "alfworld.md"


def check(metadata: Json) -> None:
    """Check the fields of an event."""
    for name, types in METADATA.items():
        assert isinstance(metadata[name], types), name
    agent = metadata["agent"]
    assert {type(value) for part in ("position", "rotation") for value in agent[part].values()} == {float}
    assert isinstance(agent["cameraHorizon"], float)
    for each in metadata["objects"]:
        for name, types in OBJECT.items():
            assert isinstance(each[name], types), (each["objectId"], name)
        assert (each["receptacleObjectIds"] is not None) == each["receptacle"]
        assert set(each["position"]) == set(each["rotation"]) == set("xyz")
    for each in metadata["inventoryObjects"]:
        assert {"objectId", "objectType"} <= set(each)


@pytest.mark.parametrize("version", [2, 5], ids=["2.1.0", "5.0.0"])
def test_every_call_is_answered_as_it_should_be(version: int) -> None:
    scene = trajectory(episode(GATE[1]))["scene"]
    service = Service(300, 300, version=version)
    metadata: Json = service.answer({"action": "Initialize", "sceneName": scene["floor_plan"]}).metadata
    points: list[Json] = []
    for call in CALLS:
        if version not in call.versions:
            continue
        told = call.arguments({**metadata, "reachablePositions": points}, scene)
        reply = service.answer({"action": call.action, **told})
        metadata = reply.metadata
        assert metadata["lastActionSuccess"] is call.succeeds, (call.action, told, metadata["errorMessage"])
        assert metadata["lastAction"] == call.action
        assert bool(metadata["errorMessage"]) is not call.succeeds
        check(metadata)
        if call.action == "GetReachablePositions":
            points = metadata["actionReturn"]
            assert {frozenset(point) for point in points} == {frozenset("xyz")}
        if call.action == "SliceObject":
            pieces = [each for each in metadata["objects"] if "_Slice" in each["name"]]
            assert pieces
            assert all(each["pickupable"] and "Sliced" in each["objectId"] for each in pieces)
    assert set(reply.pictures) >= {"image", "image_ids"}
    for action in MOVES:
        assert any(service.answer({"action": action, **more}).metadata["lastActionSuccess"]
                   for more in ({"moveMagnitude": 0.25}, {}) for _ in range(4)
                   if service.answer({"action": "RotateRight"}).metadata["lastActionSuccess"]), action  # fmt: skip


def test_setting_all_poses_moves_nothing() -> None:
    """LoTa-Bench's newer code tells the poses of furniture, too."""
    service = Service(300, 300, version=5)
    before = service.answer({"action": "Initialize", "sceneName": "FloorPlan10"}).metadata["objects"]
    poses = [
        {"objectName": each["name"], "position": each["position"], "rotation": each["rotation"]} for each in before
    ]
    after = service.answer({"action": "SetObjectPoses", "objectPoses": poses}).metadata["objects"]
    told = {each["objectId"]: each for each in after}
    assert set(told) == {each["objectId"] for each in before}
    for one in before:
        two = told[one["objectId"]]
        assert one["position"] == pytest.approx(two["position"], abs=1e-3), one["objectId"]
        assert one["parentReceptacles"] == two["parentReceptacles"]


def test_the_page_names_all_of_it() -> None:
    text = DOCUMENT.read_text("utf-8")
    actions = {call.action for call in CALLS} | set(MOVES)
    assert all(f"`{name}`" in text for name in (*actions, *OBJECT, *METADATA, *EVENT))


@pytest.mark.slow
def test_events_of_the_client_have_pictures_boxes_and_colours(program: Path) -> None:
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    from chorewright.replay.household import controller

    driven = controller("FloorPlan10", local_executable_path=str(program), fieldOfView=60, width=300, height=300)
    try:
        event = driven.step("Initialize", **SETTINGS)
        assert all(hasattr(event, name) for name in EVENT)
        assert event.frame.shape == (300, 300, 3)
        assert event.frame.dtype == np.uint8
        assert event.instance_segmentation_frame.shape == (300, 300, 3)
        seen = {tuple(colour) for colour in event.instance_segmentation_frame.reshape(-1, 3).tolist()}
        assert seen & set(event.color_to_object_id)
        shown = thing(event.metadata, visible=True)["objectId"]
        left, top, right, bottom = event.instance_detections2D[shown]
        assert 0 <= left < right <= 300
        assert 0 <= top < bottom <= 300
    finally:
        driven.stop()
