"""Stored episodes of ObjectNav as what agents play."""

from __future__ import annotations

from pathlib import Path

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.lazily import ReadSequence
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.problems import room_of
from chorewright.replay.objectnav.task import NavigationTask

NAME = "objectnav"
SHORTEST = "shortest_path_length"
"""The extra with the metres of a shortest path."""

PATH = "shortest_path"
"""The extra with the points of a shortest path, as JSON: x, y and z in metres."""


def task_of(episode: Episode) -> NavigationTask:
    """Return what an agent plays of a stored episode.

    Raises:
        InputError: It is no episode of ObjectNav.
    """
    extras = dict(episode.extras)
    target = dict(episode.parameters).get("target")
    if target is None or SHORTEST not in extras:
        raise InputError(f"episode {episode.index} of the benchmark {episode.benchmark} is not one of ObjectNav")
    return NavigationTask(str(episode.index), room_of(episode), target, float(extras[SHORTEST]), episode.split)


def tasks_at(folder: Path, split: str | None = None) -> ReadSequence[NavigationTask]:
    """Return the tasks of a dataset.

    Raises:
        UsageError: There is nothing at the path.
        InputError: It has no episodes of ObjectNav, or none of the split.
        DatasetCorrupt: It is damaged, or not finished.
    """
    if not folder.exists():
        raise UsageError("there is no such folder", location=Location(str(folder)))
    dataset = Dataset(folder) if split is None else Dataset(folder).filter(split=split)
    if not len(dataset):
        where = "" if split is None else f" of the split {split}"
        raise InputError(f"there are no accepted episodes{where}", location=Location(str(folder)))
    task_of(dataset[0])
    return ReadSequence(len(dataset), lambda place: task_of(dataset[place]))
