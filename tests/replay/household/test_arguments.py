"""Arguments of clients' actions: refused as AI2-THOR's dispatcher refuses them, and what they do as the page says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.shipped.thor_arguments import page
from chorewright.problems.household.houses.reading import house_record
from chorewright.problems.household.houses.source import named_house
from chorewright.replay.household.refusals import Refusal
from chorewright.replay.household.server.arguments import load_arguments, parameters, signature_of
from chorewright.replay.household.server.service import Service
from chorewright.replay.household.world import INTERACTIONS, MOTIONS
from chorewright.replay.simulator import SimulatorAction
from tests.command import ROOT
from tests.replay.household.toy import EGG, MUG, run, world

SOURCES = "".join(
    path.read_text(encoding="utf-8") for path in sorted(Path(ROOT, "chorewright/replay/household").rglob("*.py"))
)
NAMES = [name for names in load_arguments().actions for name in names.split(", ")]


def told(service: Service, action: str, **arguments: object) -> dict[str, Any]:
    return dict(service.answer({"action": action, **arguments}).metadata)


def done(service: Service, action: str, **arguments: object) -> dict[str, Any]:
    metadata = told(service, action, **arguments)
    assert metadata["lastActionSuccess"], (action, metadata["errorMessage"])
    return metadata


def thing(metadata: Mapping[str, Any], object_id: str) -> Mapping[str, Any]:
    return next(each for each in metadata["objects"] if each["objectId"] == object_id)


@pytest.fixture
def kitchen() -> Service:
    return Service(30, 30, "FloorPlan1")


def test_the_page_is_the_table() -> None:
    assert (ROOT / "docs" / "thor_arguments.md").read_text(encoding="utf-8") == page()


def test_every_action_is_in_the_table(kitchen: Service) -> None:
    assert len(NAMES) == len(set(NAMES))
    assert set(NAMES) == {*MOTIONS, *INTERACTIONS, *kitchen._known}


class Recorder(dict[str, Any]):
    """Arguments that remember which of them were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return super().__contains__(name)


def usual(kind: str, name: str) -> object:
    """A value that an argument can have."""
    special = {"fillLiquid": "water", "moveMagnitude": 0.5, "objectType": "Mug", "StateChange": "CanBeDirty"}
    if name in special:
        return special[name]
    if kind.endswith("[]"):
        return []
    plain = {"String": MUG, "Single": 0.5, "Int32": 1, "Boolean": True, "Vector3": {"x": 0.0, "y": 0.9, "z": 0.55}}
    return plain.get(kind.removesuffix("?"), {"stateChange": "openable", "isOpen": True})


@pytest.mark.parametrize("name", sorted({*MOTIONS, *INTERACTIONS}))
@pytest.mark.parametrize("held", ["", EGG])
def test_idle_arguments_are_not_read_and_others_are(name: str, held: str) -> None:
    signature = signature_of(name)
    assert signature is not None
    ways = [parameters(text) for text in signature.calls] or [
        tuple(each for field, kind in signature.reads.items() for each in parameters(f"{kind} {field}"))
    ]
    for way in ways:
        made = world()
        if held:
            run(made, f"PickupObject {held}")
        arguments = Recorder({each.name: usual(each.kind, each.name) for each in way})
        effect = MOTIONS.get(name) or INTERACTIONS[name]
        with suppress(Refusal):
            effect(made.room, SimulatorAction(name, arguments))
        assert not arguments.read & set(signature.idle), (name, arguments.read)
        for each in way:
            assert each.name in signature.idle or f'"{each.name}"' in SOURCES or each.name in "xyz", (name, each.name)


@pytest.mark.parametrize("name", [name for name in NAMES if signature_of(name).calls])
def test_unknown_names_are_refused_with_the_dispatchers_message(name: str) -> None:
    service = Service(30, 30, "FloorPlan401", 5)
    metadata = told(service, name, bogus=1, agentId=0, renderImage=True)
    assert (metadata["lastActionSuccess"], metadata["errorCode"]) == (False, "InvalidArgument")
    said = metadata["errorMessage"]
    assert f"Action: \"{name}\" called with invalid argument: 'bogus'\n\tExpected arguments: " in said
    assert "\n\tYour arguments: 'bogus'\n\tValid ways to call" in said
    older = told(Service(30, 30, "FloorPlan401", 2), name, bogus=1)
    assert "bogus" not in older["errorMessage"], "build 2 takes any field"


@pytest.mark.parametrize(
    ("action", "arguments", "code", "says"),
    [
        ("MoveAhead", {"moveMagnitude": "far"}, "InvalidArgument",
         "action: MoveAhead has an invalid argument: moveMagnitude (==far). Cannot convert to: float"),
        ("PickupObject", {}, "MissingArguments", "action: PickupObject is missing the following arguments: objectId"),
        ("PickupObject", {"x": 0.5}, "MissingArguments", "action: PickupObject is missing the following arguments: y"),
        ("Teleport", {"position": 3, "x": 1}, "InvalidArgument", "called with invalid argument"),
        ("OpenObject", {"objectId": "a", "openness": 1.2}, "InvalidArgument", "got 1.2, which is not a valid"),
        ("LookUp", {"degrees": -30}, "InvalidArgument", "-30, which is not a valid value of degrees"),
        ("LookUp", {"degrees": 0.0, "bogus": 3}, "", ""),
        ("InitialRandomSpawn", {"numPlacementAttempts": 0}, "InvalidArgument", "numPlacementAttempts"),
        ("InitialRandomSpawn", {"excludedObjectIds": "Mug"}, "InvalidArgument", "Cannot convert to: String[]"),
        ("Initialize", {"agentMode": "arm"}, "InvalidArgument", "agentMode 'arm' is not supported"),
        ("Initialize", {"movementGaussianSigma": -1}, "InvalidArgument", "movementGaussianSigma"),
        ("RandomizeLighting", {"brightness": [2, 1]}, "InvalidArgument", "brightness"),
        ("ThrowObject", {}, "MissingArguments", "moveMagnitude"),
    ],
)  # fmt: skip
def test_types_ranges_and_absent_arguments(
    kitchen: Service, action: str, arguments: dict[str, object], code: str, says: str
) -> None:
    metadata = told(kitchen, action, **arguments)
    assert metadata["errorCode"] == code, metadata["errorMessage"]
    assert says in metadata["errorMessage"]


def test_what_is_open_may_be_open_in_part(kitchen: Service) -> None:
    fridge = next(each["objectId"] for each in told(kitchen, "Pass")["objects"] if each["objectType"] == "Fridge")
    for openness in (0.3, 0.7, 1.0, 0.2):
        now = thing(done(kitchen, "OpenObject", objectId=fridge, openness=openness, forceAction=True), fridge)
        assert (now["isOpen"], now["openness"]) == (True, openness)
    again = told(kitchen, "OpenObject", objectId=fridge, openness=0.2, forceAction=True)
    assert again["errorMessage"] == f"{fridge} is already open."
    now = thing(done(kitchen, "OpenObject", objectId=fridge, openness=0.0, forceAction=True), fridge)
    assert (now["isOpen"], now["openness"]) == (False, 0.0)
    assert thing(done(kitchen, "OpenObject", objectId=fridge, forceAction=True), fridge)["openness"] == 1.0
    assert thing(done(kitchen, "CloseObject", objectId=fridge, forceAction=True), fridge)["openness"] == 0.0


def test_a_door_that_is_hardly_open_lets_nobody_through() -> None:
    service = Service(30, 30, "house:3", 5)
    doors = [
        each for each in told(service, "Pass")["objects"] if each["objectId"].startswith("door|") and each["isOpen"]
    ]
    door = next(each["objectId"] for each in doors if each["openable"])
    points = {}
    for openness in (1.0, 0.3, 0.0, 0.6):
        told(service, "OpenObject", objectId=door, openness=openness, forceAction=True)
        now = thing(told(service, "Pass"), door)
        assert (now["isOpen"], now["openness"]) == (openness > 0, openness)
        points[openness] = len(done(service, "GetReachablePositions")["actionReturn"])
    assert points[1.0] == points[0.6] >= points[0.3] == points[0.0]


def test_what_is_excluded_from_a_spawn_stays(kitchen: Service) -> None:
    before = {each["objectId"]: each["position"] for each in told(kitchen, "Pass")["objects"] if each["pickupable"]}
    mug = next(name for name in before if name.startswith("Mug|"))
    after = done(
        kitchen, "InitialRandomSpawn", randomSeed=4, excludedObjectIds=[name for name in before if name != mug]
    )
    now = {each["objectId"]: each["position"] for each in after["objects"] if each["pickupable"]}
    assert len(now) == len(before)
    assert {name for name in before if now.get(name) != before[name]} == {mug}


def test_noise_varies_steps_and_turns_and_follows_from_its_seed() -> None:
    def walk(**settings: object) -> list[tuple[float, float]]:
        service = Service(30, 30, "FloorPlan201")
        done(service, "Initialize", **settings)
        ends = []
        for action in ("MoveAhead", "MoveBack", "RotateRight", "RotateLeft") * 2:
            agent = told(service, action)["agent"]
            ends.append((agent["position"]["z"], agent["rotation"]["y"]))
        return ends

    noise = {"movementGaussianSigma": 0.01, "rotateGaussianSigma": 1.0}
    plain, one = walk(), walk(**noise)
    assert walk(**noise) == one != plain
    assert walk(**noise, noiseSeed=1) != one
    assert walk(**noise, applyActionNoise=False) == plain
    assert np.abs(np.subtract(one, plain) % 360).min(axis=0).max() < 5


def test_procedural_is_a_scene_and_houses_need_assets_that_are_known(kitchen: Service) -> None:
    assert "Procedural" in done(kitchen, "GetScenesInBuild")["actionReturn"]
    done(kitchen, "Reset", sceneName="Procedural")
    house = json.loads(json.dumps(house_record(named_house("house:0"))))
    before = done(kitchen, "CreateHouse", house=house)["objects"]
    place = {"position": {"x": 1, "y": 0.5, "z": 4}, "rotation": {"x": 0, "y": 0, "z": 0}, "kinematic": True}
    house["objects"].append({"id": "x|1", "assetId": "NoSuchAsset_9", **place})
    refused = told(kitchen, "CreateHouse", house=house)
    assert (refused["lastActionSuccess"], refused["errorCode"]) == (False, "InvalidArgument")
    assert "NoSuchAsset_9" in refused["errorMessage"]
    assert refused["objects"] == before
    older = told(Service(30, 30, "FloorPlan1", 2), "CreateHouse", house=house)
    assert (older["errorCode"], older["errorMessage"]) == ("InvalidAction", "Invalid action: CreateHouse")


def picture(service: Service, action: str = "Pass", **arguments: object) -> np.ndarray:
    reply = service.answer({"action": action, **arguments})
    assert reply.metadata["lastActionSuccess"], reply.metadata["errorMessage"]
    return np.asarray(reply.pictures["image"][0], float)


def test_random_looks_are_seen_and_go_with_the_scene(kitchen: Service) -> None:
    plain = picture(kitchen)
    tinted = picture(kitchen, "RandomizeMaterials")
    assert np.abs(tinted - plain).mean() > 3
    assert (picture(kitchen) == tinted).all(), "they stay"
    assert (picture(kitchen, "RandomizeMaterials") != tinted).any()
    assert (picture(kitchen, "ResetMaterials") == plain).all()
    dark = picture(kitchen, "RandomizeLighting", brightness=[0.5, 0.5], randomizeColor=False)
    assert np.abs(dark - plain // 2).max() <= 1
    assert np.abs(picture(kitchen, "RandomizeLighting", brightness=[1, 1]) - plain).mean() > 3
    done(kitchen, "Reset", sceneName="FloorPlan1")
    assert (picture(kitchen) == plain).all()


def test_what_is_not_the_worlds_is_refused_there() -> None:
    event = world().step(SimulatorAction("RandomizeMaterials"))
    assert not event.success
    assert event.error_message.startswith("Invalid action: RandomizeMaterials")
