"""The options of ``generate teach``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.teach.definitions import definition_paths, load_definitions, shipped_definitions
from chorewright.domains.user_files import SUFFIX
from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import Loaded, option
from chorewright.generator.household.knobs import scenes_option, splits_option
from chorewright.generator.household.language import domain_option, kinds_option
from chorewright.generator.teach.definitions import own_folder


def _load_tasks(words: Sequence[str]) -> Loaded:
    """Take words as names of tasks."""
    for word in words:
        if word.endswith(SUFFIX):
            raise UsageError(f"{word} is a goal template; TEACh's tasks are definitions", hint="see --definitions")
    return Loaded(tuple(words))


def _load_definitions(words: Sequence[str]) -> Loaded:
    """Read folders of definitions; their errors are told with their whole paths."""
    files: dict[str, str] = {}
    for word in words:
        load_definitions(own_folder(Path(word)), base=shipped_definitions())
        files |= {path.name: read_text(path) for path in definition_paths(Path(word))}
    return Loaded((), tuple(files.items()))


@dataclass(frozen=True, slots=True)
class TeachOptions:
    """The options of ``generate teach``."""

    tasks: tuple[str, ...] = option(
        (), "A task by its name, e.g. Sandwich; may be repeated.", flags=("--task",), metavar="TASK", load=_load_tasks
    )
    params: tuple[str, ...] = option(
        (), "Parameters of the task, such as 'Fork on Tables'; may be repeated.", metavar="'P P ...'"
    )
    definitions: tuple[str, ...] = option(
        (), "A folder of task definitions of your own.", metavar="FOLDER", load=_load_definitions
    )
    embodied: bool = option(False, "Give the Commander a body in the room, as the Follower has one.")
    scenes: tuple[str, ...] = scenes_option()
    splits: tuple[str, ...] = splits_option()
    kinds: tuple[str, ...] = kinds_option()
    domain: tuple[str, ...] = domain_option()
