"""Exported files beside those of TEACh's recorder, field by field; the pictures that they name."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image

from benchmarks.corpora.reference import sample
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.generator.teach.export.exporter import documents, draw_images, subgoals
from chorewright.generator.teach.export.session import session
from tests.generator.teach.episodes import TASKS, episode

MORE = {
    "utterance": {"corrected_utterance", "da_metadata"},
    "instance": {"dialog_history_cleaned", "dialog_history_with_das"},
}
"""What released files have and the sample's does not."""

LOCOMOTION = {2: (1, 0), 3: (-1, 0), 8: (0, 1), 9: (0, -1)}
"""Steps (ahead, to the left) of motions."""


@cache
def files() -> dict[str, Any]:
    """Return an exported session's files by kind; of EDH, a list."""
    found: dict[str, Any] = {"edh": []}
    for (kind, _, _), document in documents(episode(*TASKS[0])):
        plain = json.loads(json.dumps(document))
        if kind == "edh_instances":
            found["edh"].append(plain)
        else:
            found[kind] = plain
    return found


def recorded(pattern: str) -> dict[str, Any]:
    path = next(path for path in sample("teach/sample_data").rglob(pattern) if "__" not in path.name)
    value = json.loads(path.read_text("utf-8"))
    assert isinstance(value, dict)
    return value


def kinds(value: object) -> str:
    """Return the name of a value's type; an integer is none of the other numbers."""
    return type(value).__name__


def assert_like(ours: dict[str, Any], theirs: dict[str, Any], more: frozenset[str] | set[str] = frozenset()) -> None:
    """Compare the keys of two documents and the types of their plain values, where both have one."""
    assert set(theirs) <= set(ours)
    assert set(ours) - set(theirs) <= set(more), set(ours) - set(theirs)
    for key, value in theirs.items():
        if value is not None and ours[key] is not None:
            assert kinds(ours[key]) == kinds(value), key


def by_action(interactions: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {each["action_id"]: each for each in interactions}


def test_interactions_are_written_as_the_recorder_writes_them() -> None:
    theirs = by_action(recorded("*.game.json")["tasks"][0]["episodes"][0]["interactions"])
    ours = by_action(files()["games"]["tasks"][0]["episodes"][0]["interactions"])
    assert len({*ours} & {*theirs}) >= 5
    for number, each in theirs.items():
        if number in ours:
            assert_like(ours[number], each, MORE["utterance"] if "utterance" in each else frozenset())
    motion, other = ours[2], theirs[2]
    assert [kinds(value) for value in motion["pose_delta"]] == [kinds(value) for value in other["pose_delta"]]
    assert [kinds(motion["pose"][place]) for place in (0, 1, 2, 3)] == ["float", "float", "float", "int"]
    everything = files()["games"]["tasks"][0]["episodes"][0]["interactions"]
    assert {each["duration"] for each in everything} == {1}


def test_poses_are_ahead_left_and_up_with_the_turn_to_the_left() -> None:
    """A pose tells the same place as the states do, and differs from the one before by what the motion does."""
    states = files()["games"]["tasks"][0]["episodes"][0]
    agent = states["final_state"]["agents"][1]
    x, y, z = (agent["position"][axis] for axis in "xyz")
    poses = [(each["action_id"], each["pose"]) for each in states["interactions"] if "pose" in each]
    assert poses[-1][1] == pytest.approx([z, -x, y, 0, agent["cameraHorizon"], -agent["rotation"]["y"]])
    moved = 0
    for (_, before), (number, after) in pairwise(poses):
        if number in LOCOMOTION:
            ahead, left = LOCOMOTION[number]
            turn = np.radians(before[5])
            step = 0.25 * (
                ahead * np.array([np.cos(turn), np.sin(turn)]) + left * np.array([-np.sin(turn), np.cos(turn)])
            )
            assert np.array(after[:2]) - np.array(before[:2]) == pytest.approx(step, abs=1e-4)
            moved += 1
        else:
            assert after[:3] == before[:3]
    assert moved > 5


def test_instances_have_the_fields_of_the_recorders() -> None:
    theirs, ours = recorded("*.edh0.json"), files()["edh"][0]
    assert_like(ours, theirs, MORE["instance"])
    for key in ("driver_actions_future", "interactions"):
        known = by_action(theirs[key])
        for number, each in by_action(ours[key]).items():
            if number in known:
                assert_like(each, known[number], MORE["utterance"])
    assert_like(files()["tfd_instances"], recorded("*.tfd.json"), MORE["instance"])


def test_states_have_the_wrappers_notes_from_the_action_on_that_makes_them() -> None:
    theirs = recorded("*.game.json")["tasks"][0]["episodes"][0]
    ours = files()["games"]["tasks"][0]["episodes"][0]
    assert kinds(ours["initial_state"]["time_start"]) == kinds(theirs["initial_state"]["time_start"])
    for state in ("initial_state", "final_state"):
        for own, other in zip(ours[state]["agents"], theirs[state]["agents"], strict=True):
            assert_like(own, other)
        known = {key: kinds(value) for notes in theirs[state]["custom_object_metadata"].values()
                 for key, value in notes.items()}  # fmt: skip
        for notes in ours[state]["custom_object_metadata"].values():
            for key, value in notes.items():
                if value is not None and key in known:
                    assert kinds(value) == known[key], key
        for thing in ours[state]["objects"]:
            missing = set(theirs[state]["objects"][0]) - set(thing)
            assert missing <= {"ObjectTemperature", *known}
    start = ours["initial_state"]["custom_object_metadata"].values()
    assert not any(
        {"simbotLastParentReceptacle", "simbotIsReceptacleOf", "simbotPickedUp"} & set(notes) for notes in start
    )
    mug = next(each["oid"] for each in reversed(ours["interactions"]) if each["action_id"] == 200)
    place = next(each["oid"] for each in reversed(ours["interactions"]) if each["action_id"] == 201)
    final = ours["final_state"]["custom_object_metadata"]
    assert final[mug]["simbotPickedUp"] == 1
    assert final[mug]["simbotLastParentReceptacle"] == place
    assert mug in final[place]["simbotIsReceptacleOf"]


def test_dialogue_comes_with_its_acts() -> None:
    for instance in (*files()["edh"], files()["tfd_instances"]):
        lines = zip(
            instance["dialog_history"],
            instance["dialog_history_cleaned"],
            instance["dialog_history_with_das"],
            strict=True,
        )
        for (speaker, text), cleaned, (again, acts) in lines:
            assert cleaned == [speaker, text]
            assert again == speaker
            assert acts.startswith("<<")
            assert re.sub(r"<<[^<>]+>> ", "", acts) == text
    said = [each for each in files()["games"]["tasks"][0]["episodes"][0]["interactions"] if "utterance" in each]
    for each in said:
        acts, parts = each["da_metadata"]["das"], each["da_metadata"]["text_segments"]
        assert len(acts) == len(parts) == 3
        assert [bool(act) for act in acts] == [bool(part) for part in parts]
        assert acts[0]
        assert " ".join(parts).split() == each["corrected_utterance"].split()


@pytest.mark.parametrize("count", range(5))
def test_an_utterance_has_room_for_three_acts(count: int) -> None:
    """What is said after the third part joins it; an utterance without acts has none."""
    acts = [[f"Act{number}", f"part {number}."] for number in range(count)]
    text = " ".join(part for _, part in acts) or "hm"
    entry = {"before": 0, "time": 0.5, "duration": 1.0, "agent": 0, "action": "Text", "text": text, "acts": acts}
    one = replace(episode(*TASKS[0]), extras=(("dialogue", json.dumps([entry])),))
    first = session(one, shipped_definitions()).interactions[0].document
    told = json.loads(json.dumps(first["da_metadata"]))
    assert told["das"] == [*(f"Act{number}" for number in range(min(count, 3))), *[""] * (3 - min(count, 3))]
    assert " ".join(part for part in told["text_segments"] if part) == (text if count else "")


def test_what_fails_has_no_object() -> None:
    one = episode(*TASKS[0])
    number = next(place for place, step in enumerate(one.steps) if step.action == "Place")
    wrong = replace(one.steps[number], success=False, arguments=one.steps[number].arguments.replace("|", "/"))
    steps = (*one.steps[:number], wrong, *one.steps[number:])
    played = session(replace(one, steps=steps, extras=()), shipped_definitions()).interactions
    assert (played[number].document["success"], played[number].document["oid"]) == (0, None)
    assert played[number + 1].document["success"] == 1
    assert subgoals(played) == subgoals([*played[:number], *played[number + 1 :]])


def test_each_action_names_the_picture_before_it() -> None:
    for instance in (*files()["edh"], files()["tfd_instances"]):
        for actions, images in (
            ("driver_action_history", "driver_image_history"),
            ("driver_actions_future", "driver_images_future"),
        ):
            if actions in instance:
                names = [f"driver.frame.{each['time_start']}.jpeg" for each in instance[actions]]
                assert instance[images] == names


def test_pictures_are_drawn_under_the_names_that_instances_give_them() -> None:
    one = episode(*TASKS[0])
    drawn = dict(draw_images(one, session(one, shipped_definitions())))
    named = {name for instance in (*files()["edh"], files()["tfd_instances"])
             for key in ("driver_image_history", "driver_images_future") for name in instance.get(key, ())}  # fmt: skip
    assert named <= set(drawn)
    assert "driver.frame.end.jpeg" in drawn
    pictures = {name: np.asarray(Image.open(io.BytesIO(drawn[name]))) for name in sorted(named)[:8]}
    assert {picture.shape for picture in pictures.values()} == {(900, 900, 3)}
    assert len({picture.tobytes() for picture in pictures.values()}) > 1
    assert max(picture.std() for picture in pictures.values()) > 20
