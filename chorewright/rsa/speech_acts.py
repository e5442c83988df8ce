"""Rational Speech Acts: what a speaker says to a rational listener, and how the listener understands it.

Section 3.2: a literal listener understands an utterance as any meaning with A(m) ⊆ A(u). Speaker and listener
then reason about each other ``depth`` times. MeaningPool with equal A(m) are said alike, and utterances that fit the
same subgoals at the same cost are understood alike. So the recursion runs over classes of them, and the result is
exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.rsa import numbers

Floats = NDArray[np.float64]

_TIE = 1e-9
"""Logarithms of probabilities that differ by less are equal."""

_Class: TypeAlias = tuple[str | None, int, int]
"""Place or verb, things as bits, and cost; all meanings that are fulfilled alike are of one class."""


class Sayable(Protocol):
    """A meaning; an utterance is one that is said. It is hashable."""

    @property
    def argument(self) -> str | None:
        """The place or verb that it names; None if it names none."""

    @property
    def cost(self) -> int:
        """What it costs to say."""


MeaningT = TypeVar("MeaningT", bound=Sayable)
ContextT_co = TypeVar("ContextT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """How speaker and listener reason.

    Attributes:
        alpha: How rational the speaker is.
        alpha1: What a unit of cost weighs.
        depth: k, how often they reason about each other, at least 1.
    """

    alpha: float
    alpha1: float
    depth: int


class MeaningPool(Protocol[MeaningT, ContextT_co]):
    """The meanings that a speaker may have, with the listener's prior, and what may be said of them."""

    @property
    def context(self) -> ContextT_co:
        """What they are about."""

    @property
    def meanings(self) -> tuple[MeaningT, ...]:
        """The meanings, cheaper ones first."""

    @property
    def things(self) -> tuple[int, ...]:
        """The things of A(m) of each, as bits."""

    @property
    def log_prior(self) -> Floats:
        """log P(m) of each."""

    @property
    def number(self) -> Mapping[MeaningT, int]:
        """The number of each."""

    @property
    def reasoning(self) -> Reasoning:
        """How speaker and listener reason where nobody says otherwise."""

    def sayings(self) -> Sequence[tuple[MeaningT, int]]:
        """Return what may be said, and which things each fits, as bits."""

    def sample(self, rng: np.random.Generator) -> MeaningT:
        """Draw a meaning."""


@dataclass(frozen=True)
class SpeechActs(Generic[MeaningT, ContextT_co]):
    """Speaker and listener of one pool of meanings.

    Attributes:
        pool: The meanings with the listener's prior.
        utterances: What may be said.
        meaning_class, utterance_class: The class of each.
        log_speaker: log P(u | m) of one utterance of a class (columns) for a meaning of a class (rows).
        log_listener: log P(class of m | u) likewise.
        log_share: log of each meaning's share in its class.
    """

    pool: MeaningPool[MeaningT, ContextT_co]
    utterances: tuple[MeaningT, ...]
    meaning_class: NDArray[np.int64]
    utterance_class: NDArray[np.int64]
    log_speaker: Floats
    log_listener: Floats
    log_share: Floats

    @cached_property
    def number(self) -> Mapping[MeaningT, int]:
        return {utterance: number for number, utterance in enumerate(self.utterances)}

    def speaker(self, meaning: MeaningT) -> Floats:
        """Return P(u | m) of all utterances.

        Raises:
            UsageError: The pool does not have the meaning.
        """
        row = self.log_speaker[self.meaning_class[_find(self.pool.number, meaning, "meaning")]]
        return np.asarray(np.exp(row[self.utterance_class]))

    def listener(self, utterance: MeaningT) -> Floats:
        """Return P(m | u) of all meanings.

        Raises:
            UsageError: It is not among the utterances.
        """
        return np.asarray(np.exp(self._log_listener(utterance)))

    def say(self, meaning: MeaningT, rng: np.random.Generator) -> MeaningT:
        """Draw an utterance for a meaning."""
        return self.utterances[draw(self.speaker(meaning), rng)]

    def understand(self, utterance: MeaningT) -> MeaningT:
        """Return r, the most probable meaning; among equals, the first in the pool (a cheapest one)."""
        column = self.utterance_class[_find(self.number, utterance, "utterance")]
        return self.pool.meanings[int(self.most_probable[column])]

    @cached_property
    def most_probable(self) -> NDArray[np.int64]:
        """The number of r for each class of utterances."""
        count, kinds = len(self.meaning_class), len(self.log_listener)
        share = np.full(kinds, -np.inf)
        np.maximum.at(share, self.meaning_class, self.log_share)
        best = np.flatnonzero(self.log_share >= share[self.meaning_class] - _TIE)
        first = np.full(kinds, count)
        np.minimum.at(first, self.meaning_class[best], best)
        scores = self.log_listener + share[:, None]
        likely = scores >= scores.max(axis=0) - _TIE
        return np.asarray(np.where(likely, first[:, None], count).min(axis=0))

    @cached_property
    def extents(self) -> tuple[tuple[str | None, int], ...]:
        """The place or verb, and the things, of each class of meanings."""
        _, first = np.unique(self.meaning_class, return_index=True)
        pool = self.pool
        return tuple((pool.meanings[number].argument, pool.things[number]) for number in first.tolist())

    @cached_property
    def inclusion(self) -> NDArray[np.bool_]:
        """Whether A(m) of a class of meanings (rows) is within that of another (columns)."""
        kinds = [(argument, things, 0) for argument, things in self.extents]
        return _literal(kinds, kinds, reduce(or_, self.pool.things))

    def _log_listener(self, utterance: MeaningT) -> Floats:
        column = self.log_listener[:, self.utterance_class[_find(self.number, utterance, "utterance")]]
        return np.asarray(column[self.meaning_class] + self.log_share)


def _find(numbers: Mapping[MeaningT, int], wanted: MeaningT, what: str) -> int:
    if wanted not in numbers:
        raise UsageError(f"{wanted} is no {what} of this pool")
    return numbers[wanted]


def speech_acts(
    pool: MeaningPool[MeaningT, ContextT_co], depth: int | None = None
) -> SpeechActs[MeaningT, ContextT_co]:
    """Return the speaker and listener of a pool that is not empty.

    Args:
        pool: The meanings with their prior probabilities.
        depth: k, how often speaker and listener reason about each other; by default as the pool says.

    Raises:
        UsageError: The pool has no meanings, or the depth is less than 1.
    """
    if not pool.meanings:
        raise UsageError("a pool without meanings has no speaker and listener")
    reasoning = pool.reasoning if depth is None else replace(pool.reasoning, depth=depth)
    if reasoning.depth < 1:
        raise UsageError(f"speaker and listener reason at least once, not {depth} times")
    meaning_class, meant = _classes(
        [(m.argument, things, 0) for m, things in zip(pool.meanings, pool.things, strict=True)]
    )
    prior = _sums(pool.log_prior, meaning_class, len(meant))
    said = pool.sayings()
    mask = reduce(or_, pool.things)
    utterance_class, sayable = _classes(
        [(utterance.argument, things & mask, utterance.cost) for utterance, things in said]
    )
    literal = _literal(meant, sayable, mask)
    known = np.flatnonzero(literal.any(axis=0))
    cost = np.array([cost for _, _, cost in sayable], np.float64)
    count = np.bincount(utterance_class).astype(np.float64)
    speaker, listener = recursion(literal[:, known], prior, cost[known], count[known], reasoning)
    place = np.full(len(sayable), -1, np.int64)
    place[known] = np.arange(len(known))
    kept = np.flatnonzero(place[utterance_class] >= 0)
    return SpeechActs(
        pool,
        tuple(said[number][0] for number in kept.tolist()),
        meaning_class,
        place[utterance_class][kept],
        speaker,
        listener,
        pool.log_prior - prior[meaning_class],
    )


def recursion(
    literal: NDArray[np.bool_], log_prior: Floats, cost: Floats, count: Floats, reasoning: Reasoning
) -> tuple[Floats, Floats]:
    """Return the logarithms of speaker k and listener k.

    Args:
        literal: Which meanings (rows) satisfy which utterances (columns); none without any.
        log_prior: log P(m).
        cost: c(u).
        count: How many utterances each column stands for; the speaker's are the probabilities of one.
        reasoning: How they reason.
    """
    with np.errstate(divide="ignore"):
        listener = normalize(np.where(literal, log_prior[:, None], -np.inf), axis=0)
    weights = np.log(count)[None, :]
    for _ in range(reasoning.depth):
        speaker = normalize(reasoning.alpha * (listener - reasoning.alpha1 * cost[None, :]), axis=1, weights=weights)
        listener = normalize(speaker + log_prior[:, None], axis=0)
    return speaker, listener


def _literal(meant: list[_Class], sayable: list[_Class], mask: int) -> NDArray[np.bool_]:
    """Which classes of meanings (rows) satisfy which classes of utterances: A(m) ⊆ A(u).

    What is meant of a place or verb is possible there, so it suffices that the utterance's description fits
    all things of A(m), and that it names the same place or verb or none.
    """
    members = numbers(mask)
    inside = np.array([[things >> n & 1 for n in members] for _, things, _ in meant], np.float32)
    outside = np.array([[~things >> n & 1 for n in members] for _, things, _ in sayable], np.float32)
    fitting = inside @ outside.T == 0
    arguments = {argument: n for n, argument in enumerate(dict.fromkeys(each[0] for each in meant))}
    asked = np.array([arguments[argument] for argument, _, _ in meant])
    named = np.array([arguments.get(argument, -1) for argument, _, _ in sayable])
    return np.asarray(fitting & ((named[None, :] == asked[:, None]) | (named[None, :] < 0)))


def _classes(keys: list[_Class]) -> tuple[NDArray[np.int64], list[_Class]]:
    """The class of each key, by first appearance, and the classes' keys."""
    found: dict[_Class, int] = {}
    numbers = [found.setdefault(key, len(found)) for key in keys]
    return np.array(numbers, np.int64), list(found)


def _sums(logs: Floats, classes: NDArray[np.int64], count: int) -> Floats:
    """Logarithms of the sums of probabilities in each class."""
    top = np.full(count, -np.inf)
    np.maximum.at(top, classes, logs)
    total = np.zeros(count)
    np.add.at(total, classes, np.exp(logs - top[classes]))
    return np.asarray(top + np.log(total))


def normalize(scores: Floats, axis: int = 0, weights: Floats | None = None) -> Floats:
    """Return logarithms of probabilities from scores up to a constant.

    Args:
        scores: Any array; ``-inf`` is impossible, and not all along the axis may be.
        axis: Along which the probabilities add up to 1.
        weights: Logarithms of how often each score counts.
    """
    if not scores.size:
        return scores
    weighted = scores if weights is None else scores + weights
    top = weighted.max(axis=axis, keepdims=True)
    return np.asarray(scores - top - np.log(np.exp(weighted - top).sum(axis=axis, keepdims=True)))


def draw(probabilities: Floats, rng: np.random.Generator) -> int:
    """Draw an index from a sequence of probabilities, with one random number."""
    upto = np.cumsum(probabilities)
    return min(int(np.searchsorted(upto, rng.random() * upto[-1], side="right")), len(upto) - 1)
