"""Assignments as a run keeps them: made once, in ``.progress``, so that each slice reads only its own.

Benchmarks decide all assignments in one pass, since each one depends on those before it. For a hundred thousand
episodes that takes many seconds, which every slice and every resumed run would spend again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import pyarrow as pa

from chorewright.errors import UsageError
from chorewright.files.plugins import plugin_code
from chorewright.files.text import storage_error
from chorewright.generator.dataset.config import Assignment
from chorewright.generator.dataset.store.dataset_folder import FINGERPRINT, DatasetFolder
from chorewright.generator.dataset.store.places import write_whole
from chorewright.generator.production.benchmark import AnyBenchmark

_FILE = "assignments"
_AT_ONCE = 5000
_DIGEST = 32

_REPEATED = pa.dictionary(pa.int32(), pa.string())

_SCHEMA = pa.schema(
    [
        ("task", _REPEATED),
        ("parameters", _REPEATED),  # JSON
        ("scene", _REPEATED),
        ("split", _REPEATED),
        ("repeat", pa.int64()),
    ]
)


class Assignments:
    """The assignments of all indices, as a table: a tenth of what as many ``Assignment`` values would take."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __getitem__(self, index: int) -> Assignment:
        """Return one."""
        return self.of(range(index, index + 1))[0]

    def of(self, indices: range) -> tuple[Assignment, ...]:
        """Return those of a run of indices."""
        columns = [column.to_pylist() for column in self.table.slice(indices.start, len(indices)).columns]
        return tuple(
            Assignment(index, task, tuple(map(tuple, json.loads(parameters))), scene, split, repeat)
            for index, task, parameters, scene, split, repeat in zip(indices, *columns, strict=True)
        )


def assign(benchmark: AnyBenchmark, target: DatasetFolder) -> Assignments:
    """Return the assignments of all indices.

    Raises:
        UsageError: An option matches nothing; or the dataset cannot grow, since the indices that it has would
            demonstrate something else in a larger one.
    """
    config = target.config
    with plugin_code(f"the benchmark {config.benchmark!r}"):
        found = iter(benchmark.assign(config, config.episodes))
        before = iter(_held(benchmark, target))
        batches = []
        while some := list(islice(found, _AT_ONCE)):
            for old, new in zip(islice(before, len(some)), some, strict=False):
                if old != new:
                    raise _cannot_grow(target, old, new)
            batches.append(_batch(some))
    return Assignments(pa.Table.from_batches(batches, _SCHEMA))


def _held(benchmark: AnyBenchmark, target: DatasetFolder) -> Iterable[Assignment]:
    """Return the assignments of the finished dataset that grows."""
    return benchmark.assign(replace(target.config, episodes=target.held), target.held) if target.held else ()


def _cannot_grow(target: DatasetFolder, old: Assignment, new: Assignment) -> UsageError:
    return UsageError(
        f"{target.folder} cannot grow from {target.held} episodes to {target.config.episodes}: "
        f"episode {old.index} would be another one ({_difference(old, new)})",
        hint="choose another folder for the larger dataset",
    )


def _batch(some: Sequence[Assignment]) -> pa.RecordBatch:
    columns: list[Sequence[object]] = [
        [each.task for each in some],
        [json.dumps(each.parameters) for each in some],
        [each.scene for each in some],
        [each.split for each in some],
        [each.repeat for each in some],
    ]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, _SCHEMA.types, strict=True)]
    return pa.record_batch(arrays, schema=_SCHEMA)


def write_assignments(target: DatasetFolder, assignments: Assignments) -> None:
    """Keep the assignments of all indices while the run is unfinished.

    Raises:
        StorageError: The disk is full or not writable.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA.with_metadata({FINGERPRINT: _stamp(target)})) as stream:
        stream.write_table(assignments.table)
    body = sink.getvalue().to_pybytes()
    path = target.progress / _FILE
    try:
        write_whole(path, hashlib.sha256(body).digest() + body, target.temporary(path))
    except OSError as error:
        raise storage_error(error, path) from error


def read_assignments(target: DatasetFolder) -> Assignments | None:
    """Return the kept assignments; None if none are kept for this configuration."""
    with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        data = (target.progress / _FILE).read_bytes()
        body = data[_DIGEST:]
        if hashlib.sha256(body).digest() != data[:_DIGEST]:
            return None
        with pa.ipc.open_stream(body) as stream:
            table = stream.read_all()
        if table.schema.metadata[FINGERPRINT] == _stamp(target) and table.schema.types == _SCHEMA.types:
            return Assignments(table) if table.num_rows == target.config.episodes else None
    return None


def _stamp(target: DatasetFolder) -> bytes:
    return f"{target.config.fingerprint()} {target.config.episodes}".encode()


def _difference(old: Assignment, new: Assignment) -> str:
    for name in ("task", "parameters", "scene", "split", "repeat"):
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            return f"{name} {was!r} there, {now!r} in the larger one"
    return "another index"
