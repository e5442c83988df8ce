"""Videos as LeRobot reads them: each frame by itself or after one other, so that any frame is decoded quickly."""

from __future__ import annotations

import io
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import MissingExtra
from chorewright.files.plugins import require_extra

EXTRA = "lerobot"

KEYFRAMES = 2
"""Every so many frames one stands by itself, as in LeRobot's own videos."""


@dataclass(frozen=True, slots=True)
class Codec:
    """An encoder: what FFmpeg calls it, what LeRobot calls the format, FFmpeg's format of pixels, and its options."""

    encoder: str
    name: str
    pixels: str
    options: tuple[tuple[str, str], ...]


_X264 = (("preset", "veryfast"), ("x264-params", "threads=1:cpu-independent=1"))
"""Without ``cpu-independent``, x264 takes code that differs between processors and reads memory that nobody wrote."""

CODECS = {
    "h264": Codec("libx264", "h264", "yuv444p", (("crf", "16"), *_X264)),
    "h264-420": Codec("libx264", "h264", "yuv420p", (("crf", "12"), *_X264)),
    "av1": Codec("libsvtav1", "av1", "yuv420p", (("crf", "30"), ("preset", "10"), ("svtav1-params", "lp=1"))),
}
"""By the name of ``--pictures``. In pictures as small as a gripper's, colours at half the resolution lose most."""


def load_av() -> ModuleType:
    """Return PyAV.

    Raises:
        MissingExtra: It is not installed.
    """
    with require_extra("videos need the package av", EXTRA, ", or export with --pictures png"):
        import av
    module: ModuleType = av
    return module


class VideoWriter:
    """A video of pictures of one size, made in memory.

    The encoder runs on one thread and writes no dates or versions, so equal pictures give equal bytes with the same
    version of FFmpeg.
    """

    def __init__(self, codec: Codec, fps: int, size: tuple[int, int]) -> None:
        """Begin a video of so many pixels across and along, even numbers.

        Raises:
            MissingExtra: PyAV is not installed, or lacks the encoder.
        """
        av: Any = load_av()
        self._av = av
        self._sink = io.BytesIO()
        self._container = av.open(self._sink, "w", format="mp4", options={"fflags": "+bitexact"})
        try:
            self._stream = self._container.add_stream(codec.encoder, rate=fps)
        except Exception as error:  # PyAV has several kinds for it
            raise MissingExtra(f"this PyAV has no encoder {codec.encoder}", hint="choose other --pictures") from error
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = self._pixels = codec.pixels
        self._stream.codec_context.thread_count = 1
        self._stream.codec_context.gop_size = KEYFRAMES
        self._stream.options = {"g": str(KEYFRAMES), "flags": "+bitexact", **dict(codec.options)}

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture (height, width, 3)."""
        frame = self._av.VideoFrame.from_ndarray(picture, format="rgb24")
        # Where there are fewer colours than pixels, means lose least.
        frame = frame.reformat(format=self._pixels, interpolation="AREA")
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def finish(self) -> bytes:
        """Return the video's file."""
        for packet in self._stream.encode():
            self._container.mux(packet)
        self._container.close()
        return self._sink.getvalue()
