"""Saying on the error stream that code is being compiled: one line that changes on a terminal, else a few lines."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chorewright.files.terminal import quiet
from chorewright.jit.cache import note

_COMPILING = "compiling the planner, once: 1 to 2 minutes"
_BETWEEN = 15.0
"""Seconds between two lines where there is no terminal."""


class _Progress:
    """What this process has compiled so far."""

    def __init__(self) -> None:
        self.count = 0
        self.started = time.monotonic()
        self.said = self.started

    def text(self, name: str) -> str:
        """Return what is being compiled now."""
        return f"{_COMPILING} (function {self.count}, {name}, {time.monotonic() - self.started:.0f} s so far)"


_PROGRESS: list[_Progress] = []
"""This process's own progress, from the first function that it compiles."""


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Say that a function is being compiled; worker processes say nothing.

    Args:
        name: The function's.
    """
    if multiprocessing.parent_process() is not None or quiet():
        yield
        return
    if not _PROGRESS:
        _PROGRESS.append(_Progress())
    [progress] = _PROGRESS
    progress.count += 1
    terminal = False
    with suppress(OSError, ValueError, AttributeError):
        terminal = sys.stderr.isatty()
    if terminal:
        _write(f"\r{progress.text(name)}\x1b[K")
        try:
            yield
        finally:
            _write("\r\x1b[K")
        return
    note(_COMPILING)
    if time.monotonic() - progress.said > _BETWEEN:
        progress.said = time.monotonic()
        _write(f"note: {progress.text(name)}\n")
    yield


def _write(text: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


__all__ = ["compiling"]
