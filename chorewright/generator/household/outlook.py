"""Places from which a scattered room's things are seen, before anything is planned.

What a goal is about lies where a demonstrator sees it: from where it would stand for it, or else from another place
nearby. What nobody can see lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from chorewright.files.stopwatch import Timed
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest, place_elsewhere
from chorewright.problems.household.stand import item_pose, poses_around, reaches, stand_pose
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS

SIZE = 300
"""Pixels on a side of ALFRED's pictures."""

SMALLEST = 14
"""Pixels of the smallest mask in ALFRED's data; of which less is seen, that is hidden."""

MOST_LOOKS = 16
"""Poses from which a hidden thing is looked for."""

MOST_MOVES = 8
"""Places that are tried for a thing that nobody can see."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A scene whose goal's things can be seen, and from where those are handled that are hidden as one would stand."""

    scene: Scene
    chosen: Mapping[str, Pose]


@Timed("spawn")
def with_outlook(
    room: Scene,
    scene: Scene,
    request: SpawnRequest,
    renderer: Renderer,
    rng: np.random.Generator,
    kept: Collection[str] = (),
) -> Outlook:
    """Return a spawned scene in which the items of the kinds that the request counts are seen from somewhere.

    Args:
        room: The room as it was before it was scattered.
        scene: As it is now.
        request: What the spawn provided.
        renderer: What draws.
        rng: Decides where hidden things go.
        kept: Kinds that stay where they are.
    """
    chosen: dict[str, Pose] = {}
    names = [one.object_id for one in scene.objects if one.kind in request.counts and one.kind not in kept]
    for name in names:
        body = next(one for one in scene.objects if one.object_id == name)
        for _ in range(MOST_MOVES):
            found = seen_from(scene, body, renderer)
            if found is not None:
                if found.chosen is not None:
                    chosen[found.object_id] = found.chosen
                break
            moved = place_elsewhere(room, scene, body, rng, request)
            if moved is None:
                break
            scene, body = moved
    return Outlook(scene, chosen)


@dataclass(frozen=True, slots=True)
class Found:
    """What is handled from where; ``chosen`` is None if that is its usual pose."""

    object_id: str
    chosen: Pose | None


def seen_from(scene: Scene, body: SceneObject, renderer: Renderer) -> Found | None:
    """Return from where a thing is seen, or, behind a door, what it lies in; None if from nowhere."""
    bodies = {one.object_id: one for one in scene.objects}
    around = next((bodies[name] for name in body.parents if name in bodies), None)
    target = around if around is not None and around.traits.closable else body
    grid = Grid.of(scene)
    usual = _usual(scene, grid, target)
    if usual is None:
        return None
    if _sees(scene, usual, target, renderer):
        return Found(target.object_id, None)
    for pose in poses_around(grid, scene.agent_y, target)[:MOST_LOOKS]:
        if _sees(scene, pose, target, renderer):
            return Found(target.object_id, pose)
    return None


def _usual(scene: Scene, grid: Grid, thing: SceneObject) -> Pose | None:
    if thing.traits.item:
        pose = item_pose(grid, scene.agent_y, thing.position)
        if pose is not None and reaches(pose, scene.agent_y, thing.centre, thing.size):
            return pose
    return stand_pose(scene, grid, thing)


def _sees(scene: Scene, pose: Pose, thing: SceneObject, renderer: Renderer) -> bool:
    place = (pose.x * GRID, scene.agent_y + ALFRED_SETTINGS.camera_height, pose.z * GRID)
    view = Camera(place, 90.0 * pose.rotation, float(pose.horizon), ALFRED_SETTINGS.field_of_view, SIZE, SIZE)
    return int(renderer.masks.mask(scene, view, thing.object_id).sum()) >= SMALLEST
