"""Worlds and Gymnasium environments by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chorewright.files.plugins import Origin
from chorewright.generator.worlds import World, find_world

if TYPE_CHECKING:
    import gymnasium


def make_world(name: str) -> World:
    """Return a world: its domain, vocabulary and tasks, and problems of goals in its scenes.

    Args:
        name: ``household``, ``handmethat``, ``tabletop``, ``behavior``, an installed package's, or
            ``module:attribute``.

    Raises:
        UsageError: There is none of this name.
    """
    return find_world(name, origin=Origin.PERSON)


def make_env(name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Return a Gymnasium environment.

    Args:
        name: ``ALFWorld-v0``, ``HandMeThat-v2``, ``PDDL-v0``, ``BEHAVIOR-v0``, ...
        options: Those of the environment.
    """
    import gymnasium

    import chorewright.environments  # registers them

    del chorewright
    return gymnasium.make(name if "/" in name else f"chorewright/{name}", **options)
