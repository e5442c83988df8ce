"""Machine code of compiled functions, kept on disk and run without the compiler.

numba keeps what it has compiled, too, but only it can load that, and it takes 0.2 s to import and as long to
load a search. What it compiles holds a function with Python's own calling convention, as an extension module
does; here it is kept, and llvmlite alone links it into the process.

Code is used only where the sources that went into it, numba, llvmlite and the processor are those that it was
made with, numba is not set up by the environment, and arguments have just the types that it is for.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import cache_from_source, find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

Key = tuple[str, ...]
"""The types of a function's arguments: array types by element and dimensions, tuples in parentheses."""

_SCALARS: dict[type, str] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    **{kind: np.dtype(kind).name for kind in (np.bool_, np.int32, np.int64, np.uint64, np.float64)},
}
_NUMBERS = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
)
_ARRAYS = {(np.dtype(name), number): f"{name}[{number}]" for name in _NUMBERS for number in (1, 2, 3)}
_PLAIN = 0x501
"""Flags of an array whose rows lie one behind the other (1), are aligned (0x100), may be written (0x400)."""
_CHECKSUM = sha256().digest_size


class Code(NamedTuple):
    """Compiled code: an object file, its entry, and the constants that it and what is in it refer to."""

    file: bytes
    entry: str
    own: str
    constants: tuple[tuple[str, tuple[Any, ...]], ...]


def key_of(arguments: Sequence[Any]) -> Key | None:
    """The types of some arguments; None if there are some that no code is kept for."""
    found: list[str] = []
    return tuple(found) if _describe(arguments, found) else None


def _describe(values: Sequence[Any], found: list[str]) -> bool:
    """Append the types of some values; whether code may be kept for all of them."""
    # Every call of a kernel comes by: a plain loop takes half as long as ``all`` of a generator.
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            name = _ARRAYS.get((value.dtype, value.ndim))
            if name is None or value.flags.num & _PLAIN != _PLAIN:
                return False
            found.append(name)
        elif kind in _SCALARS:
            found.append(_SCALARS[kind])
        elif issubclass(kind, tuple):
            found.append(tuple_name(kind))
            if not _describe(value, found):
                return False
            found.append(")")
        else:
            return False
    return True


@cache
def tuple_name(kind: type) -> str:
    """How a key tells a class of tuples."""
    if kind is tuple:
        return "("
    return f"{kind.__module__}.{kind.__qualname__}[{' '.join(getattr(kind, '_fields', ()))}]("


@cache
def sources(function: FunctionType) -> str | None:
    """What of our own a function's code depends on; None if that is not in files.

    Code holds that of the functions called, and the constants of all of them.
    """
    parts: list[object] = []
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        try:
            state = os.stat(one.__code__.co_filename)
        except OSError:
            return None
        parts.append((one.__module__, one.__qualname__, state.st_mtime_ns, state.st_size))
        for name in one.__code__.co_names:
            value = one.__globals__.get(name)
            called = getattr(value, "__wrapped__", None)
            if isinstance(called, FunctionType) and called not in seen:
                seen.add(called)
                waiting.append(called)
            elif isinstance(value, bool | int | float | tuple):
                parts.append((name, value))
    return repr(parts)


def _stamp(function: FunctionType) -> tuple[object, ...] | None:
    """What a function's code depends on; None if code cannot be kept."""
    own, common = sources(function), _surroundings()
    return None if own is None or common is None else (own, common)


@cache
def _surroundings() -> tuple[object, ...] | None:
    """What all code depends on: Python, numba, llvmlite, the processor; None where numba is set up anew."""
    chosen = any(name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR" for name in os.environ)
    places = (_folder("numba"), _folder("llvmlite"))
    if chosen or None in places or Path(".numba_config.yaml").exists():
        return None
    import llvmlite.binding as llvm

    files = tuple(os.path.join(place or "", "__init__.py") for place in places)
    states = tuple((file, os.stat(file).st_mtime_ns, os.stat(file).st_size) for file in files)
    return sys.version, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), states


def load(function: FunctionType) -> dict[Key, Code]:
    """The code that is kept for a function, by the types of its arguments."""
    place, needed = _place(function), _stamp(function)
    if place is None or needed is None:
        return {}
    with suppress(OSError):  # it is only a copy of what can be compiled
        kept = place.read_bytes()
        if kept[:_CHECKSUM] == sha256(kept[_CHECKSUM:]).digest():
            made_of, codes = pickle.loads(kept[_CHECKSUM:])
            if made_of == needed:
                found: dict[Key, Code] = codes
                return found
    return {}


def save(function: FunctionType, key: Key, code: Code) -> None:
    """Keep code for a function, if there is a place for it."""
    place, needed = _place(function), _stamp(function)
    known = load(function)
    if place is None or needed is None or key in known:
        return
    contents = pickle.dumps((needed, {**known, key: code}))
    temporary = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(sha256(contents).digest() + contents)
        temporary.replace(place)


def _place(function: FunctionType) -> Path | None:
    """The file of a function's code: where numba keeps its own, if it is told to, or beside the module's."""
    with suppress(NotImplementedError):  # an interpreter that keeps nothing
        beside = Path(cache_from_source(function.__code__.co_filename))
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        folder = Path(chosen, function.__module__) if chosen else beside.parent
        return folder / f"{beside.stem}.{function.__qualname__}-{function.__code__.co_firstlineno}.code"
    return None


def _folder(package: str) -> Path | None:
    """Where a package lies; it is not imported."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


@cache
def _linker() -> tuple[Any, ModuleType]:
    """What links code into this process, and numba's extension module that makes functions of it."""
    import llvmlite.binding as llvm

    making = _extension("numba._dynfunc")
    for name, address in _symbols(making):
        llvm.add_symbol(name, address)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine), making


def _symbols(making: ModuleType) -> Iterator[tuple[str, int]]:
    """The names that code refers to: of numba's runtime, and of what is built into Python."""
    runtime = _extension("numba._helperlib")
    _teach(runtime.c_helpers["unpickle"])
    for module in (runtime, making):
        for name, address in module.c_helpers.items():
            yield f"numba_{name}", address
    for name, address in _extension("numba.core.runtime._nrt_python").c_helpers.items():
        yield name if name.startswith("_") else f"NRT_{name}", address
    yield "_Py_NoneStruct", id(None)
    for name, error in vars(builtins).items():
        if isinstance(error, type) and issubclass(error, BaseException):
            yield f"PyExc_{name}", id(error)


def _teach(unpickle: int) -> None:
    """Teach numba's runtime to unpickle what is in code, e.g. classes of tuples, without the package.

    It asks one of the package's modules for a function when it is first called, and remembers that.
    """
    names = ("numba", "numba.core.serialize")
    asked = {name: ModuleType(name) for name in names}
    vars(asked[names[1]])["_numba_unpickle"] = _unpickled
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)(unpickle)
    example = pickle.dumps(None)
    sys.modules.update(asked)
    try:
        call(example, len(example), b"")
    finally:
        for name in names:
            del sys.modules[name]


@cache  # so that no Python runs, nor a signal's handler, while a function makes its result
def _unpickled(_: int, data: bytes, __: bytes) -> object:
    return pickle.loads(data)


def _extension(name: str) -> ModuleType:
    """One of numba's extension modules, without the package that it is in."""
    folder = _folder("numba")
    assert folder is not None
    *parts, last = name.split(".")[1:]
    for suffix in EXTENSION_SUFFIXES:
        path = folder.joinpath(*parts, last + suffix)
        if path.exists():
            spec = spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError(name)


_scopes: dict[str, Any] = {}
"""What linked code holds on to."""


def link(function: FunctionType, code: Code) -> Callable[..., Any]:
    """Make kept code callable. As with any extension module, it stays in memory for good."""
    import llvmlite.binding as llvm

    engine, making = _linker()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.file))
    engine.finalize_object()
    module = sys.modules[function.__module__]
    for name, constants in code.constants:
        if name not in _scopes:
            _scopes[name] = making.Environment(vars(module))
            _scopes[name].consts[:] = constants
        address = engine.get_global_value_address(name)
        if address:
            ctypes.c_void_p.from_address(address).value = id(_scopes[name])
    entry = engine.get_function_address(code.entry)
    if not entry:
        raise ImportError(code.entry)
    words = (function.__name__, function.__doc__ or "")
    made: Callable[..., Any] = making.make_function(module, *words, entry, _scopes[code.own], ())
    return made


__all__ = ["Code", "Key", "key_of", "link", "load", "save", "sources", "tuple_name"]
