"""Chains: sequences of tasks, each of which can be done in exactly one way in the state after the previous one.

Dynamic programming over (state, categories used) counts all chains from a state. It also gives the k-th chain
without listing the others, so a chain is drawn uniformly from an exact random number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chorewright.errors import LimitError, UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import load_json
from chorewright.problems.calvin import LENGTH
from chorewright.problems.calvin import tasks as calvin_tasks
from chorewright.problems.calvin.scenes import TabletopState, initial_states, state_of_record

MAX_LENGTH = 100

_EXACT_LENGTH = 12
"""Up to this length the number of chains, at most 34 to its power, fits into 64 bits."""


@dataclass(frozen=True, slots=True)
class Chain:
    """An initial state and the tasks to do from it, in order."""

    initial_state: TabletopState
    sequence: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """The chain as in CALVIN's list of evaluation chains."""
        return {"initial_state": self.initial_state.record(), "sequence": list(self.sequence)}


class ChainSpace:
    """All chains of one length from some states, by number.

    Chains from a state are in the order of their tasks (CALVIN's order of the 34), the first task changing
    slowest. No two tasks of a chain are of the same category, unless ``any_category``.
    """

    def __init__(
        self,
        starts: Sequence[TabletopState] | None = None,
        length: int = LENGTH,
        variant: str = calvin_tasks.CORRECT,
        any_category: bool = False,
    ) -> None:
        """Count the chains.

        Args:
            starts: The initial states; by default the 192 of the evaluation.
            length: Tasks in a chain.
            variant: The domain, ``tabletop`` or ``calvin-compatible``.
            any_category: Whether tasks of one category may repeat.

        Raises:
            UsageError: The length is less than 1, or more than there are categories.
            LimitError: The length is more than ``MAX_LENGTH``.
        """
        check_length(length, any_category)
        self.starts = tuple(dict.fromkeys(initial_states() if starts is None else starts))
        self.length = length
        self.variant = variant
        self._numbers = {start: number for number, start in enumerate(self.starts)}
        found = calvin_tasks.transitions(calvin_tasks.task_model(variant), self.starts)
        self._names = tuple(calvin_tasks.tasks())
        self._valid = [
            [(place, after) for place, after in enumerate(row) if after >= 0] for row in found.after.tolist()
        ]
        self._bits = [0 if any_category else 1 << each.category for each in calvin_tasks.tasks().values()]
        self._counts = _count(found.after, self._bits, length)

    def count(self, start: TabletopState) -> int:
        """Return the number of chains from one of the starts."""
        return int(self._counts[self.length][0][self._numbers[start]])

    def chain(self, start: TabletopState, number: int) -> Chain:
        """Return the chain of a number, from 0, among those from a start.

        Raises:
            IndexError: There are not so many.
        """
        if not 0 <= number < self.count(start):
            raise IndexError(number)
        state, used, sequence = self._numbers[start], 0, []
        for left in range(self.length - 1, -1, -1):
            for place, after, mask in self._steps(state, used):
                behind = int(self._counts[left][mask][after])
                if number < behind:
                    sequence.append(self._names[place])
                    state, used = after, mask
                    break
                number -= behind
        return Chain(start, tuple(sequence))

    def chains(self, start: TabletopState) -> Iterator[Chain]:
        """Yield all chains from one of the starts, in order."""
        for places in self._sequences(self._numbers[start], 0, self.length):
            yield Chain(start, tuple(self._names[place] for place in places))

    def draw(self, start: TabletopState, rng: np.random.Generator) -> Chain:
        """Return one of the chains from a start, each with the same probability.

        Raises:
            UsageError: There is none.
        """
        count = self.count(start)
        if not count:
            raise UsageError(f"there is no chain of {self.length} tasks from {start}")
        return self.chain(start, below(count, rng))

    def sample(self, number: int, rng: np.random.Generator) -> tuple[Chain, ...]:
        """Return different chains in random order, spread evenly over the starts and drawn uniformly from each.

        Raises:
            UsageError: There are not so many from the starts that would have to give them.
        """
        starts = [start for start in self.starts if self.count(start)]
        if not starts:
            raise UsageError(f"there is no chain of {self.length} tasks from {self.starts[0]}")
        order = [starts[int(place)] for place in rng.permutation(len(starts))]
        found: list[Chain] = []
        for place, start in enumerate(order):
            wanted = number // len(order) + (place < number % len(order))
            if wanted > self.count(start):
                raise UsageError(
                    f"there are only {self.count(start)} chains of {self.length} tasks from {start}",
                    hint="ask for fewer, or for other lengths or initial states",
                )
            found.extend(self.chain(start, rank) for rank in _different(wanted, self.count(start), rng))
        return tuple(found[int(place)] for place in rng.permutation(len(found)))

    def task_sets(self, start: TabletopState) -> int:
        """Return the number of different sets of tasks among the chains from a start."""
        layer = {(self._numbers[start], 0, 0)}
        for left in range(self.length - 1, -1, -1):
            layer = {
                (after, mask, done | 1 << place)
                for state, used, done in layer
                for place, after, mask in self._steps(state, used)
                if self._counts[left][mask][after]
            }
        return len({done for _, _, done in layer})

    def _sequences(self, state: int, used: int, left: int) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
            return
        for place, after, mask in self._steps(state, used):
            if self._counts[left - 1][mask][after]:
                for rest in self._sequences(after, mask, left - 1):
                    yield (place, *rest)

    def _steps(self, state: int, used: int) -> Iterator[tuple[int, int, int]]:
        """Yield the tasks that can be next: their places, the states after them, the categories used then."""
        for place, after in self._valid[state]:
            bit = self._bits[place]
            if not used & bit:
                yield place, after, used | bit


chain_space = lru_cache(maxsize=4)(ChainSpace)
"""A ``ChainSpace``, which is kept: counting the chains takes a while."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a chain cannot be done: the task at which it ends, counted from 1, and the reason in words."""

    step: int
    task: str
    reason: str

    def __str__(self) -> str:
        return f"step {self.step}, {self.task}: {self.reason}"


def fault(chain: Chain, variant: str = calvin_tasks.CORRECT, any_category: bool = False) -> Fault | None:
    """Return why a chain cannot be done, or None if it can.

    Where the published model holds it for possible, the reason says what that model believes.

    Raises:
        UsageError: A task is unknown.
    """
    model = calvin_tasks.task_model(variant)
    state = calvin_tasks.atoms_of(chain.initial_state)
    seen: dict[int, str] = {}
    for number, name in enumerate(chain.sequence, start=1):
        category = calvin_tasks.task(name).category
        if category in seen and not any_category:
            reason = f"a chain has one task of each category, and {seen[category]} is of the same"
            return Fault(number, name, reason)
        seen[category] = name
        after = model.successor(name, state)
        if after is None:
            now = calvin_tasks.state_of_atoms(state)
            lacking = model.unmet(name, state) or "it can be done in several ways"
            reason = f"{lacking}; the state is {now}"
            believed = _believe(chain, number - 1)
            if variant == calvin_tasks.CORRECT and believed is not None and believed != now:
                reason += f"; the published model believes in {_difference(believed, now)}"
            return Fault(number, name, reason)
        state = after
    return None


def _believe(chain: Chain, steps: int) -> TabletopState | None:
    """Return the state in which the published model believes the table to be after some tasks."""
    model = calvin_tasks.task_model(calvin_tasks.COMPATIBLE)
    state = calvin_tasks.atoms_of(chain.initial_state)
    for name in chain.sequence[:steps]:
        after = model.successor(name, state)
        if after is None:
            return None
        state = after
    return calvin_tasks.state_of_atoms(state)


def _difference(one: TabletopState, other: TabletopState) -> str:
    pairs = zip(one.record().items(), other.record().values(), strict=True)
    return ", ".join(f"{name}={value}" for (name, value), known in pairs if value != known)


def check_length(length: int, any_category: bool) -> None:
    """Check that chains can have this length.

    Raises:
        UsageError: It is less than 1, or more than there are categories.
        LimitError: It is more than ``MAX_LENGTH``.
    """
    categories = len({each.category for each in calvin_tasks.tasks().values()})
    if length < 1:
        raise UsageError(f"a chain has at least one task, not {length}")
    if length > MAX_LENGTH:
        raise LimitError(f"chains have at most {MAX_LENGTH} tasks, not {length}")
    if length > categories and not any_category:
        hint = "tasks of a category repeat in 'chorewright chains --any-category' and 'generate calvin --play'"
        raise UsageError(f"there are {categories} categories, so no chain of {length} tasks", hint=hint)


_Counts = dict[int, npt.NDArray[Any]]


def _count(after: npt.NDArray[np.int16], bits: Sequence[int], length: int) -> list[_Counts]:
    """Return, for 0 to ``length`` tasks left, the number of ways to go on, by categories used and state."""
    kind = np.dtype(np.int64 if length <= _EXACT_LENGTH else np.object_)
    moves = []
    for place, bit in enumerate(bits):
        states = np.flatnonzero(after[:, place] >= 0)
        moves.append((bit, states, after[states, place]))
    counts: list[_Counts] = []
    for left in range(length + 1):
        level: _Counts = {}
        for mask in _masks(bits, length - left):
            level[mask] = np.ones(len(after), kind) if left == 0 else np.zeros(len(after), kind)
            for bit, states, following in moves if left else ():
                if not mask & bit:
                    level[mask][states] += counts[-1][mask | bit][following]
        counts.append(level)
    return counts


def _masks(bits: Sequence[int], used: int) -> Iterator[int]:
    """Yield the sets of categories that can have been used by some tasks."""
    distinct = sorted(set(bits))
    if distinct == [0]:
        yield 0
    else:
        yield from map(sum, combinations(distinct, used))


def below(count: int, rng: np.random.Generator) -> int:
    """Return a number in [0, count), each with exactly the same probability."""
    if count < 2**63:
        return int(rng.integers(count))
    size = (count.bit_length() + 7) // 8
    while True:
        found = int.from_bytes(rng.bytes(size), "big") >> (8 * size - count.bit_length())
        if found < count:
            return found


def _different(wanted: int, count: int, rng: np.random.Generator) -> list[int]:
    """Return different numbers below ``count``."""
    if 2 * wanted > count:
        return [int(each) for each in rng.permutation(count)[:wanted]]
    found: dict[int, None] = {}
    while len(found) < wanted:
        found[below(count, rng)] = None
    return list(found)


# Files of chains: JSON lists of ``{"initial_state": {...}, "sequence": [...]}``, in CALVIN's form.


MOST_BYTES = 40_000_000
"""About 100,000 chains."""

_SHAPE = 'a chain is {"initial_state": {...}, "sequence": [...]}'


def load_chains(path: str | Path) -> tuple[Chain, ...]:
    """Read a file of chains.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not JSON, or holds something else than states and tasks; the
            error has the line, column and JSON path.
        LimitError: It is too large or nested too deep.
    """
    document = root(load_json(path, MOST_BYTES))
    if not isinstance(document.value, list):
        raise document.error("expected a list of chains", hint=_SHAPE)
    return tuple(map(_chain, document.items()))


def _chain(entry: Node) -> Chain:
    if not isinstance(entry.value, dict) or not {"initial_state", "sequence"} <= entry.value.keys():
        raise entry.error("this is not a chain", hint=_SHAPE)
    names = list(entry["sequence"].items("a list of tasks"))
    if not names:
        raise entry["sequence"].expected("a list of tasks")
    for name in names:
        if not isinstance(name.value, str) or name.value not in calvin_tasks.tasks():
            hint = did_you_mean(str(name.value), calvin_tasks.tasks()) or "'chorewright tasks' lists them"
            raise name.error(f"there is no tabletop task {name.value!r}", hint=hint)
    return Chain(_state(entry["initial_state"]), tuple(name.text() for name in names))


def _state(node: Node) -> TabletopState:
    record = {name: member.value for name, member in node.members("an object of variables")}
    place = node.source.location
    return state_of_record(record, lambda name: place((*node.steps, name) if name else node.steps))
