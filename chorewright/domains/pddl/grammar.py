"""From text to forms: the lark grammar, its limits, the diagnosis of a refused text; from forms to names and atoms."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from importlib.util import cache_from_source
from itertools import accumulate, repeat
from math import inf, isfinite
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, TypeAlias, cast

from chorewright.domains.pddl.source import STRANGE, Findings, Form, Item, Text, Word, words
from chorewright.domains.pddl.syntax import Atom, FunctionTerm
from chorewright.errors import InputError, LimitError

if TYPE_CHECKING:
    from lark import Lark, Token


MAX_DEPTH = 200
"""Levels of parentheses: formulas are walked recursively, within Python's limit of 1,000 frames."""

_SKIPPED = re.compile(r';[^\n]*|"[^"\n]*"')
_SKIPPED_LINE = re.compile(r";[^\n]*")
_NESTED = re.compile(r"[()]|[^\s()]+")
_FLAT = re.compile(r"\(([^()]*)\)")
_PAIR = re.compile(r"\(([^()]*)\(([^()]*)\)([^()]*)\)")
_ATTACHED = re.compile(r"[!-~]?[^\t\n\x0b\x0c\x20-\x7e]+[!-~]?")

_Child: TypeAlias = "Token | Form"


class _FormBuilder:
    """Turns the parser's reductions into forms; each method gets the children of the rule it names."""

    def document(self, children: Sequence[_Child]) -> tuple[Item, ...]:
        return tuple(_items(children))

    def list(self, children: Sequence[_Child]) -> Form:
        opening, closing = children[0], children[-1]
        return Form(_start(opening), _start(closing) + 1, tuple(_items(children[1:-1])))

    def define(self, children: Sequence[_Child]) -> Form:
        opening, closing = children[0], children[-1]
        first = Word("define", _start(opening) + len(str(opening)) - len("define"))
        return Form(_start(opening), _start(closing) + 1, (first, *_items(children[1:-1])))

    def section(self, children: Sequence[_Child]) -> Form:
        opening, closing = children[0], children[-1]
        text = str(opening)
        colon = text.rindex(":")
        first = Word(text[colon:].lower(), _start(opening) + colon)
        return Form(_start(opening), _start(closing) + 1, (first, *_items(children[1:-1])))


def _start(child: _Child) -> int:
    return child.offset if isinstance(child, Form) else child.start_pos or 0


def _pair(match: re.Match[str], offset: int) -> Form:
    """A list with one list inside."""
    before, inner, behind = match.groups()
    start = offset + match.start()
    middle = Form(offset + match.start(2) - 1, offset + match.end(2) + 1, raw=inner)
    items: tuple[Item, ...] = (*words(before, start + 1), middle, *words(behind, offset + match.start(3)))
    return Form(start, offset + match.end(), items)


def _items(children: Sequence[_Child]) -> Iterator[Item]:
    for child in children:
        if isinstance(child, Form):
            yield child
        elif child.type in ("FLAT", "BOUND"):
            start = child.start_pos or 0
            for match in _FLAT.finditer(child):
                yield Form(start + match.start(), start + match.end(), raw=match.group(1))
        elif child.type == "PAIR":
            yield from map(_pair, _PAIR.finditer(child), repeat(child.start_pos or 0))
        elif child.type == "WORDS":
            yield from words(child, child.start_pos or 0)
        elif child.type == "STRING":
            yield Text(child[1:-1], child.start_pos or 0)
        else:
            yield Word(child.lower(), child.start_pos or 0)


@cache
def _lark() -> Lark:
    """Build the parser once, when the first text is parsed: importing lark takes longer than most texts."""
    from lark import Lark

    grammar = files("chorewright.domains.pddl").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, start="document", parser="lalr", lexer="basic", transformer=_FormBuilder(), cache=_tables() or False
    )


def _tables() -> str | None:
    """Where lark keeps the tables of the grammar: beside the compiled module, if they are there or can be.

    Working them out takes longer than reading most texts. lark makes them anew when the grammar, its own
    version or Python's has changed, or the file cannot be read.
    """
    with suppress(NotImplementedError):  # an interpreter that keeps nothing
        path = Path(cache_from_source(__file__)).with_suffix(".lark")
        if path.exists() or (os.access(path.parent, os.W_OK) and not sys.dont_write_bytecode):
            return str(path)
    return None


def read_forms(findings: Findings) -> tuple[Item, ...]:
    """Read the source of ``findings`` into its top-level forms.

    Unbalanced parentheses are reported where the text shows that one is missing or too many, then repaired,
    so that the rest can still be checked; findings inside the repaired sections are muted.

    Raises:
        LimitError: the parentheses nest deeper than ``MAX_DEPTH``.
    """
    from lark.exceptions import UnexpectedInput

    source = findings.source
    assert source is not None
    text = _legible(findings, source.text)
    _check_depth(findings, text)
    try:
        forms = cast("tuple[Item, ...]", _lark().parse(text))  # the transformer makes the forms
    except UnexpectedInput:
        return _repair(text, findings)
    if any(isinstance(form, Form) and form.head.startswith(":") for form in forms[1:]):
        # A section behind the end of the definition: a parenthesis too many closed it.
        return _repair(text, findings)
    return forms


def _pieces(text: str) -> Iterator[tuple[str, str, int]]:
    """The kinds, texts and offsets of what a text is made of."""
    for token in _lark().lex(text):
        start = token.start_pos or 0
        if token.type == "FLAT":
            yield from (("FLAT", match.group(), start + match.start()) for match in _FLAT.finditer(token))
        elif token.type == "PAIR":
            yield from _plain_pieces(token, start)
        else:
            yield token.type, str(token), start


def _plain_pieces(text: str, offset: int) -> Iterator[tuple[str, str, int]]:
    """The pieces of a text of words and parentheses only."""
    for match in re.finditer(r"\([^()]*\)|\(|\)|[^\s()][^()]*", text):
        kind = {"(": "OPEN", ")": "CLOSE"}.get(match.group(), "FLAT" if match.group()[0] == "(" else "WORDS")
        yield kind, match.group(), offset + match.start()


def _repair(text: str, findings: Findings) -> tuple[Item, ...]:
    """Read a text with parentheses that are missing or too many."""
    from lark import Token
    from lark.exceptions import UnexpectedInput

    from chorewright.domains.pddl.parentheses import TextPiece, repair  # sound texts do without

    parser = _lark().parse_interactive()
    for piece in repair([TextPiece(*each) for each in _pieces(text)], findings):
        try:
            parser.feed_token(Token(piece.kind, piece.text, start_pos=piece.offset))
        except UnexpectedInput:
            findings.error(piece.offset, f"'{piece.text}' cannot stand here", "look for a wrong parenthesis above")
            return ()
    return cast("tuple[Item, ...]", parser.feed_token(Token("$END", "")))


def _legible(findings: Findings, text: str) -> str:
    """Report characters that cannot stand in PDDL and endless strings; replace them, keeping offsets."""
    if '"' not in text and not STRANGE.search(text):
        return text
    visible = _SKIPPED.sub(lambda match: " " * len(match.group()), text)
    replaced = list(text)
    for match in _ATTACHED.finditer(visible):
        run = match.group()
        # Alone it is a space, within a word or in place of one it is part of a name.
        inside = run[0] == "(" or any(each not in '();"' for each in (run[0], run[-1]) if not STRANGE.match(each))
        for offset, character in enumerate(run, start=match.start()):
            if STRANGE.match(character):
                what = "control" if _is_control(character) else character
                findings.error(offset, *_about(character), once=f"character {what}")
                replaced[offset] = "_" if inside and not character.isspace() else " "
    if findings.source is not None:
        findings.source.strange = True
    for match in re.finditer('"', visible):
        findings.error(match.start(), "this string does not end in its line", 'strings are written "like this"')
        replaced[match.start()] = " "
        end = text.find("\n", match.start())
        findings.mute(match.start(), len(text) + 1 if end < 0 else end, wholly=True)
    return "".join(replaced)


def _is_control(character: str) -> bool:
    return character < " " or character == "\x7f"


def _about(character: str) -> tuple[str, str | None]:
    """What to say about a character that cannot stand outside of comments and strings."""
    if character == "\ufffd":
        return "a byte here is not UTF-8", "save the file as UTF-8"
    if _is_control(character):
        what = f"the character 'U+{ord(character):04X}' cannot stand in PDDL"
        if character == "\0":
            what = "a NUL character cannot stand here"
        return what, "this is not a text file, or it is not UTF-8"
    if character.isspace():
        return f"a space of an unusual kind (U+{ord(character):04X}) cannot stand here", "use a normal space"
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return (f"the character '{shown}' cannot stand in PDDL", "names are made of ASCII letters, digits, '-' and '_'")


def _check_depth(findings: Findings, text: str) -> None:
    visible = _SKIPPED.sub(" ", text) if ";" in text or '"' in text else text
    steps = (1 if character == "(" else -1 for character in re.findall("[()]", visible))
    depth = max(accumulate(steps), default=0)
    if depth <= MAX_DEPTH:
        return
    depths = accumulate(1 if character == "(" else -1 for character in re.findall("[()]", visible))
    position = next(index for index, level in enumerate(depths) if level > MAX_DEPTH)
    blanked = _SKIPPED.sub(lambda match: " " * len(match.group()), text)
    offset = [match.start() for match in re.finditer("[()]", blanked)][position]
    location = findings.source.location(offset) if findings.source else None
    raise LimitError(
        f"parentheses nest {depth} levels deep; the limit is {MAX_DEPTH}",
        location=location,
        hint="write one (and ...) or one (forall (...) ...) for several nested ones",
    )


# From forms to names, terms and atoms: what conditions, effects and expressions are made of.


BROKEN = "?"
"""In place of a term that cannot be read; no text can hold such a variable."""

_NAME = re.compile(r"[^?,'`\[\]{}\\=<>]+\Z")
VARIABLE = re.compile(r"\?[^?,'`\[\]{}\\=<>]+\Z")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\Z")


def number(text: str) -> float | None:
    """The finite number that a word is, or None."""
    value = float(text) if NUMBER.match(text) else inf
    return value if isfinite(value) else None


def read_number(item: Item, findings: Findings, wanted: str = "a number") -> float | None:
    """Return the finite number that an item is; None if it is none, which is recorded."""
    value = number(item.text) if isinstance(item, Word) else None
    if value is None:
        wrong = (
            "'{}' is too large for a number" if NUMBER.match(show(item)) else f"{wanted} is expected here, not '{{}}'"
        )
        findings.error(item.offset, wrong.format(show(item)))
    return value


def show(item: Item) -> str:
    """Quote an item for a message: short, on one line."""
    if isinstance(item, Form):
        names = " ".join(show(inner) for inner in item.items[:4])
        return f"({names}{' ...' if len(item.items) > 4 else ''})"
    return item.text if isinstance(item, Word) else f'"{item.text}"'


def is_name(item: Item) -> bool:
    """Whether an item is a word that may be a name (not a variable, sign or keyword)."""
    return isinstance(item, Word) and item.text != "-" and _NAME.match(item.text) is not None and item.text[0] != ":"


def name(item: Item, what: str, findings: Findings) -> str | None:
    """The item as a name; anything else is reported as not being ``what``."""
    if is_name(item):
        assert isinstance(item, Word)
        return intern(item.text)
    shown = show(item)
    hint = None
    if isinstance(item, Word) and "," in item.text:
        hint = "PDDL lists have no commas"
    elif isinstance(item, Word) and item.text.startswith("?"):
        hint = f"only variables start with '?': write '{item.text[1:]}'"
    findings.error(item.offset, f"{what} is expected here, not '{shown}'", hint)
    return None


def term(item: Item, findings: Findings) -> str:
    """A variable or an object's name; anything else is recorded and becomes ``BROKEN``."""
    if isinstance(item, Word) and VARIABLE.match(item.text):
        return intern(item.text)
    if isinstance(item, Form):
        hint = "is a ')' missing before it?" if item.items else None
        findings.error(item.offset, f"a variable or object is expected here, not '{show(item)}'", hint)
        return BROKEN
    if isinstance(item, Word) and is_name(item):
        return intern(item.text)
    hint = "PDDL lists have no commas" if isinstance(item, Word) and "," in item.text else None
    findings.error(item.offset, f"a variable or object is expected here, not '{show(item)}'", hint)
    return BROKEN


def atom(item: Form, findings: Findings) -> Atom:
    """``(predicate term ...)``; the predicate is ``BROKEN`` if the first word cannot name one."""
    first = item.items[0]
    if (predicate := name(first, "a predicate", findings)) is None:
        predicate = BROKEN
    return Atom(predicate, tuple(term(inner, findings) for inner in item.items[1:]), findings.position(item.offset))


def refuse_atom(item: Form, findings: Findings) -> None:
    """Record that a list is not an atom because it does not start with a word."""
    shown = show(item.items[0]) if item.items else "()"
    findings.error(item.offset, f"a predicate is expected after '(', not '{shown}'")


def function_term(item: Item, findings: Findings) -> FunctionTerm:
    """``(function term ...)``, or a name alone; the function is ``BROKEN`` if the first word cannot name one."""
    if isinstance(item, Word) and is_name(item):
        return FunctionTerm(intern(item.text), (), findings.position(item.offset))
    if not isinstance(item, Form):
        findings.error(item.offset, f"a function is expected here, not '{show(item)}'")
        return FunctionTerm(BROKEN, (), findings.position(item.offset))
    if not item.items or not isinstance(item.items[0], Word):
        refuse_atom(item, findings)
        return FunctionTerm(BROKEN, (), findings.position(item.offset))
    found = atom(item, findings)
    return FunctionTerm(found.predicate, found.terms, found.position)


# Nested lists of names, of files whose positions nobody asks for.


NestedList: TypeAlias = "str | list[NestedList]"
"""A name, or a list of such."""


def read_nested(text: str) -> list[NestedList]:
    """Return the names and lists of a text.

    Raises:
        InputError: A parenthesis is missing, or there are too many levels.
    """
    stack: list[list[NestedList]] = [[]]
    for token in _NESTED.findall(_SKIPPED_LINE.sub("", text)):
        if token == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                raise InputError(f"there are more than {MAX_DEPTH} levels of parentheses")
        elif token == ")":
            done = stack.pop()
            if not stack:
                raise InputError("a parenthesis is closed that was not opened")
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1:
        raise InputError("a parenthesis is not closed")
    return stack[0]


def write_nested(part: NestedList) -> str:
    """Return a name or a list as a text."""
    return part if isinstance(part, str) else f"({' '.join(map(write_nested, part))})"
