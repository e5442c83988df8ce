"""Cameras in rooms: the agent's own, one behind it that sees its body, and one that looks down on the whole room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, radians, sin

from chorewright.generator.showing.moments import EpisodeCamera
from chorewright.generator.showing.views import CameraRequest, CameraView
from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.scene import Bystander, Scene
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.map_view import map_camera
from chorewright.replay.household.pixels.walls import bounds
from chorewright.replay.household.room import Room

AGENT, BEHIND, MAP = "agent", "third-person", "map"
"""The kinds of cameras."""

KINDS = {AGENT: ("fov", "height"), BEHIND: ("fov", "height"), MAP: ()}
"""What each kind takes."""

SIZE = 300
"""Pixels on a side where the user names none."""

DISTANCE, NEAREST, ABOVE, WIDE = 1.2, 0.3, 1.9, 90.0
"""The camera behind the agent: metres behind it, at least where a wall is near, and above the floor; field of view."""

FROM_WALLS = 0.45
"""Metres that this camera keeps from the walls, where windows and curtains hang."""

AHEAD, AIM = 0.3, 0.9
"""Metres before the agent and above the floor of what it looks at."""

ACROSS = 1e-6
"""Of a unit vector, less than which it does not lead to a wall."""

BODY = "agent_0"
"""The agent's body in the pictures of others."""


@dataclass(frozen=True, slots=True)
class RoomCamera(EpisodeCamera):
    """A camera in a room.

    Attributes:
        kind: One of ``KINDS``.
        fov: Degrees of the picture's height; None for the usual ones.
        above: Metres above the floor; None for the usual ones.
        look: The number of a look; 0 for the usual one.
    """

    kind: str = AGENT
    fov: float | None = None
    above: float | None = None
    look: int = 0

    def place_in(self, room: Room, scene: Scene, size: int) -> Camera:
        """Return the camera where it is now, for pictures so many pixels high."""
        if self.kind == MAP:
            return replace(map_camera(scene, size, self.aspect), width=self.width(size))
        own = agent_camera(room, size)
        floor = scene.agent_y - PIVOT
        x, y, z = own.position
        fov, above, horizon = self.fov, self.above, own.horizon
        if self.kind == BEHIND:
            turn, above = radians(own.rotation), ABOVE if above is None else above
            far = _room_behind(scene, x, z, turn)
            x, z = round(x - far * sin(turn), 9), round(z - far * cos(turn), 9)
            fov, horizon = fov or WIDE, round(degrees(atan2(above - AIM, far + AHEAD)), 6)
        return Camera(
            (x, y if above is None else floor + above, z),
            own.rotation,
            horizon,
            own.field_of_view if fov is None else fov,
            self.width(size),
            size,
        )

    def sees(self, scene: Scene) -> Scene:
        """Return what it sees: others than the agent's own cameras see its body."""
        if self.kind == AGENT:
            return scene
        return replace(scene, bystanders=(*scene.bystanders, Bystander(BODY, scene.agent)))


def _room_behind(scene: Scene, x: float, z: float, turn: float) -> float:
    """Return how far behind the agent its camera is: as usual, or as far as the walls allow."""
    west, _, south, east, _, north = bounds(scene)
    far = DISTANCE
    for at, way, low, high in ((x, -sin(turn), west, east), (z, -cos(turn), south, north)):
        if abs(way) > ACROSS:
            far = min(far, ((high - FROM_WALLS if way > 0 else low + FROM_WALLS) - at) / way)
    return max(NEAREST, far)


USUAL_CAMERAS = (RoomCamera(AGENT, SIZE),)


def room_cameras(view: CameraView) -> Sequence[RoomCamera]:
    """Return the cameras of a view.

    Raises:
        UsageError: There are none such.
    """
    return [_room_camera(each) for each in view.requests(CameraRequest(AGENT, AGENT), KINDS)]


def _room_camera(request: CameraRequest) -> RoomCamera:
    width, height = request.size or (SIZE, SIZE)
    return RoomCamera(request.name, height, width / height, request.kind, request.fov, request.height, request.look)
