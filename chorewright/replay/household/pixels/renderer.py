"""The renderer: colours, depths and instances of a scene from a camera, in one pass, on one core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.scene import Bystander, Scene, SceneObject
from chorewright.replay.drawing import rasteriser
from chorewright.replay.household.pixels.camera import NEAR, Camera
from chorewright.replay.household.pixels.drawing import Mesh, agent_mesh, object_mesh
from chorewright.replay.household.pixels.kept_meshes import KeptMeshes
from chorewright.replay.household.pixels.masks import Masks
from chorewright.replay.simulator import Frame

SKY = np.array((200, 222, 240), np.uint8)
WALLS, STOVE = "Walls", "Stove"
"""The instances of what is no object: walls with ceiling, and the body below the burners."""


class Renderer:
    """Draws scenes; keeps the triangles of objects that did not change since the last picture.

    Attributes:
        masks: Where single objects are seen, without drawing the picture.
    """

    def __init__(self) -> None:
        self._kept = KeptMeshes(object_mesh)
        self.masks = Masks()
        self._drawn: tuple[SceneObject, ...] = ()
        self._built: Building | None = None
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

    def geometry(self, scene: Scene) -> Geometry:
        """Return the triangles of a scene."""
        kept = self._drawn is scene.objects and self._built == scene.building and self._beside == scene.bystanders
        if self._geometry is None or not kept:
            around = self._kept.around(scene)
            meshes = self._kept.meshes(scene, None)
            meshes.append((WALLS, around.walls))
            if around.stove is not None:
                meshes.append((STOVE, around.stove))
            meshes += [(each.name, agent_mesh(each, scene.agent_y)) for each in scene.bystanders]
            self._geometry = _join(meshes)
            self._drawn, self._built, self._beside = scene.objects, scene.building, scene.bystanders
        return self._geometry

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
            rasteriser.whole(*shape),
            self._near,
            self._who,
        )
        return self._near, self._who


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


def _join(meshes: list[tuple[str, Mesh]]) -> Geometry:
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
