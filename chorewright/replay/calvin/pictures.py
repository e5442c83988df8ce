"""Pictures of a table from its state alone: colours, depths and instances, as CALVIN's two cameras see it.

States are stored first and drawn later by our own rasteriser, on one core, without PyBullet and graphics card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from chorewright.problems.calvin.scenes import TableCamera, TabletopScene
from chorewright.replay.calvin.pixels.colouring import BodyPaints, paint
from chorewright.replay.calvin.pixels.painted import (
    LIGHTS,
    STILL,
    Backdrop,
    Bytes,
    Canvas,
    Layer,
    PaintedBodies,
    View,
    bodies_of,
    looks,
    paint_row,
    triangles_of,
)
from chorewright.replay.calvin.pixels.placing import Places, Shine, Work, light, nearest
from chorewright.replay.calvin.posing import Poses, posing_of
from chorewright.replay.drawing import rasteriser
from chorewright.replay.drawing.rasteriser import Lens, Paints, Picture
from chorewright.replay.drawing.solids import Float
from chorewright.replay.drawing.textures import tables as texture_tables
from chorewright.replay.simulator import Frame

CAMERAS = ("static", "gripper")

FURNITURE = 6
"""Numbers at the beginning of ``scene_obs``: joints and lights, which rest in most frames."""

OFTEN = 8
"""States in a row for which a picture of the furniture is worth its while at once."""


class TabletopRenderer:
    """Draws the states of one scene.

    For a camera that stands still, pictures of the furniture in its last states are kept, and blocks and arm are drawn
    over them. The bytes are those of a picture that is drawn anew.
    """

    def __init__(self, scene: TabletopScene) -> None:
        self.scene = scene
        self._posing = posing_of(scene)
        self._bodies, self._furniture = self._posing.bodies, self._posing.furniture
        painted = _shapes_of(scene)
        self._triangles, self._names = some, _ = painted.triangles, painted.names
        self._moving = int(some.starts[STILL])
        self._surfaces = painted.surfaces.copy()
        count = len(some.corners)
        points, seen, shown = (np.empty(some.vertices.shape) for _ in range(3))
        self._work = Work(np.zeros(count, bool), np.empty((count, rasteriser.PLANES)), points, seen, shown)
        self._paints = {
            (at, on): (painted.paints.index(f"{word} off"), paint_row(f"{word} {'on' if on else 'off'}"))
            for at, word in LIGHTS.values()
            for on in (False, True)
        }
        shine = looks()["light"]
        lamps = np.array(shine["lamps"], np.float64)
        lamps[:, 1:] /= np.sqrt((lamps[:, 1:] ** 2).sum(1, keepdims=True))
        self._light = Shine(float(shine["ambient"]), float(shine["upward"]), lamps)
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
        robot, table = np.array(robot_obs, np.float64), np.array(scene_obs, np.float64)
        self._place(self._posing.poses(robot[None], table[None]), 0, table)
        found = []
        for canvas in self._canvases_of(cameras, sizes):
            rgb = np.empty((*canvas.depth.shape, 3), np.uint8)
            self._draw(canvas, rgb, table)
            depth, instances = canvas.depth[1:, :-1].copy(), canvas.instances[1:, :-1].copy()
            depth[(instances < 0) | (depth > canvas.camera.far)] = canvas.camera.far
            found.append(Frame(np.ascontiguousarray(rgb[1:, :-1]), depth, instances, self._names))
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
        robots, tables = np.ascontiguousarray(robot_obs, np.float64), np.ascontiguousarray(scene_obs, np.float64)
        poses = self._posing.poses(robots, tables)
        for some in _alike(tables[:, :FURNITURE]):
            self._place(poses, some.start, tables[some.start])
            for canvas, pictures in zip(canvases, drawn, strict=True):
                self._paint(canvas, poses, tables, some, pictures[some])
        return tuple(pictures[:, 1:, :-1] for pictures in drawn)

    def _paint(self, canvas: Canvas, poses: Poses, tables: Float, some: slice, pictures: Bytes) -> None:
        """Draw the colours of states between which no furniture moves."""
        view, first, poses = canvas.view, 0, Poses(*(each[some] for each in poses))
        below = buffers = canvas.buffers
        if view is not None:
            poses = poses._replace(eyes=view.eye[None], axes=view.axes[None])
            ground, first = self._ground(canvas, view, tables[some.start, :FURNITURE].tobytes(), len(pictures))
            pictures[:] = ground.picture.rgb
            below, buffers = ground.picture.buffers, ground.buffers
        paint(
            (first, self._bodies, self._moving),
            self._triangles,
            poses,
            (canvas.focal, canvas.camera.near),
            self._light,
            BodyPaints(self._surfaces, *texture_tables(), self._background),
            self._work,
            (view is not None, below, buffers),
            pictures,
        )

    def _place(self, poses: Poses, number: int, table: Float) -> None:
        """Take a state: where bodies and the hand's camera are, which lights shine; what may have moved is lit anew."""
        self._places = Places(poses.rotations[number], poses.offsets[number])
        self._hand = View(poses.eyes[number], poses.axes[number])
        self._work.lit[self._moving :] = False
        for at, _ in LIGHTS.values():
            row, surface = self._paints[at, bool(table[at] > 0.5)]
            self._surfaces[row] = surface

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

    def _draw(self, canvas: Canvas, rgb: Bytes, table: Float) -> None:
        """Draw a picture into ``rgb``, the canvas's depths and instances."""
        bodies = self._bodies
        if canvas.view is None:
            self._draw_bodies(canvas, self._hand, canvas.empty(rgb), range(bodies))
            return
        ground, first = self._ground(canvas, canvas.view, table[:FURNITURE].tobytes(), 1)
        self._draw_bodies(canvas, canvas.view, ground.begun(rgb), range(first, bodies))
        ground.restore()

    def _ground(self, canvas: Canvas, view: View, furniture: bytes, states: int) -> tuple[Backdrop, int]:
        """Return a picture to draw over in so many states, and the first body that it does not show.

        It shows the furniture, too, if that is often in the same state.
        """
        ground, last = canvas.kept(furniture), self._furniture
        if ground is not None:
            return ground, last
        still = canvas.kept(b"")
        if still is None:
            picture = canvas.empty(np.empty((*canvas.depth.shape, 3), np.uint8)).duplicate()
            self._draw_bodies(canvas, view, picture, range(STILL))
            still = canvas.keep(b"", picture)
        if not canvas.comes_back(furniture) and states < OFTEN:
            return still, STILL
        picture = still.picture.duplicate()
        self._draw_bodies(canvas, view, picture, range(STILL, last))
        return canvas.keep(furniture, picture), last

    def _draw_bodies(self, canvas: Canvas, view: View, layer: Layer, bodies: range) -> None:
        """Draw bodies over a layer that has those of lower numbers."""
        some = self._triangles
        least = int(some.starts[bodies.start]) if bodies.start else rasteriser.NOTHING
        lens, work = Lens(view.eye, view.axes, canvas.focal, canvas.camera.near), self._work
        nearest((bodies.start, bodies.stop), some, self._places, lens, layer.buffers, work)
        light(layer.buffers.who.ravel(), max(least, 0), some, self._places, self._light, work)
        paints = Paints(some.surface, some.instance, work.planes, self._surfaces)
        buffers = layer.buffers._replace(spans=canvas.buffers.spans)
        picture = Picture(layer.rgb, canvas.depth, canvas.instances)
        rasteriser.shade(buffers, paints, lens, self._background, picture, least)


def _shapes_of(scene: TabletopScene) -> PaintedBodies:
    """Return a scene's triangles; those of the last scene of each name are kept, since they take a while."""
    kept = _SHAPES.get(scene.name)
    if kept is None or kept[0] is not scene:
        kept = _SHAPES[scene.name] = scene, triangles_of(bodies_of(scene))
    return kept[1]


_SHAPES: dict[str, tuple[TabletopScene, PaintedBodies]] = {}


def _alike(rows: Float) -> list[slice]:
    """Return the stretches of equal rows."""
    if len(rows) < 2:
        return [slice(0, 1)] if len(rows) else []
    changes = (np.flatnonzero((rows[1:] != rows[:-1]).any(1)) + 1).tolist()
    return [slice(*each) for each in pairwise((0, *changes, len(rows)))]


def static_view(camera: TableCamera) -> View:
    """Return the place of a camera that stands still."""
    places = (camera.position, camera.target, camera.up)
    eye, target, up = (np.array(place) for place in places if place is not None)
    forward = _unit(target - eye)
    right = _unit(np.cross(forward, up))
    return View(eye, np.stack((right, np.cross(right, forward), forward)))


def gripper_view(scene: TabletopScene, robot_obs: Float) -> View:
    """Return the place of the camera that the hand carries."""
    poses = posing_of(scene).poses(np.array([robot_obs], np.float64), np.zeros((1, 24)))
    return View(poses.eyes[0], poses.axes[0])


def _unit(vector: Float) -> Float:
    return np.asarray(vector / np.sqrt((vector * vector).sum()))
