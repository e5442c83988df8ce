"""The protocol that every simulator speaks: reset to a scene, step an action, look at what is so and what is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from chorewright.domains.pddl.syntax import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Argument: TypeAlias = (
    str | int | float | bool | Mapping[str, "Argument"] | Sequence["Argument"] | None  # any JSON value
)

SceneT_contra = TypeVar("SceneT_contra", contravariant=True)
"""What a world is set up from."""


@dataclass(frozen=True, slots=True)
class SimulatorAction:
    """One simulator call: the action's name in the world's own words, and its arguments by name."""

    action: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """What a step led to.

    Attributes:
        success: Whether the action was done.
        error_message: Why it was not; empty if it was.
        action_return: What the action asked for, if it asked for something.
    """

    success: bool
    error_message: str
    action_return: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture.

    Attributes:
        rgb: (height, width, 3) uint8.
        depth: (height, width) float32, metres in front of the camera, 0 where nothing is or nothing is known.
        instances: (height, width) int32, indices into ``names``, -1 where nothing is or nothing is known.
        names: What the instances are called.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    instances: NDArray[np.int32]
    names: tuple[str, ...]

    @staticmethod
    def of_colours(rgb: NDArray[np.uint8]) -> Frame:
        """Return a picture of which nothing but its colours is known."""
        import numpy as np

        shape = rgb.shape[:2]
        return Frame(rgb, np.zeros(shape, np.float32), np.full(shape, -1, np.int32), ())

    def mask(self, name: str) -> NDArray[np.bool_]:
        """Return where an instance is seen."""
        import numpy as np

        if name not in self.names:
            return np.zeros(self.instances.shape, np.bool_)
        return np.asarray(self.instances == self.names.index(name))


Picture: TypeAlias = Callable[[int], Frame]
"""Draws what a camera sees, so many pixels on a side. It is drawn when it is called, not before."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What there is to be seen of a world now, as far as it offers it.

    Attributes:
        text: What is told in words; empty if nothing is.
        pictures: A picture for each camera, by the camera's name. They show the world as it is when they are
            drawn, so draw them before the next step.
        metadata: What else the world tells, in its own schema.
    """

    text: str = ""
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)


class Simulator(Protocol[SceneT_contra]):
    """A deterministic world: the same scene and actions give the same events."""

    def reset(self, scene: SceneT_contra) -> Event:
        """Set the world up as the scene says."""
        ...

    def step(self, action: SimulatorAction) -> Event:
        """Run one action; an action that cannot be done fails with a message and changes nothing."""
        ...

    def state(self) -> State:
        """Return the true atoms of the world's domain."""
        ...

    def observation(self) -> Observation:
        """Return what there is to be seen now."""
        ...
