"""Episodes as table rows and back, without loss: the schema of the stored Parquet files.

A row is one episode and a column one field of it; steps, segments, instructions and the scene's objects are
nested lists of structs, which ``datasets``, DuckDB, Polars and pandas read as they are. Schema and
conversion follow from the dataclasses' annotations, so that no field can be forgotten; ``SCHEMA_VERSION``
rises when they change. The column of an episode's start is as its world's record has it (``Starts``); what is true
of every start is not stored with each, and a reader gives these facts.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

import pyarrow as pa

from chorewright.errors import DatasetCorrupt, StorageError
from chorewright.generator.dataset.episode import Episode, EpisodeStart, starts
from chorewright.generator.dataset.store import columns
from chorewright.generator.dataset.store.columns import Check, Reader, RowTexts

SCHEMA_VERSION = 2

_SCALARS: Mapping[object, pa.DataType] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

_ROWS_AT_ONCE = 32
"""Rows that are made values at once: more share more, but take more memory."""

_TUPLES: Mapping[tuple[object, ...], tuple[str, ...]] = {
    (float, float, float): ("x", "y", "z"),
    (int, int): ("x", "z"),
    (str, str): ("name", "value"),
    (str, bool): ("name", "value"),
}
"""How the members of a fixed-length tuple are called in its struct."""


Opened: TypeAlias = Callable[[pa.Array, object], Reader]
"""Opens a column: returns the reader of its values."""


@dataclass(frozen=True, slots=True)
class _Codec:
    """How values of one annotation are stored: the column type, and the way there and back."""

    field_type: pa.DataType
    encode: Callable[[typing.Any], object]
    open: Opened
    nullable: bool = False

    def field(self, name: str) -> pa.Field:
        return pa.field(name, self.field_type, nullable=self.nullable)


DEFERRED = ("scene", "steps")
"""An episode's fields that are large and often not looked at: they are made when they are first asked for."""

_DEFERRED: Mapping[type, tuple[str, ...]] = {Episode: DEFERRED}


def _same(value: object) -> object:
    return value


def fields_of(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that a dataset stores."""
    return tuple(each.name for each in dataclasses.fields(kind) if each.metadata.get("stored", True))


def plain(value: object) -> object:
    """Return a value as dictionaries, lists and scalars, dataclasses by their stored fields."""
    if dataclasses.is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in fields_of(type(value))}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


@cache
def _codec(annotation: object) -> _Codec:
    """Return the codec of a dataclass, tuple, optional or scalar annotation."""
    if annotation in (str, bool):
        return _Codec(_SCALARS[annotation], _same, lambda array, facts: columns.code(array))
    if annotation in _SCALARS:
        encode = float if annotation is float else _same
        return _Codec(_SCALARS[annotation], encode, lambda array, facts: columns.numbers(array))
    if annotation is EpisodeStart:
        return _dataclass_codec(starts().record)
    if dataclasses.is_dataclass(annotation):
        return _dataclass_codec(typing.cast(type, annotation))
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _list_codec(_codec(arguments[0]))
    if origin is tuple and arguments in _TUPLES:
        return _tuple_codec(_TUPLES[arguments], tuple(_codec(argument) for argument in arguments))
    if origin in (typing.Union, types.UnionType) and len(arguments) == 2 and arguments[1] is type(None):
        return _optional_codec(_codec(arguments[0]))
    raise TypeError(f"a field of type {annotation} cannot be stored")


def _dataclass_codec(kind: type) -> _Codec:
    fields = _Fields(kind)

    def open_column(array: pa.StructArray, facts: object) -> Reader:
        parts = dict(zip(fields.columns, array.flatten(), strict=True))
        return fields.open(parts.__getitem__, facts)

    return _Codec(fields.type, fields.encode, open_column)


class _Fields:
    """How the fields of a dataclass are stored, each in a column of its own."""

    def __init__(self, kind: type) -> None:
        hints = typing.get_type_hints(kind)
        columns_of = {field.name: str(field.metadata.get("column", field.name)) for field in dataclasses.fields(kind)}
        self._codecs = {name: (columns_of[name], _codec(hints[name])) for name in fields_of(kind)}
        self._later = _DEFERRED.get(kind, ())
        self._now = tuple(name for name in self._codecs if name not in self._later)
        self._kind = kind
        self._source, following = starts().consequences(kind) or ("", ())
        self._make = columns.instances(kind, (*self._now, *following))
        self.columns = tuple(column for column, _ in self._codecs.values())
        self.type = pa.struct([codec.field(column) for column, codec in self._codecs.values()])

    def encode(self, value: object) -> object:
        """Return a value as a dictionary."""
        return {column: codec.encode(getattr(value, name)) for name, (column, codec) in self._codecs.items()}

    def open(self, part: Callable[[str], pa.Array], facts: object, checks: Mapping[str, Check] | None = None) -> Reader:
        """Return the reader of values, given what returns a column; those of deferred fields are asked for later.

        Args:
            part: Returns a column.
            facts: What is true of starts.
            checks: Checks of fields, made when these are read.
        """

        def opened(name: str) -> Reader:
            column, codec = self._codecs[name]
            read = codec.open(part(column), facts)
            check = (checks or {}).get(name)
            return read if check is None else partial(_check, read, check)

        now = columns.structs([opened(name) for name in self._now], partial(self._complete, facts))
        later = {name: columns.opening(partial(opened, name)) for name in self._later}
        return columns.deferring(now, later) if later else now

    def _complete(self, facts: object, values: Sequence[list[object]]) -> list[object]:
        if not self._source:
            return self._make(values)
        source = values[self._now.index(self._source)]
        return self._make([*values, *starts().follow(self._kind, source, facts)])


def _check(read: Reader, check: Check, begin: int, end: int) -> list[typing.Any]:
    values = read(begin, end)
    check(begin, values)
    return values


def _list_codec(element: _Codec) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return [element.encode(value) for value in values]

    def open_column(array: pa.ListArray, facts: object) -> Reader:
        return columns.lists(array, element.open(array.flatten(), facts))

    return _Codec(pa.list_(element.field("element")), _same if element.encode is _same else encode, open_column)


def _tuple_codec(names: tuple[str, ...], members: tuple[_Codec, ...]) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return {name: codec.encode(value) for name, codec, value in zip(names, members, values, strict=True)}

    def open_column(array: pa.StructArray, facts: object) -> Reader:
        readers = [codec.open(child, facts) for codec, child in zip(members, array.flatten(), strict=True)]
        return columns.structs(readers, lambda values: list(zip(*values, strict=True)))

    fields = [codec.field(name) for name, codec in zip(names, members, strict=True)]
    return _Codec(pa.struct(fields), encode, open_column)


def _optional_codec(some: _Codec) -> _Codec:
    def encode(value: object) -> object:
        return None if value is None else some.encode(value)

    def open_column(array: pa.Array, facts: object) -> Reader:
        if not array.null_count or some.encode is _same:  # the reader of strings and truth values knows null
            return some.open(array, facts)
        return columns.optional(array, some.open(array.drop_null(), facts))

    return _Codec(some.field_type, encode, open_column, nullable=True)


_EPISODE = _Fields(Episode)

SCHEMA = pa.schema(list(_EPISODE.type))
"""The columns of a shard; null only where a field may be ``None``."""


def _type_of_codes(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_type_of_codes(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_type_of_codes(each.type)) for each in kind])
    return pa.dictionary(pa.int32(), kind) if pa.types.is_string(kind) else kind


_TYPES = {each.name: each.type for each in SCHEMA}
_CODED_TYPES = {each.name: _type_of_codes(each.type) for each in SCHEMA}
"""The types of ``SCHEMA`` as Parquet keeps strings that repeat: the distinct ones, and their numbers."""


def to_table(episodes: Sequence[Episode]) -> pa.Table:
    """Return the episodes as a table of ``SCHEMA``.

    Raises:
        StorageError: a value does not fit its column (an integer too large, text that is not Unicode).
    """
    try:
        return pa.Table.from_pylist([_EPISODE.encode(episode) for episode in episodes], schema=SCHEMA)
    except (pa.ArrowException, OverflowError, UnicodeError, TypeError, AttributeError) as error:
        indices = ", ".join(str(episode.index) for episode in episodes[:3])
        raise StorageError(
            f"an episode of {indices}{', ...' if len(episodes) > 3 else ''} does not fit the schema: {error}"
        ) from error


def _check_columns(table: pa.Table, names: Sequence[str]) -> None:
    coded, as_stored = ([types[name] for name in names] for types in (_CODED_TYPES, _TYPES))
    if table.schema.names != list(names) or table.schema.types not in (coded, as_stored):
        raise DatasetCorrupt(f"the columns are not those of schema version {SCHEMA_VERSION}")


class Rows:
    """The episodes of a table, made as they are asked for.

    Args:
        table: Rows of ``SCHEMA``; strings may be dictionaries, which are faster.
        facts: What is true of the episodes' starts; see ``Starts``.
        later: Returns a table of one of the columns ``DEFERRED``, which ``table`` then lacks.
        texts: What the texts of the rows hold; they are checked as they are read.

    Raises:
        DatasetCorrupt: the table does not have the columns of ``SCHEMA``.
    """

    def __init__(
        self,
        table: pa.Table,
        facts: object,
        later: Callable[[str], pa.Table] | None = None,
        texts: RowTexts | None = None,
    ) -> None:
        _check_columns(table, [name for name in SCHEMA.names if later is None or name not in DEFERRED])
        self._count: int = table.num_rows

        def column(name: str) -> pa.Array:
            if later is None or name not in DEFERRED:
                return table[name].combine_chunks()
            alone = later(name)
            _check_columns(alone, [name])
            return alone[name].combine_chunks()

        self._read = _EPISODE.open(column, facts, texts.checks if texts else None)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, row: int) -> Episode:
        return typing.cast(Episode, self._read(row, row + 1)[0])

    def __iter__(self) -> Iterator[Episode]:
        for begin in range(0, self._count, _ROWS_AT_ONCE):
            with columns.no_collection():
                episodes = self._read(begin, min(begin + _ROWS_AT_ONCE, self._count))
            yield from episodes


def from_table(table: pa.Table, facts: object) -> Iterator[Episode]:
    """Return the episodes of a table; see ``Rows``."""
    return iter(Rows(table, facts))
