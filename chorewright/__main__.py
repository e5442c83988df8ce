"""``python -m chorewright`` is the command line; so is the console script ``chorewright``."""

from __future__ import annotations

import os
import sys

from chorewright.files.processes import EXHAUSTED, is_exhausted, leave_at_once
from chorewright.files.stopping import end_at_once


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM end it in any moment without a traceback."""
    end_at_once()
    try:
        _run()
    except SystemExit as ended:
        end_at_once(silently=True)
        _leave(ended.code)
        raise
    finally:
        end_at_once(silently=True)
        # CPython notes a Ctrl-C that reached an exec() (of a dataclass, say) and would end by SIGINT instead of with
        # our exit code; the next exec() forgets it.
        exec("pass")


def _run() -> None:
    try:
        from chorewright.cli import main as run  # takes a while
    except (MemoryError, ImportError, OSError, SystemError) as error:
        if is_exhausted(error):
            leave_at_once("out of memory", EXHAUSTED)
        raise
    run()


def _leave(code: object) -> None:
    """End the process as Python would, but take no object apart: that may take seconds, without heed to signals."""
    import atexit
    import threading

    alone = all(thread.daemon or thread is threading.main_thread() for thread in threading.enumerate())
    if not alone or not isinstance(code, int | None):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return  # Python says what is wrong
    os._exit(code or 0)


if __name__ == "__main__":
    main()
