"""HandMeThat's episodes as the reference's files: one JSON document each, and the list of them that it reads.

Layout: ``HandMeThat_with_expert_demonstration/task-<request>-<goal>-<index>-<level>.json`` and, beside the
folder, ``HandMeThat_data_info.json``: the files' names by type of request, by level, by goal and by split.
The schema is in ``docs/handmethat_world.md``; ``replay.handmethat.reference`` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import NoOptions
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.replay.handmethat.reference_writing import GOALS, file_name, reference_of_task
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.handmethat.meanings import Quest

FOLDER = "HandMeThat_with_expert_demonstration"
INFO = "HandMeThat_data_info.json"

_SPLITS = {"train": "train", "validation": "validate", "test": "test"}
"""Our splits, as the reference calls them."""


class HandMeThatExporter(Exporter[NoOptions]):
    """Writes accepted episodes as the reference's."""

    name = "handmethat"
    accepts = ("handmethat",)
    options = NoOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes and the list of them; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        version = dict(episodes.manifest.tool).get("chorewright", "") if isinstance(episodes, Dataset) else ""
        lists = _Lists()
        for episode in folder.take(episodes):
            task = task_of(episode)
            name = file_name(task, episode.index)
            costs = dict(episode.extras).get("costs", "")
            document = reference_of_task(task, episode.index, costs, version)
            folder.write((FOLDER, name), _bytes(document))
            lists.add(name, task, episode)
        folder.write((INFO,), _bytes(lists.document))
        return folder.report()


def _bytes(value: object) -> bytes:
    """Return a JSON text; the order of keys is kept, as that of objects is part of a scene."""
    return (json.dumps(value, allow_nan=False) + "\n").encode()


class _Lists:
    """The files' names by type of request, level, goal and split."""

    def __init__(self) -> None:
        self.requests: dict[str, list[str]] = {quest.value: [] for quest in Quest}
        self.levels: dict[str, list[str]] = {f"level{level}": [] for level in (1, 2, 3, 4)}
        self.goals: dict[str, list[str]] = {str(number): [] for number in range(GOALS)}
        self.splits: dict[str, list[str]] = {split: [] for split in _SPLITS.values()}

    @property
    def document(self) -> list[Mapping[str, list[str]]]:
        return [self.requests, self.levels, self.goals, self.splits]

    def add(self, name: str, task: HandMeThatTask, episode: Episode) -> None:
        """Note an episode's file.

        Raises:
            InputError: Its split is none of the benchmark's.
        """
        if episode.split not in _SPLITS:
            raise InputError(
                f"episode {episode.index} is of an unknown split {episode.split!r}",
                hint=f"one of {', '.join(_SPLITS)}",
            )
        self.requests[task.meaning.quest.value].append(name)
        self.levels[f"level{task.level}"].append(name)
        if task.number >= 0:
            self.goals[str(task.number)].append(name)
        self.splits[_SPLITS[episode.split]].append(name)
