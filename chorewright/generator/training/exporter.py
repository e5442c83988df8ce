"""Export formats: their base class, how one is named, and a target folder that is written atomically and never left.

A format of your own is a class that an entry point of the group ``chorewright.exporters`` names, or
``module:attribute`` on the command line. A target is a new or empty folder, or one that the same exporter made before:
its marker file says so. Files are written under a temporary name and renamed, so that a broken export can be run again.

An export to a place elsewhere (``s3://bucket/name``) is made in a temporary folder, as some formats are written by
programs that need files of this machine, and its files are put once each. The marker goes first, so that an interrupted
export can be run again; files that are there with the same bytes stay.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from chorewright.errors import ChorewrightError, InputError, StorageError, UsageError, storing
from chorewright.files.plugins import Origin, Registry
from chorewright.files.text import clear_leftovers, is_leftover, write_atomically
from chorewright.generator.dataset.options import choose
from chorewright.generator.training import export_marker as markers
from chorewright.generator.training.export_marker import MARKER

if TYPE_CHECKING:  # a list of formats needs neither Parquet nor file systems
    from chorewright.generator.dataset.episode import Episode
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import Place, RemotePath

HIDDEN = (".hydra",)
"""Names that begin with a dot and that formats need (CALVIN's configuration folder)."""

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did: episodes written, episodes left out (not accepted), files whose content changed."""

    episodes: int
    left_out: int
    files_changed: int


T = TypeVar("T")
OptionsT = TypeVar("OptionsT")
"""What an exporter may be asked for."""


class Exporter(ABC, Generic[OptionsT]):
    """One format of dataset, found by its name in the entry-point group ``chorewright.exporters``.

    Attributes:
        name: The format.
        accepts: The benchmarks whose episodes it takes; none for any. Episodes of a benchmark that has a format
            of its own name are refused by others; those of a benchmark that has none are tried.
        options: A frozen dataclass whose fields are declared by ``options.option``; they become flags of
            ``export``. ``options.NoOptions`` if there are none.
        asked: What is asked for, an instance of them.
        watch: Told now and then how many of how many are done.
    """

    name: str
    accepts: tuple[str, ...] = ()
    options: type[OptionsT]
    watch: Callable[[int, int], object] = staticmethod(lambda done, total: None)

    def __init__(self, asked: OptionsT | None = None) -> None:
        """Make an exporter with these options; by default with their defaults."""
        self.asked = self.options() if asked is None else asked

    def check(self) -> None:
        """Check what is asked for, when a person has asked.

        Raises:
            UsageError: Options make no sense together.
            MissingExtra: What one of them needs is not installed.
        """

    def note(self) -> str:
        """Return what an export with these options lacks, as a sentence; empty if nothing."""
        return ""

    def follow(self, several: Iterable[T], total: int | None = None) -> Iterator[T]:
        """Yield what is worked off one after the other, and tell of each that is done.

        Args:
            several: Episodes, or what is made of them.
            total: How many there are; their number by default, if they know it.
        """
        count = len(several) if total is None and isinstance(several, Sized) else total or 0
        for done, each in enumerate(several):
            self.watch(done, max(count, done))
            yield each

    @abstractmethod
    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the accepted episodes to a folder; the same episodes give the same bytes.

        Raises:
            StorageError: the target holds something else (another dataset's export, too), cannot be written,
                or a name would lead outside it.
            DatasetCorrupt: the episodes are a dataset that is damaged; then nothing is written.
            InputError: an episode lacks what the format needs, or holds what it cannot say.
        """


EXPORTERS: Registry[Exporter[Any]] = Registry(
    "chorewright.exporters", "export format", ("name", "accepts", "options", "check", "note", "write")
)


def make_exporter(name: str, given: Mapping[str, object]) -> Exporter[Any]:
    """Return the exporter of a format that a person names, with options; those that are None have their defaults.

    Raises:
        UsageError: The format has no such option, or a value cannot be one.
        MissingExtra: What an option needs is not installed.
    """
    found = EXPORTERS.find(name, Origin.PERSON)
    values = {key: value for key, value in given.items() if value is not None and value != []}
    exporter = type(found)(choose(found.options, values, f"the format {name}"))
    exporter.check()
    return exporter


def check_accepts(exporter: Exporter[Any], dataset: Dataset) -> None:
    """Check that a format takes a dataset's episodes.

    Raises:
        UsageError: It does not.
    """
    benchmark = dataset.manifest.config.benchmark
    if exporter.accepts and benchmark not in exporter.accepts and benchmark in EXPORTERS.names():
        raise UsageError(f"{dataset.folder} has episodes of {benchmark}", hint=f"their format is --format {benchmark}")


class ExportFolder:
    """A folder that an exporter may write to; it counts what is written.

    Attributes:
        folder: The folder.
        episodes: How many episodes are written.
        left_out: How many are not.
        changed: How many files have changed, the marker not among them.
        before: The checksum of the dataset whose export is there and grows; None if none does.
    """

    def __init__(self, folder: Path, form: str, source: Dataset | None = None) -> None:
        """Claim a folder for a format.

        Args:
            folder: a new or empty folder, or one with an export of the same source, perhaps with fewer episodes, in
                the same format.
            form: the format.
            source: the dataset that is exported; None for episodes that are no dataset.

        Raises:
            UsageError: it is a place elsewhere (``s3://bucket/name``), for which there is ``export_dataset``.
            StorageError: the folder holds something that this exporter did not write, or cannot be made.
        """
        from chorewright.generator.dataset.store.places import on_this_machine

        folder = on_this_machine(folder, "an exporter")
        self.form, self.changed, self.before = form, 0, None
        new = markers.mark(form, source)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.folder = folder.resolve(strict=True)
            marker = self.folder / MARKER
            empty = all(map(is_leftover, self.folder.iterdir()))
            if marker.is_symlink() or not (marker.exists() or empty):
                raise StorageError(
                    f"{folder} is not empty and was not made by an export", hint="choose a new or empty folder"
                )
            if marker.exists():
                there = markers.read_marker(marker)
                markers.require_same(folder, there, new)
                self.before = None if there.dataset == new.dataset else there.dataset
            clear_leftovers(self.folder)
        except (OSError, ValueError) as error:
            raise StorageError(f"cannot write to {folder}: {getattr(error, 'strerror', None) or error}") from error
        self.write((MARKER,), markers.marker_bytes(new))
        self.episodes = self.left_out = self.changed = 0

    def take(self, episodes: Iterable[Episode]) -> Iterator[Episode]:
        """Yield the accepted ones among episodes, and count both kinds."""
        for episode in episodes:
            if episode.outcome.accepted:
                self.episodes += 1
                yield episode
            else:
                self.left_out += 1

    def leave_out(self) -> None:
        """Count the episode that was taken last among those that are left out."""
        self.episodes, self.left_out = self.episodes - 1, self.left_out + 1

    def report(self) -> Exported:
        """Return what was done."""
        return Exported(self.episodes, self.left_out, self.changed)

    def remove_others(self, parts: tuple[str, ...], pattern: str, names: Collection[str]) -> None:
        """Remove files of an earlier export, of fewer episodes, that are no part of this one.

        Args:
            parts: The folder below the target.
            pattern: What the paths of such files below it are like.
            names: The paths of those that stay.
        """
        place = self.folder.joinpath(*map(check_name, parts))
        for path in sorted(place.glob(pattern)):
            if path.relative_to(place).as_posix() not in names and path.is_file():
                path.unlink()

    def write_json(self, parts: tuple[str, ...], value: object, indent: int | None = 4) -> bool:
        """Write a JSON file (keys sorted); return whether its content changed."""
        return self.write(parts, _json_bytes(value, indent))

    def has_json(self, parts: tuple[str, ...], value: object, indent: int | None = 4) -> bool:
        """Return whether a JSON file is there already with this content."""
        path = self.folder.joinpath(*(check_name(part) for part in parts))
        try:
            return path.is_file() and path.read_bytes() == _json_bytes(value, indent)
        except OSError:
            return False

    def write(self, parts: tuple[str, ...], content: bytes) -> bool:
        """Write a file atomically; return whether its content changed.

        Args:
            parts: the path below the target, folder by folder.
            content: the file's bytes.

        Raises:
            StorageError: a part is no plain name, a link leads out of the target, or the file system refuses.
        """
        for part in parts:
            check_name(part)
        path = self.folder.joinpath(*parts)
        with storing(path, hint=None):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.parent.resolve(strict=True).is_relative_to(self.folder) or path.is_symlink():
                raise StorageError(f"{path} leads outside the export {self.folder}", hint="remove the symbolic link")
            if path.is_file() and path.read_bytes() == content:
                return False
            write_atomically(path, content, flush=False)  # an export can be made again
        self.changed += 1
        return True

    def seal(self) -> None:
        """Say in the marker that all is written; ``export_dataset`` does so for exports of datasets."""
        write_atomically(self.folder / MARKER, markers.seal(self.folder) or b"")


def _json_bytes(value: object, indent: int | None) -> bytes:
    text = json.dumps(value, indent=indent, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def export_folder(episodes: Iterable[Episode], folder: Path, form: str) -> ExportFolder:
    """Return the target of an export in a format; a dataset is checked first, as nothing damaged is exported.

    Raises:
        DatasetCorrupt: the episodes are a dataset that is damaged.
        StorageError: see ``ExportFolder``.
    """
    from chorewright.generator.dataset.store.dataset import Dataset

    if not isinstance(episodes, Dataset):
        return ExportFolder(folder, form)
    episodes.check()
    return ExportFolder(folder, form, episodes)


class SplitLines:
    """Rows of JSON in files of so many lines, ``data/SPLIT-00000.jsonl`` and so on, each written as it fills."""

    def __init__(self, folder: ExportFolder, most: int) -> None:
        """Begin without rows; a file has so many lines at most."""
        self.folder, self._most = folder, most
        self._lines: dict[str, list[bytes]] = {}
        self._numbers: Counter[str] = Counter()

    def add(self, split: str, row: object) -> None:
        """Append a row to those of a split."""
        lines = self._lines.setdefault(split, [])
        lines.append(json_line(row))
        if len(lines) == self._most:
            self._write(split)

    def close(self) -> list[str]:
        """Write what is left; return the splits, training first."""
        for split, lines in self._lines.items():
            if lines:
                self._write(split)
        return sorted(self._lines, key=training_first)

    def _write(self, split: str) -> None:
        name = f"{split}-{self._numbers[split]:05d}.jsonl"
        self._numbers[split] += 1
        self.folder.write(("data", name), b"".join(self._lines[split]))
        self._lines[split] = []


def json_line(row: object) -> bytes:
    """Return a row as a line of JSON."""
    return (json.dumps(row, ensure_ascii=False) + "\n").encode()


def training_first(split: str) -> tuple[bool, str]:
    """Return what splits are sorted by: training comes first."""
    return not split.startswith("train"), split


def check_split(split: str) -> None:
    """Check that a split's name can be that of files.

    Raises:
        InputError: It cannot.
    """
    if not split.replace("_", "").isalnum():
        raise InputError(f"{split!r} cannot be the name of a split", hint="letters, digits and underscores only")


def check_name(name: str) -> str:
    """Return a file or folder name if it is a plain one.

    Raises:
        StorageError: it is empty, too long, hidden, or holds a separator, a control character or the like.
    """
    plain = name.replace("-", "").replace("_", "").replace(".", "").isalnum() and name.isascii()
    if name in HIDDEN:
        return name
    if not plain or name.startswith(".") or len(name) > _LONGEST_NAME:
        raise StorageError(
            f"{name[:80]!r} cannot be the name of a file or folder",
            hint="letters, digits, '-', '_' and '.' only, at most 200",
        )
    return name


def export_dataset(exporter: Exporter[Any], dataset: Dataset, target: str | Place) -> Exported:
    """Write a dataset in a format, to a folder or to a place elsewhere.

    Raises:
        UsageError: The dataset has no accepted episodes.
        StorageError: The target holds something else, or cannot be written.
        ChorewrightError: See ``Exporter.write``.
    """
    from chorewright.generator.dataset.store.places import RemotePath, locate

    if not len(dataset):
        raise UsageError("there is no accepted episode to export")
    place, options = locate(target), markers.options_of(exporter.asked)
    markers.require_options(place, options)
    if not isinstance(place, RemotePath):
        new = not place.exists()
        try:
            exported = exporter.write(dataset, place)
        except ChorewrightError:
            if new:
                markers.remove_marker_only(place)
            raise
        if (sealed := markers.seal(place, options)) is not None:
            write_atomically(place / MARKER, sealed)
        return exported
    markers.require_free(place, exporter.name, dataset)
    with TemporaryDirectory(prefix="chorewright-export-") as name:
        here = Path(name) / "export"
        exported = exporter.write(dataset, here)
        changed = _upload(here, place)
        if (sealed := markers.seal(here, options)) is not None:
            (place / MARKER).put(sealed, place / f".{MARKER}.tmp")
        return replace(exported, files_changed=changed)


def _upload(here: Path, place: RemotePath) -> int:
    """Put the files of a folder, the marker first; return how many others were not there."""
    paths = sorted((path for path in here.rglob("*") if path.is_file()), key=lambda path: (path.name != MARKER, path))
    changed = 0
    for path in paths:
        target, data = place / path.relative_to(here).as_posix(), path.read_bytes()
        with storing(target):
            if target.exists() and target.size() == len(data) and target.read_bytes() == data:
                continue
            target.parent.mkdir()
            target.put(data, target.parent / f".{target.name}.tmp")
        changed += path.name != MARKER
    return changed
