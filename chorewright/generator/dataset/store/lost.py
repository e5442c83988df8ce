"""Lost indices forgotten, so that the next run tries them again; everything else of the dataset is kept."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow.compute as pc

from chorewright.errors import UsageError
from chorewright.files.text import storage_error
from chorewright.generator.dataset.store.dataset_folder import RUN, DatasetFolder
from chorewright.generator.dataset.store.manifest import (
    MANIFEST,
    ShardEntry,
    tool_versions,
    write_header,
    write_sidecar,
)
from chorewright.generator.dataset.store.parts import part_path, read_part, settled_indices, told_stages, write_rows
from chorewright.generator.dataset.store.reading import read_shard
from chorewright.generator.dataset.store.shards import finished_shards, json_bytes, put


def forget_lost(target: DatasetFolder) -> None:
    """Make a dataset with lost indices an unfinished one that lacks just their parts.

    The manifest goes last, so a run that is killed here has changed nothing.

    Raises:
        UsageError: The dataset is growing.
        StorageError: The disk is full or not writable.
        DatasetCorrupt: A shard with lost indices is damaged.
    """
    if target.held:
        hint = f"first let it grow without --retry-lost, to {target.config.episodes} episodes"
        raise UsageError("lost episodes cannot be tried again while the dataset grows", hint=hint)
    whole = finished_shards(target, range(target.config.shards))
    lacking = [entry for entry in whole.values() if any(each.lost for each in entry.rejected)]
    try:
        for entry in lacking:
            _take_apart(target, entry)
        if lacking and (manifest := target.folder / MANIFEST).exists():
            for entry in whole.values():
                if entry not in lacking:
                    put(target, target.sidecar_path(entry.shard), write_sidecar(entry).encode())
            put(target, target.progress / RUN, json_bytes(write_header(target.config, tool_versions())))
            manifest.unlink()
        for entry in lacking:
            target.sidecar_path(entry.shard).unlink(missing_ok=True)
        for indices in _parts(target):
            found = read_part(target, indices)
            if found is not None and any(each.lost for each in found[0].rejected):
                part_path(target, indices).unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, target.folder) from error


def _parts(target: DatasetFolder) -> Iterable[range]:
    """Return the ranges that may have a part's file: a shard's parts, and single indices."""
    yield from (indices for shard in range(target.config.shards) for indices in target.parts(shard))
    yield from (range(index, index + 1) for index in settled_indices(target))


def _take_apart(target: DatasetFolder, entry: ShardEntry) -> None:
    """Make the parts of a shard that have no lost index parts again."""
    rows = read_shard(target.folder, entry).replace_schema_metadata(None)
    for indices in target.parts(entry.shard):
        rejected = [each for each in entry.rejected if each.index in indices]
        if not any(each.lost for each in rejected):
            index = rows["index"]
            inside = rows.filter(pc.and_(pc.greater_equal(index, indices.start), pc.less(index, indices.stop)))
            write_rows(target, indices, inside, rejected, told_stages(inside, rejected, entry.tally))
