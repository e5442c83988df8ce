"""A PDDL text as nested lists that keep what a parser drops: comments, letter case and blank lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

# A question mark begins a word even without a space before it, as for the parser.
_TOKEN = re.compile(r"""(?P<space>\s+)|(?P<comment>;[^\n]*)|(?P<paren>[()])|"[^"\n]*"|\?[^\s();"?]*|[^\s();"?]+""")


@dataclass(frozen=True, slots=True)
class Word:
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


Node: TypeAlias = Word | Comment | Listed


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
            items.append(Word(found, spaced))
        breaks = 0
    return tuple(open_lists[0][0])


def _comments_behind(items: list[Node]) -> tuple[Node, ...]:
    """The items of a list, comments before the first word or list moved behind it."""
    first = next((place for place, item in enumerate(items) if not isinstance(item, Comment)), 0)
    if not first:
        return tuple(items)
    comments = [replace(item, spaced=False) for item in items[:first]]
    return (items[first], *comments, *items[first + 1 :])
