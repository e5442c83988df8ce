"""Pictures of a dataset's episodes, drawn from the stored steps: one Parquet file for each shard.

``frames/shard-00000.parquet`` has a row for each moment of each episode: ``episode``, ``step`` (0: before the
first), ``rgb`` (PNG), ``depth`` (PNG of 16 bits, millimetres), ``instances`` (PNG of 16 bits, 0 where nothing
is, else 1 + the place in ``names``) and ``names``. Where several cameras look, layers are ``rgb_CAMERA`` and so on.
Files are whole or absent; what is there is not drawn again.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

from chorewright.errors import DatasetCorrupt, UsageError, storing
from chorewright.files.pool import carry_out
from chorewright.files.text import clear_leftovers, whole
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.manifest import shard_file
from chorewright.generator.dataset.store.reading import contents
from chorewright.generator.showing import moments
from chorewright.generator.showing.views import USUAL, CameraView
from chorewright.replay.simulator import Frame

FRAMES = "frames"

_DRAWN = b"chorewright.frames"


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What to draw of each moment: layers, pixels on a side (the benchmark's own without these), by which cameras."""

    layers: tuple[str, ...] = moments.LAYERS
    size: int | None = None
    view: CameraView = USUAL

    def __post_init__(self) -> None:
        unknown = [layer for layer in self.layers if layer not in moments.LAYERS]
        if unknown or not self.layers:
            raise UsageError(
                f"there is no layer {unknown[0]!r}" if unknown else "no layer was asked for",
                hint=f"layers are {', '.join(moments.LAYERS)}",
            )
        moments.check_size(self.size)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A shard's pictures: how many there are, and whether they were there already."""

    shard: int
    frames: int
    kept: bool


def frame_path(folder: Path, shard: int) -> Path:
    """Return the file of a shard's pictures."""
    return folder / FRAMES / Path(shard_file(shard)).name


def record(
    folder: Path, request: FrameRequest, workers: int, tell: Callable[[Recorded], None] = lambda recorded: None
) -> list[Recorded]:
    """Draw all episodes of a dataset, or what is missing of them.

    Args:
        folder: A finished dataset.
        request: What to draw.
        workers: Processes; 0 for none but this one.
        tell: Is told of each finished shard.

    Raises:
        UsageError: The dataset's episodes have no pictures, or lack a layer.
        DatasetCorrupt: An episode does not replay.
        StorageError: The pictures cannot be written.
    """
    dataset = Dataset(folder)
    known = moments.moments_of(dataset.manifest.config.benchmark, request.view).layers
    for layer in request.layers:
        if layer not in known:
            raise UsageError(f"there is no layer {layer!r} of these episodes", hint=f"they have {', '.join(known)}")
    shards = [entry.shard for entry in dataset.manifest.shards]
    clear_leftovers(folder / FRAMES)
    done = []
    for recorded in carry_out(partial(record_shard, folder, request=request), shards, workers, "drawing"):
        done.append(recorded)
        tell(recorded)
    return sorted(done, key=lambda each: each.shard)


def record_shard(folder: Path, shard: int, request: FrameRequest) -> Recorded:
    """Draw one shard's episodes, unless they are there."""
    dataset, path = Dataset(folder), frame_path(folder, shard)
    cameras = moments.moments_of(dataset.manifest.config.benchmark, request.view).cameras
    size = request.size or cameras[0].size
    drawn = f"{dataset.manifest.shards[shard].sha256} {size} {','.join(request.layers)}"
    drawn += "" if request.view == USUAL else f" {request.view}"
    known = _frames_in(path, drawn)
    if known is not None:
        return Recorded(shard, known, True)
    columns, count = _schema(cameras, request).with_metadata({_DRAWN: drawn.encode()}), 0
    with storing(path):
        path.parent.mkdir(exist_ok=True)
        with (
            whole(path) as stream,
            pq.ParquetWriter(stream, columns, compression="none", write_page_checksum=True) as writer,
        ):
            for episode in dataset.shard(shard):  # one at a time: a shard's pictures may not fit into memory
                table = pa.Table.from_pylist(list(_rows(episode, request)), schema=columns)
                writer.write_table(table)
                count += table.num_rows
    return Recorded(shard, count, False)


def _layer_columns(cameras: Sequence[moments.EpisodeCamera], layer: str) -> list[str]:
    return [layer] if len(cameras) == 1 else [f"{layer}_{camera.name}" for camera in cameras]


def _schema(cameras: Sequence[moments.EpisodeCamera], request: FrameRequest) -> pa.Schema:
    """Return the columns of the rows: all layers of a camera, then those of the next one."""
    fields = [("episode", pa.int64()), ("step", pa.int32())]
    by_camera = zip(*(_layer_columns(cameras, layer) for layer in request.layers), strict=True)
    fields += [(name, pa.binary()) for names in by_camera for name in names]
    if "instances" in request.layers:
        fields.append(("names", pa.list_(pa.string())))
    return pa.schema(fields)


def _rows(episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
    """Yield a row of layers, as PNG, for each moment of an episode."""
    family = moments.moments_of(episode.benchmark, request.view)
    sizes = moments.camera_sizes(family.cameras, request.size)
    for moment in family.moments(episode):
        seen = moment.frames(sizes)
        row: dict[str, object] = {"episode": episode.index, "step": moment.number, "names": list(seen[0].names)}
        for layer in request.layers:
            names = _layer_columns(family.cameras, layer)
            row |= {name: moments.png(frame, layer) for name, frame in zip(names, seen, strict=True)}
        yield row


def read_frames(folder: str | Path, shard: int) -> Iterator[tuple[int, int, Frame]]:
    """Yield the pictures of a shard with all layers: index of the episode, number of steps done, picture.

    Raises:
        DatasetCorrupt: The file is missing or damaged, or lacks a layer.
    """
    path = frame_path(Path(folder), shard)
    try:
        table = pq.read_table(pa.BufferReader(contents(path)), page_checksum_verification=True)
        for row in table.to_pylist():
            instances = _array(row["instances"]).astype(np.int32) - 1
            rgb = _array(row["rgb"]).astype(np.uint8)
            depth = (_array(row["depth"]) / moments.MILLIMETRES).astype(np.float32)
            yield (row["episode"], row["step"], Frame(rgb, depth, instances, tuple(row["names"])))
    except (OSError, pa.ArrowException, KeyError) as error:
        raise DatasetCorrupt(f"{path} cannot be read: {error}", hint="remove it and draw it again") from error


def _array(data: bytes) -> NDArray[np.int64]:
    return np.asarray(Image.open(io.BytesIO(data)), np.int64)


def _frames_in(path: Path, drawn: str) -> int | None:
    """Return how many pictures a file has, or None if it is not there or shows something else."""
    try:
        file = pq.ParquetFile(pa.BufferReader(contents(path)))
    except (OSError, pa.ArrowException):
        return None
    with file:
        if (file.schema_arrow.metadata or {}).get(_DRAWN) != drawn.encode():
            return None
        return int(file.metadata.num_rows)
