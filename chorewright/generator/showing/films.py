"""Pictures one after the other as a file that moves: an animated GIF, or an MP4 for which ffmpeg is needed.

The ffmpeg is that of the package ``imageio-ffmpeg`` (extra ``video``). It runs on one thread and writes no
dates or versions, so the same pictures give the same bytes however many films are made at once.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from chorewright.errors import MissingExtra, StorageError, UsageError
from chorewright.files.extras import pip_install

FORMS = ("gif", "mp4")
COLOURS = 128
"""Colours of a GIF's palette."""

QUALITY = 23
"""H.264's constant rate factor."""


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
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise MissingExtra(
            "MP4 films need the package imageio-ffmpeg",
            hint=f"{pip_install('video')}, or make GIFs",
        ) from error
    try:
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise MissingExtra(f"MP4 films need ffmpeg: {error}", hint="install ffmpeg, or make GIFs") from error
