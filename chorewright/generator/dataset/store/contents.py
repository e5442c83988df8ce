"""What a file holds, mapped into memory for Arrow, whatever bytes its name is made of.

Arrow opens names of UTF-8 only. Python opens them all, so here it is Python that opens the file.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pyarrow as pa

from chorewright.generator.dataset.store.places import Place, RemotePath


def contents(place: Place) -> pa.Buffer:
    """Return a file's bytes: mapped from this machine's disk, or read from elsewhere.

    Raises:
        OSError: It cannot be read.
    """
    return pa.py_buffer(place.read_bytes()) if isinstance(place, RemotePath) else _mapped(place)


def _mapped(path: Path) -> pa.Buffer:
    with path.open("rb") as stream:
        if not os.fstat(stream.fileno()).st_size:
            return pa.py_buffer(b"")
        return pa.py_buffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
