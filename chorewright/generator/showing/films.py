"""Films of episodes, each an animated GIF, or an MP4 for which ffmpeg is needed; a dataset's are made by processes.

The ffmpeg is that of the package ``imageio-ffmpeg`` (extra ``video``). It runs on one thread and writes no
dates or versions, so the same pictures give the same bytes however many films are made at once.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chorewright.errors import MissingExtra, StorageError, UsageError, storing
from chorewright.files.plugins import require_extra
from chorewright.files.pool import carry_out
from chorewright.files.text import clear_leftovers, write_atomically
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.showing.moments import Moment, Picture, caption, moments_of
from chorewright.generator.showing.views import USUAL, CameraView

VIDEOS = "videos"
SMALLEST = 64
"""Pixels on a side of a film's pictures, at least."""

FORMS = ("gif", "mp4")
COLOURS = 128
"""Colours of a GIF's palette."""

QUALITY = 23
"""H.264's constant rate factor."""

BAR, LINE, MARGIN = 14, 15, 6
PAPER, TEXT, DONE, NOW, LATER = (255, 255, 255), (30, 32, 36), (96, 150, 110), (214, 120, 52), (214, 216, 220)

Stretch = tuple[float, float, tuple[int, int, int]]
"""A part of a bar: its left and right edge, and its colour."""


def check_form(form: str) -> None:
    """Check that films can be made in a form.

    Raises:
        UsageError: It is unknown.
        MissingExtra: What makes it is not installed.
    """
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r} of films", hint=f"forms are {', '.join(FORMS)}")
    if form == "mp4":
        _ffmpeg()


def film(pictures: Sequence[Image.Image], milliseconds: int, last: int, form: str) -> bytes:
    """Return pictures as a film.

    Args:
        pictures: At least one, all of one size.
        milliseconds: How long a picture is shown.
        last: How many times as long the last one is.
        form: One of ``FORMS``.

    Raises:
        MissingExtra: The form needs a package that is not installed.
        StorageError: The film cannot be written.
    """
    check_form(form)
    if form == "mp4":
        return _mp4(pictures, milliseconds, last)
    sink = io.BytesIO()
    first, *rest = [picture.quantize(COLOURS, dither=Image.Dither.NONE) for picture in pictures]
    times = [milliseconds] * len(rest) + [last * milliseconds]
    first.save(sink, "GIF", save_all=True, append_images=rest, duration=times, loop=0, optimize=False)
    return sink.getvalue()


def _mp4(pictures: Sequence[Image.Image], milliseconds: int, last: int) -> bytes:
    width, height = (side + side % 2 for side in pictures[0].size)  # H.264 halves the sides
    with tempfile.TemporaryDirectory(prefix="chorewright-") as folder:
        path = Path(folder) / "film.mp4"
        command = [_ffmpeg(), "-v", "error", "-threads", "1", "-f", "rawvideo", "-pix_fmt", "rgb24"]
        command += ["-s", f"{width}x{height}", "-r", f"1000/{milliseconds}", "-i", "-", "-an"]
        command += ["-c:v", "libx264", "-threads", "1", "-preset", "medium", "-crf", str(QUALITY)]
        command += ["-pix_fmt", "yuv420p", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
        command += ["-map_metadata", "-1", "-movflags", "+faststart", str(path)]
        raw = b"".join(_raw(picture, width, height) for picture in (*pictures, *[pictures[-1]] * (last - 1)))
        done = subprocess.run(command, input=raw, capture_output=True, check=False)
        if done.returncode or not path.exists():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise StorageError(f"ffmpeg made no film: {said[-1] if said else f'exit {done.returncode}'}")
        return path.read_bytes()


def _raw(picture: Image.Image, width: int, height: int) -> bytes:
    """Return a picture's pixels; the last row and column once more where the sides are odd."""
    pixels = np.asarray(picture.convert("RGB"))
    more = ((0, height - pixels.shape[0]), (0, width - pixels.shape[1]), (0, 0))
    return np.pad(pixels, more, mode="edge").tobytes()


def _ffmpeg() -> str:
    with require_extra("MP4 films need the package imageio-ffmpeg", "video", ", or make GIFs"):
        import imageio_ffmpeg
    try:
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise MissingExtra(f"MP4 films need ffmpeg: {error}", hint="install ffmpeg, or make GIFs") from error


def episode_film(episode: Episode, size: int | None, form: str, view: CameraView = USUAL) -> bytes:
    """Run an episode again; return it as a film: what the cameras see and, where that is the style, what is said.

    Args:
        episode: The episode.
        size: Pixels on a side of a camera's pictures; None for the benchmark's own.
        form: One of ``FORMS``.
        view: By which cameras it is seen; with several, all have the height of the first one's pictures.

    Raises:
        UsageError: There is nothing to see of the episode, or it would be too small.
        MissingExtra: What makes the form is not installed.
        DatasetCorrupt: The episode does not replay.
    """
    family = moments_of(episode.benchmark, view)
    size, style = size or family.cameras[0].size, family.style
    if size < SMALLEST:
        raise UsageError(f"a video must be {SMALLEST} pixels high at least, not {size}")
    pictures = []
    for moment in family.excerpt(episode):
        shown, segment = family.still(moment, size), moment.segment(style.ahead)
        bar = _bar(moment, segment, shown.shape[1]) if style.bar else ()
        pictures.append(add_caption(shown, caption(episode, segment), style.lines, bar))
    return film(pictures, style.milliseconds, style.last, form)


def add_caption(view: Picture, text: str, lines: int, bar: Sequence[Stretch] = ()) -> Image.Image:
    """Return a picture with a bar and so many lines of a text below it; with no line, the picture as it is."""
    if not lines:
        return Image.fromarray(view)
    height, width = view.shape[:2]
    below = BAR if bar else 0
    whole = Image.new("RGB", (width, height + below + 2 * MARGIN + lines * LINE), PAPER)
    whole.paste(Image.fromarray(view))
    draw, font, top = ImageDraw.Draw(whole), ImageFont.load_default(11), height + MARGIN
    for left, right, ink in bar:
        draw.rectangle((left, top, right - 1, top + BAR - 4), fill=ink)
    for number, line in enumerate(textwrap.wrap(text, max(16, width // 6))[:lines]):
        draw.text((MARGIN, top + below + LINE * number), line, fill=TEXT, font=font)
    return whole


def _bar(moment: Moment[object], segment: int, width: int) -> list[Stretch]:
    """Return the segments as stretches of the bar, each as long as it has steps."""
    steps = moment.episode.steps
    total = max(1, len(steps))
    stretches, start = [], 0
    for number in range(len(moment.episode.segments)):
        count = sum(each.segment == number for each in steps)
        ink = DONE if moment.number >= start + count else NOW if number == segment else LATER
        if count:
            stretches.append((width * start / total, width * (start + count) / total - 1, ink))
        start += count
    return stretches


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """What to make: one of ``FORMS``, pixels on a side (None: the world's own), and by which cameras."""

    form: str = "gif"
    size: int | None = None
    view: CameraView = USUAL


@dataclass(frozen=True, slots=True)
class Filmed:
    """An episode's video, and whether it was there already."""

    episode: int
    kept: bool


def video_path(folder: Path, index: int, form: str = "gif", view: CameraView = USUAL) -> Path:
    """Return the file of an episode's video; what other cameras see has a name of its own."""
    of = "" if view == USUAL else f"-{sha256(repr(view).encode()).hexdigest()[:8]}"
    return folder / VIDEOS / f"{index:06}{of}.{form}"


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
    for filmed in carry_out(partial(make_video, folder, request=request), indices, workers, "filming"):
        done.append(filmed)
        tell(filmed)
    return sorted(done, key=lambda each: each.episode)


def make_video(folder: Path, index: int, request: VideoRequest) -> Filmed:
    """Make one episode's video, unless it is there."""
    path = video_path(folder, index, request.form, request.view)
    if path.exists():
        return Filmed(index, True)
    episode = Dataset(folder).episode(index)
    data = episode_film(episode, request.size, request.form, request.view)
    with storing(path):
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data)
    return Filmed(index, False)
