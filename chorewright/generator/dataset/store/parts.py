"""Parts: what workers make of a shard, kept in ``.progress`` until all are there and become the shard's file.

A part is a range of a shard's indices. Its file is the SHA-256 of the rest, then an Arrow stream of its rows, with
the rejected indices as metadata. Which parts a shard was made of leaves no trace in its bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeAlias

import pyarrow as pa

from chorewright.errors import storing
from chorewright.generator.dataset.episode import Episode, RejectedIndex, RejectionReason
from chorewright.generator.dataset.store.dataset_folder import FINGERPRINT, PART, DatasetFolder, children
from chorewright.generator.dataset.store.manifest import Tally, rejection_json, rejection_of
from chorewright.generator.dataset.store.places import Place, write_whole
from chorewright.generator.dataset.store.records import SCHEMA, to_table

_REJECTED = b"chorewright.rejected"
_STAGES = b"chorewright.stages"
_DIGEST = 32


Stages: TypeAlias = Mapping[int, Sequence[str]]
"""The stage of each rejected attempt of an index, in order; an index without any may be missing."""


@dataclass(frozen=True, slots=True)
class ShardPart:
    """Some indices of a shard that are made.

    Attributes:
        indices: The indices.
        rejected: Those that were rejected; all others have rows.
        stages: The stages of the rejected attempts of each index, as the attempts said them.
    """

    indices: range
    rejected: tuple[RejectedIndex, ...]
    stages: Stages = field(default_factory=dict)

    @property
    def accepted(self) -> int:
        """The number of rows."""
        return len(self.indices) - len(self.rejected)


def part_path(target: DatasetFolder, indices: range) -> Place:
    """Return the file of a part."""
    return target.progress / f"part-{indices.start:09d}-{indices.stop:09d}{PART}"


def write_part(
    target: DatasetFolder,
    indices: range,
    made: Sequence[Episode | RejectedIndex],
    settled: Mapping[int, tuple[ShardPart, pa.Table]] | None = None,
) -> ShardPart:
    """Write a part from what was made of all its indices; a rejected one leaves only its reason.

    Args:
        target: The dataset's folder.
        indices: The part's.
        made: What came of them, but for those that are settled.
        settled: Indices that were parts of their own, with what these hold.

    Raises:
        StorageError: The disk is full or not writable, or an episode does not fit the schema.
    """
    alone = settled or {}
    assert sorted([*(one.index for one in made), *alone]) == list(indices), "a part is written from all its indices"
    rejected = [one for one in made if isinstance(one, RejectedIndex)]
    rejected += [one for part, _ in alone.values() for one in part.rejected]
    tables = {index: rows for index, (_, rows) in alone.items()}
    episodes = [one for one in made if isinstance(one, Episode)]
    for _, several in groupby(episodes, key=lambda one: sum(index < one.index for index in alone)):
        run = list(several)
        tables[run[0].index] = to_table(run)
    rows = pa.concat_tables([tables[index] for index in sorted(tables)]) if tables else to_table([])
    stages = {index: said for part, _ in alone.values() for index, said in part.stages.items()}
    stages |= {one.index: _say(one.rejections if isinstance(one, Episode) else one.attempts) for one in made}
    return write_rows(target, indices, rows, sorted(rejected, key=lambda one: one.index), stages)


def _say(reasons: Sequence[str]) -> list[str]:
    """Return the stages of reasons; empty where a benchmark has said none."""
    return [each.stage if isinstance(each, RejectionReason) else "" for each in reasons]


def write_rows(
    target: DatasetFolder, indices: range, rows: pa.Table, rejected: Sequence[RejectedIndex], stages: Stages
) -> ShardPart:
    """Write a part from its rows.

    Raises:
        StorageError: The disk is full or not writable.
    """
    metadata = {
        FINGERPRINT: target.config.fingerprint().encode(),
        _REJECTED: json.dumps([rejection_json(each) for each in rejected]).encode(),
        _STAGES: json.dumps({index: list(stages[index]) for index in sorted(stages) if stages[index]}).encode(),
    }
    write_stream(target, part_path(target, indices), rows, metadata)
    return ShardPart(indices, tuple(rejected), stages)


def write_stream(target: DatasetFolder, path: Place, rows: pa.Table, metadata: Mapping[bytes, bytes]) -> None:
    """Write a table and its digest to a file of the folder of progress, whole or not at all.

    Raises:
        StorageError: It cannot be written.
    """
    sink = pa.BufferOutputStream()
    rows = rows.replace_schema_metadata(metadata)
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    body = sink.getvalue().to_pybytes()
    with storing(path):
        write_whole(path, hashlib.sha256(body).digest() + body, target.temporary(path))


def read_stream(path: Place) -> pa.Table:
    """Return the table that ``write_stream`` wrote.

    Raises:
        ValueError: It is torn; Arrow and the file system have errors of their own.
    """
    data = path.read_bytes()
    body = data[_DIGEST:]
    if hashlib.sha256(body).digest() != data[:_DIGEST]:
        raise ValueError(f"{path} is torn")
    with pa.ipc.open_stream(body) as stream:
        return stream.read_all()


def read_stages(rows: pa.Table, rejected: Sequence[RejectedIndex], tally: Tally) -> Stages:
    """Return the stages of a finished shard's rejected attempts: those of its tally that their texts name."""
    texts = dict(zip(rows["index"].to_pylist(), rows["rejections"].to_pylist(), strict=True))
    texts |= {each.index: each.attempts for each in rejected}
    return {index: [tally.stage_of(text) for text in each] for index, each in texts.items()}


def read_part(target: DatasetFolder, indices: range) -> tuple[ShardPart, pa.Table] | None:
    """Return a part and its rows; None if it is not there, is damaged, or is another configuration's."""
    with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        rows = read_stream(part_path(target, indices))
        metadata = rows.schema.metadata
        if metadata[FINGERPRINT] != target.config.fingerprint().encode() or rows.schema.types != SCHEMA.types:
            return None
        stages = {int(index): said for index, said in json.loads(metadata[_STAGES]).items()}
        part = ShardPart(indices, tuple(map(rejection_of, json.loads(metadata[_REJECTED]))), stages)
        if part.accepted == rows.num_rows:
            return part, rows.replace_schema_metadata(None)
    return None


def find_settled_indices(target: DatasetFolder) -> Sequence[int]:
    """Return the indices that have a file of their own, since an attempt of theirs ended a worker."""
    names = [path.stem.split("-") for path in children(target.progress, f"part-*{PART}")]
    return [int(first) for _, first, stop in names if int(stop) == int(first) + 1]


def parts_there(target: DatasetFolder, shard: int) -> bool:
    """Whether each part of a shard has a file."""
    return all(part_path(target, indices).exists() for indices in target.parts(shard))


def read_parts(target: DatasetFolder, shard: int) -> tuple[pa.Table, ShardPart] | None:
    """Return the rows of a whole shard, and all its parts as one; None if a part is not there.

    A damaged part is removed, so that it is made again.
    """
    tables: list[pa.Table] = []
    rejected: list[RejectedIndex] = []
    stages: dict[int, Sequence[str]] = {}
    for indices in target.parts(shard):
        found = read_part(target, indices)
        if found is None:
            part_path(target, indices).unlink(missing_ok=True)
            return None
        rejected += found[0].rejected
        stages.update(found[0].stages)
        tables.append(found[1])
    return pa.concat_tables(tables), ShardPart(target.config.shard_range(shard), tuple(rejected), stages)


def remove_parts(target: DatasetFolder, shard: int) -> None:
    """Remove the parts of a shard that is finished."""
    for indices in target.parts(shard):
        with suppress(OSError):
            part_path(target, indices).unlink(missing_ok=True)
