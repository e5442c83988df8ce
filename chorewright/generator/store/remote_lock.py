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

from chorewright.generator.store.holder import Holder, is_held, this_process
from chorewright.generator.store.places import RemotePath

RENEWED = 60.0
"""Seconds after which a holder writes its lock anew."""

LASTS = 600.0
"""Seconds for which a lock counts that is not written anew; clocks of machines may differ by minutes."""

_SHARED = ".shared-"
_OVER = ".over"


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a lock's file says."""

    holder: Holder
    token: str
    until: float

    def alive(self) -> bool:
        return self.until > time.time() and self.holder.alive()


@contextmanager
def locked(path: RemotePath) -> Iterator[Holder | None]:
    """Hold a lock while the context lasts, against all others; yield the dead holder it was taken over from, if any.

    Raises:
        StorageError: A living run holds it, or shares it.
    """
    token, stale = uuid4().hex, None
    while not path.create(_text(token)):
        found = _read(path)
        if found is None:
            continue  # given up just now
        if found.alive():
            raise is_held(path.parent.parent, [found.holder])
        stale = _take_over(path, found)
    with _kept(path, token):
        _refuse_sharers(path)
        yield stale


@contextmanager
def shared(path: RemotePath) -> Iterator[None]:
    """Hold a lock together with others that share it, against those that want it alone.

    Raises:
        StorageError: A living run holds it alone.
    """
    token = uuid4().hex
    own = path.parent / f"{path.name}{_SHARED}{token}"
    own.put(_text(token))  # before looking: of two that come at once, one at least sees the other
    with _kept(own, token):
        refuse_if_held(path)
        yield


def refuse_if_held(path: RemotePath) -> None:
    """Check that nobody holds a lock alone.

    Raises:
        StorageError: A living run does.
    """
    found = _read(path)
    if found is not None and found.alive():
        raise is_held(path.parent.parent, [found.holder])


def _take_over(path: RemotePath, dead: _Claim) -> Holder:
    """Remove a dead holder's lock; of several that try, one does.

    Raises:
        StorageError: Another run is about to.
    """
    mark = path.parent / f"{path.name}{_OVER}-{dead.token}"
    if not mark.create(_text(uuid4().hex)):
        other = _read(mark)
        if other is not None and other.alive():
            raise is_held(path.parent.parent, [other.holder])
    again = _read(path)
    if again is not None and again.token == dead.token:
        path.unlink(missing_ok=True)
    mark.unlink(missing_ok=True)
    return dead.holder


def _refuse_sharers(path: RemotePath) -> None:
    holders = []
    for each in path.parent.glob(f"{path.name}{_SHARED}*"):
        found = _read(each)
        if found is not None and found.alive():
            holders.append(found.holder)
        else:
            each.unlink(missing_ok=True)
    if holders:
        raise is_held(path.parent.parent, holders)


@contextmanager
def _kept(path: RemotePath, token: str) -> Iterator[None]:
    """Write a lock anew while the context lasts, and remove it at its end."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(RENEWED):
            with suppress(OSError):  # the store is not there for a moment; the lock lasts longer
                found = _read(path)
                if found is None or found.token != token:
                    return  # this process stood still for so long that another one took over
                path.put(_text(token))

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


def _text(token: str) -> bytes:
    return json.dumps({**this_process(), "token": token, "until": time.time() + LASTS}).encode()


def _read(path: RemotePath) -> _Claim | None:
    """Return what a lock says; None if it is not there. One that says nothing is a dead one."""
    try:
        value = json.loads(path.read_bytes())
        holder = Holder(int(value["pid"]), str(value["host"]), str(value["started"]))
        return _Claim(holder, str(value["token"]), float(value["until"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return _Claim(Holder(0, "a host that has not said its name", "at some time"), "torn", 0.0)
