"""The actions of the tabletop, in calvin_env's forms, and the target that each of them sets.

- seven numbers: relative; position and Euler angles (both scaled to -1..1) and gripper,
- three parts: absolute; position (3,), Euler angles (3,) or quaternion (4,), gripper,
- a mapping with ``type`` and ``action``: ``cartesian_abs`` (7,), ``cartesian_rel`` (7,), ``joint_abs`` and
  ``joint_rel`` (8,: seven joint angles and gripper).

The gripper is -1 (close) or 1 (open). Relative actions add to a running target, not to the measured pose
(calvin_env's ``use_target_pose: true``), so commands replay even though the arm lags behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.errors import UsageError
from chorewright.replay.calvin import arm

Array: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = "Sequence[float] | npt.NDArray[np.float64]"
Action: TypeAlias = "Sequence[float] | Array | tuple[Numbers, Numbers, float] | Mapping[str, object]"

OPEN, CLOSED = 1, -1
RELATIVE_METRES = 0.02
RELATIVE_RADIANS = 0.05
"""What 1 in a relative action means."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmTarget:
    """Where the tool should be: position (3,) and Euler angles (3,)."""

    position: Array
    angles: Array


def absolute(target: ArmTarget, gripper: int) -> Array:
    """Return an absolute action as seven numbers, as datasets store it."""
    return np.array([*target.position, *target.angles, gripper])


def relative(before: ArmTarget, after: ArmTarget, gripper: int) -> Array:
    """Return the relative action (7,) that moves the running target; angles take the shorter way.

    It is not clipped: whoever stores it sees to it that it stays within -1..1.
    """
    turn = (after.angles - before.angles + np.pi) % (2 * np.pi) - np.pi
    return np.array([*(after.position - before.position) / RELATIVE_METRES, *turn / RELATIVE_RADIANS, gripper])


def target_of(action: Action, target: ArmTarget, measured: Array) -> tuple[ArmTarget, Array | None, int]:
    """Return the new target, the joint angles if the action has them, and the gripper's command.

    Args:
        action: One of the forms above.
        target: The running target.
        measured: The joint angles (7,).

    Raises:
        UsageError: It has none of these forms.
    """
    if isinstance(action, Mapping):
        return _read_typed(action, target, measured)
    if len(action) == 3:
        position, turn, gripper = action
        return ArmTarget(_finite(position, 3), _angles(turn)), None, _gripper(gripper)
    if len(action) == 7:
        return _move(_finite(action, 7), target)
    raise _wrong(f"an action has {len(action)} parts")


def _read_typed(
    action: Mapping[str, object], target: ArmTarget, measured: Array
) -> tuple[ArmTarget, Array | None, int]:
    kind, numbers = action.get("type"), action.get("action")
    if kind == "cartesian_rel":
        return _move(_finite(numbers, 7), target)
    if kind == "cartesian_abs":
        values = _finite(numbers, 7)
        return ArmTarget(values[:3], values[3:6]), None, _gripper(values[6])
    if kind in ("joint_abs", "joint_rel"):
        values = _finite(numbers, 8)
        joints = values[:7] if kind == "joint_abs" else measured + values[:7]
        position, rotation = arm.tool_pose(joints)
        return ArmTarget(position, arm.euler_from_rotation(rotation)), joints, _gripper(values[7])
    raise _wrong(f"there is no action of type {kind!r}")


def _move(values: Array, target: ArmTarget) -> tuple[ArmTarget, None, int]:
    position = target.position + values[:3] * RELATIVE_METRES
    return ArmTarget(position, target.angles + values[3:6] * RELATIVE_RADIANS), None, _gripper(values[6])


def _angles(turn: object) -> Array:
    values = np.asarray(turn, dtype=np.float64)
    if values.shape == (4,) and np.isfinite(values).all():
        if not values.any():
            raise _wrong("a quaternion of an action must not be zero")
        return arm.euler_from_rotation(arm.rotation_from_quaternion(values))
    return _finite(turn, 3)


def _finite(numbers: object, length: int) -> Array:
    try:
        values = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong("an action must consist of numbers") from error
    if values.shape != (length,) or not np.isfinite(values).all():
        raise _wrong(f"this part of an action must be {length} finite numbers")
    return values


def _gripper(value: object) -> int:
    command = np.asarray(value, dtype=np.float64).reshape(-1)
    if command.shape != (1,) or command[0] not in (CLOSED, OPEN):
        raise _wrong(f"the gripper's command is {value!r}")
    return int(command[0])


def _wrong(message: str) -> UsageError:
    forms = "7 relative numbers, (position, orientation, gripper), or {'type': ..., 'action': ...}"
    return UsageError(message, hint=f"actions: {forms}; the gripper is -1 or 1")
