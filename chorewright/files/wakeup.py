"""Hearing of signals at once, while the main thread is in compiled code and Python runs no handler.

Python writes a signal's number to a socket right away (``signal.set_wakeup_fd``); a thread waits at the other end.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from typing import Protocol


class Listener(Protocol):
    """Who wants to hear of signals."""

    def hear(self, signals: bytes) -> None:
        """Take notice of signals, in the waiting thread; the numbers of those that came together."""
        ...


class _Watcher:
    """The socket that signals are written to, and the thread that waits at its other end.

    A process has one, and keeps it: starting a thread takes longer than many a search.
    """

    def __init__(self) -> None:
        self.listeners: tuple[Listener, ...] = ()
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

    def _watch(self) -> None:
        reader = self.ends[0]
        with reader:
            while signals := reader.recv(64):
                for listener in self.listeners:
                    listener.hear(signals)


_WATCHERS: dict[int, _Watcher] = {}


def listen(listener: Listener) -> bool:
    """Let someone hear of signals from now on.

    Returns:
        Whether it does: not outside the main thread, nor where others (an event loop) listen in this way.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    watcher = _Watcher.of_process()
    number = watcher.ends[1].fileno()
    try:
        before = signal.set_wakeup_fd(number, warn_on_full_buffer=False)
    except ValueError:  # not the main interpreter
        return False
    if before not in (-1, number):
        signal.set_wakeup_fd(before)
        return False
    watcher.listeners = (*watcher.listeners, listener)
    return True


def leave(listener: Listener, late: bool = False) -> None:
    """Let someone hear of signals no more.

    Args:
        listener: Who has listened.
        late: Whether the thread may still have signals to read that those who stay, or come, should not hear of.
    """
    watcher = _Watcher.of_process()
    watcher.listeners = tuple(each for each in watcher.listeners if each is not listener)
    if late:
        _WATCHERS.clear()
        following = _Watcher.of_process()
        following.listeners = watcher.listeners
        signal.set_wakeup_fd(following.ends[1].fileno(), warn_on_full_buffer=False)
        watcher.ends[1].close()  # the thread sees the end of the stream
        watcher = following
    if not watcher.listeners:
        signal.set_wakeup_fd(-1)


__all__ = ["Listener", "leave", "listen"]
