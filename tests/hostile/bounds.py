"""A reader on a nasty file: what came out, and what it took."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import ChorewrightError


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader did: the error if it was not one of ours, CPU seconds, MB by which the process's peak grew."""

    wrong: str
    seconds: float
    grew: float


def read_bounded(read: Callable[[Path], object], path: Path) -> Reading:
    """Read a file; an error of ours is a good answer, and so is none."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    wrong = ""
    try:
        read(path)
    except ChorewrightError as error:
        if len(str(error)) > MOST_SAID:
            wrong = f"a message of {len(str(error)):,} characters"
    except Exception as error:  # what must not come out
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        place = "" if at is None else f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}"
        wrong = f"{type(error).__name__}: {str(error)[:100]} at {place}"
    grew = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return Reading(wrong, time.process_time() - start, grew)


MOST_SAID = 5_000
"""Characters of a message; a sentence for a person has some hundred."""
