"""Pictures as files' bytes: JPEG inside pages, PNG in rows of layers."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chorewright.errors import StorageError, UsageError
from chorewright.replay.simulator import Frame

QUALITY = 82
"""JPEG's quality."""

MILLIMETRES = 1000.0

FASTEST = 1
"""The level of PNG's compression: higher ones take several times as long for a tenth less."""


def jpeg_bytes(picture: NDArray[np.uint8]) -> bytes:
    """Return a picture as a JPEG file."""
    sink = io.BytesIO()
    Image.fromarray(picture).save(sink, "JPEG", quality=QUALITY)
    return sink.getvalue()


def jpeg(picture: NDArray[np.uint8]) -> str:
    """Return a picture as the address of an image in a page."""
    return "data:image/jpeg;base64," + base64.b64encode(jpeg_bytes(picture)).decode("ascii")


def png(frame: Frame, layer: str) -> bytes:
    """Return a layer of a picture as PNG."""
    pixels: NDArray[np.generic] = frame.rgb
    if layer == "depth":
        pixels = np.minimum(np.rint(frame.depth * MILLIMETRES), 65535).astype(np.uint16)
    elif layer == "instances":
        pixels = (frame.instances + 1).astype(np.uint16)
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, "PNG", compress_level=FASTEST)
    return sink.getvalue()


def write_picture(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write a picture in the format that a file's name says.

    Raises:
        UsageError: The name says none that is known.
        StorageError: It cannot be written.
    """
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(f"a picture is a .png or .jpg file, not {str(path)!r}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
