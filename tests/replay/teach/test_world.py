"""TEACh's actions on the THOR world: pouring, clicks, side steps, walks with looks of 30 degrees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.problems.household.free_space import STEPS
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.household.executor import NoRoute
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.simulator import SimulatorAction
from chorewright.replay.teach.lowering import lower_with_detours, with_side_steps
from chorewright.replay.teach.world import INTERACTIONS, MOVES, TeachWorld, custom_metadata, teach_world

TEACH_NAMES = {name: known.number for name, known in {**MOVES, **INTERACTIONS}.items()}
NAMES = {
    "MoveAhead": "Forward", "RotateLeft": "Turn Left", "RotateRight": "Turn Right", "LookUp": "Look Up",
    "LookDown": "Look Down",
}  # fmt: skip


def test_action_numbers() -> None:
    """Against the table of the public repository's definitions."""
    assert TEACH_NAMES == {
        "Forward": 2, "Backward": 3, "Turn Left": 4, "Turn Right": 5, "Look Up": 6, "Look Down": 7,
        "Pan Left": 8, "Pan Right": 9, "Pickup": 200, "Place": 201, "Open": 202, "Close": 203,
        "ToggleOn": 204, "ToggleOff": 205, "Slice": 206, "Pour": 211,
    }  # fmt: skip


def walked(route: tuple[str, ...] | list[str]) -> tuple[int, int, int]:
    """Walk a route on an endless floor from (0, 0) facing north."""
    x = z = turn = 0
    for step in route:
        if step.startswith("Turn"):
            turn = (turn + (1 if step == "Turn Right" else 3)) % 4
            continue
        quarter = {"Forward": 0, "Pan Right": 1, "Backward": 2, "Pan Left": 3}[step]
        dx, dz = STEPS[(turn + quarter) % 4]
        x, z = x + dx, z + dz
    return x, z, turn


def test_side_steps_end_in_the_same_pose_and_spare_actions() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    words = ["Forward", "Turn Left", "Turn Right"]
    spared = 0
    for _ in range(500):
        route = [words[number] for number in rng.integers(0, 3, rng.integers(0, 14))]
        short = with_side_steps(route)
        assert walked(short) == walked(route)
        assert len(short) <= len(route)
        spared += len(route) - len(short)
    assert spared > 100
    assert with_side_steps(["Turn Left", "Forward", "Turn Right"]) == ("Pan Left",)
    assert with_side_steps(["Turn Left", *["Forward"] * 3, "Turn Right"])[0] == "Turn Left"


@pytest.mark.parametrize("name", ["FloorPlan1", "FloorPlan303"])
def test_routes_with_looks_of_30_degrees_are_walked_to_their_end(name: str) -> None:
    room = load_room(name)
    grid = Grid.of(room, TEACH_LOOK)
    rng = np.random.Generator(np.random.PCG64(1))
    world = TeachWorld()
    for _ in range(30):
        start, goal = (
            Pose(*room.grid[int(rng.integers(len(room.grid)))], int(rng.integers(4)), 30 * int(rng.integers(-1, 3)))
            for _ in range(2)
        )
        route = grid.route(start, goal)
        assert route is not None
        assert len(route) == grid.distances([start, goal])[0, 1]
        world.reset(replace(room, agent=start))
        for step in with_side_steps([NAMES[step] for step in route]):
            assert world.act(step).success
        assert world.scene().agent == goal


@pytest.mark.parametrize("horizon", range(-30, 61, 15))
def test_tilts_that_looks_can_bring_about(horizon: int) -> None:
    tilted = Grid(((0, 0),), TEACH_LOOK).tilted(Pose(0, 0, 0, horizon)).horizon
    assert tilted % 30 == 0
    assert abs(tilted - horizon) <= 15
    assert Grid(((0, 0),)).tilted(Pose(0, 0, 0, horizon)).horizon == horizon


def kitchen(liquid: str | None, plant: str | None = None) -> tuple[Scene, str, str, str]:
    """Return a kitchen with a mug at hand, and the ids of mug, plant and basin."""
    scene = load_room("FloorPlan1")
    named = {kind: next(thing for thing in scene.objects if thing.kind == kind) for kind in ("Mug", "HousePlant")}
    basin = next(thing for thing in scene.objects if thing.kind == "SinkBasin")
    changed = {named["Mug"].object_id: liquid, named["HousePlant"].object_id: plant}
    objects = tuple(
        replace(thing, attributes=replace(thing.attributes, liquid=changed[thing.object_id]))
        if thing.object_id in changed
        else thing
        for thing in scene.objects
    )
    return (replace(scene, objects=objects), named["Mug"].object_id, named["HousePlant"].object_id, basin.object_id)


def near(world: TeachWorld, object_id: str) -> None:
    """Stand where the object is seen and reached."""
    room = world.world.room
    for x, z in room.origin.grid:
        for rotation in range(4):
            for horizon in (0, 30, 60):
                room.x, room.z, room.rotation, room.horizon = x, z, 90.0 * rotation, float(horizon)
                if room.obstacle_to(room.objects[object_id]) is None:
                    return
    raise AssertionError(f"{object_id} cannot be reached")


@pytest.mark.parametrize(
    ("liquid", "plant", "hold", "into", "says"),
    [
        ("water", None, True, "plant", ""),
        ("coffee", None, True, "plant", ""),
        ("water", "water", True, "plant", "is full already"),
        (None, None, True, "plant", "holds no liquid"),
        ("water", None, False, "plant", "hand is empty"),
        ("water", None, True, "basin", ""),
        ("water", None, True, "knife", "nothing can be poured into"),
        ("water", None, True, "mug", "nothing can be poured into"),
        ("water", None, True, "nowhere", "is not an object"),
        ("water", None, True, "far", "not visible"),
    ],
)
def test_pouring(liquid: str | None, plant: str | None, hold: bool, into: str, says: str) -> None:
    scene, mug, flower, basin = kitchen(liquid, plant)
    if liquid == "coffee":
        objects = tuple(
            replace(thing, attributes=replace(thing.attributes, brewed=True)) if thing.object_id == mug else thing
            for thing in scene.objects
        )
        scene = replace(scene, objects=objects)
    knife = next(thing.object_id for thing in scene.objects if thing.kind == "Knife")
    world = TeachWorld()
    world.reset(scene)
    if hold:
        near(world, mug)
        assert world.act("Pickup", mug).success
    target = {"plant": flower, "basin": basin, "knife": knife, "mug": mug, "nowhere": "Nothing|1", "far": flower}[into]
    if into in ("plant", "basin"):
        near(world, target)
    elif into == "far":
        near(world, flower)
        world.world.room.rotation = (world.world.room.rotation + 180.0) % 360.0
    before = world.scene()
    event = world.step(SimulatorAction("Pour", {"objectId": target}))
    after = {thing.object_id: thing.attributes for thing in world.scene().objects}
    if says:
        assert not event.success
        assert says in event.error_message
        assert world.scene() == before
        return
    assert event.success, event.error_message
    assert after[mug].liquid is None
    assert not after[mug].brewed
    if into == "plant":
        assert after[flower].liquid == liquid
        assert not after[flower].watered  # TEACh remembers this of what was under a tap only


CUTTING = ("Potato", "Bread", "Knife", "Plate", "CounterTop", "Pot")


def cutting(**state: bool) -> tuple[TeachWorld, dict[str, str]]:
    """Return a kitchen whose potato is cooked and has a state besides, and the ids of things by kind."""
    scene = load_room("FloorPlan8")
    first = {thing.kind: thing for thing in reversed(scene.objects) if thing.kind in CUTTING}
    cooked = replace(first["Potato"].attributes, is_cooked=True, cooked=True, **state)
    objects = (replace(each, attributes=cooked) if each is first["Potato"] else each for each in scene.objects)
    world = TeachWorld()
    world.reset(replace(scene, objects=tuple(objects)))
    return world, {kind: thing.object_id for kind, thing in first.items()}


def do(world: TeachWorld, *steps: tuple[str, str]) -> None:
    for name, target in steps:
        near(world, target)
        event = world.act(name, target)
        assert event.success, (name, target, event.error_message)


NOTES = ("simbotIsCooked", "simbotIsBoiled", "simbotPickedUp", "simbotLastParentReceptacle")


def test_pieces_of_what_was_cut_cooked_lose_their_notes_once_something_else_is_cut() -> None:
    """TEACh notes again that what was cut is cooked, and gives its pieces that alone when the next thing is cut."""
    world, ids = cutting(boiled=True)
    potato, knife, plate, counter = ids["Potato"], ids["Knife"], ids["Plate"], ids["CounterTop"]
    one, other = f"{potato}|PotatoSliced_0", f"{potato}|PotatoSliced_1"
    task = shipped_definitions().task("Boil X", ["PotatoSliced"])

    def notes(name: str) -> list[object]:
        told = custom_metadata(world.scene(), world.memory)[name]
        return [told.get(key, "absent") for key in NOTES]

    def listed(name: str) -> list[str]:
        told = custom_metadata(world.scene(), world.memory)[name].get("simbotIsReceptacleOf", [])
        assert isinstance(told, list)
        return [each for each in told if each in (one, other)]

    do(world, ("Pickup", potato), ("Place", counter), ("Pickup", knife), ("Slice", potato))
    do(world, ("Place", counter), ("Pickup", one), ("Place", plate), ("Pickup", knife))
    assert notes(one) == [True, True, 1, plate]
    assert notes(other) == [True, True, 1, counter]
    assert custom_metadata(world.scene(), world.memory)[potato] == {"simbotIsCooked": True}
    do(world, ("Slice", ids["Bread"]))
    assert notes(one) == [True, True, 1, plate]  # the simulator's objects have the notes until its next event
    assert check(task, teach_world(world.scene())).success
    assert world.act("Turn Left").success
    assert notes(one) == notes(other) == [True, "absent", "absent", "absent"]
    assert not check(task, teach_world(world.scene())).success
    assert (listed(plate), listed(counter)) == ([one], [other])
    do(world, ("Place", counter), ("Pickup", one))
    assert notes(one) == [True, "absent", 1, None]
    assert listed(plate) == [one]  # as it is not noted to be there, nothing is crossed out
    do(world, ("Place", counter))
    assert notes(one) == [True, "absent", 1, counter]
    assert (listed(plate), listed(counter)) == ([one], [other, one])
    do(world, ("Pickup", one), ("Place", plate), ("Pickup", one))
    assert (listed(plate), listed(counter)) == ([], [other])


def test_pieces_of_what_was_cut_raw_keep_their_notes() -> None:
    world, ids = cutting()
    counter = ids["CounterTop"]
    do(world, ("Pickup", ids["Bread"]), ("Place", counter), ("Pickup", ids["Knife"]))
    do(world, ("Slice", ids["Bread"]), ("Slice", ids["Potato"]))
    assert world.act("Turn Left").success
    notes = custom_metadata(world.scene(), world.memory)
    assert notes[f"{ids['Bread']}|BreadSliced_0"]["simbotLastParentReceptacle"] == counter
    assert ids["Bread"] not in notes


@pytest.mark.parametrize("wet", [True, False])
def test_what_is_cut_cooked_in_liquid_is_boiled(wet: bool) -> None:
    """TEACh takes a new object that is cooked for one that has just been."""
    world, ids = cutting()
    world.world.room.change(ids["Pot"], liquid="water" if wet else None)
    do(world, ("Pickup", ids["Potato"]), ("Place", ids["Pot"]), ("Pickup", ids["Knife"]), ("Slice", ids["Potato"]))
    notes = custom_metadata(world.scene(), world.memory)[f"{ids['Potato']}|PotatoSliced_0"]
    assert ("simbotIsBoiled" in notes) == wet


def test_unknown_actions_and_objects_fail_and_change_nothing() -> None:
    world = TeachWorld()
    world.reset(load_room("FloorPlan1"))
    before = world.scene()
    for name, target in [("Jump", ""), ("Pickup", "Nothing|1"), ("Place", ""), ("Slice", ""), ("Open", "")]:
        assert not world.act(name, target).success
    assert world.scene() == before


def by_matrix(position: np.ndarray, rotation: float, horizon: float, point: np.ndarray) -> tuple[float, float]:
    """Project by an explicit camera matrix with 90 degrees of view."""
    yaw, pitch = math.radians(rotation), math.radians(horizon)
    about_y = np.array([[math.cos(yaw), 0, -math.sin(yaw)], [0, 1, 0], [math.sin(yaw), 0, math.cos(yaw)]])
    about_x = np.array([[1, 0, 0], [0, math.cos(pitch), math.sin(pitch)], [0, -math.sin(pitch), math.cos(pitch)]])
    right, up, ahead = about_x @ about_y @ (point - position)
    return 0.5 + right / ahead / 2, 0.5 - up / ahead / 2


def test_clicks_are_where_a_camera_matrix_puts_them() -> None:
    world = TeachWorld()
    world.reset(load_room("FloorPlan1"))
    room = world.world.room
    rng = np.random.Generator(np.random.PCG64(2))
    compared = 0
    for _ in range(300):
        room.rotation, room.horizon = 90.0 * int(rng.integers(4)), 30.0 * int(rng.integers(-1, 3))
        camera = np.array(room.camera())
        point = camera + rng.normal(size=3)
        forward = np.array(
            [
                math.sin(math.radians(room.rotation)) * math.cos(math.radians(room.horizon)),
                -math.sin(math.radians(room.horizon)),
                math.cos(math.radians(room.rotation)) * math.cos(math.radians(room.horizon)),
            ]
        )
        if float(forward @ (point - camera)) < 0.2:
            continue
        expected = by_matrix(camera, room.rotation, room.horizon, point)
        place = agent_camera(room, 900).project((point[0], point[1], point[2]))
        assert place is not None
        assert (place[0] / 900, place[1] / 900) == pytest.approx(expected, abs=1e-6)
        compared += 1
    assert compared > 80


def test_a_go_to_without_a_way_is_an_error() -> None:
    from chorewright.planner.plan import GroundAction
    from chorewright.rsa.household.segments import Subgoal

    go = GroundAction("go-to", ("a", "b"))
    poses = {"a": Pose(0, 0, 0, 30), "b": Pose(9, 9, 0, 30)}
    with pytest.raises(NoRoute, match="no way"):
        lower_with_detours((go,), (Subgoal("GotoLocation", (), "b", (0,), (go,)),), {}, poses, lambda *_: None, ())
