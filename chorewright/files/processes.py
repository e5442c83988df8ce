"""Fresh worker processes, which leave Ctrl-C to the process that waits and end with it.

A terminal sends Ctrl-C to all processes of a command, also to those that are still importing.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.resource_tracker import ensure_running

from chorewright.files.memory import collect_rarely


class _Process(SpawnProcess):
    """A fresh process that does not see Ctrl-C while it imports."""

    def start(self) -> None:
        ensure_running()  # the first process would start it, and it lets signals in again
        blocks = hasattr(signal, "pthread_sigmask")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
        try:
            super().start()
        finally:
            if blocks:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _FreshProcesses(SpawnContext):
    Process = _Process


def fresh_processes() -> SpawnContext:
    """Return a context of processes that start afresh (``spawn``); each calls ``begin_as_worker`` first."""
    return _FreshProcesses()


def begin_as_worker() -> None:
    """In a worker process: leave Ctrl-C to the process that waits, and end with it."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
