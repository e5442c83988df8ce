"""What pages may claim: a few kilobytes that stand for gigabytes are refused, stored episodes are not."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.store.page_sizes import MOST_TEXT, require_bounded
from chorewright.generator.dataset.store.records import to_table
from tests.hostile.rows import ROWS


def check(table: pa.Table, **how: object) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", **how)
    data = sink.getvalue()
    require_bounded(data, pq.ParquetFile(pa.BufferReader(data)).metadata)


@pytest.mark.parametrize("name", ["alfred", "teach", "handmethat", "objectnav", "behavior"])
def test_stored_episodes_pass(name: str) -> None:
    data = pa.py_buffer((ROWS / f"{name}.parquet").read_bytes())
    require_bounded(data, pq.ParquetFile(pa.BufferReader(data)).metadata)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pa.table({"a": ["x" * (MOST_TEXT + 1)] * 50}), "a text in the column a has 2,000,001 bytes"),
        (lambda: pa.table({"a": ["x" * 100_000] * 2000}), "more than 120,000,000 bytes"),
        (lambda: pa.table({"a": pa.array([7]).take(pa.array([0] * 8_000_000))}), "more than 120,000,000 bytes"),
    ],
    ids=["a long text", "a text often", "a number often"],
)
def test_what_stands_for_much_is_refused(make: Callable[[], pa.Table], message: str, version: str) -> None:
    with pytest.raises(DatasetCorrupt, match=message):
        check(make(), data_page_version=version, row_group_size=10_000_000)


def test_no_rows_pass() -> None:
    check(to_table([]))


def test_what_is_just_large_passes() -> None:
    check(pa.table({"a": [f"{number:05d}" * 4000 for number in range(2000)]}))


def test_damaged_headers_are_refused() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": ["x", "y"] * 50}), sink)
    good = sink.getvalue().to_pybytes()
    metadata = pq.ParquetFile(pa.BufferReader(good)).metadata
    refused = 0
    for place in range(4, 40):
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            bad = bytearray(good)
            bad[place] = value
            try:
                require_bounded(pa.py_buffer(bytes(bad)), metadata)
            except DatasetCorrupt:
                refused += 1
    assert refused > 20
