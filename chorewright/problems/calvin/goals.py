"""All shortest chains to a goal on the table, counted so that one can be drawn uniformly.

The search over states is breadth first. States include what the goal asks about the past (``rotated``, ``placed``
...). There are some two thousand states, times the possible pasts. For a goal that asks much about the past,
planning is better (``generator.calvin.goals``).
"""

from __future__ import annotations

import numpy as np

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.syntax import Formula, State
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.errors import LimitError, UsageError
from chorewright.problems.calvin.chains import Chain, below
from chorewright.problems.calvin.states import TabletopState
from chorewright.problems.calvin.tasks import CORRECT, TaskModel, atoms_of, tasks

MOST_STATES = 30_000

_Steps = list[tuple[int, State]]


class ShortestChains:
    """The shortest chains from a state to a goal.

    Attributes:
        length: Tasks in each; 0 if the goal holds at the start, None if no chain leads to it.
        count: How many there are.
    """

    def __init__(self, start: TabletopState, goal: Formula, variant: str = CORRECT) -> None:
        """Search.

        Args:
            start: Where the chains start.
            goal: A formula over the predicates and constants of the domain.
            variant: The domain.

        Raises:
            LimitError: The search meets more than ``MOST_STATES`` states.
        """
        self.start = start
        self._names = tuple(tasks())
        self._model = TaskModel(load_shipped_library().domain(variant), predicates_mentioned_in(goal))
        self._question = StateQuestion(goal)
        first = atoms_of(start)
        layers: list[dict[State, _Steps]] = []
        seen = {first}
        layer = [first]
        while layer and not any(map(self._reached, layer)):
            steps = {state: self._steps(state) for state in layer}
            layers.append(steps)
            following = (after for each in steps.values() for _, after in each)
            layer = [state for state in dict.fromkeys(following) if state not in seen]
            seen.update(layer)
            if len(seen) > MOST_STATES:
                raise LimitError(f"the goal is not reached within {MOST_STATES} states of the table")
        self._layers = layers
        self._ways: list[dict[State, int]] = [{state: 1 for state in layer if self._reached(state)}]
        for steps in reversed(layers):
            behind = self._ways[-1]
            counts = {state: sum(behind.get(after, 0) for _, after in each) for state, each in steps.items()}
            self._ways.append({state: count for state, count in counts.items() if count})
        self._ways.reverse()
        self.count = self._ways[0].get(first, 0)
        self.length = len(layers) if self.count else None

    def draw(self, rng: np.random.Generator) -> Chain:
        """Return one of the chains, each with the same probability.

        Raises:
            UsageError: There is none.
        """
        if not self.count:
            raise UsageError(f"no chain leads from {self.start} to the goal")
        state, sequence = atoms_of(self.start), []
        for steps, behind in zip(self._layers, self._ways[1:], strict=True):
            options = [(place, after) for place, after in steps[state] if after in behind]
            number = below(sum(behind[after] for _, after in options), rng)
            for place, after in options:
                if number < behind[after]:
                    sequence.append(self._names[place])
                    state = after
                    break
                number -= behind[after]
        return Chain(self.start, tuple(sequence))

    def _steps(self, state: State) -> _Steps:
        return [
            (place, after) for place, after in enumerate(self._model.successors(state)) if not isinstance(after, int)
        ]

    def _reached(self, state: State) -> bool:
        return self._question.holds(Facts(state), self._model.universe, {})
