"""Trajectories: episodes as learning libraries want them, a row of typed features for each frame.

A family that has them says by ``Trajectories``, besides how its episodes are drawn, what is said and what numbers there
are of each frame. Exporters for libraries read episodes through it, and know no benchmark.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import NOISE, Episode
from chorewright.generator.dataset.options import DETECTION, option
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.showing.moments import Moments, WorldT, camera_sizes, moments_if_any
from chorewright.generator.showing.views import USUAL, CameraView, parse_view
from chorewright.generator.training.exporter import check_split, training_first
from chorewright.replay.simulator import Frame

IMAGES = "observation.images"
"""What features that are pictures are called before the camera's name."""

Column: TypeAlias = NDArray[np.float32] | NDArray[np.int64] | list[str]
"""A feature's values: (frames, size) numbers, or a string for each frame."""

DrawFrames: TypeAlias = Callable[[int | None, range], Sequence[NDArray[np.uint8]]]
"""Draws some frames of an episode, the first camera's of a size: (frames, height, width, 3) of each camera."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What a trajectory has of each frame beside pictures.

    Attributes:
        name: As LeRobot names features: ``observation.state``, ``action``, ...
        dtype: ``float32``, ``int64`` or ``string``.
        names: What the numbers are, one name each; a string has one.
        about: What it is, and its units, for people.
    """

    name: str
    dtype: str
    names: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class FrameSentences:
    """What is said of an episode's frames.

    Attributes:
        tasks: For each frame the sentence that says what is to be done.
        subtasks: For each frame what is done there: a sentence, or the name of a task.
    """

    tasks: Sequence[str]
    subtasks: Sequence[str]


def wordings(episode: Episode, text: str) -> list[str]:
    """Return a sentence of an episode's first annotator, and how the others, if there are any, say the same."""
    same = {(each.level, each.segment) for each in episode.instructions if each.text == text and not each.annotation}
    others = [each.text for each in episode.instructions if each.annotation and (each.level, each.segment) in same]
    return list(dict.fromkeys((text, *others)))


class Trajectories(Moments[WorldT]):
    """How a family's stored episodes are read as trajectories.

    Attributes:
        robot: What acts, in a word.
        features: What each frame has; all episodes have the same.
        frame_type: The fields of a frame, where steps hold frames as JSON in their arguments.
    """

    robot: str
    features: tuple[Feature, ...]
    frame_type: pa.StructType | None = None

    @abstractmethod
    def sentences(self, episode: Episode) -> FrameSentences:
        """Return what is said of each frame; this takes no simulator."""

    @abstractmethod
    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return the values of each feature in each frame, by the features' names.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """

    def cut_at(self, cut: str) -> Trajectories[WorldT]:
        """Return a reader that lets subtasks end there (``options.SEGMENTS``), in families that detect their ends."""
        return self

    def scene_name(self, episode: Episode) -> str:
        """Return what the place of an episode is called; empty where its world has none."""
        return "" if episode.scene is None else episode.scene.name

    def with_noise(self) -> Trajectories[WorldT]:
        """Return a reader whose features tell of noise, too, in families where they do not always."""
        return self

    def frame_segments(self, episode: Episode) -> Sequence[int]:
        """Return the number of the segment to which each frame belongs."""
        return [step.segment for step in episode.steps]

    def frame_values(self, episode: Episode) -> Sequence[Mapping[str, object]]:
        """Return all that each step's arguments say, as values of ``frame_type``.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """
        raise NotImplementedError

    def pictures(self, episode: Episode, size: int | None, frames: range | None = None) -> Iterator[Sequence[Frame]]:
        """Yield what each camera sees in frames of ``columns``: those of the moments, of which the last may be none.

        Args:
            episode: The episode.
            size: Pixels on a side of the first camera's pictures, the others in proportion; None for its own.
            frames: Which frames, one after the other; all without it.

        Raises:
            DatasetCorrupt: The episode does not run again.
        """
        some = range(len(self.sentences(episode).tasks)) if frames is None else frames
        sizes = camera_sizes(self.cameras, size, 2)
        for moment in islice(self.moments(episode), some.start, some.stop):
            yield moment.frames(sizes)

    def drawing(self, episode: Episode) -> DrawFrames:
        """Return what draws the colours of frames; it may be kept in the episode's place.

        Raises:
            DatasetCorrupt: The episode has no such frames.
        """
        return partial(self._colours, episode)

    def _colours(self, episode: Episode, size: int | None, frames: range) -> Sequence[NDArray[np.uint8]]:
        seen = list(self.pictures(episode, size, frames))
        return [np.stack([each[number].rgb for each in seen]) for number in range(len(self.cameras))]


def trajectories_if_any(benchmark: str) -> Trajectories[Any] | None:
    """Return what reads a benchmark's episodes as trajectories, or None if nothing does."""
    family = moments_if_any(benchmark)
    return family if isinstance(family, Trajectories) else None


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """The options of a format that has pictures: how large they are and, in rooms, by whom they are taken.

    Attributes:
        size: Pixels on a side of the first camera's pictures, the others in proportion; or WxH.
        cameras: Who looks in rooms: agent, third-person, map, or NAME=KIND,fov=N,height=N,size=WxH; may be repeated.
        fov: Degrees of the height of pictures in rooms; 0 for the usual ones.
        camera_height: Metres of the cameras above the floor of rooms; 0 for the usual ones.
        looks: In so many other looks (colours, textures, lights, clutter) each camera sees the room, too.
    """

    size: str = option("", metavar="N|WxH")
    cameras: tuple[str, ...] = option((), flags=("--camera",), metavar="CAMERA")
    fov: float = option(0.0, low=0, high=179)
    camera_height: float = option(0.0, low=0, high=10)
    looks: int = option(0, metavar="N", low=0, high=100)

    def view(self) -> tuple[int | None, CameraView]:
        """Return the pixels on a side, if they are asked for, and the cameras; see ``parse_view``."""
        size = "" if self.size == "0" else self.size
        return parse_view(self.cameras, size, self.fov or None, self.camera_height or None, self.looks)


def is_noisy(episodes: Iterable[Episode]) -> bool:
    """Return whether noise has perturbed some episodes."""
    return any(NOISE in dict(episode.extras) for episode in episodes)


def trajectories_of(
    benchmark: str, cut: str = DETECTION, noisy: bool = False, view: CameraView = USUAL
) -> Trajectories[Any]:
    """Return what reads a benchmark's episodes as trajectories.

    Args:
        benchmark: The benchmark.
        cut: Where subtasks end; see ``Trajectories.cut_at``.
        noisy: Whether features tell of noise; see ``Trajectories.with_noise``.
        view: The cameras; see ``Moments.with_view``.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: Nothing does, or there are no such cameras.
    """
    family = BENCHMARKS.find(benchmark).moments()
    if isinstance(family, Trajectories):
        family = family.with_view(view)
    if not isinstance(family, Trajectories):
        raise UsageError(f"episodes of the benchmark {benchmark} have no frames of numbers to export")
    reader = family.cut_at(cut)
    return reader.with_noise() if noisy else reader


ARROW_TYPES = {"float32": pa.float32(), "int64": pa.int64(), "string": pa.string()}
"""The types of features in Arrow."""


def arrow_column(column: Column, dtype: str) -> pa.Array:
    """Return a feature's values as Arrow has them: lists of numbers, or scalars where there is one number."""
    if isinstance(column, list):
        return pa.array(column, pa.string())
    flat = pa.array(column.reshape(-1), ARROW_TYPES[dtype])
    return flat if column.shape[1] == 1 else pa.FixedSizeListArray.from_arrays(flat, column.shape[1])


def common_split(split: str) -> str:
    """Return the name that a split has in all formats that do not dictate one: ``train``, ``validation`` or ``test``.

    A split of another kind, such as a user's, keeps its name.
    """
    parts = {"train": "train", "valid": "validation", "test": "test"}
    return next((name for start, name in parts.items() if split.startswith(start)), split)


def places_by_split(episodes: Sequence[Episode]) -> tuple[dict[str, list[int]], str]:
    """Return the places of the accepted episodes of each split by its common name, training first, and the benchmark.

    Raises:
        UsageError: There is no accepted episode, or they are of several benchmarks.
        InputError: A split's name is none that the formats take.
    """
    found: dict[str, list[int]] = {}
    benchmarks: set[str] = set()
    for place, episode in enumerate(episodes):
        benchmarks.add(episode.benchmark)
        if episode.outcome.accepted:
            check_split(episode.split)
            found.setdefault(common_split(episode.split), []).append(place)
    if not found or len(benchmarks) != 1:
        raise UsageError("there is no accepted episode to export" if not found else "episodes of several benchmarks")
    return {split: found[split] for split in sorted(found, key=training_first)}, benchmarks.pop()
