"""The pictures of a frame in AI2-THOR's form fields, and the colours of its segmentations."""

from __future__ import annotations

from typing import TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.replay.household.server.cameras import Json
from chorewright.replay.simulator import Frame

Colour: TypeAlias = tuple[int, int, int]

PICTURES = {
    "image": ("renderImage",),
    "image_depth": ("renderDepthImage",),
    "image_ids": ("renderInstanceSegmentation", "renderObjectImage"),
    "image_classes": ("renderSemanticSegmentation", "renderClassImage"),
    "image_normals": ("renderNormalsImage",),
    "image_flow": ("renderFlowImage",),
}
"""The pictures that a client can ask for, and the arguments by which it does."""

THIRD_PARTY = {
    "image": "image-thirdParty-camera",
    "image_depth": "image_thirdParty_depth",
    "image_ids": "image_thirdParty_image_ids",
    "image_classes": "image_thirdParty_classes",
    "image_normals": "image_thirdParty_normals",
    "image_flow": "image_thirdParty_flow",
}
"""The form field of a third-party camera's picture."""


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
    height, width = frame.instances.shape
    flat = frame.instances.reshape(-1)
    begins = np.flatnonzero(np.diff(flat, prepend=-2) != 0)  # of runs of one instance, cut where rows end
    begins = np.union1d(begins, np.arange(height) * width)
    ends = np.append(begins[1:], flat.size) - 1
    order = np.argsort(flat[begins], kind="stable")
    seen, firsts = np.unique(flat[begins][order], return_index=True)
    begins, ends = begins[order], ends[order]
    left, right = np.minimum.reduceat(begins % width, firsts), np.maximum.reduceat(ends % width, firsts)
    top, bottom = np.minimum.reduceat(begins // width, firsts), np.maximum.reduceat(begins // width, firsts)
    boxes = np.stack((left, height - 1 - bottom, right + 1, height - top), axis=1)
    return [
        {"color": list(colour_of(frame.names[instance])), "bounds": box}
        for instance, box in zip(seen.tolist(), boxes.tolist(), strict=True)
        if instance >= 0
    ]
