"""The one error family: every error carries where it happened, what was expected, and a hint.

Raised deep in any room, shown once, by ``chorewright.cli``, as ``file:line:column: message`` with the
offending line, a caret and the hint. The exit codes are those of Fast Downward's driver where one fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


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
            parts.append(self.json_path)
        return ":".join(parts)


class ChorewrightError(Exception):
    """Base of all errors that a user may see."""

    exit_code: ExitCode = ExitCode.INTERNAL

    def __init__(self, message: str, *, location: Location | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

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
        super().__init__(f"{len(errors)} errors", location=errors[0].location if errors else None)
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


class StorageError(ChorewrightError):
    """A dataset could not be written: disk full, not writable, locked, or another dataset's folder."""

    exit_code = ExitCode.STORAGE


class DatasetCorrupt(ChorewrightError):
    """A stored dataset does not match its manifest."""

    exit_code = ExitCode.NEGATIVE
