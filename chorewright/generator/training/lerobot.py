"""Datasets as LeRobotDataset v3.0, without LeRobot or torch: frames in Parquet, pictures in videos, and their index.

Episodes stand in the order of their splits, training first, so that each split is one range. A frame carries the
number of its task's sentence (``meta/tasks.parquet``) and of its subgoal (``meta/subtasks.parquet``). The files under
``meta`` tell LeRobot where each episode is.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import UsageError
from chorewright.files.english import say_count
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option, segments_option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.reading import contents
from chorewright.generator.showing.moments import camera_sizes
from chorewright.generator.showing.views import USUAL
from chorewright.generator.training import card, lerobot_group
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder
from chorewright.generator.training.trajectory import IMAGES, PictureOptions, Trajectories, is_noisy, places_by_split
from chorewright.generator.training.video import CODECS, load_av

VERSION = "v3.0"

FRAMES = 3000
"""A file is closed with the episode that makes it at least so long."""

DATA_MB, VIDEO_MB = 100, 200
"""LeRobot's own limits of a file, which ours do not reach."""


@dataclass(frozen=True, slots=True)
class LeRobotOptions(PictureOptions):
    """The options of ``export --format lerobot``.

    Attributes:
        pictures: How pictures are stored.
        depth: Store depth, too, as PNG of 16 bits in millimetres.
        language: Write LeRobot's columns of language, too; versions before 0.6 cannot load a dataset that has them.
        workers: Processes that draw; all cores by default, 0 for this one only.
    """

    pictures: str = option("h264", choices=(*CODECS, lerobot_group.PNG, lerobot_group.NO_PICTURES))
    depth: bool = False
    language: bool = False
    segments: str = segments_option()
    workers: int = option(-1, metavar="N", low=-1)


class LeRobotExporter(Exporter[LeRobotOptions]):
    """Writes accepted episodes of any benchmark that has trajectories."""

    name = "lerobot"
    options = LeRobotOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        if self.asked.pictures in CODECS:
            load_av()
        pixels, view = self.asked.view()
        if self.asked.pictures == "none" and (self.asked.depth or pixels or view != USUAL):
            raise UsageError("--depth, --size and cameras say how pictures are drawn, but --pictures is none")
        sizes = {f"--size {self.asked.size}": (pixels or 0, *(view.size or ()))}
        sizes |= {
            f"--camera {word}": each.size or () for word, each in zip(self.asked.cameras, view.cameras, strict=True)
        }
        odd = next((flag for flag, sides in sizes.items() if any(side % 2 for side in sides)), "")
        if odd and self.asked.pictures in CODECS:
            raise UsageError(f"videos need an even number of pixels, not {odd}")

    def note(self) -> str:
        """Return that there are no pictures where there are none."""
        return "left out: pictures" if self.asked.pictures == "none" else ""

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``. Files that an interrupted export has finished are kept."""
        folder = export_folder(episodes, target, self.name)
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        asked = self.asked
        pixels, view = asked.view()
        look = lerobot_group.ExportLook(asked.pictures, pixels, asked.depth, asked.language, asked.segments, view=view)
        plan = plan_export(again, look)
        records: dict[int, lerobot_group.GroupRecord] = {}
        for group in plan.groups:
            if (kept := lerobot_group.load_record(folder, group)) is not None:
                records[group.number] = kept
                folder.write_json(lerobot_group.record_parts(group.number), asdict(kept), None)
        missing = [group for group in plan.groups if group.number not in records]
        workers = usable_cores() if asked.workers < 0 else asked.workers
        workers = min(workers, len(missing)) if len(missing) > 1 else 0
        changed, done = 0, sum(len(record.episodes) for record in records.values())
        for number, record, count in carry_out(partial(_write_numbered, folder), missing, workers, "export"):
            records[number] = record
            changed += count
            done += len(record.episodes)
            self.watch(done, plan.episodes)
        for parts, data in index_files(plan, [records[group.number] for group in plan.groups], folder):
            changed += folder.write(parts, data)
        _remove_others(folder, plan, records)
        return Exported(plan.episodes, plan.left_out, changed)


def _remove_others(folder: ExportFolder, plan: ExportPlan, records: Mapping[int, lerobot_group.GroupRecord]) -> None:
    """Remove the files of groups that an earlier, smaller export had and this one has not."""
    files = {name for record in records.values() for name in record.files}
    files |= {"/".join(lerobot_group.record_parts(group.number)) for group in plan.groups}
    for pattern in ("data/chunk-*/file-*.parquet", "videos/*/chunk-*/file-*.mp4", "meta/groups/group-*.json"):
        folder.remove_others((), pattern, files)


def _write_numbered(folder: ExportFolder, group: lerobot_group.Group) -> tuple[int, lerobot_group.GroupRecord, int]:
    return (group.number, *lerobot_group.write_group(folder, group))


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What is to be written.

    Attributes:
        benchmark: Whose episodes.
        look: How pictures are stored.
        groups: The files of frames, in order.
        tasks: The sentences of tasks, by their number.
        subtasks: Those of subgoals.
        episodes: How many are written.
        left_out: How many are not, because they were not accepted.
    """

    benchmark: str
    look: lerobot_group.ExportLook
    groups: tuple[lerobot_group.Group, ...]
    tasks: tuple[str, ...]
    subtasks: tuple[str, ...]
    episodes: int
    left_out: int


@dataclass(frozen=True, slots=True)
class _Planned:
    """An accepted episode: its place among all, split, frames, and what is said in it."""

    place: int
    split: str
    frames: int
    tasks: tuple[str, ...]
    subtasks: tuple[str, ...]


def plan_export(episodes: Sequence[Episode], look: lerobot_group.ExportLook) -> ExportPlan:
    """Return what is to be written of episodes.

    Raises:
        UsageError: There is none, they are of several benchmarks, or theirs has no trajectories.
    """
    splits, benchmark = places_by_split(episodes)
    look = replace(look, noisy=is_noisy(episodes))
    reader, planned = look.reader(benchmark), []
    for split, places in splits.items():
        for place in places:
            said = reader.sentences(episodes[place])
            tasks, subtasks = tuple(dict.fromkeys(said.tasks)), tuple(dict.fromkeys(said.subtasks))
            planned.append(_Planned(place, split, len(said.tasks), tasks, subtasks))
    known = _numbers(text for each in planned for text in each.tasks)
    parts = _numbers(text for each in planned for text in each.subtasks)
    source = episodes.checksum if isinstance(episodes, Dataset) else ""
    groups: list[lerobot_group.Group] = []
    first = frame = 0
    for some in _runs(planned):
        used = {text: known[text] for each in some for text in each.tasks}
        done = {text: parts[text] for each in some for text in each.subtasks}
        whose = tuple(each.place for each in some)
        groups.append(
            lerobot_group.Group(len(groups), benchmark, episodes, whose, first, frame, used, done, look, source)
        )
        first += len(some)
        frame += sum(each.frames for each in some)
    left_out = len(episodes) - len(planned)
    return ExportPlan(benchmark, look, tuple(groups), tuple(known), tuple(parts), len(planned), left_out)


def _numbers(texts: Iterable[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


def _runs(planned: Sequence[_Planned]) -> Iterator[list[_Planned]]:
    """Yield runs of episodes, each as long as a file shall be."""
    some: list[_Planned] = []
    for each in planned:
        some.append(each)
        if sum(one.frames for one in some) >= FRAMES:
            yield some
            some = []
    if some:
        yield some


def index_files(
    plan: ExportPlan, records: Sequence[lerobot_group.GroupRecord], folder: ExportFolder
) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the files under ``meta``, and the card: path and content.

    Args:
        plan: The export's.
        records: What was written of its groups, in order.
        folder: Where the frames' files are.
    """
    reader = plan.look.reader(plan.benchmark)
    episodes = [each for record in records for each in record.episodes]
    yield ("meta", "tasks.parquet"), _number_table("task", plan.tasks)
    yield ("meta", "subtasks.parquet"), _number_table("subtask", plan.subtasks)
    yield lerobot_group.file_parts("meta/episodes", 0, ".parquet"), _episodes(plan, records, reader)
    yield ("meta", "stats.json"), _json(_statistics(plan, records, folder))
    yield ("meta", "info.json"), _json(_info(plan, reader, episodes))
    yield ("README.md",), _card(plan, reader, episodes).encode()


def _info(
    plan: ExportPlan, reader: Trajectories[Any], episodes: Sequence[lerobot_group.EpisodeRecord]
) -> dict[str, object]:
    ends = list(accumulate(len(list(some)) for _, some in groupby(episodes, lambda each: each.split)))
    names = [split for split, _ in groupby(episodes, lambda each: each.split)]
    starts = [0, *ends]
    video = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
    return {
        "codebase_version": VERSION,
        "robot_type": reader.robot,
        "total_episodes": len(episodes),
        "total_frames": sum(each.length for each in episodes),
        "total_tasks": len(plan.tasks),
        "chunks_size": lerobot_group.FILES_A_CHUNK,
        "data_files_size_in_mb": DATA_MB,
        "video_files_size_in_mb": VIDEO_MB,
        "fps": reader.fps,
        "splits": {name: f"{begin}:{end}" for name, begin, end in zip(names, starts, ends, strict=False)},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": video if plan.look.pictures in CODECS else None,
        "features": _features(plan.look, reader),
    }


def _features(look: lerobot_group.ExportLook, reader: Trajectories[Any]) -> dict[str, object]:
    told: dict[str, object] = {
        each.name: {"dtype": each.dtype, "shape": [len(each.names)], "names": list(each.names)}
        for each in reader.features
    }
    if look.pictures != lerobot_group.NO_PICTURES:
        for camera, size in zip(reader.cameras, camera_sizes(reader.cameras, look.size, 2), strict=True):
            name = f"{IMAGES}.{camera.name}"
            shape = {"shape": [size, camera.width(size), 3], "names": ["height", "width", "channels"]}
            told[name] = {"dtype": "image", **shape}
            if look.pictures in CODECS:
                told[name] = {"dtype": "video", **shape, "info": _video(look, reader.fps, size, camera.width(size))}
            if look.depth:
                told[f"{name}_depth"] = {"dtype": "image", **shape, "shape": [size, camera.width(size), 1]}
    if look.language:
        told |= {each.name: {"dtype": "language", "shape": [1], "names": None} for each in lerobot_group.FIELDS}
    told["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
    for each in lerobot_group.data_schema(reader, look):
        told.setdefault(each.name, {"dtype": "int64", "shape": [1], "names": None})
    return told


def _video(look: lerobot_group.ExportLook, fps: int, height: int, width: int) -> dict[str, object]:
    return {
        "video.height": height,
        "video.width": width,
        "video.codec": CODECS[look.pictures].name,
        "video.pix_fmt": CODECS[look.pictures].pixels,
        "video.is_depth_map": False,
        "video.fps": fps,
        "video.channels": 3,
        "has_audio": False,
    }


def _episodes(plan: ExportPlan, records: Sequence[lerobot_group.GroupRecord], reader: Trajectories[Any]) -> bytes:
    """Return the table of episodes: where the frames of each are, its tasks, split and statistics."""
    videos = [f"{IMAGES}.{camera.name}" for camera in reader.cameras if plan.look.pictures in CODECS]
    rows: list[dict[str, object]] = []
    frame = 0
    for number, record in enumerate(records):
        place = dict(zip(("chunk_index", "file_index"), divmod(number, lerobot_group.FILES_A_CHUNK), strict=True))
        first = frame
        for each in record.episodes:
            row: dict[str, object] = {"episode_index": len(rows), "tasks": each.tasks, "length": each.length}
            row |= {f"data/{name}": value for name, value in place.items()}
            row |= {"dataset_from_index": frame, "dataset_to_index": frame + each.length}
            for video in videos:
                row |= {f"videos/{video}/{name}": value for name, value in place.items()}
                row[f"videos/{video}/from_timestamp"] = (frame - first) / reader.fps
                row[f"videos/{video}/to_timestamp"] = (frame - first + each.length) / reader.fps
            row |= {"split": each.split, "original_split": each.original_split, "scene": each.scene}
            row |= {"source_index": each.index, "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
            row |= {
                f"stats/{name}/{key}": value
                for name, one in sorted(each.statistics.items())
                for key, value in sorted(one.items())
            }
            rows.append(row)
            frame += each.length
    return _parquet(pa.Table.from_pylist(rows))


def _statistics(
    plan: ExportPlan, records: Sequence[lerobot_group.GroupRecord], folder: ExportFolder
) -> dict[str, lerobot_group.Statistics]:
    """Return the statistics of all frames, exactly: numbers are read again, colours were counted."""
    files = [
        folder.folder.joinpath(*lerobot_group.file_parts("data", group.number, ".parquet")) for group in plan.groups
    ]
    found: dict[str, lerobot_group.Statistics] = {}
    for name in sorted(records[0].episodes[0].statistics):
        tables = (pq.read_table(pa.BufferReader(contents(file)), columns=[name], use_threads=False) for file in files)
        parts = [each[name].combine_chunks() for each in tables]
        flat = [np.asarray(part.flatten() if pa.types.is_fixed_size_list(part.type) else part) for part in parts]
        found[name] = lerobot_group.of_numbers(np.concatenate(flat).reshape(sum(map(len, parts)), -1))
    for name in sorted(records[0].colours):
        every = lerobot_group.Colours()
        for record in records:
            counts, pictures = record.colours[name]
            every.merge(lerobot_group.Colours(np.array(counts, np.int64), pictures))
        found[name] = every.statistics()
    return found


def _number_table(name: str, texts: Sequence[str]) -> bytes:
    """Return a table of texts and their numbers; LeRobot reads it by pandas, with the texts as index."""
    table = pa.table({f"{name}_index": pa.array(range(len(texts)), pa.int64()), name: pa.array(texts, pa.string())})
    columns = [_pandas(f"{name}_index", "int64", "int64"), _pandas(name, "unicode", "object")]
    pandas: Mapping[str, object] = {
        "index_columns": [name],
        "column_indexes": [],
        "columns": columns,
        "pandas_version": "2.0.0",
    }
    return _parquet(table.replace_schema_metadata({"pandas": json.dumps(pandas)}))


def _pandas(name: str, kind: str, numpy: str) -> dict[str, object]:
    return {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy, "metadata": None}


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="snappy", version="2.6")
    return sink.getvalue()


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=4, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _card(plan: ExportPlan, reader: Trajectories[Any], episodes: Sequence[lerobot_group.EpisodeRecord]) -> str:
    """Return the card by which the Hub and ``datasets`` know the data, and people columns, sizes and origin."""
    sizes = {f"episodes of {name}": len(list(some)) for name, some in groupby(episodes, lambda each: each.split)}
    sizes |= {"frames": sum(each.length for each in episodes), "frames a second": reader.fps}
    pixels = [] if plan.look.pictures == lerobot_group.NO_PICTURES else camera_sizes(reader.cameras, plan.look.size, 2)
    numbers = ("frame_index", "episode_index", "task_index", "subtask_index")
    columns = [*card.features(reader, pixels), card.column("timestamp", "float32")]
    columns += [card.column(name, "int64") for name in numbers]
    source, count = plan.groups[0].episodes, say_count(plan.episodes, "episode")
    return f"""---
task_categories:
- robotics
tags:
- LeRobot
configs:
- config_name: default
  data_files: data/*/*.parquet
---

{count} of the benchmark `{plan.benchmark}`, made by chorewright, as LeRobotDataset {VERSION}.

```python
from lerobot.datasets.lerobot_dataset import LeRobotDataset

dataset = LeRobotDataset("local/dataset", root="this folder")
```
{card.details(source, plan.benchmark, sizes, columns)}"""
