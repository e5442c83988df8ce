"""The process as the machine sees it: how long it runs, and what memory it takes."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from chorewright import STARTED

_MEGABYTE = 1_000_000


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
