"""Stored episodes of ObjectNav as what agents play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from chorewright.errors import InputError, Location, UsageError
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


class EpisodeTasks(Sequence[NavigationTask]):
    """The tasks of a dataset's accepted episodes, each read when it is asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, place: int) -> NavigationTask: ...
    @overload
    def __getitem__(self, place: slice) -> list[NavigationTask]: ...
    def __getitem__(self, place: int | slice) -> NavigationTask | list[NavigationTask]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        return task_of(self._dataset[place])


def tasks_at(folder: Path, split: str | None = None) -> EpisodeTasks:
    """Return the tasks of a dataset.

    Raises:
        UsageError: There is nothing at the path.
        InputError: It has no episodes of ObjectNav, or none of the split.
        DatasetCorrupt: It is damaged, or not finished.
    """
    if not folder.exists():
        raise UsageError("there is no such folder", location=Location(str(folder)))
    dataset = Dataset(folder)
    found = EpisodeTasks(dataset if split is None else dataset.filter(split=split))
    if not len(found):
        where = "" if split is None else f" of the split {split}"
        raise InputError(f"there are no accepted episodes{where}", location=Location(str(folder)))
    task_of(dataset[0])
    return found
