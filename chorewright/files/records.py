"""Values by their types: records made of JSON by msgspec, and the arguments of public functions.

Of JSON that does not fit, errors name file, line, column and JSON path.

msgspec reads a house 4 times faster than cattrs, which also takes 12 ms to compile itself for the first one. Where a
file of others' must keep to more than types (houses, metadata, TEACh's tasks), each ``Node`` is read by hand.
"""

from __future__ import annotations

import functools
import inspect
import io
import re
import reprlib
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from chorewright.errors import InputError, UsageError
from chorewright.files.english import did_you_mean, say_list
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import JsonValue, Steps, bare

Record = TypeVar("Record")

_NAMES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "an object",
    "str": "a string",
}
"""msgspec's names of JSON's types, in our words."""

_LACKING = re.compile(r"Object missing required field `(.*)`")
_EXPECTED = re.compile(r"Expected `([^`]*)`(.*?)(?:, got .*)?")
_STEP = re.compile(r"\.(?P<field>\w+)|\[(?P<place>\d+)\]|\[\.\.\.\]")


def read_record(kind: type[Record], node: Node) -> Record:
    """Return the record that a JSON value is; members that it has no field for are passed over.

    Args:
        kind: A dataclass, or a collection of them.
        node: The value.

    Raises:
        InputError: It is another one.
    """
    import msgspec

    try:
        return msgspec.convert(node.value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise _explain(kind, node, str(error)) from None


def record_of(kind: type[Record], value: object) -> Record:
    """Return the record of plain values, such as ``json.loads`` returns; raises as ``read_record``."""
    return read_record(kind, root(bare(cast("JsonValue", value))))


def decode_record(kind: type[Record], data: str | bytes) -> Record:
    """Return the record of JSON that the package ships or has written itself: it is not looked for repeated keys.

    Raises:
        InputError: It is not JSON, or another record.
    """
    import msgspec

    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise InputError(str(error)) from None


def reader_of(kind: type[Record], package: str, name: str, member: str = "") -> Callable[[], Record]:
    """Return the function that reads a data file which the package ships; it does so once.

    Args:
        kind: The record.
        package: The package that ships the file.
        name: The file's path in there; of one in an archive ``data/archive.zip/file.json``.
        member: The member of the file's object that is the record; empty for the object itself.
    """

    @cache
    def read() -> Record:
        file, zipped, inner = name.partition(".zip/")
        data = resources.files(package).joinpath(f"{file}.zip" if zipped else file).read_bytes()
        if zipped:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = archive.read(inner)
        return record_of(kind, decode_record(dict[str, Any], data)[member]) if member else decode_record(kind, data)

    return read


def _explain(kind: type[object], node: Node, problem: str) -> InputError:
    """Return msgspec's error in our words, at its place.

    Of a mapping's member it does not say which: that is the first one that alone has the same problem.
    """
    message, _, path = problem.partition(" - at `")
    start, whole = len(node.steps), node.value
    for step in _STEP.finditer(path.rpartition("$")[2]):
        if step["place"]:
            node = list(node.items())[int(step["place"])]
        elif step["field"]:
            node = node[step["field"]]
        else:
            for key, member in node.members():
                alone = _put(whole, node.steps[start:], {key: member.value})
                if _problem(kind, alone) == problem:
                    node, whole = member, alone
                    break
    if lacking := _LACKING.fullmatch(message):
        known = node.value if isinstance(node.value, dict) else ()
        return node.error(f"the key {lacking[1]!r} is missing", did_you_mean(lacking[1], known))
    if expected := _EXPECTED.fullmatch(message):
        names = [_NAMES.get(each, each) for each in expected[1].split(" | ")]
        return node.expected(say_list(names, "or") + expected[2])
    return node.error(message)


def _put(value: Any, steps: Steps, new: JsonValue) -> Any:
    """Return a JSON value with another value at a place."""
    if not steps:
        return new
    inner = _put(value[steps[0]], steps[1:], new)
    if isinstance(value, dict):
        return {**value, steps[0]: inner}
    return [inner if place == steps[0] else each for place, each in enumerate(value)]


def _problem(kind: type[object], value: object) -> str:
    import msgspec

    try:
        msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


# Calls of public functions: arguments of the wrong form are wrong usage, said in one line with what is possible.


P = ParamSpec("P")
R = TypeVar("R")

_WORDS: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "True or False",
    PathLike: "a path",
    Iterable: "several of these",
    NoneType: "None",
}
"""How types are said; others have their own names."""


def check_types(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function compare its arguments with its annotations before it runs.

    Of collections only the kind is compared, not what they hold. Numbers of numpy are numbers; True is none.

    Raises:
        UsageError: An argument is missing, unknown, or of another type; the hint says which there are.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        hints = _hints(function)
        name = function.__qualname__.removesuffix(".__init__")
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise UsageError(f"{name}: {error}", hint=f"it takes {_list_signature(signature)}") from None
        for key, value in given.items():
            kind = signature.parameters[key].kind
            values = [value]
            if kind is inspect.Parameter.VAR_KEYWORD:
                values = list(value.values())
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                values = list(value)
            for each in values:
                if key in hints and not _fits(each, hints[key]):
                    shown = reprlib.repr(each)
                    raise UsageError(f"{name}: {key} must be {_say_kind(hints[key])}, not {shown}")
        return function(*args, **kwargs)

    return call


@functools.cache  # of the functions that are decorated, which the package has
def _hints(function: Callable[..., object]) -> dict[str, object]:
    """Return the types of a function's arguments; what it returns may be of a module that is not imported."""
    own = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return get_type_hints(type("Arguments", (), {"__annotations__": own}), function.__globals__)


def _list_signature(signature: inspect.Signature) -> str:
    return ", ".join(str(each.replace(annotation=each.empty)) for each in signature.parameters.values())


def _fits(value: object, kind: Any) -> bool:
    """Whether a value is of a type, as far as that can be told without looking into it."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(kind))
    kind = origin or kind
    if kind in (Any, object) or not isinstance(kind, type):
        return True
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if kind is Iterable and isinstance(value, str | bytes):
        return False
    if getattr(kind, "_is_protocol", False) and kind.__module__.startswith("chorewright."):
        return not isinstance(value, type) and all(hasattr(value, name) for name in _members(kind))
    return isinstance(value, kind)


def _members(protocol: type) -> list[str]:
    """Return the methods that a protocol of ours asks for."""
    return [name for name, each in vars(protocol).items() if not name.startswith("_") and callable(each)]


def _say_kind(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return say_list([_say_kind(each) for each in get_args(kind)], "or")
    kind = get_origin(kind) or kind
    if getattr(kind, "_is_protocol", False) and kind.__module__.startswith("chorewright."):
        return f"something with {say_list([f'{name}()' for name in _members(kind)], 'and')}"
    return _WORDS.get(kind) or str(getattr(kind, "__name__", kind))
