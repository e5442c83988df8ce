"""Datasets for ``datasets.load_dataset(folder)``: files named by split, and a card that tells it which are which."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import UsageError
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.pool import done_by
from chorewright.generator.training.exporter import Exported, ExportFolder, export_folder
from chorewright.generator.training.huggingface.rows import episode_rows, frame_rows
from chorewright.generator.training.splits import places_by_split
from chorewright.generator.training.trajectory import trajectories_of

EPISODES, FRAMES = "episodes", "frames"

LARGEST = {EPISODES: 1000, FRAMES: 50}
"""Episodes of a file."""

ROW_GROUP = {EPISODES: 64, FRAMES: 500}
"""Rows that a reader has to decode for one of them."""


@dataclass(frozen=True, slots=True)
class HuggingFaceOptions:
    """The options of ``export --format huggingface``."""

    rows: str = option(EPISODES, "What a row is.", choices=(EPISODES, FRAMES))
    images: bool = option(False, "Draw what is seen into rows of frames, as PNG.")
    size: int = option(
        0, "Pixels on a side of the first camera's pictures; 0 for the benchmark's own.", metavar="N", low=0, high=2048
    )
    workers: int = option(-1, "Processes that draw; all cores by default, 0 for this one only.", metavar="N", low=-1)


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be written: its name, and whose rows it has."""

    name: str
    episodes: Sequence[Episode]
    places: tuple[int, ...]


@dataclass(slots=True)
class HuggingFaceExporter:
    """Writes accepted episodes of any benchmark; rows of frames need one that has trajectories."""

    asked: HuggingFaceOptions = field(default_factory=HuggingFaceOptions)
    name: str = field(default="huggingface", init=False)
    accepts: tuple[str, ...] = field(default=(), init=False)
    options: type = field(default=HuggingFaceOptions, init=False)

    def with_options(self, options: object) -> HuggingFaceExporter:
        """Return an exporter with these options; see ``HasOptions``."""
        assert isinstance(options, HuggingFaceOptions)
        if options.images and options.rows != FRAMES:
            raise UsageError("--images draws into rows of frames", hint=f"add --rows {FRAMES}")
        if options.size and not options.images:
            raise UsageError("--size is that of pictures", hint="add --images")
        return HuggingFaceExporter(options)

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``."""
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        splits, benchmark = places_by_split(again)
        if self.asked.rows == FRAMES:
            trajectories_of(benchmark)
        folder = export_folder(episodes, target, self.name)
        files = list(_files(again, splits, LARGEST[self.asked.rows]))
        workers = usable_cores() if self.asked.workers < 0 else self.asked.workers
        workers = min(workers, len(files)) if self.asked.rows == FRAMES and len(files) > 1 else 0
        changed = sum(done_by(partial(_write, folder, self.asked), files, workers, "export"))
        changed += folder.write(("README.md",), _card(benchmark, list(splits), self.asked).encode())
        written = sum(map(len, splits.values()))
        return Exported(written, len(again) - written, changed)


def _files(episodes: Sequence[Episode], splits: dict[str, list[int]], largest: int) -> Iterator[_File]:
    for split, places in splits.items():
        count = -(-len(places) // largest)
        for number in range(count):
            some = tuple(places[number * largest : (number + 1) * largest])
            yield _File(f"{split}-{number:05d}-of-{count:05d}.parquet", episodes, some)


def _write(folder: ExportFolder, asked: HuggingFaceOptions, file: _File) -> bool:
    some = [file.episodes[place] for place in file.places]
    table = frame_rows(some, asked.size if asked.images else None) if asked.rows == FRAMES else episode_rows(some)
    return folder.write(("data", file.name), _parquet(table, ROW_GROUP[asked.rows]))


def _parquet(table: pa.Table, rows: int) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, version="2.6", compression="zstd", row_group_size=rows)
    return sink.getvalue()


def _card(benchmark: str, splits: Sequence[str], asked: HuggingFaceOptions) -> str:
    """Return the card: which files are which split, and which columns are pictures."""
    files = "".join(f"  - split: {split}\n    path: data/{split}-*\n" for split in splits)
    return f"""---
configs:
- config_name: default
  data_files:
{files}{_features(benchmark, asked)}---

A dataset of the benchmark `{benchmark}`, made by chorewright: a row for each {asked.rows.removesuffix("s")}.

```python
import datasets

dataset = datasets.load_dataset("this folder")
```
"""


def _features(benchmark: str, asked: HuggingFaceOptions) -> str:
    """Return the columns' types where ``datasets`` would not see that some are pictures."""
    if not asked.images:
        return ""
    reader = trajectories_of(benchmark)
    told = [("episode", "int64"), ("frame", "int64"), ("timestamp", "float32")]
    told += [(name, "string") for name in ("template", "task", "subtask")]
    lines = [f"  - name: {name}\n    dtype: {dtype}\n" for name, dtype in told]
    for each in reader.features:
        one = f"    dtype: {each.dtype}\n"
        several = f"    sequence:\n      dtype: {each.dtype}\n    length: {len(each.names)}\n"
        lines.append(f"  - name: {each.name}\n" + (one if len(each.names) == 1 else several))
    lines += [f"  - name: image.{camera.name}\n    dtype: image\n" for camera in reader.cameras]
    return f"dataset_info:\n  features:\n{''.join(lines)}"
