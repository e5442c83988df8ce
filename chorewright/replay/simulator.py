"""The protocol of all simulators (reset to a scene, step an action, look), and a simulator of any domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from chorewright.domains.facts import Facts, atom_text
from chorewright.domains.pddl.syntax import Domain, State
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import PlanWorld
from chorewright.problems.pddl.scenes import PddlScene

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


# A simulator that runs a domain's own actions: its state is a set of atoms, its view a text.


class PddlSimulator:
    """A world in which exactly the effects of the domain's actions happen."""

    def __init__(self, domain: Domain) -> None:
        """Make a simulator of a domain; ``reset`` gives it a scene."""
        self._domain = domain
        self._world: PlanWorld | None = None
        self._state: State = frozenset()

    def reset(self, scene: PddlScene) -> Event:
        """Begin in a scene.

        Raises:
            InputErrors: The scene is not of the domain.
        """
        self._world = PlanWorld.of(self._domain, scene.problem(self._domain))
        self._state = self._world.initial()
        return Event(True, "")

    def step(self, action: SimulatorAction) -> Event:
        """Run an action of the domain; its arguments are named like the parameters, without question marks.

        Raises:
            RuntimeError: There is no scene yet.
        """
        if self._world is None:
            raise RuntimeError("reset the simulator to a scene first")
        step = GroundAction(action.action, tuple(str(each) for each in action.arguments.values()))
        facts = Facts(self._state)
        refused = self._world.refusal(step, facts)
        if refused is not None:
            return Event(False, refused[2])
        self._state = self._world.apply(step, self._state, facts)
        return Event(True, "")

    def state(self) -> State:
        """Return the true atoms, derived ones included."""
        return self._state

    def observation(self) -> Observation:
        """Return the atoms as text, one on a line."""
        return Observation("\n".join(atom_text(atom) for atom in sorted(self._state)))


def plain_call(domain: Domain, action: GroundAction) -> SimulatorAction:
    """Return an action of a plan as a call of the same name, its arguments named like the parameters.

    Raises:
        ValueError: The domain has no such action, or one with another number of parameters.
    """
    schema = next((each for each in domain.actions if each.name == action.name), None)
    if schema is None or len(schema.parameters) != len(action.arguments):
        raise ValueError(f"{action} is no action of the domain {domain.name}")
    names = [parameter.name.removeprefix("?") for parameter in schema.parameters]
    return SimulatorAction(action.name, dict(zip(names, action.arguments, strict=True)))
