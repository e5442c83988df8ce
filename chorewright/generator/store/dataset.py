"""The store's reading side: episodes in order or by index, checked against the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import overload

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt, StorageError, UsageError
from chorewright.generator.episode import Episode
from chorewright.generator.kinds import configured_kinds
from chorewright.generator.store.dataset_folder import read_text
from chorewright.generator.store.manifest import (
    DATA,
    MANIFEST,
    Manifest,
    ShardEntry,
    read_manifest,
    write_manifest,
)
from chorewright.generator.store.records import SCHEMA, from_table
from chorewright.problems.thor.kinds import Kinds

_REBUILD = "run the same generate command again: it makes damaged shards anew"


class Dataset:
    """A finished dataset in a folder: a sequence of the accepted episodes in the order of their indices.

    ``dataset[k]`` is the k-th stored episode; ``dataset.episode(index)`` finds one by its index, which
    differs as soon as an index before it was rejected.

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

    @overload
    def __getitem__(self, place: int) -> Episode: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Episode, ...]: ...

    def __getitem__(self, place: int | slice) -> Episode | tuple[Episode, ...]:
        """Return the stored episode at a place, negative ones from the end, or those of a slice.

        Raises:
            IndexError: there is no such place.
            TypeError: it is neither an integer nor a slice.
        """
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        try:
            wanted = range(len(self))[place]
        except IndexError:
            raise IndexError(f"there is no episode at {place}: {len(self)} are stored") from None
        for entry in self.manifest.shards:
            if wanted < entry.accepted:
                return next(from_table(self._table(entry.shard).slice(wanted, 1), self.kinds))
            wanted -= entry.accepted
        raise AssertionError("the manifest's counts add up")

    @cached_property
    def kinds(self) -> Kinds:
        """What the things in the episodes' rooms are."""
        return configured_kinds(self.manifest.config)

    @property
    def checksum(self) -> str:
        """The manifest's own checksum, which stands for the whole content."""
        return str(json.loads(write_manifest(self.manifest))["checksum"])

    def check(self) -> None:
        """Read every shard and compare it with the manifest.

        Raises:
            DatasetCorrupt: a shard is missing or damaged.
        """
        for entry in self.manifest.shards:
            read_shard(self.folder, entry)

    def shard(self, shard: int) -> Iterator[Episode]:
        """Yield the episodes of one shard."""
        yield from from_table(self._table(shard), self.kinds)

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
                    return next(from_table(table.slice(indices.index(index), 1), self.kinds))
                reason = next((r.reason for r in entry.rejected if r.index == index), "no reason recorded")
                raise UsageError(f"episode {index} was rejected: {reason}")
        raise UsageError(f"there is no episode {index}: they are 0 to {self.manifest.config.episodes - 1}")

    def _read_shard(self, shard: int) -> pa.Table:
        return read_shard(self.folder, self.manifest.shards[shard])


def open_manifest(folder: Path) -> Manifest:
    """Return the manifest of a dataset's folder.

    Raises:
        UsageError: the folder is not there, or is not a dataset's at all.
        DatasetCorrupt: its manifest is missing or damaged.
        UnsupportedError: it was written by a newer chorewright.
    """
    path = folder / MANIFEST
    try:
        if not folder.is_dir():
            wrong = (
                f"{str(folder)!r} is not a folder" if folder.exists() else f"the folder {str(folder)!r} is not there"
            )
            raise UsageError(wrong)
        if not path.exists():
            if (folder / ".progress").is_dir():
                raise DatasetCorrupt(
                    f"{folder} is unfinished: its manifest is not written yet",
                    hint="run the same generate command again: it makes the missing shards",
                )
            if not (folder / DATA).is_dir():
                raise UsageError(
                    f"{folder} is no dataset: it has no {MANIFEST}",
                    hint="give the folder that generate wrote",
                )
            raise DatasetCorrupt(
                f"{folder} is damaged: {MANIFEST} is missing",
                hint="the same generate command rebuilds a lost manifest",
            )
        return read_manifest(read_text(path), str(path))
    except (OSError, ValueError) as error:
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
            table = file.read(use_threads=False)  # pyarrow's threads now and then abort the process at its end
    except OSError as error:
        raise DatasetCorrupt(f"{path} cannot be read: {error.strerror or error}", hint=_REBUILD) from error
    except pa.ArrowException as error:
        raise DatasetCorrupt(f"{path} is not a Parquet file: {error}", hint=_REBUILD) from error
    if table.schema.names != SCHEMA.names or table.num_rows != entry.accepted:
        raise DatasetCorrupt(f"{path} does not hold the rows that the manifest says", hint=_REBUILD)
    return table
