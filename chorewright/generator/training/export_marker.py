"""The marker of an export: what it is an export of, whether it is finished, and the checksum of each of its files.

It is written twice: first without files, so that nothing else is written to the folder, and at the end with them. By it
an exporter knows a folder of its own, an export grows with its dataset, and ``verify`` checks it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from chorewright.errors import InputError, StorageError
from chorewright.files.records import decode_record
from chorewright.files.text import digest_file, is_leftover

if TYPE_CHECKING:  # a list of formats needs neither Parquet nor file systems
    from pathlib import Path

    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import Place, RemotePath

MARKER = "chorewright-export.json"
"""The file by which an exporter knows its own output."""


@dataclass(frozen=True, slots=True)
class ExportMarker:
    """What a marker file says.

    Attributes:
        format: The format.
        dataset: The checksum of the dataset that is exported; None for episodes that are no dataset.
        configuration: A digest of the dataset's configuration, but for the number of episodes, and of the versions
            that made it: a dataset of the same one has the same episodes, and perhaps more.
        episodes: The indices of the episodes, as ``0-11,13``.
        options: What is asked for of the format, where it is not as usual, as JSON; known when the export is finished.
        files: The SHA-256 of each file by its path; None until the export is finished.
    """

    format: str
    dataset: str | None = None
    configuration: str = ""
    episodes: str = ""
    options: str = ""
    files: Mapping[str, str] | None = field(default=None, hash=False)

    def to_json(self) -> dict[str, object]:
        """Return what the file holds."""
        told: dict[str, object] = {"format": self.format, "dataset": self.dataset}
        if self.configuration:
            told |= {"configuration": self.configuration, "episodes": self.episodes}
        if self.options:
            told["options"] = self.options
        return told if self.files is None else {**told, "files": dict(self.files)}

    def grows_to(self, other: ExportMarker) -> bool:
        """Whether an export of the other has all of this one's episodes, and perhaps more."""
        if self.format != other.format or not self.configuration or self.configuration != other.configuration:
            return False
        inside = _ranges_in(other.episodes)
        return all(
            any(low <= first and last <= high for low, high in inside) for first, last in _ranges_in(self.episodes)
        )


def mark(form: str, dataset: Dataset | None) -> ExportMarker:
    """Return the marker of an export that begins: of a dataset, or of episodes that are none."""
    if dataset is None:
        return ExportMarker(form)
    config, tool = dataset.manifest.config, dataset.manifest.tool
    digest = hashlib.sha256(json.dumps([config.fingerprint(), tool]).encode()).hexdigest()
    return ExportMarker(form, dataset.checksum, digest, _ranges(dataset.column("index").tolist()))


def read_marker(path: Place) -> ExportMarker:
    """Return what a marker file says.

    Raises:
        StorageError: It is damaged.
        OSError: It cannot be read.
    """
    try:
        marker = decode_record(ExportMarker, path.read_bytes())
        _ranges_in(marker.episodes)
    except (InputError, ValueError) as error:
        raise StorageError(f"{path} is damaged", hint="choose another folder") from error
    return marker


def require_same(folder: Place, there: ExportMarker, new: ExportMarker) -> None:
    """Check that an export may be written where another one is: the same, or one of fewer episodes of the same.

    Raises:
        StorageError: It may not.
    """
    if there.format != new.format:
        raise StorageError(f"{folder} holds an export in another format ({there.format})", hint="choose another folder")
    if there.dataset == new.dataset or there.grows_to(new):
        return
    if new.grows_to(there):
        raise StorageError(
            f"{folder} holds an export of more of the dataset's episodes",
            hint="choose a new folder: an export does not shrink",
        )
    other = "other episodes" if there.configuration == new.configuration != "" else "another dataset"
    raise StorageError(
        f"{folder} holds the export of {other}",
        hint="choose a new folder, or delete this one first: two exports would be mixed",
    )


def require_options(place: Place, options: str) -> None:
    """Check that a place holds no finished export that was asked for with other options.

    Raises:
        StorageError: It does, or its marker is damaged.
    """
    there = read_marker(place / MARKER) if (place / MARKER).is_file() else None
    if there is not None and there.files is not None and there.options != options:
        raise StorageError(
            f"{place} holds an export with other options of the format",
            hint="choose a new folder, or delete this one first: two exports would be mixed",
        )


def options_of(asked: Any) -> str:
    """Return the options of a format that are not as usual, as JSON; nothing if all are."""
    told = {each.name: getattr(asked, each.name) for each in fields(asked) if getattr(asked, each.name) != each.default}
    return json.dumps(told, sort_keys=True, default=str) if told else ""


def remove_marker_only(folder: Path) -> None:
    """Remove the folder of an export that failed before anything was written but its marker."""
    with suppress(OSError):  # what is more than a marker stays, and an export goes on there
        if [path.name for path in folder.iterdir()] == [MARKER]:
            (folder / MARKER).unlink()
            folder.rmdir()


def require_free(place: RemotePath, form: str, dataset: Dataset) -> None:
    """Check that a place elsewhere is empty, or holds an export of the same dataset in the same format."""
    marker = place / MARKER
    try:
        if marker.exists():
            require_same(place, read_marker(marker), mark(form, dataset))
        elif any(place.iterdir()):
            raise StorageError(
                f"{place} is not empty and was not made by an export", hint="choose a new or empty folder"
            )
    except OSError as error:
        raise StorageError(f"cannot write to {place}: {error.strerror or error}") from error


def seal(folder: Path, options: str = "") -> bytes | None:
    """Return the marker of a finished export, with its options and its files' checksums; None where there is none."""
    path = folder / MARKER
    if not path.is_file():
        return None
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not is_leftover(path))
    names = (path.relative_to(folder).as_posix() for path in paths)
    files = {name: digest_file(folder / name) for name in names if name != MARKER}
    return marker_bytes(replace(read_marker(path), options=options, files=files))


def marker_bytes(marker: ExportMarker) -> bytes:
    """Return the content of a marker file."""
    return (json.dumps(marker.to_json(), indent=4, sort_keys=True, ensure_ascii=False) + "\n").encode()


def export_problems(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with an export: a file and what of it. Files that others have added are passed over.

    Raises:
        StorageError: The marker is damaged.
    """
    known = read_marker(folder / MARKER).files
    if known is None:
        yield MARKER, "says that the export was not finished"
    for name, digest in sorted((known or {}).items()):
        path = folder / name
        if path.is_symlink() or not path.is_file():
            yield name, "is a link" if path.is_symlink() else "is missing"
        elif digest_file(path) != digest:
            yield name, "has another checksum than the export wrote"


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as ranges: ``0-11,13``."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _ranges_in(text: str) -> list[tuple[int, int]]:
    """Return the ranges of a text, each with its first and last number.

    Raises:
        ValueError: They are no ranges.
    """
    pairs = (each.partition("-") for each in filter(None, text.split(",")))
    return [(int(first), int(last or first)) for first, _, last in pairs]
