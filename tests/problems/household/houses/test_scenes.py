"""Houses as scenes: what lies where, floors of rooms, taps; nothing is reached or seen through a wall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.pddl.syntax import And, Atom, Exists, Typed
from chorewright.domains.templates.goal_templates import Goal
from chorewright.generator.household.demonstration import RoomAttempt
from chorewright.generator.production.attempts import Rejection
from chorewright.problems.household.houses.building import Building, solid_walls
from chorewright.problems.household.houses.house import House, HouseRoom, HouseThing, Material
from chorewright.problems.household.houses.reading import load_house
from chorewright.problems.household.houses.scenes import find_left_out, house_scene, largest_rectangle
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import GRID, Scene
from chorewright.problems.household.sight import Touching, item_pose, poses_around, stand_pose
from chorewright.problems.household.spawn import spawn
from chorewright.replay.household.room import ALFRED_SETTINGS, Room
from chorewright.replay.household.world import ThorWorld
from tests.problems.household.houses.test_reading import NEW
from tests.problems.household.houses.test_standing import crosses

SIDES = {"x": 0.4, "y": 0.6, "z": 0.4}


@pytest.fixture(scope="module")
def house() -> House:
    return load_house(NEW)


@pytest.fixture(scope="module")
def scene(house: House) -> Scene:
    return house_scene(house, "three")


def test_parents_are_those_of_the_house(scene: Scene) -> None:
    parents = {thing.object_id: thing.parents for thing in scene.objects}
    assert parents["Apple|surface|3|4"] == ("Fridge|3|0",)
    assert parents["Mug|surface|3|5"] == ("DiningTable|3|1",)
    assert parents["Fridge|3|0"] == ("Floor|room|3",)
    taps = {thing.object_id: thing.controls for thing in scene.objects if thing.kind == "Faucet"}
    assert taps == {"Faucet|4|1|1": ("SinkBasin|Sink|4|1|0",)}


def test_ids_that_repeat_get_numbers(house: House) -> None:
    again = house_scene(replace(house, things=(*house.things, house.things[0])), "twice")
    names = [thing.object_id for thing in again.objects]
    assert len(names) == len(set(names))
    pillow = next(thing for thing in again.objects if thing.object_id == "Pillow|2|0|1#2")
    assert pillow.parents == ("Sofa|2|0#2",)


def test_what_is_left_out_of_a_house_s_scene_is_told(house: House) -> None:
    things = [thing.thing_id for thing in house.all_things()]
    scene = [thing.object_id for thing in house_scene(house, "three").objects]
    told = find_left_out(house)
    assert set(told) == {name for name in things if name not in scene}
    unknown = HouseThing("Gadget|2|7", "gadget_of_ours", (1.0, 0.5, 1.0), (0.0, 0.0, 0.0))
    more = replace(house, things=(*house.things, unknown))
    assert set(find_left_out(more)) - set(told) == {"Gadget|2|7"}
    assert "Gadget|2|7" not in [thing.object_id for thing in house_scene(more, "four").objects]


def test_each_room_has_a_floor_in_it(house: House, scene: Scene) -> None:
    floors = [thing for thing in scene.objects if thing.kind == "Floor"]
    assert len(floors) == len(house.rooms)
    for floor, room in zip(floors, house.rooms, strict=True):
        (x, _, z), (width, _, depth) = floor.centre, floor.size
        places = [(x + a * width, z + b * depth) for a in (-0.49, 0.0, 0.49) for b in (-0.49, 0.0, 0.49)]
        assert all(room.contains(*place) for place in places)


def test_the_largest_rectangle_of_an_l() -> None:
    corners = ((0.0, 0.0), (0.0, 4.0), (2.0, 4.0), (2.0, 3.0), (6.0, 3.0), (6.0, 0.0))
    assert largest_rectangle(HouseRoom("room|1", "kitchen", corners, Material("Wood"))) == (0.0, 0.0, 6.0, 3.0)


def test_walls_are_between_places_as_their_segments_say(house: House) -> None:
    building, rng = Building(house), np.random.default_rng(3)
    walls = solid_walls(house)
    seen = set()
    for _ in range(3000):
        x, z, to_x, to_z = (float(value) for value in rng.uniform((0, 0, 0, 0), (8, 6, 8, 6)))
        length = float(np.hypot(to_x - x, to_z - z))
        share = max(0.0, (length - 0.05) / length)
        end = (x + share * (to_x - x), z + share * (to_z - z))
        expected = not any(crosses((x, z), end, *wall) for wall in walls)
        assert building.is_open(x, z, to_x, to_z) == expected
        seen.add(expected)
    assert seen == {True, False}


def against_walls(house: House) -> House:
    """Return a house with small tables on both sides of the wall between its rooms."""
    tables = [
        HouseThing(f"SideTable|{number}", "mine", (x, 0.3, z), (0.0, 0.0, 0.0), rest={"boundingBox": SIDES})
        for number, (x, z) in enumerate(((4.7, 0.7), (5.3, 0.7), (4.4, 3.4), (4.4, 2.6), (6.0, 2.6), (6.4, 3.4)))
    ]
    return replace(house, things=(*house.things, *tables))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_handled_through_a_wall(house: House, seed: int) -> None:
    """Every pose from which anything is handled, spawned items too, has the thing on its side of the walls."""
    room = house_scene(against_walls(house), "tables")
    scene = spawn(room, np.random.default_rng(seed))
    grid, walls = Grid.of(scene), solid_walls(house)
    assert len([thing for thing in scene.objects if thing.traits.item]) > 3
    named = {thing.object_id: thing for thing in scene.objects}
    reached = 0
    for thing in scene.objects:
        poses = [stand_pose(scene, grid, thing), item_pose(grid, scene.agent_y, thing.position)]
        poses += poses_around(grid, scene.agent_y, thing)
        poses += [pose for name, pose in Touching(scene, grid, scene.objects) if named[name] is thing]
        for pose in poses:
            if pose is None or thing.kind == "Floor":
                continue
            reached += 1
            x, z = pose.x * GRID, pose.z * GRID
            here, there = house.room_at(x, z), house.room_at(thing.centre[0], thing.centre[2])
            assert here is there or not any(
                crosses((x, z), (thing.centre[0], thing.centre[2]), *wall) for wall in walls
            ), (thing.object_id, pose)
    assert reached > 100


def test_the_simulator_refuses_what_is_behind_a_wall(house: House) -> None:
    """A table right behind the wall is as near as the table before it, and is not seen."""
    scene = house_scene(against_walls(house), "tables")
    world = ThorWorld()
    world.reset(replace(scene, agent=replace(scene.agent, x=16, z=3, rotation=1, horizon=45)))
    assert world.visible("SideTable|0")
    assert not world.visible("SideTable|1")
    open_room = Room(replace(scene, building=None, agent=world.room.scene().agent), ALFRED_SETTINGS)
    assert open_room.visible(open_room.objects["SideTable|1"])


def test_a_plan_leads_through_the_house(house: House, scene: Scene) -> None:
    """A mug from the kitchen to the bathroom's sink, and the book to the sofa; planned, and run in the world."""
    goal = Exists(
        (Typed("?m", ("mug",)), Typed("?s", ("sinkbasin",)), Typed("?b", ("book",)), Typed("?o", ("sofa",))),
        And((Atom("in", ("?m", "?s")), Atom("in", ("?b", "?o")))),
    )
    found = RoomAttempt(scene, Goal("both", (), goal, (), (("goal", goal),)), ThorWorld()).demonstrate()
    assert not isinstance(found, Rejection)
    assert all(met for _, met in found.conditions)
    kinds = set()
    for pose in found.household.poses.values():
        room = house.room_at(pose.x * GRID, pose.z * GRID)
        assert room is not None
        kinds.add(room.kind)
    assert kinds == {"kitchen", "living_room", "bathroom"}
    assert household_problem(scene, goal).problem.values
