"""Notices: what goes to standard error and is neither an error nor a result, as notes and progress."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

QUIET = "CHOREWRIGHT_QUIET"
"""The environment variable that silences notices; worker processes inherit it."""


def quiet() -> bool:
    """Return whether notices are unwanted."""
    return os.environ.get(QUIET, "") not in ("", "0")


def tell(message: str) -> None:
    """Print a line on standard error unless notices are unwanted; a closed stream is no error."""
    if not quiet():
        with suppress(OSError, ValueError, AttributeError):
            coding = sys.stderr.encoding or "ascii"
            print(message.encode(coding, "backslashreplace").decode(coding), file=sys.stderr, flush=True)
