"""Shards as they are read: checked once against the manifest, then row group by row group, as episodes or columns."""

from __future__ import annotations

import hashlib
import mmap
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.columns import RowTexts, find_texts
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.page_sizes import require_bounded
from chorewright.generator.dataset.store.places import Place, RemotePath
from chorewright.generator.dataset.store.records import DEFERRED, SCHEMA, Rows

# What a file holds, mapped into memory for Arrow, whatever bytes its name is made of.
#
# Arrow opens names of UTF-8 only. Python opens them all, so here it is Python that opens the file.


def contents(place: Place) -> pa.Buffer:
    """Return a file's bytes: mapped from this machine's disk, or read from elsewhere.

    Raises:
        OSError: It cannot be read.
    """
    return pa.py_buffer(place.read_bytes()) if isinstance(place, RemotePath) else _map_file(place)


def _map_file(path: Path) -> pa.Buffer:
    with path.open("rb") as stream:
        if not os.fstat(stream.fileno()).st_size:
            return pa.py_buffer(b"")
        return pa.py_buffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


_REBUILD = "run the same generate command again: it makes damaged shards anew"

CACHE = 256 << 20
"""Bytes of Arrow data that ``ShardReader`` keeps for random access."""

_OPEN = 32
"""Files that ``ShardReader`` keeps open."""

_AT_ONCE = [name for name in SCHEMA.names if name not in DEFERRED]


class _Shard:
    """A shard's file, open: for columns, and for episodes, whose strings are read as dictionaries."""

    def __init__(self, path: Place, data: pa.Buffer, columns: pq.ParquetFile) -> None:
        self.path, self.data, self.columns = path, data, columns
        self._lock = threading.Lock()  # pyarrow's files are for one thread

    @cached_property
    def _coded(self) -> pq.ParquetFile:
        leaves = map(self.columns.schema.column, range(len(self.columns.schema)))
        strings = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        return pq.ParquetFile(pa.BufferReader(self.data), pre_buffer=False, read_dictionary=strings)

    def read(self, groups: Sequence[int], columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns of row groups, or all."""
        try:
            with self._lock:
                return self.columns.read_row_groups(groups, columns=columns, use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self.path, error) from error

    def rows(self, group: int, columns: Sequence[str]) -> pa.Table:
        """Return columns of a row group to make episodes of."""
        try:
            with self._lock:
                table = self._coded.read_row_groups([group], columns=columns, use_threads=False)
            if all(column.num_chunks == 1 for column in table.columns):
                return table
        except pa.ArrowNotImplementedError:  # strings so many that Parquet gave up their dictionary midway
            pass
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self.path, error) from error
        return self.read([group], columns)

    def episodes(self, group: int, facts: object, texts: RowTexts) -> Rows:
        """Return the episodes of a row group. Their deferred columns are read when they are first asked for."""
        return Rows(self.rows(group, _AT_ONCE), facts, lambda name: self.rows(group, [name]), texts)


class ShardReader:
    """Reads a dataset's shards.

    A shard is compared with its checksum when it is first read. Row groups that were read for single episodes are
    kept, at most ``CACHE`` bytes of them, and so are files. Threads may share a reader.
    """

    def __init__(self, folder: Place, facts: object, benchmark: str) -> None:
        self._folder = folder
        self._facts = facts
        self._texts = find_texts(benchmark)
        self._checked: set[int] = set()
        self._shards: OrderedDict[int, _Shard] = OrderedDict()
        self._kept: OrderedDict[tuple[int, int], tuple[Rows, int]] = OrderedDict()
        self._lock = threading.Lock()

    def episode(self, entry: ShardEntry, row: int) -> Episode:
        """Return the episode in a row of a shard."""
        with self._lock:
            metadata = self._shard(entry).columns.metadata
            group = 0
            while row >= (rows := metadata.row_group(group).num_rows):
                row -= rows
                group += 1
            return self._rows(entry, group)[row]

    def episodes(self, entry: ShardEntry) -> Iterator[Episode]:
        """Yield the episodes of a shard."""
        with self._lock:
            shard = self._shard(entry)
        for group in range(shard.columns.num_row_groups):
            yield from shard.episodes(group, self._facts, self._texts)

    def table(self, entry: ShardEntry, columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns of a shard, or all; ``scene.name`` is a field of a column, and keeps that name."""
        with self._lock:
            shard = self._shard(entry)
            table = shard.read(range(shard.columns.num_row_groups), columns)
        return table if columns is None else pa.table({name: _field(table, name) for name in columns})

    def leaves(self, entry: ShardEntry, paths: Sequence[str]) -> pa.Table:
        """Return parts of a shard's columns by their paths in Parquet, each within its column."""
        with self._lock:
            shard = self._shard(entry)
            return shard.read(range(shard.columns.num_row_groups), paths)

    def _rows(self, entry: ShardEntry, group: int) -> Rows:
        key = (entry.shard, group)
        if key not in self._kept:
            shard = self._shard(entry)
            self._kept[key] = (
                shard.episodes(group, self._facts, self._texts),
                shard.columns.metadata.row_group(group).total_byte_size,
            )
            while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > CACHE:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def _shard(self, entry: ShardEntry) -> _Shard:
        if entry.shard not in self._shards:
            checked = entry.shard in self._checked
            self._shards[entry.shard] = _open(self._folder / entry.file, entry, check=not checked)
            self._checked.add(entry.shard)
            while len(self._shards) > 1 and (len(self._shards) > _OPEN or self._size() > CACHE):
                self._shards.popitem(last=False)
        self._shards.move_to_end(entry.shard)
        return self._shards[entry.shard]

    def _size(self) -> int:
        """Bytes of the open files that are in memory: those from elsewhere."""
        if not isinstance(self._folder, RemotePath):
            return 0
        return sum(shard.data.size for shard in self._shards.values())


def _field(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a column, or a field of structs in it."""
    first, *path = name.split(".")
    column = table[first]
    return pc.struct_field(column, path) if path else column


def open_shard(folder: Place, entry: ShardEntry) -> pq.ParquetFile:
    """Return a shard's file, open.

    Args:
        folder: The dataset's.
        entry: What the manifest says of the shard.

    Raises:
        DatasetCorrupt: the file is not what the manifest says.
    """
    return _open(folder / entry.file, entry, check=True).columns


def _open(path: Place, entry: ShardEntry, *, check: bool) -> _Shard:
    try:
        data = contents(path)
        if check and hashlib.sha256(data).hexdigest() != entry.sha256:
            raise DatasetCorrupt(f"{path} has another checksum than the manifest says", hint=_REBUILD)
        file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    if file.schema_arrow.names != SCHEMA.names or file.metadata.num_rows != entry.accepted:
        raise DatasetCorrupt(f"{path} does not hold the rows that the manifest says", hint=_REBUILD)
    if check:
        try:
            require_bounded(data, file.metadata)
        except DatasetCorrupt as error:
            raise DatasetCorrupt(f"{path}: {error.message}", hint=error.hint or _REBUILD) from error
    return _Shard(path, data, file)


def read_shard(folder: Place, entry: ShardEntry) -> pa.Table:
    """Return a shard's table.

    Raises:
        DatasetCorrupt: the file is not what the manifest says.
    """
    file = open_shard(folder, entry)
    try:
        return file.read(use_threads=False)  # pyarrow's threads now and then abort the process at its end
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(folder / entry.file, error) from error


def _unreadable(path: Place, error: OSError | pa.ArrowException) -> DatasetCorrupt:
    if isinstance(error, OSError) and not isinstance(error, pa.ArrowException):
        return DatasetCorrupt(f"{path} cannot be read: {error.strerror or error}", hint=_REBUILD)
    return DatasetCorrupt(f"{path} is not a Parquet file: {error}", hint=_REBUILD)
