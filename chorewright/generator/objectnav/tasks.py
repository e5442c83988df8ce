"""Stored episodes of ObjectNav: what agents play, and the RoboTHOR challenge's files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.lazily import ReadSequence
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import NoOptions
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.spawning import room_of
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.problems.household.houses.source import is_house_name, named_house
from chorewright.problems.household.houses.writing import house_record
from chorewright.problems.household.scene import GRID
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


# ObjectNav's episodes as the RoboTHOR challenge's files: one list of episodes for each scene, and the houses.
#
# Layout: ``SPLIT/episodes/SCENE.json.gz``, and ``SPLIT/houses/SCENE.json.gz`` for houses that are generated from seeds,
# for AI2-THOR's ``CreateHouse``. The houses of a user's own files are not written again.


SUFFIX = ".json.gz"


class ObjectNavExporter(Exporter[NoOptions]):
    """Writes accepted episodes as the RoboTHOR challenge has them."""

    name = "objectnav"
    accepts = ("objectnav",)
    options = NoOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes and houses; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        by_scene: dict[tuple[str, str], list[Mapping[str, object]]] = {}
        for episode in folder.take(episodes):
            by_scene.setdefault((episode.split, room_of(episode).name), []).append(record(episode))
        for (split, scene), records in by_scene.items():
            folder.write((split, "episodes", f"{file_name(scene)}{SUFFIX}"), _pack(records))
            if is_house_name(scene):
                house = house_record(named_house(scene))
                folder.write((split, "houses", f"{file_name(scene)}{SUFFIX}"), _pack(house))
        return folder.report()


def file_name(scene: str) -> str:
    """Return what a scene is called in files: ``house_7`` for ``house:7``."""
    return scene.replace(":", "_")


def record(episode: Episode) -> dict[str, object]:
    """Return an episode with the members of the RoboTHOR challenge's; positions in metres, angles in degrees."""
    task, name = task_of(episode), file_name(room_of(episode).name)
    extras = dict(episode.extras)
    start = task.start
    return {
        "id": f"{name}_{task.target}_{episode.index}",
        "scene": name,
        "object_type": task.target,
        "initial_position": {"x": start.x * GRID, "y": task.scene.agent_y, "z": start.z * GRID},
        "initial_orientation": 90 * start.rotation,
        "initial_horizon": start.horizon,
        "shortest_path": [dict(zip("xyz", point, strict=True)) for point in json.loads(extras[PATH])],
        "shortest_path_length": task.shortest,
    }


def _pack(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return gzip.compress(text.encode(), mtime=0)
