"""Twenty-four scenes of a user's own, altered as real files are: each gives a dataset, or the right message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import InputError, InputErrors, UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.own_scenes import load_scenes
from chorewright.generator.production.benchmark import BENCHMARKS
from tests.generator.household.test_own_scenes import Metadata, metadata

Change = Callable[[Metadata], object]


def each(test: Callable[[dict[str, Any]], object]) -> Change:
    """A change of each object of the scene."""

    def change(made: Metadata) -> None:
        for record in made["objects"]:
            test(record)

    return change


def only(test: Callable[[dict[str, Any]], bool]) -> Change:
    """A scene of which only some objects are left."""

    def change(made: Metadata) -> None:
        made["objects"] = [record for record in made["objects"] if test(record)]

    return change


def without(*keys: str) -> Change:
    """A scene whose objects lack some keys."""
    return each(lambda record: [record.pop(key, None) for key in keys])


def renamed(*kinds: str) -> Change:
    """A scene in which kinds have names that nobody knows."""
    return each(lambda record: record.update(objectType=f"{record['objectType']}Mk2") if not kinds
                or record["objectType"] in kinds else None)  # fmt: skip


def moved(record: dict[str, Any], x: float = 100.0) -> None:
    for place in (record["position"], (record.get("axisAlignedBoundingBox") or {}).get("center")):
        if place:
            place["x"] += x


def far_away(made: Metadata) -> None:
    each(moved)(made)
    made["agent"]["position"]["x"] += 100.0
    for point in made["actionReturn"]:
        point["x"] += 100.0


def house(made: Metadata) -> None:
    """Two rooms side by side, with a row of points between them."""
    other = metadata("FloorPlan205")
    for record in other["objects"]:
        moved(record, 30.0)
        record["objectId"] += "|house"
        record["parentReceptacles"] = [f"{name}|house" for name in record["parentReceptacles"] or ()]
        record["receptacleObjectIds"] = [f"{name}|house" for name in record.get("receptacleObjectIds") or ()]
        record["controlledObjects"] = [f"{name}|house" for name in record.get("controlledObjects") or ()]
    for point in other["actionReturn"]:
        point["x"] += 30.0
    made["objects"] += other["objects"]
    first, second = (max(points, key=lambda point: sign * point["x"]) for points, sign in
                     ((made["actionReturn"], 1), (other["actionReturn"], -1)))  # fmt: skip
    x, z = first["x"], first["z"]
    step = 0.25 if second["z"] > z else -0.25
    while x < second["x"]:
        x += 0.25
        made["actionReturn"].append({**first, "x": x})
    while abs(z - second["z"]) > 0.1:
        z += step
        made["actionReturn"].append({**first, "x": x, "z": z})
    made["actionReturn"] += other["actionReturn"]


def duplicate(made: Metadata) -> None:
    made["objects"].append(dict(made["objects"][0]))


def crowded(made: Metadata) -> None:
    for record in [each for each in made["objects"] if each["pickupable"]]:
        for number in range(6):
            made["objects"].append({**record, "objectId": f"{record['objectId']}|{number}"})


def holding(made: Metadata) -> None:
    record = next(each for each in made["objects"] if each["objectType"] == "Mug")
    record["isPickedUp"] = True
    made["inventoryObjects"] = [{"objectId": record["objectId"], "objectType": "Mug"}]


def everything(**states: object) -> Change:
    return each(lambda record: record.update({key: value for key, value in states.items() if key in record}))


DATASET = ""
NO_TASK = "none of the tasks is possible in any of the rooms"
SCENES: dict[str, tuple[Change, str]] = {
    "as it is": (lambda made: None, DATASET),
    "some kinds unknown": (renamed("Kettle", "Pan", "Fridge"), DATASET),
    "all kinds unknown": (renamed(), NO_TASK),
    "agent off the points": (lambda made: made["agent"]["position"].update(x=40.0), DATASET),
    "agent askew": (lambda made: made["agent"].update(rotation={"x": 0, "y": 37.0, "z": 0}), DATASET),
    "no agent": (lambda made: made.pop("agent"), DATASET),
    "states missing": (without("isOpen", "isToggled", "isDirty", "rotation", "assetId", "temperature"), DATASET),
    "no parents": (without("parentReceptacles", "receptacleObjectIds"), DATASET),
    "no boxes": (without("axisAlignedBoundingBox", "objectOrientedBoundingBox"), "axisAlignedBoundingBox"),
    "no types": (without("objectType"), "'objectType' is missing"),
    "no reachable positions": (lambda made: made.update(lastAction="Pass", actionReturn=None), DATASET),
    "nowhere to stand": (lambda made: made.update(actionReturn=[]), "nobody can stand"),
    "floor and counter only": (only(lambda record: record["objectType"] in ("Floor", "CounterTop")), NO_TASK),
    "no objects": (only(lambda record: False), NO_TASK),
    "items only": (only(lambda record: record["pickupable"]), NO_TASK),
    "furniture only": (only(lambda record: not record["pickupable"]), NO_TASK),
    "one object twice": (duplicate, "is that of object 0 too"),
    "six copies of every item": (crowded, DATASET),
    "far from the origin": (far_away, DATASET),
    "a house of two rooms": (house, DATASET),
    "all open and running": (everything(isOpen=True, isToggled=True), DATASET),
    "all dirty, broken and used up": (everything(isDirty=True, isBroken=True, isUsedUp=True), DATASET),
    "a mug in the hand": (holding, DATASET),
    "a place that is no number": (
        each(lambda record: record["position"].update(x="left")),
        "expected a number from -100000 to 100000",
    ),
}


def made_in(path: Path) -> Episode | list[str]:
    """The first episode in a scene; or what is wrong, at which place."""
    try:
        files = load_scenes([str(path)]).files
        options = (("scenes", ("mine",)), ("tasks", ("alfred/pick_and_place_simple",)))
        config = GenerateConfig("alfred", 1, options=options, task_files=files)
        benchmark = BENCHMARKS.find("alfred")
        (assignment,) = benchmark.assign(config, 1)
        return benchmark.episode(0, config, assignment)
    except InputErrors as errors:
        return [str(error) for error in errors.errors]
    except InputError as error:
        return [str(error)]
    except UsageError as error:
        return [error.message]


@pytest.mark.parametrize("case", SCENES)
def test_a_scene_gives_a_dataset_or_the_right_message(case: str, tmp_path: Path) -> None:
    change, message = SCENES[case]
    made = metadata()
    change(made)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(made), "utf-8")
    found = made_in(path)
    if isinstance(found, Episode):
        assert message == DATASET
        assert found.outcome.accepted, found.rejections
        assert found.room.name == "mine"
    else:
        assert message
        assert any(message in each for each in found), found[:3]
        assert message == NO_TASK or all(str(path) in each for each in found)
