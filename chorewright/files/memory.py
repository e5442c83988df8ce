"""This process's memory: how much it takes, whether it ran out, and how often it is looked through for garbage."""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

from chorewright.files.signals import causes

_MEGABYTE = 1_000_000

EXHAUSTED = 22
"""The exit code, which ``errors.ExitCode`` has too; where memory runs out early, that module cannot be imported."""

_SIGNS = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""What dynamic linkers and Python say, in errors of other kinds, where there is no memory for a library or a stack."""


def resident_megabytes() -> int:
    """The memory that this process takes now; where the system does not tell, the most that it has taken."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) // _MEGABYTE


def is_exhausted(error: BaseException) -> bool:
    """Return whether an error comes from memory that ran out, also while a library was loaded."""
    return any(
        isinstance(each, MemoryError)
        or (isinstance(each, OSError) and each.errno == errno.ENOMEM)
        or any(sign in str(each).lower() for sign in _SIGNS)
        for each in causes(error)
    )


def collect_rarely() -> None:
    """Look through all values for garbage less often: most of them stay, and few are in cycles."""
    gc.set_threshold(100_000, 20, 50)
