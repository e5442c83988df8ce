"""A stopwatch for the stages of a work: each second counts for the innermost stage, and costs a microsecond.

Code marks its stages with ``Timed``, as a context or a decorator. Without a stopwatch that runs (``measure``), a mark
does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar
from time import perf_counter
from types import TracebackType


class Stopwatch:
    """The seconds of each stage so far."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds of the stages that were entered, by name."""
        return self._seconds

    def enter(self, stage: str) -> None:
        """Begin a stage; the one around it rests."""
        self._book()
        self._stages.append(stage)

    def leave(self) -> None:
        """End the innermost stage."""
        self._book()
        self._stages.pop()

    def _book(self) -> None:
        now = perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self._seconds[stage] = self._seconds.get(stage, 0.0) + now - self._since
        self._since = now


_RUNNING: ContextVar[Stopwatch | None] = ContextVar("chorewright.stopwatch", default=None)


@contextmanager
def measure() -> Iterator[Stopwatch]:
    """Yield a stopwatch that runs while the context lasts."""
    stopwatch = Stopwatch()
    token = _RUNNING.set(stopwatch)
    try:
        yield stopwatch
    finally:
        _RUNNING.reset(token)


class Timed(ContextDecorator):
    """Marks a stage: ``with Timed("plan"):``, or ``@Timed("plan")`` above a function."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __enter__(self) -> None:
        stopwatch = _RUNNING.get()
        if stopwatch is not None:
            stopwatch.enter(self._stage)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stopwatch = _RUNNING.get()
        if stopwatch is not None:
            stopwatch.leave()
