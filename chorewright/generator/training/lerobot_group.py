"""A group: a run of episodes whose frames share a Parquet file, and a video for each camera; statistics of features."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from chorewright.errors import InputError
from chorewright.files.records import decode_record
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION
from chorewright.generator.showing.moments import camera_sizes, png
from chorewright.generator.showing.views import USUAL, CameraView
from chorewright.generator.training import trajectory
from chorewright.generator.training.exporter import ExportFolder
from chorewright.generator.training.trajectory import IMAGES, common_split
from chorewright.generator.training.video import CODECS, VideoWriter
from chorewright.replay.simulator import Frame

# Statistics of features as LeRobot normalises by them: extremes, mean, deviation and quantiles.


QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}

Statistics = Mapping[str, list[object]]
"""The names of statistics with a value for each number of the feature, or of pictures (3, 1, 1); ``count`` has one."""


def of_numbers(values: NDArray[np.generic]) -> Statistics:
    """Return the statistics of a feature.

    Args:
        values: (frames, size) numbers, at least one frame.
    """
    numbers = values.astype(np.float64)
    found: dict[str, list[object]] = {
        "min": numbers.min(axis=0).tolist(),
        "max": numbers.max(axis=0).tolist(),
        "mean": numbers.mean(axis=0).tolist(),
        "std": numbers.std(axis=0).tolist(),
        "count": [len(numbers)],
    }
    for name, row in zip(QUANTILES, np.quantile(numbers, list(QUANTILES.values()), axis=0), strict=True):
        found[name] = row.tolist()
    return found


class Colours:
    """The colours of pictures, counted: what their statistics follow from, exactly and in any order."""

    def __init__(self, counts: NDArray[np.int64] | None = None, pictures: int = 0) -> None:
        self.counts = np.zeros((3, 256), np.int64) if counts is None else counts
        self.pictures = pictures

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Count a picture (height, width, 3)."""
        for channel in range(3):
            self.counts[channel] += np.bincount(picture[..., channel].ravel(), minlength=256)
        self.pictures += 1

    def merge(self, other: Colours) -> None:
        """Add what another has counted."""
        self.counts += other.counts
        self.pictures += other.pictures

    def statistics(self) -> Statistics:
        """Return the statistics, colours from 0 to 1; ``count`` is that of pictures."""
        levels = np.arange(256) / 255
        total = self.counts.sum(axis=1)
        mean = (self.counts * levels).sum(axis=1) / total
        deviation = np.sqrt(np.maximum((self.counts * levels**2).sum(axis=1) / total - mean**2, 0))
        present = [np.flatnonzero(channel) for channel in self.counts]
        found: dict[str, list[object]] = {
            "min": _channels(np.array([levels[each[0]] for each in present])),
            "max": _channels(np.array([levels[each[-1]] for each in present])),
            "mean": _channels(mean),
            "std": _channels(deviation),
            "count": [self.pictures],
        }
        summed = self.counts.cumsum(axis=1)
        for name, share in QUANTILES.items():
            at = [np.searchsorted(row, share * last) for row, last in zip(summed, total, strict=True)]
            found[name] = _channels(levels[np.array(at)])
        return found


def _channels(values: NDArray[np.float64]) -> list[object]:
    return [[[value]] for value in values.tolist()]


FILES_A_CHUNK = 1000
NO_PICTURES, PNG = "none", "png"
SAMPLED = 10
"""Every so many frames' colours are counted for the statistics."""

PERSISTENT, EVENTS = "language_persistent", "language_events"

_GOAL = "goal"

_EVENT = [
    pa.field("role", pa.string(), nullable=False),
    pa.field("content", pa.string()),
    pa.field("style", pa.string()),
    pa.field("camera", pa.string()),
    pa.field("tool_calls", pa.list_(pa.string())),  # JSON, which Arrow cannot build in lists
]

FIELDS = (
    pa.field(PERSISTENT, pa.list_(pa.struct([*_EVENT[:3], pa.field("timestamp", pa.float32(), False), *_EVENT[3:]]))),
    pa.field(EVENTS, pa.list_(pa.struct(_EVENT))),
)
"""LeRobot's columns of language, from its version 0.6 on; versions before cannot load a dataset that has them.

``language_persistent`` has the same rows in every frame of an episode: what the agent does (style ``subtask``) with the
moment at which that begins, and other wordings of the task (``task_aug``). ``language_events`` has what happens in one
frame; we know of nothing such.
"""


@dataclass(frozen=True, slots=True)
class ExportLook:
    """What an export has besides numbers.

    Attributes:
        pictures: A codec's name, ``png`` or ``none``.
        size: The first camera's pixels on a side; None for its own.
        depth: Whether there is depth, too.
        language: Whether there are the columns of ``language``.
        segments: Where subtasks end; see ``options.SEGMENTS``.
        noisy: Whether features tell of noise.
        view: By which cameras pictures are taken.
    """

    pictures: str
    size: int | None = None
    depth: bool = False
    language: bool = False
    segments: str = DETECTION
    noisy: bool = False
    view: CameraView = USUAL

    def reader(self, benchmark: str) -> trajectory.Trajectories[Any]:
        """Return what reads a benchmark's episodes so; see ``trajectories_of``."""
        return trajectory.trajectories_of(benchmark, self.segments, self.noisy, self.view)

    def settings(self) -> Mapping[str, object]:
        """Return what decides an export's files; what is not usual only where it is so."""
        unusual = {"noisy": self.noisy, "view": self.view != USUAL}
        return {name: value for name, value in asdict(self).items() if unusual.get(name, True)}


@dataclass(frozen=True, slots=True)
class Group:
    """A run of episodes to be written.

    Attributes:
        number: The file's, from 0.
        benchmark: Whose episodes they are.
        episodes: All episodes of the export; a dataset, which other processes open themselves, or a list.
        places: Where among them this group's are.
        first_episode: The number of the first one in the export.
        first_frame: The number of its first frame.
        tasks: The number of each sentence that occurs.
        subtasks: The same of subtasks.
        look: The pictures.
        source: What the episodes are made from; a group that was written from something else is written again.
    """

    number: int
    benchmark: str
    episodes: Sequence[Episode]
    places: tuple[int, ...]
    first_episode: int
    first_frame: int
    tasks: Mapping[str, int]
    subtasks: Mapping[str, int]
    look: ExportLook
    source: str


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """What the export's index says of an episode."""

    tasks: list[str]
    length: int
    split: str
    index: int
    statistics: dict[str, Statistics]
    original_split: str
    scene: str


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """What was written of a group: its episodes, colours by camera (counts and pictures), files and checksums."""

    key: str
    episodes: list[EpisodeRecord]
    colours: dict[str, tuple[list[list[int]], int]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def file_parts(folder: str, number: int, suffix: str) -> tuple[str, ...]:
    """Return the path of a numbered file below the export: chunk and file."""
    chunk, file = divmod(number, FILES_A_CHUNK)
    return (*folder.split("/"), f"chunk-{chunk:03d}", f"file-{file:03d}{suffix}")


def record_parts(number: int) -> tuple[str, ...]:
    """Return the path of what is kept of a finished group."""
    return ("meta", "groups", f"group-{number:06d}.json")


def load_record(target: ExportFolder, group: Group) -> GroupRecord | None:
    """Return the record of a group that is written already; None if it is not, or its files are not whole.

    Where an export grows, that is a group of the smaller dataset, too, with the same episodes and numbers.
    """
    path = target.folder.joinpath(*record_parts(group.number))
    try:
        record = decode_record(GroupRecord, path.read_bytes())
        whole = all(_digest((target.folder / name).read_bytes()) == each for name, each in record.files.items())
    except (OSError, InputError):
        return None  # torn or of another version: the group is written again
    earlier = group_key(replace(group, source=target.before)) if target.before else None
    return replace(record, key=group_key(group)) if whole and record.key in (group_key(group), earlier) else None


def group_key(group: Group) -> str:
    """Return a checksum of what decides a group's files."""
    told = (group.source, group.places, group.first_episode, group.first_frame, group.look.settings())
    numbers = (sorted(group.tasks.items()), sorted(group.subtasks.items()))
    return _digest(json.dumps((told, numbers)).encode())


def write_group(target: ExportFolder, group: Group) -> tuple[GroupRecord, int]:
    """Write a group's files; return its record, and how many files have changed."""
    reader = group.look.reader(group.benchmark)
    made = _Files(reader, group)
    records = []
    for number, place in enumerate(group.places):
        records.append(made.add(number, group.episodes[place]))
    changed, files = 0, {}
    for parts, data in made.finish():
        changed += target.write(parts, data)
        files["/".join(parts)] = _digest(data)
    colours = {name: (each.counts.tolist(), each.pictures) for name, each in made.colours.items()}
    record = GroupRecord(group_key(group), records, colours, files)
    changed += target.write_json(record_parts(group.number), asdict(record), None)
    return record, changed


class _Files:
    """A group's files while they are made."""

    def __init__(self, reader: trajectory.Trajectories[Any], group: Group) -> None:
        self.reader = reader
        self.group = group
        self.frame = group.first_frame
        self.colours: dict[str, Colours] = {}
        self.videos: dict[str, VideoWriter] = {}
        if group.look.pictures != NO_PICTURES:
            for camera, size in zip(reader.cameras, camera_sizes(reader.cameras, group.look.size, 2), strict=True):
                name = f"{IMAGES}.{camera.name}"
                self.colours[name] = Colours()
                if group.look.pictures in CODECS:
                    self.videos[name] = VideoWriter(CODECS[group.look.pictures], reader.fps, (camera.width(size), size))
        self.sink = io.BytesIO()
        self.schema = data_schema(reader, group.look)
        self.table = pq.ParquetWriter(self.sink, self.schema, compression="snappy", version="2.6")

    def add(self, number: int, episode: Episode) -> EpisodeRecord:
        """Append an episode's frames."""
        columns, said = self.reader.columns(episode), self.reader.sentences(episode)
        length = len(said.tasks)
        frames = np.arange(length)
        numbers: dict[str, NDArray[np.generic]] = {
            "timestamp": (frames / self.reader.fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full(length, self.group.first_episode + number),
            "index": frames + self.frame,
            "task_index": np.array([self.group.tasks[each] for each in said.tasks]),
            "subtask_index": np.array([self.group.subtasks[each] for each in said.subtasks]),
        }
        pictures = self._pictures(episode)
        told = language_columns(episode, said, self.reader.fps) if self.group.look.language else {}
        arrays = {
            feature.name: trajectory.arrow_column(columns[feature.name], feature.dtype)
            for feature in self.reader.features
        }
        texts = {each.name: pa.array(told[each.name], each.type) for each in FIELDS if each.name in told}
        table = pa.table({**arrays, **texts, **pictures, **numbers})
        self.table.write_table(table.select(self.schema.names).cast(self.schema))
        self.frame += length
        statistics = {name: of_numbers(column) for name, column in columns.items() if not isinstance(column, list)}
        statistics |= {name: of_numbers(column[:, None]) for name, column in numbers.items()}
        tasks, split = list(dict.fromkeys(said.tasks)), common_split(episode.split)
        place = self.reader.scene_name(episode)
        return EpisodeRecord(tasks, length, split, episode.index, statistics, episode.split, place)

    def finish(self) -> Iterator[tuple[tuple[str, ...], bytes]]:
        """Yield the files: path and content."""
        self.table.close()
        yield file_parts("data", self.group.number, ".parquet"), self.sink.getvalue()
        for name, video in self.videos.items():
            yield file_parts(f"videos/{name}", self.group.number, ".mp4"), video.finish()

    def _pictures(self, episode: Episode) -> dict[str, list[object]]:
        """Draw an episode into the videos; return the columns of pictures that are stored in the table."""
        look = self.group.look
        if look.pictures == NO_PICTURES:
            return {}
        stored: dict[str, list[object]] = {each.name: [] for each in self.schema if each.name.startswith(IMAGES)}
        for number, seen in enumerate(self.reader.pictures(episode, look.size)):
            for camera, frame in zip(self.reader.cameras, seen, strict=True):
                name = f"{IMAGES}.{camera.name}"
                if number % SAMPLED == 0:
                    self.colours[name].add(frame.rgb)
                if name in self.videos:
                    self.videos[name].add(frame.rgb)
                else:
                    stored[name].append(_image(frame, "rgb"))
                if look.depth:
                    stored[f"{name}_depth"].append(_image(frame, "depth"))
        return stored


def data_schema(reader: trajectory.Trajectories[Any], look: ExportLook) -> pa.Schema:
    """Return the columns of a file of frames."""
    fields = []
    for feature in reader.features:
        kind, size = trajectory.ARROW_TYPES[feature.dtype], len(feature.names)
        fields.append(pa.field(feature.name, kind if size == 1 else pa.list_(kind, size)))
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    for camera in reader.cameras if look.pictures != NO_PICTURES else ():
        if look.pictures == PNG:
            fields.append(pa.field(f"{IMAGES}.{camera.name}", image))
        if look.depth:
            fields.append(pa.field(f"{IMAGES}.{camera.name}_depth", image))
    if look.language:
        fields += FIELDS
    fields.append(pa.field("timestamp", pa.float32()))
    names = ("frame_index", "episode_index", "index", "task_index", "subtask_index")
    return pa.schema([*fields, *(pa.field(name, pa.int64()) for name in names)])


def _image(frame: Frame, layer: str) -> dict[str, Any]:
    return {"bytes": png(frame, layer), "path": None}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def language_columns(episode: Episode, said: trajectory.FrameSentences, fps: int) -> Mapping[str, Sequence[object]]:
    """Return both columns of an episode's frames."""
    rows = []
    if len(set(said.tasks)) == 1:  # a chain of tasks has no other wordings of them all
        told = dict.fromkeys(each.text for each in episode.instructions if each.level == _GOAL)
        rows += [_row("user", text, "task_aug", 0.0) for text in told if text != said.tasks[0]]
    before = ""
    for frame, text in enumerate(said.subtasks):
        if text and text != before:
            rows.append(_row("assistant", text, "subtask", frame / fps))
        before = text
    count = len(said.tasks)
    return {PERSISTENT: [rows] * count, EVENTS: [[]] * count}


def _row(role: str, content: str, style: str, timestamp: float) -> dict[str, object]:
    return {
        "role": role,
        "content": content,
        "style": style,
        "timestamp": timestamp,
        "camera": None,
        "tool_calls": None,
    }
