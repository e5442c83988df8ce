"""The arm's kinematics: joint angles to poses, and poses back to joint angles.

The chain is the Franka Panda's, at CALVIN's place. Poses are pairs of a position (3,) and a rotation matrix (3,
3) in the world's frame. The tool is the frame ``tcp`` between the finger tips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from chorewright.replay.tabletop.shapes import geometry

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]

ROUNDS = 12
NEAR_METRES = 2e-5
NEAR_RADIANS = 1e-4
DAMPING = 1e-4
REST_PULL = 0.1
"""Share of the way to the rest posture that the redundant joint takes in a round."""
LARGEST_TURN = 0.3
"""Radians that a joint turns at most in a round, so that a far target does not throw the arm about."""


def frames(joints: Sequence[float] | Array) -> Array:
    """Return the frames of the arm's links as matrices (10, 4, 4).

    Links 0 to 7 (the base and the one that each joint turns), the hand, and the tool.
    """
    base, steps, hand, tool = chain_parts()
    found = [base]
    for step, angle in zip(steps, joints, strict=True):
        found.append(found[-1] @ step @ _about_z(float(angle)))
    found.append(found[-1] @ hand)
    found.append(found[-1] @ tool)
    return np.array(found)


def tool_pose(joints: Sequence[float] | Array) -> Pose:
    """Return where the tool is."""
    tool = frames(joints)[-1]
    return tool[:3, 3].copy(), tool[:3, :3].copy()


def joints_for(pose: Pose, start: Sequence[float] | Array, rest: Sequence[float] | Array) -> Array:
    """Return joint angles (7,) that bring the tool to a pose, or as near as the arm reaches.

    Damped least squares from ``start``; the joint that is left over is drawn towards the ``rest`` posture
    (as CALVIN's null-space inverse kinematics does). A pure function, unlike PyBullet's, which remembers.
    """
    position, rotation = pose
    low, high = limits()
    joints = np.clip(np.asarray(start, dtype=np.float64), low, high)
    resting = np.asarray(rest, dtype=np.float64)
    for _ in range(ROUNDS):
        chain = frames(joints)
        error = np.concatenate([position - chain[-1][:3, 3], _turn_between(chain[-1][:3, :3], rotation)])
        near = np.abs(error[:3]).max() < NEAR_METRES and np.abs(error[3:]).max() < NEAR_RADIANS
        if near:
            break
        jacobian = _jacobian(chain)
        inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + DAMPING * np.eye(6))
        rested = REST_PULL * (resting - joints)
        step = inverse @ error + rested - inverse @ (jacobian @ rested)
        joints = np.clip(joints + np.clip(step, -LARGEST_TURN, LARGEST_TURN), low, high)
    return joints


@lru_cache(maxsize=1)
def limits() -> tuple[Array, Array]:
    """Return the smallest and the largest angle of each joint."""
    ranges = np.array([joint["range"] for joint in geometry()["arm"]["joints"]])
    return ranges[:, 0], ranges[:, 1]


def rotation_from_euler(angles: Sequence[float] | Array) -> Array:
    """Return the rotation matrix of Euler angles about the fixed axes x, y, z, in this order."""
    (a, b, c) = (float(angle) for angle in angles)
    (ca, sa), (cb, sb), (cc, sc) = ((math.cos(each), math.sin(each)) for each in (a, b, c))
    return np.array(
        [
            [cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa],
            [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa],
            [-sb, cb * sa, cb * ca],
        ]
    )


def euler_from_rotation(rotation: Array) -> Array:
    """Return the Euler angles about the fixed axes x, y, z of a rotation matrix."""
    across = math.hypot(rotation[0, 0], rotation[1, 0])
    return np.array(
        [
            math.atan2(rotation[2, 1], rotation[2, 2]),
            math.atan2(-rotation[2, 0], across),
            math.atan2(rotation[1, 0], rotation[0, 0]),
        ]
    )


def rotation_from_quaternion(quaternion: Sequence[float] | Array) -> Array:
    """Return the rotation matrix of a quaternion (x, y, z, w)."""
    x, y, z, w = np.asarray(quaternion, dtype=np.float64) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@lru_cache(maxsize=1)
def chain_parts() -> tuple[Array, tuple[Array, ...], Array, Array]:
    """Return the frame of the base, and what leads to each joint before it turns, to the hand, and to the tool."""
    arm = geometry()["arm"]
    base, hand, tool = np.eye(4), np.eye(4), np.eye(4)
    base[:3, 3] = arm["base"]
    hand[:3, :3] = rotation_from_euler((0.0, 0.0, arm["hand"]["turn"]))
    hand[2, 3] = arm["hand"]["height"]
    tool[2, 3] = arm["tcp"]
    steps = []
    for joint in arm["joints"]:
        step = np.eye(4)
        step[:3, :3] = rotation_from_euler((joint["turn"], 0.0, 0.0))
        step[:3, 3] = joint["origin"]
        steps.append(step)
    return base, tuple(steps), hand, tool


def _about_z(angle: float) -> Array:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine, 0.0, 0.0], [sine, cosine, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def _jacobian(chain: Array) -> Array:
    axes, places, tool = chain[1:8, :3, 2], chain[1:8, :3, 3], chain[-1, :3, 3]
    return np.concatenate([np.cross(axes, tool - places).T, axes.T])


def _turn_between(start: Array, end: Array) -> Array:
    """Return the rotation vector that leads from one orientation to another."""
    turn = end @ start.T
    vector = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    sine = float(np.linalg.norm(vector))
    angle = math.atan2(sine, (float(np.trace(turn)) - 1) / 2)
    return vector if sine < 1e-9 else vector * (angle / sine)
