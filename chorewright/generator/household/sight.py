"""Whether the agent sees what it acts on: ALFRED's generator gives up where less than ten pixels show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from chorewright.generator.household.outlook import MOST_LOOKS, SIZE, SMALLEST
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import Pose, SceneObject
from chorewright.problems.household.stand import HALF_VIEW, handles, poses_around
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.picture import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld


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
        self.target, self.place = target, self._here()
        self.better = self._elsewhere(target)

    def after(self, action: LowAction, success: bool) -> None:
        """Do nothing."""

    def begin(self, tried: Mapping[str, Collection[Pose]]) -> None:
        """Forget what was seen, for another run; look from other poses than those that were tried."""
        self.hidden, self.target, self.place, self.better, self.tried = "", "", None, None, tried

    def _seen(self, target: str) -> bool:
        mask = self.renderer.masks.mask(self.world.scene(), agent_camera(self.world.room, SIZE), target)
        return int(mask.sum()) >= SMALLEST

    def _here(self) -> Pose:
        room = self.world.room
        return Pose(round(room.x), round(room.z), round(room.rotation / 90) % 4, round(room.horizon))

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
        room.x, room.z, room.rotation, room.horizon = pose.x, pose.z, 90.0 * pose.rotation, float(pose.horizon)
        try:
            yield
        finally:
            room.x, room.z, room.rotation, room.horizon = before
