"""Places from which a scattered room's things are seen, before anything is planned.

What a goal is about lies where a demonstrator sees it: from where it would stand for it, or else from another place
nearby. What nobody can see lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from chorewright.files.stopwatch import Timed
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.sight import HALF_VIEW, handles, poses_around, stand_pose
from chorewright.problems.household.spawn import SpawnRequest, place_elsewhere
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld

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
class Sighting:
    """What is handled from where; ``chosen`` is None if that is its usual pose."""

    object_id: str
    chosen: Pose | None


def seen_from(scene: Scene, body: SceneObject, renderer: Renderer) -> Sighting | None:
    """Return from where a thing is seen, or, behind a door, what it lies in; None if from nowhere."""
    bodies = {one.object_id: one for one in scene.objects}
    around = next((bodies[name] for name in body.parents if name in bodies), None)
    target = around if around is not None and around.traits.closable else body
    grid = Grid.of(scene)
    usual = stand_pose(scene, grid, target)
    if usual is None:
        return None
    if _sees(scene, usual, target, renderer):
        return Sighting(target.object_id, None)
    for pose in poses_around(grid, scene.agent_y, target)[:MOST_LOOKS]:
        if _sees(scene, pose, target, renderer):
            return Sighting(target.object_id, pose)
    return None


def _sees(scene: Scene, pose: Pose, thing: SceneObject, renderer: Renderer) -> bool:
    place = (pose.x * GRID, scene.agent_y + ALFRED_SETTINGS.camera_height, pose.z * GRID)
    view = Camera(place, 90.0 * pose.rotation, float(pose.horizon), ALFRED_SETTINGS.field_of_view, SIZE, SIZE)
    return int(renderer.masks.mask(scene, view, thing.object_id).sum()) >= SMALLEST


# Whether the agent sees what it acts on: ALFRED's generator gives up where less than ten pixels show.


@dataclass(slots=True)
class Sight:
    """Looks before each interaction.

    Attributes:
        world: Where the actions are run.
        renderer: What draws; it may serve many attempts.
        hidden: The first action that the agent did not see the target of; empty if there is none.
        target: The id of that target.
        place: Where the agent stood.
        better: What to handle from another pose so that it is seen, by its id at the start, and the pose; None for
            the pose if none shows it.
        tried: The poses from which things have been handled in vain, by their ids at the start.
    """

    world: ThorWorld
    renderer: Renderer = field(default_factory=Renderer)
    hidden: str = ""
    target: str = ""
    place: Pose | None = None
    better: tuple[str, Pose | None] | None = None
    tried: Mapping[str, Collection[Pose]] = field(default_factory=dict)

    def before(self, action: LowAction) -> None:
        """Look for the target of an action, unless one was hidden before; if it is hidden, look from elsewhere."""
        told = action.call.arguments
        target = str(told.get("receptacleObjectId") or told.get("objectId") or "")
        if not target or self.hidden or target == self.world.room.holding or self._seen(target):
            return
        self.hidden = f"{action.name} {target}: the agent does not see it"
        self.target, self.place = target, self.world.room.pose()
        self.better = self._elsewhere(target)

    def after(self, action: LowAction, success: bool) -> None:
        """Do nothing."""

    def begin(self, tried: Mapping[str, Collection[Pose]]) -> None:
        """Forget what was seen, for another run; look from other poses than those that were tried."""
        self.hidden, self.target, self.place, self.better, self.tried = "", "", None, None, tried

    def _seen(self, target: str) -> bool:
        mask = self.renderer.masks.mask(self.world.scene(), agent_camera(self.world.room, SIZE), target)
        return int(mask.sum()) >= SMALLEST

    def _elsewhere(self, target: str) -> tuple[str, Pose | None] | None:
        """Return what decides from where a target is handled, and a pose from which it is seen, if there is one."""
        room = self.world.room
        body, anchor = room.objects.get(target), self._anchor(target)
        if body is None or anchor is None:
            return None
        height = room.origin.agent_y
        before = self.tried.get(anchor.object_id, ())
        looks = 0
        for pose in poses_around(Grid.of(room.origin), height, body):
            if pose in before or not handles(room.origin, pose, anchor, HALF_VIEW):
                continue
            with self._at(pose):
                if room.obstacle_to(body) is None and self._seen(target):
                    return anchor.object_id, pose
            looks += 1
            if looks == MOST_LOOKS:
                break
        return anchor.object_id, None

    def _anchor(self, target: str) -> SceneObject | None:
        """Return what the problem ties the target's pose to: itself, what it works on, or what it now lies in."""
        room = self.world.room
        body = room.objects.get(target)
        if body is None:
            return None
        start = next((one for one in room.origin.objects if one.object_id == target), None)
        if start is not None and start.parents == body.parents:
            worked = [room.objects[name] for name in start.controls if name in room.objects and name != target]
            return worked[0] if worked else body
        fixtures = [room.objects[name] for name in room.around(target) if not room.objects[name].traits.item]
        return fixtures[0] if fixtures else None

    @contextmanager
    def _at(self, pose: Pose) -> Iterator[None]:
        """Put the agent elsewhere for a look."""
        room = self.world.room
        before = room.x, room.z, room.rotation, room.horizon
        room.place_agent(pose)
        try:
            yield
        finally:
            room.x, room.z, room.rotation, room.horizon = before
