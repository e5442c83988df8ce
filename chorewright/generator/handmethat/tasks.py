"""Where HandMeThat's tasks come from: stored datasets, the reference's files, or made on the fly."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np

from chorewright.errors import InputError, Location, UsageError
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import PROGRESS
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.handmethat.benchmark import sample_task
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.replay.handmethat.environment import Tasks
from chorewright.replay.handmethat.reference import file_tasks, reference_files
from chorewright.replay.handmethat.task import HandMeThatTask, ReadTasks


def tasks_at(path: Path) -> ReadTasks:
    """Return the tasks of a dataset, of one of the reference's files, or of a folder of these.

    Raises:
        UsageError: There is nothing at the path.
        InputError: There are none.
        DatasetCorrupt: The dataset is damaged, or not finished.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", location=Location(str(path)))
    if not any((path / part).exists() for part in (MANIFEST, PROGRESS)):
        return file_tasks(path)
    dataset = Dataset(path)
    if not len(dataset):
        raise InputError("the dataset has no accepted episode", location=Location(str(path)))
    return ReadTasks(len(dataset), lambda place: task_of(dataset[place]))


def fingerprint(path: Path) -> str:
    """Return what tells the tasks at a path from others: a dataset's manifest, or files' names and contents.

    Raises:
        InputError: A file cannot be read.
    """
    manifest = path / MANIFEST
    if manifest.exists():
        return sha256(manifest.read_bytes()).hexdigest()
    whole = sha256()
    for each in reference_files(path):
        try:
            content = sha256(each.read_bytes()).hexdigest()
        except OSError as error:
            said = error.strerror or str(error)
            raise InputError(f"cannot be read: {said}", location=Location(str(each))) from error
        whole.update(f"{each.relative_to(path)} {content}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def made_tasks(version: int) -> Tasks:
    """Return the function that makes tasks of a version, 1 or 2, on the fly."""

    def draw(rng: np.random.Generator) -> HandMeThatTask:
        return sample_task(rng, version=version)

    return draw
