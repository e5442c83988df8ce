"""Stopping: Ctrl-C, SIGTERM (batch schedulers) and SIGHUP (a closed terminal), and limits of time and memory.

A program passes three stages. While it imports, nothing needs to be cleaned up: ``end_at_once``. While a verb
runs, a signal is an exception that unwinds it: ``stoppable``. When the verb is done, only Python's own end is
left: ``end_at_once`` again. This module imports little, so that the first stage begins early.

Python runs no signal handler before a compiled kernel returns. So while an ``Alarm`` runs, a thread hears of signals,
looks at limits, and sets the stop flag that kernels ask for; ``KeyboardInterrupt`` is raised when the alarm ends.
Inside ``promptly``, where Python works and asks for no flag, signals raise at once, and a limit raises ``Stopped``; but
never while a kernel makes its result, which would then lack a part.
"""

from __future__ import annotations

import _thread
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from types import FrameType
from typing import Literal, NoReturn

from chorewright.errors import causes
from chorewright.files.processes import leave_at_once, resident_megabytes

Handler = Callable[[int, FrameType | None], object]

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was asked to end by a signal other than Ctrl-C's.

    Whoever cleans up at Ctrl-C cleans up now, too.
    """

    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__(number)
        self.number = number


def exit_code(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a stopped program, as shells count: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + (stop.number if isinstance(stop, Terminated) else signal.SIGINT)


def stop_behind(error: BaseException) -> KeyboardInterrupt | None:
    """Return the stop that an error came from: some libraries, stopped in their import, raise one of their own."""
    return next((each for each in causes(error) if isinstance(each, KeyboardInterrupt)), None)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let signals end what is inside by an exception: ``KeyboardInterrupt``, or ``Terminated`` with its number.

    A signal that the program ignores (``nohup``) stays ignored, and a handler of the program's own is left alone.
    It does nothing outside the main thread, and inside of another ``stoppable``.

    Raises:
        Terminated: SIGTERM or SIGHUP came; also where a compiled kernel or a library has made another error of it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise Terminated(number)

    before: dict[int, Handler | int | None] = {}
    for number in (signal.SIGINT, *_ENDING):
        handler = signal.getsignal(number)
        if handler in (signal.SIG_DFL, _say_signal, _silent):
            before[number] = handler
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else end)
    try:
        yield
    except Terminated:
        raise
    except (KeyboardInterrupt, Exception) as error:
        if asked:
            raise Terminated(asked[0]) from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_at_once(silently: bool = False) -> None:
    """From now on let signals end this process at once, with its exit code and without a traceback.

    This is for the main program only, while there is nothing to clean up. What the program ignores stays ignored.

    Args:
        silently: Say nothing of it.
    """
    for number in (signal.SIGINT, *_ENDING):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, _say_signal, _silent):
            signal.signal(number, _silent if silently else _say_signal)


def _say_signal(number: int, frame: FrameType | None) -> None:
    leave_at_once("interrupted" if number == signal.SIGINT else "terminated", 128 + number)


def _silent(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


# Limits, and the thread that looks at them and hears of signals at once.


class Stopped(Exception):
    """A limit was met, or another thread has set the stop flag."""


class Limit(Enum):
    """The kind of limit at which a search stopped."""

    TIME = "time"
    CPU = "processor time"
    MEMORY = "memory"
    EVALUATIONS = "evaluations"


class _KernelCalls(threading.local):
    """How many kernels this thread is in, and what waits until it is in none."""

    depth = 0
    waiting: Callable[[], object] | None = None


KERNEL_CALLS = _KernelCalls()
"""Kept by each kernel that is called from Python."""

PATIENCE = 3.0
"""Seconds after Ctrl-C in which the flag is given time to end the search; later ones raise at once."""

GRACE = 0.6
"""Seconds after a signal or limit in which a program that gives up may end by itself."""

_BETWEEN = 0.05
"""Seconds between two looks at the processor time and the memory."""

_LIMIT: int = getattr(signal, "SIGALRM", 0)
"""The signal that this process feigns for itself when a limit is met; no other process sees it."""

_ACTIVE: list[Alarm] = []
"""Those of the main thread that hear of signals."""


class Alarm:
    """Sets a flag when a limit is met or a signal comes, whatever the search is doing; a context manager.

    Whoever has begun it may hand it to a search, which begins it once more. It hears of signals in the main thread,
    unless the program has a handler of its own for Ctrl-C, or others (an event loop) listen in the same way.

    Attributes:
        flag: One number; not zero when the search is to end.
        limit: The limit that was met; None if none was, or a signal came.
        listens: Whether it hears of signals.
    """

    def __init__(
        self,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        megabytes: int | None = None,
        give_up: Callable[[Limit | None, int | None], int] | None = None,
    ) -> None:
        """Set the limits.

        Args:
            seconds: Of the clock, from the beginning of the alarm on; None for no limit, as with the others.
            cpu_seconds: Of this process's processor time, from then on.
            megabytes: What the whole process may take.
            give_up: Ends the process where its code does not, as compiled code of others may: called with the limit
                or the signal's number to say what happened, it returns the exit code.
        """
        import numpy as np

        self.flag = np.zeros(1, np.int64)
        self.limit: Limit | None = None
        self.listens = False
        self._seconds, self._cpu_seconds, self._megabytes = seconds, cpu_seconds, megabytes
        self._give_up = give_up
        self._begun = self._prompt = 0
        self._came: int | None = None
        self._since: float | None = None  # the first signal or limit
        self._handlers: dict[int, Handler | int | None] = {}

    @property
    def running(self) -> bool:
        """Whether it has begun, so that a search must not wait for anything else."""
        return self._begun > 0

    def __enter__(self) -> Alarm:
        self._begun += 1
        if self._begun > 1:
            return self
        self._started, self._spent = time.monotonic(), time.process_time()
        ours = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT)
        watcher = _Watcher.of_process()
        if ours and handler in (signal.default_int_handler, signal.SIG_IGN) and watcher.listen():
            self.listens = True
            for number in filter(None, (signal.SIGINT, *_ENDING, _LIMIT)):
                handler = signal.getsignal(number)
                if handler == signal.SIG_DFL if number == _LIMIT else callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._note)
            _ACTIVE.append(self)
        watcher.add(self)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Literal[False]:
        self._begun -= 1
        if self._begun:
            return False
        self._prompt = 0
        # Of what was written until now, the handlers are called before the next line.
        for number, before in self._handlers.items():
            if signal.getsignal(number) == self._note:
                signal.signal(number, before)
        if self.listens:
            _ACTIVE.remove(self)
        _Watcher.of_process().remove(self, late=self._came is not None)
        self.listens = False
        if self._came is not None and not isinstance(error, KeyboardInterrupt):
            self._raise(self._came)
        return False

    def look(self, signals: bytes) -> float | None:
        """Look at limits and hear of signals, in any thread; return the seconds until the next look, if any."""
        if not self._begun:
            return None
        for number in signals:
            if number in self._handlers and number != _LIMIT:
                self._came = number
                self.flag[0] = 1
        now = time.monotonic()
        if self.limit is None and (limit := self._met(now)) is not None:
            self.limit = limit
            self.flag[0] = 1
            if _LIMIT in self._handlers:
                _thread.interrupt_main(signal.Signals(_LIMIT))
        if self._give_up is not None and (self.limit, self._came) != (None, None):
            self._since = now if self._since is None else self._since
            if now >= self._since + GRACE:
                self._leave(self._give_up)
            return self._since + GRACE - now
        if self.limit is not None:
            return None
        left = None if self._seconds is None else self._started + self._seconds - now
        polls = self._cpu_seconds is not None or self._megabytes is not None
        return left if not polls else _BETWEEN if left is None else min(left, _BETWEEN)

    def _met(self, now: float) -> Limit | None:
        """The limit that is met by now."""
        if self._seconds is not None and now - self._started >= self._seconds:
            return Limit.TIME
        if self._cpu_seconds is not None and time.process_time() - self._spent >= self._cpu_seconds:
            return Limit.CPU
        if self._megabytes is not None and resident_megabytes() >= self._megabytes:
            return Limit.MEMORY
        return None

    def _leave(self, give_up: Callable[[Limit | None, int | None], int]) -> NoReturn:
        code = 1
        with suppress(OSError, ValueError):
            code = give_up(self.limit, self._came)
            sys.stdout.flush()
        os._exit(code)

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        self.flag[0] = 1
        if number != _LIMIT:
            self._came = number
            if now - self._since > PATIENCE:
                self._raise(number)
        if self._prompt and KERNEL_CALLS.depth:
            KERNEL_CALLS.waiting = self._raise_what_came
        elif self._prompt:
            self._raise_what_came()

    def _raise_what_came(self) -> None:
        """Inside ``promptly``: raise what came before or while a kernel ran."""
        if self._prompt and self._came is not None:
            self._raise(self._came)
        if self._prompt and self.flag[0]:
            raise Stopped

    def _raise(self, number: int) -> None:
        handler = self._handlers[number]
        if callable(handler):
            handler(number, None)


@contextmanager
def promptly() -> Iterator[None]:
    """Inside, a limit and signals raise at once instead of waiting until the stop flag is asked for.

    It does nothing outside the main thread, nor where no ``Alarm`` hears of signals.

    Raises:
        Stopped: The limit was met.
        KeyboardInterrupt: A signal came; whatever the program's handler raises.
    """
    if not _ACTIVE or threading.current_thread() is not threading.main_thread():
        yield
        return
    alarm = _ACTIVE[-1]
    alarm._prompt += 1
    try:
        alarm._raise_what_came()
        yield
    finally:
        alarm._prompt = max(0, alarm._prompt - 1)


class _Watcher:
    """The thread that looks after the alarms of a process, and the socket to which Python writes signals at once.

    A process has one, and keeps it: starting a thread takes longer than many a search.
    """

    def __init__(self) -> None:
        self._alarms: tuple[Alarm, ...] = ()
        self._changing = threading.Lock()
        self._caught_up = threading.Event()
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        threading.Thread(target=self._watch, daemon=True).start()

    @staticmethod
    def of_process() -> _Watcher:
        """This process's own: a child has the parent's sockets, but not its thread."""
        return _WATCHERS.get(os.getpid()) or _WATCHERS.setdefault(os.getpid(), _Watcher())

    def listen(self) -> bool:
        """Let signals be written to the socket; not where others listen, nor in an interpreter beside the main one."""
        own, before = self._writer.fileno(), -2
        with suppress(ValueError):
            before = signal.set_wakeup_fd(own, warn_on_full_buffer=False)
        if before not in (-2, -1, own):
            signal.set_wakeup_fd(before)
        return before in (-1, own)

    def add(self, alarm: Alarm) -> None:
        """Look after an alarm from now on."""
        with self._changing:
            self._alarms = (*self._alarms, alarm)
        if alarm.look(b"") is not None:
            self._write(_LOOK)

    def remove(self, alarm: Alarm, late: bool) -> None:
        """Look after an alarm no more.

        Args:
            alarm: The alarm.
            late: Whether there may still be signals to read that those who come should not hear of.
        """
        with self._changing:
            self._alarms = tuple(each for each in self._alarms if each is not alarm)
        if not alarm.listens:
            return
        if late:
            self._caught_up.clear()
            self._write(_CATCH_UP)
            self._caught_up.wait(1.0)
        if not any(each.listens for each in self._alarms):
            signal.set_wakeup_fd(-1)

    def _write(self, number: int) -> None:
        with suppress(BlockingIOError):  # there is so much to read that the thread is about to look anyway
            self._writer.send(bytes((number,)))

    def _watch(self) -> None:
        heard = b""
        while True:
            due = [left for alarm in self._alarms if (left := alarm.look(heard)) is not None]
            if _CATCH_UP in heard:
                self._caught_up.set()
            self._reader.settimeout(max(1e-3, min((*due, 3600.0))))  # it cannot wait for as long as limits may be
            heard = b""
            with suppress(TimeoutError):
                heard = self._reader.recv(64)


_WATCHERS: dict[int, _Watcher] = {}
_LOOK, _CATCH_UP = 0, 255
"""What is written besides numbers of signals."""
