"""CALVIN's ``.npy`` files with a pickle inside: written for the code that reads them, read without trust.

NumPy stores a dictionary as an array of one object, pickled. A pickle may name any function to be called, so
ours are read by an unpickler that knows four names, each replaced by a function of this module: nothing of
the file's is ever run. Written ones name NumPy's modules as its first version did, so that CALVIN's own
environment, with its old NumPy, can read them.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from chorewright.errors import InputError, Location, first_line

Plain: TypeAlias = (
    "bool | int | float | str | list[Plain] | tuple[Plain, ...] | dict[Plain, Plain] | NDArray[Any] | None"
)
"""What such a file may hold."""

DEEPEST = 60
"""How deep lists in lists may go."""

LARGEST = 1 << 28
"""Bytes of a file, and so of the arrays in it: about 100,000 sentences of CALVIN's with their embeddings."""

MOST_PARTS = 2_000_000
"""Instructions of a pickle: a sentence takes four, an array ten."""

_HINT = "only arrays of numbers or texts, dictionaries, lists, numbers and texts are read"


def read_pickled(path: Path) -> Plain:
    """Return what a ``.npy`` file holds: a plain array, or the value that was pickled in it.

    Raises:
        InputError: The file cannot be read, is no ``.npy`` file, or holds anything but plain data.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"is larger than {LARGEST >> 20} MB", location=Location(str(path)))
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", location=Location(str(path))) from error
    try:
        return _read(data)
    except InputError as error:
        raise InputError(error.message, location=Location(str(path)), hint=error.hint) from error
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, OverflowError) as error:
        raise InputError(f"is no .npy file of CALVIN's: {first_line(error)}", location=Location(str(path))) from error
    except (pickle.UnpicklingError, tokenize.TokenError, SyntaxError, MemoryError, RecursionError) as error:
        said = str(error) or type(error).__name__
        raise InputError(f"holds a damaged pickle: {said}", location=Location(str(path))) from error


def pickled(value: object) -> bytes:
    """Return the bytes of a ``.npy`` file as ``numpy.save`` writes for a dictionary; the same each time."""
    whole = np.empty((), dtype=object)
    whole[()] = value
    sink = io.BytesIO()
    header = {"descr": "|O", "fortran_order": False, "shape": ()}
    npy.write_array_header_1_0(sink, header)
    return sink.getvalue() + _old_names(pickle.dumps(whole, 3))


def _old_names(data: bytes) -> bytes:
    """Return a pickle that calls NumPy's modules by the names that they have in all its versions."""
    parts, start = [], 0
    for code, argument, place in pickletools.genops(data):
        if code.name == "GLOBAL" and str(argument).startswith("numpy._core."):
            assert place is not None
            parts.append(data[start:place])
            start = place + len("cnumpy._core.")
            parts.append(b"cnumpy.core.")
    return b"".join((*parts, data[start:]))


def _read(data: bytes) -> Plain:
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise InputError(f"is a .npy file of the unknown version {version}")
    reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = reader(stream)
    if not dtype.hasobject:
        if fortran or dtype.kind not in "biufSU":
            raise InputError(f"holds an array of {dtype}", hint=_HINT)
        count = int(np.prod(shape, dtype=object))
        if stream.getbuffer().nbytes - stream.tell() != count * dtype.itemsize:
            raise InputError("is cut off, or holds more than its header says")
        array: NDArray[Any] = np.frombuffer(data, dtype, count, stream.tell()).reshape(shape).copy()
        return array
    start = stream.tell()
    if next(islice(pickletools.genops(stream), MOST_PARTS, None), None) is not None:
        raise InputError(f"has more than {MOST_PARTS:,} parts")
    stream.seek(start)
    value = _plain(_Unpickler(stream).load(), 0, {})
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype == object:
        inner: Plain = value[()]
        return inner
    return value


class _Unpickler(pickle.Unpickler):
    """Knows the names that arrays need, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        known = module.replace("numpy._core.", "numpy.core."), name
        if known not in _KNOWN:
            raise InputError(f"asks for {module}.{name}, which is not read", hint=_HINT)
        return _Named(known)

    def persistent_load(self, pid: Any) -> Any:
        raise InputError("refers to something outside of it", hint=_HINT)


class _Named:
    """One of the known names; it can be called, but nothing in a pickle can change it."""

    __slots__ = ("_name",)

    def __init__(self, name: tuple[str, str]) -> None:
        self._name = name

    def __call__(self, *arguments: object) -> object:
        return _KNOWN[self._name](*arguments)

    def __setstate__(self, state: object) -> None:
        raise InputError(f"tries to change {'.'.join(self._name)}", hint=_HINT)


class _Dtype:
    """What a pickle says of an array's type."""

    def __init__(self, code: str = "", *_: object) -> None:
        kind = code.lstrip("<>=|")
        if not isinstance(code, str) or kind[:1] not in ("b", "i", "u", "f", "S", "U", "O"):
            raise InputError(f"holds an array of {str(code)[:40]!r}", hint=_HINT)
        self.dtype = np.dtype(kind)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        order = state[1]
        if order not in ("<", ">", "=", "|") or any(part is not None for part in state[2:5]):
            raise InputError("holds an array of structures", hint=_HINT)
        if order in "<>":
            self.dtype = self.dtype.newbyteorder(order)


class _Array:
    """What a pickle says of an array; made one by ``_plain`` once all of it is known."""

    def __init__(self) -> None:
        self.state: tuple[Any, ...] = ()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.state = state


def _array_of(kind: object, shape: object, code: object) -> _Array:
    return _Array()


def _ndarray(*_: object) -> None:
    raise InputError("makes an array otherwise than NumPy does", hint=_HINT)


def _scalar(dtype: _Dtype, data: bytes) -> Plain:
    if dtype.dtype.hasobject or not isinstance(data, bytes) or len(data) != dtype.dtype.itemsize:
        raise InputError("holds a damaged number", hint=_HINT)
    value: Plain = np.frombuffer(data, dtype.dtype, 1)[0].item()
    return value


def _bytes(text: str = "", encoding: str = "latin1") -> bytes:
    """Bytes as pickles of the second protocol write them; without a text none."""
    if encoding != "latin1":
        raise InputError(f"holds bytes as {encoding!r}", hint=_HINT)
    return text.encode("latin1")


_KNOWN: dict[tuple[str, str], Callable[..., object]] = {
    ("numpy.core.multiarray", "_reconstruct"): _array_of,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy", "dtype"): _Dtype,
    ("numpy", "ndarray"): _ndarray,
    ("_codecs", "encode"): _bytes,
    ("__builtin__", "bytes"): _bytes,
}


def _plain(value: object, depth: int, made: dict[int, Plain]) -> Plain:
    """Return a value with arrays for what was said of them.

    Args:
        value: What the unpickler made.
        depth: How deep it lies.
        made: What was made already, by the identity of what it was made of: a few bytes can name the same
            list over and over.

    Raises:
        InputError: Something in it is no plain data, or it is too deep.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > DEEPEST:
        raise InputError(f"is nested deeper than {DEEPEST} levels", hint=_HINT)
    if id(value) in made:
        return made[id(value)]
    whole: Plain
    if isinstance(value, list):
        whole = [_plain(each, depth + 1, made) for each in value]
    elif isinstance(value, tuple):
        whole = tuple(_plain(each, depth + 1, made) for each in value)
    elif isinstance(value, dict):
        whole = {_plain(key, depth + 1, made): _plain(each, depth + 1, made) for key, each in value.items()}
    elif isinstance(value, _Array):
        whole = _array(value.state, depth, made)
    else:
        raise InputError(f"holds a {type(value).__name__.strip('_')}", hint=_HINT)
    made[id(value)] = whole
    return whole


def _array(state: tuple[Any, ...], depth: int, made: dict[int, Plain]) -> NDArray[Any]:
    if len(state) != 5 or not isinstance(state[2], _Dtype) or not isinstance(state[1], tuple):
        raise InputError("holds a damaged array", hint=_HINT)
    _, shape, kind, fortran, content = state
    dtype = kind.dtype
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        raise InputError("holds an array of a damaged shape", hint=_HINT)
    count = int(np.prod(shape, dtype=object))
    order: Literal["F", "C"] = "F" if fortran else "C"
    if dtype.hasobject:
        if not isinstance(content, list) or len(content) != count:
            raise InputError("holds an array that is cut off", hint=_HINT)
        objects = np.empty(count, object)
        for place, each in enumerate(content):
            objects[place] = _plain(each, depth + 1, made)
        return np.asarray(objects.reshape(shape, order=order))
    if not isinstance(content, bytes) or len(content) != count * dtype.itemsize:
        raise InputError("holds an array that is cut off", hint=_HINT)
    array = np.frombuffer(content, dtype, count).reshape(shape, order=order)
    return np.asarray(array.astype(dtype.newbyteorder("=")))


# Archives of arrays, ``.npz``, whose sizes are known before anything of them is decompressed.


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
        InputError: The file cannot be read, is no such archive, or an array is larger than its shape.
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
                        found[name] = _read_array(path, name, stream, most)
            return found
    except OSError as error:
        raise _error(path, f"cannot be read: {error.strerror or error}") from error
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


def _read_array(path: Path, name: str, stream: IO[bytes], most: int) -> NDArray[Any]:
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
