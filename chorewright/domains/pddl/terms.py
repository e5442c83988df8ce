"""From forms to names, terms and atoms: what conditions, effects and expressions are made of."""

from __future__ import annotations

import re
from math import inf, isfinite
from sys import intern

from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.syntax import Atom, FunctionTerm

BROKEN = "?"
"""In place of a term that cannot be read; no text can hold such a variable."""

_NAME = re.compile(r"[^?,'`\[\]{}\\=<>]+\Z")
VARIABLE = re.compile(r"\?[^?,'`\[\]{}\\=<>]+\Z")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\Z")


def number(text: str) -> float | None:
    """The finite number that a word is, or None."""
    value = float(text) if _NUMBER.match(text) else inf
    return value if isfinite(value) else None


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
    terms = tuple(term(inner, findings) for inner in item.items[1:])
    return Atom(predicate, terms, findings.position(item.offset))


def refuse_atom(item: Form, findings: Findings) -> None:
    """Record that a list is not an atom because it does not start with a word."""
    shown = show(item.items[0]) if item.items else "()"
    findings.error(item.offset, f"a predicate is expected after '(', not '{shown}'")


def function_term(item: Form, findings: Findings) -> FunctionTerm:
    """``(function term ...)``; the function is ``BROKEN`` if the first word cannot name one."""
    if not item.items or not isinstance(item.items[0], Word):
        refuse_atom(item, findings)
        return FunctionTerm(BROKEN, (), findings.position(item.offset))
    found = atom(item, findings)
    return FunctionTerm(found.predicate, found.terms, found.position)
