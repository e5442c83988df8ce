"""Hardness levels: which reasoning an utterance demands of the robot (section 3.3), and how probable each is.

A wanted level may occur once in a thousand draws. So ``Levels`` has the probabilities of all pairs of meaning and
utterance, and draws from those of one level.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chorewright.rsa.handmethat.meanings import Context, Extent, Meaning, Quest, intersection, is_included
from chorewright.rsa.handmethat.utility import RequestActs
from chorewright.rsa.speech_acts import Floats, draw


def hardness(context: Context, useful: Extent, meaning: Meaning, utterance: Meaning, understood: Meaning) -> int | None:
    """Return the first level whose condition holds, or None.

    1: A(m) = A(u), grounding alone. 2: A(m) = A(u) ∩ A(G), the goal must be known. 3: A(m) = A(r), pragmatic
    reasoning, too. 4: A(m) ⊂ A(r), ambiguous even so. None: pragmatic reasoning leads astray, A(m) ⊄ A(r).

    Args:
        context: The things at the time of the request.
        useful: A(G), the useful grounded subgoals of the request's type.
        meaning: m.
        utterance: u.
        understood: r, the listener's most probable meaning.
    """
    meant = context.extent(meaning)
    said = context.extent(utterance)
    if meant == said:
        return 1
    if meant == intersection(said, useful):
        return 2
    taken = context.extent(understood)
    if meant == taken:
        return 3
    return 4 if is_included(meant, taken) else None


@dataclass(frozen=True)
class Levels:
    """The levels of all pairs of meaning and utterance, and their probabilities.

    Attributes:
        acts: Speaker and listener.
        useful: A(G), the useful grounded subgoals of the request's type.
        groups: The utterances by number, those together that are understood alike and fit the same.
        level: Of each class of meanings (rows) with each group of utterances (columns); 0 where pragmatic
            reasoning leads astray.
        chance: The probability that a meaning of the class is meant and an utterance of the group said.
    """

    acts: RequestActs
    useful: Extent
    groups: tuple[tuple[int, ...], ...]
    level: NDArray[np.int64]
    chance: Floats

    @cached_property
    def probabilities(self) -> Floats:
        """The probabilities of being misled and of the levels 1 to 4."""
        return np.asarray(np.bincount(self.level.ravel(), self.chance.ravel(), minlength=5))

    def sample(self, level: int, rng: np.random.Generator) -> tuple[Meaning, Meaning]:
        """Draw a meaning and an utterance of a level, which must be possible."""
        acts = self.acts
        cell = draw(np.where(self.level == level, self.chance, 0.0).ravel(), rng)
        row, column = divmod(cell, len(self.groups))
        members = np.flatnonzero(acts.meaning_class == row)
        meaning = members[draw(np.exp(acts.log_share[members]), rng)]
        group = self.groups[column]
        utterance = group[int(rng.integers(len(group)))]
        return acts.pool.meanings[int(meaning)], acts.utterances[utterance]


def levels(acts: RequestActs, useful: Extent) -> Levels:
    """Return the levels of all pairs of meaning and utterance.

    Args:
        acts: Speaker and listener.
        useful: A(G), the useful grounded subgoals of the request's type.
    """
    row = {extent: number for number, extent in enumerate(acts.extents)}
    grouped: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    fitting = _Fitting(acts.pool.context, useful)
    for number, utterance in enumerate(acts.utterances):
        alone, helpful = (row.get(each, -1) if each else -1 for each in fitting.of(utterance))
        grouped[int(acts.utterance_class[number]), alone, helpful].append(number)
    column, alone, helpful = np.array(list(grouped), np.int64).T
    count = np.array([len(group) for group in grouped.values()], np.float64)
    taken = acts.meaning_class[acts.most_probable[column]]
    level = np.where(acts.inclusion[:, taken], 4, 0)
    for found, rows in ((3, taken), (2, helpful), (1, alone)):
        known = np.flatnonzero(rows >= 0)
        level[rows[known], known] = found
    prior = np.bincount(acts.meaning_class, np.exp(acts.pool.log_prior))
    chance = prior[:, None] * np.exp(acts.log_speaker[:, column]) * count
    return Levels(acts, useful, tuple(map(tuple, grouped.values())), level, chance)


class _Fitting:
    """A(u) and A(u) ∩ A(G) of utterances, where these are of one place or verb: only then is A(m) equal."""

    def __init__(self, context: Context, useful: Extent) -> None:
        self._context = context
        self._useful = useful
        self._things: dict[object, int] = {}

    def of(self, utterance: Meaning) -> tuple[tuple[str | None, int] | None, tuple[str | None, int] | None]:
        context = self._context
        things = self._things.get(utterance.description)
        if things is None:
            things = self._things[utterance.description] = context.extents.of(utterance.description)
        argument = utterance.argument
        if utterance.quest is not Quest.MOVE_TO or argument is not None:
            possible = things & context.possible(utterance.quest, argument)
            return (argument, possible), (argument, possible & self._useful.get(argument, 0))
        extent = context.extent(utterance)
        return _only(extent), _only(intersection(extent, self._useful))


def _only(extent: Extent) -> tuple[str | None, int] | None:
    """The one place or verb of an extent with its things; None if there are several or none."""
    return next(iter(extent.items())) if len(extent) == 1 else None
