"""Datasets for ``datasets.load_dataset(folder)``: files named by split, and a card that tells it which are which."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import UsageError
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option, segments_option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.showing.moments import camera_sizes, png
from chorewright.generator.training import card, trajectory
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder

EPISODES, FRAMES = "episodes", "frames"

WORDINGS = ("task_wordings", "subtask_wordings")
"""The columns of all annotators' sentences."""

LARGEST = {EPISODES: 1000, FRAMES: 50}
"""Episodes of a file."""

ROW_GROUP = {EPISODES: 64, FRAMES: 500}
"""Rows that a reader has to decode for one of them."""

FRAME_COLUMNS = (
    *(("source_index", "int64"), ("frame_index", "int64"), ("timestamp", "float32")),
    *((name, "string") for name in ("original_split", "template", "task", "subtask")),
)
"""What rows of frames have besides features: name and type."""

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


@dataclass(frozen=True, slots=True)
class HuggingFaceOptions(trajectory.PictureOptions):
    """The options of ``export --format huggingface``.

    Attributes:
        rows: What a row is.
        images: Draw what is seen into rows of frames, as PNG.
        wordings: Of frames: all annotators' sentences, too, as lists in columns of their own.
        workers: Processes that draw; all cores by default, 0 for this one only.
    """

    rows: str = option(EPISODES, choices=(EPISODES, FRAMES))
    images: bool = False
    wordings: bool = False
    segments: str = segments_option()
    workers: int = option(-1, metavar="N", low=-1)


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be written: its name, whose rows it has, and whether these tell of noise."""

    name: str
    episodes: Sequence[Episode]
    places: tuple[int, ...]
    noisy: bool


class HuggingFaceExporter(Exporter[HuggingFaceOptions]):
    """Writes accepted episodes of any benchmark; rows of frames need one that has trajectories."""

    name = "huggingface"
    options = HuggingFaceOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        if self.asked.images and self.asked.rows != FRAMES:
            raise UsageError("--images draws into rows of frames", hint=f"add --rows {FRAMES}")
        if self.asked.wordings and self.asked.rows != FRAMES:
            raise UsageError("--wordings is of rows of frames", hint=f"add --rows {FRAMES}")
        pixels, view = self.asked.view()
        flags = {"--size": pixels or view.size, "--camera": view.cameras, "--fov": view.fov}
        flags |= {"--camera-height": view.height, "--looks": view.looks}
        if not self.asked.images and (flag := next(filter(flags.get, flags), "")):
            raise UsageError(f"{flag} is that of pictures", hint="add --images")

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``."""
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        splits, benchmark = trajectory.places_by_split(again)
        if self.asked.rows == FRAMES:
            trajectory.trajectories_of(benchmark, view=self.asked.view()[1])
        noisy = self.asked.rows == FRAMES and trajectory.is_noisy(again)
        folder = export_folder(episodes, target, self.name)
        files = list(_files(again, splits, LARGEST[self.asked.rows], noisy))
        workers = usable_cores() if self.asked.workers < 0 else self.asked.workers
        workers = min(workers, len(files)) if self.asked.rows == FRAMES and len(files) > 1 else 0
        written, changed, done = sum(map(len, splits.values())), 0, 0
        answers = carry_out(partial(_write, folder, self.asked), files, workers, "export")
        for file, new in zip(files, answers, strict=True):
            changed, done = changed + new, done + len(file.places)
            self.watch(done, written)
        told = _card(again, benchmark, splits, self.asked, noisy)
        changed += folder.write(("README.md",), told.encode())
        folder.remove_others(("data",), "*.parquet", {each.name for each in files})
        return Exported(written, len(again) - written, changed)


def _files(episodes: Sequence[Episode], splits: dict[str, list[int]], largest: int, noisy: bool) -> Iterator[_File]:
    for split, places in splits.items():
        count = -(-len(places) // largest)
        for number in range(count):
            some = tuple(places[number * largest : (number + 1) * largest])
            yield _File(f"{split}-{number:05d}-of-{count:05d}.parquet", episodes, some, noisy)


def _write(folder: ExportFolder, asked: HuggingFaceOptions, file: _File) -> bool:
    some = [file.episodes[place] for place in file.places]
    pixels, view = asked.view()
    size = pixels or 0 if asked.images else None
    reader = partial(trajectory.trajectories_of, cut=asked.segments, noisy=file.noisy, view=view)
    table = (
        frame_rows(some, size, reader(some[0].benchmark), asked.wordings)
        if asked.rows == FRAMES
        else episode_rows(some)
    )
    return folder.write(("data", file.name), _parquet(table, ROW_GROUP[asked.rows]))


def _parquet(table: pa.Table, rows: int) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, version="2.6", compression="zstd", row_group_size=rows)
    return sink.getvalue()


def _card(
    episodes: Sequence[Episode],
    benchmark: str,
    splits: Mapping[str, Sequence[int]],
    asked: HuggingFaceOptions,
    noisy: bool,
) -> str:
    """Return the card: which files are which split, what the columns are, and how all was made."""
    sizes = {f"episodes of {split}": len(places) for split, places in splits.items()}
    first = episodes[next(iter(splits.values()))[0]]
    columns = [card.column(name, kind) for name, kind in FRAME_COLUMNS]
    if asked.rows == FRAMES:
        size, view = asked.view()
        reader = trajectory.trajectories_of(benchmark, noisy=noisy, view=view)
        pixels = camera_sizes(reader.cameras, size, 2) if asked.images else ()
        columns += [card.column(name, "list") for name in WORDINGS if asked.wordings]
        columns += card.features(reader, pixels)
    else:
        columns = [card.column(each.name, _type(each.type)) for each in episode_rows([first]).schema]
    files = "".join(f"  - split: {split}\n    path: data/{split}-*\n" for split in splits)
    return f"""---
configs:
- config_name: default
  data_files:
{files}{_features(benchmark, asked, noisy)}---

A dataset of the benchmark `{benchmark}`, made by chorewright: a row for each {asked.rows.removesuffix("s")}.

```python
import datasets

dataset = datasets.load_dataset("this folder")
```
{card.details(episodes, benchmark, sizes, columns)}"""


def _type(kind: pa.DataType) -> str:
    """Return a column's type in a word: of lists and structs only that."""
    nested = pa.types.is_list(kind) or pa.types.is_struct(kind)
    return str(kind).partition("<")[0] if nested else str(kind)


def _features(benchmark: str, asked: HuggingFaceOptions, noisy: bool) -> str:
    """Return the columns' types where ``datasets`` would not see that some are pictures."""
    if not asked.images:
        return ""
    reader = trajectory.trajectories_of(benchmark, noisy=noisy, view=asked.view()[1])
    lines = [f"  - name: {name}\n    dtype: {dtype}\n" for name, dtype in FRAME_COLUMNS]
    lines += [f"  - name: {name}\n    sequence: string\n" for name in WORDINGS if asked.wordings]
    for each in reader.features:
        one = f"    dtype: {each.dtype}\n"
        several = f"    sequence:\n      dtype: {each.dtype}\n    length: {len(each.names)}\n"
        lines.append(f"  - name: {each.name}\n" + (one if len(each.names) == 1 else several))
    lines += [f"  - name: {trajectory.IMAGES}.{camera.name}\n    dtype: image\n" for camera in reader.cameras]
    return f"dataset_info:\n  features:\n{''.join(lines)}"


def episode_rows(episodes: Sequence[Episode]) -> pa.Table:
    """Return a row for each episode, with the columns of the store; the split by its common name, the other beside it.

    Where the arguments of steps are frames in JSON, there is the typed column ``frames`` instead, one for each step.
    """
    reader = trajectory.trajectories_if_any(episodes[0].benchmark)
    original = pa.array([each.split for each in episodes], pa.string())
    plain = [replace(each, split=trajectory.common_split(each.split)) for each in episodes]
    if reader is None or reader.frame_type is None:
        return to_table(plain).append_column("original_split", original)
    plain = [replace(each, steps=tuple(replace(step, arguments="{}") for step in each.steps)) for each in plain]
    frames = pa.array(map(reader.frame_values, episodes), pa.list_(reader.frame_type))
    return to_table(plain).append_column(FRAMES, frames).append_column("original_split", original)


def frame_rows(
    episodes: Sequence[Episode], size: int | None, reader: trajectory.Trajectories[Any], worded: bool = False
) -> pa.Table:
    """Return a row for each frame of episodes of one benchmark.

    Args:
        episodes: At least one; their benchmark has trajectories.
        size: Pixels on a side of the first camera's pictures; 0 for the benchmark's own, None for no pictures.
        reader: What reads them.
        worded: Whether there are all annotators' sentences, ``task_wordings`` and ``subtask_wordings``, too.

    Returns:
        ``source_index`` (the episode's), ``frame_index``, ``timestamp`` in seconds, ``original_split``, ``template``
        (``task`` in rows of episodes), ``task`` and ``subtask`` in words, the benchmark's features, and
        ``observation.images.CAMERA`` for each camera.
    """
    return pa.concat_tables([_rows_of(episode, size, reader, worded) for episode in episodes])


def _rows_of(episode: Episode, size: int | None, reader: trajectory.Trajectories[Any], worded: bool) -> pa.Table:
    said, columns = reader.sentences(episode), reader.columns(episode)
    count = len(said.tasks)
    arrays: dict[str, object] = {
        "source_index": pa.array([episode.index] * count, pa.int64()),
        "frame_index": pa.array(range(count), pa.int64()),
        "timestamp": pa.array([number / reader.fps for number in range(count)], pa.float32()),
        "original_split": pa.array([episode.split] * count, pa.string()),
        "template": pa.array([episode.task] * count, pa.string()),
        "task": pa.array(said.tasks, pa.string()),
        "subtask": pa.array(said.subtasks, pa.string()),
    }
    for name, texts in zip(WORDINGS, (said.tasks, said.subtasks), strict=True) if worded else ():
        known = {text: trajectory.wordings(episode, text) for text in dict.fromkeys(texts)}
        arrays[name] = pa.array([known[text] for text in texts], pa.list_(pa.string()))
    arrays |= {each.name: trajectory.arrow_column(columns[each.name], each.dtype) for each in reader.features}
    if size is not None:
        names = [f"{trajectory.IMAGES}.{camera.name}" for camera in reader.cameras]
        pictures: dict[str, list[object]] = {name: [] for name in names}
        for seen in reader.pictures(episode, size or None):
            for name, frame in zip(names, seen, strict=True):
                pictures[name].append({"bytes": png(frame, "rgb"), "path": None})
        arrays |= {name: pa.array(values, _IMAGE) for name, values in pictures.items()}
    return pa.table(arrays)
