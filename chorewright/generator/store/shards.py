"""The store's writing side: shards and manifest, each whole or absent, whatever happens in between.

A dataset's folder holds ``manifest.json`` and ``data/shard-00000.parquet`` ...; until the manifest is
written also ``.progress/`` with the run's configuration, its lock, and one small record (checksum, counts)
beside each finished shard. Every file is written under another name in ``.progress``, flushed to the disk
and renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt, StorageError
from chorewright.files.atomic import storage_error, write_atomically
from chorewright.generator.episode import Episode
from chorewright.generator.store import lock
from chorewright.generator.store.card import CARD, write_card
from chorewright.generator.store.dataset_folder import (
    FINGERPRINT,
    RUN,
    DatasetFolder,
    children,
    open_dataset_folder,
    read_text,
)
from chorewright.generator.store.manifest import (
    DATA,
    MANIFEST,
    Manifest,
    RejectedIndex,
    ShardEntry,
    is_torn,
    read_manifest,
    read_sidecar,
    tool_versions,
    write_header,
    write_manifest,
    write_sidecar,
)
from chorewright.generator.store.records import to_table


@contextmanager
def writing(target: DatasetFolder, slice_of: tuple[int, int] | None = None) -> Iterator[str | None]:
    """Lock a target for writing while the context lasts, and make its folders.

    ``slice_of`` (i, N) locks only the i-th of N slices. Yields a note where a dead run's lock was taken over.

    Raises:
        StorageError: the folder cannot be written, or another run is writing to it.
    """
    stack = ExitStack()
    mine = "lock-{}-of-{}".format(*slice_of) if slice_of else "lock"
    try:
        target.progress.mkdir(parents=True, exist_ok=True)
        (target.folder / DATA).mkdir(exist_ok=True)
        if slice_of is None:
            stale = stack.enter_context(lock.locked(target.progress / mine))
        else:
            stack.enter_context(lock.shared(target.progress / "lock"))
            others = f"-of-{slice_of[1]}"
            for path in sorted(target.progress.glob("lock-*-of-*")):
                if not path.name.endswith(others):
                    lock.refuse_if_held(path)  # slices of another N would overlap ours
            stale = stack.enter_context(lock.locked(target.progress / mine))
        open_dataset_folder(target.folder, target.config)  # again, now that nobody else can change it
        manifest, run = target.folder / MANIFEST, target.progress / RUN
        if manifest.exists() and is_torn(manifest.read_bytes()):
            manifest.unlink()  # it says nothing; as with a lost one, the shards decide
        if not manifest.exists():
            header = _json(write_header(target.config, tool_versions()))
            if not run.exists() or run.read_bytes() != header:
                if run.exists() and slice_of is not None:  # begun otherwise, perhaps by a slice at work
                    for path in sorted(target.progress.glob("lock-*-of-*")):
                        if path.name != mine:
                            lock.refuse_if_held(path)
                _write_atomically(target, run, header)
    except OSError as error:
        stack.close()
        raise storage_error(error, target.folder) from error
    except BaseException:
        stack.close()
        raise
    try:
        yield f"took over the lock of {stale}, which has ended" if stale else None
    finally:
        if (target.folder / MANIFEST).exists():
            _remove_progress(target)
        stack.close()
        with suppress(OSError):
            if (target.folder / MANIFEST).exists() and not any(target.progress.glob("lock-*")):
                (target.progress / "lock").unlink(missing_ok=True)  # slices share it; this was the last one
            target.progress.rmdir()  # only if empty: nothing was begun, or all is finished


def finished_shards(target: DatasetFolder, shards: Iterable[int]) -> dict[int, ShardEntry]:
    """Return the entries of those shards whose file is there and has the recorded checksum."""
    recorded = {entry.shard: entry for entry in _recorded(target)}
    return {
        shard: recorded[shard]
        for shard in shards
        if shard in recorded and file_problem(target.folder, recorded[shard]) is None
    }


def write_shard(target: DatasetFolder, shard: int, made: Sequence[Episode | RejectedIndex]) -> ShardEntry:
    """Write one shard from what was made of all its indices; a rejected one leaves only its reason.

    Raises:
        StorageError: the disk is full or not writable, or the shard differs from the finished manifest's.
    """
    indices = target.config.shard_range(shard)
    assert [one.index for one in made] == list(indices), "a shard is written from all its indices"
    rows = [one for one in made if isinstance(one, Episode)]
    data = _parquet(rows, target.config.fingerprint())
    entry = ShardEntry(
        shard=shard,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        first=indices.start,
        stop=indices.stop,
        accepted=len(rows),
        rejected=tuple(one for one in made if isinstance(one, RejectedIndex)),
    )
    if (target.folder / MANIFEST).exists() and _recorded(target)[shard] != entry:
        raise StorageError(
            f"{entry.file} came out different from the manifest's, so it was not replaced",
            hint="the code that made this dataset has changed; generate it anew into another folder",
        )
    try:
        _write_atomically(target, target.shard_path(shard), data)
        _write_atomically(target, target.sidecar_path(shard), write_sidecar(entry).encode())
    except OSError as error:
        raise storage_error(error, target.shard_path(shard)) from error
    return entry


def finish(target: DatasetFolder) -> Manifest | None:
    """Write card and manifest if every shard is there, and return the manifest; ``None`` if shards are missing.

    Raises:
        StorageError: the disk is full or not writable.
    """
    path, every = target.folder / MANIFEST, range(target.config.shards)
    entries = finished_shards(target, every)
    if len(entries) < len(every) and path.exists():  # another slice's run has just finished it
        entries = finished_shards(target, every)
    if len(entries) < len(every):
        return None
    manifest = Manifest(target.config, tool_versions(), tuple(entries[shard] for shard in every))
    text = write_manifest(manifest).encode()
    card = target.folder / CARD
    try:
        if not card.exists():  # else it may be the user's own by now
            _write_atomically(target, card, write_card(target.config).encode())
        if not path.exists() or path.read_bytes() != text:
            _write_atomically(target, path, text)
    except OSError as error:
        if not (path.exists() and path.read_bytes() == text):  # else another slice's run did it meanwhile
            raise storage_error(error, target.folder) from error
    return manifest


def clear_leftovers(target: DatasetFolder, shards: Iterable[int]) -> None:
    """Remove the half-written files that killed workers left of these shards; other slices' are theirs."""
    stems = {target.shard_path(shard).name for shard in shards}
    stems |= {target.sidecar_path(shard).name for shard in shards}
    for path in children(target.progress):
        if path.name.endswith(".tmp") and path.name.rsplit(".", 2)[0] in stems:
            path.unlink(missing_ok=True)


def file_problem(folder: Path, entry: ShardEntry) -> str | None:
    """Return what is wrong with a shard's file, compared with its entry; ``None`` if nothing is."""
    path = folder / entry.file
    try:
        if path.is_symlink() or not path.is_file():
            return "is a link" if path.is_symlink() else "is missing"
        size = path.stat().st_size
        if size != entry.size:
            return f"has {size:,} bytes instead of {entry.size:,}"
        with path.open("rb") as stream:
            digest = hashlib.sha256()
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None if digest.hexdigest() == entry.sha256 else "has another checksum than the manifest says"


def _parquet(episodes: Sequence[Episode], fingerprint: str) -> bytes:
    table = to_table(episodes).replace_schema_metadata({FINGERPRINT: fingerprint.encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        version="2.6",
        compression="zstd",
        compression_level=3,
        row_group_size=64,
        data_page_version="1.0",
        write_page_checksum=True,
    )
    return bytes(sink.getvalue().to_pybytes())


def _write_atomically(target: DatasetFolder, path: Path, data: bytes) -> None:
    write_atomically(path, data, target.progress / f"{path.name}.{os.getpid()}.tmp")


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _recorded(target: DatasetFolder) -> Sequence[ShardEntry]:
    manifest = target.folder / MANIFEST
    if manifest.exists() and not is_torn(manifest.read_bytes()):
        return read_manifest(read_text(manifest), str(manifest)).shards
    entries = []
    for shard in range(target.config.shards):
        path = target.sidecar_path(shard)
        if path.exists():
            with suppress(DatasetCorrupt, StorageError):  # torn or gone: the shard is looked at again
                entries.append(read_sidecar(read_text(path), str(path)))
    return entries


def _remove_progress(target: DatasetFolder) -> None:
    for path in children(target.progress):
        if not path.name.startswith("lock"):
            path.unlink(missing_ok=True)
