"""The store's reading side: episodes in order or by index, checked against the manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt, StorageError, UsageError
from chorewright.generator.episode import Episode
from chorewright.generator.manifest import MANIFEST, Manifest, ShardEntry, read_manifest
from chorewright.generator.records import SCHEMA, from_table

_REBUILD = "run the same generate command again: it makes damaged shards anew"


class Dataset:
    """A finished dataset in a folder. Iterating yields every accepted episode once, by index.

    Raises:
        UsageError: the folder is not there.
        DatasetCorrupt: there is no manifest, or it is damaged; while reading: a shard is damaged.
        UnsupportedError: it was written by a newer chorewright.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = open_manifest(self.folder)
        self._table = lru_cache(maxsize=2)(self._read_shard)

    def __len__(self) -> int:
        """The number of stored (accepted) episodes."""
        return self.manifest.accepted

    def __iter__(self) -> Iterator[Episode]:
        for entry in self.manifest.shards:
            yield from self.shard(entry.shard)

    def shard(self, shard: int) -> Iterator[Episode]:
        """Yield the episodes of one shard."""
        yield from from_table(self._table(shard))

    def episode(self, index: int) -> Episode:
        """Return one episode by its index.

        Raises:
            UsageError: there is no such index, or its assignment could not be met.
        """
        for entry in self.manifest.shards:
            if entry.first <= index < entry.stop:
                table = self._table(entry.shard)
                indices = table["index"].to_pylist()
                if index in indices:
                    return next(from_table(table.slice(indices.index(index), 1)))
                reason = next((r.reason for r in entry.rejected if r.index == index), "no reason recorded")
                raise UsageError(f"episode {index} was rejected: {reason}")
        raise UsageError(f"there is no episode {index}: they are 0 to {self.manifest.config.episodes - 1}")

    def _read_shard(self, shard: int) -> pa.Table:
        return read_shard(self.folder, self.manifest.shards[shard])


def open_manifest(folder: Path) -> Manifest:
    """Return the manifest of a dataset's folder.

    Raises:
        UsageError: the folder is not there.
        DatasetCorrupt: there is no manifest, or it is damaged.
        UnsupportedError: it was written by a newer chorewright.
    """
    path = folder / MANIFEST
    try:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r}")
        if not path.exists():
            if (folder / ".progress").is_dir():
                raise DatasetCorrupt(
                    f"{folder} is unfinished: its manifest is not written yet",
                    hint="run the same generate command again: it makes the missing shards",
                )
            raise DatasetCorrupt(
                f"{folder} is no dataset: {MANIFEST} is missing",
                hint="give the folder that generate wrote; the same command rebuilds a lost manifest",
            )
        return read_manifest(path.read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise DatasetCorrupt(f"{path} is not UTF-8 text", hint=_REBUILD) from error
        raise StorageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def read_shard(folder: Path, entry: ShardEntry) -> pa.Table:
    """Return a shard's table.

    Raises:
        DatasetCorrupt: the file is not what the manifest says.
    """
    path = folder / entry.file
    try:
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            raise DatasetCorrupt(f"{path} has another checksum than the manifest says", hint=_REBUILD)
        with pq.ParquetFile(pa.BufferReader(data), pre_buffer=False) as file:
            table = file.read(
                use_threads=False
            )  # pyarrow's threads now and then abort the process at its end
    except OSError as error:
        raise DatasetCorrupt(f"{path} cannot be read: {error.strerror or error}", hint=_REBUILD) from error
    except pa.ArrowException as error:
        raise DatasetCorrupt(f"{path} is not a Parquet file: {error}", hint=_REBUILD) from error
    if table.schema.names != SCHEMA.names or table.num_rows != entry.accepted:
        raise DatasetCorrupt(f"{path} does not hold the rows that the manifest says", hint=_REBUILD)
    return table
