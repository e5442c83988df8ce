"""Assignments as a run keeps them: made once, in ``.progress``, so that each slice reads only its own.

Benchmarks decide all assignments in one pass, since each one depends on those before it. For a hundred thousand
episodes that takes many seconds, which every slice and every resumed run would spend again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa

from chorewright.errors import UsageError
from chorewright.files.atomic import storage_error, write_atomically
from chorewright.files.plugins import plugin_code
from chorewright.generator.benchmark import Benchmark
from chorewright.generator.config import Assignment
from chorewright.generator.store.dataset_folder import FINGERPRINT, DatasetFolder

_FILE = "assignments"
_AT_ONCE = 5000
_DIGEST = 32

_SCHEMA = pa.schema(
    [
        ("task", pa.string()),
        ("parameters", pa.string()),  # JSON
        ("scene", pa.string()),
        ("split", pa.string()),
        ("repeat", pa.int64()),
    ]
)


def assign(benchmark: Benchmark, target: DatasetFolder) -> Sequence[Assignment]:
    """Return the assignments of all indices.

    Raises:
        UsageError: An option matches nothing; or the dataset cannot grow, since the indices that it has would
            demonstrate something else in a larger one.
    """
    config = target.config
    with plugin_code(f"the benchmark {config.benchmark!r}"):
        found = benchmark.assign(config, config.episodes)
        before = benchmark.assign(replace(config, episodes=target.held), target.held) if target.held else ()
    for old, new in zip(before, found, strict=False):
        if old != new:
            raise UsageError(
                f"{target.folder} cannot grow from {target.held} episodes to {config.episodes}: "
                f"episode {old.index} would be another one ({_difference(old, new)})",
                hint="choose another folder for the larger dataset",
            )
    return found


def write_assignments(target: DatasetFolder, assignments: Sequence[Assignment]) -> None:
    """Keep the assignments of all indices while the run is unfinished.

    Raises:
        StorageError: The disk is full or not writable.
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA.with_metadata({FINGERPRINT: _stamp(target)})) as stream:
        for begin in range(0, len(assignments), _AT_ONCE):
            some = assignments[begin : begin + _AT_ONCE]
            columns = [
                [each.task for each in some],
                [json.dumps(each.parameters) for each in some],
                [each.scene for each in some],
                [each.split for each in some],
                [each.repeat for each in some],
            ]
            arrays = [pa.array(values, kind) for values, kind in zip(columns, _SCHEMA.types, strict=True)]
            stream.write_batch(pa.record_batch(arrays, schema=_SCHEMA))
    body = sink.getvalue().to_pybytes()
    path = target.progress / _FILE
    try:
        write_atomically(path, hashlib.sha256(body).digest() + body, target.temporary(path))
    except OSError as error:
        raise storage_error(error, path) from error


def read_assignments(target: DatasetFolder, indices: Sequence[int]) -> Mapping[int, Assignment] | None:
    """Return the kept assignments of some indices; None if none are kept for this configuration."""
    with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        data = (target.progress / _FILE).read_bytes()
        body = data[_DIGEST:]
        if hashlib.sha256(body).digest() != data[:_DIGEST]:
            return None
        with pa.ipc.open_stream(body) as stream:
            table = stream.read_all()
        if table.schema.metadata[FINGERPRINT] == _stamp(target):
            columns = [column.to_pylist() for column in table.take(np.asarray(indices, np.int64)).columns]
            rows = zip(indices, *columns, strict=True)
            return {
                index: Assignment(index, task, tuple(map(tuple, json.loads(parameters))), scene, split, repeat)
                for index, task, parameters, scene, split, repeat in rows
            }
    return None


def _stamp(target: DatasetFolder) -> bytes:
    return f"{target.config.fingerprint()} {target.config.episodes}".encode()


def _difference(old: Assignment, new: Assignment) -> str:
    for name in ("task", "parameters", "scene", "split", "repeat"):
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            return f"{name} {was!r} there, {now!r} in the larger one"
    return "another index"
