"""Forms: a PDDL text as nested lists of words, before they are given a meaning."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

# A question mark begins a word even without a space before it: "(aircraft?a)" is read as "(aircraft ?a)".
_WORD = re.compile(r"\?[^\s?]*|[^\s?]+")


class Word(NamedTuple):
    """A name, variable, keyword, number or sign, in lower case, with its offset in the text."""

    text: str
    offset: int


class Text(NamedTuple):
    """A double-quoted string, without its quotes and as written."""

    text: str
    offset: int


class Form:
    """A parenthesised list; ``offset`` is its opening parenthesis, ``end`` lies after the closing one.

    A list of words only may be given as the ``raw`` text between its parentheses; it is split when asked for.
    """

    __slots__ = ("_items", "end", "offset", "raw")

    def __init__(self, offset: int, end: int, items: tuple[Item, ...] | None = None, raw: str = "") -> None:
        self.offset = offset
        self.end = end
        self.raw = raw
        self._items = items

    @property
    def items(self) -> tuple[Item, ...]:
        """The words, strings and lists inside."""
        if self._items is None:
            self._items = words(self.raw, self.offset + 1)
        return self._items

    @property
    def head(self) -> str:
        """The first word; nothing if the list does not start with a word."""
        items = self.items
        return items[0].text if items and isinstance(items[0], Word) else ""

    def names(self) -> tuple[str, ...] | None:
        """The words of a list that has only words, otherwise None. Faster than ``items``."""
        if self._items is None:
            return tuple(_WORD.findall(self.raw.lower()))
        names = tuple(item.text for item in self._items if isinstance(item, Word))
        return names if len(names) == len(self._items) else None


Item: TypeAlias = Word | Text | Form


def words(text: str, offset: int) -> tuple[Word, ...]:
    """Split a run of words that starts at this offset of the source."""
    return tuple(Word(match.group().lower(), offset + match.start()) for match in _WORD.finditer(text))
