"""What a player types in the terminal, line by line; with history and completion where there is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TextIO, cast

from chorewright.commands.shell import printable

PROMPT = "> "


def typed_lines(completer: Callable[[str, int], str | None]) -> Iterator[str]:
    """Yield what the player types, without blanks around it, until the end of the input.

    Args:
        completer: Returns the completions of a text one by one, then None, as ``readline`` asks for them.
    """
    typed = cast("TextIO | None", sys.stdin)  # None if it was closed before we started
    if typed is None:
        return
    if not typed.isatty():
        for line in typed:
            if line.strip():
                print(printable(f"{PROMPT}{line.strip()}"))
                yield line.strip()
        return
    with suppress(ImportError):  # there is none on some systems; lines are then read without
        import readline

        readline.set_completer(completer)
        readline.set_completer_delims("")
        readline.parse_and_bind("tab: complete")
    while True:
        try:
            line = input(PROMPT)
        except EOFError:
            print()
            return
        if line.strip():
            yield line.strip()
