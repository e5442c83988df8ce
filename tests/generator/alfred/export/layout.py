"""A strict checker of ``traj_data.json``, written from the description of the format, not from our writer."""

from __future__ import annotations

import re
from collections.abc import Mapping

TASKS = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_and_place_with_movable_recep",
    "pick_clean_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_two_obj_and_place",
)
TOP = {"images", "pddl_params", "plan", "scene", "task_id", "task_type", "turk_annotations", "template"}
PARAMS = {"mrecep_target", "object_sliced", "object_target", "parent_target", "toggle_target"}
SCENE = {"dirty_and_empty", "floor_plan", "init_action", "object_poses", "object_toggles", "random_seed", "scene_num"}
INIT = {"action", "horizon", "rotateOnTeleport", "rotation", "x", "y", "z"}
COORDINATES = ("coordinateObjectId", "coordinateReceptacleObjectId")
PLANNED = {  # action: (keys it has, keys it may have) beside "action"
    "GotoLocation": ({"location"}, set()),
    "PickupObject": ({"objectId", "forceVisible", COORDINATES[0]}, {COORDINATES[1]}),
    "PutObject": ({"objectId", "receptacleObjectId", "forceVisible", *COORDINATES}, set()),
    "SliceObject": ({"objectId", "forceVisible", COORDINATES[0]}, set()),
    "ToggleObject": ({"objectId", "forceVisible", *COORDINATES}, set()),
    "CleanObject": ({"objectId", "cleanObjectId", "forceVisible", *COORDINATES}, set()),
    "HeatObject": ({"objectId", "forceVisible", COORDINATES[1]}, set()),
    "CoolObject": ({"objectId", "forceVisible", COORDINATES[1]}, set()),
    "End": ({"value"}, set()),
}
ARGS = {
    "GotoLocation": 1,
    "PickupObject": 1,
    "PutObject": 2,
    "SliceObject": 1,
    "ToggleObject": 1,
    "CleanObject": 1,
    "HeatObject": 1,
    "CoolObject": 1,
    "NoOp": 0,
}
API = {
    "MoveAhead_25": {"action", "moveMagnitude", "forceAction"},
    "RotateLeft_90": {"action", "forceAction"},
    "RotateRight_90": {"action", "forceAction"},
    "LookUp_15": {"action", "forceAction"},
    "LookDown_15": {"action", "forceAction"},
    "OpenObject": {"action", "objectId"},
    "CloseObject": {"action", "objectId"},
    "PickupObject": {"action", "objectId"},
    "SliceObject": {"action", "objectId"},
    "PutObject": {"action", "objectId", "receptacleObjectId", "forceAction", "placeStationary"},
    "ToggleObjectOn": {"action", "objectId"},
    "ToggleObjectOff": {"action", "objectId"},
}
OBJECT_ID = re.compile(r"[A-Za-z]+(\|[+-]?\d+\.\d+){3}(\|[A-Za-z]+(_\d+)?)?")


def check_path(parts: tuple[str, ...], data: Mapping) -> None:
    """Check the folders of a trajectory against its content."""
    split, *folder, trial, name = parts
    assert name == "traj_data.json"
    assert trial == data["task_id"]
    if split.startswith("tests"):
        assert not folder
        return
    params = data["pddl_params"]
    task, thing, movable, place, number = folder[0].split("-")
    assert task == data["task_type"]
    assert thing == params["object_target"] + ("Sliced" if params["object_sliced"] else "")
    assert movable == (params["mrecep_target"] or "None")
    assert place == (params["toggle_target"] or params["parent_target"])
    assert int(number) == data["scene"]["scene_num"]


def check_trajectory(data: Mapping) -> None:
    """Check one trajectory: key sets, types, ranges, cross references; and what the readers rely on."""
    assert set(data) == TOP
    assert re.fullmatch(r"trial_T\d{8}_\d{6}_\d{6}", data["task_id"])
    assert data["task_type"] in TASKS
    _check_params(data["pddl_params"], data["task_type"])
    _check_scene(data["scene"], data["task_type"])
    high, low = data["plan"]["high_pddl"], data["plan"]["low_actions"]
    assert set(data["plan"]) == {"high_pddl", "low_actions"}
    for number, action in enumerate(high):
        _check_high(action, number, last=number == len(high) - 1)
    for action in low:
        _check_low(action, len(high))
    of_low = [action["high_idx"] for action in low]
    assert of_low == sorted(of_low)
    assert set(of_low) == set(range(len(high) - 1))  # every subgoal but the end has an action
    _check_images(data["images"], low)
    annotations = data["turk_annotations"]["anns"]
    assert set(data["turk_annotations"]) == {"anns"}
    assert len(annotations) >= 3
    for annotation in annotations:
        assert set(annotation) == {"assignment_id", "task_desc", "high_descs", "votes"}
        assert annotation["task_desc"]
        assert len(annotation["high_descs"]) + 1 == len(high)  # preprocess.py
        assert all(annotation["high_descs"])
    template = data["template"]
    assert set(template) == {"task_desc", "high_descs"}
    assert all(template["high_descs"][index] for index in of_low)  # replay_checks.py


def _check_params(params: Mapping, task: str) -> None:
    assert set(params) == PARAMS
    assert isinstance(params["object_sliced"], bool)
    assert params["object_target"]
    assert not params["object_target"].endswith("Sliced")
    assert bool(params["toggle_target"]) == (task == "look_at_obj_in_light")
    assert bool(params["parent_target"]) == (task != "look_at_obj_in_light")
    assert bool(params["mrecep_target"]) == (task == "pick_and_place_with_movable_recep")


def _check_scene(scene: Mapping, task: str) -> None:
    assert set(scene) == SCENE
    assert scene["floor_plan"] == f"FloorPlan{scene['scene_num']}"
    assert isinstance(scene["random_seed"], int)
    assert scene["dirty_and_empty"] is (task == "pick_clean_then_place_in_recep")
    assert bool(scene["object_toggles"]) == (task == "look_at_obj_in_light")
    for toggle in scene["object_toggles"]:
        assert set(toggle) == {"objectType", "isOn"}
        assert toggle["isOn"] is False
    init = scene["init_action"]
    assert set(init) == INIT
    assert (init["action"], init["rotateOnTeleport"], init["horizon"]) == ("TeleportFull", True, 30)
    assert init["rotation"] in (0, 90, 180, 270)
    assert all(isinstance(init[axis], float) and (init[axis] * 4) % 1 == 0 for axis in "xz")
    assert scene["object_poses"]
    for pose in scene["object_poses"]:
        assert set(pose) == {"objectName", "position", "rotation"}
        assert re.fullmatch(r"[A-Za-z]+_[0-9a-f]{8}", pose["objectName"])
        for key in ("position", "rotation"):
            assert set(pose[key]) == {"x", "y", "z"}
            assert all(isinstance(value, float) for value in pose[key].values())


def _check_high(action: Mapping, number: int, last: bool) -> None:
    assert set(action) == {"discrete_action", "high_idx", "planner_action"}
    assert action["high_idx"] == number
    name, args = action["discrete_action"]["action"], action["discrete_action"]["args"]
    assert len(args) == ARGS[name]
    assert all(arg and arg == arg.lower() and not arg.endswith("sliced") for arg in args)
    planned = action["planner_action"]
    assert planned["action"] == ("End" if name == "NoOp" else name)
    assert (name == "NoOp") == last
    needed, possible = PLANNED[planned["action"]]
    assert needed <= set(planned) - {"action"} <= needed | possible
    if "location" in planned:
        assert re.fullmatch(r"loc\|-?\d+\|-?\d+\|[0-3]\|-?\d+", planned["location"])
    for key in ("objectId", "receptacleObjectId", "cleanObjectId"):
        assert key not in planned or OBJECT_ID.fullmatch(planned[key])
    for key in COORDINATES:
        if key in planned:
            kind, box = planned[key]
            assert isinstance(kind, str)
            assert len(box) == 6
            assert box[::2] == box[1::2]
            assert all(isinstance(value, float) for value in box)
    if last:
        assert planned["value"] == 1


def _check_pointed(args: Mapping) -> None:
    """Box, point and run-length mask agree with each other, as in ALFRED's own files."""
    assert set(args) == {"bbox", "point", "mask"}
    flat = [False] * 90_000
    for start, length in args["mask"]:
        assert length > 0
        assert not any(flat[start : start + length])
        flat[start : start + length] = [True] * length
    shown = [(place % 300, place // 300) for place, inside in enumerate(flat) if inside]
    assert len(flat) == 90_000
    assert len(shown) >= 14
    xs, ys = [x for x, _ in shown], [y for _, y in shown]
    assert args["bbox"] == [min(xs), min(ys) + 1, max(xs), max(ys) + 1]
    assert tuple(args["point"]) in set(shown)
    assert [start for start, _ in args["mask"]] == sorted(start for start, _ in args["mask"])


def _check_low(action: Mapping, count: int) -> None:
    assert set(action) == {"api_action", "discrete_action", "high_idx"}
    assert 0 <= action["high_idx"] < count - 1
    api, discrete = action["api_action"], action["discrete_action"]
    assert set(discrete) == {"action", "args"}
    if discrete["args"]:
        assert "objectId" in api
        _check_pointed(discrete["args"])
    assert set(api) == API[discrete["action"]]
    assert api["action"] == discrete["action"].partition("_")[0]


def _check_images(images: list, low: list) -> None:
    assert [image["image_name"] for image in images] == [f"{index:09d}.png" for index in range(len(images))]
    of_image = [image["low_idx"] for image in images]
    assert of_image == sorted(of_image)
    assert set(of_image) == set(range(len(low)))
    assert all(set(image) == {"high_idx", "image_name", "low_idx"} for image in images)
    assert all(image["high_idx"] == low[image["low_idx"]]["high_idx"] for image in images)
