"""Where HandMeThat's tasks come from: stored datasets, the reference's files, or made on the fly."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.lazily import ReadSequence
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import PROGRESS
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.handmethat.benchmark import sample_task
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.replay.handmethat.environment import Tasks
from chorewright.replay.handmethat.reference import file_tasks
from chorewright.replay.handmethat.task import HandMeThatTask


def tasks_at(path: Path, split: str | None = None) -> ReadSequence[HandMeThatTask]:
    """Return the tasks of a dataset, of one of the reference's files, or of a folder of these.

    Args:
        path: The dataset or files.
        split: Only the episodes of this split of a dataset.

    Raises:
        UsageError: There is nothing at the path, or files are to have a split.
        InputError: There are none.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", location=Location(str(path)))
    if not any((path / part).exists() for part in (MANIFEST, PROGRESS)):
        if split is not None:
            raise UsageError("the reference's files have no splits", location=Location(str(path)))
        return file_tasks(path)
    dataset = Dataset(path) if split is None else Dataset(path).filter(split=split)
    if not len(dataset):
        where = "" if split is None else f" of the split {split}"
        raise InputError(f"the dataset has no accepted episode{where}", location=Location(str(path)))
    return ReadSequence(len(dataset), lambda place: task_of(dataset[place]))


def make_tasks(version: int) -> Tasks:
    """Return the function that makes tasks of a version, 1 or 2, on the fly."""

    def draw(rng: np.random.Generator) -> HandMeThatTask:
        return sample_task(rng, version=version)

    return draw
