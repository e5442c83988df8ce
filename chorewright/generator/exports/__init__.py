"""Exporters: datasets in the formats that others read. One module a format, one protocol for all."""

from __future__ import annotations

from chorewright.errors import UsageError
from chorewright.generator.exports.alfred.exporter import AlfredExporter
from chorewright.generator.exports.calvin.exporter import CalvinExporter
from chorewright.generator.exports.exporter import Exported, Exporter
from chorewright.generator.exports.handmethat import HandMeThatExporter
from chorewright.generator.exports.teach.exporter import TeachExporter

__all__ = ["Exported", "Exporter", "exporter_names", "find_exporter"]

_EXPORTERS: dict[str, type[Exporter]] = {
    "alfred": AlfredExporter,
    "calvin": CalvinExporter,
    "handmethat": HandMeThatExporter,
    "teach": TeachExporter,
}


def exporter_names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(_EXPORTERS)


def find_exporter(name: str) -> Exporter:
    """Return the exporter of a format.

    Raises:
        UsageError: there is no such format.
    """
    if name not in _EXPORTERS:
        raise UsageError(f"there is no export format {name!r}", hint=f"formats: {', '.join(_EXPORTERS)}")
    return _EXPORTERS[name]()
