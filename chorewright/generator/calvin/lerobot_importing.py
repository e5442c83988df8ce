"""LeRobot datasets of CALVIN's table as episodes: those that have the numbers of our exports (LeRobotDataset v3.0).

Frames of one subtask and sentence in a row are a segment. LeRobot's numbers have 32 bits and say neither contacts nor,
if another program wrote them, the table: the extra ``unchecked`` says so. Videos are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from chorewright.errors import InputError, Location
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import load_json
from chorewright.generator.calvin import records
from chorewright.generator.calvin.benchmark import TRAINING, VALIDATION
from chorewright.generator.calvin.export.files import COMMANDS, EXECUTIONS, PERTURBED
from chorewright.generator.calvin.importing import TablePart, make_episode
from chorewright.generator.calvin.moments import TableMoments, TableRecording, block_order
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.importing import Recordings
from chorewright.problems.calvin.scenes import TabletopScene, scene

INFO, VERSION = "meta/info.json", "v3.0"

STATE, TABLE, RELATIVE, ABSOLUTE, COMMANDED, EXECUTED, NOISY = (each.name for each in TableMoments.features)
NEEDED = (STATE, TABLE, RELATIVE, ABSOLUTE)
_LENGTHS = {each.name: len(each.names) for each in TableMoments.features}

USUAL_SCENE = "D"
"""The table where the dataset does not say which."""

_UNCHECKED = "LeRobot's numbers tell no contacts, so no task is detected again: the subtasks say what was done"
_NO_SCENE = f"; the table is not told and taken to be {USUAL_SCENE}"


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Where an episode's frames are: the file, the first row of it, how many; its split, and its table if told."""

    file: Path
    first: int
    count: int
    split: str
    scene: str


class LeRobotImporter:
    """Reads LeRobot datasets of CALVIN's table."""

    name = "lerobot"
    benchmark = records.BENCHMARK

    def open(self, folder: Path) -> Recordings:
        """Return the episodes that ``meta`` lists; see ``Importer.open``."""
        info = folder / INFO
        if not info.exists():
            return Recordings(0, (), lambda index: _episode(folder, (), index))
        _check_features(root(load_json(info)))
        stretches = [*_stretches(folder)]
        files = [info, *sorted(folder.glob("meta/**/*.parquet")), *sorted({each.file for each in stretches})]
        return Recordings(len(stretches), files, lambda index: _episode(folder, stretches, index))


def _check_features(info: Node) -> None:
    """Check that a dataset is one that can be read.

    Raises:
        InputError: It is of another version, or lacks a feature.
    """
    version = info["codebase_version"]
    if version.value != VERSION:
        raise version.error(f"only LeRobotDataset {VERSION} is read, not {version.value!r}")
    features = info["features"]
    for name in NEEDED:
        if name not in features:
            hint = "it needs those of CALVIN's table, as exports of ours have them; rooms: import their own format"
            raise features.error(f"lacks the feature {name!r}", hint=hint)
    for name, length in _LENGTHS.items():
        if name in features and features[name]["shape"].value != [length]:
            raise features[name]["shape"].error(f"expected [{length}]")


def _stretches(folder: Path) -> Iterator[_Stretch]:
    rows: dict[Path, int] = {}
    for path in sorted(folder.glob("meta/episodes/*/*.parquet")):
        for number, row in enumerate(_table(path).to_pylist()):
            try:
                chunk, at, count = (int(row[key]) for key in ("data/chunk_index", "data/file_index", "length"))
                if count < 1:
                    raise ValueError("it has no frames")
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"row {number} tells no frames: {error!r}", location=Location(str(path))) from error
            file = folder / "data" / f"chunk-{chunk:03d}" / f"file-{at:03d}.parquet"
            first = rows.get(file, 0)
            rows[file] = first + count
            told = str(row.get("original_split") or row.get("split") or "")
            split = VALIDATION if told.startswith(("valid", "test")) else TRAINING
            yield _Stretch(file, first, count, split, str(row.get("scene") or ""))


def _table(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        said = str(error).splitlines()[0]
        raise InputError(f"cannot be read: {said}", location=Location(str(path))) from error


def _texts(path: Path, name: str) -> Mapping[int, str]:
    """Return the texts of a table by their numbers; none where there is no such table."""
    if not path.exists():
        return {}
    table = _table(path)
    try:
        return dict(zip(table[f"{name}_index"].to_pylist(), map(str, table[name].to_pylist()), strict=True))
    except KeyError as error:
        raise InputError(f"lacks the column {error}", location=Location(str(path))) from error


def _episode(folder: Path, stretches: Sequence[_Stretch], index: int) -> Episode:
    one = stretches[index]
    table = scene(one.scene or USUAL_SCENE)
    frames = _table(one.file).slice(one.first, one.count)
    if len(frames) != one.count:
        raise InputError(f"has no {one.count} frames from row {one.first}", location=Location(str(one.file)))
    try:
        rows, parts = _rows(frames, table), _parts(folder, frames)
    except (KeyError, ValueError, TypeError) as error:
        message = f"episode {index} has other frames than meta says: {error!r}"
        raise InputError(message, location=Location(str(one.file))) from error
    labels = tuple((-1, each.first, min(each.done + 1, len(rows)), each.task, each.text) for each in parts)
    kept = TableRecording(-1, COMMANDED in frames.column_names, (), labels, table.name)
    unchecked = _UNCHECKED + (_NO_SCENE if not one.scene else "")
    return make_episode(index, one.split, table, rows, parts, kept, unchecked)


def _rows(frames: pa.Table, table: TabletopScene) -> list[dict[str, NDArray[Any]]]:
    """Return the numbers of each frame by CALVIN's keys and ours."""
    numbers = {name: _numbers(frames, name) for name in _LENGTHS if name in frames.column_names}
    told = np.empty_like(numbers[TABLE])
    told[:, block_order(table)] = numbers[TABLE]
    columns = {
        "robot_obs": numbers[STATE],
        "scene_obs": told,
        "actions": numbers[ABSOLUTE],
        "rel_actions": numbers[RELATIVE],
    }
    if COMMANDED in numbers:
        columns |= zip(COMMANDS, _both(numbers[COMMANDED], numbers[STATE]), strict=True)
    if NOISY in numbers and numbers[NOISY].any():
        columns |= zip(EXECUTIONS, _both(numbers[EXECUTED], numbers[STATE]), strict=True)
        columns[PERTURBED] = numbers[NOISY][:, 0]
    return [{name: values[number] for name, values in columns.items()} for number in range(len(frames))]


def _both(poses: records.Float, robot: records.Float) -> tuple[records.Float, records.Float]:
    """Return poses, and the same as motions from where the arm is."""
    return poses, records.relative_actions(poses, robot)


def _numbers(frames: pa.Table, name: str) -> records.Float:
    """Return a column as (frames, numbers).

    Raises:
        ValueError: It has no such numbers, or some that are not finite.
    """
    column = frames[name].combine_chunks()
    flat = column if pa.types.is_primitive(column.type) else column.flatten()
    found = np.asarray(flat, np.float64).reshape(len(frames), _LENGTHS[name])
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has numbers that are not finite")
    return found


def _parts(folder: Path, frames: pa.Table) -> list[TablePart]:
    """Return the segments: frames of one sentence and, where told, one subtask, in a row."""
    sentences, subtasks = (_texts(folder / "meta" / f"{name}s.parquet", name) for name in ("task", "subtask"))
    said = [sentences[number] for number in frames["task_index"].to_pylist()]
    if "subtask_index" in frames.column_names and subtasks:
        done = [subtasks[number] for number in frames["subtask_index"].to_pylist()]
    else:
        done = said
    parts: list[TablePart] = []
    for (task, text), some in groupby(zip(done, said, strict=True)):
        first = parts[-1].stop if parts else 0
        stop = first + sum(1 for _ in some)
        parts.append(TablePart(first, stop, stop, task, text))
    return parts
