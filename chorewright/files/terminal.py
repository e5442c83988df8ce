"""Plain text on a terminal: lines that are wider than it are broken between words."""

from __future__ import annotations

import os
import sys
import textwrap
from contextlib import suppress
from typing import Any, TextIO

NARROWEST = 20
"""On fewer columns nothing is broken."""


def columns_of(stream: TextIO) -> int | None:
    """Return how many columns the terminal of a stream has, by ``COLUMNS`` or its own word; None if it is none."""
    try:
        if not stream.isatty():
            return None
        told = os.environ.get("COLUMNS", "")
        return int(told) if told.isdecimal() and int(told) else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return None


def broken(line: str, columns: int) -> str:
    """Return a line in parts of so many columns, but for longer words; further parts are indented by two more."""
    if len(line) <= columns or columns < NARROWEST:
        return line
    indent = " " * min(len(line) - len(line.lstrip(" ")) + 2, columns // 2)
    parts = textwrap.wrap(
        line,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )
    return "\n".join(parts) if parts else line


class Wrapping:
    """A terminal's stream that breaks lines between words. What styles text or moves the cursor passes as it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text; only lines that begin in it are broken."""
        columns = None if "\x1b" in text or "\r" in text else columns_of(self._stream)
        if columns is not None:
            lines = text.split("\n")
            whole = [line if self._begun and not place else broken(line, columns) for place, line in enumerate(lines)]
            self._stream.write("\n".join(whole))
        else:
            self._stream.write(text)
        if text:
            self._begun = not text.endswith("\n")
        return len(text)


def wrap_output() -> None:
    """Let standard output and standard error break lines where they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and columns_of(stream) is not None:
            setattr(sys, name, Wrapping(stream))


# Notices: what goes to standard error and is neither an error nor a result, as notes and progress.


QUIET = "CHOREWRIGHT_QUIET"
"""The environment variable that silences notices; worker processes inherit it."""

VERBOSE = "CHOREWRIGHT_VERBOSE"
"""The environment variable that asks for more notices."""


def quiet() -> bool:
    """Return whether notices are unwanted."""
    return os.environ.get(QUIET, "") not in ("", "0")


def verbose() -> bool:
    """Return whether more notices are wanted than usual."""
    return os.environ.get(VERBOSE, "") not in ("", "0")


def tell(message: str) -> None:
    """Print a line on standard error unless notices are unwanted; a closed stream is no error."""
    if not quiet():
        with suppress(OSError, ValueError, AttributeError):
            coding = sys.stderr.encoding or "ascii"
            print(message.encode(coding, "backslashreplace").decode(coding), file=sys.stderr, flush=True)
