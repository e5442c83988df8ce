"""``chorewright say``: recorded demonstrations in words, other words for another seed, errors with their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.errors import UsageError
from chorewright.generator.alfred import saying
from tests.command import invoke

POSE = {"x": 0.0, "y": 0.9, "z": 0.0, "rotation": 0, "horizon": 30, "action": "TeleportFull"}


def recording(folder: Path, **changes: object) -> Path:
    """Write a small demonstration: a mug is taken from one place to another."""
    mug = {"objectName": "Mug_1", "position": {"x": 0.0, "y": 1.0, "z": 1.0}, "rotation": {"x": 0, "y": 0, "z": 0}}
    name = "Mug|+00.00|+01.00|+01.00"
    acts = [
        ("PickupObject", {"objectId": name}, {"objectId": name}),
        ("PutObject", {"objectId": name, "receptacleObjectId": "SinkBasin|0|0|0"}, {"objectId": name}),
    ]
    record: dict[str, object] = {
        "task_type": "pick_and_place_simple",
        "pddl_params": {
            "object_target": "Mug",
            "parent_target": "SinkBasin",
            "mrecep_target": "",
            "toggle_target": "",
            "object_sliced": False,
        },
        "scene": {"floor_plan": "FloorPlan1", "init_action": POSE, "object_poses": [mug]},
        "plan": {
            "high_pddl": [
                {"discrete_action": {"action": action, "args": []}, "planner_action": {"action": action, **act}}
                for action, act, _ in acts
            ],
            "low_actions": [
                {"high_idx": place, "discrete_action": {"action": action}, "api_action": {"action": action, **call}}
                for place, (action, _, call) in enumerate(acts)
            ],
        },
    }
    path = folder / "traj_data.json"
    path.write_text(json.dumps({**record, **changes}, indent=1), "utf-8")
    return path


def test_a_recording_in_words(tmp_path: Path) -> None:
    path = recording(tmp_path)
    shown = invoke(["say", str(path), "--annotators", "2", "--json"])
    assert shown.exit_code == 0, shown.output
    ((found),) = json.loads(shown.output)
    assert found["subgoals"] == ["PickupObject", "PutObject"]
    assert len(found["annotations"]) == 2
    assert all("sink" in f"{each['goal']} {each['steps']}" for each in found["annotations"])
    assert invoke(["say", str(path), "--annotators", "2", "--json"]).output == shown.output
    assert invoke(["say", str(path), "--annotators", "2", "--json", "--seed", "1"]).output != shown.output
    assert "1. " in invoke(["say", str(path)]).output


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"task_type": "juggle"}, "none of ALFRED's tasks"),
        ({"scene": {"floor_plan": "FloorPlan999"}}, "$.scene.floor_plan"),
        ({"plan": {}}, "'low_actions' is missing"),
    ],
)
def test_what_is_no_recording(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    shown = invoke(["say", str(recording(tmp_path, **changes))])
    assert shown.exit_code >= 30
    assert expected in shown.stderr
    assert "Traceback" not in shown.stderr


def test_usage(tmp_path: Path) -> None:
    path = recording(tmp_path)
    plan = tmp_path / "plan.txt"
    plan.write_text("(open fridge_1)\n", "utf-8")
    for words, expected in (
        ([str(tmp_path / "none.json")], "none.json"),
        ([str(path), "3"], "no dataset"),
        ([str(path), "--task", "alfred/pick_and_place_simple"], "plan files"),
        ([str(plan)], "needs its task"),
        ([str(path), "--seed", "-1"], "negative"),
    ):
        shown = invoke(["say", *words])
        assert (shown.exit_code, expected in shown.stderr) == (2, True), (words, shown.stderr)


def test_a_plan_is_said_of_the_task_slots_and_scene_that_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def say_plan(path: Path, *rest: object) -> object:
        asked.append((path.name, *rest))
        raise UsageError("enough")

    monkeypatch.setattr(saying, "say_plan", say_plan)
    path = tmp_path / "a.plan"
    path.write_text("(pickup a)", "utf-8")
    words = ["say", str(path), "--task", "look_at_obj_in_light"]
    more = ["--slot", "object=Mug", "--slot", "lamp=DeskLamp", "--scene", "FloorPlan301", "--scene-seed", "4"]
    for given in (words, [*words, *more, "--seed", "2", "--annotators", "5"]):
        assert invoke(given).exit_code == 2
    assert asked[0][:5] == ("a.plan", "look_at_obj_in_light", [], None, 0)
    slots = ["object=Mug", "lamp=DeskLamp"]
    assert asked[1] == ("a.plan", "look_at_obj_in_light", slots, "FloorPlan301", 4, 2, 5)
