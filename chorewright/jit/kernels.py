"""The decorator of compiled functions: numba's, but it imports numba only when a function is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any

from chorewright.files.stopping import KERNEL_CALLS


class Kernel:
    """A function that numba compiles when it is first called; other kernels may call it, too.

    It is compiled twice if it is called both from Python and from other kernels. The code that Python calls is kept
    on disk; a callee's is part of its callers' code. So a kernel that Python calls with one signature has one entry
    in numba's cache, and processes that write it at the same time write the same.
    """

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function = function
        self.options = options
        self._entry: Any = None
        self._callee: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        calls = KERNEL_CALLS
        calls.depth += 1
        try:
            entry = self._entry
            if entry is None:
                entry = self.load(*arguments)
            result = entry(*arguments)
        finally:
            calls.depth -= 1
        if calls.waiting is not None and not calls.depth:
            waiting, calls.waiting = calls.waiting, None
            waiting()
        return result

    def load(self, *arguments: Any) -> Any:
        """Return numba's dispatcher, loaded or compiled for arguments of these types.

        A loop that calls it instead of this object saves a call of a Python function each time.

        Args:
            arguments: What it is about to be called with; nothing is done to them.
        """
        if self._entry is None:
            from chorewright.jit.loading import load

            self._entry = load(self.function, self.options, arguments)
        return self._entry

    @property
    def entry(self) -> Any:
        """numba's dispatcher of the code that Python calls; None if it was not called yet."""
        return self._entry

    @property
    def _numba_type_(self) -> Any:
        """What numba asks for when it compiles a kernel that calls this one."""
        if self._callee is None:
            from chorewright.jit.loading import in_memory

            self._callee = in_memory(self.function, self.options)
        return self._callee._numba_type_


def njit(**options: Any) -> Callable[[Any], Kernel]:
    """Return a decorator that makes a ``Kernel`` of a function; the options are those of ``numba.njit``."""
    return lambda function: Kernel(function, options)


__all__ = ["Kernel", "njit"]


# Copies of arrays for kernels: loops compile in a fraction of the time of slices, whose errors format shapes.


@njit(cache=True, nogil=True)
def copy_items(target: Any, source: Any, count: Any) -> None:
    """Copy the first items of an array."""
    for i in range(count):
        target[i] = source[i]


@njit(cache=True, nogil=True)
def copy_rows(target: Any, source: Any, count: Any) -> None:
    """Copy the first rows of a matrix."""
    for i in range(count):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]
