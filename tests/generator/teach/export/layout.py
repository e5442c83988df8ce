"""A reader of TEACh's files of our own, as strict as the benchmark's loader and evaluation are.

It follows the description of the format: which keys each kind of interaction must have, which numbers actions
have, how a state is checked (custom metadata merged into the objects), how instances refer to their game.
Where the benchmark's code would raise a KeyError or IndexError later on, this reader does so at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TYPES = {
    **dict.fromkeys(range(14), "Motion"),
    **dict.fromkeys(range(100, 101), "Keyboard"),
    **dict.fromkeys((101, 102), "Audio"),
    **dict.fromkeys(range(200, 213), "ObjectInteraction"),
    300: "MapGoal",
    400: "ChangeCamera",
    401: "ChangeCamera",
    **dict.fromkeys((500, 501, 502), "ProgressCheck"),
}
REQUIRED = {
    "Motion": ("pose",),
    "Keyboard": ("utterance",),
    "Audio": ("utterance", "file_name"),
    "ObjectInteraction": ("x", "y", "oid"),
    "MapGoal": ("start_x", "start_y", "end_x", "end_y"),
    "ChangeCamera": (),
    "ProgressCheck": ("query",),
}
FOLLOWER = {0, 2, 3, 4, 5, 6, 7, 8, 9, 200, 201, 202, 203, 204, 205, 206, 211}
INDEX = {number: place for place, number in enumerate([
    *range(14), 300, *range(200, 213), 400, 401, 500, 501, 502, 100, 101, 102,
])}  # fmt: skip


@dataclass(frozen=True)
class Loaded:
    """A game that can be played: its task, both states as the checker sees them, and the interactions."""

    game: str
    task: str
    params: list[str]
    initial: list[dict[str, Any]]
    final: list[dict[str, Any]]
    interactions: list[dict[str, Any]]
    document: dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_text("utf-8"))
    assert isinstance(value, dict)
    return value


def load_game(path: Path) -> Loaded:
    document = read(path)
    assert document["version"] == "2.0"
    assert document["task_type"] == "eqa_complex"
    defined = {each["action_id"]: each["action_type"] for each in document["definitions"]["actions"]}
    assert {number: kind for number, kind in defined.items() if number in TYPES} == TYPES
    names = {each["agent_id"]: each["agent_name"] for each in document["definitions"]["agents"]}
    assert names == {0: "Commander", 1: "Driver"}
    (task,) = document["tasks"]
    check_task(task)
    (episode,) = task["episodes"]
    assert episode["episode_id"] == path.name.removesuffix(".game.json")
    assert episode["world"].startswith("FloorPlan")
    assert episode["world"].endswith("_physics")
    assert episode["world_type"] in ("Kitchen", "Living room", "Bedroom", "Bathroom")
    assert episode["commander_embodied"] in ("False", "True")
    check_interactions(episode["interactions"])
    return Loaded(
        episode["episode_id"],
        task["task_name"],
        task["task_params"],
        load_state(episode["initial_state"]),
        load_state(episode["final_state"]),
        episode["interactions"],
        document,
    )


def check_task(task: dict[str, Any]) -> None:
    assert isinstance(task["task_id"], int)
    assert isinstance(task["task_name"], str)
    assert len(task["task_params"]) == task["task_nparams"]
    assert all(isinstance(each, str) for each in task["task_params"])
    assert task["task_anchor_object"] is None or isinstance(task["task_anchor_object"], str)
    assert isinstance(task["desc"], str)
    assert isinstance(task["relations"], list)
    for component in task["components"].values():
        assert isinstance(component["determiner"], str)
        if "task_name" in component:
            assert isinstance(component["task_params"], list)
            if "task" in component:
                check_task(component["task"])
        else:
            assert component["primary_condition"] in component["conditions"]
            assert isinstance(component["instance_shareable"], bool)
            assert isinstance(component["condition_failure_descs"], dict)
    for relation in task["relations"]:
        assert len(relation["tail_entity_list"]) == len(relation["tail_determiner_list"]) == 1
        assert len(relation["head_entity_list"]) == len(relation["head_determiner_list"])
        assert relation["property"] == "parentReceptacles"


def load_state(state: dict[str, Any]) -> list[dict[str, Any]]:
    camera, agent = state["agents"]
    for each in (camera, agent):
        assert set(each["position"]) == set(each["rotation"]) == {"x", "y", "z"}
    assert isinstance(agent["cameraHorizon"], int | float)
    assert isinstance(state["time_start"], int | float)
    custom = state["custom_object_metadata"]
    merged = [{**thing, **custom.get(thing["objectId"], {})} for thing in state["objects"]]
    for thing in merged:
        assert isinstance(thing["objectType"], str)
        if thing["isSliced"]:
            continue  # AI2-THOR still tells of it, TEACh's wrapper does not
        assert isinstance(thing["simbotObjectClass"], list)
        assert set(thing["position"]) == {"x", "y", "z"}
    assert set(custom) <= {thing["objectId"] for thing in merged}
    return merged


def check_interactions(interactions: list[dict[str, Any]]) -> None:
    times = [each["time_start"] for each in interactions]
    assert times == sorted(times)
    for each in interactions:
        kind = TYPES[each["action_id"]]
        assert each["agent_id"] in (0, 1)
        assert each["success"] in (0, 1)
        assert each["duration"] >= 0
        for key in REQUIRED[kind]:
            assert key in each, (kind, key)
        if kind == "Motion":
            assert len(each["pose"]) == 6
            assert len(each.get("pose_delta", [0] * 6)) == 6
        elif kind == "ObjectInteraction":
            assert 0 <= each["x"] < 1
            assert 0 <= each["y"] < 1
        if kind == "ProgressCheck":
            assert each["agent_id"] == 0
        if kind in ("Motion", "ObjectInteraction") and each["agent_id"] == 1:
            assert each["action_id"] in FOLLOWER


def load_edh(path: Path, games: Path) -> tuple[dict[str, Any], Loaded]:
    """Read an EDH instance with its game, and check that it is a part of it."""
    instance = read(path)
    split = path.parent.name
    game = load_game(games / split / f"{instance['game_id']}.game.json")
    assert instance["instance_id"] == path.name.removesuffix(".json")
    start = instance["pred_start_idx"]
    interactions = instance["interactions"]
    assert interactions == game.interactions[: len(interactions)]
    spoken = [each for each in interactions[:start] if each["action_id"] == 100]
    names = ["Commander", "Driver"]
    assert instance["dialog_history"] == [[names[each["agent_id"]], each["utterance"]] for each in spoken]
    assert spoken, "an instance has something said before it"
    future = interactions[start:]
    check_actions(instance["driver_actions_future"], future)
    check_actions(instance["driver_action_history"], interactions[:start], stop=False)
    assert any(each["obj_interaction_action"] for each in instance["driver_actions_future"])
    for name in ("init_state_diff", "final_state_diff", "state_changes"):
        assert set(instance[name]) == {"agents", "objects"}
    assert isinstance(instance["history_subgoals"], list)
    assert isinstance(instance["future_subgoals"], list)
    assert instance["expected_init_goal_conditions_satisfied"] <= instance["expected_init_goal_conditions_total"]
    return instance, game


def load_tfd(path: Path, games: Path) -> tuple[dict[str, Any], Loaded]:
    """Read a TfD instance with its game, and check that it is all of it."""
    instance = read(path)
    game = load_game(games / path.parent.name / f"{instance['game_id']}.game.json")
    assert instance["instance_id"] == path.name.removesuffix(".json")
    names = ["Commander", "Driver"]
    spoken = [each for each in game.interactions if each["action_id"] == 100]
    assert instance["dialog_history"] == [[names[each["agent_id"]], each["utterance"]] for each in spoken]
    check_actions(instance["driver_actions_future"], game.interactions)
    return instance, game


def check_actions(actions: list[dict[str, Any]], interactions: list[dict[str, Any]], stop: bool = True) -> None:
    """Check that a list of actions is what the Driver did in its surroundings, with Stop at the end."""
    did = [each for each in interactions if each["agent_id"] == 1 and TYPES[each["action_id"]] in (
        "Motion", "ObjectInteraction",
    )]  # fmt: skip
    if stop:
        *actions, last = actions
        assert (last["action_id"], last["action_name"], last["action_idx"]) == (0, "Stop", 0)
    assert [each["action_id"] for each in actions] == [each["action_id"] for each in did]
    for action, interaction in zip(actions, did, strict=True):
        assert action["action_idx"] == INDEX[action["action_id"]]
        assert action["time_start"] == interaction["time_start"]
        assert action["oid"] == interaction.get("oid")
        assert action["obj_interaction_action"] == int(action["action_id"] >= 200)
