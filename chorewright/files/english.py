"""English words: articles, plurals, numbers, lists and sentences, and which known word a misspelt one is closest to.

Rules with a file of exceptions, ``english.json``, rather than the library inflect: both say the same of 99.6 % of the
4,108 nouns of our vocabularies, by which the exceptions were written; inflect says *dicedtacos* and *CDS* among the
rest, and takes over a second to import (``benchmarks.english``).
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice

from chorewright.errors import UsageError

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_HEAD = re.compile(r"(.+?)( (?:of|with) .+)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Exceptions:
    """The data of exceptions; the file explains each entry."""

    plurals: Mapping[str, str]
    words: Mapping[str, str]
    unchanged: tuple[str, ...]
    pairs: tuple[str, ...]
    mass: frozenset[str]
    units: Mapping[str, str]
    articles: Mapping[str, str]


@lru_cache(maxsize=1)
def _exceptions() -> _Exceptions:
    raw = json.loads(resources.files("chorewright.files").joinpath("english.json").read_text("utf-8"))
    articles = {begins: word for word in ("a", "an") for begins in raw[word]}
    return _Exceptions(
        raw["plurals"],
        raw["words"],
        tuple(raw["unchanged"]),
        tuple(raw["pairs"]),
        frozenset(raw["mass"]),
        raw["units"],
        articles,
    )


def article(phrase: str) -> str:
    """Return ``a`` or ``an`` for a noun phrase.

    Initialisms go by their first letter's name (``an LP``, ``a CD``), words by their first sound.
    """
    first = phrase.split(" ", 1)[0]
    if len(first) > 1 and first.isupper():
        return "an" if first[0] in "AEFHILMNORSX" else "a"
    known = _exceptions().articles
    for length in range(min(len(first), 6), 0, -1):
        if first[:length].lower() in known:
            return known[first[:length].lower()]
    return "an" if first[:1].lower() in tuple("aeiou") else "a"


def indefinite(noun: str) -> str:
    """Return a noun phrase with its indefinite article: ``an hour``, ``some water``, ``some scissors``."""
    return f"{'some' if is_mass(noun) or is_plural(noun) else article(noun)} {noun}"


def is_mass(noun: str) -> bool:
    """Whether a noun phrase names what is not counted: ``water``, ``olive oil``."""
    return _head(noun)[1].rpartition(" ")[2].lower() in _exceptions().mass


def is_plural(noun: str) -> bool:
    """Whether a noun phrase is a plural without singular: ``scissors``."""
    return _head(noun)[1].endswith(_exceptions().pairs)


def unit(noun: str) -> str:
    """Return what one of a noun is called among several: ``bottle of beer``, ``piece of plywood``, ``cup``."""
    found = _exceptions().units.get(noun.rpartition(" ")[2].lower())
    if is_mass(noun):
        return f"{found or 'piece'} of {noun}"
    return f"{found} of {noun}" if found and is_plural(noun) else noun


def plural(noun: str) -> str:
    """Return the plural of a noun phrase: ``knives``, ``bottles of soap``; of ``scissors`` and ``water`` the same."""
    if is_plural(noun) or is_mass(noun):
        return noun
    begin, head, rest = _head(noun)
    return f"{begin}{_plural_word(head)}{rest}"


def _head(noun: str) -> tuple[str, str, str]:
    """Return what is before a noun phrase's head, the head, and what is after it."""
    found = _HEAD.fullmatch(noun)
    phrase, rest = (found[1], found[2] or "") if found else (noun, "")
    begin, blank, head = phrase.rpartition(" ")
    return begin + blank, head, rest


def _plural_word(word: str) -> str:
    known, lower = _exceptions(), word.lower()
    if lower in known.words:
        return word[:1] + known.words[lower][1:]
    if lower.endswith(known.unchanged):
        return word
    for end, many in known.plurals.items():
        if lower.endswith(end):
            return word[: len(word) - len(end)] + many
    if re.search(r"([^aeiou]|qu)y$", lower):
        return f"{word[:-1]}ies"
    return f"{word}es" if lower.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def number_word(number: int) -> str:
    """Return a number as a word, up to twelve: ``no``, ``one``, ``two``; greater ones in digits."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def ordinal(number: int) -> str:
    """Return an ordinal as a word, up to twelve: ``first`` of 1; greater ones in digits."""
    if 1 <= number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def say_count(number: int, noun: str) -> str:
    """Return how many there are, in digits: ``1 knife``, ``2 knives``."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def say_list(items: Sequence[str], word: str = "and", *, comma: bool = False) -> str:
    """Return items as a list: ``a``, ``a and b``, ``a, b and c``; with ``comma``, ``a, b, and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])}{',' if comma and len(items) > 2 else ''} {word} {items[-1]}"


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def tidy(text: str) -> str:
    """Return a text with single blanks, none before a comma, full stop or the like, and no comma before another."""
    text = re.sub(r"\s+([,.;:?!])", r"\1", " ".join(text.split()))
    return re.sub(r",+([.?!])", r"\1", re.sub(r"(,\s*)+,", ",", text))


def sentence(text: str) -> str:
    """Return a text as a sentence: a capital first, single blanks, a full stop at its end if nothing else."""
    text = capital(tidy(text).rstrip(" .,;"))
    return text + ("" if text.endswith(("!", "?")) else ".") if text else ""


# Misspelt names: the known one that is closest.


MAX_CANDIDATES = 500


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the candidate closest to a misspelt name, if one is close."""
    found = closest(name, candidates)
    return f"did you mean '{found}'?" if found else None


def require_known(name: str, known: Collection[str], message: str, otherwise: str | None = None) -> None:
    """Check that a name is known.

    Args:
        name: The name.
        known: The names that there are.
        message: Says that this is none of them.
        otherwise: The hint where no known name is close.

    Raises:
        UsageError: It is not.
    """
    if name not in known:
        raise UsageError(message, hint=did_you_mean(name, known) or otherwise)


def require_asked(answered: Collection[str], asked: Collection[str], noun: str) -> None:
    """Check that all that is answered is asked.

    Args:
        answered: The names of what is answered.
        asked: The names of what is asked.
        noun: What has these names.

    Raises:
        UsageError: Something else is answered.
    """
    unknown = sorted(set(answered).difference(asked))
    if unknown:
        others = say_count(len(unknown) - 1, "other")
        more = f" (as {'is' if others == '1 other' else 'are'} {others})" if len(unknown) > 1 else ""
        require_known(unknown[0], asked, f"there is no {noun} {unknown[0]!r}, which is answered{more}")


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to a misspelt name, if one is close.

    Of ``folder/name``, only the name counts where the folder is right, however long that is.
    """
    pool = list(islice(candidates, 40 * MAX_CANDIDATES))
    folder = name[: name.rfind("/") + 1]
    inside = [each.removeprefix(folder) for each in pool if each.startswith(folder)] if folder else []
    if inside:
        found = closest(name.removeprefix(folder), inside)
        return None if found is None else folder + found
    if len(pool) > MAX_CANDIDATES:
        pool = [word for word in pool if word[:1] == name[:1] and abs(len(word) - len(name)) <= 2]
    close = difflib.get_close_matches(name, pool[:MAX_CANDIDATES], n=3, cutoff=0.6)
    # Of those as close, the one as long: 'lde' is 'led' and not 'slider'.
    return min(
        close,
        key=lambda word: (-difflib.SequenceMatcher(None, word, name).ratio(), abs(len(word) - len(name))),
        default=None,
    )
