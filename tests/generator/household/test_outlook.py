"""What no pose of a room shows: stored facts are found again, by pictures too, and nothing is drawn against them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.shipped.unseen import unseen_in
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.household.outlook import ALL_SEEN, Sight, unseen_in_rooms
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Pose
from chorewright.problems.household.sight import reaches
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction

ROOMS = ("FloorPlan8", "FloorPlan16", "FloorPlan304", "FloorPlan404")


@pytest.mark.parametrize("lies", ["where it lay", "on the floor", "nowhere"])
def test_a_hidden_thing_is_looked_at_from_elsewhere_unless_nothing_ties_the_agent_to_it(
    monkeypatch: pytest.MonkeyPatch, lies: str
) -> None:
    room = load_room("FloorPlan402")
    mug = next(thing for thing in room.objects if thing.traits.item and thing.parents)
    world = ThorWorld(ALFRED_SETTINGS)
    world.reset(room)
    if lies == "nowhere":
        del world.room.objects[mug.object_id]
    elif lies == "on the floor":
        world.room.objects[mug.object_id] = replace(mug, parents=())
    monkeypatch.setattr(Sight, "sees", lambda sight, target: False)
    sight = Sight(world)
    sight.before(LowAction("PickupObject", 0, SimulatorAction("PickupObject", {"objectId": mug.object_id})))
    assert sight.target == mug.object_id
    assert sight.better == ((mug.object_id, None) if lies == "where it lay" else None)


@pytest.mark.parametrize("name", ROOMS)
def test_what_is_stored_is_found_again(name: str) -> None:
    assert unseen_in(load_room(name), Renderer()) == unseen_in_rooms().get(name, ALL_SEEN)


def test_pictures_show_nothing_of_an_unseen_fixture() -> None:
    """Whole pictures from all poses that reach it, with any tilt, have at most a few pixels of it."""
    room = load_room("FloorPlan404")
    (kind,) = unseen_in_rooms()["FloorPlan404"].fixtures
    hidden = [thing for thing in room.objects if thing.kind == kind]
    bare = replace(room, objects=tuple(thing for thing in room.objects if not thing.traits.item))
    renderer, world = Renderer(), ThorWorld(ALFRED_SETTINGS)
    looked = 0
    for x, z in room.grid:
        for rotation in range(4):
            pose = Pose(x, z, rotation, 0)
            if not any(reaches(pose, room.agent_y, thing.centre, thing.size) for thing in hidden):
                continue
            world.reset(replace(bare, agent=pose))
            frame = renderer.frame(world.scene(), agent_camera(world.room, 300))
            shown = [int((frame.instances == frame.names.index(thing.object_id)).sum()) for thing in hidden
                     if thing.object_id in frame.names]  # fmt: skip
            looked += 1
            assert sum(shown) < 14
    assert looked


def test_no_task_is_drawn_for_what_is_unseen() -> None:
    """FloorPlan8's basin hides an egg: no egg is to be cleaned there, other things are."""
    options = (("scenes", ("FloorPlan8",)), ("tasks", ("pick_clean_then_place_in_recep",)), ("demonstrations", 1))
    config = GenerateConfig("alfred", 60, options=options)
    drawn = {dict(each.parameters)["object"] for each in BENCHMARKS.find("alfred").assign(config, 60)}
    assert "Egg" not in drawn
    assert {"Apple", "Plate"} <= drawn


def test_rooms_are_rooms() -> None:
    assert set(unseen_in_rooms()) <= set(room_names())
