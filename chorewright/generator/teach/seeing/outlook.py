"""Start states in which the Follower can click on what the task is about: what it would not see lies elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from chorewright.problems.household.containment import ancestors, matters
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.nearness import usual_poses
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest, place_elsewhere
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import TEACH_SETTINGS
from chorewright.replay.teach.clicks import COARSE, within_reach

MOST_MOVES = 8
"""Places that are tried for a thing that is not seen."""


def with_clickable(
    room: Scene,
    scene: Scene,
    kinds: Collection[str],
    request: SpawnRequest,
    renderer: Renderer,
    rng: np.random.Generator,
) -> Scene:
    """Return a scattered scene in which items of some kinds are seen, and in reach, from where they are handled.

    One that is seen from there in none of a few places stays in the last.

    Args:
        room: The room as it was before it was scattered.
        scene: As it is now.
        kinds: What is looked for.
        request: What the scene was scattered for.
        renderer: What draws.
        rng: Decides where things go that are not seen.
    """
    grid = Grid.of(scene, TEACH_LOOK)
    pose_of = poses_of_items(scene, grid)
    for name in [each.object_id for each in scene.objects if each.traits.item and each.kind in kinds]:
        item = next(each for each in scene.objects if each.object_id == name)
        for _ in range(MOST_MOVES):
            if is_clickable(scene, grid, pose_of(item.object_id), item, renderer):
                break
            moved = place_elsewhere(room, scene, item, rng, request)
            if moved is None:
                break
            scene, item = moved
            pose_of = poses_of_items(scene, grid)
    return scene


def poses_of_items(scene: Scene, grid: Grid) -> Callable[[str], Pose | None]:
    """Return what tells of an item, by id, from where it is handled; None if it cannot be reached."""
    return usual_poses(scene, grid, [each for each in scene.objects if matters(each)])


def is_clickable(scene: Scene, grid: Grid, pose: Pose | None, item: SceneObject, renderer: Renderer) -> bool:
    """Return whether an item is seen, and in reach, from where it is handled, with the doors before it open."""
    if pose is None:
        return False
    around = ancestors(item.object_id, {each.object_id: each.parents for each in scene.objects})
    opened = tuple(_open_up(each) if each.object_id in around else each for each in scene.objects)
    camera = camera_at(scene, grid.tilted(pose))
    mask, depths = renderer.masks.with_depths(replace(scene, objects=opened), camera, item.object_id)
    place = pose.x * GRID, scene.agent_y, pose.z * GRID
    return bool(within_reach(mask, depths, camera, place).any())


def camera_at(scene: Scene, pose: Pose) -> Camera:
    """Return the Follower's camera at a pose, for the picture in which clicks are chosen."""
    eye = (pose.x * GRID, scene.agent_y + TEACH_SETTINGS.camera_height, pose.z * GRID)
    return Camera(eye, 90.0 * pose.rotation, float(pose.horizon), TEACH_SETTINGS.field_of_view, COARSE, COARSE)


def _open_up(thing: SceneObject) -> SceneObject:
    shut = thing.traits.closable and not thing.attributes.is_open
    return replace(thing, attributes=replace(thing.attributes, is_open=True)) if shut else thing
