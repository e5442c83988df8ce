"""The process as the machine sees it: how long it runs, what memory it takes, and being asked to end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from chorewright import STARTED
from chorewright.errors import ExitCode

_MEGABYTE = 1_000_000


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM, as batch schedulers do."""

    exit_code = ExitCode.TERMINATED


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end what is inside as Ctrl-C does, but as ``Terminated``.

    It does nothing outside the main thread or where the program has a handler of its own.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise Terminated

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt as stop:
        if asked and not isinstance(stop, Terminated):  # a kernel was stopped, and says so in its own way
            raise Terminated from None
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def age() -> float:
    """Seconds since the process was started as this program, as far as its import tells."""
    return time.monotonic() - STARTED


def megabytes() -> int:
    """The memory that the process takes now; where the system does not tell, the most that it has taken."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) // _MEGABYTE
