"""Who holds a lock, and locks of datasets elsewhere: files that only one run can create.

A lock's text says who holds it, and until when it counts. Its holder writes it anew every minute, so that the lock of
a killed run ends by itself; on the same host it ends with its process. Shards do not depend on locks: runs of the same
configuration put the same bytes, whoever of them is first.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import uuid4

from chorewright.errors import StorageError
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


# Who holds a dataset's lock: a process on a host, as the lock's text says, and whether it still runs.
#
# A process's number is given again, to another process and in each container, and a process that has ended keeps it
# until its parent has noticed. So the text also says since which boot of the host the process runs, in which set of
# process numbers (a container has its own), and when it was started. Linux tells all this in ``/proc``. Elsewhere, as
# on macOS, the number alone decides: a process of that number that lives counts as the holder.

_ENDED = ("Z", "X", "x")
"""States of a process that has ended, and whose number is not free yet: proc(5)."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine, or a container on one, as a process sees it.

    Attributes:
        name: The host's name.
        boot: Since which boot it runs; empty where the system does not tell.
        numbers: The set of process numbers that is seen; empty where the system does not tell.
        processes: The folder that tells about processes.
    """

    name: str = field(default_factory=socket.gethostname)
    boot: str = field(default_factory=lambda: _line(Path("/proc/sys/kernel/random/boot_id")))
    numbers: str = field(default_factory=lambda: _link(Path("/proc/self/ns/pid")))
    processes: Path = Path("/proc")

    def state(self, pid: int) -> tuple[str, int] | None:
        """Return a process's state, a letter, and when it was started, in ticks since the boot.

        None where the system does not tell.
        """
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold blanks and parentheses.
            rest = (self.processes / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
            return rest[0].decode("ascii"), int(rest[19])
        return None


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock.

    Attributes:
        pid: Its number.
        host: The name of its host.
        started: When it took the lock.
        boot: As ``Host`` has it; empty where it is not known.
        numbers: As ``Host`` has it; empty where it is not known.
        born: When the process was started, in ticks since the boot; 0 where it is not known.
    """

    pid: int
    host: str
    started: str
    boot: str = ""
    numbers: str = ""
    born: int = 0

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, started {self.started}"

    def alive(self, here: Host | None = None) -> bool:
        """Whether the process may still run, as far as one on a host can know.

        One on another host may, and so may one whose number belongs to another container.

        Args:
            here: The host of the process that asks; by default this process's.
        """
        here = here or Host()
        if self.host != here.name:
            return True
        if self.boot and here.boot and self.boot != here.boot:
            return False
        if self.numbers and here.numbers and self.numbers != here.numbers:
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):  # it is somebody else's
            pass
        state = here.state(self.pid)
        return state is None or (state[0] not in _ENDED and self.born in (0, state[1]))


def this_process() -> dict[str, object]:
    """Return what a lock's text says of the process that takes it."""
    here, pid = Host(), os.getpid()
    started = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    state = here.state(pid)
    return asdict(Holder(pid, here.name, started, here.boot, here.numbers, state[1] if state else 0))


def read_holder(value: Mapping[str, object]) -> Holder:
    """Return the holder that a lock's text names.

    Raises:
        ValueError, KeyError, TypeError: It names none.
    """
    pid, born = value["pid"], value.get("born", 0)
    if not isinstance(pid, int) or not isinstance(born, int) or pid < 0:
        raise ValueError(f"{pid!r} is no process")
    boot, numbers = str(value.get("boot", "")), str(value.get("numbers", ""))
    return Holder(pid, str(value["host"]), str(value["started"]), boot, numbers, born)


def is_held(folder: object, holders: Iterable[Holder]) -> StorageError:
    """Return the error that others are writing to a dataset's folder."""
    who = "; ".join(map(str, holders)) or "a run that has not said who it is"
    return StorageError(
        f"another run is writing to {folder}: {who}",
        hint="wait for it or stop it; the same command then continues where it ended",
    )


def _line(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text("ascii").strip()
    return ""


def _link(path: Path) -> str:
    with suppress(OSError):
        return os.readlink(path)
    return ""
