"""The task definitions that a configuration means: TEACh's shipped ones, and the user's instead or besides.

The user's are part of the configuration, texts and all, so that a dataset can be continued, made again and
exported without the folder that they came from.
"""

from __future__ import annotations

from pathlib import Path

from chorewright.domains.teach.definitions import SUFFIX, Definitions, parse_definitions, shipped_definitions
from chorewright.errors import UsageError
from chorewright.generator.dataset.config import DOMAINS, KINDS, SCENES, GenerateConfig, library_of


def definitions_of(config: GenerateConfig) -> Definitions:
    """Return the definitions of a configuration.

    Raises:
        UsageError: A task file is none of TEACh's language.
        InputError, InputErrors: The user's definitions have errors.
    """
    files = tuple(each for each in config.task_files if not each[0].startswith((KINDS, DOMAINS, SCENES)))
    return library_of(config).remember(("definitions", files), lambda: _collect(files))


def own_folder(folder: Path) -> Path:
    """Return a folder of definitions if it is there.

    Raises:
        UsageError: It is not.
    """
    if not folder.exists():
        raise UsageError(f"there is no folder {str(folder)!r}")
    return folder


def own_tasks(config: GenerateConfig) -> tuple[str, ...]:
    """Return the names of the tasks that only the user's definitions have."""
    shipped = shipped_definitions().by_name
    return tuple(name for name in definitions_of(config).names if name not in shipped)


def _collect(files: tuple[tuple[str, str], ...]) -> Definitions:
    for name, _ in files:
        if not name.endswith(SUFFIX):
            raise UsageError(f"{name} is a goal template; the benchmark teach makes tasks of TEACh's language")
    return parse_definitions(files, shipped_definitions()) if files else shipped_definitions()
