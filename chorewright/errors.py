"""The one error family: every error carries where it happened, what was expected, and a hint.

Raised deep in any room, shown once, by ``chorewright.cli``, as ``file:line:column: message`` with the
offending line, a caret and the hint. The exit codes are those of Fast Downward's driver where one fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from unicodedata import combining, east_asian_width


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    OK = 0
    NEGATIVE = 1
    USAGE = 2
    UNSOLVABLE = 10
    INCOMPLETE = 12
    OUT_OF_MEMORY = 22
    OUT_OF_TIME = 23
    INTERNAL = 30
    BAD_INPUT = 31
    UNSUPPORTED = 34
    MISSING_EXTRA = 35
    STORAGE = 36
    INTERRUPTED = 130
    TERMINATED = 143


@dataclass(frozen=True, slots=True)
class Location:
    """A place in an input: a text file's line and column (both from 1), or a JSON path."""

    path: str | None = None
    line: int | None = None
    column: int | None = None
    source_line: str | None = None
    json_path: str | None = None

    def __str__(self) -> str:
        parts = [self.path or "<input>"]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        if self.json_path is not None:
            parts.append(shorten(self.json_path, MOST_PATH))
        return ":".join(parts)


MOST_SAID, MOST_PATH = 4000, 400
"""Characters of a message or hint, and of a JSON path, whatever an input's names are."""


def shorten(text: str, most: int = MOST_SAID) -> str:
    """Return a text; of a long one the beginning and the end."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 4 :]}"


class ChorewrightError(Exception):
    """Base of all errors that a user may see."""

    exit_code: ExitCode = ExitCode.INTERNAL

    def __init__(self, message: str, *, location: Location | None = None, hint: str | None = None) -> None:
        self.message = shorten(message)
        super().__init__(self.message)
        self.location = location
        self.hint = None if hint is None else shorten(hint)

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.location, self.hint))


def _rebuild(
    kind: type[ChorewrightError], message: str, location: Location | None, hint: str | None
) -> ChorewrightError:
    """Rebuild an error that crossed a process boundary."""
    return kind(message, location=location, hint=hint)


class InputError(ChorewrightError):
    """An input file or argument is malformed."""

    exit_code = ExitCode.BAD_INPUT


class UnsupportedError(InputError):
    """An input asks for a language feature that chorewright does not have."""

    exit_code = ExitCode.UNSUPPORTED


class InputErrors(InputError):
    """Several errors found in one run over one input."""

    def __init__(self, errors: Sequence[ChorewrightError]) -> None:
        others = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
        super().__init__(errors[0].message + others, location=errors[0].location, hint=errors[0].hint)
        self.errors = tuple(errors)
        kinds = {type(error) for error in self.errors}
        if kinds == {UnsupportedError}:
            self.exit_code = ExitCode.UNSUPPORTED

    def __reduce__(self) -> tuple[object, ...]:
        return (InputErrors, (self.errors,))


class UsageError(ChorewrightError):
    """A command-line argument or a call is wrong."""

    exit_code = ExitCode.USAGE


class LimitError(ChorewrightError):
    """An input is larger than the stated limit."""

    exit_code = ExitCode.BAD_INPUT


class MissingExtra(ChorewrightError):
    """An optional dependency is not installed; the hint names the extra."""

    exit_code = ExitCode.MISSING_EXTRA


class MissingPlugin(UsageError):
    """A file names a plug-in that is not installed; the message names it and its entry-point group."""

    exit_code = ExitCode.MISSING_EXTRA


class NoPlan(ChorewrightError):
    """A problem has no plan, or a limit was met before one was found; ``limit`` names it."""

    exit_code = ExitCode.UNSOLVABLE

    def __init__(
        self, message: str, *, location: Location | None = None, hint: str | None = None, limit: str | None = None
    ) -> None:
        super().__init__(message, location=location, hint=hint)
        self.limit = limit


class EngineError(ChorewrightError):
    """Another planner failed, or gave a plan that is not valid."""


class PluginError(ChorewrightError):
    """Code of a plug-in raised an exception."""


class StorageError(ChorewrightError):
    """A dataset could not be written: disk full, not writable, locked, or another dataset's folder."""

    exit_code = ExitCode.STORAGE


class DatasetCorrupt(ChorewrightError):
    """A stored dataset does not match its manifest."""

    exit_code = ExitCode.NEGATIVE


SHOWN_COLUMNS = 110
"""How much of a long line ``render`` shows around the caret."""


def render(error: ChorewrightError, columns: int = SHOWN_COLUMNS) -> str:
    """Show an error, or each of several: ``path:line:column: message``, the line, a caret, and the hint.

    Args:
        error: What is wrong.
        columns: How much of a long line is shown.

    Control characters and others that cannot be printed are escaped, so that no input can write to the
    terminal what it likes. The result has no newline at its end.
    """
    if isinstance(error, InputErrors):
        return "\n".join(render(inner, columns) for inner in error.errors)
    location = error.location
    lines = [_printable(f"{location}: {error.message}" if location else error.message)]
    line = location.source_line if location is not None else None
    if location is not None and location.column is not None and line is not None and line.strip():
        lines += _draw_caret(line, location.column, columns)
    if error.hint:
        lines.append(f"  hint: {_printable(error.hint)}")
    return "\n".join(lines)


def _draw_caret(line: str, column: int, columns: int) -> list[str]:
    """A source line, or the part of it around a column, with a caret below that column."""
    start = 0 if column <= columns else column - columns // 2
    end = start + columns
    before = ("..." if start else "") + _printable(line[start : column - 1])
    behind = _printable(line[column - 1 : end]) + ("..." if len(line) > end else "")
    return [f"  {before}{behind}".rstrip(), f"  {' ' * _width(before)}^"]


def _printable(text: str) -> str:
    """The text on one line, with a tab as a space and what is not printable as an escape sequence."""
    if text.isprintable():
        return text
    return "".join(
        " " if letter == "\t" else letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text
    )


def _width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(2 if east_asian_width(letter) in "WF" else 0 if combining(letter) else 1 for letter in text)


def first_line(error: BaseException) -> str:
    """Return an exception on one line: its class and the first line of what it says."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


CONTINUES = "what was finished is kept: once the cause is gone, the same command continues"


@contextmanager
def storing(path: object, hint: str | None = CONTINUES) -> Iterator[None]:
    """Make an operating system's refusal an error of ours, while a path is written.

    Raises:
        StorageError: It refuses.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}", hint=hint) from error


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, the one that it came from, and so on."""
    seen: set[int] = set()
    behind: BaseException | None = error
    while behind is not None and id(behind) not in seen:
        yield behind
        seen.add(id(behind))
        behind = behind.__cause__ or behind.__context__
