"""An episode as a moving picture: what the agent sees, the map, the sentence, and a bar of segments."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.errors import UsageError
from chorewright.files.atomic import storage_error, write_atomically
from chorewright.generator.calvin.records import RECIPE as TABLETOP
from chorewright.generator.episode import Episode
from chorewright.generator.films import check_form, film
from chorewright.generator.frames import SIZE
from chorewright.generator.household.replaying import Moment, moments
from chorewright.generator.production.pool import done_by
from chorewright.generator.store.dataset import Dataset
from chorewright.problems.thor.scene import Vector
from chorewright.replay.thor.pixels.map_view import map_view
from chorewright.replay.thor.pixels.renderer import Renderer

VIDEOS = "videos"
MILLISECONDS = 240
"""How long a moment is shown; the last one four times as long."""

BAR, LINE, MARGIN = 14, 15, 6
PAPER, TEXT, DONE, NOW, LATER = (255, 255, 255), (30, 32, 36), (96, 150, 110), (214, 120, 52), (214, 216, 220)


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
    for path in (folder / VIDEOS).glob(".*.tmp"):
        path.unlink(missing_ok=True)
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
    if episode.recipe == TABLETOP:
        from chorewright.generator.calvin import pictures as calvin_pictures  # needs PyBullet

        data = calvin_pictures.video(episode, request.size, request.form)
    else:
        data = video(episode, request.size or SIZE, request.form)
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data, path.with_name(f".{path.name}.{os.getpid()}.tmp"))
    except OSError as error:
        raise storage_error(error, path) from error
    return Filmed(index, False)


def video(episode: Episode, size: int, form: str = "gif") -> bytes:
    """Return an episode as a film.

    Args:
        episode: Its steps are run again.
        size: Pixels on a side of the agent's view, and of the map beside it.
        form: One of ``films.FORMS``.

    Raises:
        UsageError: There is nothing to see of it.
        MissingExtra: What makes the form is not installed.
    """
    if size < 64:
        raise UsageError(f"a video must be 64 pixels high at least, not {size}")
    renderer, pictures = Renderer(), []
    seen: list[Moment] = []
    marks = _marks(episode)
    for moment in moments(episode, size):
        seen.append(moment)
        view = renderer.frame(moment.scene, moment.camera).rgb
        plan = map_view(renderer, moment.scene, size, [each.scene.agent for each in seen], marks)[:size]
        pictures.append(_picture(episode, moment.step, np.concatenate((view, plan), axis=1)))
    return film(pictures, MILLISECONDS, 4, form)


def _marks(episode: Episode) -> dict[str, Vector]:
    """The places that the segments are about, by kind."""
    bodies = {body.object_id: body for body in episode.room.objects}
    told = " ".join(step.arguments for step in episode.steps)
    return {name.split("|")[0]: body.centre for name, body in bodies.items() if f'"{name}"' in told}


def _picture(episode: Episode, step: int, view: NDArray[np.uint8]) -> Image.Image:
    """Put the sentence and the bar below a view."""
    width, font = view.shape[1], ImageFont.load_default(11)
    segment = episode.steps[max(0, step - 1)].segment if episode.steps else 0
    lines = textwrap.wrap(_sentence(episode, segment), max(20, width // 6))[:3]
    whole = Image.new("RGB", (width, view.shape[0] + BAR + 2 * MARGIN + 3 * LINE), PAPER)
    whole.paste(Image.fromarray(view))
    draw = ImageDraw.Draw(whole)
    top = view.shape[0] + MARGIN
    for left, right, ink in _bar(episode, step, segment, width):
        draw.rectangle((left, top, right - 1, top + BAR - 4), fill=ink)
    for number, line in enumerate(lines):
        draw.text((MARGIN, top + BAR + LINE * number), line, fill=TEXT, font=font)
    return whole


def _bar(episode: Episode, step: int, segment: int, width: int) -> Sequence[tuple[float, float, tuple[int, int, int]]]:
    """The segments as stretches of the bar, each as long as it has steps."""
    total = max(1, len(episode.steps))
    found, start = [], 0
    for number in range(len(episode.segments)):
        count = sum(each.segment == number for each in episode.steps)
        ink = DONE if step >= start + count else NOW if number == segment else LATER
        if count:
            found.append((width * start / total, width * (start + count) / total - 1, ink))
        start += count
    return found


def _sentence(episode: Episode, segment: int) -> str:
    """The sentence that belongs to a segment, else that of the whole."""
    said = [each for each in episode.instructions if each.annotation == 0]
    own = [each.text for each in said if each.segment == segment]
    whole = [each.text for each in said if each.segment is None]
    return (own or whole or [episode.task])[0]
