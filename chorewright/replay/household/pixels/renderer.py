"""The renderer: colours, depths and instances of a scene from a camera, in one pass, on one core."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.scene import Bystander, Scene, SceneObject
from chorewright.replay.drawing import rasteriser
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.drawing import Mesh, object_mesh
from chorewright.replay.household.pixels.kept_meshes import KeptMeshes
from chorewright.replay.household.pixels.masks import DepthBuffer, Masks, Triangles
from chorewright.replay.simulator import Frame

SKY = np.array((200, 222, 240), np.uint8)


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
        self._buffer = DepthBuffer()

    def frame(self, scene: Scene, camera: Camera) -> Frame:
        """Return the picture of a scene."""
        geometry = self.geometry(scene)
        height, width = camera.height, camera.width
        near, who = self._buffer.draw(geometry.triangles, camera, rasteriser.whole(height, width))
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
            self._geometry = _join(self._kept.everything(scene))
            self._drawn, self._built, self._beside = scene.objects, scene.building, scene.bystanders
        return self._geometry


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """All triangles of a scene, by object."""

    triangles: Triangles
    planes: NDArray[np.float64]
    surface: NDArray[np.int32]
    surfaces: NDArray[np.float64]
    instance: NDArray[np.int32]
    names: tuple[str, ...]


def _join(named: list[tuple[str, Mesh]]) -> Geometry:
    meshes = [mesh for _, mesh in named]
    offsets = np.cumsum([0, *(len(mesh.surfaces) for mesh in meshes)])
    surface = [mesh.surface + int(at) for mesh, at in zip(meshes, offsets, strict=False)]
    counts = [len(mesh.points) for mesh in meshes]
    return Geometry(
        Triangles.of(meshes),
        np.concatenate([mesh.planes for mesh in meshes]),
        np.concatenate(surface).astype(np.int32),
        np.concatenate([mesh.surfaces for mesh in meshes]),
        np.repeat(np.arange(len(meshes), dtype=np.int32), counts),
        tuple(name for name, _ in named),
    )
