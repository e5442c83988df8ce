"""Pictures of a table from its state alone: colours, depths and instances, as CALVIN's two cameras see it.

States are stored first and drawn later by our own rasteriser, on one core, without PyBullet and graphics card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.tabletop.scenes import Camera, TabletopScene
from chorewright.replay.simulator import Frame
from chorewright.replay.tabletop.arm import frames, rotation_from_euler
from chorewright.replay.tabletop.painted import (
    LIGHTS,
    bodies_of,
    looks,
    paint_row,
    places_of,
    triangles_of,
)
from chorewright.replay.tabletop.placing import place
from chorewright.replay.thor.pixels import rasteriser
from chorewright.replay.thor.pixels.solids import Float

CAMERAS = ("static", "gripper")

MOUNT = (-0.1, 0.0, 0.0), (1.3, 0.0, -1.57)
"""Where the hand carries its camera: metres and Euler angles in the hand's frame; it looks along its y."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera's place: eye (3,), and its right, up and forward axes, a unit vector a row."""

    eye: Float
    axes: Float


class TabletopRenderer:
    """Draws the states of one scene."""

    def __init__(self, scene: TabletopScene) -> None:
        self.scene = scene
        self._triangles = triangles_of(bodies_of(scene))
        self._surfaces = self._triangles.surfaces.copy()
        shape = self._triangles.corners.shape
        self._points, self._directions = np.empty(shape), np.empty((shape[0], 3))
        self._planes = np.empty((shape[0], rasteriser.PLANES))
        light = looks()["light"]
        lamps = np.array(light["lamps"], np.float64)
        lamps[:, 1:] /= np.sqrt((lamps[:, 1:] ** 2).sum(1, keepdims=True))
        self._light = float(light["ambient"]), float(light["upward"]), lamps
        self._background = np.array(looks()["background"], np.uint8)

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
        robot, table = np.asarray(robot_obs, np.float64), np.asarray(scene_obs, np.float64)
        rotations, offsets = places_of(self.scene, robot, table)
        some = self._triangles
        ambient, upward, lamps = self._light
        place(
            some.corners,
            some.normals,
            some.facing,
            some.slopes,
            some.textures,
            some.body,
            rotations,
            offsets,
            ambient,
            upward,
            lamps,
            self._points,
            self._directions,
            self._planes,
        )
        spheres = some.spheres.copy()
        spheres[:, :3] = (rotations * spheres[:, None, :3]).sum(2) + offsets
        for at, word in LIGHTS.values():
            shown = f"{word} on" if table[at] > 0.5 else f"{word} off"
            self._surfaces[some.paints.index(f"{word} off")] = paint_row(shown)
        views = {"gripper": gripper_view(robot)} if "gripper" in cameras else {}
        found = []
        for number, name in enumerate(cameras):
            camera = self.scene.cameras[name]
            size = camera.size if sizes is None else sizes[number]
            found.append(self._draw(camera, views.get(name) or static_view(camera), size, spheres))
        return tuple(found)

    def _draw(self, camera: Camera, view: View, size: int, spheres: Float) -> Frame:
        some = self._triangles
        focal = size / 2 / tan(radians(camera.fov) / 2)
        # CALVIN's renderer looks through the corner of each pixel, half a pixel below and to the left of its
        # middle. A picture that is larger by a row at the top and a column at the right has these rays.
        larger = size + 1
        near = np.zeros((larger, larger), np.float64)
        who = np.full((larger, larger), -1, np.int32)
        rasteriser.nearest(
            self._points,
            self._directions,
            some.starts,
            spheres,
            view.eye,
            view.axes,
            focal,
            camera.near,
            rasteriser.whole(larger, larger),
            near,
            who,
        )
        rgb = np.empty((larger, larger, 3), np.uint8)
        depth: NDArray[np.float32] = np.empty((larger, larger), np.float32)
        instances = np.empty((larger, larger), np.int32)
        rasteriser.shade(
            near,
            who,
            some.surface,
            some.instance,
            self._planes,
            self._surfaces,
            rasteriser.LATTICE,
            view.eye,
            view.axes,
            focal,
            self._background,
            rgb,
            depth,
            instances,
        )
        depth[(instances < 0) | (depth > camera.far)] = camera.far
        seen = slice(1, None), slice(None, -1)
        return Frame(
            np.ascontiguousarray(rgb[seen]),
            np.ascontiguousarray(depth[seen]),
            np.ascontiguousarray(instances[seen]),
            some.names,
        )


def static_view(camera: Camera) -> View:
    """Return the place of a camera that stands still."""
    places = (camera.position, camera.target, camera.up)
    eye, target, up = (np.array(place) for place in places if place is not None)
    forward = _unit(target - eye)
    right = _unit(np.cross(forward, up))
    return View(eye, np.stack((right, np.cross(right, forward), forward)))


def gripper_view(robot_obs: Float) -> View:
    """Return the place of the camera that the hand carries."""
    hand = frames(robot_obs[7:14])[-2]
    position, angles = MOUNT
    turned = hand[:3, :3] @ rotation_from_euler(angles)
    forward, up = turned[:, 1], -turned[:, 2]
    return View(hand[:3, 3] + hand[:3, :3] @ np.array(position), np.stack((np.cross(forward, up), up, forward)))


def _unit(vector: Float) -> Float:
    return np.asarray(vector / np.sqrt((vector * vector).sum()))
