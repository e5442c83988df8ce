"""Trajectories: episodes as learning libraries want them, a row of typed features for each frame.

A benchmark that has them shows it by ``HasTrajectories``; exporters for libraries read episodes through it, and
know no benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import benchmark_if_known, find_benchmark
from chorewright.replay.simulator import Frame

Column: TypeAlias = NDArray[np.float32] | NDArray[np.int64] | list[str]
"""A feature's values: (frames, size) numbers, or a string for each frame."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What a trajectory has of each frame beside pictures.

    Attributes:
        name: As LeRobot names features: ``observation.state``, ``action``, ...
        dtype: ``float32``, ``int64`` or ``string``.
        names: What the numbers are, one name each; a string has one.
    """

    name: str
    dtype: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrajectoryCamera:
    """A camera of a trajectory: its name, and the pixels on a side of its pictures."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Sentences:
    """What is said of an episode's frames.

    Attributes:
        tasks: For each frame the sentence that says what is to be done.
        subtasks: For each frame what is done there: a sentence, or the name of a task.
    """

    tasks: Sequence[str]
    subtasks: Sequence[str]


class Trajectories(Protocol):
    """Reads a benchmark's stored episodes as trajectories."""

    @property
    def fps(self) -> int:
        """Frames a second; 1 where a frame is a step and time does not matter."""
        ...

    @property
    def robot(self) -> str:
        """What acts, in a word."""
        ...

    @property
    def features(self) -> tuple[Feature, ...]:
        """What each frame has; all episodes have the same."""
        ...

    @property
    def cameras(self) -> tuple[TrajectoryCamera, ...]:
        """Who looks, with the benchmark's own sizes."""
        ...

    def sentences(self, episode: Episode) -> Sentences:
        """Return what is said of each frame; this takes no simulator."""
        ...

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return the values of each feature in each frame, by the features' names.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """
        ...

    def pictures(self, episode: Episode, size: int | None, frames: range | None = None) -> Iterator[Sequence[Frame]]:
        """Yield what each camera sees in frames of ``columns``.

        Args:
            episode: The episode.
            size: Pixels on a side of the first camera's pictures, the others in proportion; None for its own.
            frames: Which frames, one after the other; all without it.

        Raises:
            DatasetCorrupt: The episode does not run again.
        """
        ...


@runtime_checkable
class HasTrajectories(Protocol):
    """A benchmark whose episodes can be read as trajectories."""

    def trajectories(self) -> Trajectories:
        """Return what reads them."""
        ...


@runtime_checkable
class HasTypedFrames(Protocol):
    """Trajectories of episodes whose steps hold frames as JSON in their arguments, and that can give them typed."""

    @property
    def frame_type(self) -> pa.StructType:
        """The fields of a frame."""
        ...

    def typed_frames(self, episode: Episode) -> Sequence[Mapping[str, object]]:
        """Return all that each step's arguments say, as values of ``frame_type``.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """
        ...


@runtime_checkable
class DrawsStates(Protocol):
    """Trajectories whose pictures follow from small values, so that these can be kept in the episodes' place."""

    def states(self, episode: Episode) -> object:
        """Return what the pictures of an episode are drawn from.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """
        ...

    def drawn(self, states: Any, size: int | None, frames: range) -> Sequence[NDArray[np.uint8]]:
        """Return the colours of what each camera sees in some frames: (frames, height, width, 3) of each camera.

        They are those that ``pictures`` yields; rows need not lie side by side in memory.
        """
        ...


def camera_sizes(cameras: Sequence[TrajectoryCamera], size: int | None) -> tuple[int, ...]:
    """Return the pixels on a side of each camera's pictures, of which the first has so many.

    The others have even numbers of them, as videos need.
    """
    if size is None:
        return tuple(camera.size for camera in cameras)
    return (size, *(2 * max(1, round(size * camera.size / cameras[0].size / 2)) for camera in cameras[1:]))


def trajectories_if_any(benchmark: str) -> Trajectories | None:
    """Return what reads a benchmark's episodes as trajectories, or None if nothing does."""
    found = benchmark_if_known(benchmark)
    return found.trajectories() if isinstance(found, HasTrajectories) else None


def trajectories_of(benchmark: str) -> Trajectories:
    """Return what reads a benchmark's episodes as trajectories.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: Nothing does.
    """
    found = find_benchmark(benchmark)
    if not isinstance(found, HasTrajectories):
        raise UsageError(f"episodes of the benchmark {benchmark} have no frames of numbers to export")
    return found.trajectories()


ARROW_TYPES = {"float32": pa.float32(), "int64": pa.int64(), "string": pa.string()}
"""The types of features in Arrow."""


def arrow_column(column: Column, dtype: str) -> pa.Array:
    """Return a feature's values as Arrow has them: lists of numbers, or scalars where there is one number."""
    if isinstance(column, list):
        return pa.array(column, pa.string())
    flat = pa.array(column.reshape(-1), ARROW_TYPES[dtype])
    return flat if column.shape[1] == 1 else pa.FixedSizeListArray.from_arrays(flat, column.shape[1])
