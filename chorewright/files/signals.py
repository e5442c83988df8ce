"""Being asked to end: Ctrl-C, SIGTERM (batch schedulers) and SIGHUP (a closed terminal), alike for every verb.

A program passes three stages. While it imports, nothing needs to be cleaned up: ``end_at_once``. While a verb
runs, a signal is an exception that unwinds it: ``stoppable``. When the verb is done, only Python's own end is
left: ``end_at_once`` again. This module imports little, so that the first stage begins early.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, Protocol

Handler = Callable[[int, FrameType | None], object]

_JSON = """{{
  "status": "error",
  "errors": [{{"path": null, "line": null, "column": null, "message": "{message}", "hint": null}}],
  "exit_code": {code}
}}
"""

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


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, the one that it came from, and so on."""
    seen: set[int] = set()
    behind: BaseException | None = error
    while behind is not None and id(behind) not in seen:
        yield behind
        seen.add(id(behind))
        behind = behind.__cause__ or behind.__context__


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

    before: dict[int, signal.Handlers | Handler | int | None] = {}
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


def leave_at_once(message: str, code: int) -> NoReturn:
    """End this process with a word on standard error, with ``--json`` as JSON, too; no more is imported for it."""
    with suppress(OSError):
        os.write(2, f"{message}\n".encode())
        if "--json" in sys.argv:
            os.write(1, _JSON.format(message=message, code=code).encode())
    os._exit(code)


def _say_signal(number: int, frame: FrameType | None) -> None:
    leave_at_once("interrupted" if number == signal.SIGINT else "terminated", 128 + number)


def _silent(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


# Hearing of signals at once, while the main thread is in compiled code and Python runs no handler.
#
# Python writes a signal's number to a socket right away (``signal.set_wakeup_fd``); a thread waits at the other end.


class Listener(Protocol):
    """Who wants to hear of signals."""

    def hear(self, signals: bytes) -> None:
        """Take notice of signals, in the waiting thread; the numbers of those that came together."""
        ...


class _Watcher:
    """The socket that signals are written to, and the thread that waits at its other end.

    A process has one, and keeps it: starting a thread takes longer than many a search.
    """

    def __init__(self) -> None:
        self.listeners: tuple[Listener, ...] = ()
        self.ends = socket.socketpair()
        self.ends[1].setblocking(False)
        threading.Thread(target=self._watch, daemon=True).start()

    @staticmethod
    def of_process() -> _Watcher:
        """This process's own: a child has the parent's sockets, but not its thread."""
        found = _WATCHERS.get(os.getpid())
        if found is None:
            _WATCHERS.clear()
            found = _WATCHERS[os.getpid()] = _Watcher()
        return found

    def _watch(self) -> None:
        reader = self.ends[0]
        with reader:
            while signals := reader.recv(64):
                for listener in self.listeners:
                    listener.hear(signals)


_WATCHERS: dict[int, _Watcher] = {}


def listen(listener: Listener) -> bool:
    """Let someone hear of signals from now on.

    Returns:
        Whether it does: not outside the main thread, nor where others (an event loop) listen in this way.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    watcher = _Watcher.of_process()
    number = watcher.ends[1].fileno()
    try:
        before = signal.set_wakeup_fd(number, warn_on_full_buffer=False)
    except ValueError:  # not the main interpreter
        return False
    if before not in (-1, number):
        signal.set_wakeup_fd(before)
        return False
    watcher.listeners = (*watcher.listeners, listener)
    return True


def leave(listener: Listener, late: bool = False) -> None:
    """Let someone hear of signals no more.

    Args:
        listener: Who has listened.
        late: Whether the thread may still have signals to read that those who stay, or come, should not hear of.
    """
    watcher = _Watcher.of_process()
    watcher.listeners = tuple(each for each in watcher.listeners if each is not listener)
    if late:
        _WATCHERS.clear()
        following = _Watcher.of_process()
        following.listeners = watcher.listeners
        signal.set_wakeup_fd(following.ends[1].fileno(), warn_on_full_buffer=False)
        watcher.ends[1].close()  # the thread sees the end of the stream
        watcher = following
    if not watcher.listeners:
        signal.set_wakeup_fd(-1)


__all__ = ["Listener", "leave", "listen"]
