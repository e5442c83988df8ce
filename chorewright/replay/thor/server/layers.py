"""The pictures of a frame in AI2-THOR's form fields, and the colours of its segmentations."""

from __future__ import annotations

from typing import TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.replay.simulator import Frame
from chorewright.replay.thor.server.cameras import Json

Colour: TypeAlias = tuple[int, int, int]


def colour_of(name: str) -> Colour:
    """Return the colour of an instance or class in segmentations: the same in all processes."""
    value = crc32(name.encode())
    return value & 255, value >> 8 & 255, value >> 16 & 255


def shown(field: str, frame: Frame) -> NDArray[np.generic]:
    """Return the picture of one of AI2-THOR's form fields; that of normals and of flow is black."""
    if field == "image":
        return frame.rgb
    if field == "image_depth":
        return frame.depth
    if field in ("image_ids", "image_classes"):
        names = frame.names if field == "image_ids" else [name.split("|")[0] for name in frame.names]
        palette = np.array([*map(colour_of, names), (0, 0, 0)], np.uint8)
        return cast("NDArray[np.generic]", palette[frame.instances])
    return np.zeros_like(frame.rgb)


def black(field: str, width: int, height: int) -> NDArray[np.generic]:
    """Return a field's picture where nothing could be drawn."""
    if field == "image_depth":
        return np.zeros((height, width), np.float32)
    return np.zeros((height, width, 3), np.uint8)


def named_colours(names: tuple[str, ...]) -> list[Json]:
    """Return the colours of all instances and classes, as the metadata tell them."""
    classes = sorted({name.split("|")[0] for name in names})
    return [{"name": name, "color": list(colour_of(name))} for name in (*names, *classes)]


def colour_bounds(frame: Frame) -> list[Json]:
    """Return the boxes of all instances that are seen: [left, bottom, right, top], rows from the bottom."""
    height = frame.instances.shape[0]
    found: list[Json] = []
    for number_ in np.unique(frame.instances[frame.instances >= 0]).tolist():
        rows, columns = np.nonzero(frame.instances == number_)
        box = [columns.min(), height - 1 - rows.max(), columns.max() + 1, height - rows.min()]
        colour = colour_of(frame.names[number_])
        found.append({"color": list(colour), "bounds": [int(side) for side in box]})
    return found
