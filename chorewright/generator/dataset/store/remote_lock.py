"""Locks of datasets elsewhere: files that only one run can create, since the store refuses the second one.

A lock's text says who holds it, and until when it counts. Its holder writes it anew every minute, so that the lock of
a killed run ends by itself; on the same host it ends with its process. Shards do not depend on locks: runs of the same
configuration put the same bytes, whoever of them is first.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from uuid import uuid4

from chorewright.generator.dataset.store.holder import Holder, is_held, read_holder, this_process
from chorewright.generator.dataset.store.places import RemotePath

RENEWED = 60.0
"""Seconds after which a holder writes its lock anew."""

LASTS = 600.0
"""Seconds for which a lock counts that is not written anew; clocks of machines may differ by minutes."""

_SHARED = ".shared-"
_OVER = ".over"


class Clock:
    """The time, and waiting until a lock is due to be written anew; tests have one of their own."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def wait(self, over: threading.Event) -> bool:
        """Wait until the lock is due, or given up; return whether it is given up."""
        return over.wait(RENEWED)


_CLOCK = Clock()


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a lock's file says."""

    holder: Holder
    token: str
    until: float

    def alive(self, clock: Clock) -> bool:
        return self.until > clock.now() and self.holder.alive()


@contextmanager
def lock(path: RemotePath, clock: Clock = _CLOCK) -> Iterator[Holder | None]:
    """Hold a lock while the context lasts, against all others; yield the dead holder it was taken over from, if any.

    Raises:
        StorageError: A living run holds it, or shares it.
    """
    token, stale = uuid4().hex, None
    while not path.create(_text(token, clock)):
        found = _read(path)
        if found is None:
            continue  # given up just now
        if found.alive(clock):
            raise is_held(path.parent.parent, [found.holder])
        stale = _take_over(path, found, clock)
    with _kept(path, token, clock):
        _refuse_sharers(path, clock)
        yield stale


@contextmanager
def share(path: RemotePath, clock: Clock = _CLOCK) -> Iterator[None]:
    """Hold a lock together with others that share it, against those that want it alone.

    Raises:
        StorageError: A living run holds it alone.
    """
    token = uuid4().hex
    own = path.parent / f"{path.name}{_SHARED}{token}"
    own.put(_text(token, clock))  # before looking: of two that come at once, one at least sees the other
    with _kept(own, token, clock):
        refuse_if_held(path, clock)
        yield


def refuse_if_held(path: RemotePath, clock: Clock = _CLOCK) -> None:
    """Check that nobody holds a lock alone.

    Raises:
        StorageError: A living run does.
    """
    found = _read(path)
    if found is not None and found.alive(clock):
        raise is_held(path.parent.parent, [found.holder])


def _take_over(path: RemotePath, dead: _Claim, clock: Clock) -> Holder:
    """Remove a dead holder's lock; of several that try, one does.

    Raises:
        StorageError: Another run is about to.
    """
    mark = path.parent / f"{path.name}{_OVER}-{dead.token}"
    if not mark.create(_text(uuid4().hex, clock)):
        other = _read(mark)
        if other is not None and other.alive(clock):
            raise is_held(path.parent.parent, [other.holder])
    again = _read(path)
    if again is not None and again.token == dead.token:
        path.unlink(missing_ok=True)
    mark.unlink(missing_ok=True)
    return dead.holder


def _refuse_sharers(path: RemotePath, clock: Clock) -> None:
    holders = []
    for each in path.parent.glob(f"{path.name}{_SHARED}*"):
        found = _read(each)
        if found is not None and found.alive(clock):
            holders.append(found.holder)
        else:
            each.unlink(missing_ok=True)
    if holders:
        raise is_held(path.parent.parent, holders)


@contextmanager
def _kept(path: RemotePath, token: str, clock: Clock) -> Iterator[None]:
    """Write a lock anew while the context lasts, and remove it at its end."""
    over = threading.Event()

    def renew() -> None:
        while not clock.wait(over):
            with suppress(OSError):  # the store is not there for a moment; the lock lasts longer
                found = _read(path)
                if found is None or found.token != token:
                    return  # this process stood still for so long that another one took over
                path.put(_text(token, clock))

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        with suppress(OSError):  # else it ends by itself
            found = _read(path)
            if found is not None and found.token == token:
                path.unlink(missing_ok=True)


def _text(token: str, clock: Clock = _CLOCK) -> bytes:
    return json.dumps({**this_process(), "token": token, "until": clock.now() + LASTS}).encode()


def _read(path: RemotePath) -> _Claim | None:
    """Return what a lock says; None if it is not there. One that says nothing is a dead one."""
    try:
        value = json.loads(path.read_bytes())
        return _Claim(read_holder(value), str(value["token"]), float(value["until"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return _Claim(Holder(0, "a host that has not said its name", "at some time"), "torn", 0.0)
