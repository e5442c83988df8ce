"""What a camera's pictures are drawn on, and the pictures of the furniture that are kept to draw over."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import radians, tan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.calvin.scenes import TableCamera
from chorewright.replay.calvin.pixels.placing import clear, restore
from chorewright.replay.drawing.rasteriser import NOTHING, whole_rows
from chorewright.replay.drawing.solids import Float

Bytes: TypeAlias = NDArray[np.uint8]

Spans: TypeAlias = NDArray[np.int64]
"""(h, 2) the first column of each row, and that after the last."""

MOST_KEPT = 32
"""Grounds that a canvas keeps, 1.1 MB each at CALVIN's size."""


MOST_ASKED = MOST_KEPT
"""States that a canvas remembers without a ground: one that is asked for again before so many others gets one."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera's place: eye (3,), and its right, up and forward axes, a unit vector a row."""

    eye: Float
    axes: Float


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A picture that is drawn on: inverse depths (h, w), triangles (h, w) and colours (h, w, 3).

    Attributes:
        near, who, rgb: The picture.
        spans: Where it may have been drawn on since it was begun.
    """

    near: Float
    who: NDArray[np.int32]
    rgb: Bytes
    spans: Spans

    def duplicate(self) -> Layer:
        """Return a layer with the same content."""
        return Layer(self.near.copy(), self.who.copy(), self.rgb.copy(), self.spans)


class Backdrop:
    """A picture that others are drawn over, one after the other; only where one was is it copied again.

    Attributes:
        picture: The picture.
        near, who: (h, w) to draw on, equal to the picture's before and afterwards.
        spans: Where they differ from it: nowhere, before and afterwards.
    """

    def __init__(self, picture: Layer) -> None:
        self.picture = picture
        self.near, self.who, self.spans = picture.near.copy(), picture.who.copy(), picture.spans.copy()
        clear(self.spans, picture.near.shape[1])

    def begun(self, rgb: Bytes) -> Layer:
        """Return a copy to draw over, with its colours in ``rgb``, until ``restore``."""
        np.copyto(rgb, self.picture.rgb)
        return Layer(self.near, self.who, rgb, self.spans)

    def restore(self) -> None:
        """Let the copy be equal to the picture again."""
        restore(self.spans, self.picture.near, self.picture.who, self.near, self.who)


class Canvas:
    """What a camera's pictures of a size are drawn on; the arrays are written over by each picture.

    CALVIN's renderer looks through the corner of each pixel, half a pixel below and to the left of its middle. A
    canvas that is larger by a row at the top and a column at the right has these rays.

    Attributes:
        camera: The camera.
        view: Its place; None of a camera that is carried about.
        focal: Its focal length in pixels.
        depth, instances: As the rasteriser fills them.
        all: Every column of every row.
        near, who: Inverse depths and triangles to draw on where nothing is kept.
    """

    def __init__(self, camera: TableCamera, view: View | None, size: int) -> None:
        self.camera, self.view = camera, view
        self.focal = size / 2 / tan(radians(camera.fov) / 2)
        shape = size + 1, size + 1
        self.depth: NDArray[np.float32] = np.empty(shape, np.float32)
        self.instances: NDArray[np.int32] = np.empty(shape, np.int32)
        self.all: Spans = whole_rows(*shape)
        self.near: Float = np.empty(shape)
        self.who: NDArray[np.int32] = np.empty(shape, np.int32)
        self._kept: OrderedDict[bytes, Backdrop] = OrderedDict()
        self._asked: OrderedDict[bytes, None] = OrderedDict()

    def empty(self, rgb: Bytes) -> Layer:
        """Return a layer on which nothing is yet; it is that until the next one is asked for."""
        self.near.fill(0.0)
        self.who.fill(NOTHING)
        return Layer(self.near, self.who, rgb, self.all)

    def kept(self, state: bytes) -> Backdrop | None:
        """Return the ground that is kept of a state, if there is one."""
        if state in self._kept:
            self._kept.move_to_end(state)
        return self._kept.get(state)

    def comes_back(self, state: bytes) -> bool:
        """Return whether this was asked of the state before, not long ago."""
        known = state in self._asked
        self._asked[state] = None
        if len(self._asked) > MOST_ASKED:
            self._asked.popitem(last=False)
        return known

    def keep(self, state: bytes, picture: Layer) -> Backdrop:
        """Keep a picture as the ground of a state, and forget that which was not asked for the longest time."""
        self._kept[state] = ground = Backdrop(picture)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return ground
