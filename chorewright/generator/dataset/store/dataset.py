"""The store's reading side: episodes in order or by index, and columns of all of them, checked against the manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from chorewright.errors import DatasetCorrupt, Location, StorageError, UsageError
from chorewright.files.english import require_known, say_count
from chorewright.files.records import check_types
from chorewright.generator.dataset.condition_values import RowCondition
from chorewright.generator.dataset.conditions import parse_condition
from chorewright.generator.dataset.config import library_of
from chorewright.generator.dataset.episode import Episode, starts
from chorewright.generator.dataset.store.dataset_folder import PROGRESS, children, read_text
from chorewright.generator.dataset.store.manifest import DATA, MANIFEST, Manifest, read_manifest, write_manifest
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.reading import ShardReader, open_shard
from chorewright.generator.dataset.store.records import SCHEMA


class Dataset(Sequence[Episode]):
    """A finished dataset in a folder, or under a URL such as ``s3://bucket/name``.

    It is a sequence of the accepted episodes in the order of their indices.

    ``dataset[k]`` is the k-th stored episode; ``dataset.episode(index)`` finds one by its index, which
    differs as soon as an index before it was rejected. ``filter`` gives a dataset of some of the episodes.
    Datasets can be pickled; each process then opens the files itself.

    Raises:
        UsageError: the folder is not there.
        DatasetCorrupt: there is no manifest, or it is damaged; while reading: a shard is damaged.
        UnsupportedError: it was written by a newer chorewright.
    """

    @check_types
    def __init__(self, folder: str | Place) -> None:
        self.folder = locate(folder)
        self.manifest = open_manifest(self.folder)
        self._places: npt.NDArray[np.int64] | None = None

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[Place, npt.NDArray[np.int64] | None]]:
        return _reopen, (self.folder, self._places)

    def __repr__(self) -> str:
        config = self.manifest.config
        some = "" if self._places is None else f" of {self.manifest.accepted}"
        said = f"{len(self)}{some} episodes" if some else say_count(len(self), "episode")
        return f"Dataset({str(self.folder)!r}: {said} of {config.benchmark}, seed {config.seed})"

    def __len__(self) -> int:
        """The number of stored (accepted) episodes; of a filtered dataset those that are left."""
        return self.manifest.accepted if self._places is None else len(self._places)

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
            row = range(len(self))[place]
        except IndexError:
            raise IndexError(f"there is no episode at {place}: {len(self)} are stored") from None
        if self._places is not None:
            row = int(self._places[row])
        shard = int(np.searchsorted(self._firsts, row, side="right")) - 1
        return self._reader.episode(self.manifest.shards[shard], row - int(self._firsts[shard]))

    @cached_property
    def kinds(self) -> object:
        """What is true of the episodes' starts and not stored with each: the kinds of things in rooms."""
        return starts().facts(library_of(self.manifest.config))

    @property
    def checksum(self) -> str:
        """The manifest's own checksum, which stands for the whole content; of a filtered dataset another one."""
        whole = str(json.loads(write_manifest(self.manifest))["checksum"])
        return whole if self._places is None else sha256(whole.encode() + self._places.tobytes()).hexdigest()

    @property
    def splits(self) -> Mapping[str, int]:
        """The number of episodes of each split, by name."""
        return self._counts("split")

    @property
    def tasks(self) -> Mapping[str, int]:
        """The number of episodes of each task, by name."""
        return self._counts("task")

    @check_types
    def filter(
        self,
        *,
        task: str | Collection[str] | None = None,
        split: str | Collection[str] | None = None,
        room: str | Collection[str] | None = None,
        where: str | Callable[[Episode], bool] | None = None,
    ) -> Dataset:
        """Return the dataset of those episodes that meet all conditions.

        Args:
            task: The task's name, or several.
            split: The split, or several.
            room: The scene's name (``FloorPlan1``), or several.
            where: What else must hold: a condition over columns (``"length < 40 AND parameters.object = 'Mug'"``, see
                ``conditions``), or a function. For a function, each episode that meets the other conditions is built.

        Raises:
            UsageError: No episode has such a task, split or room, or the condition is none.
        """
        keep = np.ones(len(self), bool)
        for column, wanted in (("task", task), ("split", split), ("scene.name", room)):
            if wanted is not None:
                names = {wanted} if isinstance(wanted, str) else set(wanted)
                known = self._counts(column)
                for name in sorted(names - set(known)):
                    what = "room" if column == "scene.name" else column
                    there = f"there are {', '.join(sorted(known)) or 'none'}"
                    require_known(name, known, f"no episode is of the {what} {name!r}", there)
                keep &= pc.is_in(self.table(column)[column], pa.array(sorted(names))).to_numpy()
        if isinstance(where, str):
            keep &= self._meets(parse_condition(where, SCHEMA))
        elif where is not None:
            keep[keep] = [where(self[place]) for place in np.flatnonzero(keep).tolist()]
        return _reopen(self.folder, self.places[keep])

    def at(self, places: npt.NDArray[np.int64]) -> Dataset:
        """Return the dataset of the episodes at some places among all that are stored, in order."""
        return _reopen(self.folder, places)

    def _meets(self, condition: RowCondition) -> npt.NDArray[np.bool_]:
        """Return which episodes meet a condition; only the parts of columns that it needs are read."""
        leaves = condition.leaves or ("index",)
        held = [condition.holds(self._reader.leaves(entry, leaves)) for entry in self.manifest.shards]
        every = np.concatenate(held)
        return every if self._places is None else every[self._places]

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """The places of the episodes among all that are stored, which differ once the dataset is filtered."""
        return np.arange(self.manifest.accepted) if self._places is None else self._places

    def table(self, *columns: str) -> pa.Table:
        """Return columns of the episodes as Arrow has them, without building episodes.

        Args:
            columns: Names of columns; all without any. ``scene.name`` is the field of a column, and keeps that name.

        Raises:
            UsageError: There is no such column.
        """
        for name in columns:
            _check_column(name)
        tables = [self._reader.table(entry, columns or None) for entry in self.manifest.shards]
        table = pa.concat_tables(tables)
        return table if self._places is None else table.take(self._places)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """Return one column as NumPy has it: numbers, truth values, strings (``object``), or lists (``object``).

        Raises:
            UsageError: There is no such column.
        """
        values: npt.NDArray[np.generic] = self.table(name)[name].combine_chunks().to_numpy(zero_copy_only=False)
        return values

    def check(self) -> None:
        """Read every shard and compare it with the manifest.

        Raises:
            DatasetCorrupt: a shard is missing or damaged.
        """
        for entry in self.manifest.shards:
            open_shard(self.folder, entry).read(use_threads=False)

    def shard(self, shard: int) -> Iterator[Episode]:
        """Yield the episodes of one shard."""
        entry, first = self.manifest.shards[shard], int(self._firsts[shard])
        if self._places is None:
            yield from self._reader.episodes(entry)
        else:
            inside = (self._places >= first) & (self._places < first + entry.accepted)
            for place in self._places[inside].tolist():
                yield self._reader.episode(entry, place - first)

    def episode(self, index: int) -> Episode:
        """Return one episode by its index.

        Raises:
            UsageError: there is no such index, or its assignment could not be met.
        """
        for entry in self.manifest.shards:
            if entry.first <= index < entry.stop:
                indices = self._reader.table(entry, ["index"])["index"].to_pylist()
                if index in indices:
                    return self._reader.episode(entry, indices.index(index))
                reason = next((r.reason for r in entry.rejected if r.index == index), "no reason recorded")
                raise UsageError(f"episode {index} was rejected: {reason}")
        raise UsageError(f"there is no episode {index}: they are 0 to {self.manifest.config.episodes - 1}")

    @cached_property
    def _reader(self) -> ShardReader:
        return ShardReader(self.folder, self.kinds, self.manifest.config.benchmark)

    @cached_property
    def _firsts(self) -> npt.NDArray[np.int64]:
        """The place of each shard's first episode among all that are stored."""
        accepted = [entry.accepted for entry in self.manifest.shards]
        return np.concatenate([[0], np.cumsum(accepted)]).astype(np.int64)

    def _counts(self, column: str) -> Mapping[str, int]:
        return dict(sorted(Counter(self.table(column)[column].drop_null().to_pylist()).items()))


def _reopen(folder: Place, places: npt.NDArray[np.int64] | None) -> Dataset:
    dataset = Dataset(folder)
    dataset._places = places
    return dataset


def dataset_at(path: Path, split: str | None) -> Dataset | None:
    """Return the dataset at a path, or its episodes of a split; None where something else is.

    Raises:
        UsageError: Nothing is there, or there is no such split.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", location=Location(str(path)))
    if not any((path / part).exists() for part in (MANIFEST, PROGRESS)):
        return None
    return Dataset(path) if split is None else Dataset(path).filter(split=split)


def _check_column(name: str) -> None:
    """Check that a column, or a field of structs in one, is there."""
    fields = {each.name: each.type for each in SCHEMA}
    for depth, part in enumerate(parts := name.split(".")):
        where = f" in {'.'.join(parts[:depth])!r}" if depth else ""
        require_known(part, fields, f"there is no column {part!r}{where}", f"there are {', '.join(fields)}")
        kind = fields[part]
        fields = {each.name: each.type for each in kind} if pa.types.is_struct(kind) else {}


def open_manifest(folder: Place) -> Manifest:
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
            if not children(folder / DATA, "shard-*.parquet"):
                raise UsageError(
                    f"{folder} is no dataset: it has no {MANIFEST}", hint="give the folder that generate wrote"
                )
            raise DatasetCorrupt(
                f"{folder} is damaged: {MANIFEST} is missing", hint="the same generate command rebuilds a lost manifest"
            )
        manifest = read_text(path)
        _require_files(folder, manifest)
        return read_manifest(manifest, str(path))
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


_FEW_SHARDS = 10_000


def _require_files(folder: Place, manifest: str) -> None:
    """Refuse a manifest of many shards, most of which are not there, before it is read.

    Raises:
        DatasetCorrupt: It is such a one.
    """
    shards = manifest.count('"sha256"')
    if shards > _FEW_SHARDS and shards > 2 * (files := len(children(folder / DATA))):
        raise DatasetCorrupt(
            f"{folder / MANIFEST} names {shards:,} shards, but {folder / DATA} has {files:,} files",
            hint="copy the whole dataset, or generate it anew",
        )
