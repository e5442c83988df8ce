"""Loading a kernel by numba: from its cache on disk, or compiled, or compiled in memory where nothing can be kept."""

from __future__ import annotations

import threading
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np

from chorewright.jit.cache import discard, find_cache, note, seal
from chorewright.jit.fingerprint import fingerprint, fingerprint_of_folder
from chorewright.jit.progress import compiling

_LOCATOR = "chorewright.jit.locator.ChosenFolder"
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
        return _interpreted(function)
    types = tuple(numba.typeof(each) for each in arguments)
    digits = fingerprint(function)
    name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
    if digits is None:
        return _compile(function, in_memory(function, options), types)
    cache = find_cache()
    for folder in cache.holding(name, digits):
        made = _load(function, options, types, folder)
        if made is not None:
            return made
    place = cache.folder(name, digits)
    if place is None:
        return _compile(function, in_memory(function, options), types)
    return _compile_and_keep(function, options, types, place)


def _interpreted(function: FunctionType) -> Any:
    """A function that Python runs as compiled code would: integers wrap around without a warning."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


def marker(folder: Path) -> Path | None:
    """Return the file that says that all kernels of a folder's modules were compiled; None if nothing is kept."""
    try:
        return find_cache().file(f"{folder.name}-{fingerprint_of_folder(folder)}.all")
    except OSError:
        return None


def _load(function: FunctionType, options: dict[str, Any], types: tuple[Any, ...], folder: Path) -> Any | None:
    """Return a dispatcher with the code that a folder holds; None, after a note, if it cannot be read."""
    made = None
    try:
        made = _cached(function, options, folder)
        made.compile(types)
    except Exception as error:  # whatever unpickling may raise
        if made is not None and made.signatures:  # it held code for other types, and ours could not be added
            return made
        note(f"compiled code in {folder} cannot be read ({type(error).__name__}): it is compiled again")
        discard(folder)
        return None
    if made.stats.cache_misses:
        seal(folder)
    return made


def _compile_and_keep(function: FunctionType, options: dict[str, Any], types: tuple[Any, ...], folder: Path) -> Any:
    """Return a dispatcher with code that has just been compiled, and written to a folder if that could be done."""
    made = _cached(function, options, folder)
    try:
        _compile(function, made, types)
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


def _cached(function: FunctionType, options: dict[str, Any], folder: Path) -> Any:
    """A dispatcher that numba caches in a folder; the user's own functions stay where they are."""
    with _setting:
        before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = str(folder), _LOCATOR
        try:
            return numba.njit(**{**options, "cache": True})(function)
        finally:
            numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before


__all__ = ["in_memory", "load", "marker"]
