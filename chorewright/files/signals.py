"""Being asked to end: Ctrl-C, SIGTERM (batch schedulers) and SIGHUP (a closed terminal), alike for every verb.

A program passes three stages. While it imports, nothing needs to be cleaned up: ``end_at_once``. While a verb
runs, a signal is an exception that unwinds it: ``stoppable``. When the verb is done, only Python's own end is
left: ``end_at_once`` again. This module imports little, so that the first stage begins early.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

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
        if handler in (signal.SIG_DFL, _said, _silent):
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
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, _said, _silent):
            signal.signal(number, _silent if silently else _said)


def leave_at_once(message: str, code: int) -> NoReturn:
    """End this process with a word on standard error, with ``--json`` as JSON, too; no more is imported for it."""
    with suppress(OSError):
        os.write(2, f"{message}\n".encode())
        if "--json" in sys.argv:
            os.write(1, _JSON.format(message=message, code=code).encode())
    os._exit(code)


def _said(number: int, frame: FrameType | None) -> None:
    leave_at_once("interrupted" if number == signal.SIGINT else "terminated", 128 + number)


def _silent(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)
