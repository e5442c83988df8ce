"""What compiled code depends on, as one short text: a change of any of it makes a fresh cache folder.

numba's own index knows the source file of a function, but not those of the functions that it calls, and machine code
holds their code and the constants of all of them.
"""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np

_LENGTH = 20


def fingerprint(function: FunctionType) -> str | None:
    """Digest a function, all that it calls, and the machine.

    Args:
        function: A kernel's Python function.

    Returns:
        Hexadecimal digits that name a folder; None if a source is not in a file.
    """
    parts: list[str] = [_surroundings()]
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
    return sha256("\n".join((_surroundings(), *files)).encode()).hexdigest()[:_LENGTH]


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


@cache
def _surroundings() -> str:
    """What all code depends on: Python, numba and what it is built on, its settings, the processor."""
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
    )
    file = Path(".numba_config.yaml")
    settings.append(file.read_text("utf-8", "replace") if file.is_file() else "")
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, platform.machine())
    return repr((versions, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), settings))


__all__ = ["fingerprint", "fingerprint_of_folder"]
