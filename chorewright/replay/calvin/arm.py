"""The arm's kinematics: joint angles to poses, and poses back to joint angles.

The chain is the Franka Panda's, at CALVIN's place. Poses are pairs of a position (3,) and a rotation matrix (3,
3) in the world's frame. The tool is the frame ``tcp`` between the finger tips.

All products are added up in a fixed order by compiled kernels. A library of linear algebra takes another order on each
kind of processor, and physics with contacts makes a whole frame more or less of a last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, cos, sin, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.replay.calvin.shapes import geometry

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
    parts = arm_chain().parts
    chain = np.empty_like(parts)
    follow(parts, np.asarray(joints, dtype=np.float64), chain)
    return chain


def tool_pose(joints: Sequence[float] | Array) -> Pose:
    """Return where the tool is."""
    tool = frames(joints)[-1]
    return tool[:3, 3].copy(), tool[:3, :3].copy()


def joints_for(pose: Pose, start: Sequence[float] | Array, rest: Sequence[float] | Array) -> Array:
    """Return joint angles (7,) that bring the tool to a pose, or as near as the arm reaches.

    Damped least squares from ``start``; the joint that is left over is drawn towards the ``rest`` posture
    (as CALVIN's null-space inverse kinematics does). A pure function, unlike PyBullet's, which remembers.
    """
    arm = arm_chain()
    position, rotation = (np.asarray(part, dtype=np.float64) for part in pose)
    joints = np.clip(np.asarray(start, dtype=np.float64), arm.low, arm.high)
    _approach(arm.parts, position, rotation, np.asarray(rest, dtype=np.float64), arm.low, arm.high, joints)
    return joints


@dataclass(frozen=True, slots=True, eq=False)
class ArmChain:
    """The arm as a chain of joints.

    Attributes:
        parts: The frame of the base, and what leads to each joint before it turns, to the hand, and to the tool:
            matrices (10, 4, 4), in this order.
        low: The smallest angle of each joint, (7,).
        high: The largest one.
    """

    parts: Array
    low: Array
    high: Array


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


def quaternion_from_euler(angles: Sequence[float] | Array) -> tuple[float, float, float, float]:
    """Return the quaternion (x, y, z, w) of Euler angles about the fixed axes x, y, z, in this order."""
    (sa, ca), (sb, cb), (sc, cc) = ((math.sin(float(each) / 2), math.cos(float(each) / 2)) for each in angles)
    return (
        sa * cb * cc - ca * sb * sc,
        ca * sb * cc + sa * cb * sc,
        ca * cb * sc - sa * sb * cc,
        ca * cb * cc + sa * sb * sc,
    )


def rotation_from_quaternion(quaternion: Sequence[float] | Array) -> Array:
    """Return the rotation matrix of a quaternion (x, y, z, w)."""
    values = np.asarray(quaternion, dtype=np.float64)
    x, y, z, w = values / length(values)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def length(vector: Array) -> float:
    """Return the length of a vector (n,), its squares added up in order."""
    return math.sqrt(sum(float(value) ** 2 for value in vector))


def product(one: Array, other: Array) -> float:
    """Return the inner product of two vectors' first two values, added up in order."""
    return float(one[0]) * float(other[0]) + float(one[1]) * float(other[1])


@lru_cache(maxsize=1)
def arm_chain() -> ArmChain:
    """Return the shipped arm."""
    arm = geometry()["arm"]
    parts = np.tile(np.eye(4), (len(arm["joints"]) + 3, 1, 1))
    parts[0, :3, 3] = arm["base"]
    for part, joint in zip(parts[1:-2], arm["joints"], strict=True):
        part[:3, :3] = rotation_from_euler((joint["turn"], 0.0, 0.0))
        part[:3, 3] = joint["origin"]
    parts[-2, :3, :3] = rotation_from_euler((0.0, 0.0, arm["hand"]["turn"]))
    parts[-2, 2, 3] = arm["hand"]["height"]
    parts[-1, 2, 3] = arm["tcp"]
    ranges = np.array([joint["range"] for joint in arm["joints"]])
    return ArmChain(parts, ranges[:, 0], ranges[:, 1])


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply(one: Any, two: Any, out: Any) -> None:
    """Write the product of two frames (4, 4) to ``out``, its sums in the order of the columns."""
    for i in range(4):
        for j in range(4):
            out[i, j] = one[i, 0] * two[0, j] + one[i, 1] * two[1, j] + one[i, 2] * two[2, j] + one[i, 3] * two[3, j]


@njit(cache=True, nogil=True, error_model="numpy")
def follow(parts: Any, joints: Any, chain: Any) -> None:
    """Write the frames of the links, as ``frames`` has them, to ``chain``."""
    last = parts.shape[0] - 2
    moved, spin = np.empty((4, 4)), np.eye(4)
    chain[0] = parts[0]
    for link in range(1, last + 2):
        if link < last:
            _multiply(chain[link - 1], parts[link], moved)
            cosine, sine = cos(joints[link - 1]), sin(joints[link - 1])
            spin[0, 0], spin[0, 1], spin[1, 0], spin[1, 1] = cosine, -sine, sine, cosine
            _multiply(moved, spin, chain[link])
        else:
            _multiply(chain[link - 1], parts[link], chain[link])


@njit(cache=True, nogil=True, error_model="numpy")
def _approach(parts: Any, position: Any, rotation: Any, rest: Any, low: Any, high: Any, joints: Any) -> None:
    """Turn ``joints`` until the tool is at the pose, or the rounds are over."""
    count = joints.shape[0]
    chain, error = np.empty_like(parts), np.empty(6)
    jacobian, square, weights, columns = np.empty((6, count)), np.empty((6, 6)), np.empty(6), np.empty(6)
    for _ in range(ROUNDS):
        follow(parts, joints, chain)
        _miss(chain[-1], position, rotation, error)
        if np.abs(error[:3]).max() < NEAR_METRES and np.abs(error[3:]).max() < NEAR_RADIANS:
            return
        tool = chain[-1]
        for joint in range(count):
            frame = chain[joint + 1]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                jacobian[i, joint] = frame[j, 2] * (tool[k, 3] - frame[k, 3]) - frame[k, 2] * (tool[j, 3] - frame[j, 3])
                jacobian[3 + i, joint] = frame[i, 2]
        for i in range(6):
            pulled = 0.0
            for joint in range(count):
                pulled += jacobian[i, joint] * (REST_PULL * (rest[joint] - joints[joint]))
            weights[i] = error[i] - pulled
            for j in range(6):
                total = DAMPING if i == j else 0.0
                for joint in range(count):
                    total += jacobian[i, joint] * jacobian[j, joint]
                square[i, j] = total
        _solve(square, weights, columns)
        for joint in range(count):
            step = REST_PULL * (rest[joint] - joints[joint])
            for i in range(6):
                step += jacobian[i, joint] * columns[i]
            step = min(max(step, -LARGEST_TURN), LARGEST_TURN)
            joints[joint] = min(max(joints[joint] + step, low[joint]), high[joint])


@njit(cache=True, nogil=True, error_model="numpy")
def _miss(tool: Any, position: Any, rotation: Any, error: Any) -> None:
    """Write what leads from the tool to the pose: metres, and a rotation vector in radians."""
    turn = np.empty((3, 3))
    for i in range(3):
        error[i] = position[i] - tool[i, 3]
        for j in range(3):
            turn[i, j] = rotation[i, 0] * tool[j, 0] + rotation[i, 1] * tool[j, 1] + rotation[i, 2] * tool[j, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        error[3 + i] = (turn[k, j] - turn[j, k]) / 2.0
    sine = sqrt(error[3] * error[3] + error[4] * error[4] + error[5] * error[5])
    if sine >= 1e-9:
        angle = atan2(sine, (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1.0) / 2.0)
        for i in range(3):
            error[3 + i] *= angle / sine


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(square: Any, right: Any, out: Any) -> None:
    """Write the solution of a symmetric, positive definite system to ``out``, by Cholesky's factors in ``square``."""
    size = right.shape[0]
    for j in range(size):
        for i in range(j, size):
            total = square[i, j]
            for k in range(j):
                total -= square[i, k] * square[j, k]
            square[i, j] = sqrt(total) if i == j else total / square[j, j]
    for i in range(size):
        total = right[i]
        for k in range(i):
            total -= square[i, k] * out[k]
        out[i] = total / square[i, i]
    for i in range(size - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, size):
            total -= square[k, i] * out[k]
        out[i] = total / square[i, i]
