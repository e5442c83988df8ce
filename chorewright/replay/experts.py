"""Experts on demand: what to do next, and the whole way to the goal, from whatever state an environment is in.

A family gives an ``OnlineExpert`` for each kind of environment, found in the entry-point group ``chorewright.experts``.
An expert sees the environment itself, not what an agent is shown, and leaves it as it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from chorewright.errors import UsageError
from chorewright.files.plugins import Registry

ActionT = TypeVar("ActionT")
"""What an environment's ``step`` takes."""


class Steppable(Protocol):
    """What an expert advises in: an environment, a game or a world in which actions are done one by one."""

    def step(self, *arguments: Any) -> Any:
        """Do an action."""
        ...


class RolloutEnv(Protocol):
    """What is asked of an environment: Gymnasium's ``reset`` and ``step``."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        ...

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Do an action."""
        ...


class OnlineExpert(ABC, Generic[ActionT]):
    """Says what to do in one environment; it may be asked at any time, also after an agent has done something else."""

    @abstractmethod
    def plan(self) -> Sequence[ActionT] | None:
        """Return the actions that lead from here to the goal, none if it holds; None if no way is known."""

    def action(self) -> ActionT | None:
        """Return the next action; None if the goal holds, or no way is known."""
        plan = self.plan()
        return plan[0] if plan else None


class ExpertSource(Protocol):
    """Makes experts for some kind of environment."""

    def expert(self, environment: object, goal: object) -> OnlineExpert[Any] | None:
        """Return an expert for an environment; None if it is of another kind.

        Args:
            environment: The environment, without wrappers.
            goal: What is to be reached, where the environment has no goal of its own; else None.

        Raises:
            UsageError: The goal is missing, or none.
        """
        ...


EXPERTS: Registry[ExpertSource] = Registry("chorewright.experts", "expert", ("expert",))


def find_expert(environment: Steppable, goal: object = None) -> OnlineExpert[Any]:
    """Return an expert for an environment.

    Args:
        environment: An environment or world; Gymnasium's wrappers are looked through.
        goal: What is to be reached, where the environment has no goal of its own.

    Raises:
        UsageError: There is none for such environments, or the goal is missing or none.
    """
    inner: object = getattr(environment, "unwrapped", environment)
    for source in EXPERTS.usable().values():
        found = source.expert(inner, goal)
        if found is not None:
            return found
    raise UsageError(
        f"there is no expert for {type(inner).__name__}",
        hint="a package adds one in the entry-point group chorewright.experts",
    )
