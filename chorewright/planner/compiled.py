"""Compiled functions whose code is loaded from disk at once, so that a fresh process answers soon.

Before it looks for compiled code on disk, numba registers all that it could compile, scipy included:
0.3 s for code that needs none of it. Where there is nothing on disk, numba registers it before compiling.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


def njit(**options: Any) -> Any:
    """``numba.njit`` with a cache on disk that is loaded quickly."""

    def decorate(function: Any) -> Any:
        dispatcher = numba.njit(**{**options, "cache": False})(function)
        cache = FunctionCache(function)
        cache.load_overload = partial(_load, cache)
        dispatcher._cache = cache
        return dispatcher

    return decorate


def _load(cache: Any, signature: Any, target: Any) -> Any:
    """The compiled code for a signature if it is on disk, else None."""
    rtsys.initialize(target)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


__all__ = ["njit"]
