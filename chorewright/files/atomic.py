"""Files that are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from chorewright.errors import StorageError


def write_atomically(path: Path, data: bytes, temporary: Path) -> None:
    """Write a file under another name, flush it to the disk, and rename it.

    Args:
        path: The file.
        data: All of its bytes.
        temporary: The other name, on the same file system; it is gone afterwards.
    """
    with whole(path, temporary) as stream:
        stream.write(data)


@contextmanager
def whole(path: Path, temporary: Path) -> Iterator[BinaryIO]:
    """Yield a stream into a file of another name, which at the end is flushed to the disk and renamed.

    Args:
        path: The file.
        temporary: The other name, on the same file system; it is gone afterwards, also after an error.
    """
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def storage_error(error: OSError, path: Path) -> StorageError:
    """Return an operating system's refusal as an error of ours."""
    return StorageError(
        f"cannot write {path}: {error.strerror or error}",
        hint="what was finished is kept: once the cause is gone, the same command continues",
    )
