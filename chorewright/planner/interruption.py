"""Ctrl-C while a compiled kernel runs: the kernel's stop flag is set at once, and raised is at the end.

Python runs no signal handler before a kernel returns, but it writes the signal's number to a socket right
away; a thread that waits at the other end sets the flag. The handler itself must not raise: it may run just
when a kernel makes its result, which then lacks a part, and the process dies. So the flag ends the search,
and ``KeyboardInterrupt`` is raised when the search is left.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from types import FrameType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

PATIENCE = 3.0
"""Seconds after Ctrl-C in which the flag is given time to end the search; later ones raise at once."""


class Interruption:
    """Sets a flag at Ctrl-C, and raises ``KeyboardInterrupt`` at its end; a context manager.

    It does nothing where Ctrl-C does not raise ``KeyboardInterrupt`` here: outside the main thread, where the
    program has a handler of its own, or where others (an event loop) listen for signals.
    """

    def __init__(self, flag: NDArray[np.int64]) -> None:
        self._flag = flag
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._seen = False
        self._first: float | None = None

    def __enter__(self) -> Interruption:
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        ):
            return self
        reader, writer = socket.socketpair()
        writer.setblocking(False)
        try:
            before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        except ValueError:  # not the main interpreter
            before = -1
            reader.close()
            writer.close()
            return self
        if before != -1:
            signal.set_wakeup_fd(before)
            reader.close()
            writer.close()
            return self
        self._ends = reader, writer
        signal.signal(signal.SIGINT, self._note)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Literal[False]:
        if self._ends is not None:
            if signal.getsignal(signal.SIGINT) == self._note:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(-1)
            self._ends[1].close()  # the thread sees the end of the stream, and ends
            self._ends = None
        if self._seen and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        return False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._seen = True
        self._flag[0] = 1
        now = time.monotonic()
        self._first = now if self._first is None else self._first
        if now - self._first > PATIENCE:
            signal.default_int_handler(number, frame)

    def _watch(self, reader: socket.socket) -> None:
        with reader:
            while signals := reader.recv(64):
                if signal.SIGINT in signals:
                    self._seen = True
                    self._flag[0] = 1


__all__ = ["Interruption"]
