"""Others' recordings as datasets of ours: an import format reads a folder, and its episodes are written.

What a recording says is kept as it is, so that an export of the same format gives it back; what our world can check of
it is checked, and what it cannot is marked by the extra ``unchecked``, which says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.plugins import Registry
from chorewright.files.text import digest_file
from chorewright.generator.dataset.config import Derivation, GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset_folder import open_dataset_folder, plain
from chorewright.generator.dataset.store.manifest import Manifest
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.dataset.store.shards import discard
from chorewright.generator.production.deriving import write_rows

UNCHECKED = "unchecked"
"""The extra that says why an imported episode could not be checked."""


Conditions = tuple[tuple[str, bool], ...]
"""Conditions of a goal in words, and whether each holds at the end."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """What a folder has to be imported.

    Attributes:
        count: How many recordings.
        files: All files that are read of them.
        read: Returns the recording of a number as the episode of that index. It raises an ``InputError`` that names
            file and place if it is none.
    """

    count: int
    files: Sequence[Path]
    read: Callable[[int], Episode]


class Importer(Protocol):
    """Reads recordings in one format.

    Attributes:
        name: The format.
        benchmark: Whose episodes they become.
    """

    name: str
    benchmark: str

    def open(self, folder: Path) -> Recordings:
        """Return the recordings below a folder, in the order of the episodes; none if there are none.

        Raises:
            InputError: What lists them is damaged; the error names file and place.
        """


IMPORTERS: Registry[Importer] = Registry("chorewright.importers", "import format", ("name", "benchmark", "open"))


def check_conditions(conditions: Conditions) -> tuple[Conditions, str]:
    """Return a goal's conditions if all hold at the end; else none, and which one does not."""
    missed = next((name for name, met in conditions if not met), "")
    return ((), f"the condition {missed!r} does not hold at the end") if missed else (conditions, "")


def import_folder(
    importer: Importer, folder: Path, out: str | Place, tell: Callable[[int, int], object] = lambda done, total: None
) -> Manifest:
    """Write the recordings below a folder as a dataset, or those that are missing.

    Raises:
        UsageError: There are none.
        InputError: One is damaged; nothing is left of the dataset.
        StorageError: The folder holds something else, or cannot be written.
    """
    there = importer.open(folder)
    if not there.count:
        raise UsageError(f"{folder} has no recordings in the format {importer.name}")
    digest = hashlib.sha256()
    try:
        for file in there.files:
            digest.update(
                f"{file.relative_to(folder).as_posix()} {digest_file(file)}\n".encode(errors="surrogateescape")
            )
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(str(error.filename))) from error
    command = ("import", "--format", importer.name, "--digest", digest.hexdigest())
    config = GenerateConfig(importer.benchmark, there.count, derivation=Derivation(command, ()))
    target = open_dataset_folder(plain(locate(out)), config)
    try:
        return write_rows(target, lambda indices: to_table([there.read(index) for index in indices]), tell=tell)
    except InputError:  # what is mended has another digest: no run can go on here
        discard(target)
        raise
