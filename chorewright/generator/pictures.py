"""Pictures of stored episodes: what a benchmark offers that can run its episodes again and draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UsageError
from chorewright.generator.benchmark import HasPictures, benchmark_if_known
from chorewright.generator.episode import Episode

if TYPE_CHECKING:
    from chorewright.generator.frames import FrameRequest

Picture = NDArray[np.uint8]
"""Rows, columns, and red, green and blue from 0 to 255."""


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


def pictures_of(benchmark: str) -> Pictures:
    """Return what draws a benchmark's episodes.

    Raises:
        UsageError: They have no pictures, or the benchmark is not installed.
    """
    found = pictures_if_any(benchmark)
    if found is None:
        raise UsageError(f"episodes of the benchmark {benchmark} have no pictures")
    return found


def pictures_if_any(benchmark: str) -> Pictures | None:
    """Return what draws a benchmark's episodes; None if nothing does."""
    found = benchmark_if_known(benchmark)
    return found.pictures() if isinstance(found, HasPictures) else None
