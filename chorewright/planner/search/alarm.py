"""The clock of a search: it sets the stop flag when a limit is met, whatever the search is doing."""

from __future__ import annotations

import threading
import time

import numpy as np

from chorewright.files.processes import resident_megabytes
from chorewright.planner.plan import Limit, Limits
from chorewright.planner.search.interruption import Interruption

_BETWEEN = 0.05
"""Seconds between two looks at the processor time and the memory."""


class Alarm:
    """Sets a flag when a limit is met, or at Ctrl-C, from a thread of its own; a context manager.

    Whoever has begun it may hand it to a search, which begins it once more.

    Attributes:
        flag: One number; not zero when the search is to end.
        limit: The limit that was met; None if none was, or a signal came.
    """

    def __init__(self, seconds: float | None, cpu_seconds: float | None = None, megabytes: int | None = None) -> None:
        """Set the limits.

        Args:
            seconds: Of the clock, from the beginning of the alarm on; None for no limit, as with the others.
            cpu_seconds: Of this process's processor time, from then on.
            megabytes: What the whole process may take.
        """
        self.flag = np.zeros(1, np.int64)
        self.limit: Limit | None = None
        self._seconds = seconds
        self._cpu_seconds = cpu_seconds
        self._megabytes = megabytes
        self._ended = threading.Event()
        self._begun = 0
        self._interruption = Interruption(self.flag)

    @classmethod
    def of(cls, limits: Limits) -> Alarm:
        """Return the alarm for a search's limits; the memory is what comes on top of what the process takes now."""
        megabytes = None if limits.megabytes is None else limits.megabytes + resident_megabytes()
        return cls(limits.seconds, limits.cpu_seconds, megabytes)

    @property
    def running(self) -> bool:
        """Whether it has begun, so that a search must not wait for anything else."""
        return self._begun > 0

    def __enter__(self) -> Alarm:
        self._begun += 1
        if self._begun == 1:
            self._interruption.__enter__()
            if (self._seconds, self._cpu_seconds, self._megabytes) != (None, None, None):
                threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._begun -= 1
        if self._begun == 0:
            self._ended.set()
            self._interruption.__exit__(kind, error, trace)

    def _watch(self) -> None:
        started, spent = time.monotonic(), time.process_time()
        polls = self._cpu_seconds is not None or self._megabytes is not None
        while True:
            left = None if self._seconds is None else max(0.0, self._seconds - (time.monotonic() - started))
            if self._ended.wait(left if not polls else _BETWEEN if left is None else min(left, _BETWEEN)):
                return
            self.limit = self._met(time.monotonic() - started, time.process_time() - spent)
            if self.limit is not None:
                self._interruption.meet_limit()
                return

    def _met(self, seconds: float, cpu_seconds: float) -> Limit | None:
        """The limit that is met after so many seconds."""
        if self._seconds is not None and seconds >= self._seconds:
            return Limit.TIME
        if self._cpu_seconds is not None and cpu_seconds >= self._cpu_seconds:
            return Limit.CPU
        if self._megabytes is not None and resident_megabytes() >= self._megabytes:
            return Limit.MEMORY
        return None


__all__ = ["Alarm"]
