"""The values of a condition's parts, computed by Arrow for a table's rows: columns, fields of lists, calculations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from chorewright.errors import UsageError

NUMBER, TEXT, FLAG, LIST = "number", "text", "flag", "list"
"""The kinds of values."""


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """What a part of a condition is for a table: a value, or one for each row, or some for each row.

    Attributes:
        data: An Arrow array or scalar.
        rows: The row of each element where a row may have any number; None where each has one.
    """

    data: pa.Array | pa.Scalar
    rows: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a condition.

    Attributes:
        kind: What it is: a number, a text, a flag (true or false), or a list.
        compute: Returns its values for a table that has its columns.
        several: Whether a row may have any number of values.
    """

    kind: str
    compute: Callable[[pa.Table], ColumnValues]
    several: bool = False


@dataclass(frozen=True, slots=True)
class RowCondition:
    """A condition that is parsed.

    Attributes:
        text: As it was typed.
        leaves: The paths of the columns in Parquet that it needs.
        part: What is computed.
    """

    text: str
    leaves: tuple[str, ...]
    part: Part

    def holds(self, table: pa.Table) -> npt.NDArray[np.bool_]:
        """Return for each row whether the condition holds; where null decides, it does not.

        Raises:
            UsageError: A number grows too large, or is divided by zero.
        """
        try:
            data = self.part.compute(table).data
        except pa.ArrowInvalid as error:
            raise UsageError(f"the condition cannot be computed: {error}", hint=self.text) from error
        if isinstance(data, pa.Scalar):
            return np.full(table.num_rows, bool(data.as_py()))
        held: npt.NDArray[np.bool_] = pc.fill_null(data, False).to_numpy(zero_copy_only=False)
        return held


Take: TypeAlias = Callable[[ColumnValues], ColumnValues]
"""A step into a column: a field, or the elements of lists."""


def literal(kind: str, value: object) -> Part:
    """Return a value that is typed."""
    scalar = pa.scalar(value)
    return Part(kind, lambda table: ColumnValues(scalar))


def kind_of(kind: pa.DataType) -> str:
    """Return what kind of values a column of an Arrow type has."""
    if pa.types.is_list(kind):
        return LIST
    if pa.types.is_boolean(kind):
        return FLAG
    return TEXT if pa.types.is_string(kind) else NUMBER


def is_named(kind: pa.DataType) -> bool:
    """Whether values of a type are pairs of a name and a value."""
    return pa.types.is_struct(kind) and {each.name for each in kind} == {"name", "value"}


def smallest(kind: pa.DataType, leaf: str) -> str:
    """Return the path in Parquet of a column, of lists the element's part that is read fastest."""
    while pa.types.is_list(kind) or pa.types.is_struct(kind):
        if pa.types.is_list(kind):
            kind, leaf = kind.value_type, f"{leaf}.list.element"
        else:
            plain = [each for each in kind if not pa.types.is_nested(each.type)]
            first = min(plain, key=lambda each: pa.types.is_string(each.type))
            kind, leaf = first.type, f"{leaf}.{first.name}"
    return leaf


def follow(takes: Sequence[Take], table: pa.Table) -> ColumnValues:
    """Return the values of a column, or of a field in it, step by step from the table."""
    values = ColumnValues(table)
    for take in takes:
        values = take(values)
    return values


def member(name: str, outermost: bool, values: ColumnValues) -> ColumnValues:
    """Return a column of a table, or a field of structs."""
    if outermost:
        return ColumnValues(values.data[name].combine_chunks())
    return ColumnValues(pc.struct_field(values.data, [name]), values.rows)


def elements(values: ColumnValues) -> ColumnValues:
    """Return the elements of lists, each with the number of its row."""
    parents: npt.NDArray[np.int64] = pc.list_parent_indices(values.data).to_numpy().astype(np.int64)
    rows = parents if values.rows is None else values.rows[parents]
    return ColumnValues(pc.list_flatten(values.data), rows)


def value_by_name(key: str, values: ColumnValues) -> ColumnValues:
    """Return the value of a name in lists of names and values, null where a list has none."""
    inside = elements(values)
    assert inside.rows is not None
    found = np.flatnonzero(pc.equal(pc.struct_field(inside.data, ["name"]), key).to_numpy(zero_copy_only=False))
    places = np.full(len(values.data), -1, np.int64)
    places[inside.rows[found]] = found
    return ColumnValues(pc.struct_field(inside.data, ["value"]).take(pa.array(places, mask=places < 0)))


def exactly(calculate: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    """Calculate with floats: whole numbers would be divided without a rest."""
    return calculate(pc.cast(left, pa.float64()), pc.cast(right, pa.float64()))


def unary(
    calculate: Callable[..., pa.Array], compute: Callable[[pa.Table], ColumnValues], table: pa.Table
) -> ColumnValues:
    """Return what a function makes of values."""
    values = compute(table)
    return ColumnValues(calculate(values.data), values.rows)


def binary(
    calculate: Callable[..., pa.Array],
    left: Callable[[pa.Table], ColumnValues],
    right: Callable[[pa.Table], ColumnValues],
    table: pa.Table,
) -> ColumnValues:
    """Return what a function makes of values on two sides, of which one may have several a row."""
    one, other = left(table), right(table)
    rows = one.rows if other.rows is None else other.rows
    if one.rows is None and rows is not None and isinstance(one.data, pa.Array):
        one = ColumnValues(one.data.take(pa.array(rows)))
    if other.rows is None and rows is not None and isinstance(other.data, pa.Array):
        other = ColumnValues(other.data.take(pa.array(rows)))
    return ColumnValues(calculate(one.data, other.data), rows)


def some(part: Part) -> Part:
    """Return what is true of a row if it is true of one of its values."""
    if not part.several:
        return part

    def any_of(table: pa.Table) -> ColumnValues:
        values = part.compute(table)
        assert values.rows is not None
        held = np.zeros(table.num_rows, bool)
        held[values.rows[pc.fill_null(values.data, False).to_numpy(zero_copy_only=False)]] = True
        return ColumnValues(pa.array(held))

    return Part(part.kind, any_of)
