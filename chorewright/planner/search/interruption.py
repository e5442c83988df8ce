"""Limits and signals while the planner works: a stop flag for compiled kernels, an exception elsewhere.

Python runs no signal handler before a kernel returns. So a thread hears of signals (``files.wakeup``) and sets the stop
flag, which ends the search; ``KeyboardInterrupt`` is raised when the search is left. SIGTERM is treated alike where the
program has a handler for it: that handler is called when the search is left.

Grounding and laying out a task is Python's work, and asks for no flag. Inside ``promptly`` signals raise at once, and a
limit raises ``Stopped``; but never while a kernel makes its result, which would then lack a part.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chorewright.files.processes import resident_megabytes
from chorewright.files.signals import leave, listen
from chorewright.jit.kernels import when_no_kernel_runs
from chorewright.planner.grounding.joins.derivation import Stopped
from chorewright.planner.plan import Limit, Limits

Handler = Callable[[int, FrameType | None], object]

PATIENCE = 3.0
"""Seconds after Ctrl-C in which the flag is given time to end the search; later ones raise at once."""

_LIMIT = getattr(signal, "SIGALRM", None)
"""The signal that this process feigns for itself when a limit is met; no other process sees it."""

_ACTIVE: list[Interruption] = []
"""Those of the main thread that have begun and not ended."""


class Interruption:
    """Sets a flag at Ctrl-C, and raises ``KeyboardInterrupt`` at its end; a context manager.

    It does nothing where Ctrl-C does not raise ``KeyboardInterrupt`` here: outside the main thread, where the
    program has a handler of its own, or where others (an event loop) listen for signals.

    Attributes:
        listens: Whether it has begun, and does something.
        prompt: How many times ``promptly`` was entered.
    """

    def __init__(self, flag: NDArray[np.int64]) -> None:
        self._flag = flag
        self.listens = False
        self._seen: int | None = None
        self._handlers: dict[int, Handler | signal.Handlers] = {}
        self._first: float | None = None
        self.prompt = 0

    def __enter__(self) -> Interruption:
        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
            or not listen(self)
        ):
            return self
        self.listens = True
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._note)
        if _LIMIT is not None and signal.getsignal(_LIMIT) == signal.SIG_DFL:
            self._handlers[_LIMIT] = signal.SIG_DFL
            signal.signal(_LIMIT, self._note)
        _ACTIVE.append(self)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Literal[False]:
        if self.listens:
            self.prompt = 0
            # Of what was written until now, the handlers are called before the next line.
            for number, handler in self._handlers.items():
                if signal.getsignal(number) == self._note:
                    signal.signal(number, handler)
            _ACTIVE.remove(self)
            leave(self, late=self._seen is not None)
            self.listens = False
        if self._seen is not None and not isinstance(error, KeyboardInterrupt):
            self._raise(self._seen)
        return False

    def hear(self, signals: bytes) -> None:
        """Note signals at once, from another thread."""
        for number in signals:
            if number in self._handlers and number != _LIMIT:
                self._seen = number
                self._flag[0] = 1

    def meet_limit(self) -> None:
        """Set the flag, from another thread; inside ``promptly``, ``Stopped`` is raised in the main thread."""
        self._flag[0] = 1
        if _LIMIT is not None and _LIMIT in self._handlers:
            _thread.interrupt_main(_LIMIT)

    def raise_what_came(self) -> None:
        """Inside ``promptly``: raise what came before or while a kernel ran.

        Raises:
            Stopped: A limit was met.
            KeyboardInterrupt: A signal came; whatever the program's handler raises.
        """
        if not self.prompt:
            return
        if self._seen is not None:
            self._raise(self._seen)
        if self._flag[0]:
            raise Stopped

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number != _LIMIT:
            self._seen = number
            now = time.monotonic()
            self._first = now if self._first is None else self._first
            if now - self._first > PATIENCE:
                self._raise(number)
        self._flag[0] = 1
        if self.prompt:
            when_no_kernel_runs(self.raise_what_came)

    def _raise(self, number: int) -> None:
        handler = self._handlers[number]
        if callable(handler):
            handler(number, None)


@contextmanager
def promptly() -> Iterator[None]:
    """Inside, a limit and signals raise at once instead of waiting until the stop flag is asked for.

    It does nothing outside the main thread, nor where no ``Interruption`` is at work.

    Raises:
        Stopped: The limit was met.
        KeyboardInterrupt: A signal came.
    """
    if not _ACTIVE or threading.current_thread() is not threading.main_thread():
        yield
        return
    active = _ACTIVE[-1]
    active.prompt += 1
    try:
        active.raise_what_came()
        yield
    finally:
        active.prompt = max(0, active.prompt - 1)


# The clock of a search: it sets the stop flag when a limit is met, whatever the search is doing.


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
