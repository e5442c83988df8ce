"""Loading a kernel by numba, from its cache on disk or compiled; where numba looks for it."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np

from chorewright.files.text import note, quiet
from chorewright.jit.cache import discard, find_cache, fingerprint, kernel_name, seal
from chorewright.jit.objects import keep

# Saying on the error stream that code is being compiled: one line that changes on a terminal, else a few lines.


_COMPILING = "compiling, once: up to 2 minutes"
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


_LOCATOR = "chorewright.jit.loading.ChosenFolder"
_setting = threading.Lock()
"""Held while numba's settings are ours."""


def in_memory(function: FunctionType, options: dict[str, Any]) -> Any:
    """Return numba's dispatcher of a function, without a cache.

    Args:
        function: The Python function.
        options: Those of ``numba.njit``; ``cache`` is overruled.
    """
    return numba.njit(**{**options, "cache": False})(function)


def load(function: FunctionType, options: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
    """Return numba's dispatcher of a function, with code for arguments of these types.

    A file that cannot be read is removed, with a note, and its code is compiled again. Where numba is switched
    off (``NUMBA_DISABLE_JIT``), it is the function itself, which runs a hundred times slower.

    Args:
        function: The Python function.
        options: Those of ``numba.njit``.
        arguments: What it is about to be called with; nothing is done to them.
    """
    if numba.config.DISABLE_JIT:
        note("NUMBA_DISABLE_JIT is set: the planner is not compiled, and about a hundred times slower")
        return _interpret(function)
    types = _types_of(arguments)
    digits = fingerprint(function)
    name = kernel_name(function)
    if digits is None:
        return _compile(function, in_memory(function, options), types)
    cache = find_cache()
    for folder in cache.holding(name, digits):
        made = _load(function, options, arguments, folder)
        if made is not None:
            return made
    place = cache.folder(name, digits)
    if place is None:
        return _compile(function, in_memory(function, options), types)
    return _compile_and_keep(function, options, arguments, place)


def _interpret(function: FunctionType) -> Any:
    """A function that Python runs as compiled code would: integers wrap around without a warning."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


def _load(function: FunctionType, options: dict[str, Any], arguments: tuple[Any, ...], folder: Path) -> Any | None:
    """Return a dispatcher with the code that a folder holds; None, after a note, if it cannot be read."""
    made, types = None, _types_of(arguments)
    try:
        made = _cache_dispatcher(function, options, folder)
        made.compile(types)
    except Exception as error:  # whatever unpickling may raise
        if made is not None and made.signatures:  # it held code for other types, and ours could not be added
            return made
        note(f"compiled code in {folder} cannot be read ({type(error).__name__}): it is compiled again")
        discard(folder)
        return None
    if made.stats.cache_misses:
        keep(folder, function, arguments, made.overloads[types])
        seal(folder)
    return made


def _types_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(numba.typeof(each) for each in arguments)


def _compile_and_keep(function: FunctionType, options: dict[str, Any], arguments: tuple[Any, ...], folder: Path) -> Any:
    """Return a dispatcher with code that has just been compiled, and written to a folder if that could be done."""
    made, types = _cache_dispatcher(function, options, folder), _types_of(arguments)
    try:
        _compile(function, made, types)
        if not made.stats.cache_misses:  # another process was faster, and keeps it
            return made
        keep(folder, function, arguments, made.overloads[types])
    except OSError as error:  # it could not be written
        if not made.signatures:
            raise
        note(f"compiled code is not kept: {error}")
    else:
        seal(folder)
    return made


def _compile(function: FunctionType, made: Any, types: tuple[Any, ...]) -> Any:
    """Let a dispatcher compile for arguments of some types, and return it."""
    with compiling(function.__name__):
        made.compile(types)
    return made


def _cache_dispatcher(function: FunctionType, options: dict[str, Any], folder: Path) -> Any:
    """A dispatcher that numba caches in a folder; the user's own functions stay where they are."""
    with _setting:
        before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = str(folder), _LOCATOR
        try:
            return numba.njit(**{**options, "cache": True})(function)
        finally:
            numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before


# Where numba looks for a function's code: the one folder that was chosen, which need not be writable.
#
# numba asks the classes that its setting ``NUMBA_CACHE_LOCATOR_CLASSES`` names. Its own ones take only folders that
# they can write to, so code that was compiled at install could not be used by another user, nor on a read-only file
# system.


class ChosenFolder:
    """A locator of the folder in ``numba.config.CACHE_DIR``, whose name says all that the code depends on."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> ChosenFolder | None:
        """Return the locator for a function; None if no folder was chosen."""
        return cls(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return self._folder

    def ensure_cache_path(self) -> None:
        """Make the folder, before something is written.

        Raises:
            OSError: It cannot be made.
        """
        os.makedirs(self._folder, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what tells apart versions of the source: nothing, they have different folders."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells apart functions of the same name: nothing, they have different folders."""
        return "kernel"
