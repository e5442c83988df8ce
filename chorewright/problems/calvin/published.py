"""Chains to evaluate by: the published ones, from numpy's legacy random stream, and all shortest ones to a goal.

For each of the 192 initial states, CALVIN calls ``numpy.random.choice`` for 5 of the 34 tasks without
replacement, from a generator seeded with the state's number, until enough draws are feasible. That takes about
six million draws for 1,000 chains. Each draw is a whole legacy shuffle of the 34 tasks, of which the first five
count. Here the Mersenne Twister and the shuffle are compiled, and a table tells whether a draw is feasible.

Only this module and ``states.concrete`` take random numbers from something else than a ``Generator``, because the
stream itself must be reproduced.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.syntax import Formula, State
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.errors import LimitError, UsageError
from chorewright.jit.kernels import njit
from chorewright.problems.calvin import LENGTH
from chorewright.problems.calvin.chains import Chain, below
from chorewright.problems.calvin.scenes import TabletopState, initial_states
from chorewright.problems.calvin.tasks import COMPATIBLE, CORRECT, TaskModel, atoms_of, task_model, tasks, transitions

PUBLISHED = 1000
"""How many chains the evaluation has."""

_WORDS = 624
_AHEAD = 397


def find_published_chains(number: int = PUBLISHED) -> tuple[Chain, ...]:
    """Return the chains of CALVIN's evaluation, in its order.

    Args:
        number: How many; only 1,000 are the published ones, others are what the same procedure gives.

    Raises:
        UsageError: The number is negative.
    """
    if number < 0:
        raise UsageError(f"the number of chains cannot be {number}")
    starts, names = initial_states(), tuple(tasks())
    table = transitions(task_model(COMPATIBLE), starts).after
    categories = np.array([each.category for each in tasks().values()], np.int64)
    found: list[Chain] = []
    for place, start in enumerate(starts):
        wanted = number // len(starts) + (place < number % len(starts))
        state = np.random.RandomState(place).get_state(legacy=False)
        key = np.array(state["state"]["key"], np.uint32)
        rows = np.empty((wanted, LENGTH), np.int64)
        _draw(key, table, place, categories, rows)
        found.extend(Chain(start, tuple(names[each] for each in row)) for row in rows.tolist())
    order = list(range(number))
    np.random.RandomState(0).shuffle(order)
    return tuple(found[each] for each in order)


@njit()
def _draw(
    key: npt.NDArray[np.uint32],
    table: npt.NDArray[np.int16],
    start: int,
    categories: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
) -> None:
    """Fill the rows with the first feasible draws of a generator that has just been seeded.

    Args:
        key: The 624 words of the generator's state, none of them used yet; changed.
        table: The state after each task, negative where it cannot be done.
        start: The number of the initial state.
        categories: The category of each task.
        rows: To be filled with the tasks of each chain.
    """
    tasks = categories.shape[0]
    masks = np.zeros(tasks, np.uint32)
    for last in range(1, tasks):
        mask = 1
        while mask < last:
            mask = 2 * mask + 1
        masks[last] = mask
    deck = np.empty(tasks, np.int64)
    used, found = _WORDS, 0
    while found < rows.shape[0]:
        for place in range(tasks):
            deck[place] = place
        for last in range(tasks - 1, 0, -1):
            while True:  # numpy rejects what the mask leaves too large
                if used == _WORDS:
                    _refill(key)
                    used = 0
                word = key[used]
                used += 1
                word ^= word >> np.uint32(11)
                word ^= (word << np.uint32(7)) & np.uint32(0x9D2C5680)
                word ^= (word << np.uint32(15)) & np.uint32(0xEFC60000)
                word ^= word >> np.uint32(18)
                other = word & masks[last]
                if other <= last:
                    break
            deck[last], deck[other] = deck[other], deck[last]
        state, seen = start, 0
        for place in range(rows.shape[1]):
            task = deck[place]
            bit = 1 << categories[task]
            if seen & bit or table[state, task] < 0:
                state = -1
                break
            seen |= bit
            state = table[state, task]
        if state >= 0:
            rows[found] = deck[: rows.shape[1]]
            found += 1


@njit()
def _refill(key: npt.NDArray[np.uint32]) -> None:
    """Make the next 624 words of the Mersenne Twister (Matsumoto and Nishimura 1998)."""
    for place in range(_WORDS):
        mixed = (key[place] & np.uint32(0x80000000)) | (key[(place + 1) % _WORDS] & np.uint32(0x7FFFFFFF))
        word = key[(place + _AHEAD) % _WORDS] ^ (mixed >> np.uint32(1))
        if mixed & np.uint32(1):
            word ^= np.uint32(0x9908B0DF)
        key[place] = word


# All shortest chains to a goal on the table, counted so that one can be drawn uniformly.
#
# The search over states is breadth first. States include what the goal asks about the past (``rotated``, ``placed``
# ...). There are some two thousand states, times the possible pasts. For a goal that asks much about the past,
# planning is better (``generator.calvin.goals``).


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
