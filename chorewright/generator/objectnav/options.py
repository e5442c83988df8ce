"""The figures of ObjectNav's benchmark and the options of ``generate objectnav`` and ``evaluate objectnav``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chorewright.files.records import reader_of
from chorewright.generator.dataset.options import option
from chorewright.generator.household.knobs import scenes_option, splits_option
from chorewright.generator.measuring import trial


@dataclass(frozen=True, slots=True)
class ObjectNavSettings:
    """The benchmark's figures, from ``data/figures.json``.

    Attributes:
        targets: The kinds to be found where the user names none: those of ProcTHOR's ObjectNav.
        rooms: First and last of iTHOR's 30 rooms of each kind that belong to a split.
        others: How many of ten houses, or scenes of the user's own, do.
        tries: Starts and targets that are tried in a scene.
        wordings: How an episode is said; ``plural_wordings`` of things like scissors.
    """

    targets: tuple[str, ...]
    rooms: Mapping[str, tuple[int, int]]
    others: Mapping[str, int]
    tries: int
    wordings: tuple[str, ...]
    plural_wordings: tuple[str, ...]


settings = reader_of(ObjectNavSettings, "chorewright.generator.objectnav", "data/figures.json")
"""Returns the benchmark's figures."""


@dataclass(frozen=True, slots=True)
class ObjectNavOptions:
    """The options of ``generate objectnav``.

    Attributes:
        targets: A kind of thing to find, e.g. Mug; may be repeated. Without it, the 16 of ProcTHOR's ObjectNav.
        least_metres: How long the shortest path is at least.
        most_metres: How long it is at most.
        annotations: How many annotators word each episode.
    """

    scenes: tuple[str, ...] = scenes_option()
    splits: tuple[str, ...] = splits_option()
    targets: tuple[str, ...] = option((), flags=("--target",), metavar="KIND")
    least_metres: float = option(1.0, metavar="M", low=0.25, high=1000.0)
    most_metres: float = option(1000.0, metavar="M", low=0.25, high=1000.0)
    annotations: int = option(1, metavar="N", low=1, high=20)


@dataclass(frozen=True, slots=True)
class ObjectNavTrial(trial.Trial):
    """The options of ``evaluate objectnav``.

    Attributes:
        dataset: A dataset of `chorewright generate objectnav`.
        agent: random, exploring, shortest-path, or module:Class of your own.
        split: Only the episodes of this split.
        max_steps: Actions after which an episode is over.
        seed: Of the agent's random numbers.
    """

    dataset: str = trial.dataset_option()
    agent: str = trial.agent_option()
    split: str = ""
    max_steps: int = option(500, low=1)
    seed: int = option(0, low=0)
