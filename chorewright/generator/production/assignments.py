"""Assignments as a run keeps them: made once, in ``.progress``, so that each slice reads only its own.

Benchmarks decide all assignments in one pass, since each one depends on those before it. For a hundred thousand
episodes that takes many seconds, which every slice and every resumed run would spend again.
"""

from __future__ import annotations

import hashlib
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
_DIGEST = 32

_SCHEMA = pa.schema(
    [
        ("task", pa.string()),
        ("parameters", pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),
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
    rows = [
        {
            "task": each.task,
            "parameters": [{"name": name, "value": value} for name, value in each.parameters],
            "scene": each.scene,
            "split": each.split,
            "repeat": each.repeat,
        }
        for each in assignments
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA.with_metadata({FINGERPRINT: _stamp(target)})) as stream:
        stream.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA))
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
            rows = table.take(np.asarray(indices, np.int64)).to_pylist()
            return {index: _assignment(index, row) for index, row in zip(indices, rows, strict=True)}
    return None


def _assignment(index: int, row: Mapping[str, object]) -> Assignment:
    parameters = tuple((each["name"], each["value"]) for each in row["parameters"])  # type: ignore[attr-defined]
    return Assignment(
        index, str(row["task"]), parameters, str(row["scene"]), str(row["split"]), int(str(row["repeat"]))
    )


def _stamp(target: DatasetFolder) -> bytes:
    return f"{target.config.fingerprint()} {target.config.episodes}".encode()


def _difference(old: Assignment, new: Assignment) -> str:
    for name in ("task", "parameters", "scene", "split", "repeat"):
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            return f"{name} {was!r} there, {now!r} in the larger one"
    return "another index"
