"""Files that are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, data: bytes, temporary: Path) -> None:
    """Write a file under another name, flush it to the disk, and rename it.

    Args:
        path: The file.
        data: All of its bytes.
        temporary: The other name, on the same file system; it is gone afterwards.
    """
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
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
