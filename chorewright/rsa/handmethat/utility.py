"""Utility: which meanings a human may have, and how probable, P(m | s_T, G) (section 3.2); hardness levels (3.3).

The utility of a meaning is the mean reward of its grounded subgoals, that is how much nearer each brings the
human's goal. ``subgoals`` computes these rewards with the planner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.rsa import numbers
from chorewright.rsa.handmethat.descriptions import Description, Value, descriptions_of, quests
from chorewright.rsa.handmethat.meanings import Context, Extent, Grounding, Meaning, Quest, intersection, is_included
from chorewright.rsa.speech_acts import Floats, Reasoning, SpeechActs, draw, normalize


@dataclass(frozen=True)
class Pool:
    """The meanings of one type of request that a human may have, cheaper ones first.

    Attributes:
        context: What they are about.
        quest: Their type.
        meanings: The meanings.
        things: The things of A(m) of each, as bits of the context.
        utility: U_G(s_T, m) of each.
        log_prior: log P(m | s_T, G) of each.
    """

    context: Context
    quest: Quest
    meanings: tuple[Meaning, ...]
    things: tuple[int, ...]
    utility: Floats
    log_prior: Floats

    @cached_property
    def number(self) -> Mapping[Meaning, int]:
        return {meaning: number for number, meaning in enumerate(self.meanings)}

    @property
    def reasoning(self) -> Reasoning:
        """How speaker and listener reason about requests."""
        return Reasoning(quests().alpha, quests().alpha1, quests().depth)

    def sayings(self) -> Sequence[tuple[Meaning, int]]:
        """Return what may be said, and which things each fits."""
        return [(each, self.context.extents.of(each.description)) for each in utterances(self)]

    def sample(self, rng: np.random.Generator) -> Meaning:
        """Draw a meaning. The pool must not be empty."""
        return self.meanings[draw(np.exp(self.log_prior), rng)]


RequestActs: TypeAlias = SpeechActs[Meaning, Context]
"""Speaker and listener of requests."""


def pool(context: Context, quest: Quest, rewards: Mapping[Grounding, float], useful_only: bool = True) -> Pool:
    """Return the meanings of a type with their probabilities; none if no subgoal is useful.

    Args:
        context: The things at the time of the request.
        quest: The type of request.
        rewards: V*(s_T) - V*(s') for each grounded subgoal, s' being the state once it is fulfilled; 0 for
            those that are not in it.
        useful_only: Only meanings with A(m) ⊆ A(G), as section 3.3 claims of all. Otherwise the formula of
            section 3.2 alone decides, and all meanings count whose A(m) has a useful subgoal.
    """
    gains = {grounding: gain for grounding, gain in rewards.items() if gain > 0}
    useful = context.extent_of(gains)
    found: list[tuple[Meaning, int]] = []
    for argument, bits in useful.items():
        possible = context.possible(quest, argument)
        for description in _descriptions(context, bits):
            fulfilling = context.extents.of(description) & possible
            if not useful_only or not fulfilling & ~bits:
                found.append((Meaning(quest, description, argument), fulfilling))
    place = {argument: number for number, argument in enumerate(context.arguments(quest))}
    found.sort(key=lambda each: (each[0].cost, _order(each[0].description), place[each[0].argument]))
    utility = np.array([_mean_reward(context, things, m, rewards) for m, things in found], np.float64)
    complexity = np.array([meaning.complexity for meaning, _ in found], np.float64)
    return Pool(
        context,
        quest,
        tuple(meaning for meaning, _ in found),
        tuple(things for _, things in found),
        utility,
        normalize(quests().beta1 * utility - quests().beta2 * complexity),
    )


def _descriptions(context: Context, bits: int) -> Sequence[Description]:
    """All descriptions that fit any of some things, each once."""
    return list(
        dict.fromkeys(description for number in numbers(bits) for description in descriptions_of(context.items[number]))
    )


def _order(description: Description) -> tuple[tuple[int, Value], ...]:
    names = tuple(quests().specifiers)
    return tuple((names.index(name), value) for name, value in description)


def _mean_reward(context: Context, things: int, meaning: Meaning, rewards: Mapping[Grounding, float]) -> float:
    names = [context.items[number].name for number in numbers(things)]
    return sum(rewards.get((name, meaning.argument), 0.0) for name in names) / len(names)


def utterances(pool: Pool) -> tuple[Meaning, ...]:
    """Return the utterances for a meaning of the pool: the same request, described less precisely.

    These are all descriptions of what the meanings are about, for requests to move something with the target
    or without; utterances that no meaning satisfies are left out by the listener.
    """
    bits: dict[str | None, int] = {}
    for meaning, things in zip(pool.meanings, pool.things, strict=True):
        bits[meaning.argument] = bits.get(meaning.argument, 0) | things
    if pool.quest is Quest.MOVE_TO and bits:
        bits = {None: reduce(or_, bits.values()), **bits}
    return tuple(
        Meaning(pool.quest, description, argument)
        for argument, things in bits.items()
        for description in _descriptions(pool.context, things)
    )


def useful_extent(context: Context, rewards: Mapping[Grounding, float]) -> Extent:
    """Return A(G): the grounded subgoals that bring the goal nearer."""
    return context.extent_of(grounding for grounding, gain in rewards.items() if gain > 0)


# Hardness levels: which reasoning an utterance demands of the robot (section 3.3), and how probable each is.
#
# A wanted level may occur once in a thousand draws. So ``Levels`` has the probabilities of all pairs of meaning and
# utterance, and draws from those of one level.


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

    def group(self, utterance: int) -> int:
        """Return the group of an utterance, given by its number."""
        return next(place for place, group in enumerate(self.groups) if utterance in group)

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
