"""Films of a dataset's episodes: one file each, made by several processes, and kept where it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chorewright.files.text import clear_leftovers, storage_error, write_atomically
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import pictures_of
from chorewright.generator.production.pool import done_by
from chorewright.generator.showing.films import check_form

VIDEOS = "videos"


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """What to make: a form of ``films``, and pixels on a side (None: the world's own)."""

    form: str = "gif"
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Filmed:
    """An episode's video, and whether it was there already."""

    episode: int
    kept: bool


def video_path(folder: Path, index: int, form: str = "gif") -> Path:
    """Return the file of an episode's video."""
    return folder / VIDEOS / f"{index:06}.{form}"


def make_videos(
    folder: Path,
    indices: Sequence[int],
    request: VideoRequest,
    workers: int,
    tell: Callable[[Filmed], None] = lambda filmed: None,
) -> list[Filmed]:
    """Make the videos of a dataset's episodes, or those that are missing.

    Args:
        folder: A finished dataset.
        indices: The episodes.
        request: What to make.
        workers: Processes; 0 for none but this one.
        tell: Is told of each finished video.

    Raises:
        UsageError: There is nothing to see of the episodes, or they would be too small.
        MissingExtra: What makes the form is not installed.
        DatasetCorrupt: An episode does not replay.
        StorageError: A video cannot be written.
    """
    check_form(request.form)
    clear_leftovers(folder / VIDEOS)
    done = []
    for filmed in done_by(partial(make_video, folder, request=request), indices, workers, "filming"):
        done.append(filmed)
        tell(filmed)
    return sorted(done, key=lambda each: each.episode)


def make_video(folder: Path, index: int, request: VideoRequest) -> Filmed:
    """Make one episode's video, unless it is there."""
    path = video_path(folder, index, request.form)
    if path.exists():
        return Filmed(index, True)
    episode = Dataset(folder).episode(index)
    data = pictures_of(episode.benchmark).video(episode, request.size, request.form)
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise storage_error(error, path) from error
    return Filmed(index, False)
