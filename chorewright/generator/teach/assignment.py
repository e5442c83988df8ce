"""Which task, parameters and room each of TEACh's sessions has: shares of splits and tasks, then in turn.

Splits and tasks come in fixed shares (Sainte-Lague). Within a split, each of a task's variants has its turn
before any has a second one, each time in the room among its own that has been used least. All rooms of small
tasks are used again and again, as in TEACh: the room is scattered differently each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chorewright.generator.config import Assignment
from chorewright.generator.sampling import Choice, Fold


@dataclass(slots=True)
class _Turns:
    """One task in one split: its variants in a random order, over and over."""

    choices: list[Choice]
    rng: np.random.Generator
    order: list[int] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)

    def next(self) -> tuple[Choice, str]:
        """Return the next variant and its room."""
        if not self.order:
            self.order = self.rng.permutation(len(self.choices)).tolist()
        choice = self.choices[self.order.pop()]
        places = self.rng.permutation(len(choice.scenes)).tolist()
        room = min((choice.scenes[place] for place in places), key=lambda name: self.used[name])
        self.used[room] += 1
        return choice, room


def assignments(
    choices: Mapping[str, Sequence[Choice]],
    shares: Mapping[str, float],
    folds: Sequence[Fold],
    count: int,
    seed: int,
) -> list[Assignment]:
    """Return the assignments of the indices 0 to ``count - 1``, none if nothing is possible.

    A shorter run is a longer run's beginning.

    Args:
        choices: For each task its variants, each with the rooms that suit it.
        shares: How often each task shall come relative to the others.
        folds: Splits with shares and rooms; one in which nothing is possible is left out.
        count: How many.
        seed: Entropy of all random orders.
    """
    turns: dict[tuple[str, str], _Turns] = {}
    for number, fold in enumerate(folds):
        for place, (task, every) in enumerate(choices.items()):
            here = [_within(choice, fold.scenes) for choice in every]
            suited = [choice for choice in here if choice.scenes]
            if suited:
                entropy = np.random.SeedSequence((seed, 1, number, place))
                turns[fold.split, task] = _Turns(suited, np.random.Generator(np.random.PCG64(entropy)))
    splits = {fold.split: fold.share for fold in folds if any(split == fold.split for split, _ in turns)}
    given: Counter[str] = Counter()
    given_in: dict[str, Counter[str]] = {split: Counter() for split in splits}
    seen: Counter[tuple[str, tuple[tuple[str, str], ...], str]] = Counter()
    found: list[Assignment] = []
    while len(found) < count and splits:
        split = _behind(splits, given)
        task = _behind({task: shares[task] for own, task in turns if own == split}, given_in[split])
        given[split] += 1
        given_in[split][task] += 1
        choice, room = turns[split, task].next()
        key = (task, choice.parameters, room)
        found.append(Assignment(len(found), task, choice.parameters, room, split, seen[key]))
        seen[key] += 1
    return found


def _within(choice: Choice, rooms: frozenset[str]) -> Choice:
    return Choice(choice.task, choice.parameters, tuple(room for room in choice.scenes if room in rooms))


def _behind(shares: Mapping[str, float], given: Counter[str]) -> str:
    """Return what lags most behind its share, so that every beginning has the shares, too."""
    return max(shares, key=lambda name: shares[name] / (given[name] + 0.5))
