"""Values of a column, made column by column: many times faster than row by row.

A column is opened once: what Arrow must do for it (flatten, find the distinct values) is done for all rows. A
``Reader`` then makes the values of any run of rows. Strings, truth values and structs of these repeat often, so each
distinct one is made once and shared; all values are immutable.
"""

from __future__ import annotations

import dataclasses
import gc
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from importlib import resources
from itertools import pairwise, repeat
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chorewright.errors import DatasetCorrupt, InputError, LimitError
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import parse_json
from chorewright.files.lazily import Deferring, defer

Reader: TypeAlias = Callable[[int, int], list[Any]]
"""Makes the values of the rows from the first number up to the second one."""

_MOST_CODES = 2**62
"""Numbers of distinct values, multiplied; beyond that a combination of them does not fit an int64."""


@dataclass(frozen=True)
class Coded:
    """A column whose values repeat: the distinct values, and for each row the number of its value."""

    values: Sequence[object]
    codes: npt.NDArray[np.int64]

    def __call__(self, begin: int, end: int) -> list[Any]:
        """Return the values of a run of rows."""
        return self._rows[begin:end]

    @cached_property
    def _rows(self) -> list[Any]:
        """Each row's value: references, which take no more room than the codes."""
        return list(map(self.values.__getitem__, self.codes.tolist()))


def code(array: pa.Array) -> Coded:
    """Return a column of strings or truth values, which may be null, as codes; one may be codes already."""
    if pa.types.is_boolean(array.type) and not array.null_count:
        return Coded((False, True), array.to_numpy(zero_copy_only=False).astype(np.int64))
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    values = [*encoded.dictionary.to_pylist(), None]
    codes = encoded.indices.fill_null(len(values) - 1) if encoded.null_count else encoded.indices
    return Coded(values, codes.to_numpy(zero_copy_only=False).astype(np.int64))


def numbers(array: pa.Array) -> Reader:
    """Return the reader of a column of numbers, which may be null."""
    if array.null_count:
        values: list[object] = array.to_pylist()
        return lambda begin, end: values[begin:end]
    column = array.to_numpy(zero_copy_only=False)
    return lambda begin, end: column[begin:end].tolist()


def lists(array: pa.ListArray, elements: Reader) -> Reader:
    """Return the reader of a column of lists, without nulls, as tuples.

    Args:
        array: The column.
        elements: The reader of ``array.flatten()``, all lists' elements in a row.
    """
    numbered = array.offsets.to_numpy(zero_copy_only=False)
    offsets: list[int] = (numbered - numbered[0]).tolist()

    def rows(begin: int, end: int) -> list[tuple[object, ...]]:
        first, last = offsets[begin], offsets[end]
        if first == last:
            return [()] * (end - begin)
        values = elements(first, last)
        if end - begin == 1:
            return [tuple(values)]
        bounds = [each - first for each in offsets[begin : end + 1]]
        return [tuple(values[start:stop]) for start, stop in pairwise(bounds)]

    return rows


def optional(array: pa.Array, some: Reader) -> Reader:
    """Return the reader of a column that may be null.

    Args:
        array: The column.
        some: The reader of ``array.drop_null()``.
    """
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    there: list[bool] = valid.tolist()
    place: list[int] = np.concatenate([[0], np.cumsum(valid)]).tolist()

    def rows(begin: int, end: int) -> list[object]:
        values = iter(some(place[begin], place[end]))
        return [next(values) if each else None for each in there[begin:end]]

    return rows


def structs(members: Sequence[Reader], make: Callable[[Sequence[list[Any]]], list[Any]]) -> Reader:
    """Return the reader of a column of structs.

    Args:
        members: The readers of the fields; there is at least one.
        make: Makes values from lists, one of each field. If all fields repeat, so do the values.
    """
    columns = [each for each in members if isinstance(each, Coded)]
    shared = _combine(columns, make) if len(columns) == len(members) else None
    return shared or (lambda begin, end: make([member(begin, end) for member in members]))


def _combine(columns: Sequence[Coded], make: Callable[[Sequence[list[Any]]], list[Any]]) -> Coded | None:
    """Return the values of which each row is a combination, or None if there are too many to number."""
    number: npt.NDArray[np.int64] = np.zeros(len(columns[0].codes), np.int64)
    size = 1
    for each in columns:
        size *= len(each.values)
        if size > _MOST_CODES:
            return None
        number = number * len(each.values) + each.codes
    _, first, codes = np.unique(number, return_index=True, return_inverse=True)
    distinct = [Coded(each.values, each.codes[first])(0, len(first)) for each in columns]
    return Coded(make(distinct), codes.reshape(-1))


def instances(kind: type, names: Sequence[str]) -> Callable[[Sequence[Sequence[object]]], list[Any]]:
    """Return the function that makes instances of a dataclass from columns: the values of each field, in order.

    Args:
        kind: The class. If it has slots and nothing runs after ``__init__``, the slots are filled directly.
        names: All of its fields, in any order; of a class that is ``Deferring``, some.
    """
    fields = {each.name for each in dataclasses.fields(kind)}
    assert fields >= set(names) if issubclass(kind, Deferring) else fields == set(names)
    if hasattr(kind, "__post_init__") or "__slots__" not in kind.__dict__:
        return lambda columns: [kind(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]
    setters = [kind.__dict__[name].__set__ for name in names]
    new: Callable[[type], object] = object.__new__

    def make(columns: Sequence[Sequence[object]]) -> list[Any]:
        made = list(map(new, repeat(kind, len(columns[0]))))
        for setter, values in zip(setters, columns, strict=True):
            deque(map(setter, made, values), maxlen=0)
        return made

    return make


def opening(opened: Callable[[], Reader]) -> Reader:
    """Return the reader of a column that is opened when it is first read."""
    reader = cache(opened)
    return lambda begin, end: reader()(begin, end)


def deferring(now: Reader, later: Mapping[str, Reader]) -> Reader:
    """Return the reader of values some of whose fields are made when they are first asked for.

    Args:
        now: The reader of the values without these fields.
        later: The readers of these fields, by name.
    """

    def rows(begin: int, end: int) -> list[Any]:
        made = now(begin, end)
        run = _Run(begin, end, later)
        for place, value in enumerate(made):
            defer(value, run.field, place)
        return made

    return rows


class _Run:
    """The deferred fields of values that are read together: made together, too, and kept until each is fetched."""

    def __init__(self, begin: int, end: int, later: Mapping[str, Reader]) -> None:
        self._begin, self._end, self._later = begin, end, later
        self._made: dict[str, list[Any]] = {}

    def field(self, place: int, name: str) -> object:
        """Return a field of the value at a place."""
        with no_collection():
            if name not in self._made:
                self._made[name] = self._later[name](self._begin, self._end)
            value, self._made[name][place] = self._made[name][place], None
            if value is None:  # so it is, or another thread has fetched it
                (value,) = self._later[name](self._begin + place, self._begin + place + 1)
        return value


@contextmanager
def no_collection() -> Iterator[None]:
    """Pause the search for cycles: the values that are made have none, and there are many."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


# The JSON texts in a dataset's rows, checked as they are read: extras, arguments of steps, details of segments.
#
# A benchmark that ships a file ``data/rows.json`` says there what its texts hold. A shape is ``"text"`` (no JSON:
# any text), ``"any"``, ``"string"``, ``"string?"`` (or null), ``"number"``, ``"whole"``, ``"flag"``, ``[shape]``, or an
# object of shapes by key; a key that ends in ``?`` may be missing or null, and ``*`` stands for all others.


Shape: TypeAlias = "str | Sequence[Shape] | Mapping[str, Shape]"

Check: TypeAlias = Callable[[int, Sequence[Any]], None]
"""Checks the values of a field of rows, whose first number is given."""

_ANY, _OTHERS = "any", "*"


@dataclass(frozen=True, slots=True)
class RowTexts:
    """What the texts of a benchmark's rows hold.

    Attributes:
        extras: By name.
        required: The extras that every row has.
        arguments: Of steps.
        details: Of segments.
    """

    extras: Mapping[str, Shape]
    required: frozenset[str]
    arguments: Shape
    details: Shape

    @property
    def checks(self) -> Mapping[str, Check]:
        """The checks of an episode's fields."""
        return {"extras": self._check_extras, "steps": self._check_steps, "segments": self._check_segments}

    def _check_extras(self, first: int, rows: Sequence[Sequence[tuple[str, str]]]) -> None:
        for row, extras in enumerate(rows, first):
            names = [name for name, _ in extras]
            if len(set(names)) < len(names):
                raise DatasetCorrupt(f"row {row} has an extra twice: {', '.join(sorted(names))}")
            if missing := sorted(self.required - set(names)):
                raise DatasetCorrupt(f"row {row} lacks the extra {missing[0]!r}")
            for name, text in extras:
                _require(self.extras.get(name, "text"), text, f"row {row}, extra {name}")

    def _check_steps(self, first: int, rows: Sequence[Iterable[Any]]) -> None:
        for row, steps in enumerate(rows, first):
            for number, step in enumerate(steps):
                _require(self.arguments, step.arguments, f"row {row}, arguments of step {number}")

    def _check_segments(self, first: int, rows: Sequence[Iterable[Any]]) -> None:
        for row, segments in enumerate(rows, first):
            for number, segment in enumerate(segments):
                _require(self.details, segment.details, f"row {row}, details of segment {number}")


def find_texts(benchmark: str) -> RowTexts:
    """Return what the texts of a benchmark's rows hold; without a file, any, but steps and segments have objects."""
    folder = resources.files("chorewright.generator")
    source = folder / benchmark / "data" / "rows.json" if benchmark.isidentifier() else folder / "data"
    told = json.loads(source.read_text("utf-8")) if source.is_file() else {}
    extras: Mapping[str, Shape] = told.get("extras", {})
    return RowTexts(
        {name.removesuffix("?"): shape for name, shape in extras.items()},
        frozenset(name for name in extras if not name.endswith("?")),
        told.get("arguments", {_OTHERS: _ANY}),
        told.get("details", {_OTHERS: _ANY}),
    )


def _require(shape: Shape, text: str, where: str) -> None:
    """Check a text.

    Raises:
        DatasetCorrupt: It does not have the shape.
    """
    if shape == "text":
        return
    problem = _problem(json.dumps(shape), text)
    if problem:
        raise DatasetCorrupt(f"{where}: {problem}", hint="the dataset was altered after it was made: generate it anew")


@lru_cache(maxsize=4096)
def _problem(shape: str, text: str) -> str:
    """Return what is wrong with a text, or nothing; texts of steps repeat."""
    try:
        _fit(root(parse_json(text)), json.loads(shape))
    except (InputError, LimitError) as error:
        place = error.location.json_path if error.location else None
        return f"{place}: {error.message}" if place else error.message
    return ""


_PLAIN: Mapping[str, Callable[[Node], object]] = {
    "any": lambda node: None,
    "string": Node.text,
    "string?": lambda node: None if node.value is None else node.text(),
    "number": Node.number,
    "whole": partial(Node.whole, least=-(10**6)),
    "flag": Node.flag,
}


def _fit(node: Node, shape: Shape) -> None:
    """Check a value.

    Raises:
        InputError: It does not have the shape.
    """
    if isinstance(shape, str):
        _PLAIN[shape](node)
    elif isinstance(shape, Mapping):
        named = {name.removesuffix("?") for name in shape}
        for name, inner in shape.items():
            member = node.get(name.removesuffix("?")) if name.endswith("?") else None
            if member is not None:
                _fit(member, inner)
            elif not name.endswith("?") and name != _OTHERS:
                _fit(node[name], inner)
        for key, member in node.members():
            if key not in named and _OTHERS in shape:
                _fit(member, shape[_OTHERS])
    else:
        for member in node.items():
            _fit(member, shape[0])
