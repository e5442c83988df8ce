"""Compiled functions that a fresh process can call at once.

They are numba's. In a process that has not imported it, code that ``machine_code`` has kept is called without
it; where there is none, numba is imported, compiles the function, or loads it, and the code is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any

from chorewright.jit.machine_code import Code, Key, key_of, link, load


class Kernel:
    """A function that is compiled; others that are compiled may call it."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options
        self._dispatcher: Any = None
        self._codes: dict[Key, Code] | None = None
        self._linked: dict[Key, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        if self._dispatcher is None:
            return self.of(*arguments)(*arguments)
        return self._dispatcher(*arguments)

    def of(self, *arguments: Any) -> Any:
        """What can be called with any arguments of the same types, sooner than this."""
        if self._dispatcher is None and "numba" not in sys.modules:
            ready = self._ready(arguments)
            if ready is not None:
                return ready
        return self.dispatcher

    def _ready(self, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
        """Kept code for some arguments, if there is any."""
        key = key_of(arguments)
        if key is None:
            return None
        found = self._linked.get(key)
        if found is None:
            if self._codes is None:
                self._codes = load(self._function)
            if key in self._codes:
                try:
                    found = self._linked[key] = link(self._function, self._codes[key])
                except (AttributeError, ImportError, KeyError, OSError, RuntimeError):
                    self._codes = {}  # a numba that is built in another way: it can still compile
        return found

    @property
    def dispatcher(self) -> Any:
        """numba's own object for this function."""
        if self._dispatcher is None:
            from chorewright.jit.compiling import dispatcher

            self._dispatcher = dispatcher(self._function, self._options)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What numba asks for when it compiles a function that calls this one."""
        return self.dispatcher._numba_type_


def njit(**options: Any) -> Callable[[Any], Kernel]:
    """``numba.njit`` with a cache on disk that is loaded quickly."""
    return lambda function: Kernel(function, options)


__all__ = ["Kernel", "njit"]
