"""Clicks: TEACh's wrapper finds the object at the pixel, and near enough."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import SceneObject
from chorewright.problems.household.sight import stand_pose
from chorewright.replay.household.pixels.camera import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import object_at, point_at
from chorewright.replay.teach.clicks import SIZE, Click, Clicker
from chorewright.replay.teach.world import TeachWorld


def standing(room: str) -> list[tuple[TeachWorld, SceneObject]]:
    """Return worlds in which the agent stands before one thing after the other."""
    scene = load_room(room)
    grid = Grid.of(scene, TEACH_LOOK)
    found = []
    for thing in scene.objects:
        pose = stand_pose(scene, grid, thing)
        if pose is not None and len(found) < 25:
            world = TeachWorld()
            world.reset(replace(scene, agent=grid.tilted(pose)))
            found.append((world, thing))
    return found


@pytest.mark.parametrize("room", ["FloorPlan7", "FloorPlan303"])
def test_clicks_mean_the_object_in_the_pictures_of_the_wrapper(room: str) -> None:
    """At the pixel that rounding gives and the one that cutting off gives, within reach of the agent's pivot."""
    clicked = 0
    for world, thing in standing(room):
        found = Clicker(world).click("Open", thing.object_id)
        if not isinstance(found, Click):
            assert found.startswith(("the agent does not see", "what the agent sees"))
            continue
        camera = agent_camera(world.world.room, SIZE)
        frame = Renderer().frame(world.scene(), camera)
        for number in (round, int):
            where = number(found.y * SIZE), number(found.x * SIZE)
            assert object_at(frame, where) == thing.object_id
            point = point_at(frame, camera, where)
            assert point is not None
            assert math.dist(point, world.world.room.place()) <= 1.5
        clicked += 1
    assert clicked >= 8


def test_what_is_placed_lies_where_it_would_by_itself_or_near_the_click() -> None:
    scene = load_room("FloorPlan7")
    grid = Grid.of(scene, TEACH_LOOK)
    item = next(thing for thing in scene.objects if thing.kind == "Apple")
    placed = 0
    for place in (
        thing for thing in scene.objects if thing.kind in ("CounterTop", "DiningTable", "Fridge", "SinkBasin")
    ):
        pose = stand_pose(scene, grid, place)
        if pose is None:
            continue
        apple = replace(item, parents=())
        objects = tuple(apple if thing is item else _opened(thing) for thing in scene.objects)
        world = TeachWorld()
        world.reset(replace(scene, objects=objects, agent=grid.tilted(pose), holding=item.object_id))
        found = Clicker(world).click("Place", place.object_id)
        if not isinstance(found, Click):
            continue
        camera = agent_camera(world.world.room, SIZE)
        frame = Renderer().frame(world.scene(), camera)
        point = point_at(frame, camera, (int(found.y * SIZE), int(found.x * SIZE)))
        assert world.act("Place", place.object_id, found.near_point).success
        lies = next(thing for thing in world.scene().objects if thing.object_id == item.object_id)
        assert lies.parents == (place.object_id,)
        assert point is not None
        apart = math.hypot(lies.centre[0] - point[0], lies.centre[2] - point[2])
        assert found.near is not None or apart <= 0.25
        placed += 1
    assert placed >= 3


def _opened(thing: SceneObject) -> SceneObject:
    return replace(thing, attributes=replace(thing.attributes, is_open=True)) if thing.kind == "Fridge" else thing


def test_hidden_and_far_things_cannot_be_clicked() -> None:
    world, thing = next(pair for pair in standing("FloorPlan7") if pair[1].kind == "Cabinet")
    world.world.room.rotation = (world.world.room.rotation + 180.0) % 360.0
    assert Clicker(world).click("Pickup", thing.object_id) == "the agent does not see it"
    rng = np.random.default_rng(0)
    scene = load_room("FloorPlan7")
    far = set()
    for _ in range(6):
        x, z = scene.grid[int(rng.integers(len(scene.grid)))]
        world.reset(replace(scene, agent=replace(scene.agent, x=x, z=z, horizon=0)))
        for thing in scene.objects:
            found = Clicker(world).click("Open", thing.object_id) if thing.kind in ("Fridge", "Cabinet") else ""
            if isinstance(found, str) and found.endswith("m away"):
                far.add(thing.object_id)
    assert far


def test_where_things_share_a_face_clicks_mean_the_object_for_certain() -> None:
    """Two loaves of one size lie side by side, one a little into the other, so that their upper faces are one."""
    scene = load_room("FloorPlan7")
    grid = Grid.of(scene, TEACH_LOOK)
    loaf = next(thing for thing in scene.objects if thing.kind == "Bread")
    pose = stand_pose(scene, grid, loaf)
    assert pose is not None
    clicked = 0
    for shift in (0.01, 0.02, 0.04, 0.06):
        x, y, z = loaf.centre
        other = replace(loaf, object_id=f"{loaf.object_id}|2", centre=(x + shift, y, z))
        world = TeachWorld()
        world.reset(replace(scene, objects=(*scene.objects, other), agent=grid.tilted(pose)))
        frame = Renderer().frame(world.scene(), agent_camera(world.world.room, SIZE))
        for thing in (loaf, other):
            found = Clicker(world).click("Pickup", thing.object_id)
            if isinstance(found, Click):
                assert object_at(frame, (int(found.y * SIZE), int(found.x * SIZE))) == thing.object_id
                clicked += 1
    assert clicked >= 4
