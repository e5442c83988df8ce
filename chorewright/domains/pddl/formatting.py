"""PDDL laid out in one way: the words, their order and all comments stay, spaces and line breaks change.

A list stays on one line if it fits, otherwise each part has its own. ``write_domain`` and ``write_problem`` write so.

Formulas fit up to column 88, lists of names up to 100. A keyword (``:effect``) stays beside its value, ``- type``
beside the names before it. Blank lines stay, one at a time. Comments stay where they are: behind something on its
line, or on a line of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias

from chorewright.domains.pddl.grammar import read_forms
from chorewright.domains.pddl.source import Findings, Source
from chorewright.domains.pddl.writer import WIDTH, wrap
from chorewright.errors import InputErrors
from chorewright.files.records import check_types

# A PDDL text as nested lists that keep what a parser drops: comments, letter case and blank lines.


# A question mark begins a word even without a space before it, as for the parser.
_TOKEN = re.compile(r"""(?P<space>\s+)|(?P<comment>;[^\n]*)|(?P<paren>[()])|"[^"\n]*"|\?[^\s();"?]*|[^\s();"?]+""")


@dataclass(frozen=True, slots=True)
class LaidOutWord:
    """A name, variable, keyword, number, sign or string, as written; ``spaced`` if a blank line is before it."""

    text: str
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its semicolon; ``trailing`` if a word or parenthesis is before it on its line."""

    text: str
    trailing: bool
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """What stands between two parentheses; a comment comes first only where there is nothing else."""

    items: tuple[Node, ...]
    spaced: bool = False


Node: TypeAlias = LaidOutWord | Comment | Listed


def read_nodes(text: str) -> tuple[Node, ...]:
    """Return the lists, words and comments of a text with balanced parentheses."""
    open_lists: list[tuple[list[Node], bool]] = [([], False)]
    breaks = 2  # line breaks since the last word or parenthesis
    for match in _TOKEN.finditer(text):
        found, items = match.group(), open_lists[-1][0]
        spaced = breaks > 1
        if match["space"] is not None:
            breaks += found.count("\n")
            continue
        if match["comment"] is not None:
            items.append(Comment(found.rstrip(), not breaks, spaced))
        elif found == "(":
            open_lists.append(([], spaced))
        elif found == ")":
            inside, before = open_lists.pop()
            open_lists[-1][0].append(Listed(_comments_behind(inside), before))
        else:
            items.append(LaidOutWord(found, spaced))
        breaks = 0
    return tuple(open_lists[0][0])


def _comments_behind(items: list[Node]) -> tuple[Node, ...]:
    """The items of a list, comments before the first word or list moved behind it."""
    first = next((place for place, item in enumerate(items) if not isinstance(item, Comment)), 0)
    if not first:
        return tuple(items)
    return (items[first], *[replace(item, spaced=False) for item in items[:first]], *items[first + 1 :])


_FORMULA = WIDTH - 12
"""Columns of a formula on one line, the keyword before it not counted."""

_ENTRIES = (":types", ":constants", ":objects", ":predicates", ":functions", ":init")
"""Sections with an entry a line."""

_BROKEN = ("define", ":goal", ":derived", ":action", ":durative-action", ":process", ":event")
"""Lists that are never on one line."""

_SPACED = (":action", ":durative-action", ":process", ":event")
"""Sections with a blank line before them."""

_BOUND = {"define": 1, ":derived": 1, "forall": 1, "exists": 1, "at-least": 2}
"""How many items stay beside the first word of a list, other than words."""

_BESIDE = "\0"
"""Between code and the comment behind it, until all lines are known; no code can have it."""

_SUMS = frozenset(
    ["=", "<", ">", "<=", ">=", "+", "-", "*", "/", "increase", "decrease", "assign", "scale-up", "scale-down"]
)
"""Heads of lists that are not broken: comparisons and arithmetic."""


@check_types
def format_pddl(text: str, path: str | None = None) -> str:
    """Lay a text out anew; only spaces, line breaks and the places of leading comments change.

    Args:
        text: Domains, problems, or both.
        path: Of the file, for errors.

    Raises:
        InputErrors: The parentheses are not balanced, or a character cannot stand in PDDL.
        LimitError: The text is too large or nests too deep.
    """
    source = Source(text, path)
    findings = Findings(source)
    read_forms(findings)
    if findings.errors:
        raise InputErrors(findings.sorted())
    lines = _Lines()
    for number, row in enumerate(_rows(read_nodes(source.text))):
        lines.row(row, 0, spaced=number > 0)
    return "".join(f"{line}\n" for line in _align_comments(lines.texts))


def _align_comments(lines: Iterable[str]) -> Iterator[str]:
    """Put the comments of neighbouring lines below each other."""
    for commented, run in groupby(lines, lambda line: _BESIDE in line):
        if not commented:
            yield from run
            continue
        parts = [line.split(_BESIDE, 1) for line in run]
        widest = max(len(code) for code, _ in parts)
        yield from (f"{code:<{widest}}  {comment}" for code, comment in parts)


@dataclass(slots=True)
class _Lines:
    """Lines that grow; ``commented`` if nothing may be added to the last one."""

    texts: list[str] = field(default_factory=list)
    commented: bool = False

    def row(self, row: Sequence[Node], indent: int, spaced: bool = True) -> None:
        """Add a row; after a blank line, if there was one and that is wanted."""
        if spaced and row[0].spaced:
            self.texts.append("")
        first = row[0]
        if isinstance(first, Comment):
            if first.trailing and self.texts and not self.commented:
                self.texts[-1] += f"{_BESIDE}{first.text}"
            else:
                self.texts.append(" " * indent + first.text)
            self.commented = True
            return
        self.add(_row_lines(row, indent))

    def add(self, other: _Lines) -> None:
        """Add lines below."""
        self.texts += other.texts
        self.commented = other.commented

    def close(self, indent: int) -> _Lines:
        """Add a closing parenthesis, on a line of its own below a comment."""
        if self.commented:
            self.texts.append(" " * indent + ")")
            self.commented = False
        else:
            self.texts[-1] += ")"
        return self


def _rows(items: Iterable[Node]) -> list[list[Node]]:
    """Split the items of a list into what belongs on a line: one item, names with a type, a keyword with a value."""
    rows: list[list[Node]] = []
    growing = False  # whether the next item belongs to the last row
    for item in items:
        last = rows[-1][-1] if rows else None
        if isinstance(item, Comment):
            rows.append([item])
            growing = False
            continue
        is_keyword = isinstance(item, LaidOutWord) and item.text.startswith(":")
        after_list = isinstance(last, Listed) and isinstance(item, LaidOutWord) and item.text == "-"
        typed = isinstance(last, LaidOutWord) and last.text == "-"
        awaits = isinstance(last, LaidOutWord) and (typed or last.text.startswith(":"))
        joins = after_list or (growing and not is_keyword and (awaits or isinstance(item, LaidOutWord)))
        if joins:
            rows[-1].append(item)
        else:
            rows.append([item])
        growing = isinstance(item, LaidOutWord) and not (joins and awaits)
    return rows


def _flat(nodes: Iterable[Node]) -> str | None:
    """The nodes on one line; None if a comment is among or inside them."""
    texts = []
    for node in nodes:
        if isinstance(node, Comment):
            return None
        inside = node.text if isinstance(node, LaidOutWord) else _flat(node.items)
        if inside is None:
            return None
        texts.append(inside if isinstance(node, LaidOutWord) else f"({inside})")
    return " ".join(texts)


def _head(listed: Listed) -> str:
    first = listed.items[0] if listed.items else None
    return first.text.lower() if isinstance(first, LaidOutWord) else ""


def _row_lines(row: Sequence[Node], indent: int) -> _Lines:
    """The lines of a row without comments of its own."""
    last, text = row[-1], _flat(row)
    if len(row) == 1 and isinstance(last, Listed):
        return _list_lines(last, indent)
    if isinstance(last, Listed) and isinstance(row[0], LaidOutWord) and row[0].text.startswith(":"):
        value = _list_lines(last, indent)
        first = f"{' ' * indent}{_flat(row[:-1])} {value.texts[0].lstrip()}"
        return _Lines([first, *(line and f"  {line}" for line in value.texts[1:])], value.commented)
    if text is None:  # a comment inside "(f ?x) - number" or "- (either a b)"
        lines = _Lines()
        for node in row:
            lines.row([node], indent, spaced=False)
        return lines
    return _Lines(wrap(text, indent))


def _list_lines(listed: Listed, indent: int) -> _Lines:
    """The lines of a list that begins at a column."""
    head, text = _head(listed), _flat(listed.items)
    entries = head in _ENTRIES
    words = all(isinstance(item, LaidOutWord | Comment) for item in listed.items)
    if text is not None and head not in _BROKEN:
        whole = f"{' ' * indent}({text})"
        width = WIDTH if entries or words or head == ":metric" else _FORMULA
        alone = not entries or len(_rows(listed.items[1:])) <= 1
        if not text or head in _SUMS or (alone and len(whole) <= width):
            return _Lines([whole])
        if words and not entries:
            return _Lines(wrap(f"({text})", indent))
    if not head or (words and not entries):
        return _align(listed, indent)
    beside = 1 if entries else _beside(listed, head)
    lines = _Lines([f"{' ' * indent}({_flat(listed.items[:beside])}"])
    for number, row in enumerate(_rows(listed.items[beside:])):
        section = row[0]
        wants = isinstance(section, Listed) and _head(section) in _SPACED
        if wants and lines.texts[-1] and not lines.texts[-1].lstrip().startswith(";") and not section.spaced:
            lines.texts.append("")
        lines.row(row, indent + 2, spaced=number > 0 or head == "define")
    return lines.close(indent)


def _beside(listed: Listed, head: str) -> int:
    """How many items stay on a list's first line: leading words, and what the head binds."""
    bound = _BOUND.get(head, 0)
    count = 1
    for item in listed.items[1:]:
        is_word = isinstance(item, LaidOutWord) and not item.text.startswith(":")
        if isinstance(item, Comment) or _flat([item]) is None or not (is_word or count <= bound):
            break
        count += 1
    return count


def _align(listed: Listed, indent: int) -> _Lines:
    """A list without a head, or words with comments between them: rows below each other."""
    lines = _Lines()
    for row in _rows(listed.items):
        lines.row(row, indent + 1, spaced=False)
    if not lines.texts or not lines.texts[0].strip():
        return _Lines([f"{' ' * indent}()"])
    lines.texts[0] = f"{' ' * indent}({lines.texts[0][indent + 1 :]}"
    return lines.close(indent)
