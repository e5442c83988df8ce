"""Episodes as table rows and back, without loss: the schema of the stored Parquet files.

A row is one episode and a column one field of it; steps, segments, instructions and the scene's objects are
nested lists of structs, which ``datasets``, DuckDB, Polars and pandas read as they are. Schema and
conversion follow from the dataclasses' annotations, so that no field can be forgotten; ``SCHEMA_VERSION``
rises when they change. What is true of a kind of thing is not stored with every thing; a reader gives the kinds.
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
from chorewright.problems.thor.kinds import Kinds
from chorewright.problems.thor.scene import Scene, SceneObject

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
    decode: Callable[[typing.Any, Kinds], typing.Any]
    nullable: bool = False

    def field(self, name: str) -> pa.Field:
        return pa.field(name, self.field_type, nullable=self.nullable)


_COMPLETE: Mapping[type, Callable[[Mapping[str, typing.Any], Kinds], Mapping[str, object]]] = {
    Scene: lambda values, kinds: {"kinds": kinds},
    SceneObject: lambda values, kinds: {"traits": kinds[values["kind"]]},
}
"""How the fields of a class that are not stored follow from those that are, and from the kinds there are."""


def _same(value: object) -> object:
    return value


def _as_stored(value: object, kinds: Kinds) -> object:
    return value


def stored_fields(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that a dataset stores."""
    return tuple(each.name for each in dataclasses.fields(kind) if each.metadata.get("stored", True))


def plain(value: object) -> object:
    """Return a value as dictionaries, lists and scalars, dataclasses by their stored fields."""
    if dataclasses.is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in stored_fields(type(value))}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value


@cache
def _codec(annotation: object) -> _Codec:
    """Return the codec of a dataclass, tuple, optional or scalar annotation."""
    if annotation in _SCALARS:
        return _Codec(_SCALARS[annotation], float if annotation is float else _same, _as_stored)
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
    columns = {field.name: str(field.metadata.get("column", field.name)) for field in dataclasses.fields(kind)}
    codecs = tuple((name, columns[name], _codec(hints[name])) for name in stored_fields(kind))
    complete = _COMPLETE.get(kind)

    def encode(value: object) -> object:
        return {column: codec.encode(getattr(value, name)) for name, column, codec in codecs}

    def decode(row: Mapping[str, object], kinds: Kinds) -> object:
        values = {name: codec.decode(row[column], kinds) for name, column, codec in codecs}
        return kind(**values) if complete is None else kind(**values, **complete(values, kinds))

    return _Codec(pa.struct([codec.field(column) for _, column, codec in codecs]), encode, decode)


def _list_codec(element: _Codec) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return [element.encode(value) for value in values]

    def decode(values: Sequence[object], kinds: Kinds) -> object:
        return tuple([element.decode(value, kinds) for value in values])

    if element.encode is _same and element.decode is _as_stored:
        return _Codec(pa.list_(element.field("element")), _same, lambda values, kinds: tuple(values))
    return _Codec(pa.list_(element.field("element")), encode, decode)


def _tuple_codec(names: tuple[str, ...], members: tuple[_Codec, ...]) -> _Codec:
    def encode(values: Sequence[object]) -> object:
        return {name: codec.encode(value) for name, codec, value in zip(names, members, values, strict=True)}

    def decode(row: Mapping[str, object], kinds: Kinds) -> object:
        return tuple([codec.decode(row[name], kinds) for name, codec in zip(names, members, strict=True)])

    fields = [codec.field(name) for name, codec in zip(names, members, strict=True)]
    return _Codec(pa.struct(fields), encode, decode)


def _optional_codec(some: _Codec) -> _Codec:
    def encode(value: object) -> object:
        return None if value is None else some.encode(value)

    def decode(value: object, kinds: Kinds) -> object:
        return None if value is None else some.decode(value, kinds)

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


def from_table(table: pa.Table, kinds: Kinds) -> Iterator[Episode]:
    """Yield the episodes of a table.

    Args:
        table: Rows of ``SCHEMA``.
        kinds: What the things in the episodes' rooms are.

    Raises:
        DatasetCorrupt: the table does not have the columns of ``SCHEMA``.
    """
    if table.schema.names != SCHEMA.names or table.schema.types != SCHEMA.types:
        raise DatasetCorrupt(f"the columns are not those of schema version {SCHEMA_VERSION}")
    for batch in table.to_batches(max_chunksize=16):  # rows of Python values are large: a few at a time
        for row in batch.to_pylist():
            yield _EPISODE.decode(row, kinds)
