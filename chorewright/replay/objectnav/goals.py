"""From where a target is visible: in reach, in the picture, behind no wall or door, and not hidden by other things."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.problems.household.scene import GRID, Point, Pose, Scene, SceneObject
from chorewright.replay.household.picture import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import Room
from chorewright.replay.household.visibility import floor_distance, in_view
from chorewright.replay.objectnav.task import HORIZONS, PIXELS, SETTINGS, SIZE


class Goals:
    """The poses in a scene from which a thing of a kind is visible. What was found out is kept.

    Attributes:
        bodies: The things of the kind that are not shut in.
    """

    def __init__(self, scene: Scene, target: str, renderer: Renderer) -> None:
        self._room = Room(scene, SETTINGS)
        self._scene, self._renderer = scene, renderer
        things = (body for body in scene.objects if body.kind == target and not body.consumed)
        self.bodies = tuple(body for body in things if self._room.closed_around(body.object_id) is None)
        self._seen: dict[Pose, bool] = {}

    def only(self, body: SceneObject) -> Goals:
        """Return the goals if one thing were the only one of its kind."""
        found = Goals(self._scene, body.kind, self._renderer)
        found.bodies = tuple(each for each in found.bodies if each.object_id == body.object_id)
        return found

    def is_near(self, point: Point) -> bool:
        """Return whether a thing is in reach from a point, seen or not."""
        place = (point[0] * GRID, 0.0, point[1] * GRID)
        return any(floor_distance(place, body.centre, body.size) <= SETTINGS.reach for body in self.bodies)

    def poses(self, point: Point) -> Iterator[Pose]:
        """Yield the poses at a point from which a thing is visible."""
        if self.is_near(point):
            poses = (Pose(*point, rotation, horizon) for rotation in range(4) for horizon in HORIZONS)
            yield from (pose for pose in poses if self.sees(pose))

    def shows(self, point: Point) -> bool:
        """Return whether a thing is visible from some pose at a point."""
        return next(self.poses(point), None) is not None

    def sees(self, pose: Pose) -> bool:
        """Return whether a thing is visible from a pose."""
        found = self._seen.get(pose)
        if found is None:
            _stand(self._room, pose)
            found = any(self._room.visible(body) and self._shown(body) for body in self.bodies)
            self._seen[pose] = found
        return found

    def seen_afar(self, pose: Pose) -> Iterator[SceneObject]:
        """Yield the things that are in the picture from a pose, however far they are."""
        _stand(self._room, pose)
        camera, planes = self._room.camera(), self._room.view(0.0)
        building = self._scene.building
        for body in self.bodies:
            unwalled = building is None or building.shows(camera[0], camera[2], body.centre, body.size)
            if unwalled and in_view(planes, camera, body.centre, body.size) and self._shown(body):
                yield body

    def _shown(self, body: SceneObject) -> bool:
        mask = self._renderer.masks.mask(self._scene, agent_camera(self._room, SIZE), body.object_id)
        return int(mask.sum()) >= PIXELS


def _stand(room: Room, pose: Pose) -> None:
    room.x, room.z, room.rotation, room.horizon = pose.x, pose.z, 90.0 * pose.rotation, float(pose.horizon)
