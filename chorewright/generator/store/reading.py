"""Shards as they are read: checked once against the manifest, then row group by row group, as episodes or columns."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt
from chorewright.generator.episode import Episode
from chorewright.generator.store.manifest import ShardEntry
from chorewright.generator.store.records import SCHEMA, Rows
from chorewright.problems.thor.kinds import Kinds

_REBUILD = "run the same generate command again: it makes damaged shards anew"

CACHE = 256 << 20
"""Bytes of Arrow data that ``ShardReader`` keeps for random access."""

_OPEN = 32
"""Files that ``ShardReader`` keeps open."""


class ShardReader:
    """Reads a dataset's shards.

    A shard is compared with its checksum when it is first read. Row groups that were read for single episodes are
    kept, at most ``CACHE`` bytes of them. Threads may share a reader.
    """

    def __init__(self, folder: Path, kinds: Kinds) -> None:
        self._folder = folder
        self._kinds = kinds
        self._checked: set[int] = set()
        self._files: OrderedDict[int, pq.ParquetFile] = OrderedDict()
        self._kept: OrderedDict[tuple[int, int], tuple[Rows, int]] = OrderedDict()
        self._lock = threading.Lock()

    def episode(self, entry: ShardEntry, row: int) -> Episode:
        """Return the episode in a row of a shard."""
        with self._lock:
            file = self._file(entry)
            group = 0
            while row >= (rows := file.metadata.row_group(group).num_rows):
                row -= rows
                group += 1
            return self._rows(entry, group)[row]

    def episodes(self, entry: ShardEntry) -> Iterator[Episode]:
        """Yield the episodes of a shard."""
        with self._lock:
            file = self._file(entry)
        for group in range(file.num_row_groups):
            with self._lock:
                table = self._read(entry, [group])
            yield from Rows(table, self._kinds)

    def table(self, entry: ShardEntry, columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns of a shard, or all; ``scene.name`` is a field of a column, and keeps that name."""
        with self._lock:
            file = self._file(entry)
            if columns is None:
                return self._read(entry, range(file.num_row_groups))
            table = self._read(entry, range(file.num_row_groups), columns)
        return pa.table({name: _field(table, name) for name in columns})

    def _rows(self, entry: ShardEntry, group: int) -> Rows:
        key = (entry.shard, group)
        if key not in self._kept:
            table = self._read(entry, [group])
            self._kept[key] = (Rows(table, self._kinds), table.nbytes)
            while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > CACHE:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def _file(self, entry: ShardEntry) -> pq.ParquetFile:
        if entry.shard not in self._files:
            self._files[entry.shard] = open_shard(self._folder, entry, check=entry.shard not in self._checked)
            self._checked.add(entry.shard)
            if len(self._files) > _OPEN:
                self._files.popitem(last=False)
        self._files.move_to_end(entry.shard)
        return self._files[entry.shard]

    def _read(self, entry: ShardEntry, groups: Sequence[int], columns: Sequence[str] | None = None) -> pa.Table:
        try:
            return self._file(entry).read_row_groups(groups, columns=columns, use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self._folder / entry.file, error) from error


def _field(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return a column, or a field of structs in it."""
    first, *path = name.split(".")
    column = table[first]
    return pc.struct_field(column, path) if path else column


def open_shard(folder: Path, entry: ShardEntry, *, check: bool = True) -> pq.ParquetFile:
    """Return a shard's file, open.

    Args:
        folder: The dataset's.
        entry: What the manifest says of the shard.
        check: Whether to compare the file's checksum.

    Raises:
        DatasetCorrupt: the file is not what the manifest says.
    """
    path = folder / entry.file
    try:
        data = pa.memory_map(str(path)).read_buffer() if path.stat().st_size else pa.py_buffer(b"")
        if check and hashlib.sha256(data).hexdigest() != entry.sha256:
            raise DatasetCorrupt(f"{path} has another checksum than the manifest says", hint=_REBUILD)
        file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    if file.schema_arrow.names != SCHEMA.names or file.metadata.num_rows != entry.accepted:
        raise DatasetCorrupt(f"{path} does not hold the rows that the manifest says", hint=_REBUILD)
    return file


def read_shard(folder: Path, entry: ShardEntry) -> pa.Table:
    """Return a shard's table.

    Raises:
        DatasetCorrupt: the file is not what the manifest says.
    """
    file = open_shard(folder, entry)
    try:
        return file.read(use_threads=False)  # pyarrow's threads now and then abort the process at its end
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(folder / entry.file, error) from error


def _unreadable(path: Path, error: OSError | pa.ArrowException) -> DatasetCorrupt:
    if isinstance(error, OSError) and not isinstance(error, pa.ArrowException):
        return DatasetCorrupt(f"{path} cannot be read: {error.strerror or error}", hint=_REBUILD)
    return DatasetCorrupt(f"{path} is not a Parquet file: {error}", hint=_REBUILD)
