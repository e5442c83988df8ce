"""Pictures of a table from its state alone: colours, depths and instances, as CALVIN's two cameras see it.

States are stored first and drawn later by our own rasteriser, on one core, without PyBullet and graphics card.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chorewright.problems.tabletop.scenes import Camera, TabletopScene
from chorewright.replay.simulator import Frame
from chorewright.replay.tabletop.canvases import Bytes, Canvas, Ground, Layer, View
from chorewright.replay.tabletop.painted import LIGHTS, STILL, bodies_of, looks, paint_row, triangles_of
from chorewright.replay.tabletop.placing import light, nearest
from chorewright.replay.tabletop.posing import posing_of
from chorewright.replay.thor.pixels import rasteriser
from chorewright.replay.thor.pixels.solids import Float

CAMERAS = ("static", "gripper")

FURNITURE = 6
"""Numbers at the beginning of ``scene_obs``: joints and lights, which rest in most frames."""


class TabletopRenderer:
    """Draws the states of one scene.

    For a camera that stands still, pictures of the furniture in its last states are kept, and blocks and arm are drawn
    over them. The bytes are those of a picture that is drawn anew.
    """

    def __init__(self, scene: TabletopScene) -> None:
        self.scene = scene
        self._posing = posing_of(scene)
        self._triangles = some = triangles_of(bodies_of(scene))
        self._surfaces = some.surfaces.copy()
        self._vertices = tuple(np.empty(some.vertices.shape) for _ in range(3))
        self._planes = np.empty((len(some.corners), rasteriser.PLANES))
        self._lit = np.zeros(len(some.corners), bool)
        bodies = self._posing.bodies
        self._rotations, self._offsets = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
        self._hand = View(np.empty(3), np.empty((3, 3)))
        self._paints = {
            (at, on): (some.paints.index(f"{word} off"), paint_row(f"{word} {'on' if on else 'off'}"))
            for at, word in LIGHTS.values()
            for on in (False, True)
        }
        shine = looks()["light"]
        lamps = np.array(shine["lamps"], np.float64)
        lamps[:, 1:] /= np.sqrt((lamps[:, 1:] ** 2).sum(1, keepdims=True))
        self._light = float(shine["ambient"]), float(shine["upward"]), lamps
        self._background = np.array(looks()["background"], np.uint8)
        self._canvases: dict[tuple[str, int], Canvas] = {}

    def frames(
        self,
        robot_obs: Sequence[float] | Float,
        scene_obs: Sequence[float] | Float,
        cameras: Sequence[str] = CAMERAS,
        sizes: Sequence[int] | None = None,
    ) -> tuple[Frame, ...]:
        """Return what each camera sees.

        Args:
            robot_obs: CALVIN's 15 numbers of the arm; the opening of the hand and the joints are drawn.
            scene_obs: CALVIN's 24 numbers of the scene, the blocks in the scene's order.
            cameras: ``static`` and ``gripper``.
            sizes: Pixels on a side for each camera; by default CALVIN's, 200 and 84.

        Returns:
            A ``Frame`` for each camera; depths are metres along the line of sight's forward axis, at most
            the camera's far plane.
        """
        table = np.asarray(scene_obs, np.float64)
        self._pose(np.asarray(robot_obs, np.float64), table)
        found = []
        for canvas in self._canvases_of(cameras, sizes):
            rgb = np.empty((*canvas.depth.shape, 3), np.uint8)
            self._draw(canvas, rgb, table, whole=True)
            depth, instances = canvas.depth[1:, :-1].copy(), canvas.instances[1:, :-1].copy()
            depth[(instances < 0) | (depth > canvas.camera.far)] = canvas.camera.far
            found.append(Frame(np.ascontiguousarray(rgb[1:, :-1]), depth, instances, self._triangles.names))
        return tuple(found)

    def colours(
        self, robot_obs: Float, scene_obs: Float, cameras: Sequence[str] = CAMERAS, sizes: Sequence[int] | None = None
    ) -> tuple[Bytes, ...]:
        """Return the colours alone of what each camera sees in several states.

        Args:
            robot_obs: (n, 15) as of ``frames``.
            scene_obs: (n, 24).
            cameras: ``static`` and ``gripper``.
            sizes: Pixels on a side for each camera.

        Returns:
            For each camera (n, size, size, 3), the same bytes as the frames'; rows are not side by side in memory.
        """
        canvases = self._canvases_of(cameras, sizes)
        drawn: list[Bytes] = [np.empty((len(robot_obs), *each.depth.shape, 3), np.uint8) for each in canvases]
        for number, (robot, table) in enumerate(zip(robot_obs, scene_obs, strict=True)):
            self._pose(robot, table)
            for canvas, pictures in zip(canvases, drawn, strict=True):
                self._draw(canvas, pictures[number], table, whole=False)
        return tuple(pictures[:, 1:, :-1] for pictures in drawn)

    def _pose(self, robot: Float, table: Float) -> None:
        """Place the bodies and the hand's camera; light must fall anew on all that may have moved."""
        self._posing.pose(robot, table, self._rotations, self._offsets, self._hand.eye, self._hand.axes)
        self._lit[self._triangles.starts[STILL] :] = False
        for at, _ in LIGHTS.values():
            row, paint = self._paints[at, bool(table[at] > 0.5)]
            self._surfaces[row] = paint

    def _canvases_of(self, cameras: Sequence[str], sizes: Sequence[int] | None) -> list[Canvas]:
        found = []
        for number, name in enumerate(cameras):
            camera = self.scene.cameras[name]
            size = camera.size if sizes is None else sizes[number]
            if (name, size) not in self._canvases:
                view = None if name == "gripper" else static_view(camera)
                self._canvases[name, size] = Canvas(camera, view, size)
            found.append(self._canvases[name, size])
        return found

    def _draw(self, canvas: Canvas, rgb: Bytes, table: Float, *, whole: bool) -> None:
        """Draw a picture into ``rgb``; fill all of the canvas's depths and instances, or where something may move."""
        bodies = self._posing.bodies
        if canvas.view is None:
            self._draw_bodies(canvas, self._hand, canvas.empty(rgb), range(bodies), whole=True)
            return
        ground, first = self._ground(canvas, canvas.view, table[:FURNITURE].tobytes())
        self._draw_bodies(canvas, canvas.view, ground.begun(rgb), range(first, bodies), whole=whole)

    def _ground(self, canvas: Canvas, view: View, furniture: bytes) -> tuple[Ground, int]:
        """Return a picture to draw over, and the first body that it does not show.

        It shows the furniture, too, from the second time on that this is in the same state.
        """
        ground, last = canvas.kept(furniture), self._posing.furniture
        if ground is not None:
            return ground, last
        still = canvas.kept(b"")
        if still is None:
            picture = canvas.empty(np.empty((*canvas.depth.shape, 3), np.uint8)).copy()
            self._draw_bodies(canvas, view, picture, range(STILL), whole=True)
            still = canvas.keep(b"", picture)
        if not canvas.comes_back(furniture):
            return still, STILL
        picture = still.copy()
        self._draw_bodies(canvas, view, picture, range(STILL, last), whole=True)
        return canvas.keep(furniture, picture), last

    def _draw_bodies(self, canvas: Canvas, view: View, layer: Layer, bodies: range, *, whole: bool) -> None:
        """Draw bodies over a layer that has those of lower numbers; colour all of it, or where they may be."""
        some = self._triangles
        least = int(some.starts[bodies.start]) if bodies.start else rasteriser.NOTHING
        drawn = canvas.all if whole else layer.spans
        nearest(
            bodies.start,
            bodies.stop,
            some.starts,
            some.corners,
            some.faces,
            some.vertex_starts,
            some.vertices,
            some.spheres,
            self._rotations,
            self._offsets,
            view.eye,
            view.axes,
            canvas.focal,
            canvas.camera.near,
            layer.near,
            layer.who,
            layer.spans,
            *self._vertices,
        )
        light(
            layer.who,
            drawn,
            max(least, 0),
            self._lit,
            some.normals,
            some.slopes,
            some.textures,
            some.body,
            some.corners,
            self._rotations,
            self._offsets,
            self._vertices[0],
            *self._light,
            self._planes,
        )
        rasteriser.shade(
            layer.near,
            layer.who,
            some.surface,
            some.instance,
            self._planes,
            self._surfaces,
            rasteriser.LATTICE,
            view.eye,
            view.axes,
            canvas.focal,
            self._background,
            layer.rgb,
            canvas.depth,
            canvas.instances,
            least,
            drawn,
        )


def static_view(camera: Camera) -> View:
    """Return the place of a camera that stands still."""
    places = (camera.position, camera.target, camera.up)
    eye, target, up = (np.array(place) for place in places if place is not None)
    forward = _unit(target - eye)
    right = _unit(np.cross(forward, up))
    return View(eye, np.stack((right, np.cross(right, forward), forward)))


def gripper_view(scene: TabletopScene, robot_obs: Float) -> View:
    """Return the place of the camera that the hand carries."""
    posing, view = posing_of(scene), View(np.empty(3), np.empty((3, 3)))
    rotations, offsets = np.empty((posing.bodies, 3, 3)), np.empty((posing.bodies, 3))
    posing.pose(robot_obs, np.zeros(24), rotations, offsets, view.eye, view.axes)
    return view


def _unit(vector: Float) -> Float:
    return np.asarray(vector / np.sqrt((vector * vector).sum()))
