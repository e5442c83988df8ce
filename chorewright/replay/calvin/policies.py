"""Policies for the table: CALVIN's usual interface, how one is found by name, and what it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import ChorewrightError, InputError, first_line
from chorewright.files.plugins import Origin, make
from chorewright.replay.calvin.actions import Action
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer
from chorewright.replay.calvin.world import TableObservation
from chorewright.replay.games.foreign import hear

Obs: TypeAlias = dict[str, Any]
"""``rgb_obs`` and ``depth_obs`` by camera (``rgb_static``, ``depth_gripper``...), ``robot_obs``,
``scene_obs``."""

EXPERT = "expert"
"""The name of our scripted expert, which is told the task and sees the world itself."""


class Policy(Protocol):
    """What CALVIN's evaluation asks of a policy."""

    def reset(self) -> object:
        """Begin a new task."""
        ...

    def step(self, obs: Obs, goal: str) -> Action:
        """Return the next action: seven relative numbers, or any other form that the world takes."""
        ...


def find_policy(name: str, origin: Origin = Origin.FILE) -> Policy:
    """Return a policy by ``module:attribute``: a class, or a function without arguments that makes one.

    Raises:
        UsageError: There is none, or it is no policy.
    """
    hint = f"policies are {EXPERT} and module:Class"
    return cast("Policy", make(name, "policy", origin, ("reset", "step"), hint))


def show(seen: TableObservation, renderer: TabletopRenderer | None) -> Obs:
    """Return what a policy sees of a state; without a renderer only its numbers."""
    found: Obs = {"rgb_obs": {}, "depth_obs": {}}
    found |= {"robot_obs": seen.robot_obs.copy(), "scene_obs": seen.scene_obs.copy()}
    if renderer is not None:
        for name, frame in zip(CAMERAS, renderer.frames(seen.robot_obs, seen.scene_obs), strict=True):
            found["rgb_obs"][f"rgb_{name}"] = frame.rgb
            found["depth_obs"][f"depth_{name}"] = frame.depth
    return found


def begin(policy: Policy, name: str) -> None:
    """Let a policy begin a new task.

    Raises:
        InputError: The policy raises something.
    """
    hear(policy.reset, f"the policy {name!r} failed", InputError)


def ask(policy: Policy, name: str, obs: Obs, goal: str) -> Action:
    """Return a policy's next action, as numbers that the world takes.

    Raises:
        InputError: The policy raises something, or gives what are no numbers.
    """
    given = hear(lambda: policy.step(obs, goal), f"the policy {name!r} failed", InputError)
    try:
        return _action(given)
    except Exception as error:  # what is given may be an object of the user's
        raise InputError(f"the policy {name!r} returned an invalid action: {first_line(error)}") from error


def carry_out(world: Tabletop, action: Action, name: str) -> TableObservation:
    """Do a policy's action.

    Raises:
        InputError: The world does not take it.
    """
    try:
        return world.step(action)
    except (ChorewrightError, TypeError, ValueError, KeyError) as error:
        said = error.message if isinstance(error, ChorewrightError) else f"{type(error).__name__}: {error}"
        hint = error.hint if isinstance(error, ChorewrightError) else None
        raise InputError(f"the policy {name!r} returned an invalid action: {said}", hint=hint) from error


def _action(given: Any) -> Action:
    """Return an action as numbers: seven, or a position, an orientation and the gripper; a dict as it is."""
    if isinstance(given, Mapping):
        return cast("Action", given)
    if isinstance(given, list | tuple) and len(given) == 3:
        position, orientation, gripper = (_numbers(each) for each in given)
        return position, orientation, _grip(gripper[0])
    values = _numbers(given)
    if values.shape != (7,):
        raise ValueError(f"an action is seven numbers, not {len(values)}")
    values[6] = _grip(values[6])
    return values


def _numbers(given: Any) -> NDArray[np.float64]:
    if hasattr(given, "detach"):  # a tensor, without importing what it is from
        given = given.detach().cpu().numpy()
    values = np.array(given, np.float64).reshape(-1)
    if not np.isfinite(values).all():
        raise ValueError("an action is made of finite numbers")
    return values


def _grip(value: float) -> int:
    """Return -1 or 1, to which CALVIN's environment rounds the gripper."""
    return 1 if value > 0 else -1
