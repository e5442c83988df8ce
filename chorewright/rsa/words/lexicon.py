"""Nouns of kinds, groups of interchangeable words, and the voice of one annotator.

The words themselves are data: ``data/household_words.json`` (nouns of kinds) and ``data/directives.json``
(interchangeable words). A kind that is in neither file is called by its name, split at the
capitals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from typing import TypeVar

import numpy as np

from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError
from chorewright.rsa.words.phrases import Noun, new_noun

Option = TypeVar("Option")

_FIRST_CHOICE = 0.6
"""How often a voice uses the most usual of several words."""


@dataclass(frozen=True, slots=True)
class Words:
    """The English words of a kind."""

    nouns: tuple[Noun, ...]
    landmark: bool = False
    large: bool = False
    together: bool = False
    storeys: bool = False
    ground: bool = False
    piece: bool = False
    door: str = ""  # what is closed after use, where it has a name of its own


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Kinds' words, and groups of interchangeable words."""

    kinds: Mapping[str, Words]
    choices: Mapping[str, tuple[str, ...]]

    def words(self, kind: str) -> Words:
        """Return the words of a kind; an unlisted kind is called by its name."""
        return self.kinds.get(kind) or Words((new_noun(space(kind)),))

    def with_kinds(self, vocabulary: Vocabulary) -> Lexicon:
        """Return the lexicon with the nouns that a vocabulary has for kinds that are not listed."""
        new = {
            name: Words(
                tuple(new_noun(noun, {"plural": kind.plural} if noun == kind.noun else None) for noun in kind.nouns)
            )
            for name, kind in vocabulary.kinds.items()
            if name not in self.kinds
        }
        return replace(self, kinds={**self.kinds, **new}) if new else self


@dataclass(frozen=True, slots=True)
class Voice:
    """How one annotator speaks: ``detail`` (0 brief, 1 plain, 2 full), and favourite nouns and words."""

    lexicon: Lexicon
    detail: int
    room_kind: str = ""
    nouns: Mapping[str, int] = field(default_factory=dict)
    favourites: Mapping[str, str] = field(default_factory=dict)

    def noun(self, kind: str) -> Noun:
        """Return this voice's noun for a kind."""
        nouns = self.lexicon.words(kind).nouns
        usable = [noun for noun in nouns if not noun.rooms or self.room_kind in noun.rooms] or list(nouns)
        return usable[min(self.nouns.get(kind, 0), len(usable) - 1)]

    def word(self, group: str, rng: np.random.Generator) -> str:
        """Return one of a group of interchangeable words, this voice's favourite more often."""
        if rng.random() < _FIRST_CHOICE:
            return self.favourites[group]
        return pick(self.lexicon.choices[group], rng)


def new_voice(lexicon: Lexicon, detail: int, room_kind: str, rng: np.random.Generator) -> Voice:
    """Return a voice whose preferences are drawn from ``rng``."""
    draws = rng.random(len(lexicon.kinds))
    nouns = {kind: rank(float(draw)) for kind, draw in zip(lexicon.kinds, draws, strict=True)}
    favourites = {group: options[_rank_in(options, rng)] for group, options in lexicon.choices.items()}
    return Voice(lexicon, detail, room_kind, nouns, favourites)


def rank(draw: float) -> int:
    """Turn a number in [0, 1) into 0, 1, 2, ... with geometrically falling shares."""
    place = 0
    share = _FIRST_CHOICE
    while draw >= share and place < 8:
        draw = (draw - share) / (1 - share)
        place += 1
    return place


def _rank_in(options: Sequence[str], rng: np.random.Generator) -> int:
    return min(rank(float(rng.random())), len(options) - 1)


def pick(options: Sequence[Option], rng: np.random.Generator) -> Option:
    """Return one of the options, each equally likely."""
    return options[int(rng.integers(len(options)))]


def space(kind: str) -> str:
    """Split a CamelCase name into lower-case words; initialisms keep their capitals."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", kind)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words) or kind


def parse_lexicon(words: str, sentences: str) -> Lexicon:
    """Read a lexicon from the texts of its two JSON files.

    Raises:
        InputError: a text is not JSON or lacks a section.
    """
    try:
        kinds: dict[str, Words] = {}
        for kind, facts in json.loads(words)["kinds"].items():
            nouns = tuple(
                new_noun(noun) if isinstance(noun, str) else new_noun(str(noun["word"]), noun)
                for noun in facts["nouns"]
            )
            kinds[kind] = Words(**{**facts, "nouns": nouns})
        tables = json.loads(sentences)
        choices = {str(name): tuple(map(str, options)) for name, options in tables["choices"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"this is not a lexicon: {error!r}") from error
    return Lexicon(kinds, choices)


@lru_cache(maxsize=1)
def household_lexicon() -> Lexicon:
    """Return the shipped lexicon of the household."""
    folder = resources.files("chorewright.rsa") / "data"
    return parse_lexicon(
        (folder / "household_words.json").read_text("utf-8"), (folder / "directives.json").read_text("utf-8")
    )
