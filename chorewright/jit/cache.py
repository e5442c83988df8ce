"""The folders where compiled code is kept, one folder inside for each kernel and fingerprint of what it depends on.

Code is written to the first of these that may be written:

1. ``$NUMBA_CACHE_DIR/chorewright``, and no other, if the user has set that variable;
2. ``__pycache__/kernels`` in the installed package, which all users of the installation may read;
3. ``$XDG_CACHE_HOME/chorewright/kernels``, or ``~/.cache/chorewright/kernels``.

It is read from there, and from the package's folder, which need not be writable (not if ``$NUMBA_CACHE_DIR`` may be
written). Without a folder to write to, code that the package does not have is compiled in memory.

numba unpickles what it loads. So a folder is used only if it belongs to the user (or to root) and nobody else may write
it: others could put their own code there.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from chorewright.files.text import note, user_folder

_KEPT = 3
"""How many versions of a kernel are kept: those of installations that share a folder."""

_PRIVATE, _READABLE, _FILE = 0o700, 0o755, 0o644


@dataclass(frozen=True, slots=True)
class Cache:
    """The folder that may be written, and the package's if that is another one that may only be read.

    Attributes:
        own: The folder that may be written; None if there is none.
        shipped: The package's; None if it is the same, or may not be used.
        surroundings: What all code depends on.
    """

    own: Path | None = None
    shipped: Path | None = None
    surroundings: str = ""

    def holding(self, kernel: str, fingerprint: str) -> Iterator[Path]:
        """Yield the folders that hold a kernel's code and may be trusted, our own first.

        Args:
            kernel: The kernel's dotted name.
            fingerprint: What its code depends on, as digits.
        """
        for place in (self.own, self.shipped):
            folder = place and place / f"{kernel}-{fingerprint}"
            if folder is not None and _holds_code(folder) and _is_trusted_all(folder):
                yield folder

    def folder(self, kernel: str, fingerprint: str) -> Path | None:
        """Return the folder to write a kernel's code to; it is made if it is not there.

        Args:
            kernel: The kernel's dotted name.
            fingerprint: What its code depends on, as digits.

        Returns:
            None if nothing may be written; after a note, also if the folder cannot be made or may not be trusted.
        """
        if self.own is None:
            return None
        folder = self.own / f"{kernel}-{fingerprint}"
        try:
            if not folder.exists():
                folder.mkdir(_PRIVATE, exist_ok=True)
                self._prune(self.own, kernel, folder)
        except OSError as error:
            note(f"compiled code is not kept: {error}")
            return None
        return folder if _is_trusted_all(folder) else None

    def is_empty(self) -> bool:
        """Return whether no kernel has been compiled here yet."""
        return not any(place and any(map(_holds_code, place.iterdir())) for place in (self.own, self.shipped))

    def file(self, name: str) -> Path | None:
        """Return the package's file of this name if it has one, else ours, which need not be there; None without."""
        shipped = self.shipped / name if self.shipped else None
        if shipped is not None and shipped.exists():
            return shipped
        return self.own / name if self.own else None

    @staticmethod
    def _prune(place: Path, kernel: str, newest: Path) -> None:
        """Remove all but the last versions of a kernel."""
        others = [path for path in place.glob(f"{kernel}-*") if path != newest]
        for old in sorted(others, key=_changed_at, reverse=True)[_KEPT - 1 :]:
            shutil.rmtree(old, ignore_errors=True)


def seal(folder: Path) -> None:
    """Let all users read a kernel's folder, and nobody else write it, whatever the user's mask is."""
    with suppress(OSError):
        for path in _tree(folder):
            path.chmod(_READABLE if path.is_dir() else _FILE)
        folder.chmod(_READABLE)


def discard(folder: Path) -> None:
    """Remove a kernel's folder, whose files cannot be loaded, if it may be removed."""
    shutil.rmtree(folder, ignore_errors=True)


@cache
def find_cache() -> Cache:
    """Return this process's cache; a note says it if nothing can be kept."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen, "chorewright")] if chosen else [_shipped_folder(), *_of_user()]
    own = next((place for place in places if _prepare(place)), None)
    alone = own is not None and (bool(chosen) or own == _shipped_folder())
    shipped = None if alone or not _usable(_shipped_folder()) else _shipped_folder()
    if own is None and shipped is None:
        note("no folder for compiled code may be written: each process compiles the planner in memory, 1 to 2 minutes")
    return Cache(own, shipped, _surroundings())


def _shipped_folder() -> Path:
    return Path(__file__).resolve().parents[1] / "__pycache__" / "kernels"


def _of_user() -> Iterator[Path]:
    folder = user_folder("cache")
    if folder is not None:
        yield folder / "kernels"


def _usable(place: Path) -> bool:
    """Whether a folder is there and may be trusted."""
    try:
        return place.is_dir() and _is_trusted(place)
    except OSError:
        return False


def _prepare(place: Path) -> bool:
    """Make a folder; whether it may be written, and is the user's own."""
    try:
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(exist_ok=True)
            place.chmod(_READABLE)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK) and _is_trusted(place, root=False)


def _is_trusted(path: Path, root: bool = True) -> bool:
    """Whether a file or folder is the user's own, or root's, and nobody else may write it; a note if not."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        found = path.lstat()
    except OSError:
        return False
    owners = (os.geteuid(), 0) if root else (os.geteuid(),)
    if stat.S_ISLNK(found.st_mode) or found.st_uid not in owners:
        if root or found.st_uid != 0:
            note(f"compiled code in {path} is not used: it belongs to someone else")
        return False
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        note(f"compiled code in {path} is not used: others may write it (chmod go-w would do)")
        return False
    return True


def _holds_code(folder: Path) -> bool:
    """Whether numba has written an index into a kernel's folder."""
    try:
        return any(path.suffix == ".nbi" for path in folder.iterdir())
    except OSError:
        return False


def _is_trusted_all(folder: Path) -> bool:
    """Whether a kernel's folder and all in it may be trusted. Nobody else gets into a private one."""
    if not _is_trusted(folder):
        return False
    if hasattr(os, "geteuid") and stat.S_IMODE(folder.stat().st_mode) == _PRIVATE:
        return True
    return all(_is_trusted(path) for path in _tree(folder))


def _tree(folder: Path) -> list[Path]:
    """All files and folders in a folder; what another process removes meanwhile is left out."""
    return [Path(parent, name) for parent, folders, files in os.walk(folder) for name in (*folders, *files)]


def _changed_at(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


__all__ = ["Cache", "discard", "find_cache", "note", "seal"]


# What compiled code depends on, as one short text: a change of any of it makes a fresh cache folder.
#
# numba's own index knows the source file of a function, but not those of the functions that it calls, and machine code
# holds their code and the constants of all of them.


_LENGTH, _FIRST = 20, 8192
"""Digits of a fingerprint; characters of ``/proc/cpuinfo`` that have the first processor."""


def kernel_name(function: FunctionType) -> str:
    """Return what a kernel's folder begins with."""
    return f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")


def fingerprint(function: FunctionType) -> str | None:
    """Digest a function, all that it calls, and the machine.

    Args:
        function: A kernel's Python function.

    Returns:
        Hexadecimal digits that name a folder; None if a source is not in a file.
    """
    parts: list[str] = [find_cache().surroundings]
    waiting, seen = [function], {function}
    try:
        while waiting:
            one = waiting.pop()
            parts.append(f"{one.__module__}.{one.__qualname__} {_digest_of_file(one.__code__.co_filename)}")
            for name in one.__code__.co_names:
                value = one.__globals__.get(name)
                called = getattr(value, "__wrapped__", None)
                if isinstance(called, FunctionType):
                    if called not in seen:
                        seen.add(called)
                        waiting.append(called)
                else:
                    parts.append(f"{name} {_describe(value)}")
    except OSError:
        return None
    return sha256("\n".join(parts).encode()).hexdigest()[:_LENGTH]


def fingerprint_of_folder(folder: Path) -> str:
    """Digest all sources in a folder, and the machine."""
    files = [_digest_of_file(str(path)) for path in sorted(folder.rglob("*.py"))]
    return sha256("\n".join((find_cache().surroundings, *files)).encode()).hexdigest()[:_LENGTH]


def _describe(value: object) -> str:
    """Tell what of a global name goes into machine code."""
    if isinstance(value, bool | int | float | str | tuple):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, type) and issubclass(value, tuple):
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, ModuleType):
        ours = value.__name__.split(".")[0] == __name__.split(".")[0]
        return _digest_of_file(value.__file__) if ours and value.__file__ else value.__name__
    return type(value).__name__


@cache
def _digest_of_file(path: str) -> str:
    """Digest a source file. Its place counts: numba's index holds it."""
    return f"{os.path.abspath(path)} {sha256(Path(path).read_bytes()).hexdigest()}"


def _surroundings() -> str:
    """What all code depends on: Python, numba and what it is built on, its settings, the processor."""
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
    )
    file = Path(".numba_config.yaml")
    settings.append(file.read_text("utf-8", "replace") if file.is_file() else "")
    versions = (
        sys.version,
        *map(_version, (PathFinder.find_spec("numba"), PathFinder.find_spec("llvmlite"))),
        np.__version__,
        platform.machine(),
    )
    return repr((versions, _processor(), settings))


def _version(found: ModuleSpec | None) -> str:
    """Tell a package's version without importing it."""
    return _digest_of_file(str(Path(found.origin).with_name("_version.py"))) if found and found.origin else ""


_MODEL = {"vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "CPU variant", "Features"}
"""What Linux says of a processor that tells what code it runs."""


def _processor() -> str:
    """Tell what code the processor runs; Linux says so without LLVM."""
    with suppress(OSError), Path("/proc/cpuinfo").open() as file:
        lines = file.read(_FIRST).split("\n\n")[0].splitlines()
        model = [line for line in lines if line.partition(":")[0].strip() in _MODEL]
        if model:
            return "\n".join(model)
    import llvmlite.binding as llvm

    return repr((llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()))


def marker(folder: Path) -> Path | None:
    """Return the file that says that all kernels of a folder's modules were compiled; None if nothing is kept."""
    try:
        return find_cache().file(f"{folder.name}-{fingerprint_of_folder(folder)}.all")
    except OSError:
        return None
