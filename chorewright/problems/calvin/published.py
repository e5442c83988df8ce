"""The published evaluation chains, found by replaying numpy's legacy random stream.

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

from chorewright.errors import UsageError
from chorewright.jit.kernels import njit
from chorewright.problems.calvin import LENGTH
from chorewright.problems.calvin.chains import Chain
from chorewright.problems.calvin.states import initial_states
from chorewright.problems.calvin.tasks import COMPATIBLE, task_model, tasks, transitions

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
