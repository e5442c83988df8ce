"""Places: where a dataset is, in a folder of this machine or under a URL that fsspec reaches (``s3://bucket/name``).

A ``RemotePath`` has those methods of ``Path`` that the store uses, so that one code serves both. Writing differs: what
goes elsewhere is built in memory and put once, so that a reader never sees half of it.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

from chorewright.errors import ChorewrightError, MissingExtra, UsageError
from chorewright.files.plugins import pip_install, require_extra
from chorewright.files.text import write_atomically

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
"""How the first part of ``s3://bucket/name`` looks as a path. Drives of Windows have one letter."""

_LOCAL = "file"

_OBJECT_STORES = frozenset(
    ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "r2", "tos", "memory")
)
"""Schemes of file systems without folders, where a put file is whole or absent."""

_EXTRA = "remote"
"""The extra with what other file systems need."""


@dataclass(frozen=True, slots=True, order=True)
class RemotePath:
    """A file or folder elsewhere.

    Every method but those that only handle names raises OSError if the file system refuses, whatever it raises itself.

    Attributes:
        scheme: ``s3``.
        parts: ``("bucket", "name")``.
        root: A slash where the URL has three (``hdfs:///name``), else empty.
    """

    scheme: str
    parts: tuple[str, ...]
    root: str = ""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.root}{'/'.join(self.parts)}"

    def __truediv__(self, below: str) -> RemotePath:
        return RemotePath(self.scheme, (*self.parts, *below.split("/")), self.root)

    @property
    def name(self) -> str:
        """The last part."""
        return self.parts[-1] if self.parts else ""

    @property
    def suffix(self) -> str:
        """The last part's ending, with its dot."""
        return Path(self.name).suffix

    @property
    def stem(self) -> str:
        """The last part without its ending."""
        return Path(self.name).stem

    @property
    def parent(self) -> RemotePath:
        """The folder that it is in."""
        return RemotePath(self.scheme, self.parts[:-1], self.root)

    def resolve(self) -> RemotePath:
        """Return it as it is: it does not depend on a working directory."""
        return self

    def is_symlink(self) -> bool:
        """Return False: links of a file system elsewhere are its own affair."""
        return False

    def exists(self) -> bool:
        """Return whether it is there; a folder without files is not, in most stores."""
        return self._info() is not None

    def is_dir(self) -> bool:
        """Return whether it is a folder."""
        info = self._info()
        return info is not None and info["type"] == "directory"

    def is_file(self) -> bool:
        """Return whether it is a file."""
        info = self._info()
        return info is not None and info["type"] == "file"

    def size(self) -> int:
        """Return a file's bytes."""
        info = self._info()
        if info is None:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(self))
        return int(info["size"])

    def read_bytes(self) -> bytes:
        """Return what a file holds."""
        with self._opened() as (files, path):
            return bytes(files.cat_file(path))

    def iterdir(self) -> Iterator[RemotePath]:
        """Yield what a folder holds; nothing if it is not there."""
        with self._opened() as (files, path):
            try:
                names = [str(each).rstrip("/") for each in files.ls(path, detail=False)]
            except FileNotFoundError:
                return
            own = str(path).rstrip("/")
        for name in names:
            if name != own:  # some stores mark a folder with an empty object of its name
                yield self / name.rpartition("/")[2]

    def glob(self, pattern: str) -> Iterator[RemotePath]:
        """Yield what a folder holds directly and has a name like the pattern."""
        return (each for each in self.iterdir() if fnmatchcase(each.name, pattern))

    def mkdir(self, parents: bool = True, exist_ok: bool = True) -> None:
        """Make a folder and those above it, where the file system has any."""
        if self.scheme not in _OBJECT_STORES:
            with self._opened() as (files, path):
                files.makedirs(path, exist_ok=exist_ok)

    def rmdir(self) -> None:
        """Remove an empty folder, where the file system has any."""
        if self.scheme not in _OBJECT_STORES and not any(self.iterdir()):
            with self._opened() as (files, path):
                files.rmdir(path)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove a file."""
        with self._opened() as (files, path):
            try:
                files.rm_file(path)
            except FileNotFoundError:
                if not missing_ok:
                    raise

    def put(self, data: bytes, temporary: RemotePath | None = None) -> None:
        """Write a file, whole or not at all.

        Args:
            data: What it shall hold.
            temporary: Another name, for file systems that show a file while it is written.
        """
        if temporary is None or self.scheme in _OBJECT_STORES:
            with self._opened() as (files, path):
                files.pipe_file(path, data)
            return
        with temporary._opened() as (files, path):
            try:
                files.pipe_file(path, data)
                files.mv(path, self._path(files))
            except BaseException:
                with suppress(Exception):
                    files.rm_file(path)
                raise

    def create(self, data: bytes) -> bool:
        """Write a file that is not there yet; return whether it was not. Of two that try, one does."""
        with self._opened() as (files, path):
            try:
                files.pipe_file(path, data, mode="create")
            except FileExistsError:
                return False
            except OSError:
                if self.exists():
                    return False
                raise
        return True

    def _info(self) -> dict[str, Any] | None:
        with self._opened() as (files, path):
            try:
                found: dict[str, Any] = files.info(path)
            except FileNotFoundError:
                return None
            return found

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        """Yield the file system and the path on it; whatever it raises is an OSError afterwards."""
        files = _file_system(self)
        try:
            yield files, self._path(files)
        except (OSError, ChorewrightError):
            raise
        except Exception as error:  # credentials that are missing, a server that is not there: each store has its own
            raise OSError(errno.EIO, f"{type(error).__name__}: {error}", str(self)) from error

    def _path(self, files: Any) -> str:
        return str(files._strip_protocol(str(self)))


Place: TypeAlias = Path | RemotePath


def locate(folder: str | Place) -> Place:
    """Return where something is that a user named: a path, or the URL of a place elsewhere.

    Raises:
        UsageError: No file system has such URLs, or it names no folder.
        MissingExtra: What reaches it is not installed.
    """
    if isinstance(folder, RemotePath):
        return folder
    scheme, separator, rest = folder.partition("://") if isinstance(folder, str) else ("", "", "")
    if separator and _SCHEME.fullmatch(f"{scheme}:"):
        parts = tuple(part for part in rest.split("/") if part and part != ".")
    else:
        path = Path(folder)  # which has lost one of the slashes of s3://bucket, if there were any
        match = _SCHEME.fullmatch(path.parts[0]) if path.parts else None
        if match is None:
            return path
        scheme, parts = match[1], path.parts[1:]
    if scheme.lower() == _LOCAL:
        return Path("/", *parts)
    found = RemotePath(scheme.lower(), parts, "/" if rest.startswith("/") else "")
    if not parts or ".." in parts:
        raise UsageError(f"{str(folder)!r} names no folder", hint="for example s3://bucket/name, without '..'")
    _file_system(found)
    return found


def on_this_machine(folder: str | Place, doing: str) -> Path:
    """Return a folder of this machine.

    Args:
        folder: What the user named.
        doing: What needs it, for the error: ``drawing``.

    Raises:
        UsageError: It is a place elsewhere.
    """
    place = locate(folder)
    if isinstance(place, RemotePath):
        raise UsageError(f"{doing} needs a folder of this machine, not {place}", hint="copy the dataset here first")
    return place


def size_of(place: Place) -> int:
    """Return a file's bytes.

    Raises:
        OSError: It is not there.
    """
    return place.size() if isinstance(place, RemotePath) else place.stat().st_size


def write_whole(place: Place, data: bytes, temporary: Place) -> None:
    """Write a file that is whole or absent, whatever happens meanwhile.

    Args:
        place: The file.
        data: What it shall hold.
        temporary: Another name, on the same file system.

    Raises:
        OSError: It cannot be written.
    """
    if isinstance(place, RemotePath):
        assert isinstance(temporary, RemotePath)
        place.put(data, temporary)
    else:
        assert isinstance(temporary, Path)
        write_atomically(place, data, temporary)


def _file_system(place: RemotePath) -> Any:
    """Return fsspec's file system of a place, which fsspec keeps for each process."""
    with require_extra(f"{place} needs the package fsspec", _EXTRA):
        from fsspec.core import url_to_fs
    try:
        return url_to_fs(str(place), use_listings_cache=False)[0]
    except ImportError as error:
        raise MissingExtra(f"{place} cannot be reached: {error}", hint=f"{pip_install(_EXTRA)} has S3's") from error
    except ValueError as error:
        raise UsageError(
            f"no file system has the scheme {place.scheme}://: {error}",
            hint="for a folder of this machine with such a name, give its absolute path",
        ) from error
