"""Start states that come back from SetObjectPoses, and vessels that are filled twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.problems.household.containment import objects_metadata
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.spawn import spawn
from chorewright.replay.household.room import TEACH_SETTINGS
from chorewright.replay.household.server.service import Service
from chorewright.replay.household.setup import as_restored
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction


@pytest.mark.parametrize("name", ["FloorPlan2", "FloorPlan30", "FloorPlan320", "FloorPlan205", "FloorPlan402"])
def test_scattered_rooms_come_back_from_their_positions(name: str) -> None:
    room = load_room(name)
    kept = [as_restored(room, spawn(room, np.random.default_rng(seed))) for seed in range(4)]
    scenes = [scene for scene in kept if scene is not None]
    assert len(scenes) >= 2
    for scene in scenes:
        world = ThorWorld(TEACH_SETTINGS)
        world.reset(room)
        poses = [
            {"objectName": f"{thing['name']}(Clone)", "position": thing["position"], "rotation": thing["rotation"]}
            for thing in objects_metadata(scene)
            if thing["pickupable"]
        ]
        assert world.step(SimulatorAction("SetObjectPoses", {"objectPoses": poses})).success
        after = {thing.object_id: thing for thing in world.scene().objects}
        for thing in scene.objects:
            now = after[thing.object_id]
            assert (now.parents, now.centre, now.size) == (thing.parents, thing.centre, thing.size)


def test_what_would_lie_elsewhere_is_no_start() -> None:
    room = load_room("FloorPlan7")
    scene = next(
        found for seed in range(9) if (found := as_restored(room, spawn(room, np.random.default_rng(seed)))) is not None
    )
    item = next(thing for thing in scene.objects if thing.traits.item and thing.parents)
    other = next(thing for thing in scene.objects if thing.kind == "CounterTop" and thing.object_id not in item.parents)
    objects = tuple(replace(thing, parents=(other.object_id,)) if thing is item else thing for thing in scene.objects)
    assert as_restored(room, replace(scene, objects=objects)) is None


def test_filling_what_is_full_fails_unless_it_is_forced() -> None:
    """A tap that was turned on before may have filled it while a state is restored."""
    world = ThorWorld(TEACH_SETTINGS)
    world.reset(load_room("FloorPlan7"))
    mug = next(thing.object_id for thing in world.scene().objects if thing.kind == "Mug")
    fill = {"objectId": mug, "fillLiquid": "water", "forceAction": True}
    assert world.step(SimulatorAction("FillObjectWithLiquid", fill)).success
    before = world.scene()
    assert world.step(SimulatorAction("FillObjectWithLiquid", {**fill, "fillLiquid": "coffee"})).success
    assert world.scene() == before
    assert not world.step(SimulatorAction("FillObjectWithLiquid", {**fill, "forceAction": False})).success


@pytest.mark.parametrize(
    ("room", "ident"),
    [
        ("FloorPlan401", "Cart|-03.21|+00.00|+00.15"),
        ("FloorPlan430", "Cart|-02.92|+00.01|+01.48"),
        ("FloorPlan429", "Shelf|+00.82|+00.81|-01.76"),
    ],
)
def test_receptacles_that_have_changed_their_kind_bear_their_older_ids(room: str, ident: str) -> None:
    """ALFRED's demonstrations put things there; skills find them by the kind that an id begins with."""
    service = Service(300, 300, version=2)
    for action in ({"action": "Reset", "sceneName": room}, {"action": "Initialize", "gridSize": 0.25}):
        service.answer({**action, "renderImage": False})
    pose = {
        "objectName": "SoapBar_ffffffff",
        "position": dict.fromkeys("xyz", 0.5),
        "rotation": dict.fromkeys("xyz", 0),
    }
    reply = service.answer({"action": "SetObjectPoses", "objectPoses": [pose], "renderImage": False})
    told = {each["objectId"]: each for each in reply.metadata["objects"]}
    assert told[ident]["receptacle"]
    assert told[ident]["objectType"] == ident.split("|", maxsplit=1)[0]
