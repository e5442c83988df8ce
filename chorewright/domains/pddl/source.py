"""A source text with its line index, and the findings (errors) of one run over it."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path
from typing import NamedTuple, TypeAlias

from chorewright.domains.pddl.syntax import Position
from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location, UnsupportedError
from chorewright.files.text import read_bytes, refuse_other_kinds

# Forms: a PDDL text as nested lists of words, before they are given a meaning.


# A question mark begins a word even without a space before it: "(aircraft?a)" is read as "(aircraft ?a)".
_TOKEN = re.compile(r"\?[^\s?]*|[^\s?]+")


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
            return tuple(_TOKEN.findall(self.raw.lower()))
        names = tuple(item.text for item in self._items if isinstance(item, Word))
        return names if len(names) == len(self._items) else None


Item: TypeAlias = Word | Text | Form


class Remark(NamedTuple):
    """Something doubtful in a file that can be read: the rule that says so, what, where, and what may help."""

    rule: str
    message: str
    location: Location | None = None
    hint: str | None = None


def words(text: str, offset: int) -> tuple[Word, ...]:
    """Split a run of words that starts at this offset of the source."""
    return tuple(Word(match.group().lower(), offset + match.start()) for match in _TOKEN.finditer(text))


LENIENT = "lenient"
"""The rule of what only lenient reading accepts."""

MAX_CHARACTERS = 200_000_000
MAX_FINDINGS = 50

STRANGE = re.compile(r"[^\t\n\x0b\x0c\x20-\x7e]")
_BLANK = re.compile(r"(?:\s|;[^\n]*)*")
_WORD = re.compile(r'\?[^\s();"?]*|[^\s();"?]+')
_PART = re.compile(r"[^\s();\"?,'`\[\]{}\\=<>]+")


class Source:
    """A text, its path, and where its lines start. Line breaks are ``\\n`` whatever the file used.

    ``strange`` says that characters which cannot stand in PDDL have been reported.
    """

    __slots__ = ("_starts", "path", "strange", "text")

    def __init__(self, text: str, path: str | None = None) -> None:
        """Wrap a text; a byte order mark is dropped.

        Raises:
            LimitError: the text has more than ``MAX_CHARACTERS`` characters.
        """
        if len(text) > MAX_CHARACTERS:
            raise LimitError(
                f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}", location=Location(path)
            )
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = text.removeprefix("\ufeff")
        self.path = path
        self.strange = False
        self._starts: list[int] | None = None

    @property
    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._starts

    def position(self, offset: int) -> Position:
        """Line and column of a character offset."""
        starts = self._line_starts
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """The character offset of a line and column; the end of the text if they lie after it."""
        starts = self._line_starts
        if position.line > len(starts):
            return len(self.text)
        return min(starts[position.line - 1] + position.column - 1, len(self.text))

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line break."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def location(self, where: int | Position) -> Location:
        """The location of an offset or a position, for an error."""
        position = self.position(min(where, len(self.text))) if isinstance(where, int) else where
        line = self.line(position.line) if position.line <= len(self._line_starts) else None
        return Location(self.path, position.line, position.column, line)

    def is_strange(self, offset: int) -> bool:
        """Whether the word at this offset has a character that PDDL does not allow."""
        word = _WORD.match(self.text, offset) if self.strange else None
        return word is not None and STRANGE.search(word.group()) is not None

    def word_in(self, form: Position, index: int) -> int:
        """The offset of the word with this index in a list of words that starts at ``form``.

        It serves terms of atoms: they carry no position of their own, and are needed only for an error.
        """
        start = at = self.offset(form)
        at += self.text[at : at + 1] == "("
        for _ in range(index + 1):
            blank = _BLANK.match(self.text, at)
            at = blank.end() if blank else at
            word = _WORD.match(self.text, at)
            if word is None:
                return start
            found, at = at, word.end()
        return found

    def word_after(self, position: Position, word: str) -> int:
        """The offset of the first occurrence of a word at or after a position (comments left out)."""
        start = at = self.offset(position)
        while at < len(self.text):
            blank = _BLANK.match(self.text, at)
            at = blank.end() if blank else at
            found = _WORD.match(self.text, at)
            if found is None:
                at += 1
                continue
            if found.group().lower() == word:
                return at
            at = found.end()
        return start


class Findings:
    """The errors found so far in one run over one source; the parser's only mutable object.

    ``source`` may be None for a domain or problem that was built in memory: errors then have no location but
    a path. Where a declaration is broken, its names are in doubt: what follows from that is no error.
    """

    __slots__ = (
        "_doubted",
        "_muted",
        "_other_kinds",
        "_seen",
        "errors",
        "lenient",
        "more",
        "path",
        "remarks",
        "source",
    )

    def __init__(self, source: Source | None, path: str | None = None, lenient: bool = False) -> None:
        self.source = source
        self.lenient = lenient
        self.remarks: list[Remark] = []
        self.path = source.path if source else path
        self.errors: list[ChorewrightError] = []
        self.more = False
        self._other_kinds = False
        self._doubted: set[str] = set()
        self._muted: list[tuple[int, int, bool]] = []
        self._seen: set[str] = set()

    def __len__(self) -> int:
        return len(self.errors)

    def copy(self) -> Findings:
        """Findings that may be added to without a change of these."""
        other = Findings(self.source, self.path, self.lenient)
        other.errors += self.errors
        other.more, other._other_kinds = self.more, self._other_kinds
        other._doubted |= self._doubted
        other._muted += self._muted
        other._seen |= self._seen
        return other

    def position(self, offset: int) -> Position | None:
        """The position of an offset in the source."""
        return self.source.position(offset) if self.source else None

    def beginning(self) -> int:
        """The offset of the first character that is neither blank nor in a comment."""
        blank = _BLANK.match(self.source.text) if self.source else None
        return blank.end() if blank else 0

    def mute(self, start: int, end: int, wholly: bool = False) -> None:
        """Ignore later findings between these offsets: an error was reported there, and more would follow from it.

        Undeclared names are reported all the same, unless the text is to be ignored ``wholly``.
        """
        self._muted.append((start, end, wholly))

    def is_muted(self, offset: int, name: bool = False) -> bool:
        """Whether findings at this offset are ignored; ``name`` for those about undeclared names."""
        return any(start <= offset < end and (wholly or not name) for start, end, wholly in self._muted)

    def doubt(self, start: int, end: int) -> None:
        """Mark the names between two offsets as doubtful, so that no more errors about them are reported."""
        if self.source is not None:
            self._doubted.update(_PART.findall(re.sub(";[^\n]*", "", self.source.text[start:end].lower())))

    def doubt_item(self, item: Item) -> None:
        """Report no more errors about the names in a word or list."""
        self.doubt(item.offset, item.end if isinstance(item, Form) else item.offset + len(item.text))

    def doubt_name(self, name: str) -> None:
        """Report no more errors about a name."""
        self._doubted.add(name)

    def doubts(self, name: str) -> bool:
        """Whether the declaration of a name is doubtful."""
        return name in self._doubted

    def follow(self, earlier: Findings) -> None:
        """Suppress errors that follow from those in another source: a problem's domain."""
        self._doubted |= earlier._doubted
        self._seen |= earlier._seen

    def has(self, once: str) -> bool:
        """Whether an error with this key would be ignored; call it before computing an expensive hint."""
        if len(self.errors) >= MAX_FINDINGS:
            self.more = True
        return self.more or once in self._seen or once.rpartition(" ")[2] in self._doubted

    def error(
        self,
        where: int | Position | None,
        message: str,
        hint: str | None = None,
        *,
        kind: type[InputError] = InputError,
        once: str | None = None,
    ) -> None:
        """Record an error at an offset or position; errors with the same key ``once`` are reported one time."""
        if once is not None:
            if once in self._seen:
                return
            self._seen.add(once)
        if len(self.errors) >= MAX_FINDINGS:
            self.more = True
            self._other_kinds |= kind is not UnsupportedError
            return
        if where is None or self.source is None:
            location = Location(self.path) if self.path else None
        else:
            offset = where if isinstance(where, int) else self.source.offset(where)
            if self.is_muted(offset, once is not None) or self.source.is_strange(offset):
                return
            location = self.source.location(where)
        self.errors.append(kind(message, location=location, hint=hint))

    def unsupported(self, where: int | Position | None, message: str, hint: str | None = None) -> None:
        """Record the use of a language feature that chorewright does not support."""
        self.error(where, message, hint, kind=UnsupportedError)

    def warn(self, where: int | Position | None, message: str, rule: str, hint: str | None = None) -> None:
        """Record something doubtful, which is no error."""
        location = None if where is None or self.source is None else self.source.location(where)
        self.remarks.append(Remark(rule, message, location or Location(self.path), hint))

    def tolerate(self, where: int | Position | None, message: str, hint: str | None = None) -> None:
        """Record an error that other readers do not mind; in lenient reading it is no more than doubtful."""
        if self.lenient:
            self.warn(where, message, LENIENT, hint)
        else:
            self.error(where, message, hint)

    def term(self, position: Position | None, index: int) -> int | Position | None:
        """Where the word with this index stands in the list at ``position``."""
        if self.source is None or position is None:
            return position
        return self.source.word_in(position, index)

    def word(self, position: Position | None, word: str) -> int | Position | None:
        """Where a word stands after ``position``."""
        if self.source is None or position is None:
            return position
        return self.source.word_after(position, word)

    def sorted(self) -> tuple[ChorewrightError, ...]:
        """The findings in the order of the text; the last one says if there are more."""
        errors = sorted(self.errors, key=_place)
        if self.more:
            message = f"more errors are not shown: only the first {MAX_FINDINGS} are looked for"
            only = not self._other_kinds and all(isinstance(error, UnsupportedError) for error in errors)
            errors.append((UnsupportedError if only else InputError)(message, location=Location(self.path)))
        return tuple(errors)

    def close(self) -> None:
        """End the run.

        Raises:
            InputErrors: there are findings; they are in the order of the text.
        """
        if self.errors:
            raise InputErrors(self.sorted())


def _place(error: ChorewrightError) -> tuple[int, int]:
    location = error.location
    return (location.line or 0, location.column or 0) if location else (0, 0)


def read_source(path: str | Path) -> Source:
    """Read a file as a source. Bytes that are not UTF-8 become U+FFFD, which is an error outside comments.

    Raises:
        UsageError: the file cannot be read.
        InputErrors: it is text of another encoding, or no text.
        LimitError: it is too large.
    """
    data = read_bytes(path)
    try:
        refuse_other_kinds(data, str(path))
    except InputError as error:
        raise InputErrors((error,)) from None
    return Source(data.decode("utf-8", errors="replace"), str(path))
