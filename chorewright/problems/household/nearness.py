"""Nearness: the poses from which each thing of a scene can be handled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from chorewright.problems.household.navigation import LOOK, Grid
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.problems.household.stand import HALF_VIEW, HIGHEST, LOWEST, handles, stand_pose

_AS_USUAL: Mapping[str, Pose] = {}


def touching(
    scene: Scene, grid: Grid, things: Sequence[SceneObject], chosen: Mapping[str, Pose] = _AS_USUAL
) -> Iterator[tuple[str, Pose]]:
    """Yield object ids and poses: from that pose the agent sees and reaches the object.

    An item has one pose: its own, if it lies on furniture or if both it and the container around it are
    touched from there; else that of what it lies in. The furniture that an item lies in is near the item's
    pose too. A switch is touched from wherever what it works on is touched and the switch is at hand, as
    ALFRED's demonstrators turn on the tap at the sink. What is held, what lies in it, and what cannot be
    reached on foot from the agent's pose has no pose.

    Args:
        scene: The scene.
        grid: Its navigable grid.
        things: The objects that matter; others are left out.
        chosen: The poses of some things, by id, where the usual ones will not do.
    """
    found = _Touching(scene, grid, things, chosen)
    for thing in things:
        pose = found.pose(thing.object_id)
        if pose is None or scene.holding in (thing.object_id, *thing.parents):
            continue
        yield thing.object_id, pose
        touched = [thing.object_id]
        if thing.traits.item:
            touched += [name for name in thing.parents if name in found.things and not found.is_item(name)]
        for name in touched[1:]:
            yield name, pose
        for switch in dict.fromkeys(switch for name in touched for switch in found.switches.get(name, ())):
            if found.at_hand(pose, found.things[switch]):
                yield switch, pose


def usual_poses(scene: Scene, grid: Grid, things: Sequence[SceneObject]) -> Callable[[str], Pose | None]:
    """Return what tells of a thing, by id, the pose that ``touching`` yields first; None if it cannot be reached."""
    return _Touching(scene, grid, things, _AS_USUAL).pose


class _Touching:
    """The main pose of each thing, computed when it is asked for."""

    def __init__(self, scene: Scene, grid: Grid, things: Sequence[SceneObject], chosen: Mapping[str, Pose]) -> None:
        self.scene, self.grid = scene, grid
        self.things = {thing.object_id: thing for thing in things}
        self.walkable = grid.reachable(scene.agent)
        self.switches: dict[str, list[str]] = {}
        for thing in things:
            for controlled in self._find_controls(thing):
                self.switches.setdefault(controlled, []).append(thing.object_id)
        self._found: dict[str, Pose | None] = dict(chosen)

    def is_item(self, name: str) -> bool:
        return self.things[name].traits.item

    def at_hand(self, pose: Pose, thing: SceneObject) -> bool:
        """Whether a thing is in reach and partly in ALFRED's picture."""
        return handles(self.scene, pose, thing, HALF_VIEW)

    def pose(self, name: str) -> Pose | None:
        if name not in self._found:
            self._found[name] = self._pose(self.things[name])
        return self._found[name]

    def _pose(self, thing: SceneObject) -> Pose | None:
        if thing.traits.item:
            around = next((self.things[name] for name in thing.parents if name in self.things), None)
            if around is None:
                return self._standing(thing)
            if around.traits.item:
                return self.pose(around.object_id)
            own = self._standing(thing)
            if around.traits.closable and (own is None or not self.at_hand(own, around)):
                return self.pose(around.object_id)
            return own
        controlled = self._find_controls(thing)
        if not controlled:
            return self._before_switches(thing)
        shared = (self.pose(name) for name in controlled)
        return next((pose for pose in shared if pose and self.at_hand(pose, thing)), None) or self._standing(thing)

    def _before_switches(self, thing: SceneObject) -> Pose | None:
        """The best place; tilted, or the switch's, if only so the thing and its switch are both at hand."""
        pose = self._standing(thing)
        for name in self.switches.get(thing.object_id, ()):
            switch = self.things[name]
            if pose is None or self.at_hand(pose, switch):
                continue
            for other in (*_tilt(pose), self._standing(switch)):
                if other is not None and self.at_hand(other, thing) and self.at_hand(other, switch):
                    return other
        return pose

    def _standing(self, thing: SceneObject) -> Pose | None:
        pose = stand_pose(self.scene, self.grid, thing)
        return pose if pose is not None and (pose.x, pose.z) in self.walkable else None

    def _find_controls(self, thing: SceneObject) -> list[str]:
        return [name for name in thing.controls if name in self.things and name != thing.object_id]


def _tilt(pose: Pose) -> Iterator[Pose]:
    for steps in (-1, 1, -2, 2):
        horizon = pose.horizon + steps * LOOK
        if HIGHEST <= horizon <= LOWEST:
            yield replace(pose, horizon=horizon)
