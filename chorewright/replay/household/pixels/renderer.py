"""The renderer: colours, depths and instances of a scene from a camera in one pass, and masks of single objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.scene import Bystander, Scene, SceneObject, Vector
from chorewright.replay.drawing import rasteriser, solids
from chorewright.replay.drawing.rasteriser import Buffers, Lens, Paints, Picture, Triangles
from chorewright.replay.drawing.solids import Float
from chorewright.replay.household.pixels import drawing
from chorewright.replay.household.pixels.camera import NEAR, Camera
from chorewright.replay.household.pixels.kept_meshes import KeptMeshes
from chorewright.replay.household.pixels.looks import looks, states_of
from chorewright.replay.household.pixels.other_looks import RoomLook, in_look
from chorewright.replay.household.pixels.walls import COUNTER
from chorewright.replay.simulator import Frame

# Masks: the pixels at which one object is seen, without colours, of the part of the picture that it can cover.


MOST_SHAPES = 4096
"""Shapes of things that are kept; beyond, all are made again."""

SLACK = 0.05
"""Metres by which knobs and handles stick out of their boxes."""

MOST_KEPT = 4096
"""Objects whose radius is kept."""

MOST_ROOMS = 128
"""Rooms whose fixtures are kept: all that ship."""


def _gather(outlines: Sequence[drawing.Outline]) -> Triangles:
    """Return the triangles of several things, one after the other."""
    return Triangles(
        np.concatenate([each.points for each in outlines]),
        np.concatenate([each.facing for each in outlines]),
        np.cumsum([0, *(len(each.points) for each in outlines)]),
        np.array([each.sphere for each in outlines]),
    )


def lens_of(camera: Camera) -> Lens:
    """Return a camera as the rasteriser takes it."""
    return Lens(np.array(camera.position, np.float64), camera.axes(), camera.focal_length, NEAR)


class DepthBuffer:
    """Inverse depth and nearest triangle at each pixel of a picture; each picture writes over the last."""

    def __init__(self) -> None:
        self._near: NDArray[np.float64] = np.empty((0, 0), np.float64)
        self._who: NDArray[np.int32] = np.empty((0, 0), np.int32)

    def draw(
        self, triangles: Triangles, camera: Camera, window: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return inverse depth and nearest triangle at each pixel of a window of the picture."""
        shape = (camera.height, camera.width)
        if self._near.shape != shape:
            self._near, self._who = np.empty(shape, np.float64), np.empty(shape, np.int32)
        inside = slice(window[0], window[1]), slice(window[2], window[3])
        near, who = self._near[inside], self._who[inside]
        near[:] = 0.0
        who[:] = -1
        rasteriser.nearest(triangles, lens_of(camera), window, self._near, self._who)
        return near, who


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The triangles of an object and of what may hide it from a place, whatever the camera's tilt and picture.

    Attributes:
        scene: The scene.
        eye: Where the camera is.
        object_id: The object.
        own: Its triangles.
        triangles: Of all.
        first: The object's first triangle among all.
        last: That after its last.
    """

    scene: Scene
    eye: Vector
    object_id: str
    own: drawing.Outline
    triangles: Triangles
    first: int
    last: int

    def is_of(self, scene: Scene, camera: Camera, object_id: str) -> bool:
        """Whether it is what a camera has before it of an object in this very scene."""
        return self.scene is scene and self.object_id == object_id and self.eye == camera.position


class Masks:
    """Tells where an object is seen; keeps the triangles of what did not change since the last time."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[object, ...], solids.Solid | None] = {}
        self._meshes = KeptMeshes(self._silhouette, MOST_ROOMS)
        self._obstruction = Obstruction()
        self._last: _View | None = None
        self._buffer = DepthBuffer()

    def mask(self, scene: Scene, camera: Camera, object_id: str) -> NDArray[np.bool_]:
        """Return where an object is seen, as in the picture; objects that cannot hide it are not drawn."""
        return self.with_depths(scene, camera, object_id)[0]

    def with_depths(
        self, scene: Scene, camera: Camera, object_id: str
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return an object's mask, and the depths of its pixels from the upper left one on, row by row, in metres."""
        found = np.zeros((camera.height, camera.width), np.bool_)
        view = self._view(scene, camera, object_id)
        window = _window(view.own, camera) if view is not None else None
        if view is None or window is None:
            return found, np.empty(0, np.float32)
        near, who = self._buffer.draw(view.triangles, camera, window)
        own = found[window[0] : window[1], window[2] : window[3]]
        own[:] = (who >= view.first) & (who < view.last)
        return found, (1.0 / near[own]).astype(np.float32)

    def _view(self, scene: Scene, camera: Camera, object_id: str) -> _View | None:
        """Return what may hide an object from where a camera is, and the object; None if it is not there."""
        last = self._last
        if last is not None and last.is_of(scene, camera, object_id):
            return last
        body = next((body for body in scene.objects if body.object_id == object_id), None)
        if body is None:
            return None
        meshes = self._meshes.everything(scene, self._obstruction.of(scene, camera, body))
        place = next((number for number, (name, _) in enumerate(meshes) if name == object_id), None)
        if place is None:
            return None
        triangles = _gather([mesh for _, mesh in meshes])
        first, after = int(triangles.starts[place]), int(triangles.starts[place + 1])
        self._last = _View(scene, camera.position, object_id, meshes[place][1], triangles, first, after)
        return self._last

    def _silhouette(self, body: SceneObject, room: str, free: Float, shift: Vector) -> drawing.Outline | None:
        """Return an object's triangles; things of one look, size and state share a shape."""
        look = looks().of(body.traits)
        if look is None or not look.parts:
            return None
        states = states_of(body.attributes)
        yaw, size, centre = drawing.box_to_draw(body, look, free, shift, states)
        key = (id(look), *size.tolist(), states)
        if key not in self._shapes:
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            pieces = [solid for _, solid in drawing.pieces_of(look, states, size)]
            self._shapes[key] = _shape(pieces) if pieces else None
        shape = self._shapes[key]
        if shape is None:
            return None
        return drawing.Outline(*_place(shape.points, shape.normals[:, 0], solids.turn(1, yaw), centre))


def _shape(pieces: list[solids.Solid]) -> solids.Solid:
    """Return the triangles of solids that have an area, with their outward directions as normals."""
    whole, _, facing, solid = drawing.triangles_of(pieces)
    return solids.Solid(whole.points[solid], facing[:, None, :], whole.uv[:0])


@njit()
def _place(points: Float, facing: Float, matrix: Float, offset: Float) -> tuple[Float, Float, Float]:
    """Return triangles and their directions turned by a rotation matrix and then moved, and a ball around them.

    Products are added up in the order of ``solids.moved``.
    """
    moved, turned, ball = np.empty_like(points), np.empty_like(facing), np.empty(4)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for number in range(len(points)):
        for axis in range(3):
            one, two, three = matrix[axis, 0], matrix[axis, 1], matrix[axis, 2]
            away = facing[number]
            turned[number, axis] = away[0] * one + away[1] * two + away[2] * three
            for corner in range(3):
                point = points[number, corner]
                value = point[0] * one + point[1] * two + point[2] * three + offset[axis]
                moved[number, corner, axis] = value
                low[axis], high[axis] = min(low[axis], value), max(high[axis], value)
    across = 0.0
    for axis in range(3):
        ball[axis] = (low[axis] + high[axis]) / 2
        across += (high[axis] - low[axis]) ** 2
    ball[3] = math.sqrt(across) / 2
    return moved, turned, ball


def _window(mesh: drawing.Outline, camera: Camera) -> NDArray[np.int64] | None:
    """Return the rows and columns that triangles can cover: first row, after the last, and so the columns."""
    away = mesh.points.reshape(-1, 3) - np.array(camera.position)
    right, up, forward = ((away * np.array(axis)).sum(axis=1) for axis in camera.axes())
    if (forward < NEAR).all():
        return None
    if (forward < NEAR).any():
        return camera.window
    columns = camera.width / 2 + camera.focal_length * right / forward
    rows = camera.height / 2 - camera.focal_length * up / forward
    top, bottom = max(0, math.floor(rows.min()) - 1), min(camera.height, math.ceil(rows.max()) + 1)
    left, after = max(0, math.floor(columns.min()) - 1), min(camera.width, math.ceil(columns.max()) + 1)
    return np.array((top, bottom, left, after), np.int64) if top < bottom and left < after else None


class Obstruction:
    """Finds what may hide an object, by the balls around drawn boxes; keeps how large these are."""

    def __init__(self) -> None:
        self._radii: dict[str, tuple[SceneObject, float]] = {}
        self._objects: tuple[SceneObject, ...] = ()
        self._balls: tuple[Float, Float] = (np.empty(0), np.empty((0, 3)))

    def of(self, scene: Scene, camera: Camera, target: SceneObject) -> frozenset[str]:
        """Return the object, and those of which something may be drawn in front of it.

        Doors swing out of their boxes, drawers slide out and take along what lies in them, things are drawn as
        high as what they lie on.
        """
        if self._objects is not scene.objects:
            middles = np.array([body.centre for body in scene.objects])
            self._objects, self._balls = scene.objects, (np.array(self._of_all(scene)), middles)
        radii, middles = self._balls
        away = middles - np.array(camera.position)
        far = np.sqrt((away * away).sum(axis=1))
        place = next(k for k, body in enumerate(scene.objects) if body is target)
        nearer = far - radii <= far[place] + radii[place]
        between = np.arccos(np.clip((away * away[place]).sum(axis=1) / np.maximum(far * far[place], 1e-9), -1.0, 1.0))
        wide = np.arcsin(np.minimum(radii / np.maximum(far, 1e-9), 1.0))
        overlaps = (between <= wide + wide[place] + 1e-6) | (far <= radii) | (far[place] <= radii[place])
        found = {scene.objects[number].object_id for number in np.flatnonzero(nearer & overlaps).tolist()}
        found.update(body.object_id for body in scene.objects if body.kind == COUNTER)
        return frozenset((*found, target.object_id))

    def _of_all(self, scene: Scene) -> list[float]:
        """Return the radii of all objects; what changes hands is another value, so the old ones hold for the same."""
        bodies: dict[str, SceneObject] = {}
        found = []
        if len(self._radii) > MOST_KEPT:
            self._radii.clear()
        for body in scene.objects:
            known = self._radii.get(body.object_id)
            if known is None or known[0] is not body:
                bodies = bodies or {each.object_id: each for each in scene.objects}
                known = self._radii[body.object_id] = (body, _radius(body, bodies))
            found.append(known[1])
        return found


def _radius(body: SceneObject, bodies: dict[str, SceneObject]) -> float:
    """Return how far from the middle of its box anything of an object can be drawn."""
    width, height, depth = body.size
    radius = (width * width + height * height + depth * depth) ** 0.5 / 2 + SLACK
    if "openable" in body.traits.affordances:
        radius += max(width, depth)
    for name in _holders(body, bodies):
        holder, radius = bodies[name], radius + drawing.HIGHEST_LIFT
        if "openable" in holder.traits.affordances:
            radius += max(holder.size[0], holder.size[2])
    return float(radius)


def _holders(body: SceneObject, bodies: dict[str, SceneObject]) -> list[str]:
    """Return what holds an object, and what holds that, and so on."""
    found: list[str] = []
    queue = list(body.parents)
    while queue:
        name = queue.pop()
        if name in bodies and name not in found:
            found.append(name)
            queue.extend(bodies[name].parents)
    return found


SKY = np.array((200, 222, 240), np.uint8)


class Renderer:
    """Draws scenes; keeps the triangles of objects that did not change since the last picture.

    Attributes:
        masks: Where single objects are seen, without drawing the picture.
    """

    def __init__(self, look: RoomLook | None = None) -> None:
        """Draw in a look; without one as usual."""
        self._look = look
        self._kept = KeptMeshes(drawing.object_mesh)
        self.masks = Masks()
        self._drawn: tuple[SceneObject, ...] = ()
        self._built: Building | None = None
        self._beside: tuple[Bystander, ...] = ()
        self._geometry: Geometry | None = None
        self._buffer = DepthBuffer()

    def frame(self, scene: Scene, camera: Camera) -> Frame:
        """Return the picture of a scene."""
        geometry = self.geometry(scene)
        height, width = camera.height, camera.width
        near, who = self._buffer.draw(geometry.triangles, camera, camera.window)
        rgb = np.empty((height, width, 3), np.uint8)
        depth = np.empty((height, width), np.float32)
        instances = np.empty((height, width), np.int32)
        buffers, picture = Buffers(near, who, rasteriser.whole_rows(height, width)), Picture(rgb, depth, instances)
        rasteriser.shade(buffers, geometry.paints, lens_of(camera), SKY, picture)
        rasteriser.outline(near, instances, rgb)
        return Frame(rgb, depth, instances, geometry.names)

    def geometry(self, scene: Scene) -> Geometry:
        """Return the triangles of a scene."""
        kept = self._drawn is scene.objects and self._built == scene.building and self._beside == scene.bystanders
        if self._geometry is None or not kept:
            named = self._kept.everything(scene)
            self._geometry = _join(named if self._look is None else in_look(named, scene, self._look))
            self._drawn, self._built, self._beside = scene.objects, scene.building, scene.bystanders
        return self._geometry


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """All triangles of a scene, by object."""

    triangles: Triangles
    paints: Paints
    names: tuple[str, ...]


def _join(named: list[tuple[str, drawing.Mesh]]) -> Geometry:
    meshes = [mesh for _, mesh in named]
    offsets = np.cumsum([0, *(len(mesh.surfaces) for mesh in meshes)])
    surface = [mesh.surface + int(at) for mesh, at in zip(meshes, offsets, strict=False)]
    counts = [len(mesh.points) for mesh in meshes]
    paints = Paints(
        np.concatenate(surface).astype(np.int32),
        np.repeat(np.arange(len(meshes), dtype=np.int32), counts),
        np.concatenate([mesh.planes for mesh in meshes]),
        np.concatenate([mesh.surfaces for mesh in meshes]),
    )
    return Geometry(_gather(meshes), paints, tuple(name for name, _ in named))
