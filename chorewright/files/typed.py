"""Calls of public functions: arguments of the wrong form are wrong usage, said in one line with what is possible."""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from chorewright.errors import UsageError
from chorewright.files.english import say_list

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
