"""Who may write to a dataset's folder: one run at a time, or several over disjoint slices of its shards.

The operating system's advisory lock decides, so a killed run holds nothing; the file's text (process, host,
start) tells a second run who is at work. Where a file system has no such locks the text decides alone. Datasets
elsewhere have ``remote_lock``.

filelock is not used: its locks do not say who holds them, and those that several may share are SQLite's, which needs a
database beside the data and is not to be trusted on NFS.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chorewright.errors import StorageError
from chorewright.generator.dataset.store import remote_lock
from chorewright.generator.dataset.store.places import Place, RemotePath
from chorewright.generator.dataset.store.remote_lock import Holder, is_held, read_holder, this_process

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # None: no such module here


@contextmanager
def lock(path: Place) -> Iterator[Holder | None]:
    """Hold a lock file while the context lasts; yield the dead holder it was taken over from, if any.

    Raises:
        StorageError: a living run holds it.
    """
    if isinstance(path, RemotePath):
        with remote_lock.lock(path) as dead:
            yield dead
        return
    descriptor = _acquire(path, exclusive=True)
    stale = _read(descriptor)
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(this_process()).encode())
        yield stale
    finally:
        path.unlink(missing_ok=True)  # while still locked: nobody else can hold this file
        os.close(descriptor)


@contextmanager
def share(path: Place) -> Iterator[None]:
    """Hold a lock file together with others that share it, against those that want it alone.

    Raises:
        StorageError: a living run holds it alone.
    """
    if isinstance(path, RemotePath):
        with remote_lock.share(path):
            yield
        return
    descriptor = _acquire(path, exclusive=False)
    try:
        yield
    finally:
        os.close(descriptor)


def refuse_if_held(path: Place) -> None:
    """Check that nobody holds a lock file.

    Raises:
        StorageError: a living run holds it.
    """
    if isinstance(path, RemotePath):
        remote_lock.refuse_if_held(path)
    elif path.exists():
        os.close(_acquire(path, exclusive=True))


def _acquire(path: Path, exclusive: bool) -> int:
    """Return the descriptor of the locked file: the file that has the name now, not one unlinked
    meanwhile."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if not _try_lock(descriptor, exclusive):
                raise _error_of_holder(path, _read(descriptor))
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
        return read_holder(json.loads(os.read(descriptor, 4096)))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _error_of_holder(path: Path, holder: Holder | None) -> StorageError:
    others = [holder] if holder else [other for other in map(_read_path, sorted(path.parent.glob("lock*"))) if other]
    return is_held(path.parent.parent, others)


def _read_path(path: Path) -> Holder | None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return _read(descriptor)
    finally:
        os.close(descriptor)
