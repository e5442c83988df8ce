"""The protocol that every simulator speaks: reset to a scene, step an action, look at the event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from chorewright.problems.thor.scene import Scene

Argument: TypeAlias = (
    str | int | float | bool | Mapping[str, "Argument"] | Sequence["Argument"] | None  # any JSON value
)


@dataclass(frozen=True, slots=True)
class SimulatorAction:
    """One simulator call: AI2-THOR's action name and its arguments, e.g. ``PickupObject(objectId=...)``."""

    action: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """What a step led to.

    ``metadata`` follows AI2-THOR's schema (agent, objects, inventoryObjects, lastAction, ...); simulators
    build it on demand, since most steps of a replay never look at it.
    """

    success: bool
    error_message: str
    action_return: object = None


class Simulator(Protocol):
    """A deterministic world: the same scene and actions give the same events."""

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        ...

    def step(self, action: SimulatorAction) -> Event:
        """Run one action; an action that cannot be done fails with a message and changes nothing."""
        ...

    def scene(self) -> Scene:
        """Return the present state as a scene."""
        ...

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata in AI2-THOR's schema."""
        ...
