"""Pictures of a table from its state alone: colours, depths and instances, as CALVIN's two cameras see it.

States are stored first and drawn later by our own rasteriser, on one core, without PyBullet and graphics card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.problems.calvin.scenes import TableCamera, TabletopScene
from chorewright.problems.calvin.scenes import scene as scene_named
from chorewright.replay.calvin.arm import arm_chain, follow, rotation_from_euler
from chorewright.replay.calvin.pixels import painted
from chorewright.replay.calvin.pixels.colouring import BodyPaints, paint
from chorewright.replay.calvin.pixels.placing import Places, Shine, Work, light, nearest
from chorewright.replay.calvin.shapes import geometry, table_links
from chorewright.replay.calvin.snapshot import JOINTS
from chorewright.replay.drawing import rasteriser
from chorewright.replay.drawing.rasteriser import Lens, Paints, Picture
from chorewright.replay.drawing.solids import Float
from chorewright.replay.drawing.textures import tables as texture_tables
from chorewright.replay.simulator import Frame

# Where the bodies of a table and the hand's camera are in a state, by one compiled kernel.
#
# The chain of the arm is that of ``arm.frames``, which adds its products up in a fixed order: pictures have the same
# bytes everywhere.


MOUNT = (-0.1, 0.0, 0.0), (1.3, 0.0, -1.57)
"""Where the hand carries its camera: metres and Euler angles in the hand's frame; it looks along its y."""

FINGERS = 2


class Poses(NamedTuple):
    """Places in several states: of the bodies (k, n, 3, 3) and (k, n, 3), of the hand's camera (k, 3) and (k, 3, 3)."""

    rotations: Float
    offsets: Float
    eyes: Float
    axes: Float


class Posing(NamedTuple):
    """What the places of a scene's bodies follow from: the floor, the table's links, blocks, arm, and both fingers.

    Attributes:
        origins, directions: (l, 3) of the table's links, and how a joint moves them.
        joints: (l,) the joint's place in ``scene_obs``, or -1.
        blocks: How many blocks there are.
        links: (10, 4, 4) the arm's base, what leads to each of the seven joints, to the hand and to the tool.
        finger: How far before the hand the fingers begin.
        mount: (4, 3) rotation of the hand's camera in the hand's frame, and its place.
    """

    origins: Float
    directions: Float
    joints: NDArray[np.int64]
    blocks: int
    links: Float
    finger: float
    mount: Float

    @property
    def furniture(self) -> int:
        """How many bodies the floor and the table's links are; they come first."""
        return 1 + len(self.origins)

    @property
    def bodies(self) -> int:
        """How many bodies there are."""
        return self.furniture + self.blocks + len(self.links) - 1 + FINGERS

    def poses(self, robot_obs: Float, scene_obs: Float) -> Poses:
        """Return where all is in states of the arm (k, 15) and of the scene (k, 24)."""
        count = len(robot_obs)
        found = Poses(
            np.empty((count, self.bodies, 3, 3)),
            np.empty((count, self.bodies, 3)),
            np.empty((count, 3)),
            np.empty((count, 3, 3)),
        )
        _pose_all(self, robot_obs, scene_obs, found)
        return found


def posing_of(scene: TabletopScene) -> Posing:
    """Return what the places of a scene's bodies follow from."""
    links = table_links(scene)
    return Posing(
        origins=np.array([link.origin for link in links]),
        directions=np.array([link.joint[1].direction if link.joint else (0.0, 0.0, 0.0) for link in links]),
        joints=np.array([JOINTS.index(link.joint[0]) if link.joint else -1 for link in links], np.int64),
        blocks=len(scene.blocks),
        links=arm_chain().parts,
        finger=float(geometry()["arm"]["finger"]["height"]),
        mount=np.concatenate((rotation_from_euler(MOUNT[1]), [MOUNT[0]])),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _pose(p: Any, robot: Any, table: Any, rotations: Any, offsets: Any, eye: Any, axes: Any) -> None:
    origins, directions, joints, blocks, links, finger, mount = p
    rotations[:] = 0.0
    offsets[0] = 0.0
    for body in range(1 + origins.shape[0]):
        for i in range(3):
            rotations[body, i, i] = 1.0
    for link in range(origins.shape[0]):
        opening = table[joints[link]] if joints[link] >= 0 else 0.0
        for i in range(3):
            offsets[1 + link, i] = origins[link, i] + directions[link, i] * opening
    body = 1 + origins.shape[0]
    for block in range(blocks):
        at = 6 + 6 * block
        ca, sa = cos(table[at + 3]), sin(table[at + 3])
        cb, sb = cos(table[at + 4]), sin(table[at + 4])
        cc, sc = cos(table[at + 5]), sin(table[at + 5])
        turn = rotations[body]  # as rotation_from_euler
        turn[0, 0], turn[0, 1], turn[0, 2] = cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa
        turn[1, 0], turn[1, 1], turn[1, 2] = sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa
        turn[2, 0], turn[2, 1], turn[2, 2] = -sb, cb * sa, cb * ca
        for i in range(3):
            offsets[body, i] = table[at + i]
        body += 1
    chain, last = np.empty_like(links), links.shape[0] - 2
    follow(links, robot[7:], chain)
    for link in range(last + 1):
        rotations[body] = chain[link, :3, :3]
        offsets[body] = chain[link, :3, 3]
        body += 1
    frame = chain[last]
    for side in range(2):
        apart = (1.0 - 2.0 * side) * robot[6] / 2.0
        rotations[body] = frame[:3, :3]
        for i in range(3):
            offsets[body, i] = frame[i, 3] + (frame[i, 1] * apart + frame[i, 2] * finger)
        body += 1
    for i in range(3):
        eye[i] = frame[i, 3] + (frame[i, 0] * mount[3, 0] + frame[i, 1] * mount[3, 1] + frame[i, 2] * mount[3, 2])
        for k in range(1, 3):
            along = frame[i, 0] * mount[0, k] + frame[i, 1] * mount[1, k] + frame[i, 2] * mount[2, k]
            if k == 1:
                axes[2, i] = along
            else:
                axes[1, i] = -along
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        axes[0, i] = axes[2, j] * axes[1, k] - axes[2, k] * axes[1, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _pose_all(p: Any, robot: Any, table: Any, found: Any) -> None:
    rotations, offsets, eyes, axes = found
    for n in range(robot.shape[0]):
        _pose(p, robot[n], table[n], rotations[n], offsets[n], eyes[n], axes[n])


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
        shapes = _shapes_of(scene)
        self._triangles, self._names = some, _ = shapes.triangles, shapes.names
        self._moving = int(some.starts[painted.STILL])
        self._surfaces = shapes.surfaces.copy()
        count = len(some.corners)
        points, seen, shown = (np.empty(some.vertices.shape) for _ in range(3))
        self._work = Work(np.zeros(count, bool), np.empty((count, rasteriser.PLANES)), points, seen, shown)
        self._paints = {
            (at, on): (shapes.paints.index(f"{word} off"), painted.paint_row(f"{word} {'on' if on else 'off'}"))
            for at, word in painted.LIGHTS.values()
            for on in (False, True)
        }
        shine = painted.looks()["light"]
        lamps = np.array(shine["lamps"], np.float64)
        lamps[:, 1:] /= np.sqrt((lamps[:, 1:] ** 2).sum(1, keepdims=True))
        self._light = Shine(float(shine["ambient"]), float(shine["upward"]), lamps)
        self._background = np.array(painted.looks()["background"], np.uint8)
        self._canvases: dict[tuple[str, int], painted.Canvas] = {}

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
    ) -> tuple[painted.Bytes, ...]:
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
        drawn: list[painted.Bytes] = [np.empty((len(robot_obs), *each.depth.shape, 3), np.uint8) for each in canvases]
        robots, tables = np.ascontiguousarray(robot_obs, np.float64), np.ascontiguousarray(scene_obs, np.float64)
        poses = self._posing.poses(robots, tables)
        for some in _alike(tables[:, :FURNITURE]):
            self._place(poses, some.start, tables[some.start])
            for canvas, pictures in zip(canvases, drawn, strict=True):
                self._paint(canvas, poses, tables, some, pictures[some])
        return tuple(pictures[:, 1:, :-1] for pictures in drawn)

    def _paint(self, canvas: painted.Canvas, poses: Poses, tables: Float, some: slice, pictures: painted.Bytes) -> None:
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
        self._hand = painted.View(poses.eyes[number], poses.axes[number])
        self._work.lit[self._moving :] = False
        for at, _ in painted.LIGHTS.values():
            row, surface = self._paints[at, bool(table[at] > 0.5)]
            self._surfaces[row] = surface

    def _canvases_of(self, cameras: Sequence[str], sizes: Sequence[int] | None) -> list[painted.Canvas]:
        found = []
        for number, name in enumerate(cameras):
            camera = self.scene.cameras[name]
            size = camera.size if sizes is None else sizes[number]
            if (name, size) not in self._canvases:
                view = None if name == "gripper" else static_view(camera)
                self._canvases[name, size] = painted.Canvas(camera, view, size)
            found.append(self._canvases[name, size])
        return found

    def _draw(self, canvas: painted.Canvas, rgb: painted.Bytes, table: Float) -> None:
        """Draw a picture into ``rgb``, the canvas's depths and instances."""
        bodies = self._bodies
        if canvas.view is None:
            self._draw_bodies(canvas, self._hand, canvas.empty(rgb), range(bodies))
            return
        ground, first = self._ground(canvas, canvas.view, table[:FURNITURE].tobytes(), 1)
        self._draw_bodies(canvas, canvas.view, ground.begun(rgb), range(first, bodies))
        ground.restore()

    def _ground(
        self, canvas: painted.Canvas, view: painted.View, furniture: bytes, states: int
    ) -> tuple[painted.Backdrop, int]:
        """Return a picture to draw over in so many states, and the first body that it does not show.

        It shows the furniture, too, if that is often in the same state.
        """
        ground, last = canvas.kept(furniture), self._furniture
        if ground is not None:
            return ground, last
        still = canvas.kept(b"")
        if still is None:
            picture = canvas.empty(np.empty((*canvas.depth.shape, 3), np.uint8)).duplicate()
            self._draw_bodies(canvas, view, picture, range(painted.STILL))
            still = canvas.keep(b"", picture)
        if not canvas.comes_back(furniture) and states < OFTEN:
            return still, painted.STILL
        picture = still.picture.duplicate()
        self._draw_bodies(canvas, view, picture, range(painted.STILL, last))
        return canvas.keep(furniture, picture), last

    def _draw_bodies(self, canvas: painted.Canvas, view: painted.View, layer: painted.Layer, bodies: range) -> None:
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


class TabletopRenderers(dict[str, TabletopRenderer]):
    """What draws each scene, by its name; made once, since for a single state that takes longer than drawing."""

    def __missing__(self, name: str) -> TabletopRenderer:
        renderer = self[name] = TabletopRenderer(scene_named(name))
        return renderer


def _shapes_of(scene: TabletopScene) -> painted.PaintedBodies:
    """Return a scene's triangles; those of the last scene of each name are kept, since they take a while."""
    kept = _SHAPES.get(scene.name)
    if kept is None or kept[0] is not scene:
        kept = _SHAPES[scene.name] = scene, painted.triangles_of(painted.bodies_of(scene))
    return kept[1]


_SHAPES: dict[str, tuple[TabletopScene, painted.PaintedBodies]] = {}


def _alike(rows: Float) -> list[slice]:
    """Return the stretches of equal rows."""
    if len(rows) < 2:
        return [slice(0, 1)] if len(rows) else []
    changes = (np.flatnonzero((rows[1:] != rows[:-1]).any(1)) + 1).tolist()
    return [slice(*each) for each in pairwise((0, *changes, len(rows)))]


def static_view(camera: TableCamera) -> painted.View:
    """Return the place of a camera that stands still."""
    places = (camera.position, camera.target, camera.up)
    eye, target, up = (np.array(place) for place in places if place is not None)
    forward = _unit(target - eye)
    right = _unit(np.cross(forward, up))
    return painted.View(eye, np.stack((right, np.cross(right, forward), forward)))


def gripper_view(scene: TabletopScene, robot_obs: Float) -> painted.View:
    """Return the place of the camera that the hand carries."""
    poses = posing_of(scene).poses(np.array([robot_obs], np.float64), np.zeros((1, 24)))
    return painted.View(poses.eyes[0], poses.axes[0])


def _unit(vector: Float) -> Float:
    return np.asarray(vector / np.sqrt((vector * vector).sum()))
