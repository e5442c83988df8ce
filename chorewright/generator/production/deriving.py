"""Datasets made of others' episodes: which ones are taken, in what order, and how they are written.

Rows are copied through Arrow, shard by shard; no episode is built. What is made follows from the sources and the
command alone, so that the same command completes what was interrupted. Episodes are numbered anew; the extra
``origin`` (``kitchens#17``) says in which generated dataset an episode was, and at which index.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.files.english import require_known
from chorewright.generator.dataset.config import DOMAINS, KINDS, Derivation, GenerateConfig, SourceDataset
from chorewright.generator.dataset.store import shards
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder, open_dataset_folder, plain
from chorewright.generator.dataset.store.manifest import Manifest, Tally, sum_up
from chorewright.generator.dataset.store.parts import ShardPart, read_stages
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.reading import read_shard
from chorewright.generator.dataset.store.records import SCHEMA

NO_ATTEMPTS = Tally()

ORIGIN = "origin"
"""The extra that says where an episode comes from."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which episodes are taken; those that meet all of these.

    Attributes:
        tasks: Names of tasks; any if there are none.
        splits: Names of splits; any if there are none.
        rooms: Names of rooms; any if there are none.
        steps: The least and the largest number of steps.
        where: A condition over columns (``conditions``); empty for none.
    """

    tasks: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None
    where: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The selection as it is typed."""
        several = (("--task", self.tasks), ("--split", self.splits), ("--room", self.rooms))
        words = [word for flag, names in several for name in names for word in (flag, name)]
        words += ["--length", "{}..{}".format(*self.steps)] if self.steps else []
        return (*words, *(("--where", self.where) if self.where else ()))

    def of(self, datasets: Sequence[Dataset]) -> list[Dataset]:
        """Return what is selected of each of some datasets.

        Raises:
            UsageError: None of them has such a task, split or room, or the condition is none.
        """
        if not self.words:
            return list(datasets)
        chosen = _keep(datasets, "task", self.tasks)
        chosen = _keep(chosen, "split", self.splits)
        chosen = _keep(chosen, "room", self.rooms)
        low, high = self.steps or (0, 0)
        conditions = [f"length BETWEEN {low} AND {high}"] * bool(self.steps) + [self.where] * bool(self.where)
        for condition in conditions:
            chosen = [each.filter(where=condition) for each in chosen]
        return chosen


def _keep(datasets: Sequence[Dataset], column: str, names: Sequence[str]) -> list[Dataset]:
    """Return of each dataset the episodes that have one of some values in a column, or all if none is named."""
    if not names:
        return list(datasets)
    values = [values_of([each], column) for each in datasets]
    known = sorted(set(np.concatenate(values).tolist()) - {""})
    for name in names:
        message = f"no episode is of the {column} {name!r}"
        require_known(name, known, message, f"there are {', '.join(known) or 'none'}")
    return [each.at(each.places[np.isin(found, names)]) for each, found in zip(datasets, values, strict=True)]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A dataset to be made of others.

    Attributes:
        command: The words of the command, but for folders.
        sources: The datasets, whole.
        taken: Of each, the places of the episodes that are taken, ascending.
        splits: New names of splits, one for each episode that is taken, in order; None where they stay.
    """

    command: tuple[str, ...]
    sources: tuple[Dataset, ...]
    taken: tuple[npt.NDArray[np.int64], ...]
    splits: Sequence[str] | None = None

    @property
    def count(self) -> int:
        """The number of episodes."""
        return sum(map(len, self.taken))

    def config(self, shard_size: int = 0) -> GenerateConfig:
        """Return the configuration of the dataset.

        Raises:
            UsageError: The sources cannot be mixed, or nothing is taken of them.
        """
        first = _require_alike(self.sources)
        if not self.count:
            raise UsageError("no episode is left", hint="widen the conditions")
        configs = [each.manifest.config for each in self.sources]
        sources = (
            SourceDataset(_name(each), each.checksum, each.manifest.tool, each.manifest.config) for each in self.sources
        )
        options = tuple(each for each in first.options if all(each in one.options for one in configs))
        seed = first.seed if all(each.seed == first.seed for each in configs) else 0
        files = {name: text for each in configs for name, text in each.task_files}
        derivation = Derivation(self.command, tuple(sources))
        kept = tuple(files.items())
        return GenerateConfig(first.benchmark, self.count, seed, shard_size, options, kept, derivation, first.origin)


def _name(source: Dataset) -> str:
    """Return the name of a dataset's folder as text, whatever bytes it is made of."""
    folder = source.folder
    name = (folder.resolve() if isinstance(folder, Path) else folder).name
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _require_alike(sources: Sequence[Dataset]) -> GenerateConfig:
    """Check that episodes of datasets may stand in one, and return the configuration of the first.

    Raises:
        UsageError: They may not: the message says what differs.
    """
    first, seen = sources[0], dict[str, Dataset]()
    for each in sources:
        one, other = first.manifest, each.manifest
        if each.checksum in seen:
            raise UsageError(f"{each.folder} and {seen[each.checksum].folder} are the same dataset: it is taken once")
        seen[each.checksum] = each
        if other.config.benchmark != one.config.benchmark:
            raise UsageError(
                f"{first.folder} has episodes of {one.config.benchmark}, {each.folder} of {other.config.benchmark}",
                hint="a dataset has episodes of one benchmark",
            )
        made, here = (dict(manifest.tool).get("chorewright", "") for manifest in (one, other))
        if made != here:
            raise UsageError(
                f"{first.folder} was made by chorewright {made}, {each.folder} by {here}",
                hint="generate one of them anew with the other's version",
            )
        _require_same_files(first, each)
    return first.manifest.config


def _require_same_files(first: Dataset, other: Dataset) -> None:
    one, another = dict(first.manifest.config.task_files), dict(other.manifest.config.task_files)
    for name in sorted({*one, *another}):
        decides = name.startswith((KINDS, DOMAINS))  # they hold for every row
        if ((name in one and name in another) or decides) and one.get(name) != another.get(name):
            raise UsageError(f"{first.folder} and {other.folder} were made with different files {name!r}")


def derive(
    mixture: Mixture, folder: str | Place, tell: Callable[[int, int], object] = lambda done, total: None
) -> Manifest:
    """Make a dataset of others, or what is missing of it, in a folder.

    Args:
        mixture: What is taken.
        folder: Where; a new folder, or one in which the same command was interrupted.
        tell: Is told how many episodes of how many are written.

    Raises:
        UsageError: The sources cannot be mixed, or the folder's name is none.
        StorageError: The folder holds something else, or cannot be written.
        DatasetCorrupt: A source is damaged.
    """
    known = sum_up(each.manifest.tally for each in mixture.sources)
    target = open_dataset_folder(plain(locate(folder)), mixture.config())
    try:
        return write_rows(target, _Reader(mixture).rows, known, tell)
    except DatasetCorrupt as error:
        error.hint = f"{error.hint}; then this command goes on where it was"
        raise


def write_rows(
    target: DatasetFolder,
    rows_of: Callable[[range], pa.Table],
    known: Tally = NO_ATTEMPTS,
    tell: Callable[[int, int], object] = lambda done, total: None,
) -> Manifest:
    """Write a dataset whose rows are there without attempts, or what is missing of it.

    Args:
        target: The dataset's folder.
        rows_of: Returns the rows of a run of indices.
        known: The stages of rejected attempts that rows tell of.
        tell: Is told how many episodes of how many are written.

    Raises:
        StorageError: The folder cannot be written.
    """
    config = target.config
    with shards.writing(target):
        shards.clear_leftovers(target, alone=True)
        kept = shards.find_finished_shards(target, range(config.shards))
        for shard in range(config.shards):
            indices = config.shard_range(shard)
            if shard not in kept:
                rows = rows_of(indices)
                shards.write_shard(target, shard, rows, ShardPart(indices, (), read_stages(rows, (), known)))
            tell(indices.stop, config.episodes)
        manifest = shards.finish(target)
    assert manifest is not None, "every shard is written"
    return manifest


class _Reader:
    """Reads the rows that a mixture takes, in order; the shard that was read last is kept."""

    def __init__(self, mixture: Mixture) -> None:
        self._mixture = mixture
        self._bounds = np.cumsum([0, *map(len, mixture.taken)])
        self._last: tuple[tuple[int, int], pa.Table] | None = None

    def rows(self, indices: range) -> pa.Table:
        """Return the rows of a run of new indices."""
        tables = [
            table
            for number, (begin, end) in enumerate(zip(self._bounds, self._bounds[1:], strict=False))
            for table in self._of(number, max(indices.start, begin) - begin, min(indices.stop, end) - begin)
        ]
        table = pa.concat_tables(tables)
        table = _replace_column(table, "index", pa.array(np.arange(indices.start, indices.stop)))
        if self._mixture.splits is not None:
            table = _replace_column(
                table, "split", pa.array(self._mixture.splits[indices.start : indices.stop], pa.string())
            )
        return table

    def _of(self, number: int, begin: int, end: int) -> Iterator[pa.Table]:
        """Yield the rows of a source's episodes from one to another, among those that are taken."""
        source, places = self._mixture.sources[number], self._mixture.taken[number][begin : max(begin, end)]
        firsts = np.cumsum([0, *(entry.accepted for entry in source.manifest.shards)])
        for entry in source.manifest.shards:
            inside = places[(places >= firsts[entry.shard]) & (places < firsts[entry.shard + 1])] - firsts[entry.shard]
            if len(inside):
                rows = self._shard(number, entry.shard)
                whole = len(inside) == inside[-1] - inside[0] + 1
                yield rows.slice(inside[0], len(inside)) if whole else rows.take(pa.array(inside))

    def _shard(self, number: int, shard: int) -> pa.Table:
        if self._last is None or self._last[0] != (number, shard):
            source = self._mixture.sources[number]
            rows = read_shard(source.folder, source.manifest.shards[shard]).replace_schema_metadata(None)
            self._last = (number, shard), _replace_column(rows, "extras", _with_origin(rows, _name(source)))
        return self._last[1]


def _replace_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), SCHEMA.field(name), column)


def _with_origin(rows: pa.Table, name: str) -> pa.Array:
    """Return the extras of rows with their origin at the end; those that have one already keep it."""
    extras = rows["extras"].combine_chunks()
    flat, counts = pc.list_flatten(extras), pc.list_value_length(extras).to_numpy()
    named = pc.equal(pc.struct_field(flat, ["name"]), ORIGIN).to_numpy(zero_copy_only=False)
    parents = pc.list_parent_indices(extras).to_numpy()
    lacks = np.ones(len(extras), bool)
    lacks[parents[named]] = False
    texts = [f"{name}#{index}" for index in rows["index"].filter(pa.array(lacks)).to_pylist()]
    pairs = pa.StructArray.from_arrays(
        [pa.array([ORIGIN] * len(texts), pa.string()), pa.array(texts, pa.string())], fields=list(flat.type)
    )
    ends = np.cumsum(counts)
    order = np.insert(np.arange(len(flat)), ends[lacks], len(flat) + np.arange(len(texts)))
    values = pa.concat_arrays([flat, pairs]).take(pa.array(order))
    offsets = np.concatenate([[0], np.cumsum(counts + lacks)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=SCHEMA.field("extras").type)


# What the tools take, and how they share it out.


def take_some(chosen: Sequence[Dataset], amount: int | float, per_task: bool, seed: int) -> list[npt.NDArray[np.int64]]:
    """Return the places of a random sample of datasets' episodes, the same for the same seed.

    Args:
        chosen: The datasets, of which only the selected episodes count.
        amount: How many, or which share of them if it is a float.
        per_task: Whether so many, or such a share, of each task.
        seed: Of the random numbers.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    tasks = np.concatenate([each.column("task") for each in chosen])
    groups = [np.flatnonzero(tasks == name) for name in sorted(set(tasks))] if per_task else [np.arange(len(tasks))]
    keep = np.zeros(len(tasks), bool)
    for group in groups:
        count = round(amount * len(group)) if isinstance(amount, float) else min(amount, len(group))
        keep[random.choice(group, count, replace=False)] = True
    return cut(chosen, keep)


def cut(chosen: Sequence[Dataset], keep: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int64]]:
    """Return the places of those episodes of datasets that are kept."""
    bounds = np.cumsum([0, *map(len, chosen)])
    return [each.places[keep[begin:end]] for each, begin, end in zip(chosen, bounds, bounds[1:], strict=False)]


def share_out(
    chosen: Sequence[Dataset], shares: Mapping[str, float], seed: int, together: str = ""
) -> npt.NDArray[np.str_]:
    """Return for each episode the name of the part that it falls into, at random, the same for the same seed.

    Args:
        chosen: The datasets.
        shares: The share of each part, by its name; they add up to 1.
        seed: Of the random numbers.
        together: A column; episodes that have the same value in it fall into the same part.

    Raises:
        UsageError: The shares do not add up to 1, or there is no such column.
    """
    if abs(sum(shares.values()) - 1) > 1e-9 or min(shares.values()) < 0:
        said = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        raise UsageError(f"the shares are no parts of a whole: {said}", hint="they add up to 1")
    count = sum(map(len, chosen))
    groups = values_of(chosen, together) if together else np.arange(count)
    _, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(sizes))
    middles = (np.cumsum(sizes[order]) - sizes[order] / 2) / count
    names, ends = list(shares), np.cumsum(list(shares.values()))
    parts = np.empty(len(sizes), np.int64)
    parts[order] = np.minimum(np.searchsorted(ends, middles, side="right"), len(names) - 1)
    return np.array(names)[parts[group]]


def values_of(chosen: Sequence[Dataset], name: str) -> npt.NDArray[np.str_]:
    """Return a column of datasets' episodes as texts; ``room`` stands for ``scene.name``.

    Raises:
        UsageError: There is no such column, or its values are no texts or numbers.
    """
    column = {"room": "scene.name"}.get(name, name)
    arrays = [each.table(column)[column] for each in chosen]
    if pa.types.is_nested(arrays[0].type):
        raise UsageError(
            f"the column {name!r} holds lists or fields", hint="give task, split, room or another plain one"
        )
    return np.concatenate([each.cast(pa.string()).fill_null("").to_numpy() for each in arrays]).astype(str)
