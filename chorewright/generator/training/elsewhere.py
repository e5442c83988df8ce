"""Exports to a place elsewhere (``s3://bucket/name``): written here first, then put there file by file.

Exporters write folders, some of them with programs that need files of this machine (video encoders, HDF5). So an
export is made in a temporary folder, which needs that much space, and its files are put once each. The marker goes
first, so that an interrupted export can be run again; files that are there with the same bytes stay.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from chorewright.errors import StorageError
from chorewright.files.text import storage_error
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.places import Place, RemotePath, locate
from chorewright.generator.training.exporter import MARKER, Exported, Exporter, read_marker, require_same


def export_dataset(exporter: Exporter, dataset: Dataset, target: str | Place) -> Exported:
    """Write a dataset in a format, to a folder or to a place elsewhere.

    Raises:
        StorageError: The target holds something else, or cannot be written.
        ChorewrightError: See ``Exporter.write``.
    """
    place = locate(target)
    if not isinstance(place, RemotePath):
        return exporter.write(dataset, place)
    _require_free(place, exporter.name, dataset)
    with TemporaryDirectory(prefix="chorewright-export-") as name:
        here = Path(name) / "export"
        exported = exporter.write(dataset, here)
        return replace(exported, files_changed=_put(here, place))


def _require_free(place: RemotePath, form: str, dataset: Dataset) -> None:
    """Check that a place is empty, or holds an export of the same dataset in the same format."""
    marker = place / MARKER
    try:
        if marker.exists():
            require_same(place, read_marker(marker), form, dataset.checksum)
        elif any(place.iterdir()):
            raise StorageError(
                f"{place} is not empty and was not made by an export", hint="choose a new or empty folder"
            )
    except OSError as error:
        raise StorageError(f"cannot write to {place}: {error.strerror or error}") from error


def _put(here: Path, place: RemotePath) -> int:
    """Put the files of a folder, the marker first; return how many others were not there."""
    paths = sorted((path for path in here.rglob("*") if path.is_file()), key=lambda path: (path.name != MARKER, path))
    changed = 0
    for path in paths:
        target, data = place / path.relative_to(here).as_posix(), path.read_bytes()
        try:
            if target.exists() and target.size() == len(data) and target.read_bytes() == data:
                continue
            target.parent.mkdir()
            target.put(data, target.parent / f".{target.name}.tmp")
        except OSError as error:
            raise storage_error(error, target) from error
        changed += path.name != MARKER
    return changed
