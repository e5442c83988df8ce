"""The decorator of compiled functions: numba's, but it imports numba only when a function is called."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import Any

from chorewright.files.stopping import KERNEL_CALLS

# Small work without machine code: importing numba and loading a dozen kernels takes longer than a small problem.


MOST_BYTES = 1_000_000
"""Arrays with more bytes are work for machine code."""

_BETWEEN = 64
"""Calls between two looks at the clock."""


class _Late(Exception):
    """Python has run kernels for as long as it may."""


class _Interpreting(threading.local):
    """How this thread runs kernels: the processor time at which Python is to end it, what it has besides where nothing
    is compiled, and whether it runs one now."""

    until = 0.0
    uncompiled = 0.0
    running = False
    calls = 0

    def run(self, function: FunctionType, arguments: tuple[Any, ...]) -> tuple[Any] | None:
        """Run a kernel by Python; None if that takes too long, and all is as before."""
        import numpy as np

        arrays = list(_arrays(arguments))
        if "numba" in sys.modules or sum(each.nbytes for each in arrays) > MOST_BYTES:
            self.until = 0.0
            return None
        before = [each.copy() for each in arrays]
        self.running = True
        try:
            with np.errstate(over="ignore"):
                return (function(*arguments),)
        except _Late:
            self.until = 0.0
            for each, kept in zip(arrays, before, strict=True):
                if each.flags.writeable:
                    each[...] = kept
            return None
        finally:
            self.running = False

    def count(self) -> None:
        """Count a call among kernels, and end what takes too long."""
        self.calls += 1
        if self.calls % _BETWEEN == 0 and time.thread_time() > self.until:
            from chorewright.jit.cache import find_cache

            more, self.uncompiled = self.uncompiled, 0.0
            if not more or not find_cache().is_empty():
                raise _Late
            self.until += more


_INTERPRETING = _Interpreting()


@contextmanager
def interpreting(seconds: float, uncompiled: float = 0.0) -> Iterator[None]:
    """Inside, Python runs kernels until they have taken so much processor time; then numba is loaded after all.

    Results are the same. It is for this thread, and does nothing where numba is loaded already.

    Args:
        seconds: What Python may take for all kernels together, about.
        uncompiled: What it may take besides where no kernel has been compiled yet, which takes numba a minute.
    """
    _INTERPRETING.until, _INTERPRETING.uncompiled = time.thread_time() + seconds, uncompiled
    try:
        yield
    finally:
        _INTERPRETING.until = 0.0


def _arrays(values: tuple[Any, ...]) -> Iterator[Any]:
    """The arrays in arguments, but for those of a search's limits (a plain tuple): others set its flag."""
    for value in values:
        if hasattr(value, "_fields"):
            yield from _arrays(value)
        elif hasattr(value, "nbytes") and hasattr(value, "copy"):
            yield value


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
        self._missed = False
        self._callee: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        python = _INTERPRETING
        if python.running:
            python.count()
            return self.function(*arguments)
        calls = KERNEL_CALLS
        calls.depth += 1
        try:
            entry = self._entry or self._link(arguments)
            done = python.run(self.function, arguments) if entry is None and python.until else None
            if entry is None and done is None:
                entry = self.load(*arguments)
            result = entry(*arguments) if done is None else done[0]
        finally:
            calls.depth -= 1
        if calls.waiting is not None and not calls.depth:
            waiting, calls.waiting = calls.waiting, None
            waiting()
        return result

    def load(self, *arguments: Any) -> Any:
        """Return what runs the kernel: linked, loaded or compiled for arguments of these types.

        A loop that calls it instead of this object saves a call of a Python function each time.

        Args:
            arguments: What it is about to be called with; nothing is done to them.
        """
        if self._entry is None and self._link(arguments) is None:
            self._entry = self._dispatcher(*arguments)
        return self._entry

    def _link(self, arguments: tuple[Any, ...]) -> Any:
        """The entry of the code on disk, which needs no numba; None if there is none. It is looked for once."""
        if self._missed or "numba" in sys.modules:
            return None
        from chorewright.jit.objects import LinkedKernel, link

        calls = link(self.function, arguments)
        self._missed = not calls
        if calls:
            self._entry = LinkedKernel(calls, self._dispatcher)
        return self._entry

    def _dispatcher(self, *arguments: Any) -> Any:
        from chorewright.jit.loading import load

        return load(self.function, self.options, arguments)

    @property
    def entry(self) -> Any:
        """What runs the kernel: a ``LinkedKernel``, or numba's dispatcher; None if it was not called yet."""
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
