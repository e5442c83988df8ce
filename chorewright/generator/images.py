"""Pictures as files' bytes: JPEG inside pages, PNG in rows of layers."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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
