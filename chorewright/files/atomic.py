"""Files that are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from chorewright.errors import StorageError

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
"""A new file, never one that is there: neither a link nor another name of somebody's file is written through."""

_LONGEST = 200
"""How many bytes of a long name a temporary one holds: file systems allow 255."""

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp", re.DOTALL)


def write_atomically(
    path: Path, data: bytes, temporary: Path | None = None, *, flush: bool = True, keep_mode: bool = False
) -> None:
    """Write a file under another name, and rename it; arguments and errors as for ``whole``."""
    with whole(path, temporary, flush=flush, keep_mode=keep_mode) as stream:
        stream.write(data)


@contextmanager
def whole(
    path: Path, temporary: Path | None = None, *, flush: bool = True, keep_mode: bool = False
) -> Iterator[BinaryIO]:
    """Yield a stream into a file of another name, which is renamed at the end of the block.

    Args:
        path: The file. If it is a link, the link is replaced.
        temporary: The other name, on the same file system, and nobody's yet; by default beside the file, hidden, with
            random digits. It is gone afterwards, also after an error.
        flush: Whether the file is on the disk when the block has ended, so that a power cut cannot take it away.
        keep_mode: Whether the permissions of a file that is replaced are kept.

    Raises:
        OSError: The file cannot be written; what it was before is left.
    """
    if temporary is None:
        temporary = path.with_name(f".{os.fsdecode(os.fsencode(path.name)[:_LONGEST])}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, _FLAGS, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if keep_mode:
                with suppress(OSError):
                    temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            if flush:
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if flush and hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def is_leftover(path: Path) -> bool:
    """Return whether a file has the name that one has by default until it is whole: a killed writer leaves it."""
    return _TEMPORARY.fullmatch(path.name) is not None


def clear_leftovers(folder: Path) -> None:
    """Remove what killed writers left in a folder and below it; nobody else may be writing there."""
    for path in folder.rglob(".*.tmp"):
        if is_leftover(path):
            with suppress(OSError):  # it stays then; nothing reads it
                path.unlink()


def storage_error(error: OSError, path: object) -> StorageError:
    """Return an operating system's refusal as an error of ours."""
    return StorageError(
        f"cannot write {path}: {error.strerror or error}",
        hint="what was finished is kept: once the cause is gone, the same command continues",
    )
