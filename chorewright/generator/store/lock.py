"""Who may write to a dataset's folder: one run at a time, or several over disjoint slices of its shards.

The operating system's advisory lock decides, so a killed run holds nothing; the file's text (process, host,
start) tells a second run who is at work. Where a file system has no such locks the text decides alone.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import StorageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # None: no such module here


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock."""

    pid: int
    host: str
    started: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, started {self.started}"

    def alive(self) -> bool:
        """Whether the process may still run; one on another host may, as far as this one can know."""
        if self.host != socket.gethostname():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return True


@contextmanager
def locked(path: Path) -> Iterator[Holder | None]:
    """Hold a lock file while the context lasts; yield the dead holder it was taken over from, if any.

    Raises:
        StorageError: a living run holds it.
    """
    descriptor = _acquire(path, exclusive=True)
    stale = _read(descriptor)
    me = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
    }
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(me).encode())
        yield stale
    finally:
        path.unlink(missing_ok=True)  # while still locked: nobody else can hold this file
        os.close(descriptor)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Hold a lock file together with others that share it, against those that want it alone.

    Raises:
        StorageError: a living run holds it alone.
    """
    descriptor = _acquire(path, exclusive=False)
    try:
        yield
    finally:
        os.close(descriptor)


def refuse_if_held(path: Path) -> None:
    """Check that nobody holds a lock file.

    Raises:
        StorageError: a living run holds it.
    """
    if path.exists():
        os.close(_acquire(path, exclusive=True))


def _acquire(path: Path, exclusive: bool) -> int:
    """Return the descriptor of the locked file: the file that has the name now, not one unlinked
    meanwhile."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if not _try_lock(descriptor, exclusive):
                raise _held(path, _read(descriptor))
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _try_lock(descriptor: int, exclusive: bool) -> bool:
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
        else:
            return True
    holder = _read(descriptor)
    return holder is None or holder.pid == os.getpid() or not holder.alive()


def _read(descriptor: int) -> Holder | None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        value = json.loads(os.read(descriptor, 4096))
        return Holder(int(value["pid"]), str(value["host"]), str(value["started"]))
    except (ValueError, KeyError, TypeError):
        return None


def _held(path: Path, holder: Holder | None) -> StorageError:
    others = [holder] if holder else [other for other in map(_read_path, sorted(path.parent.glob("lock*"))) if other]
    who = "; ".join(str(other) for other in others) or "a run that has not said who it is"
    return StorageError(
        f"another run is writing to {path.parent.parent}: {who}",
        hint="wait for it or stop it; the same command then continues where it ended",
    )


def _read_path(path: Path) -> Holder | None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return _read(descriptor)
    finally:
        os.close(descriptor)
