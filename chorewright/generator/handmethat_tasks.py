"""Where HandMeThat's tasks come from: stored datasets, the reference's files, or made on the fly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np

from chorewright.errors import InputError, Location, UsageError
from chorewright.generator.dataset import Dataset
from chorewright.generator.episode import Episode
from chorewright.generator.handmethat import TASK, sample_task
from chorewright.generator.manifest import MANIFEST
from chorewright.replay.handmethat.environment import Tasks
from chorewright.replay.handmethat.records import loads
from chorewright.replay.handmethat.reference import FileTasks
from chorewright.replay.handmethat.task import HandMeThatTask


def task_of(episode: Episode) -> HandMeThatTask:
    """Return the task of an accepted episode of HandMeThat.

    Raises:
        InputError: It is an episode of something else.
    """
    text = dict(episode.extras).get(TASK)
    if text is None:
        raise InputError(
            f"episode {episode.index} of {episode.recipe} is no accepted episode of HandMeThat",
            hint="chorewright generate handmethat makes such",
        )
    return loads(text)


class StoredTasks(Sequence[HandMeThatTask]):
    """The tasks of a dataset's episodes, in its order, each read when it is asked for.

    Raises:
        InputError: The dataset has no episodes.
    """

    def __init__(self, folder: Path) -> None:
        self._dataset = Dataset(folder)
        if not len(self._dataset):
            raise InputError("the dataset has no accepted episode", location=Location(str(folder)))

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, index: int) -> HandMeThatTask: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[HandMeThatTask]: ...

    def __getitem__(self, index: int | slice) -> HandMeThatTask | Sequence[HandMeThatTask]:
        if isinstance(index, slice):
            return [task_of(episode) for episode in self._dataset[index]]
        return task_of(self._dataset[index])


def tasks_at(path: Path) -> Sequence[HandMeThatTask]:
    """Return the tasks of a dataset, of one of the reference's files, or of a folder of these.

    Raises:
        UsageError: There is nothing at the path.
        InputError: There are none.
        DatasetCorrupt: The dataset is damaged.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", location=Location(str(path)))
    if (path / MANIFEST).exists():
        return StoredTasks(path)
    return FileTasks(path)


def made_tasks(version: int) -> Tasks:
    """Return the function that makes tasks of a version, 1 or 2, on the fly."""

    def draw(rng: np.random.Generator) -> HandMeThatTask:
        return sample_task(rng, version=version)

    return draw
