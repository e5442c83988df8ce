"""What a sentence that asks for something takes for granted of the start.

"Turn off all the lamps" takes for granted that a lamp is on, "take the books off the bed" that a book lies on it,
"put three forks in a drawer" that there are three, one of them not there yet. ``data/presuppositions.json`` has the
verbs; nouns are those of ``data/nouns.json``, of the kinds and of the sets. What is not understood is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from chorewright.domains.vocabulary import Vocabulary
from chorewright.files.english import number_word
from chorewright.files.records import reader_of
from chorewright.rsa.household.nouns import load_nouns

TOKEN = re.compile(r"[a-z0-9][a-z0-9'-]*|[.,;:!?]")
STAR = "*"
LINKS = frozenset({",", "or", "a", "an", "the", "any"})
"""Words between nouns of which one will do."""


@dataclass(frozen=True, slots=True)
class Presupposition:
    """What must be so at the start; ``text`` says it in English.

    Attributes:
        what: ``exists`` (so many things of the kinds), ``state`` (one of them is in the state, or not), ``in`` (one
            of them is in or on one of the places), ``out`` (one of them is not).
        kinds: The kinds that a noun may mean.
        text: In English.
        number: How many at least.
        state: A predicate of the household.
        wanted: Whether the state holds.
        places: The kinds of the places.
    """

    what: str
    kinds: frozenset[str]
    text: str
    number: int = 1
    state: str = ""
    wanted: bool = True
    places: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AssumedChange:
    """A verb of changing a state, as the words before and after its object."""

    head: tuple[str, ...]
    tail: tuple[str, ...]
    state: str
    before: bool
    said: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Cues:
    """The words of ``data/presuppositions.json``."""

    changes: tuple[AssumedChange, ...]
    moves: frozenset[str]
    origins: tuple[tuple[str, ...], ...]
    goals: tuple[tuple[str, ...], ...]
    ends: frozenset[str]
    negations: frozenset[str]
    numbers: Mapping[str, int]


_file = reader_of(dict[str, Any], "chorewright.rsa", "data/presuppositions.json")


@lru_cache(maxsize=1)
def cues() -> Cues:
    """Return the shipped words."""
    raw = _file()
    changes = []
    for entry in raw["changes"]:
        for verb in entry["verbs"]:
            head, _, tail = verb.partition(STAR)
            asked = bool(entry.get("asked"))
            words = (tuple(head.split()), tuple(tail.split()))
            changes.append(AssumedChange(*words, entry["state"], entry["before"], entry["said"], asked))
    origins, goals = (tuple(tuple(each.split()) for each in raw[key]) for key in ("from", "to"))
    moves, ends, negations = (frozenset(raw[key]) for key in ("moves", "ends", "negations"))
    return Cues(tuple(changes), moves, origins, goals, ends, negations, raw["numbers"])


@dataclass(frozen=True, slots=True)
class _Noun:
    """A noun in a sentence: which words, what it may mean, and how many things at least."""

    start: int
    end: int
    kinds: frozenset[str]
    number: int


def presuppositions(sentence: str, vocabulary: Vocabulary, asked: Sequence[str] = ()) -> tuple[Presupposition, ...]:
    """Return what a sentence takes for granted of the start.

    Args:
        sentence: It asks for something, in the imperative.
        vocabulary: The kinds and sets.
        asked: The predicates that the goal speaks of.
    """
    words = TOKEN.findall(sentence.lower())
    reader = _Reader(words, _alternatives(words, tuple(_nouns(words, _lexicon(vocabulary)))), cues())
    return tuple(dict.fromkeys(reader.read(asked)))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one sentence."""

    words: Sequence[str]
    nouns: tuple[_Noun, ...]
    cues: Cues

    def read(self, asked: Sequence[str]) -> Iterator[Presupposition]:
        for noun in self.nouns:
            if noun.number and not self._denied(noun.start):
                there = f"there are {number_word(noun.number)}" if noun.number > 1 else "there is"
                yield Presupposition("exists", noun.kinds, f"{there} {self._said(noun)}", noun.number)
        for place, word in enumerate(self.words):
            if place and self.words[place - 1] in (*self.cues.negations, "to", "a", "the"):
                continue
            for change in self.cues.changes:
                if not change.asked or change.state in asked:
                    yield from self._change(place, change)
            if word in self.cues.moves:
                yield from self._move(place)

    def _change(self, place: int, change: AssumedChange) -> Iterator[Presupposition]:
        """Yield the state that the objects of a verb must be in; its second word may follow the objects."""
        after = place + len(change.head)
        if tuple(self.words[place:after]) != change.head:
            return
        tail = change.tail
        near = bool(tail) and tuple(self.words[after : after + len(tail)]) == tail
        objects, end = self._objects(after + (len(tail) if near else 0))
        if tail and not near and tuple(self.words[end : end + len(tail)]) != tail:
            return
        stop = end + (len(tail) if tail and not near else 0)
        if self.words[stop : stop + 1] == ["of"] or (not tail and self.words[end : end + 1] in (["down"], ["off"])):
            return  # another verb
        for noun in objects:
            text = f"{self._said(noun)} {_agree(change.said, noun)}"
            yield Presupposition("state", noun.kinds, text, 1, change.state, change.before)

    def _move(self, place: int) -> Iterator[Presupposition]:
        """Yield where the objects of a verb must be, or not yet be."""
        objects, end = self._objects(place + 1 + (self.words[place + 1 : place + 2] == ["up"]))
        if self.words[end : end + 1] == ["up"]:
            end += 1
        for what, heads in (("in", self.cues.origins), ("out", self.cues.goals)):
            for head in heads:
                if tuple(self.words[end : end + len(head)]) != head:
                    continue
                places, _ = self._objects(end + len(head))
                where = frozenset[str]().union(*(each.kinds for each in places))
                for noun in objects if where else ():
                    there = _agree("is" if what == "in" else "is not", noun)
                    text = f"{self._said(noun)} {there} in or on {self._said(places[0])}"
                    yield Presupposition(what, noun.kinds, text, 1, places=where)

    def _objects(self, start: int) -> tuple[list[_Noun], int]:
        """Return the nouns from a place on, up to the next verb, preposition or stop; and where they end."""
        found: list[_Noun] = []
        at = start
        while at < len(self.words):
            noun = next((each for each in self.nouns if each.start == at), None)
            if noun is not None:
                found.append(noun)
                at = noun.end
                continue
            word = self.words[at]
            verb = word in self.cues.moves or any(word == change.head[0] for change in self.cues.changes)
            if word in self.cues.ends or word in ".;:!?" or (verb and at > start):
                break
            at += 1
        return found, at

    def _denied(self, place: int) -> bool:
        """Whether a noun is in the reach of a negation, or of no more than so many."""
        before = self.words[max(0, place - 3) : place]
        return bool(self.cues.negations & set(before)) or "most" in before

    def _said(self, noun: _Noun) -> str:
        name = " ".join(self.words[noun.start : noun.end])
        return name if noun.number > 1 else f"a thing called {name!r}"


def _agree(said: str, noun: _Noun) -> str:
    """Return words that begin with "is" as they are said of so many things."""
    return f"are{said.removeprefix('is')}" if noun.number > 1 else said


def _nouns(words: Sequence[str], lexicon: Mapping[tuple[str, ...], frozenset[str]]) -> Iterator[_Noun]:
    """Yield the longest nouns, each with the number that stands before it: 0 if there is none."""
    numbers, longest = cues().numbers, max(map(len, lexicon))
    at = 0
    while at < len(words):
        for length in range(min(longest, len(words) - at), 0, -1):
            kinds = lexicon.get(tuple(words[at : at + length]))
            if kinds:
                before = words[max(0, at - 2) : at]
                number = max((numbers.get(word, 0) for word in before), default=0)
                yield _Noun(at, at + length, kinds, number)
                at += length - 1
                break
        at += 1


def _alternatives(words: Sequence[str], nouns: Sequence[_Noun]) -> tuple[_Noun, ...]:
    """Return nouns with each row that ends in ``or`` as one: "a desk, shelf or dresser" is any of the three."""
    found: list[_Noun] = []
    row: list[_Noun] = []
    for noun in nouns:
        between = words[row[-1].end : noun.start] if row else ()
        if row and not set(between) <= LINKS:
            found += row
            row = []
        row.append(noun)
        if "or" in between and row[1:]:
            kinds = frozenset[str]().union(*(each.kinds for each in row))
            row = [_Noun(row[0].start, noun.end, kinds, min(each.number or 1 for each in row))]
    return (*found, *row)


@lru_cache(maxsize=8)
def _lexicon_of(kinds: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    for kind, nouns in kinds:
        for noun in nouns:
            found.setdefault(tuple(noun.lower().split()), set()).add(kind)
    return {words: frozenset(meant) for words, meant in found.items()}


def _lexicon(vocabulary: Vocabulary) -> Mapping[tuple[str, ...], frozenset[str]]:
    """Return what each noun may mean: by the table of nouns, the vocabulary, and the names of its sets."""
    table = load_nouns()
    nouns: dict[str, list[str]] = {}
    for name, kind in vocabulary.kinds.items():
        known = table.kinds.get(name)
        words = [*kind.nouns, kind.plural, *(known.nouns if known else ()), *(known.heard if known else ())]
        words += [form.plural for each in words if (form := table.forms.get(each)) is not None]
        nouns[name] = [*words, *(f"{each}s" for each in words)]
        for each in kind.classes:
            plain = " ".join(re.findall("[A-Z][a-z]*|[a-z]+", each)).lower()
            nouns[name] += [plain, plain.removesuffix("s")]
    one: dict[str, list[str]] = {}
    for name, words in nouns.items():
        one.setdefault(table.same.get(name, name), []).extend(words)
    return _lexicon_of(tuple((name, tuple(dict.fromkeys(one[table.same.get(name, name)]))) for name in nouns))
