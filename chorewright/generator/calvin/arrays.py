"""Archives of arrays, ``.npz``, whose sizes are known before anything of them is decompressed."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from chorewright.errors import InputError, Location, StorageError

_MOST_HEADER = 1000
"""Bytes before an array's numbers: NumPy writes 128."""

_LARGEST_NUMBER = 16

_MOST_MEMBERS = 100


def read_arrays(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[Any]]:
    """Return those arrays of an archive whose names are known; others are passed over.

    Args:
        path: The file.
        shapes: The known names, each with the shape that its array should have: larger ones are not read.

    Raises:
        StorageError: The file cannot be read.
        InputError: It is no such archive, or an array is larger than its shape.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > _MOST_MEMBERS or len({each.filename for each in members}) != len(members):
                raise _error(path, f"has {len(members)} arrays, or one of them twice")
            found = {}
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in shapes:
                    most = _LARGEST_NUMBER * int(np.prod(shapes[name], dtype=object)) + _MOST_HEADER
                    if member.file_size > most:
                        raise _error(path, f"has {name} of {member.file_size:,} bytes, which is too large")
                    with archive.open(member) as stream:
                        found[name] = _array(path, name, stream, most)
            return found
    except OSError as error:
        raise StorageError(f"cannot be read: {error.strerror or error}") from error
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        TypeError,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise _error(
            path, f"cannot be read: {str(error).splitlines()[0] if str(error) else 'it is cut off'}"
        ) from error


def _array(path: Path, name: str, stream: IO[bytes], most: int) -> NDArray[Any]:
    """Return an array, whose header is looked at before its numbers are."""
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise _error(path, f"has {name} of the unknown version {version}")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read_header(stream, max_header_size=_MOST_HEADER)
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if dtype.kind not in "biuf" or not 0 <= size <= most:
        raise _error(path, f"has {name} of the shape {shape} and type {dtype}")
    data = stream.read(size)
    if len(data) != size or stream.read(1):
        raise _error(path, f"has {name} cut off, or longer than its header says")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")


def _error(path: Path, message: str) -> InputError:
    return InputError(message, location=Location(str(path)))
