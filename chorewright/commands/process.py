"""The process as the machine sees it: how long it runs."""

from __future__ import annotations

import time

from chorewright import STARTED


def age() -> float:
    """Seconds since the process was started as this program, as far as its import tells."""
    return time.monotonic() - STARTED
