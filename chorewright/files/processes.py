"""This process's memory; and fresh worker processes, which leave Ctrl-C to the process that waits and end with it.

A terminal sends Ctrl-C to all processes of a command, also to those that are still importing.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path

_MEGABYTE = 1_000_000


def resident_megabytes() -> int:
    """The memory that this process takes now; where the system does not tell, the most that it has taken."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) // _MEGABYTE


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
    """Return a context of processes that start afresh (``spawn``); each calls ``leave_to_parent`` first."""
    return _FreshProcesses()


def leave_to_parent() -> None:
    """In a worker process: leave Ctrl-C to the process that waits, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
