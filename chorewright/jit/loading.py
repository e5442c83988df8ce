"""Loading a kernel by numba: from its cache on disk, or compiled, or compiled in memory where nothing can be kept."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from chorewright.jit.cache import discard, find_cache, holds_code, note, seal
from chorewright.jit.fingerprint import fingerprint, fingerprint_of_folder

_COMPILING = "compiling the planner, once: about a minute"
_setting = threading.Lock()
"""Held while numba's setting is ours."""


def in_memory(function: FunctionType, options: dict[str, Any]) -> Any:
    """Return numba's dispatcher of a function, without a cache.

    Args:
        function: The Python function.
        options: Those of ``numba.njit``; ``cache`` is overruled.
    """
    return numba.njit(**{**options, "cache": False})(function)


def load(function: FunctionType, options: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
    """Return numba's dispatcher of a function, with code for arguments of these types.

    A file that cannot be read is removed, with a note, and its code is compiled again.

    Args:
        function: The Python function.
        options: Those of ``numba.njit``.
        arguments: What it is about to be called with; nothing is done to them.
    """
    types = tuple(numba.typeof(each) for each in arguments)
    for _ in range(2):
        folder = _folder(function)
        if folder is None:
            break
        kept = holds_code(folder)
        made = None
        try:
            made = _cached(function, options, folder)
            with nullcontext() if kept else _progress(function.__name__):
                made.compile(types)
            if made.stats.cache_misses:
                seal(folder)
            return made
        except Exception as error:  # whatever unpickling may raise
            if made is not None and made.signatures:  # compiled, but it could not be written
                note(f"compiled code is not kept: {error}")
                return made
            if not kept:
                break
            note(f"compiled code in {folder} cannot be read ({type(error).__name__}): it is compiled again")
            discard(folder)
    made = in_memory(function, options)
    with _progress(function.__name__):
        made.compile(types)
    return made


def marker(folder: Path) -> Path | None:
    """Return the file that says that all kernels of a folder's modules were compiled; None if nothing is kept."""
    cache = find_cache()
    try:
        return None if cache is None else cache.file(f"{folder.name}-{fingerprint_of_folder(folder)}.all")
    except OSError:
        return None


def _folder(function: FunctionType) -> Path | None:
    cache = find_cache()
    digits = fingerprint(function) if cache is not None else None
    if cache is None or digits is None:
        return None
    return cache.folder(f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", ""), digits)


def _cached(function: FunctionType, options: dict[str, Any], folder: Path) -> Any:
    """A dispatcher that numba caches in a folder; the user's own functions stay where they are."""
    with _setting:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            return numba.njit(**{**options, "cache": True})(function)
        finally:
            numba.config.CACHE_DIR = before


@contextmanager
def _progress(name: str) -> Iterator[None]:
    """Say on the error stream that a function is being compiled: a line that goes again, or one note."""
    terminal = False
    with suppress(OSError, ValueError, AttributeError):
        terminal = sys.stderr.isatty()
    if multiprocessing.parent_process() is not None:
        yield
    elif not terminal:
        note(_COMPILING)
        yield
    else:
        _write(f"\r{_COMPILING} ({name})\x1b[K")
        try:
            yield
        finally:
            _write("\r\x1b[K")


def _write(text: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


__all__ = ["in_memory", "load", "marker"]
