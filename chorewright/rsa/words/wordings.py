"""The wordings of a domain: how its predicates, actions, goals and objects are said, each in one or more ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chorewright.files.english import article, plural
from chorewright.rsa.words.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Noun:
    """What things of a type are called."""

    one: str
    many: str

    @staticmethod
    def of(word: str) -> Noun:
        """Return a noun with its usual plural."""
        return Noun(word, plural(word))

    @property
    def some(self) -> str:
        """The noun with its indefinite article."""
        return f"{article(self.one)} {self.one}"


Table = Mapping[str, tuple[Phrase, ...]]
"""The wordings of each name, the most usual first."""


@dataclass(frozen=True, slots=True)
class Wordings:
    """What a domain's author says of how to say it; ``guesses.complete`` fills in the rest.

    Attributes:
        predicates: Clauses that say that an atom holds.
        negations: Clauses that say that it does not hold.
        goals: Orders to make it hold.
        actions: Orders to do an action.
        objects: How objects of a type are called, made of the object's own name.
        nouns: The nouns of the types.
        names: What single objects are called.
    """

    predicates: Table = field(default_factory=dict)
    negations: Table = field(default_factory=dict)
    goals: Table = field(default_factory=dict)
    actions: Table = field(default_factory=dict)
    objects: Table = field(default_factory=dict)
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
