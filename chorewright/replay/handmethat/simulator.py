"""HandMeThat's text world behind the ``Simulator`` protocol: actions are commands, observations are text."""

from __future__ import annotations

from chorewright.domains.pddl.syntax import State
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import PAPER, Rules, TextWorld, Turn
from chorewright.replay.simulator import Event, Observation, SimulatorAction


class TextSimulator:
    """Plays a task; the name of an action is the command itself, and it has no arguments.

    Args:
        fully_observable: Whether the robot sees all objects at all times.
        rules: Costs and limits.
    """

    def __init__(self, fully_observable: bool = True, rules: Rules = PAPER) -> None:
        self._fully_observable, self._rules = fully_observable, rules
        self._world: TextWorld | None = None
        self._turn = Turn("")

    @property
    def world(self) -> TextWorld:
        """The text world.

        Raises:
            RuntimeError: The simulator has not been reset to a task.
        """
        if self._world is None:
            raise RuntimeError("reset the simulator to a task first")
        return self._world

    def reset(self, scene: HandMeThatTask) -> Event:
        """Begin a task."""
        self._world = TextWorld(scene, self._fully_observable, self._rules)
        self._turn = self._world.reset()
        return Event(True, "")

    def step(self, action: SimulatorAction) -> Event:
        """Give a command. One that the domain refuses or nobody understands fails; it costs a move all the same.

        The event returns the ``Turn``, with what the command earned.
        """
        before = self.world.refused
        self._turn = self.world.step(action.action)
        failed = self.world.refused > before
        return Event(not failed, self._turn.observation if failed else "", self._turn)

    def state(self) -> State:
        """Return the true atoms of HandMeThat's domain."""
        return self.world.state()

    def observation(self) -> Observation:
        """Return what the robot was last told; there are no pictures."""
        world = self.world
        counts = {"moves": world.moves, "questions": world.questions, "score": world.score}
        return Observation(self._turn.observation, {}, {**counts, "won": world.won, "lost": world.lost})
