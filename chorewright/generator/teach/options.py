"""The options of ``generate teach`` and ``evaluate teach``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from chorewright.domains.teach import definitions
from chorewright.domains.vocabulary_files import SUFFIX as TEMPLATE_SUFFIX
from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import Loaded, option
from chorewright.generator.household import knobs
from chorewright.generator.measuring.trial import Trial, agent_option, dataset_option


def own_folder(folder: Path) -> Path:
    """Return a folder of definitions if it is there.

    Raises:
        UsageError: It is not.
    """
    if not folder.exists():
        raise UsageError(f"there is no folder {str(folder)!r}")
    return folder


def _load_tasks(words: Sequence[str]) -> Loaded:
    """Take words as names of tasks."""
    for word in words:
        if word.endswith(TEMPLATE_SUFFIX):
            raise UsageError(f"{word} is a goal template; TEACh's tasks are definitions", hint="see --definitions")
    return Loaded(tuple(words))


def _load_definitions(words: Sequence[str]) -> Loaded:
    """Read folders of definitions; their errors are told with their whole paths."""
    files: dict[str, str] = {}
    for word in words:
        definitions.load_definitions(own_folder(Path(word)), base=definitions.shipped_definitions())
        files |= {path.name: read_text(path) for path in definitions.definition_paths(Path(word))}
    return Loaded((), tuple(files.items()))


@dataclass(frozen=True, slots=True)
class TeachOptions:
    """The options of ``generate teach`` and ``evaluate teach``.

    Attributes:
        tasks: A task by its name, e.g. Sandwich; may be repeated.
        params: Parameters of the task, such as 'Fork on Tables'; may be repeated.
        definitions: A folder of task definitions of your own.
        embodied: Give the Commander a body in the room, as the Follower has one.
    """

    tasks: tuple[str, ...] = option((), flags=("--task",), metavar="TASK", load=_load_tasks)
    params: tuple[str, ...] = option((), metavar="'P P ...'")
    definitions: tuple[str, ...] = option((), metavar="FOLDER", load=_load_definitions)
    embodied: bool = False
    scenes: tuple[str, ...] = knobs.scenes_option()
    splits: tuple[str, ...] = knobs.splits_option()
    kinds: tuple[str, ...] = knobs.kinds_option()
    domain: tuple[str, ...] = knobs.domain_option()
    noise: float = knobs.noise_option()


@dataclass(frozen=True, slots=True)
class TeachTrial(Trial):
    """The options of ``evaluate teach``: a folder of inferences, or agents in TATC.

    Attributes:
        dataset: TEACh's data with inferences: games/, edh_instances/ and tfd_instances/, at any depth.
        agent: Instead of a folder: a pair of agents that plays TATC: planner, or module:Class of your own.
        seed: TATC: another seed, other rooms and parameters.
        instances: Where instances and games are, if elsewhere.
        inference: Where inference__*.json and pred_actions__*.json are.
        definitions: A folder of task definitions of your own.
        sessions: TATC: so many of each task.
        tasks: TATC: only this task; may be repeated.
    """

    dataset: str = dataset_option(required=False)
    agent: str = agent_option("--agents", required=False)
    instances: str = option("", metavar="FOLDER")
    inference: str = option("", metavar="FOLDER")
    definitions: str = option("", metavar="FOLDER")
    sessions: int = option(20, low=1)
    tasks: tuple[str, ...] = option((), metavar="TASK")
    seed: int = option(0, low=0)

    APART: ClassVar[tuple[str, ...]] = (*Trial.APART, "instances", "inference", "definitions")
