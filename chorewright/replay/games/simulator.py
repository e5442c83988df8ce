"""A simulator that runs a domain's own actions: its state is a set of atoms, its view a text."""

from __future__ import annotations

from chorewright.domains.facts import Facts, atom_text
from chorewright.domains.pddl.syntax import Domain, State
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import PlanWorld
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.simulator import Event, Observation, SimulatorAction


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
