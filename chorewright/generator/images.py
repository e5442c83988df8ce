"""Pictures as JPEG inside pages."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

QUALITY = 82
"""JPEG's quality."""


def jpeg(picture: NDArray[np.uint8]) -> str:
    """Return a picture as the address of an image in a page."""
    sink = io.BytesIO()
    Image.fromarray(picture).save(sink, "JPEG", quality=QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(sink.getvalue()).decode("ascii")
