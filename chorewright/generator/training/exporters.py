"""The formats that there are: exporters by name, with their options. A format of your own is a class that an
entry point of the group ``chorewright.exporters`` names, or ``module:attribute`` on the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, Registry
from chorewright.generator.dataset.options import chosen
from chorewright.generator.training.exporter import Exported, Exporter, HasOptions

if TYPE_CHECKING:
    from chorewright.generator.dataset.store.dataset import Dataset

__all__ = ["EXPORTERS", "Exported", "Exporter", "check_accepts", "configured_exporter", "find_exporter"]

EXPORTERS: Registry[Exporter] = Registry(
    "chorewright.exporters", "export format", ("name", "accepts", "options", "write")
)


def find_exporter(name: str, origin: Origin = Origin.FILE) -> Exporter:
    """Return the exporter of a format, or of ``module:attribute`` if a person typed it.

    Raises:
        MissingPlugin: A file names one that is not installed.
        UsageError: There is no such format, or it cannot be loaded.
    """
    return EXPORTERS.find(name, origin)


def configured_exporter(name: str, given: Mapping[str, object]) -> Exporter:
    """Return the exporter of a format that a person names, with options; those that are None have their defaults.

    Raises:
        UsageError: The format has no such option, or a value cannot be one.
        MissingExtra: What an option needs is not installed.
    """
    exporter = find_exporter(name, Origin.PERSON)
    values = {key: value for key, value in given.items() if value is not None and value != []}
    options: object = chosen(exporter.options, values, f"the format {name}")
    return exporter.with_options(options) if isinstance(exporter, HasOptions) else exporter


def check_accepts(exporter: Exporter, dataset: Dataset) -> None:
    """Check that a format takes a dataset's episodes.

    Raises:
        UsageError: It does not.
    """
    benchmark = dataset.manifest.config.benchmark
    if exporter.accepts and benchmark not in exporter.accepts and benchmark in EXPORTERS.names():
        raise UsageError(f"{dataset.folder} has episodes of {benchmark}", hint=f"their format is --format {benchmark}")
