"""The renderer: colours, depths and instances of a scene from a camera, in one pass, on one core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.thor.scene import Bystander, Scene, SceneObject, Vector
from chorewright.replay.simulator import Frame
from chorewright.replay.thor.pixels import rasteriser
from chorewright.replay.thor.pixels.agents import agent_mesh
from chorewright.replay.thor.pixels.camera import NEAR, Camera
from chorewright.replay.thor.pixels.drawing import Mesh, lift, object_mesh, slide
from chorewright.replay.thor.pixels.obstruction import obstructing
from chorewright.replay.thor.pixels.walls import COUNTER, Surroundings, surroundings

SKY = np.array((200, 222, 240), np.uint8)
WALLS, STOVE = "Walls", "Stove"
"""The instances of what is no object: walls with ceiling, and the body below the burners."""


class Renderer:
    """Draws scenes; keeps the triangles of objects that did not change since the last picture."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._room: tuple[str, int] | None = None
        self._around: Surroundings | None = None
        self._drawn: tuple[SceneObject, ...] = ()
        self._beside: tuple[Bystander, ...] = ()
        self._geometry: Geometry | None = None
        self._near: NDArray[np.float64] = np.empty((0, 0), np.float64)
        self._who: NDArray[np.int32] = np.empty((0, 0), np.int32)

    def frame(self, scene: Scene, camera: Camera) -> Frame:
        """Return the picture of a scene."""
        geometry = self.geometry(scene)
        near, who = self._nearest(geometry, camera)
        height, width = camera.height, camera.width
        rgb = np.empty((height, width, 3), np.uint8)
        depth = np.empty((height, width), np.float32)
        instances = np.empty((height, width), np.int32)
        rasteriser.shade(
            near,
            who,
            geometry.surface,
            geometry.instance,
            geometry.planes,
            geometry.surfaces,
            rasteriser.LATTICE,
            np.array(camera.position, np.float64),
            camera.axes(),
            camera.focal_length,
            SKY,
            rgb,
            depth,
            instances,
        )
        rasteriser.outline(near, instances, rgb)
        return Frame(rgb, depth, instances, geometry.names)

    def mask(self, scene: Scene, camera: Camera, object_id: str) -> NDArray[np.bool_]:
        """Return where an object is seen, as in the picture; objects that cannot hide it are not drawn."""
        return self.seen(scene, camera, object_id)[0]

    def seen(self, scene: Scene, camera: Camera, object_id: str) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return an object's mask, and the depths of its pixels from the upper left one on, row by row, in metres."""
        bodies = [body for body in scene.objects if body.object_id == object_id]
        geometry = self._assembled(scene, obstructing(scene, camera, bodies[0])) if bodies else None
        if geometry is None or object_id not in geometry.names:
            return np.zeros((camera.height, camera.width), np.bool_), np.empty(0, np.float32)
        near, who = self._nearest(geometry, camera)
        first, last = geometry.triangles(object_id)
        mask = np.asarray((who >= first) & (who < last))
        return mask, (1.0 / near[mask]).astype(np.float32)

    def geometry(self, scene: Scene) -> Geometry:
        """Return the triangles of a scene."""
        if self._geometry is None or self._drawn is not scene.objects or self._beside != scene.bystanders:
            self._geometry = self._assembled(scene, None)
            self._drawn, self._beside = scene.objects, scene.bystanders
        return self._geometry

    def _assembled(self, scene: Scene, only: frozenset[str] | None) -> Geometry:
        """Return the triangles of a scene, or of some of its objects and what holds them, and of the room."""
        room = (scene.name, id(scene.grid))
        if self._room != room or self._around is None:
            self._room, self._kept, self._geometry = room, {}, None
            self._around = surroundings(scene)
        kept: dict[str, _Kept] = {}
        for body in _parents_first(scene, only):
            self._keep(body, scene, kept, self._around)
        meshes = [
            (name, mesh)
            for name in (body.object_id for body in scene.objects)
            if name in kept and (mesh := kept[name].mesh) is not None
        ]
        meshes.append((WALLS, self._around.walls))
        if self._around.stove is not None:
            meshes.append((STOVE, self._around.stove))
        meshes += [(each.name, agent_mesh(each, scene.agent_y)) for each in scene.bystanders]
        self._kept = kept if only is None else {**self._kept, **kept}
        return _joined(meshes)

    def _keep(self, body: SceneObject, scene: Scene, kept: dict[str, _Kept], around: Surroundings) -> None:
        """Make an object's triangles, or take the old ones if neither it nor what holds it has changed."""
        holder = next((kept[name] for name in body.parents if name in kept), None)
        known = self._kept.get(body.object_id)
        if known is not None and known.body is body and known.holder is holder:
            kept[body.object_id] = known
            return
        shift: Vector = (0.0, 0.0, 0.0)
        if holder is not None:
            x, y, z = holder.shift
            out = slide(holder.body, around.free)
            shift = (x + out[0], y, z + out[1])
            if holder.mesh is not None and holder.body.kind != "Floor" and body.traits.item:
                shift = (shift[0], y + lift(body, shift, holder.mesh), shift[2])
        mesh: Mesh | None
        if body.kind == COUNTER:
            mesh = around.counters[body.object_id]
        elif body.kind == "Floor":
            mesh = around.floor
        else:
            mesh = object_mesh(body, scene.name, around.free, shift)
        kept[body.object_id] = _Kept(body, holder, shift, mesh)

    def _nearest(self, geometry: Geometry, camera: Camera) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return each pixel's inverse depth and nearest triangle; both are written over by the next call."""
        shape = (camera.height, camera.width)
        if self._near.shape != shape:
            self._near, self._who = np.empty(shape, np.float64), np.empty(shape, np.int32)
        self._near.fill(0.0)
        self._who.fill(-1)
        rasteriser.nearest(
            geometry.points,
            geometry.facing,
            geometry.starts,
            geometry.spheres,
            np.array(camera.position, np.float64),
            camera.axes(),
            camera.focal_length,
            NEAR,
            self._near,
            self._who,
        )
        return self._near, self._who


def _parents_first(scene: Scene, only: frozenset[str] | None) -> list[SceneObject]:
    """Return the objects that can be seen at all, or some of them and what holds them, each after what holds it."""
    bodies = {body.object_id: body for body in scene.objects}
    order: dict[str, SceneObject] = {}

    def add(body: SceneObject, depth: int) -> None:
        if body.object_id in order or depth > len(bodies):
            return
        for name in body.parents:
            if name in bodies:
                add(bodies[name], depth + 1)
        order[body.object_id] = body

    for body in scene.objects:
        if (only is None or body.object_id in only) and not body.consumed:
            add(body, 0)
    return list(order.values())


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """An object's triangles, and what they depend on."""

    body: SceneObject
    holder: _Kept | None
    shift: Vector
    mesh: Mesh | None


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """All triangles of a scene, by object."""

    points: NDArray[np.float64]
    facing: NDArray[np.float64]
    planes: NDArray[np.float64]
    surface: NDArray[np.int32]
    surfaces: NDArray[np.float64]
    instance: NDArray[np.int32]
    starts: NDArray[np.int64]
    spheres: NDArray[np.float64]
    names: tuple[str, ...]

    def triangles(self, object_id: str) -> tuple[int, int]:
        """Return the number of an object's first triangle, and that after its last."""
        place = self.names.index(object_id)
        return int(self.starts[place]), int(self.starts[place + 1])


def _joined(meshes: list[tuple[str, Mesh]]) -> Geometry:
    counts = [len(mesh.points) for _, mesh in meshes]
    offsets = np.cumsum([0, *(len(mesh.surfaces) for _, mesh in meshes)])
    return Geometry(
        np.concatenate([mesh.points for _, mesh in meshes]),
        np.concatenate([mesh.facing for _, mesh in meshes]),
        np.concatenate([mesh.planes for _, mesh in meshes]),
        np.concatenate([mesh.surface + int(at) for (_, mesh), at in zip(meshes, offsets, strict=False)]).astype(
            np.int32
        ),
        np.concatenate([mesh.surfaces for _, mesh in meshes]),
        np.repeat(np.arange(len(meshes), dtype=np.int32), counts),
        np.cumsum([0, *counts]),
        np.array([mesh.sphere for _, mesh in meshes]),
        tuple(name for name, _ in meshes),
    )
