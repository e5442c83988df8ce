"""Pictures of stored episodes: what a benchmark offers that can run its episodes again and draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode

Picture = NDArray[np.uint8]
"""Rows, columns, and red, green and blue from 0 to 255."""


LAYERS = ("rgb", "depth", "instances")


def check_size(size: int | None) -> None:
    """Check how many pixels a picture has on a side; None stands for a benchmark's own size.

    Raises:
        UsageError: It is none that can be drawn.
    """
    if size is not None and not 16 <= size <= 2048:
        raise UsageError(f"pictures must be 16 to 2048 pixels on a side, not {size}")


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What to draw of each moment: layers, and pixels on a side; without these, the benchmark's own size."""

    layers: tuple[str, ...] = LAYERS
    size: int | None = None

    def __post_init__(self) -> None:
        unknown = [layer for layer in self.layers if layer not in LAYERS]
        if unknown or not self.layers:
            raise UsageError(
                f"there is no layer {unknown[0]!r}" if unknown else "no layer was asked for",
                hint=f"layers are {', '.join(LAYERS)}",
            )
        check_size(self.size)


class Pictures(Protocol):
    """Runs a benchmark's stored episodes again, and draws them."""

    @property
    def size(self) -> int:
        """Pixels on a side of a picture where the user names none."""
        ...

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that it can draw, among ``rgb``, ``depth`` and ``instances``."""
        ...

    def replay(self, episode: Episode) -> None:
        """Run the steps again.

        Raises:
            DatasetCorrupt: A step does not do what was recorded.
            UnsupportedError: The episode was recorded in a world that is not here.
        """
        ...

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns of ``rows``."""
        ...

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield a row of layers, as PNG, for each moment of an episode."""
        ...

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return what a page shows of an episode: ``frames`` and, if there are such, ``steps``, ``places``, ``map``."""
        ...

    def last_view(self, episode: Episode, size: int) -> Picture:
        """Return what is seen at the end, ``size`` pixels on a side."""
        ...

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return an episode as a film of a form of ``films.FORMS``.

        Raises:
            UsageError: It would be too small.
            MissingExtra: What makes the form is not installed.
        """
        ...

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return domain and problem that the plan solves; None if they cannot be made again to the same bytes."""
        ...
