"""Compiling by numba, with a cache on disk that is loaded quickly; machine code is kept for other processes.

Before it looks for compiled code on disk, numba registers all that it could compile, scipy included:
0.3 s for code that needs none of it. Where there is nothing on disk, numba registers it before compiling.
All this reaches into numba, so versions that it was not tried with compile and keep code in their own way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from chorewright.jit.machine_code import Code, Key, save, sources, tuple_name

_TRIED = ((0, 60), (0, 68))
"""The first and the last version of numba that this was tried with."""


def dispatcher(function: FunctionType, options: dict[str, Any]) -> Any:
    """What numba makes of a function."""
    if not _TRIED[0] <= numba.version_info.short <= _TRIED[1]:
        return numba.njit(**{**options, "cache": True})(function)
    made = numba.njit(**{**options, "cache": False})(function)
    cache = FunctionCache(function)
    # numba's own stamp knows nothing of functions from other files that are called.
    cache._cache_file._source_stamp = (cache._cache_file._source_stamp, sources(function))
    cache.load_overload = partial(_load, cache)
    cache._impl.reduce = partial(_reduce, function, cache._impl.reduce)
    cache._impl.rebuild = partial(_rebuild, function, cache._impl.rebuild)
    made._cache = cache
    return made


def _load(cache: Any, signature: Any, target: Any) -> Any:
    """The compiled code for a signature if it is on disk, else None."""
    rtsys.initialize(target)
    with cache._guard_against_spurious_io_errors():
        payload = cache._cache_file.load(cache._index_key(signature, target.codegen()))
        # Another process may have put other code into the file that the index names.
        if payload is not None and tuple(payload[3].args) == tuple(signature):
            return cache._impl.rebuild(target, payload)
    return None


def _reduce(function: FunctionType, reduce: Callable[[Any], Any], result: Any) -> Any:
    """What numba writes of a compiled function; its machine code is kept, too."""
    payload = reduce(result)
    _keep(function, payload)
    return payload


def _rebuild(function: FunctionType, rebuild: Callable[[Any, Any], Any], target: Any, payload: Any) -> Any:
    """What numba reads of a compiled function, likewise."""
    _keep(function, payload)
    return rebuild(target, payload)


def _keep(function: FunctionType, payload: Any) -> None:
    (_, kind, contents), described, scope, signature, *_, scopes = payload
    key = _key(signature.args)
    if kind == "object" and key is not None:
        constants = {each.env_name: tuple(each.consts) for each in (scope, *scopes)}
        entry = described.llvm_cpython_wrapper_name
        save(function, key, Code(contents[0], entry, scope.env_name, tuple(constants.items())))


def _key(arguments: Any) -> Key | None:
    """The types of arguments as ``machine_code.key_of`` tells them; None if there are others."""
    found: list[str] = []
    return tuple(found) if all(_describe(each, found) for each in arguments) else None


def _describe(kind: Any, found: list[str]) -> bool:
    if isinstance(kind, types.Array):
        found.append(f"{kind.dtype}[{kind.ndim}]")
        return bool(kind.layout == "C" and kind.mutable and kind.aligned)
    if isinstance(kind, types.Integer | types.Boolean | types.Float):
        found.append(str(kind))
        return True
    if not isinstance(kind, types.BaseTuple):
        return False
    found.append(tuple_name(getattr(kind, "instance_class", tuple)))
    known = all(_describe(each, found) for each in kind.types)
    found.append(")")
    return known


__all__ = ["dispatcher"]
