"""One noun for each kind of thing through an episode, told apart from the similar things of the room.

``data/nouns.json`` says what people call a kind of thing and how often, and what else they may take for it: a cup
is not called a cup beside a mug, nor a knife a knife beside a butter knife. ``data/looks.json`` says what colour
and shape the things of a room have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from chorewright.domains.phrases import Noun, new_noun
from chorewright.files.records import reader_of
from chorewright.rsa.words.guesses import Lexicon


@dataclass(frozen=True, slots=True)
class Named:
    """What a kind is called.

    Attributes:
        nouns: its nouns with their shares.
        heard: other nouns that it may be taken for.
        rooms: nouns that are used in some kinds of room only.
        freestanding: nouns of one that can be walked around.
        spread: whether its box is not its outline, so that nothing lies on a side of it for certain.
        anchor: whether other things are said to be near it, though it is no landmark to walk by.
        tags: what else can be said of one, as the grammar asks: food can be cooked.
    """

    nouns: Mapping[str, float]
    heard: tuple[str, ...] = ()
    rooms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    freestanding: Mapping[str, float] = field(default_factory=dict)
    spread: bool = False
    anchor: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NounTable:
    """The nouns of all kinds, with the forms of the irregular ones, and kinds that are one thing to a speaker."""

    kinds: Mapping[str, Named]
    forms: Mapping[str, Noun]
    same: Mapping[str, str]

    def of(self, kind: str, lexicon: Lexicon) -> Named:
        """Return what a kind is called; a kind that is not listed as the lexicon has it."""
        known = self.kinds.get(kind)
        if known is None:
            nouns = lexicon.words(kind).nouns
            known = Named({noun.word: 1.0 / (1 + place) for place, noun in enumerate(nouns)})
        return known

    def noun(self, word: str, kind: str, lexicon: Lexicon) -> Noun:
        """Return a noun with its forms."""
        known = self.forms.get(word)
        if known is None:
            known = next((noun for noun in reversed(lexicon.words(kind).nouns) if noun.word == word), None)
        return known or new_noun(word)

    def heard_as(self, kind: str, lexicon: Lexicon) -> frozenset[str]:
        """Return all nouns by which a hearer may take a thing of this kind to be meant."""
        named = self.of(kind, lexicon)
        return frozenset((*(noun for noun, share in named.nouns.items() if share), *named.heard))


@dataclass(frozen=True, slots=True)
class ThingNames:
    """One speaker's nouns in one room."""

    table: NounTable
    lexicon: Lexicon
    chosen: Mapping[str, Noun]
    rivals: Mapping[str, frozenset[str]]
    freestanding: Mapping[str, Noun] = field(default_factory=dict)

    def noun(self, kind: str) -> Noun:
        """Return the noun of a kind; of one that the room does not have, its usual one."""
        known = self.chosen.get(kind)
        if known is None:
            named = self.table.of(kind, self.lexicon)
            known = self.table.noun(max(named.nouns, key=lambda noun: named.nouns[noun]), kind, self.lexicon)
        return known

    def mistakable(self, kind: str) -> frozenset[str]:
        """Return the kinds of the room that the noun of a kind may also mean."""
        return self.rivals.get(kind, frozenset())


def choose_names(
    table: NounTable,
    lexicon: Lexicon,
    kinds: Sequence[str],
    room_kind: str,
    rng: np.random.Generator,
    said: Mapping[str, str] | None = None,
) -> ThingNames:
    """Return one speaker's nouns for the kinds of a room.

    Args:
        table: The nouns.
        lexicon: Nouns of kinds that the table does not have.
        kinds: The kinds that are there, each once.
        room_kind: Some nouns are for one kind of room.
        rng: The only source of chance.
        said: Nouns that are given, by kind.
    """
    heard = {kind: table.heard_as(kind, lexicon) for kind in kinds}
    groups = {kind: table.same.get(kind, kind) for kind in kinds}
    heard_of: dict[str, set[str]] = defaultdict(set)
    for kind in kinds:
        for noun in heard[kind]:
            heard_of[noun].add(groups[kind])
    chosen: dict[str, Noun] = {}
    rivals: dict[str, frozenset[str]] = {}
    by_group: dict[str, str] = {}
    standing: dict[str, Noun] = {}
    for kind in kinds:
        named = table.of(kind, lexicon)
        group = groups[kind]
        words = [
            noun
            for noun, share in named.nouns.items()
            if share > 0 and room_kind in named.rooms.get(noun, (room_kind,))
        ] or list(named.nouns)
        clear = [noun for noun in words if not heard_of[noun] - {group}]
        if not clear:
            others = [other for other in kinds if groups[other] != group]
            clear = [min(words, key=lambda noun: sum(noun in heard[other] for other in others))]
        words = clear
        draw = float(rng.random())
        word = (
            (said or {}).get(kind) or by_group.get(group) or _draw(words, [named.nouns[each] for each in words], draw)
        )
        by_group.setdefault(group, word)
        chosen[kind] = table.noun(word, kind, lexicon)
        rivals[kind] = frozenset(other for other in kinds if word in heard[other] and groups[other] != group)
        if named.freestanding:
            options = list(named.freestanding)
            word = _draw(options, [named.freestanding[each] for each in options], float(rng.random()))
            standing[kind] = table.noun(word, kind, lexicon)
    return ThingNames(table, lexicon, chosen, rivals, standing)


def _draw(words: Sequence[str], weights: Sequence[float], draw: float) -> str:
    left = draw * sum(weights)
    for word, weight in zip(words, weights, strict=True):
        left -= weight
        if left < 0:
            return word
    return words[-1]


@dataclass(frozen=True, slots=True)
class _NounFile:
    """What ``data/nouns.json`` holds."""

    kinds: Mapping[str, Named]
    forms: Mapping[str, Mapping[str, str]]
    same: Mapping[str, str]


@lru_cache(maxsize=1)
def load_nouns() -> NounTable:
    """Return the shipped table."""
    told = reader_of(_NounFile, "chorewright.rsa", "data/nouns.json")()
    return NounTable(told.kinds, {word: new_noun(word, form) for word, form in told.forms.items()}, told.same)


@dataclass(frozen=True, slots=True)
class Looks:
    """What things look like: adjectives by room and kind, a colour first; and where adjectives stand in a row."""

    rooms: Mapping[str, Mapping[str, tuple[str, ...]]]
    order: Mapping[str, float]


load_looks = reader_of(Looks, "chorewright.rsa", "data/looks.json")
"""Returns the looks of the shipped rooms' things."""
