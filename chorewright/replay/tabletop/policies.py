"""Policies for the table: CALVIN's usual interface, how one is found by name, and what it is shown."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError, UsageError
from chorewright.replay.tabletop.actions import Action
from chorewright.replay.tabletop.pictures import CAMERAS, TabletopRenderer
from chorewright.replay.tabletop.world import Observation

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


def find_policy(name: str) -> Policy:
    """Return a policy by ``module:attribute``: a class, or a function without arguments that makes one.

    Raises:
        UsageError: There is none, or it is no policy.
    """
    module, _, attribute = name.partition(":")
    if not attribute or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise UsageError(f"there is no policy {name!r}", hint=f"policies are {EXPERT} and module:Class")
    try:
        policy = getattr(importlib.import_module(module), attribute)()
    except Exception as error:  # the module is the user's: whatever it raises
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        hint = "a module in this folder is found with PYTHONPATH=."
        raise UsageError(f"the policy {name!r} cannot be made: {said}", hint=hint) from error
    for method in ("reset", "step"):
        if not callable(getattr(policy, method, None)):
            raise UsageError(f"what {name!r} makes is no policy: it has no method {method!r}")
    return cast("Policy", policy)


def shown(seen: Observation, renderer: TabletopRenderer | None) -> Obs:
    """Return what a policy sees of a state; without a renderer only its numbers."""
    found: Obs = {"rgb_obs": {}, "depth_obs": {}}
    found |= {"robot_obs": seen.robot_obs.copy(), "scene_obs": seen.scene_obs.copy()}
    if renderer is not None:
        for name, frame in zip(CAMERAS, renderer.frames(seen.robot_obs, seen.scene_obs), strict=True):
            found["rgb_obs"][f"rgb_{name}"] = frame.rgb
            found["depth_obs"][f"depth_{name}"] = frame.depth
    return found


def asked(policy: Policy, name: str, obs: Obs, goal: str) -> Action:
    """Return a policy's next action, as numbers that the world takes.

    Raises:
        InputError: The policy raises something.
    """
    try:
        action = policy.step(obs, goal)
        if hasattr(action, "detach"):  # a tensor, without importing what it is from
            action = cast("Any", action).detach().cpu().numpy()
        if isinstance(action, np.ndarray):
            action = _flat(action)
    except Exception as error:  # the policy is the user's: whatever it raises
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"the policy {name!r} failed: {said}") from error
    return action


def _flat(action: NDArray[Any]) -> NDArray[np.float64]:
    """Return seven numbers of which the last, the gripper, is -1 or 1, as CALVIN's environment takes it."""
    values = np.asarray(action, np.float64).reshape(-1)
    if values.shape == (7,):
        values = values.copy()
        values[6] = 1.0 if values[6] > 0 else -1.0
    return values
