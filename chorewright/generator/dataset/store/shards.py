"""The store's writing side: shards and manifest, each whole or absent, whatever happens in between.

A dataset's folder holds ``manifest.json`` and ``data/shard-00000.parquet`` ...; until the manifest is
written also ``.progress/`` with the run's configuration, its lock, the finished parts of shards, and one small
record (checksum, counts) of each finished shard. Every file is written under another name in ``.progress``, flushed
to the disk and renamed; elsewhere than on this machine it is put once. While a finished dataset grows, its manifest
and the shards in it stay as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt, StorageError, storing
from chorewright.files.text import digest_file
from chorewright.generator.dataset.store import dataset_folder, lock, manifest, parts
from chorewright.generator.dataset.store.places import Place, RemotePath, size_of, write_whole
from chorewright.generator.dataset.store.reading import read_shard

ROW_GROUP = 64
"""Rows that are read together when one of them is asked for."""


@contextmanager
def writing(target: dataset_folder.DatasetFolder, slice_of: tuple[int, int] | None = None) -> Iterator[str | None]:
    """Lock a target for writing while the context lasts, and make its folders.

    ``slice_of`` (i, N) locks only the i-th of N slices. Yields a note where a dead run's lock was taken over.

    Raises:
        StorageError: the folder cannot be written, or another run is writing to it.
    """
    mine = "lock-{}-of-{}".format(*slice_of) if slice_of else "lock"
    with storing(target.folder), ExitStack() as taken:
        target.progress.mkdir(parents=True, exist_ok=True)
        (target.folder / manifest.DATA).mkdir(exist_ok=True)
        if slice_of is None:
            stale = taken.enter_context(lock.lock(target.progress / mine))
        else:
            taken.enter_context(lock.share(target.progress / "lock"))
            others = f"-of-{slice_of[1]}"
            for path in dataset_folder.children(target.progress, "lock-*-of-*"):
                if not path.name.endswith(others):
                    lock.refuse_if_held(path)  # slices of another N would overlap ours
            stale = taken.enter_context(lock.lock(target.progress / mine))
        dataset_folder.open_dataset_folder(target.folder, target.config)  # again, now that nobody else can change it
        file, run = target.folder / manifest.MANIFEST, target.progress / dataset_folder.RUN
        if file.exists() and manifest.is_torn(file.read_bytes()):
            file.unlink()  # it says nothing; as with a lost one, the shards decide
        if dataset_folder.read_config(target) != target.config:
            header = json_bytes(manifest.write_header(target.config, manifest.tool_versions()))
            if not run.exists() or run.read_bytes() != header:
                if run.exists() and slice_of is not None:  # begun otherwise, perhaps by a slice at work
                    for path in dataset_folder.children(target.progress, "lock-*-of-*"):
                        if path.name != mine:
                            lock.refuse_if_held(path)
                put(target, run, header)
        stack = taken.pop_all()
    try:
        yield f"took over the lock of {stale}, which has ended" if stale else None
    finally:
        finished = dataset_folder.read_config(target) == target.config
        if finished:
            _remove_progress(target)
        stack.close()
        with suppress(OSError):
            if finished and not any(target.progress.glob("lock-*")):
                (target.progress / "lock").unlink(missing_ok=True)  # slices share it; this was the last one
            target.progress.rmdir()  # only if empty: nothing was begun, or all is finished


def find_finished_shards(
    target: dataset_folder.DatasetFolder, shards: Iterable[int], hashed: Collection[int] | None = None
) -> dict[int, manifest.ShardEntry]:
    """Return the entries of those shards whose file is there and is the recorded one.

    Args:
        target: The dataset's folder.
        shards: Which shards to look at.
        hashed: Those whose checksum is compared, all by default; of the others the size is.
    """
    recorded = {entry.shard: entry for entry in _record(target)}
    return {
        shard: recorded[shard]
        for shard in shards
        if shard in recorded and file_problem(target.folder, recorded[shard], hashed is None or shard in hashed) is None
    }


def carry(target: dataset_folder.DatasetFolder) -> None:
    """Make the episodes of a last shard that grows a part of the larger one, if they are whole.

    Raises:
        StorageError: The disk is full or not writable.
    """
    shard = target.carried()
    if shard is None or parts.part_path(target, target.parts(shard)[0]).exists():
        return
    held = manifest.read_manifest(
        dataset_folder.read_text(target.folder / manifest.MANIFEST), str(target.folder / manifest.MANIFEST)
    )
    if held.config != target.config:
        with suppress(DatasetCorrupt):  # damaged: these episodes are made anew
            entry = held.shards[shard]
            rows = read_shard(target.folder, entry)
            stages = parts.read_stages(rows, entry.rejected, entry.tally)
            parts.write_rows(target, target.parts(shard)[0], rows, entry.rejected, stages)


def merge_shard(target: dataset_folder.DatasetFolder, shard: int) -> manifest.ShardEntry | None:
    """Write one shard from its parts, and remove them; None if one is missing.

    Raises:
        StorageError: the disk is full or not writable, or the shard differs from the finished manifest's.
    """
    found = parts.read_parts(target, shard)
    if found is None:  # another slice may have been faster
        return find_finished_shards(target, [shard]).get(shard)
    entry = write_shard(target, shard, *found)
    parts.remove_parts(target, shard)
    return entry


def write_shard(
    target: dataset_folder.DatasetFolder, shard: int, rows: pa.Table, whole: parts.ShardPart
) -> manifest.ShardEntry:
    """Write one shard, and beside it the record of it.

    Args:
        target: The dataset's folder.
        shard: The shard's number.
        rows: Its rows.
        whole: What is known of all of its indices.

    Raises:
        StorageError: the disk is full or not writable, or the shard differs from the finished manifest's.
    """
    indices = target.config.shard_range(shard)
    data = _parquet(rows, target.config.fingerprint())
    entry = manifest.ShardEntry(
        shard=shard,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        first=indices.start,
        stop=indices.stop,
        accepted=rows.num_rows,
        rejected=whole.rejected,
        tally=_tally(rows, whole),
    )
    if dataset_folder.read_config(target) == target.config and _record(target)[shard] != entry:
        parts.remove_parts(target, shard)
        raise StorageError(
            f"{entry.file} came out different from the manifest's, so it was not replaced",
            hint="the code that made this dataset has changed; generate it anew into another folder",
        )
    with storing(target.shard_path(shard)):
        put(target, target.shard_path(shard), data)
        put(target, target.sidecar_path(shard), manifest.write_sidecar(entry).encode())
    return entry


def _tally(rows: pa.Table, whole: parts.ShardPart) -> manifest.Tally:
    """Return how many attempts the indices of a shard took, and why some were rejected."""
    texts = dict(zip(rows["index"].to_pylist(), rows["rejections"].to_pylist(), strict=True))
    texts |= {each.index: each.attempts for each in whole.rejected}
    attempts = sum(rows["attempts"].to_pylist()) + sum(len(each.attempts) for each in whole.rejected)
    pairs = (pair for index, each in texts.items() for pair in zip(whole.stages.get(index, ()), each, strict=True))
    return manifest.tally(attempts, pairs)


def finish(target: dataset_folder.DatasetFolder) -> manifest.Manifest | None:
    """Write card and manifest if every shard is there, and return the manifest; ``None`` if shards are missing.

    Shards of which all parts are there are written, last the one that replaces a shorter one: readers of a dataset
    that grows find its old shards until the new manifest is there.

    Raises:
        StorageError: the disk is full or not writable.
    """
    path, every = target.folder / manifest.MANIFEST, range(target.config.shards)
    entries = find_finished_shards(target, every, hashed=())
    last = target.carried()
    for shard in sorted(set(every) - set(entries), key=lambda shard: (shard == last, shard)):
        waits = shard == last and len(entries) < len(every) - 1
        if not waits and parts.parts_there(target, shard) and (made := merge_shard(target, shard)):
            entries[shard] = made
    if len(entries) < len(every) and path.exists():  # another slice's run has just finished it
        entries = find_finished_shards(target, every, hashed=())
    if len(entries) < len(every):
        return None
    held = manifest.Manifest(target.config, manifest.tool_versions(), tuple(entries[shard] for shard in every))
    text = manifest.write_manifest(held).encode()
    card = target.folder / dataset_folder.CARD
    try:
        if not card.exists():  # else it may be the user's own by now
            put(target, card, dataset_folder.write_card(target.config).encode())
        if not path.exists() or path.read_bytes() != text:
            put(target, path, text)
    except OSError:
        with storing(target.folder):
            if not (path.exists() and path.read_bytes() == text):  # else another slice's run did it meanwhile
                raise
    return held


def clear_leftovers(target: dataset_folder.DatasetFolder, alone: bool) -> None:
    """Remove the half-written files that killed workers left: this run's, or all if nobody else is at work."""
    for path in dataset_folder.children(target.progress):
        if path.suffix == ".tmp" and (alone or f".{target.run}." in path.name):
            path.unlink(missing_ok=True)


def file_problem(folder: Place, entry: manifest.ShardEntry, hashed: bool = True) -> str | None:
    """Return what is wrong with a shard's file, compared with its entry; ``None`` if nothing is.

    Args:
        folder: The dataset's.
        entry: The shard's entry.
        hashed: Whether to compare the checksum; else only the size.
    """
    path = folder / entry.file
    try:
        if path.is_symlink() or not path.is_file():
            return "is a link" if path.is_symlink() else "is missing"
        size = size_of(path)
        if size != entry.size:
            return f"has {size:,} bytes instead of {entry.size:,}"
        if not hashed:
            return None
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if isinstance(path, RemotePath) else digest_file(path)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return None if digest == entry.sha256 else "has another checksum than the manifest says"


def bytes_of_each(rows: pa.Table) -> float:
    """Return about how many bytes an episode like these takes in a large shard.

    What a row group takes whatever is in it is shared by all of its rows, though these are few.
    """
    half: int = rows.num_rows // 2
    count: int = rows.num_rows
    whole = len(_parquet(rows, ""))
    if not half:
        return float(whole)
    each = max(0.0, (whole - len(_parquet(rows.slice(0, half), ""))) / (count - half))
    return each + max(0.0, whole - each * count) / ROW_GROUP


def _parquet(rows: pa.Table, fingerprint: str) -> bytes:
    table = rows.combine_chunks().replace_schema_metadata({dataset_folder.FINGERPRINT: fingerprint.encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        version="2.6",
        compression="zstd",
        compression_level=3,
        row_group_size=ROW_GROUP,
        data_page_version="1.0",
        write_page_checksum=True,
    )
    return bytes(sink.getvalue().to_pybytes())


def put(target: dataset_folder.DatasetFolder, path: Place, data: bytes) -> None:
    """Write a file of the dataset, whole or not at all."""
    write_whole(path, data, target.temporary(path))


def json_bytes(value: object) -> bytes:
    """Return a JSON file's content."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _record(target: dataset_folder.DatasetFolder) -> Sequence[manifest.ShardEntry]:
    """Return what is recorded of shards of this configuration, by shard."""
    file = target.folder / manifest.MANIFEST
    entries: dict[int, manifest.ShardEntry] = {}
    if file.exists() and not manifest.is_torn(file.read_bytes()):
        held = manifest.read_manifest(dataset_folder.read_text(file), str(file))
        if held.config == target.config:
            return held.shards
        entries = {entry.shard: entry for entry in held.shards}
    for shard in range(target.config.shards):
        path = target.sidecar_path(shard)
        if path.exists():
            with suppress(DatasetCorrupt, StorageError):  # torn or gone: the shard is looked at again
                entries[shard] = manifest.read_sidecar(dataset_folder.read_text(path), str(path))
    ranges = {shard: target.config.shard_range(shard) for shard in entries}
    return [entry for shard, entry in sorted(entries.items()) if range(entry.first, entry.stop) == ranges[shard]]


def _remove_progress(target: dataset_folder.DatasetFolder) -> None:
    for path in dataset_folder.children(target.progress):
        if not path.name.startswith("lock"):
            path.unlink(missing_ok=True)


def discard(target: dataset_folder.DatasetFolder) -> None:
    """Remove an unfinished dataset, and its folder if nothing else is in it."""
    for folder in (target.folder / manifest.DATA, target.progress):
        for path in dataset_folder.children(folder):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        for folder in (target.folder / manifest.DATA, target.progress, target.folder):
            folder.rmdir()
