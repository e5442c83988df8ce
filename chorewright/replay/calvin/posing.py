"""Where the bodies of a table and the hand's camera are in a state, by one compiled kernel.

The chain of the arm is that of ``arm.frames``, which adds its products up in a fixed order: pictures have the same
bytes everywhere.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.arm import arm_chain, follow, rotation_from_euler
from chorewright.replay.calvin.shapes import geometry, table_links
from chorewright.replay.drawing.solids import Float

JOINTS = ("base__slide", "base__drawer", "base__button", "base__switch")
"""The joints in the order of ``scene_obs``."""

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
