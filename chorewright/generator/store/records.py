"""Episodes as table rows and back, without loss: the schema of the stored Parquet files.

A row is one episode and a column one field of it; steps, segments, instructions and the scene's objects are
nested lists of structs, which ``datasets``, DuckDB, Polars and pandas read as they are. Schema and
conversion follow from the dataclasses' annotations, so that no field can be forgotten; ``SCHEMA_VERSION``
rises when they change.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from chorewright.errors import DatasetCorrupt, StorageError
from chorewright.generator.episode import Episode

SCHEMA_VERSION = 2

_SCALARS: Mapping[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}

_TUPLES: Mapping[tuple[object, ...], tuple[str, ...]] = {
    (float, float, float): ("x", "y", "z"),
    (int, int): ("x", "z"),
    (str, str): ("name", "value"),
    (str, bool): ("name", "value"),
}
"""How the members of a fixed-length tuple are called in its struct."""


@dataclass(frozen=True, slots=True)
class _Codec:
    """How values of one annotation are stored: the column type, and the way there and back."""

    field_type: pa.DataType
    encode: Callable[[typing.Any], object]
    decode: Callable[[typing.Any], typing.Any]
    nullable: bool = False

    def field(self, name: str) -> pa.Field:
        return pa.field(name, self.field_type, nullable=self.nullable)


def _same(value: object) -> object:
    return value


@cache
def _codec(annotation: object) -> _Codec:
    """Return the codec of a dataclass, tuple, optional or scalar annotation."""
    if annotation in _SCALARS:
        return _Codec(_SCALARS[annotation], float if annotation is float else _same, _same)
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
    hints = typing.get_type_hints(kind)
    codecs = tuple((field.name, _codec(hints[field.name])) for field in dataclasses.fields(kind))

    def encode(value: object) -> object:
        return {name: codec.encode(getattr(value, name)) for name, codec in codecs}

    def decode(row: Mapping[str, object]) -> object:
        return kind(**{name: codec.decode(row[name]) for name, codec in codecs})

    return _Codec(pa.struct([codec.field(name) for name, codec in codecs]), encode, decode)


def _list_codec(element: _Codec) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return [element.encode(value) for value in values]

    def decode(values: Sequence[object]) -> object:
        return tuple([element.decode(value) for value in values])

    if element.encode is _same and element.decode is _same:
        return _Codec(pa.list_(element.field("element")), _same, tuple)
    return _Codec(pa.list_(element.field("element")), encode, decode)


def _tuple_codec(names: tuple[str, ...], members: tuple[_Codec, ...]) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return {name: codec.encode(value) for name, codec, value in zip(names, members, values, strict=True)}

    def decode(row: Mapping[str, object]) -> object:
        return tuple([codec.decode(row[name]) for name, codec in zip(names, members, strict=True)])

    fields = [codec.field(name) for name, codec in zip(names, members, strict=True)]
    return _Codec(pa.struct(fields), encode, decode)


def _optional_codec(some: _Codec) -> _Codec:
    def encode(value: object) -> object:
        return None if value is None else some.encode(value)

    def decode(value: object) -> object:
        return None if value is None else some.decode(value)

    return _Codec(some.field_type, encode, decode, nullable=True)


_EPISODE = _codec(Episode)

SCHEMA = pa.schema(list(_EPISODE.field_type))
"""The columns of a shard; null only where a field may be ``None``."""


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


def from_table(table: pa.Table) -> Iterator[Episode]:
    """Yield the episodes of a table.

    Raises:
        DatasetCorrupt: the table does not have the columns of ``SCHEMA``.
    """
    if table.schema.names != SCHEMA.names or table.schema.types != SCHEMA.types:
        raise DatasetCorrupt(f"the columns are not those of schema version {SCHEMA_VERSION}")
    for batch in table.to_batches(max_chunksize=16):  # rows of Python values are large: a few at a time
        for row in batch.to_pylist():
            yield _EPISODE.decode(row)
