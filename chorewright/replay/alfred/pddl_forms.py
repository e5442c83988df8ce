"""PDDL as nested lists of names: enough to read a game file's problem quickly."""

from __future__ import annotations

import re
from typing import TypeAlias

from chorewright.errors import InputError

Form: TypeAlias = "str | list[Form]"
"""A name, or a list of forms."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_COMMENT = re.compile(r";[^\n]*")


def forms(text: str) -> list[Form]:
    """Return the forms of a text.

    Raises:
        InputError: A parenthesis is missing.
    """
    stack: list[list[Form]] = [[]]
    for token in _TOKEN.findall(_COMMENT.sub("", text)):
        if token == "(":
            stack.append([])
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
