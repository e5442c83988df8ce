"""Episodes as a training loop takes them: windows of frames, and instructions with their actions.

Both are map-style datasets, which PyTorch's ``DataLoader`` takes as they are: items are dictionaries of NumPy arrays
and strings. Nothing here needs torch. Pictures are drawn from the stored states when an item is asked for, in the
loader's workers, so that a dataset stays a hundred times smaller than its pictures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import UsageError
from chorewright.files.records import check_types
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, SEGMENTS
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.showing.views import parse_view
from chorewright.generator.training import trajectory

EPISODE, SUBTASK = "episode", "subtask"

_KEPT = 100_000
"""Frames of episodes whose numbers are kept: a shuffled epoch comes back to each episode many times."""

PADDING = "padding"
"""The key of the mask: True where there is no frame any more."""


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """What windows need of an episode."""

    index: int
    columns: Mapping[str, trajectory.Column]
    said: trajectory.FrameSentences
    draw: trajectory.DrawFrames


@dataclass(slots=True)
class _Read:
    """The numbers of the last episodes that were read, by their places."""

    dataset: Dataset
    trajectories: trajectory.Trajectories[Any]
    kept: OrderedDict[int, _Numbers] = field(default_factory=OrderedDict)
    frames: int = 0

    def __call__(self, place: int) -> _Numbers:
        if place not in self.kept:
            self.kept[place] = read = self._numbers(self.dataset[place])
            self.frames += len(read.said.tasks)
            while len(self.kept) > 1 and self.frames > _KEPT:
                self.frames -= len(self.kept.popitem(last=False)[1].said.tasks)
        self.kept.move_to_end(place)
        return self.kept[place]

    def _numbers(self, episode: Episode) -> _Numbers:
        reader = self.trajectories
        return _Numbers(episode.index, reader.columns(episode), reader.sentences(episode), reader.drawing(episode))


class _Items(Sequence[Mapping[str, Any]], ABC):
    """A map-style dataset: an item by its number, several by a slice."""

    @overload
    def __getitem__(self, number: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Mapping[str, Any]]: ...

    def __getitem__(self, number: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        """Return an item, or those of a slice.

        Raises:
            IndexError: There is no such item.
            DatasetCorrupt: The episode does not run again.
        """
        if isinstance(number, slice):
            return [self._item(each) for each in range(*number.indices(len(self)))]
        return self._item(number)

    @abstractmethod
    def _item(self, number: int) -> Mapping[str, Any]: ...


class FrameWindows(_Items):
    """Windows of so many frames, or of whole subtasks.

    An item has each feature of the benchmark's trajectories (``observation.state``, ``action``, ...) as an array of
    (length, size), strings as a list, ``task`` and ``subtask`` of its first frame, ``padding`` (length) where frames
    repeat the last one, ``source_index`` (the episode's) and ``frame_index`` (of the first one); with pictures also
    ``observation.images.CAMERA`` as uint8 of (length, 3, height, width).

    Args:
        dataset: The dataset, filtered or whole.
        length: Frames of a window; 0 for whole subtasks (then ``within`` is ``subtask``), which differ in length.
        stride: Frames from the beginning of a window to that of the next one.
        within: A window does not go beyond its ``episode``, or its ``subtask``; what is missing is padded.
        pictures: Whether to draw what the cameras see.
        size: Pixels on a side of the first camera's pictures, the others in proportion, or ``"320x240"`` for all;
            None for their own.
        strings: Whether to give features that are strings, too.
        wordings: Whether to give ``task_wordings`` and ``subtask_wordings``, all annotators' sentences, too.
        segments: Where subtasks of CALVIN's chains end, ``detection`` or ``retreat``.
        cameras: Who looks in rooms, as ``replay --camera`` takes them: ``("agent", "top=map,size=128x128")``.
        fov: Degrees of the pictures' height.
        camera_height: Metres of the cameras above the floor.
        looks: In so many looks besides the usual one each camera sees the room, too.

    Raises:
        UsageError: An argument makes no sense, or the benchmark has no trajectories or no such cameras.
    """

    @check_types
    def __init__(
        self,
        dataset: Dataset,
        *,
        length: int = 1,
        stride: int = 1,
        within: str = EPISODE,
        pictures: bool = False,
        size: int | str | None = None,
        strings: bool = False,
        wordings: bool = False,
        segments: str = DETECTION,
        cameras: Sequence[str] = (),
        fov: float | None = None,
        camera_height: float | None = None,
        looks: int = 0,
    ) -> None:
        if within not in (EPISODE, SUBTASK):
            raise UsageError(f"a window cannot be within {within!r}", hint=f"{EPISODE} or {SUBTASK}")
        if segments not in SEGMENTS:
            raise UsageError(f"segments cannot end at {segments!r}", hint=" or ".join(SEGMENTS))
        if length < 0 or stride < 1:
            raise UsageError(f"windows of {length} frames every {stride} make no sense")
        pixels, view = parse_view(cameras, "" if size is None else str(size), fov, camera_height, looks)
        self._trajectories = trajectory.trajectories_of(
            dataset.manifest.config.benchmark, segments, trajectory.is_noisy(dataset), view
        )
        self._read = _Read(dataset, self._trajectories)
        self._wordings, self._dataset = wordings, dataset
        self._length, self._pictures, self._size, self._strings = length, pictures, pixels, strings
        windows: list[tuple[int, int, int]] = []
        for place, episode in enumerate(dataset):
            said = self._trajectories.sentences(episode)
            for first, stop in _runs(said, within if length else SUBTASK):
                begins = range(first, stop, stride) if length else (first,)
                windows += [(place, begin, stop) for begin in begins]
        self._windows: NDArray[np.int64] = np.array(windows, np.int64).reshape(-1, 3)

    def __len__(self) -> int:
        return len(self._windows)

    def _item(self, number: int) -> Mapping[str, Any]:
        """Return a window."""
        place, begin, stop = self._windows[number].tolist()
        length = self._length or stop - begin
        there = range(begin, min(stop, begin + length))
        chosen = np.minimum(np.arange(begin, begin + length), there[-1])
        read = self._read(place)
        item: dict[str, Any] = {"source_index": read.index, "frame_index": begin}
        item |= {"task": read.said.tasks[begin], "subtask": read.said.subtasks[begin]}
        for name, column in read.columns.items():
            if not isinstance(column, list):
                item[name] = column[chosen]
            elif self._strings:
                item[name] = [column[each] for each in chosen]
        for key in ("task", "subtask") if self._wordings else ():
            item[f"{key}_wordings"] = trajectory.wordings(self._dataset[place], str(item[key]))
        item[PADDING] = np.arange(length) >= len(there)
        return item | (self._draw(read.draw, there, chosen - begin) if self._pictures else {})

    def _draw(
        self, draw: trajectory.DrawFrames, there: range, chosen: NDArray[np.int64]
    ) -> dict[str, NDArray[np.uint8]]:
        item = {}
        for camera, seen in zip(self._trajectories.cameras, draw(self._size, there), strict=True):
            pictures = seen.transpose(0, 3, 1, 2)
            item[f"{trajectory.IMAGES}.{camera.name}"] = pictures if len(chosen) == len(there) else pictures[chosen]
        return item


class InstructionPairs(_Items):
    """Each instruction of a level with the actions that it asks for: ``instruction``, ``action`` of (length, size).

    A sentence of the level ``goal`` has all actions of its episode, one of the level ``step`` those of its segment.
    Items differ in length; ``padded`` makes a batch of them.

    Args:
        dataset: The dataset, filtered or whole.
        level: The level of instructions.
        action: The feature that says what is done.

    Raises:
        UsageError: The benchmark has no trajectories, these have no such numbers, or no instruction is of the level.
    """

    @check_types
    def __init__(self, dataset: Dataset, *, level: str = "goal", action: str = "action") -> None:
        self._trajectories = trajectory.trajectories_of(
            dataset.manifest.config.benchmark, noisy=trajectory.is_noisy(dataset)
        )
        numbers = [each.name for each in self._trajectories.features if each.dtype != "string"]
        if action not in numbers:
            raise UsageError(f"there are no numbers called {action!r}", hint=f"there are {', '.join(numbers)}")
        self._dataset, self._action = dataset, action
        self._read = _Read(dataset, self._trajectories)
        self._pairs: list[tuple[int, int]] = [
            (place, number)
            for place, episode in enumerate(dataset)
            for number, each in enumerate(episode.instructions)
            if each.level == level
        ]
        if not self._pairs and len(dataset):
            levels = {each.level for episode in dataset for each in episode.instructions}
            known = ", ".join(sorted(levels)) or "none"
            raise UsageError(f"no instruction is of the level {level!r}", hint=f"there are {known}")

    def __len__(self) -> int:
        return len(self._pairs)

    def _item(self, number: int) -> Mapping[str, Any]:
        """Return an instruction and its actions."""
        place, which = self._pairs[number]
        episode, actions = self._dataset[place], self._read(place).columns[self._action]
        told = episode.instructions[which]
        assert not isinstance(actions, list)
        if told.segment is not None:
            segments = self._trajectories.frame_segments(episode)
            steps = [at for at, segment in enumerate(segments) if segment == told.segment]
            actions = actions[steps]
        return {"source_index": episode.index, "instruction": told.text, "action": actions}


def padded(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return items of different lengths as one batch: arrays padded with zeros to the longest, and the mask.

    Arrays become (batch, longest, ...), ``padding`` is True beyond an item's end, anything else becomes a list. Torch's
    ``default_convert`` makes tensors of it.

    Raises:
        UsageError: There are no items.
    """
    if not items:
        raise UsageError("there are no items to make a batch of")
    arrays = [key for key, value in items[0].items() if isinstance(value, np.ndarray) and key != PADDING]
    longest = max(len(item[key]) for item in items for key in arrays)
    batch: dict[str, Any] = {key: [item[key] for item in items] for key in items[0] if key not in (*arrays, PADDING)}
    for key in arrays:
        first = items[0][key]
        whole = np.zeros((len(items), longest, *first.shape[1:]), first.dtype)
        for row, item in zip(whole, items, strict=True):
            row[: len(item[key])] = item[key]
        batch[key] = whole
    mask = np.ones((len(items), longest), bool)
    for row, item in zip(mask, items, strict=True):
        there = len(item[arrays[0]])
        row[:there] = item.get(PADDING, np.zeros(there, bool))
    batch[PADDING] = mask
    return batch


def _runs(said: trajectory.FrameSentences, within: str) -> list[tuple[int, int]]:
    """Return where the stretches of an episode begin and end that windows stay in."""
    if within == EPISODE:
        return [(0, len(said.tasks))] if said.tasks else []
    runs = [list(some) for _, some in groupby(range(len(said.tasks)), lambda at: (said.tasks[at], said.subtasks[at]))]
    return [(some[0], some[-1] + 1) for some in runs]
