"""The rows of an export: one an episode with all that the store has, or one a frame with typed columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.showing.images import png
from chorewright.generator.training.trajectory import HasTypedFrames, arrow_column, trajectories_if_any, trajectories_of

FRAMES = "frames"

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def episode_rows(episodes: Sequence[Episode]) -> pa.Table:
    """Return a row for each episode, with the columns of the store.

    Where the arguments of steps are frames in JSON, there is the typed column ``frames`` instead, one for each step.
    """
    reader = trajectories_if_any(episodes[0].benchmark)
    if not isinstance(reader, HasTypedFrames):
        return to_table(episodes)
    plain = [replace(each, steps=tuple(replace(step, arguments="{}") for step in each.steps)) for each in episodes]
    frames = pa.array(map(reader.typed_frames, episodes), pa.list_(reader.frame_type))
    return to_table(plain).append_column(FRAMES, frames)


def frame_rows(episodes: Sequence[Episode], size: int | None) -> pa.Table:
    """Return a row for each frame of episodes of one benchmark.

    Args:
        episodes: At least one; their benchmark has trajectories.
        size: Pixels on a side of the first camera's pictures; 0 for the benchmark's own, None for no pictures.

    Returns:
        ``episode`` (its index), ``frame``, ``timestamp`` in seconds, ``template`` (``task`` in rows of episodes),
        ``task`` and ``subtask`` in words, the benchmark's features, and ``image.CAMERA`` for each camera.
    """
    return pa.concat_tables([_frames(episode, size) for episode in episodes])


def _frames(episode: Episode, size: int | None) -> pa.Table:
    reader = trajectories_of(episode.benchmark)
    said, columns = reader.sentences(episode), reader.columns(episode)
    count = len(said.tasks)
    arrays: dict[str, object] = {
        "episode": pa.array([episode.index] * count, pa.int64()),
        "frame": pa.array(range(count), pa.int64()),
        "timestamp": pa.array([number / reader.fps for number in range(count)], pa.float32()),
        "template": pa.array([episode.task] * count, pa.string()),
        "task": pa.array(said.tasks, pa.string()),
        "subtask": pa.array(said.subtasks, pa.string()),
    }
    arrays |= {each.name: arrow_column(columns[each.name], each.dtype) for each in reader.features}
    if size is not None:
        names = [f"image.{camera.name}" for camera in reader.cameras]
        pictures: dict[str, list[object]] = {name: [] for name in names}
        for seen in reader.pictures(episode, size or None):
            for name, frame in zip(names, seen, strict=True):
                pictures[name].append({"bytes": png(frame, "rgb"), "path": None})
        arrays |= {name: pa.array(values, _IMAGE) for name, values in pictures.items()}
    return pa.table(arrays)
