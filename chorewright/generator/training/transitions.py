"""Transitions: episodes as reinforcement learning has them, from an environment or trajectories, and Minari's datasets.

A benchmark whose episodes were made in a Gymnasium environment has a ``TransitionSource``; the episodes of another one
are read from its trajectories, without an environment.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from chorewright.errors import UnsupportedError, UsageError
from chorewright.files.plugins import require_extra
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import RETREAT, option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder
from chorewright.generator.training.trajectory import Column, Feature, Trajectories, places_by_split, trajectories_of

if TYPE_CHECKING:
    from pathlib import Path


Values: TypeAlias = Sequence[str] | NDArray[Any] | Mapping[str, Any]
"""Values of a space in a row: strings, numbers, or for a ``Dict`` those of each key."""

OBSERVATION, ACTION = "observation", "action"

_LONGEST = 10_000
"""Characters of a text in a trajectory, at most."""


@dataclass(frozen=True, slots=True)
class EpisodeTransitions:
    """An episode.

    Attributes:
        observations: n + 1 of them, the one after the last action among them.
        actions: n.
        rewards: One after each action.
        terminated: Whether the last action ended the task.
        truncated: Whether a limit did.
        options: What the environment's ``reset`` takes to begin just this episode.
    """

    observations: Values
    actions: Values
    rewards: NDArray[np.float64]
    terminated: bool
    truncated: bool
    options: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class TransitionSource(Protocol):
    """Reads a benchmark's stored episodes as transitions."""

    @property
    def environment(self) -> EnvSpec | None:
        """What ``gymnasium.make`` takes to make the environment; None if there is none."""

    @property
    def observation_space(self) -> gymnasium.Space[Any]:
        """What is observed."""

    @property
    def action_space(self) -> gymnasium.Space[Any]:
        """What is done."""

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return an accepted episode's transitions.

        Raises:
            DatasetCorrupt: It does not run again.
        """


def transitions_of(benchmark: str) -> TransitionSource:
    """Return what reads a benchmark's episodes as transitions.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: They are neither those of an environment nor trajectories.
    """
    source = BENCHMARKS.find(benchmark).transition_source()
    if isinstance(source, TransitionSource):
        return source
    return TrajectoryTransitions(trajectories_of(benchmark, RETREAT))


class TrajectoryTransitions:
    """Transitions of trajectories: the last frame's observation ends the episode, and its action is left out."""

    environment: EnvSpec | None = None

    def __init__(self, trajectories: Trajectories[Any]) -> None:
        self._trajectories = trajectories
        self._observed = [each for each in trajectories.features if each.name.startswith(f"{OBSERVATION}.")]
        self._done = [each for each in trajectories.features if each.name.startswith(ACTION)]
        self.observation_space = spaces.Dict({_key(each): _space(each) for each in self._observed})
        self.action_space = spaces.Dict({_key(each): _space(each) for each in self._done})

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return the frames as transitions, with a reward of 1 at the end."""
        columns = self._trajectories.columns(episode)
        count = len(columns[self._done[0].name]) - 1
        rewards = np.zeros(count)
        rewards[-1:] = 1.0
        return EpisodeTransitions(
            {_key(each): _values(columns[each.name], each) for each in self._observed},
            {_key(each): _values(columns[each.name][:count], each) for each in self._done},
            rewards,
            terminated=True,
            truncated=False,
        )


def _key(feature: Feature) -> str:
    """Return the key of a feature: ``state`` of ``observation.state``, ``action`` itself."""
    return feature.name.partition(".")[2] or feature.name


def _space(feature: Feature) -> gymnasium.Space[Any]:
    if feature.dtype == "string":
        return spaces.Text(_LONGEST, min_length=0)
    if feature.dtype == "float32":
        return spaces.Box(-np.inf, np.inf, (len(feature.names),), np.float32)
    limits = np.iinfo(np.int64)
    return spaces.Box(limits.min, limits.max, (len(feature.names),), np.int64)


def _values(column: Column, feature: Feature) -> Values:
    return column if isinstance(column, list) else column.reshape(len(column), len(feature.names))


# Datasets for ``minari.load_dataset``: one for each split, with the environment to play them again.
#
# Layout: ``<namespace>/<split>-v0/data/{metadata.json, main_data.hdf5}`` below the target, which is what the
# environment variable ``MINARI_DATASETS_PATH`` names. The package minari is not needed.


MINARI = "0.5.0"
"""The oldest Minari that reads such files."""

_NAMESPACE = re.compile(r"[-\w]+(/[-\w]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class MinariOptions:
    """The options of ``export --format minari``.

    Attributes:
        namespace: What the datasets' ids begin with; chorewright/BENCHMARK by default.
    """

    namespace: str = option("", metavar="NAME")


class MinariExporter(Exporter[MinariOptions]):
    """Writes accepted episodes of benchmarks that have a Gymnasium environment or trajectories."""

    name = "minari"
    options = MinariOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        _load_h5py()
        if self.asked.namespace and (not _NAMESPACE.fullmatch(self.asked.namespace) or len(self.asked.namespace) < 2):
            raise UsageError(
                f"{self.asked.namespace!r} cannot be a namespace of Minari's",
                hint="two or more letters, digits, '-' and '_', in parts divided by '/'",
            )

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``."""
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        splits, benchmark = places_by_split(again)
        source = transitions_of(benchmark)
        folder = export_folder(episodes, target, self.name)
        plain = re.sub(r"[^-\w]", "_", benchmark, flags=re.ASCII)
        namespace = self.asked.namespace or f"chorewright/{plain}"
        written = sum(map(len, splits.values()))
        every = self.follow((again[place] for places in splits.values() for place in places), written)
        for split, places in splits.items():
            _write(folder, f"{namespace}/{split}-v0", source, islice(every, len(places)))
        return Exported(written, len(again) - written, folder.changed)


def _write(folder: ExportFolder, dataset_id: str, source: TransitionSource, episodes: Iterable[Episode]) -> None:
    """Write one dataset of Minari's."""
    sink = io.BytesIO()
    steps = count = 0
    with _load_h5py().File(sink, "w", libver="latest") as file:  # attributes may be longer than 64 kB
        for episode in episodes:
            found = source.transitions(episode)
            steps += _add(file.create_group(f"episode_{count}"), count, episode, found)
            count += 1
    data = sink.getvalue()
    metadata: dict[str, object] = {
        "total_episodes": count,
        "total_steps": steps,
        "data_format": "hdf5",
        "jpeg_encoding": False,
        "observation_space": space_json(source.observation_space),
        "action_space": space_json(source.action_space),
        "dataset_id": dataset_id,
        "minari_version": MINARI,
        "algorithm_name": "planner",
        "author": ["chorewright"],
        "author_email": [],
        "requirements": ["chorewright"],
        "description": f"Expert demonstrations made by chorewright ({dataset_id}).",
        "dataset_size": round(len(data) / 1e6, 1),
    }
    if source.environment is not None:
        metadata["env_spec"] = source.environment.to_json()
    parts = (*dataset_id.split("/"), "data")
    folder.write((*parts, "main_data.hdf5"), data)
    folder.write((*parts, "metadata.json"), json.dumps(metadata).encode())


def _add(group: Any, number: int, episode: Episode, found: EpisodeTransitions) -> int:
    """Write an episode; return the number of its actions."""
    count = len(found.rewards)
    ends = np.zeros((2, count), bool)
    ends[:, -1:] = [[found.terminated], [found.truncated]]
    group.attrs["id"] = number
    group.attrs["total_steps"] = count
    group.attrs["source_index"] = episode.index
    group.attrs["original_split"] = episode.split
    group.attrs["task"] = episode.task
    group.attrs["instructions"] = json.dumps([each.text for each in episode.instructions], ensure_ascii=False)
    for name, value in found.options.items():
        group.attrs[f"options/{name}"] = value
    _store(group, "observations", found.observations)
    _store(group, "actions", found.actions)
    _store(group, "rewards", found.rewards)
    _store(group, "terminations", ends[0])
    _store(group, "truncations", ends[1])
    return count


def _store(group: Any, name: str, values: Values) -> None:
    if isinstance(values, Mapping):
        inner = group.create_group(name)
        for key, each in values.items():
            _store(inner, key, each)
    elif isinstance(values, np.ndarray):
        group.create_dataset(name, data=values)
    else:
        _texts(group, name, values)


def _texts(group: Any, name: str, values: Sequence[str]) -> None:
    group.create_dataset(name, data=list(values), dtype=_load_h5py().string_dtype("utf-8"), shape=(len(values),))


def space_json(space: gymnasium.Space[Any]) -> str:
    """Return a space as JSON text.

    Raises:
        UnsupportedError: It is of a kind that no benchmark's episodes have.
    """
    return json.dumps(_space_value(space))


def _space_value(space: gymnasium.Space[Any]) -> dict[str, object]:
    match space:
        case spaces.Dict():
            return {"type": "Dict", "subspaces": {key: _space_value(each) for key, each in space.spaces.items()}}
        case spaces.Text():
            limits = {"max_length": space.max_length, "min_length": space.min_length}
            return {"type": "Text", **limits, "charset": space.characters}
        case spaces.Discrete():
            return {"type": "Discrete", "dtype": "int64", "start": int(space.start), "n": int(space.n)}
        case spaces.Box():
            kind = {"type": "Box", "dtype": str(space.dtype), "shape": list(space.shape)}
            return {**kind, "low": space.low.tolist(), "high": space.high.tolist()}
        case _:
            raise UnsupportedError(f"spaces of the kind {type(space).__name__} cannot be exported")


def _load_h5py() -> ModuleType:
    """Return h5py.

    Raises:
        MissingExtra: It is not installed.
    """
    with require_extra("Minari's files need the package h5py", "minari"):
        import h5py
    module: ModuleType = h5py
    return module
