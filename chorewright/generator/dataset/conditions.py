"""Conditions over a dataset's columns, as a person types them: ``task LIKE 'pick_%' AND length(plan) < 40``.

The language is SQL's WHERE, and takes Arrow's and Python's signs, too (``==``, ``!=``, ``&``, ``|``, ``~``). It is
parsed here and computed by Arrow; nothing of it is ever executed. Types are checked before a row is read.

A column is named as the store names it, and a field of it after a dot (``scene.name``). ``room`` stands for
``scene.name``, ``benchmark`` for ``recipe``, ``length`` for the number of steps. A comparison with a field of a list
(``plan.name = 'heat'``) holds if it holds for one of the elements. A parameter or an extra is a field by its name
(``parameters.object = 'Mug'``), and null where there is none. Null is compared as in SQL: neither true nor false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from chorewright.errors import Location, UsageError
from chorewright.files.english import did_you_mean
from chorewright.generator.dataset.condition_values import (
    FLAG,
    LIST,
    NUMBER,
    TEXT,
    Part,
    RowCondition,
    Take,
    binary,
    elements,
    exactly,
    follow,
    is_named,
    kind_of,
    literal,
    member,
    smallest,
    some,
    unary,
    value_by_name,
)

ALIASES = {"room": "scene.name", "benchmark": "recipe"}
"""Names of columns besides the store's."""

LENGTH = "length"
"""The number of steps as a column, and the function that counts what a list holds or a text's letters."""

MOST_LETTERS, MOST_DEPTH = 20_000, 40

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<name>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign><=|>=|<>|!=|==|&&|\|\||[-=<>+*/%(),&|~!]))"
)
_WORDS = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR", "~": "NOT", "!": "NOT"}
_KEYWORDS = {"AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ILIKE", "IS", "NULL", "TRUE", "FALSE"}
_COMPARISONS = {
    "=": pc.equal,
    "==": pc.equal,
    "!=": pc.not_equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_SUMS = {"+": pc.add, "-": pc.subtract}
_PRODUCTS = {"*": pc.multiply, "/": pc.divide_checked}
_OF_TEXT = {"lower": pc.utf8_lower, "upper": pc.utf8_upper}


def parse_condition(text: str, schema: pa.Schema) -> RowCondition:
    """Return the condition that a text is.

    Args:
        text: The condition.
        schema: The columns that it may name.

    Raises:
        UsageError: It is none; the message says where and what was expected.
    """
    return _Parser(text, schema).condition()


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a condition: its kind, as typed, and where."""

    kind: str
    text: str
    place: int

    @property
    def word(self) -> str:
        """The keyword or sign that it is, or nothing."""
        if self.kind == "sign":
            return _WORDS.get(self.text, self.text)
        upper = self.text.upper()
        return upper if self.kind == "name" and upper in _KEYWORDS else ""


_END = "the end"


def _fail(text: str, place: int, message: str, hint: str | None = None) -> NoReturn:
    """Say what is wrong with a condition, and where."""
    where = Location("condition", 1, place + 1, text) if "\n" not in text else Location("condition")
    raise UsageError(message, location=where, hint=hint)


def _tokens(text: str) -> Iterator[_Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            _fail(text, place, f"{text[place]!r} cannot stand here", "texts stand in quotes: split = 'train'")
        yield _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
        place = match.end()
    yield _Token("end", _END, len(text))


class _Parser:
    """Reads a condition from left to right: OR, AND, NOT, comparisons, sums, products."""

    def __init__(self, text: str, schema: pa.Schema) -> None:
        if len(text) > MOST_LETTERS:
            raise UsageError(f"the condition is longer than {MOST_LETTERS:,} letters")
        self._text, self._columns, self._leaves = text, pa.struct(list(schema)), dict[str, None]()
        self._tokens, self._at, self._depth = list(_tokens(text)), 0, 0

    def condition(self) -> RowCondition:
        """Return the condition."""
        part = self._or()
        if self._next.kind != "end":
            self._refuse_but("AND, OR or the end")
        self._require(part, FLAG, 0, "a condition is true or false")
        return RowCondition(self._text, tuple(self._leaves), some(part))

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *words: str) -> str:
        """Take the next token if it is one of some words, and return which."""
        word = self._next.word
        if word and word in words:
            self._at += 1
            return word
        return ""

    def _expect(self, word: str) -> None:
        if not self._take(word):
            self._refuse_but(repr(word))

    def _refuse_but(self, what: str) -> NoReturn:
        shown = self._next.text if self._next.kind == "end" else repr(self._next.text)
        _fail(self._text, self._next.place, f"expected {what}, found {shown}")

    def _require(self, part: Part, kind: str, place: int, message: str) -> None:
        if part.kind != kind:
            _fail(self._text, place, f"{message}; this is a {part.kind}")

    def _or(self) -> Part:
        return self._join(self._and, "OR", pc.or_kleene)

    def _and(self) -> Part:
        return self._join(self._not, "AND", pc.and_kleene)

    def _join(self, inner: Callable[[], Part], word: str, join: Callable[..., pa.Array]) -> Part:
        place, part = self._next.place, inner()
        while self._take(word):
            self._require(part, FLAG, place, f"{word} joins what is true or false")
            place, other = self._next.place, inner()
            self._require(other, FLAG, place, f"{word} joins what is true or false")
            part = Part(FLAG, partial(binary, join, some(part).compute, some(other).compute))
        return part

    def _not(self) -> Part:
        negations = 0
        while self._take("NOT"):
            negations += 1
        place, part = self._next.place, self._comparison()
        if negations:
            self._require(part, FLAG, place, "NOT stands before what is true or false")
        for _ in range(negations % 2):
            part = Part(FLAG, partial(unary, pc.invert, some(part).compute))
        return part

    def _comparison(self) -> Part:
        place, left = self._next.place, self._sum()
        sign = self._take(*_COMPARISONS)
        if sign:
            other, right = self._next.place, self._sum()
            return self._compare(_COMPARISONS[sign], left, right, place, other)
        if self._take("IS"):
            negated = self._take("NOT")
            self._expect("NULL")
            null = Part(FLAG, partial(unary, pc.is_null, left.compute), left.several)
            return Part(FLAG, partial(unary, pc.invert, some(null).compute)) if negated else null
        negated = self._take("NOT")
        held = self._membership(left, place)
        if held is None:
            if negated:
                self._refuse_but("IN, BETWEEN or LIKE")
            return left
        return Part(FLAG, partial(unary, pc.invert, some(held).compute)) if negated else held

    def _membership(self, left: Part, place: int) -> Part | None:
        """Return what IN, BETWEEN or LIKE make of what stands before them; None without one."""
        if self._take("IN"):
            self._expect("(")
            parts = [self._compare(pc.equal, left, self._sum(), place, self._next.place)]
            while self._take(","):
                parts.append(self._compare(pc.equal, left, self._sum(), place, self._next.place))
            self._expect(")")
            held = parts[0]
            for each in parts[1:]:
                held = Part(FLAG, partial(binary, pc.or_kleene, some(held).compute, some(each).compute))
            return held
        if self._take("BETWEEN"):
            low = self._compare(pc.greater_equal, left, self._sum(), place, self._next.place)
            self._expect("AND")
            high = self._compare(pc.less_equal, left, self._sum(), place, self._next.place)
            joined = partial(binary, pc.and_kleene, low.compute, high.compute)
            return Part(FLAG, joined, left.several)
        how = self._take("LIKE", "ILIKE")
        if not how:
            return None
        self._require(left, TEXT, place, f"{how} compares texts")
        if self._next.kind != "text":
            self._refuse_but("a text with % for any letters")
        like = partial(pc.match_like, pattern=self._read_text(), ignore_case=how == "ILIKE")
        return Part(FLAG, partial(unary, like, left.compute), left.several)

    def _compare(self, compare: Callable[..., pa.Array], left: Part, right: Part, place: int, other: int) -> Part:
        if left.kind == LIST or right.kind == LIST:
            _fail(self._text, place if left.kind == LIST else other, "a list is not compared: name a field of it")
        if left.kind != right.kind:
            _fail(self._text, other, f"a {left.kind} is compared with a {right.kind}", _hint_of_kinds(left, right))
        if left.several and right.several:
            _fail(self._text, other, "both sides are fields of lists: one side may be")
        several = left.several or right.several
        return Part(FLAG, partial(binary, compare, left.compute, right.compute), several)

    def _sum(self) -> Part:
        return self._calculate(self._product, _SUMS)

    def _product(self) -> Part:
        return self._calculate(self._value, _PRODUCTS)

    def _calculate(self, inner: Callable[[], Part], signs: dict[str, Callable[..., pa.Array]]) -> Part:
        place, part = self._next.place, inner()
        while sign := self._take(*signs):
            self._require(part, NUMBER, place, f"{sign!r} takes numbers")
            place, other = self._next.place, inner()
            self._require(other, NUMBER, place, f"{sign!r} takes numbers")
            if part.several and other.several:
                _fail(self._text, place, "both sides are fields of lists: one side may be")
            several = part.several or other.several
            part = Part(NUMBER, partial(binary, partial(exactly, signs[sign]), part.compute, other.compute), several)
        return part

    def _value(self) -> Part:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            _fail(self._text, self._next.place, f"more than {MOST_DEPTH} parentheses or signs stand in each other")
        part = self._deeper()
        self._depth -= 1
        return part

    def _deeper(self) -> Part:
        token = self._next
        if self._take("("):
            part = self._or()
            self._expect(")")
            return part
        if self._take("-"):
            part = self._value()
            self._require(part, NUMBER, token.place, "'-' takes a number")
            return Part(NUMBER, partial(unary, pc.negate, part.compute), part.several)
        if word := self._take("TRUE", "FALSE"):
            return literal(FLAG, word == "TRUE")
        if token.kind == "text":
            return literal(TEXT, self._read_text())
        if token.kind == "number":
            self._at += 1
            return literal(NUMBER, _number(token.text))
        if token.kind != "name" or token.word:
            self._refuse_but("a column, a number or a text")
        self._at += 1
        return self._call(token) if self._take("(") else self._column(token)

    def _read_text(self) -> str:
        token = self._next
        self._at += 1
        return token.text[1:-1].replace(token.text[0] * 2, token.text[0])

    def _call(self, token: _Token) -> Part:
        name, place = token.text.lower(), self._next.place
        if name not in (LENGTH, *_OF_TEXT):
            hint = did_you_mean(name, [LENGTH, *_OF_TEXT]) or f"there are {', '.join([LENGTH, *_OF_TEXT])}"
            _fail(self._text, token.place, f"there is no function {token.text!r}", hint)
        part = self._argument(whole=name == LENGTH)
        self._expect(")")
        if name == LENGTH and part.kind == LIST and not part.several:
            return Part(NUMBER, partial(unary, pc.list_value_length, part.compute))
        self._require(part, TEXT, place, f"{name} takes a text" + " or a list of the episode's" * (name == LENGTH))
        compute = pc.utf8_length if name == LENGTH else _OF_TEXT[name]
        return Part(NUMBER if name == LENGTH else TEXT, partial(unary, compute, part.compute), part.several)

    def _argument(self, whole: bool) -> Part:
        """Return what a function takes; a list of texts is wanted as a whole, or else its elements."""
        token, behind = self._next, self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if not whole or token.kind != "name" or behind.text != ")":
            return self._sum()
        self._at += 1
        return self._path(ALIASES.get(token.text, token.text), token, whole)

    def _column(self, token: _Token) -> Part:
        if token.text == LENGTH:
            return Part(NUMBER, partial(unary, pc.list_value_length, self._path("steps", token).compute))
        return self._path(ALIASES.get(token.text, token.text), token)

    def _path(self, name: str, token: _Token, whole: bool = False) -> Part:
        """Return a column by its name, or a field within it, and note which of Parquet's columns it needs."""
        kind, leaf, takes, several = self._columns, "", list[Take](), False
        parts = name.split(".")
        for depth, word in enumerate(parts):
            if pa.types.is_list(kind):
                kind, leaf = kind.value_type, f"{leaf}.list.element"
                if is_named(kind) and word not in ("name", "value"):
                    key = ".".join(parts[depth:])
                    return self._note_column(
                        kind.field("value").type, leaf, [*takes, partial(value_by_name, key)], False
                    )
                takes.append(elements)
                several = True
            fields = {each.name: each.type for each in kind} if pa.types.is_struct(kind) else {}
            if word not in fields:
                inside = f" in {'.'.join(parts[:depth])!r}" if depth else ""
                known = [*fields, *((*ALIASES, LENGTH) if not depth else ())]
                hint = did_you_mean(word, known) or f"there are {', '.join(known) or 'no fields'}"
                _fail(self._text, token.place, f"there is no column {word!r}{inside}", hint)
            kind, leaf = fields[word], f"{leaf}.{word}" if leaf else word
            takes.append(partial(member, word, depth == 0))
        if pa.types.is_list(kind) and pa.types.is_string(kind.value_type) and not whole:
            kind, leaf, several = kind.value_type, f"{leaf}.list.element", True
            takes.append(elements)
        if pa.types.is_struct(kind):
            inner = ", ".join(f"{name}.{each.name}" for each in kind)
            _fail(self._text, token.place, f"{name!r} has fields: name one of them", f"there are {inner}")
        return self._note_column(kind, leaf, takes, several)

    def _note_column(self, kind: pa.DataType, leaf: str, takes: Sequence[Take], several: bool) -> Part:
        self._leaves[smallest(kind, leaf)] = None
        return Part(kind_of(kind), partial(follow, tuple(takes)), several)


def _number(text: str) -> int | float:
    """Return a number; whole ones that Arrow's integers cannot hold are floats."""
    value = float(text)
    return int(text) if text.isdecimal() and value < 2**63 else value


def _hint_of_kinds(left: Part, right: Part) -> str | None:
    return "numbers stand without quotes, texts in quotes" if {left.kind, right.kind} == {NUMBER, TEXT} else None
