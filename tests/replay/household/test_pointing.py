"""Masks and coordinates: each finds the object that a slow reading of the benchmarks' rules finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from benchmarks.renderer import views
from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import Attributes, Pose, Scene
from chorewright.replay.household.pixels.camera import agent_camera, click_on
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import (
    NOTHING,
    PointingWorld,
    clicked_object,
    mask_of,
    masked_object,
    runs,
    seen_objects,
)
from chorewright.replay.household.room import ALFRED_SETTINGS, Room
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Frame, SimulatorAction
from chorewright.replay.teach.world import TeachWorld, teach_target

ROOMS = ("FloorPlan1", "FloorPlan7", "FloorPlan204", "FloorPlan311", "FloorPlan423")
DOABLE = {"pickupable", "openable", "toggleable", "sliceable"}


def seen_from(name: str, place: int, size: int = 120) -> tuple[Room, Frame]:
    """A room, looked at from one of its standing points."""
    scene = load_room(name)
    x, z = scene.grid[place % len(scene.grid)]
    room = Room(replace(scene, agent=Pose(x, z, place % 4, 30)), ALFRED_SETTINGS)
    return room, Renderer().frame(room.scene(), agent_camera(room, size))


@pytest.mark.parametrize("seed", range(20))
def test_masks_are_stored_as_alfred_decodes_them(seed: int) -> None:
    """The runs' pixels, one by one, are the mask's."""
    rng = np.random.default_rng(seed)
    mask = rng.random((30, 20)) < rng.random()
    flat = {place for start, length in runs(mask) for place in range(start, start + length)}
    assert flat == {row * 20 + column for row, column in np.argwhere(mask).tolist()}
    assert (mask_of(runs(mask), 30, 20) == mask).all()
    assert all(length > 0 for _, length in runs(mask))


@pytest.mark.parametrize("name", ROOMS)
def test_a_mask_means_the_interactive_object_with_the_best_overlap(name: str) -> None:
    """ALFRED's rule, pixel by pixel with sets, for rectangles at random and for the objects' own masks."""
    rng = np.random.default_rng(1)
    for place in range(0, 60, 12):
        room, frame = seen_from(name, place)
        areas = {body: set(np.flatnonzero(frame.mask(body).reshape(-1)).tolist()) for body in room.objects}
        candidates = {
            body for body, thing in room.objects.items() if is_receptacle(thing) or DOABLE & thing.traits.affordances
        }
        for body in [one for one in candidates if areas[one]]:
            assert masked_object(room, frame, frame.mask(body)) == body
        for _ in range(20):
            top, left = rng.integers(0, 100, 2)
            mask = np.zeros((120, 120), np.bool_)
            mask[top : top + rng.integers(1, 60), left : left + rng.integers(1, 60)] = True
            inside = set(np.flatnonzero(mask.reshape(-1)).tolist())
            overlaps = {
                body: len(areas[body] & inside) / len(areas[body] | inside)
                for body in candidates
                if areas[body] & inside
            }
            found = masked_object(room, frame, mask)
            assert (found is None) == (not overlaps)
            assert found is None or overlaps[found] == max(overlaps.values())


@pytest.mark.parametrize("action", ["Pickup", "Place", "Open", "ToggleOn", "Slice", "Pour"])
def test_a_click_means_what_fits_at_the_pixel_or_in_the_patch(action: str) -> None:
    """TEACh's rule: the pixel, else the largest share of an object's pixels within five pixels."""
    rng = np.random.default_rng(2)
    fits = teach_target(action, None)
    missed = 0
    for place in range(0, 40, 4):
        room, frame = seen_from("FloorPlan5", place)
        for x, y in rng.random((60, 2)).tolist():
            row, column = min(round(y * 120), 119), min(round(x * 120), 119)
            names = {
                (r, c): frame.names[frame.instances[r, c]]
                for r in range(max(0, row - 5), min(120, row + 5))
                for c in range(max(0, column - 5), min(120, column + 5))
                if frame.instances[r, c] >= 0
            }
            fitting = {spot: body for spot, body in names.items() if body in room.objects and fits(room.objects[body])}
            found = clicked_object(room, frame, x, y, fits)
            if (row, column) in fitting:
                assert found == fitting[row, column]
            elif not fitting:
                missed += 1
                assert found is None
            else:
                counts = Counter(fitting.values())
                shares = {body: count / frame.mask(body).sum() for body, count in counts.items()}
                assert found is not None
                assert shares[found] == max(shares.values())
    assert missed > 10


@pytest.mark.parametrize("name", ROOMS)
def test_what_is_clicked_on_is_hit(name: str) -> None:
    """A click on a mask is inside it, also if that has a hole; towards a place it is no farther from that."""
    for place in range(0, 60, 6):
        _, frame = seen_from(name, place, 96)
        for body in frame.names:
            mask = frame.mask(body)
            at = click_on(mask)
            assert (at is None) == (not mask.any())
            if at is not None:
                assert mask[int(at[1] * 96), int(at[0] * 96)]
                near = click_on(mask, (0.0, 0.0))
                assert near is not None
                assert mask[int(near[1] * 96), int(near[0] * 96)]
                assert sum(near) <= sum(at) + 0.5
    ring = np.ones((9, 9), np.bool_)
    ring[2:7, 2:7] = False
    at = click_on(ring)
    assert at is not None
    assert ring[int(at[1] * 9), int(at[0] * 9)]
    assert click_on(np.zeros((4, 4), np.bool_)) is None


@pytest.mark.parametrize("name", ROOMS)
def test_seen_is_in_the_picture_and_in_reach(name: str) -> None:
    """By the boxes: what is seen is at most 1.5 m away on the floor plane, and shows pixels."""
    for place in range(0, 60, 6):
        room, frame = seen_from(name, place)
        x, _, z = room.camera()
        seen = seen_objects(room, frame)
        for body in room.objects.values():
            gap_x = max(0.0, abs(body.centre[0] - x) - body.size[0] / 2)
            gap_z = max(0.0, abs(body.centre[2] - z) - body.size[2] / 2)
            shown = bool(frame.mask(body.object_id).any())
            assert (body.object_id in seen) == (shown and gap_x**2 + gap_z**2 <= 1.5**2)


def test_a_mask_of_part_of_the_room_is_that_of_the_whole() -> None:
    """What a mask leaves undrawn hides nothing: doors, drawers and lids open or not."""
    rng = np.random.default_rng(0)
    for name in ROOMS:
        scene = load_room(name)
        bodies = tuple(
            replace(body, attributes=replace(Attributes(), is_open=bool(rng.integers(2)))) for body in scene.objects
        )
        scene, whole, part = replace(scene, objects=bodies), Renderer(), Renderer()
        for camera in views(scene, 3, 120):
            frame = whole.frame(scene, camera)
            for body in bodies[::2]:
                assert (part.masks.mask(scene, camera, body.object_id) == frame.mask(body.object_id)).all()
    assert not Renderer().masks.mask(scene, camera, "Nothing|1").any()


def holding(world: ThorWorld) -> str | None:
    return world.room.holding


@lru_cache(maxsize=1)
def before_something() -> tuple[Scene, str, str]:
    """A kitchen, the agent before something that it can pick up and put back."""
    scene, renderer = load_room("FloorPlan7"), Renderer()
    for x, z in scene.grid:
        for turn in range(4):
            standing = replace(scene, agent=Pose(x, z, turn, 30))
            room = Room(standing, ALFRED_SETTINGS)
            frame = renderer.frame(scene, agent_camera(room, 100))
            seen = [one for one in seen_objects(room, frame) if frame.mask(one).sum() > 12]
            apple = next((one for one in seen if room.kind(one).item and room.objects[one].parents), None)
            if apple is not None and (place := room.objects[apple].parents[0]) in seen:
                return standing, apple, place
    raise AssertionError("nothing to pick up")


@pytest.mark.parametrize("teach", [False, True])
def test_a_world_that_is_pointed_at_does_what_is_meant(teach: bool) -> None:
    scene, thing, place = before_something()
    world = PointingWorld(TeachWorld() if teach else ThorWorld(ALFRED_SETTINGS), 300)
    world.reset(scene)
    names = ("Pickup", "Place") if teach else ("PickupObject", "PutObject")
    for name, target in zip(names, (thing, place), strict=True):
        mask = world.frame().mask(target)
        pointed: dict[str, Argument] = {"mask": runs(mask), "forceAction": True}
        if teach:
            at = click_on(mask)
            assert at is not None
            pointed = {"x": at[0], "y": at[1]}
        event = world.step(SimulatorAction(name, pointed))
        assert event.success, event.error_message
        assert world.target == target
        assert (holding(world.world) == thing) == (target == thing)
    told = world.metadata()["objects"]
    assert isinstance(told, list)
    visible = {one["objectId"] for one in told if one["visible"]}
    assert visible == set(seen_objects(world.world.room, world.frame()))


@pytest.mark.parametrize(
    "pointed", [{"mask": []}, {"mask": "all"}, {"mask": [["a", 3], [-1, 5], [4]]}, {"mask": [[99_999_999, 4]]}]
)
def test_what_points_at_nothing_changes_nothing(pointed: dict[str, Argument]) -> None:
    world = PointingWorld(ThorWorld(ALFRED_SETTINGS))
    world.reset(load_room("FloorPlan1"))
    before = world.scene()
    event = world.step(SimulatorAction("PickupObject", pointed))
    assert (event.success, event.error_message, world.target) == (False, NOTHING, None)
    assert world.scene() == before
    clicks = PointingWorld(TeachWorld())
    clicks.reset(load_room("FloorPlan1"))
    for x, y in ((-3, 0.5), (0.5, -9), ("a", 0.5), (None, 0.1)):
        assert not clicks.step(SimulatorAction("Pickup", {"x": x, "y": y})).success
