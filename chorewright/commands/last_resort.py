"""The last resort: a verb that a limit or a signal should have ended, and that goes on, is ended from outside.

Compiled code of others (LLVM while it compiles, a large step of numpy) hears of nothing until it returns. A thread
waits for a moment, says what has to be said, and ends the process. This is for verbs that have nothing to clean up.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from chorewright.files.wakeup import leave, listen

GRACE = 0.6
"""Seconds in which the verb may end by itself."""

_BETWEEN = 0.05
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class LastResort:
    """Ends the process if what is inside does not; a context manager for the main thread."""

    def __init__(self, limit_met: Callable[[], bool], give_up: Callable[[int | None], int]) -> None:
        """Say when, and how.

        Args:
            limit_met: Whether a limit was met.
            give_up: Called in the last moment, with the signal's number or None for a limit, to say what happened; it
                returns the exit code.
        """
        self._limit_met = limit_met
        self._give_up = give_up
        self._signal: int | None = None
        self._ended = threading.Event()
        self._listens = False

    def __enter__(self) -> LastResort:
        self._listens = listen(self)
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._listens:
            leave(self)

    def hear(self, signals: bytes) -> None:
        """Take notice of signals, in the waiting thread."""
        for number in signals:
            if number in _SIGNALS:
                self._signal = number

    def _watch(self) -> None:
        while not self._ended.wait(_BETWEEN):
            if self._signal is not None or self._limit_met():
                if self._ended.wait(GRACE):
                    return
                code = 1
                with suppress(OSError, ValueError):
                    code = self._give_up(self._signal)
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)


__all__ = ["GRACE", "LastResort"]
