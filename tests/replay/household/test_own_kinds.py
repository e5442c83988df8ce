"""A user's kinds of things in the rooms: they are there, scattered, acted on, drawn and spoken of."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from chorewright.domains.library import Library
from chorewright.domains.pddl.parser import parse_formula
from chorewright.problems.household.kinds import Kinds, kinds_of, shipped_kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import SpawnRequest, spawn
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from chorewright.rsa.household.directives import Leg, directives

OWN = """{
  "Thermos": {"affordances": ["pickupable", "fillable"], "fits": ["CounterTop", "Desk", "DiningTable", "Dresser"],
              "size": [0.09, 0.26, 0.09], "noun": "thermos", "plural": "thermoses"},
  "Crate": {"affordances": ["pickupable"], "receptacle": "always", "fits": ["Floor", "CounterTop"],
            "rooms": ["kitchen"], "size": [0.3, 0.2, 0.25]},
  "Mug": {"fits": ["Crate"]}
}"""
LIBRARY = Library(kinds=(("own.json", OWN),))


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    return kinds_of(LIBRARY)


def test_kinds_are_values(kinds: Kinds) -> None:
    again = kinds_of(Library(kinds=(("own.json", OWN),)))
    assert (again, hash(again)) == (kinds, hash(kinds))
    assert kinds != shipped_kinds()
    assert pickle.loads(pickle.dumps(kinds)) == kinds
    assert kinds["Thermos"].item
    assert kinds["Thermos"].size == (0.09, 0.26, 0.09)
    assert "Thermos" not in shipped_kinds()
    assert not shipped_kinds()["Thermos"].affordances
    assert "Crate" in kinds["Mug"].fits
    assert "Crate" not in shipped_kinds()["Mug"].fits


def test_rooms_are_stocked(kinds: Kinds) -> None:
    for name in room_names()[::17]:
        plain, room = load_room(name), load_room(name, kinds)
        new = room.objects[len(plain.objects) :]
        assert [one.object_id for one in room.objects[: len(plain.objects)]] == [one.object_id for one in plain.objects]
        assert {one.kind for one in new} <= {"Thermos", "Crate"}
        assert ("Crate" in {one.kind for one in new}) <= (room.room_kind == "kitchen")
        places = {one.object_id: one.kind for one in room.objects}
        for one in new:
            assert places[one.parents[0]] in one.traits.fits
        assert room == load_room(name, kinds_of(LIBRARY))


@pytest.fixture(scope="module")
def scattered(kinds: Kinds) -> Scene:
    request = SpawnRequest(counts={"Thermos": (2, 2), "Crate": (1, 1)})
    return spawn(load_room("FloorPlan10", kinds), np.random.default_rng(4), request)


def test_things_of_new_kinds_are_scattered(scattered: Scene) -> None:
    found = [one for one in scattered.objects if one.kind in ("Thermos", "Crate")]
    assert sorted(one.kind for one in found) == ["Crate", "Thermos", "Thermos"]
    assert len({one.object_id for one in found}) == 3


def test_what_new_things_can_do_is_in_the_problem(scattered: Scene) -> None:
    domain = scattered.kinds.domain
    goal = parse_formula("(exists (?m - mug ?c - crate) (in ?m ?c))", domain)
    problem = household_problem(scattered, goal).problem
    init = set(problem.init)
    assert {("receptacle", "crate_1"), ("fits", "mug_1", "crate_1"), ("fillable", "thermos_2")} <= init
    assert {typed.name for typed in problem.objects if typed.types == ("thermos",)} == {"thermos_1", "thermos_2"}


def test_new_things_are_acted_on_and_seen(scattered: Scene) -> None:
    world = ThorWorld()
    world.reset(scattered)
    thermos = next(one.object_id for one in scattered.objects if one.kind == "Thermos")
    poses = world.step(SimulatorAction("GetInteractablePoses", {"objectId": thermos})).action_return
    assert isinstance(poses, list)
    place = poses[0]
    world.step(SimulatorAction("TeleportFull", {**place, "rotation": {"x": 0, "y": place["rotation"], "z": 0}}))
    frame = world.frame(300)
    assert frame.mask(thermos).sum() > 20
    assert world.step(SimulatorAction("PickupObject", {"objectId": thermos})).success
    assert ("holding", "thermos_1") in world.state()
    told = {each["objectId"]: each for each in world.metadata()["objects"]}[thermos]
    assert (told["objectType"], told["pickupable"], told["canFillWithLiquid"]) == ("Thermos", True, True)


def test_new_things_are_spoken_of(scattered: Scene) -> None:
    thermos = next(one for one in scattered.objects if one.kind == "Thermos")
    crate = next(one for one in scattered.objects if one.kind == "Crate")
    legs = [
        Leg("PickupObject", thermos.object_id, thermos.parents[0], scattered.agent, ("PickupObject",)),
        Leg("PutObject", thermos.object_id, crate.object_id, scattered.agent, ("PutObject",)),
    ]
    steps = []
    for annotation in directives(["Pack the thermos."], legs, scattered, np.random.default_rng(0)):
        assert all("thermos" in step for step in annotation.steps)
        steps.append(annotation.steps[1])
    # Some leave out where a thing is put that is already before them: "Put the thermos down."
    assert sum("in the crate" in step or "into the crate" in step for step in steps) >= 2
