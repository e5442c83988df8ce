"""Ctrl-C while a compiled kernel runs: the kernel's stop flag is set at once, and raised is at the end.

Python runs no signal handler before a kernel returns, but it writes the signal's number to a socket right
away; a thread that waits at the other end sets the flag. The handler itself must not raise: it may run just
when a kernel makes its result, which then lacks a part, and the process dies. So the flag ends the search,
and ``KeyboardInterrupt`` is raised when the search is left. SIGTERM is treated alike where the program has a
handler for it: that handler is called when the search is left.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Handler = Callable[[int, FrameType | None], object]

PATIENCE = 3.0
"""Seconds after Ctrl-C in which the flag is given time to end the search; later ones raise at once."""


class _Watcher:
    """The socket that signals are written to, and the thread that waits at its other end.

    A process has one, and keeps it: starting a thread takes longer than many a search.
    """

    def __init__(self) -> None:
        self.listener: Interruption | None = None
        self.ends = socket.socketpair()
        self.ends[1].setblocking(False)
        threading.Thread(target=self._watch, daemon=True).start()

    @staticmethod
    def of_process() -> _Watcher:
        """This process's own: a child has the parent's sockets, but not its thread."""
        found = _WATCHERS.get(os.getpid())
        if found is None:
            _WATCHERS.clear()
            found = _WATCHERS[os.getpid()] = _Watcher()
        return found

    def dismiss(self) -> None:
        """End the thread; what it has not read is lost."""
        _WATCHERS.clear()
        self.ends[1].close()  # the thread sees the end of the stream

    def _watch(self) -> None:
        reader = self.ends[0]
        with reader:
            while signals := reader.recv(64):
                listener = self.listener
                if listener is not None:
                    listener.hear(signals)


_WATCHERS: dict[int, _Watcher] = {}


class Interruption:
    """Sets a flag at Ctrl-C, and raises ``KeyboardInterrupt`` at its end; a context manager.

    It does nothing where Ctrl-C does not raise ``KeyboardInterrupt`` here: outside the main thread, where the
    program has a handler of its own, or where others (an event loop) listen for signals.
    """

    def __init__(self, flag: NDArray[np.int64]) -> None:
        self._flag = flag
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._seen: int | None = None
        self._handlers: dict[int, Handler] = {}
        self._first: float | None = None

    def __enter__(self) -> Interruption:
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        ):
            return self
        watcher = _Watcher.of_process()
        try:
            before = signal.set_wakeup_fd(watcher.ends[1].fileno(), warn_on_full_buffer=False)
        except ValueError:  # not the main interpreter
            return self
        if before != -1:
            signal.set_wakeup_fd(before)
            return self
        self._ends = watcher.ends
        watcher.listener = self
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._note)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Literal[False]:
        if self._ends is not None:
            # Of what was written until now, the handlers are called before the next line.
            signal.set_wakeup_fd(-1)
            for number, handler in self._handlers.items():
                if signal.getsignal(number) == self._note:
                    signal.signal(number, handler)
            watcher = _Watcher.of_process()
            watcher.listener = None
            if self._seen is not None:  # the thread may be late, and the next search is not meant
                watcher.dismiss()
            self._ends = None
        if self._seen is not None and not isinstance(error, KeyboardInterrupt):
            self._handlers[self._seen](self._seen, None)
        return False

    def hear(self, signals: bytes) -> None:
        """Note signals at once, from another thread."""
        for number in signals:
            if number in self._handlers:
                self._seen = number
                self._flag[0] = 1

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._seen = number
        self._flag[0] = 1
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        if now - self._first > PATIENCE:
            self._handlers[number](number, frame)


__all__ = ["Interruption"]
