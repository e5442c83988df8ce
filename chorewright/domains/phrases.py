"""Phrases: a wording with slots, nouns, the small grammar that fits them together, and all wordings of a domain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chorewright.files.english import article, plural, say_list

SLOT = re.compile(r"\?[A-Za-z0-9][A-Za-z0-9_-]*")
"""A slot in a wording: the variable that stands for the object."""

_PLURAL_VERBS = {"is": "are", "has": "have", "does": "do", "was": "were", "isn't": "aren't", "hasn't": "haven't"}
_MODAL = frozenset(["can", "must", "may", "will", "cannot"])
_NEGATED = {"is": "is not", "are": "are not", "was": "was not", "can": "cannot", "must": "must not", "will": "will not"}
_NO_VERBS = frozenset(["always", "as", "less", "this", "its", "plus", "across", "towards", "afterwards"])


def words_of(name: str) -> str:
    """Return a name as words: hyphens and underscores are spaces."""
    return " ".join(part for part in re.split(r"[-_]+", name) if part) or name


@dataclass(frozen=True, slots=True)
class Phrase:
    """A wording: words and slots in turn.

    Attributes:
        parts: Text, or the number of an argument (from 0).
    """

    parts: tuple[str | int, ...]

    @staticmethod
    def of(text: str, variables: Sequence[str]) -> Phrase:
        """Return the phrase of a text in which variables are slots.

        Args:
            text: For example ``?x is on ?y``.
            variables: The variables of the arguments, with their question marks.

        Raises:
            KeyError: A slot is none of the variables.
        """
        places = {name.lower(): place for place, name in enumerate(variables)}
        parts: list[str | int] = []
        at = 0
        for found in SLOT.finditer(text):
            if found.start() > at:
                parts.append(text[at : found.start()])
            parts.append(places[found.group().lower()])
            at = found.end()
        if at < len(text):
            parts.append(text[at:])
        return Phrase(tuple(parts))

    def fill(self, names: Sequence[str]) -> str:
        """Return the phrase with the names of the arguments in their slots."""
        return "".join(names[each] if isinstance(each, int) else each for each in self.parts)

    @property
    def subject(self) -> int | None:
        """The argument with which the phrase begins, if it begins with one."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], int) else None

    def of_many(self) -> Phrase:
        """Return the phrase as it is said of several subjects: ``?x is on ?y`` becomes ``?x are on ?y``.

        ``?x is a door`` becomes ``?x are doors``.
        """
        if self.subject is None or len(self.parts) < 2 or not isinstance(self.parts[1], str):
            return self
        kind = re.fullmatch(r" is (not )?an? (.+)", self.parts[1]) if len(self.parts) == 2 else None
        if kind:
            return Phrase((self.parts[0], f" are {kind[1] or ''}{plural(kind[2])}"))
        said = re.sub(r"\S+", lambda word: plural_verb(word[0]), self.parts[1], count=1)
        return Phrase((self.parts[0], said, *self.parts[2:]))

    def negate(self) -> Phrase:
        """Return the opposite: ``?x is on ?y`` becomes ``?x is not on ?y``."""
        for place, part in enumerate(self.parts):
            if isinstance(part, str) and (found := _negate(part)) is not None:
                return Phrase((*self.parts[:place], found, *self.parts[place + 1 :]))
        return Phrase(("it is not true that ", *self.parts))


_PERFECT = re.compile(r"\b(?:has|have) (?:been|held|left|\w{4,}(?<!e)ed)\b")
_THERE = re.compile(r"^there (is|are) (?!an? |no|one |some)")


def _negate(text: str) -> str | None:
    """Put ``not`` to the first verb of a text; None if it has none that is known."""
    already = re.search(r"\b(is|are|was) not ", text)
    if already:
        return f"{text[: already.start()]}{already[1]} {text[already.end() :]}"
    if _THERE.match(text):
        return _THERE.sub(r"there \1 no ", text)
    for found in re.finditer(r"[A-Za-z']+", text):
        word = found[0]
        if word in _NEGATED:
            return text[: found.start()] + _NEGATED[word] + text[found.end() :]
        if word in ("has", "have"):
            if _PERFECT.match(text, found.start()):
                return f"{text[: found.end()]} not{text[found.end() :]}"
            do = "does" if word == "has" else "do"
            return f"{text[: found.start()]}{do} not have{text[found.end() :]}"
    first = re.match(r"(\s+|(?:the|an?) [a-z]+ )([a-z]+)(.*)", text, re.DOTALL)
    if first and is_verb(first[2]):
        return f"{first[1]}does not {plural_verb(first[2])}{first[3]}"
    return None


def is_verb(word: str) -> bool:
    """Whether a word looks like a verb in the third person: ``contains``, ``has``."""
    return word in _PLURAL_VERBS or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")))


def plural_verb(word: str) -> str:
    """Return a verb as several subjects have it: ``contain`` for ``contains``; other words stay."""
    if word in _PLURAL_VERBS:
        return _PLURAL_VERBS[word]
    if word in _MODAL or word in _NO_VERBS or not is_verb(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else word[:-1]


def join_clauses(clauses: Sequence[str], word: str = "and") -> str:
    """Return clauses as a list; with a comma before the last word where one has a list itself."""
    if len(clauses) == 2 and any(" and " in each or "," in each or " or " in each for each in clauses):
        return f"{clauses[0]}, {word} {clauses[1]}"
    return say_list(clauses, word, comma=True)


@dataclass(frozen=True, slots=True)
class Noun:
    """An English noun phrase without article.

    ``mass`` nouns take no ``a`` and nouns that are ``only_plural`` take ``them``; ``one`` is what a single
    one is called after ``a`` (bread: loaf of bread).
    """

    word: str
    plural: str
    one: str
    only_plural: bool = False
    mass: bool = False
    rooms: tuple[str, ...] = ()

    @property
    def verb(self) -> str:
        """``is`` or ``are``."""
        return "are" if self.only_plural else "is"

    @property
    def pronoun(self) -> str:
        """``it`` or ``them``."""
        return "them" if self.only_plural else "it"

    def the(self, before: str = "", after: str = "") -> str:
        """Return the definite noun phrase with words before and after the noun."""
        return " ".join(part for part in ("the", before, self.word, after) if part)

    def a(self) -> str:
        """Return the indefinite noun phrase."""
        if self.only_plural and self.one == self.word:
            return f"some {self.word}"
        return f"{article(self.one)} {self.one}"


def new_noun(word: str, options: Mapping[str, object] | None = None) -> Noun:
    """Return a noun; ``options`` are those of a word file: plural, some, number, rooms."""
    options = options or {}
    number = str(options.get("number", ""))
    rooms = options.get("rooms", [])
    return Noun(
        word,
        str(options.get("plural", word if number else plural(word))),
        str(options.get("some", word)),
        number == "plural",
        number == "mass",
        tuple(str(room) for room in rooms) if isinstance(rooms, list) else (),
    )


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
