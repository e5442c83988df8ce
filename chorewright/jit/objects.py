"""Kernels without numba: the object files that it has compiled, linked into memory by this process.

Importing numba and waking its compiler takes a third of a second and 100 MB, also where all code is on disk. So each
kernel's object code is kept beside numba's own files, with the little that calling it takes, and is linked here: an
ELF file for x86-64 with two kinds of relocations and a few dozen symbols, which numba's extension modules and Python
itself have. Whatever is not so (another system, another version, a damaged file) is left to numba. llvmlite links
object files, too, but it brings LLVM along: 43 MB, as much as a small problem takes in all.
"""

from __future__ import annotations

import atexit
import builtins
import ctypes
import io
import json
import mmap
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np

from chorewright.jit.cache import find_cache, fingerprint, kernel_name

Call = Callable[..., Any]
Kinds = tuple[Any, ...]

_EXTENSIONS = {"_dynfunc": "numba_", "_helperlib": "numba_", "core.runtime._nrt_python": "NRT_"}
"""numba's extension modules that compiled code lives on, and what their functions' names begin with there."""

# How arguments are told apart, as numba does: by what an array holds, its dimensions, and whether it is contiguous.


_SCALARS: dict[type, Any] = {int: np.dtype(np.int64), float: np.dtype(float), bool: np.dtype(bool), type(None): None}
_ROWS, _OTHER = 0x501, 0x502
"""numpy's flags that count: aligned, writeable, and C order, or Fortran order where it is not in C order."""


def kinds_of(values: Sequence[Any]) -> Kinds:
    """Return the kinds of arguments.

    Raises:
        KeyError: One is of a type that compiled code is not linked for.
    """
    return tuple(map(_kind, values))


def _kind(value: Any) -> Any:
    kind = type(value)
    if kind is np.ndarray:
        flags = value.flags.num
        return value.dtype, value.ndim, flags & (_ROWS if flags & 1 else _OTHER)
    if issubclass(kind, tuple):
        return tuple(map(_kind, value))
    return value.dtype if issubclass(kind, np.generic) else _SCALARS[kind]


class LinkedKernel:
    """A kernel's entry: linked code for the kinds of arguments it has, numba's dispatcher for others."""

    __slots__ = ("_calls", "_other", "dispatcher")

    def __init__(self, calls: dict[Kinds, Call], other: Callable[..., Call]) -> None:
        """Keep the code; ``other`` returns numba's dispatcher when it is called with arguments."""
        self._calls, self._other = calls, other
        self.dispatcher: Any = None

    @property
    def signatures(self) -> list[Any]:
        """The kinds of arguments that there is code for."""
        return [*self._calls, *(self.dispatcher.signatures if self.dispatcher else ())]

    def __call__(self, *arguments: Any) -> Any:
        """Run the code that is there for such arguments."""
        call = None
        with suppress(KeyError):
            call = self._calls[kinds_of(arguments)]
        if call is None:
            call = self.dispatcher = self.dispatcher or self._other(*arguments)
        return call(*arguments)


def link(function: FunctionType, arguments: Sequence[Any]) -> dict[Kinds, Call]:
    """Return a kernel's code for such arguments by their kinds; nothing where numba has to load or compile it."""
    if _runtime() is None:
        return {}
    try:
        kinds = kinds_of(arguments)
    except KeyError:
        return {}
    digits = fingerprint(function)
    for folder in find_cache().holding(kernel_name(function), digits) if digits else ():
        with suppress(OSError):
            call = _Object.read(folder / _file(kinds)).link(function)
            if call is not None:
                return {kinds: call}
    return {}


def _file(kinds: Kinds) -> str:
    return f"{sha256(repr(kinds).encode()).hexdigest()[:20]}.object"


def keep(folder: Path, function: FunctionType, arguments: Sequence[Any], compiled: Any) -> None:
    """Write what numba has just compiled for some arguments to a folder, if it can be linked here.

    Args:
        folder: The kernel's.
        function: The kernel's Python function.
        arguments: What it was compiled for.
        compiled: numba's result.

    Raises:
        OSError: It cannot be written.
    """
    own = compiled.environment
    environments = {each.env_name: each for each in (own, *compiled._find_referenced_environments())}
    constants = [constant for each in environments.values() for constant in each.consts]
    if _runtime() is None or not all(isinstance(each, np.dtype) for each in constants):
        return
    with suppress(KeyError):
        header = {
            "wrapper": compiled.fndesc.llvm_cpython_wrapper_name,
            "environments": {name: [one.str for one in each.consts] for name, each in environments.items()},
            "own": own.env_name,
        }
        code = compiled.library._get_compiled_object()
        body = json.dumps(header).encode() + b"\n" + code
        path = folder / _file(kinds_of(arguments))
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(sha256(body).digest() + body)
        fresh.replace(path)


# Linking: sections that are needed at run time get a place each, symbols their addresses, and relocations are applied.


_SECTION = np.dtype(
    [
        *(("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("address", "<u8"), ("offset", "<u8"), ("size", "<u8")),
        *(("link", "<u4"), ("info", "<u4"), ("align", "<u8"), ("entry", "<u8")),
    ]
)
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
_RELOCATION = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_SYMBOLS, _RELOCATIONS, _ZEROS = 2, 4, 8
"""Types of sections."""
_WRITE, _ALLOCATE, _THREAD = 1, 2, 0x400
"""Flags of sections."""
_COMMON, _ABSOLUTE = 0xFFF2, 0xFFF1
"""Numbers of sections that symbols have instead of one."""
_HERE, _RELATIVE = 1, 24
"""The relocations that the large code model has: an address, and one from where it is written."""
_X86_64 = 62
_READ_AND_RUN = mmap.PROT_READ | mmap.PROT_EXEC


@dataclass(frozen=True, slots=True)
class _Object:
    """An object file: what calling it takes, and its bytes; empty if the file is damaged."""

    header: Mapping[str, Any]
    code: bytes

    @staticmethod
    def read(path: Path) -> _Object:
        """Read a file that ``keep`` has written.

        Raises:
            OSError: There is none, or it cannot be read.
        """
        data = path.read_bytes()
        body = data[32:]
        if sha256(body).digest() != data[:32]:
            return _Object({}, b"")
        header, _, code = body.partition(b"\n")
        return _Object(json.loads(header), code)

    def link(self, function: FunctionType) -> Call | None:
        """Return the kernel as a function of Python's; None if something in it is not known here."""
        runtime = _runtime()
        image = _Image.of(self.code, runtime.symbols) if self.code and runtime is not None else None
        if image is None or runtime is None:
            return None
        environments = {}
        for name, constants in self.header["environments"].items():
            environment = environments[name] = runtime.functions.Environment({})  # only uncompiled code has globals
            environment.consts.extend(map(np.dtype, constants))
            if name in image.symbols:
                ctypes.c_void_p.from_address(image.symbols[name]).value = id(environment)
        if not image.protect():
            return None
        address, own = image.symbols[self.header["wrapper"]], environments[self.header["own"]]
        module, kept = sys.modules[function.__module__], (image, environments)
        return cast(Call, runtime.functions.make_function(module, function.__name__, "", address, own, kept))


@dataclass(frozen=True, slots=True)
class _Image:
    """An object file in memory.

    Attributes:
        memory: What it fills.
        start: The memory's address.
        fixed: How many bytes from the start are never written to.
        symbols: The addresses of the symbols that it defines.
    """

    memory: mmap.mmap
    start: int
    fixed: int
    symbols: dict[str, int]

    @staticmethod
    def of(code: bytes, known: Mapping[str, int]) -> _Image | None:
        """Place a file's sections and link them with known symbols; None if something in it is not known here."""
        sections, [symbols, names] = _tables(code)
        needed = np.flatnonzero(sections["flags"] & _ALLOCATE)
        written = (sections["flags"][needed] & _WRITE) != 0
        if (sections["flags"][needed] & _THREAD).any():
            return None
        place = np.zeros(len(sections), np.uint64)
        end = 0
        fixed = 0
        for some in (needed[~written], needed[written]):
            fixed, end = end, _align(end, mmap.PAGESIZE)
            for number in some:
                place[number] = end = _align(end, sections["align"][number])
                end += int(sections["size"][number])
        fixed = _align(fixed, mmap.PAGESIZE)
        common = np.flatnonzero(symbols["section"] == _COMMON)
        for number in common:
            end = _align(end, symbols["value"][number])
            symbols["value"][number] = end
            end += int(symbols["size"][number])
        memory = mmap.mmap(-1, max(end, 1))
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for number in needed[sections["type"][needed] != _ZEROS]:
            one = sections[number]
            first = int(place[number])
            memory[first : first + int(one["size"])] = code[int(one["offset"]) : int(one["offset"] + one["size"])]
        value = _addresses(symbols, names, place + np.uint64(start), start, known)
        if value is None or not _relocate(code, sections, value, place, memory, start):
            return None
        inside = (symbols["section"] != 0) & (symbols["section"] != _ABSOLUTE)
        return _Image(memory, start, fixed, {names[i]: int(value[i]) for i in np.flatnonzero(inside)})

    def protect(self) -> bool:
        """Let the code be run, and not be changed any more; whether the system allows it."""
        return not ctypes.CDLL(None).mprotect(ctypes.c_void_p(self.start), ctypes.c_size_t(self.fixed), _READ_AND_RUN)


def _align(position: int, to: Any) -> int:
    return position + -position % max(1, int(to))


def _tables(code: bytes) -> tuple[Any, tuple[Any, list[str]]]:
    """The sections of an object file, its symbols and their names."""
    assert code[:6] == b"\x7fELF\x02\x01"
    assert int.from_bytes(code[18:20], "little") == _X86_64
    first, count = int.from_bytes(code[40:48], "little"), int.from_bytes(code[60:62], "little")
    sections = np.frombuffer(code, _SECTION, count, first)
    [table] = sections[sections["type"] == _SYMBOLS]
    symbols = np.frombuffer(code, _SYMBOL, int(table["size"]) // _SYMBOL.itemsize, int(table["offset"])).copy()
    strings = sections[table["link"]]
    text = code[int(strings["offset"]) : int(strings["offset"] + strings["size"])]
    return sections, (symbols, [text[n : text.index(b"\0", n)].decode() for n in symbols["name"].tolist()])


def _addresses(symbols: Any, names: Sequence[str], sections: Any, start: int, known: Mapping[str, int]) -> Any | None:
    """The addresses of symbols; None if one is not known."""
    number = symbols["section"].astype(np.int64)
    inside = number < len(sections)
    value = symbols["value"].copy()
    value[inside] += sections[number[inside]]
    value[number == _COMMON] = symbols["value"][number == _COMMON] + np.uint64(start)
    for i in np.flatnonzero(number == 0).tolist():
        address = known.get(names[i]) or _address_in_process(names[i]) if names[i] else 0
        if address is None:
            return None
        value[i] = address
    return value


def _relocate(code: bytes, sections: Any, value: Any, place: Any, memory: mmap.mmap, start: int) -> bool:
    """Apply relocations; whether all are known."""
    image = np.frombuffer(memory, np.uint8)
    for table in sections[sections["type"] == _RELOCATIONS]:
        if not sections["flags"][table["info"]] & _ALLOCATE:
            continue
        count = int(table["size"]) // _RELOCATION.itemsize
        entries = np.frombuffer(code, _RELOCATION, count, int(table["offset"]))
        if not np.isin(entries["type"], (_HERE, _RELATIVE)).all():
            return False
        position = place[table["info"]] + entries["offset"]
        result = value[entries["symbol"]] + entries["addend"].astype(np.uint64)
        result -= np.where(entries["type"] == _RELATIVE, position + np.uint64(start), np.uint64(0))
        image[position[:, None].astype(np.int64) + np.arange(8)] = result.view(np.uint8).reshape(-1, 8)
    return True


@dataclass(frozen=True, slots=True)
class _Runtime:
    """What compiled code lives on: numba's extension module of functions, and the addresses of what it may name."""

    functions: Any
    symbols: Mapping[str, int]


@cache
def _runtime() -> _Runtime | None:
    """This process's runtime of compiled code; None if object files are not linked on this system, or not now."""
    known = sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 2**32
    usual = "NUMBA_DISABLE_JIT" not in os.environ and not Path(".numba_config.yaml").exists()
    package = PathFinder.find_spec("numba") if known and usual else None
    if package is None or not package.submodule_search_locations:
        return None
    modules: list[Any] = [_extension(package.submodule_search_locations[0], name) for name in _EXTENSIONS]
    if None in modules:
        return None
    symbols = {"_Py_NoneStruct": id(None), "numba_unpickle": cast(int, ctypes.cast(_UNPICKLE, ctypes.c_void_p).value)}
    for module, prefix in zip(modules, _EXTENSIONS.values(), strict=True):
        for name, address in module.c_helpers.items():
            symbols.setdefault(prefix + name, address)
    for each in vars(builtins).values():
        if isinstance(each, type) and issubclass(each, BaseException):
            symbols[f"PyExc_{each.__name__}"] = id(each)
    if "numba" not in sys.modules:
        modules[-1].memsys_use_cpython_allocator()
        atexit.register(modules[-1].memsys_shutdown)
    return _Runtime(modules[0], symbols)


def _extension(folder: str, name: str) -> Any | None:
    """An extension module of numba, loaded without numba, which finds it anew; None if there is none."""
    full = f"numba.{name}"
    if full in sys.modules:
        return sys.modules[full]
    base = Path(folder, *name.split("."))
    path = next((p for end in EXTENSION_SUFFIXES if (p := base.with_name(base.name + end)).exists()), None)
    spec = path and spec_from_loader(full, ExtensionFileLoader(full, str(path)))
    if not spec or not spec.loader:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(full, None)
    return module


class _Constants(pickle.Unpickler):
    """Reads arrays' class, tuples' classes and exceptions of loaded modules; nothing is imported or run by its name."""

    def find_class(self, module: str, name: str) -> type:
        """Return such a class.

        Raises:
            TypeError: The name is another's.
        """
        value = getattr(sys.modules.get(module), name, None)
        if isinstance(value, type) and issubclass(value, np.ndarray | tuple | BaseException):
            return value
        raise TypeError(f"compiled code has no use for {module}.{name}")


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _UNPICKLE(data: int, length: int, _: int) -> object:
    """An object that compiled code has as a constant, such as the class of arrays; numba's own way imports numba."""
    return _constant(ctypes.string_at(data, length))


@cache
def _constant(data: bytes) -> object:
    return _Constants(io.BytesIO(data)).load()


def _address_in_process(name: str) -> int | None:
    """The address of a function of Python or of the C library; None if there is none of that name."""
    with suppress(AttributeError):
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    return None
