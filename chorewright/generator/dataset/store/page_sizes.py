"""What a shard takes in memory, told by the headers of its Parquet pages before any page is decompressed.

A few bytes may stand for much: zeros compress well, a long string of a dictionary may be that of every row, and one run
may say a value a billion times. The file's footer may tell less than that; readers allocate what the pages' headers
say, so these are added up: the format is Thrift's compact protocol (Parquet's ``PageHeader``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt

MOST_GROUP = 120_000_000
"""Bytes of a row group in memory; 64 of CALVIN's episodes take half of it."""

MOST_TEXT = 2_000_000
"""Bytes of a text of a row; a house of ten rooms takes half a megabyte."""

_EACH = 16
"""Bytes of a value beside the page's own: its level, and what it refers to."""

_SMALL = 1_000_000
"""Bytes that a column may take before its dictionary is looked into."""

_DICTIONARY_PAGE = 2
_UNCOMPRESSED, _COMPRESSED, _DATA, _DICTIONARY, _DATA_2 = 2, 3, 5, 7, 8
"""Fields of a ``PageHeader``; the first field of those of pages is their number of values."""

_ENCODING = (2, 4)
"""The field of a data page, and of one of the second version, that says how values are written."""
_PLAIN = 0

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
_DEEPEST = 8

_Fields: TypeAlias = "Mapping[int, int | _Fields]"


@dataclass(frozen=True, slots=True)
class _Page:
    dictionary: bool
    coded: bool
    values: int
    size: int
    content: memoryview


def require_bounded(data: pa.Buffer, metadata: pq.FileMetaData) -> None:
    """Check that each row group of a file fits into memory, and that no text in it is too long.

    Raises:
        DatasetCorrupt: One does not, or a page's header is damaged.
    """
    view = memoryview(data).cast("B")
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        if row_group.num_rows == 0:  # nothing of it is read; its columns have no pages of data
            continue
        size = 0
        for column in range(row_group.num_columns):
            size += _column_size(view, row_group.column(column))
            if size > MOST_GROUP:
                raise DatasetCorrupt(
                    f"row group {group} takes more than {MOST_GROUP:,} bytes in memory",
                    hint="no episodes of chorewright's are that large",
                )


def _column_size(view: memoryview, column: pq.ColumnChunkMetaData) -> int:
    """Return how many bytes a column of a row group takes at most."""
    pages = list(_pages(view, column))
    values = sum(page.values for page in pages if not page.dictionary)
    coded = sum(page.values for page in pages if page.coded)
    size = sum(page.size for page in pages) + values * _EACH
    for page in pages:
        if page.dictionary and column.physical_type == "BYTE_ARRAY" and coded * page.size > _SMALL:
            if page.size > MOST_GROUP:
                return page.size
            longest = _longest(page, column.compression)
            if longest > MOST_TEXT:
                name = column.path_in_schema
                raise DatasetCorrupt(f"a text in the column {name} has {longest:,} bytes; {MOST_TEXT:,} are allowed")
            size += coded * longest
    return size


def _pages(view: memoryview, column: pq.ColumnChunkMetaData) -> Iterator[_Page]:
    at = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < at:
        at = column.dictionary_page_offset
    end = at + column.total_compressed_size
    if not 0 <= at <= end <= len(view):
        raise DatasetCorrupt("a column lies outside of the file")
    while at < end:
        try:
            fields, at = _struct(view, at, 0)
        except IndexError:
            raise DatasetCorrupt("a page's header is cut off") from None
        size, compressed = (fields.get(each, -1) for each in (_UNCOMPRESSED, _COMPRESSED))
        inner = next((fields[each] for each in (_DATA, _DICTIONARY, _DATA_2) if each in fields), {})
        values = inner.get(1, 0) if isinstance(inner, Mapping) else -1
        if not (isinstance(size, int) and isinstance(compressed, int) and isinstance(values, int)):
            raise DatasetCorrupt("a page's header is damaged")
        if min(size, compressed, values) < 0 or at + compressed > end:
            raise DatasetCorrupt("a page's header is damaged")
        dictionary = fields.get(1) == _DICTIONARY_PAGE
        coded = not dictionary and isinstance(inner, Mapping) and inner.get(_ENCODING[_DATA_2 in fields]) != _PLAIN
        yield _Page(dictionary, coded, values, size, view[at : at + compressed])
        at += compressed


def _longest(page: _Page, compression: str) -> int:
    """Return the bytes of the longest string of a dictionary."""
    content = page.content
    if compression != "UNCOMPRESSED":
        try:
            content = memoryview(pa.decompress(content, page.size, compression.lower())).cast("B")
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DatasetCorrupt(f"a dictionary cannot be decompressed: {error}") from error
    at, longest = 0, 0
    while at + 4 <= len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        longest, at = max(longest, length), at + 4 + length
    return longest


def _struct(view: memoryview, at: int, depth: int) -> tuple[_Fields, int]:
    """Return the whole numbers and structs of a struct by the numbers of their fields, and where it ends."""
    if depth > _DEEPEST:
        raise IndexError
    fields: dict[int, int | _Fields] = {}
    number = 0
    while (head := view[at]) & 15 != _STOP:
        kind, at = head & 15, at + 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _whole(view, at)
        if kind in (_TRUE, _FALSE):
            continue
        value, at = _value(view, at, kind, depth)
        if value is not None:
            fields[number] = value
    return fields, at + 1


def _value(view: memoryview, at: int, kind: int, depth: int) -> tuple[int | _Fields | None, int]:
    """Return a value, None of one that is only passed over, and where it ends."""
    if kind == _STRUCT:
        return _struct(view, at, depth + 1)
    if kind in (_TRUE, _FALSE, _BYTE):
        return None, at + 1
    if kind == _DOUBLE:
        return None, at + 8
    if kind == _BINARY:
        length, at = _varint(view, at)
        return None, at + length
    if kind in (_LIST, _SET):
        head, at = view[at], at + 1
        count, at = (head >> 4, at) if head >> 4 < 15 else _varint(view, at)
        if count > len(view) - at:
            raise IndexError
        for _ in range(count):
            _, at = _value(view, at, head & 15, depth + 1)
        return None, at
    if kind == _MAP:
        raise IndexError  # a page's header has none
    return _whole(view, at)


def _whole(view: memoryview, at: int) -> tuple[int, int]:
    found, at = _varint(view, at)
    return (found >> 1) ^ -(found & 1), at


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = view[at]
        found, shift, at = found | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return found, at
        if shift > 63:
            raise IndexError
