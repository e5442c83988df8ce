"""Worlds and Gymnasium environments by their names."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from chorewright.domains.pddl.syntax import Formula
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.files.records import check_types
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.worlds import World, find_world
from chorewright.replay.experts import Steppable

if TYPE_CHECKING:
    import gymnasium

    from chorewright.replay.experts import OnlineExpert

_OF_GYMNASIUM = ("render_mode", "max_episode_steps", "disable_env_checker")
"""What ``gymnasium.make`` takes itself."""


@check_types
def make_world(name: str) -> World:
    """Return a world: its domain, vocabulary and tasks, and problems of goals in its scenes.

    Args:
        name: ``household``, ``handmethat``, ``tabletop``, ``behavior``, an installed package's, or
            ``module:attribute``.

    Raises:
        UsageError: There is none of this name.
    """
    return find_world(name, origin=Origin.PERSON)


@check_types
def expert(environment: Steppable, goal: Formula | Episode | str | None = None) -> OnlineExpert[Any]:
    """Return an expert that says what to do next in an environment, from whatever state it is in.

    Args:
        environment: A text game's environment or play (ALFRED's, HandMeThat's, BEHAVIOR's, any PDDL domain's), the
            THOR world, CALVIN's table, or one that an installed package has an expert for.
        goal: For a room, a formula of the household, its text in PDDL, or an episode; for the table, a task's name.

    Raises:
        UsageError: There is no expert for such environments, or the goal is missing or none.
    """
    from chorewright.replay.experts import find_expert

    return find_expert(environment, goal)


@check_types
def make_env(name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Return a Gymnasium environment.

    Args:
        name: ``ALFWorld-v0``, ``HandMeThat-v2``, ``PDDL-v0``, ``BEHAVIOR-v0``, ...
        options: Those of the environment.

    Raises:
        UsageError: There is no such environment, or it has no such option.
    """
    import gymnasium
    from gymnasium.envs.registration import load_env_creator

    import chorewright.environments  # registers them

    del chorewright
    try:
        spec = gymnasium.spec(name if "/" in name else f"chorewright/{name}")
    except gymnasium.error.Error as error:
        raise UsageError(str(error)) from error
    maker = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    known = {} if maker is None else signature(maker).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in known.values()):
        for option in options:
            if option not in {*known, *_OF_GYMNASIUM}:
                raise UsageError(f"the environment {name} has no option {option!r}", hint=f"it has {', '.join(known)}")
    return gymnasium.make(spec, **options)
