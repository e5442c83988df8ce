"""This process's memory: how much it takes, and how often it is looked through for garbage."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
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


def collect_rarely() -> None:
    """Look through all values for garbage less often: most of them stay, and few are in cycles."""
    gc.set_threshold(100_000, 20, 50)
