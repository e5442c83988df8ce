"""Nouns of kinds: ``data/household_words.json`` has them; another kind is called by its name, split at the capitals."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TypeVar

import numpy as np

from chorewright.domains.phrases import Noun, new_noun
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError

Option = TypeVar("Option")


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
    """Kinds' words."""

    kinds: Mapping[str, Words]

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
        return Lexicon({**self.kinds, **new}) if new else self


def pick(options: Sequence[Option], rng: np.random.Generator) -> Option:
    """Return one of the options, each equally likely."""
    return options[int(rng.integers(len(options)))]


def space(kind: str) -> str:
    """Split a CamelCase name into lower-case words; initialisms keep their capitals."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", kind)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words) or kind


def parse_lexicon(words: str) -> Lexicon:
    """Read a lexicon from the text of its JSON file.

    Raises:
        InputError: the text is not JSON or lacks a section.
    """
    try:
        kinds: dict[str, Words] = {}
        for kind, facts in json.loads(words)["kinds"].items():
            nouns = tuple(
                new_noun(noun) if isinstance(noun, str) else new_noun(str(noun["word"]), noun)
                for noun in facts["nouns"]
            )
            kinds[kind] = Words(**{**facts, "nouns": nouns})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"this is not a lexicon: {error!r}") from error
    return Lexicon(kinds)


@lru_cache(maxsize=1)
def household_lexicon() -> Lexicon:
    """Return the shipped lexicon of the household."""
    return parse_lexicon((resources.files("chorewright.rsa") / "data" / "household_words.json").read_text("utf-8"))
