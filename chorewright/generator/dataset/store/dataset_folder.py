"""A dataset's folder: whether it may become, or go on to be, the dataset of a configuration."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from chorewright.errors import DatasetCorrupt, InputError, LimitError, Location, StorageError, UsageError, storing
from chorewright.files import text
from chorewright.files.english import say_count
from chorewright.files.records import decode_record, reader_of
from chorewright.generator.dataset.config import EFFORTS, GenerateConfig
from chorewright.generator.dataset.store import manifest
from chorewright.generator.dataset.store.places import Place, RemotePath, write_whole
from chorewright.generator.dataset.store.reading import contents
from chorewright.generator.dataset.store.records import SCHEMA

# The card of a dataset: what Hugging Face's ``datasets`` and a reader of the folder are told of its files.


CARD = "README.md"

LICENCE = "MIT, as chorewright itself, whose file `NOTICE` names the sources of the facts in rooms, tasks and words."

meanings = reader_of(dict[str, str], "chorewright.generator.dataset", "data/columns.json")
"""What columns hold, by their names."""

SPLIT = "all_splits"
"""What ``datasets`` calls the one split of a dataset's files: each file has episodes of several."""


def write_card(config: GenerateConfig) -> str:
    """Return the card; without it ``datasets`` would call everything ``train``, tests included."""
    seed = "" if config.derivation else f" with seed {config.seed}"
    how = f"by {_say_maker(config)}" if config.derivation else "by chorewright"
    rows = "".join(f"| `{name}` | {meanings()[name]} |\n" for name in SCHEMA.names)
    told = text.read_text(Path(__file__).parents[1] / "data" / "card.md")
    return told.format(benchmark=config.benchmark, seed=seed, how=how, split=SPLIT, rows=rows, licence=LICENCE)


PROGRESS = ".progress"
RUN = "run.json"

PART = ".part"

REPORT = "report*.json"
"""The names of files with what runs took: of whole runs, or of slices."""

FINGERPRINT = b"chorewright.fingerprint"

_SYSTEM_FOLDERS = tuple(
    Path("/", name) for name in ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "sbin", "sys", "usr")
)


@dataclass(frozen=True, slots=True)
class DatasetFolder:
    """A dataset's folder and the configuration that it is written from.

    Attributes:
        folder: The folder.
        config: The configuration.
        held: How many episodes the finished dataset has that is there and shall grow; 0 if there is none.
        run: The run's name on this host, which no other run has; part of the temporary files' names.
    """

    folder: Place
    config: GenerateConfig
    held: int = 0
    run: str = field(default_factory=lambda: f"{socket.gethostname()[:60]}-{uuid4().hex[:12]}", compare=False)

    @property
    def progress(self) -> Place:
        """The folder of what only an unfinished run needs."""
        return self.folder / PROGRESS

    def shard_path(self, shard: int) -> Place:
        """Return a shard's file."""
        return self.folder / manifest.shard_file(shard)

    def sidecar_path(self, shard: int) -> Place:
        """Return the file of a finished shard's record."""
        return self.progress / f"{Path(manifest.shard_file(shard)).stem}.json"

    def temporary(self, path: Place) -> Place:
        """Return a new name for a file while it is written, which nobody else has."""
        return self.progress / f"{path.name}.{self.run}.{uuid4().hex[:12]}.tmp"

    def parts(self, shard: int) -> list[range]:
        """Return the ranges of indices that a shard is made of, one after the other.

        Where the dataset grows, the episodes of its last shard are the first part of the larger one.
        """
        indices, size = self.config.shard_range(shard), self.config.part_size
        begin = self.held if self.held in indices and self.held > indices.start else indices.start
        first = [range(indices.start, begin)] if begin > indices.start else []
        return first + [range(each, min(each + size, indices.stop)) for each in range(begin, indices.stop, size)]

    def carried(self) -> int | None:
        """Return the shard that is in the finished dataset in part; None if there is none."""
        size = self.config.shard_size
        return self.held // size if self.held % size and self.held < self.config.episodes else None


def plain(folder: Place) -> Place:
    """Return a folder's path without ``..``, which are resolved as the system does, through links."""
    if isinstance(folder, RemotePath):
        return folder
    if ".." not in folder.parts or "\0" in str(folder):
        return folder
    return folder.resolve() if folder.name == ".." else folder.parent.resolve() / folder.name


def open_dataset_folder(folder: Place, config: GenerateConfig) -> DatasetFolder:
    """Check that a folder may become, or go on to be, the dataset of a configuration; change nothing.

    Raises:
        UsageError: the name cannot be a dataset's folder.
        StorageError: it is a file or link, holds something else, or holds another configuration's dataset.
        DatasetCorrupt: its manifest was edited or cut off.
        UnsupportedError: it was written by a newer chorewright.
    """
    _check_name(folder)
    target = DatasetFolder(folder, config)
    with storing(folder):
        own = [folder / name for name in (manifest.MANIFEST, CARD, manifest.DATA, PROGRESS)]
        for path in (folder, *own, *children(folder / manifest.DATA)):
            if path.is_symlink():
                raise StorageError(
                    f"{path} is a symbolic link", hint="give the real folder; links could lead out of it"
                )
        if not folder.exists():
            return target
        if not folder.is_dir():
            raise StorageError(f"{folder} is not a folder")
        held = _read_header(target)
        if held is None:
            _refuse_strangers(target)
            _refuse_files_beyond(target)
            return target
    holds, tool = held
    if not _has_shards(target):  # begun, but nothing was made: it may become something else
        return target
    if holds != config and not holds.may_grow_to(config):
        if config.may_grow_to(holds):
            raise StorageError(
                f"{folder} has {say_count(holds.episodes, 'episode')}, and cannot shrink to {config.episodes}",
                hint=f"give -n {holds.episodes}, or choose another folder",
            )
        raise StorageError(
            f"{folder} holds another dataset: {_difference(holds, config)}",
            hint="choose another folder, or give the options that the dataset was begun with",
        )
    if tool != manifest.tool_versions():
        made = ", ".join(f"{name} {version}" for name, version in tool)
        here = ", ".join(f"{name} {version}" for name, version in manifest.tool_versions())
        raise StorageError(
            f"{folder} was begun with {made}; this is {here}",
            hint="use the same versions, so that every shard comes out alike, or choose another folder",
        )
    _refuse_files_beyond(target)
    finished = read_config(target)
    return target if finished is None or finished == config else replace(target, held=finished.episodes)


def _refuse_files_beyond(target: DatasetFolder) -> None:
    known = {target.shard_path(shard) for shard in range(target.config.shards)}
    for path in children(target.folder / manifest.DATA):
        if path not in known:
            raise StorageError(f"{path} does not belong to the dataset", hint="move it away")


def read_config(target: DatasetFolder) -> GenerateConfig | None:
    """Return the configuration of the finished dataset that is there, smaller where it is growing."""
    file = target.folder / manifest.MANIFEST
    if not file.exists() or manifest.is_torn(file.read_bytes()):
        return None
    return manifest.read_manifest(read_text(file), str(file)).config


def _read_header(target: DatasetFolder) -> tuple[GenerateConfig, tuple[tuple[str, str], ...]] | None:
    """Return the header of the run that was begun last, or of the finished dataset."""
    file, run = target.folder / manifest.MANIFEST, target.progress / RUN
    begun = None
    if run.exists() and not manifest.is_torn(run.read_bytes()):
        begun = manifest.read_header(manifest.parse_json(read_text(run), str(run)), str(run))
    if file.exists() and not manifest.is_torn(file.read_bytes()):
        held = manifest.read_manifest(read_text(file), str(file))
        return begun if begun and held.config.may_grow_to(begun[0]) else (held.config, held.tool)
    return begun


def _has_shards(target: DatasetFolder) -> bool:
    """Whether a folder holds a manifest, anything where shards are, or finished parts of shards."""
    if (target.folder / manifest.MANIFEST).exists() or children(target.folder / manifest.DATA):
        return True
    return any(path.suffix == PART for path in children(target.progress))


def _refuse_strangers(target: DatasetFolder) -> None:
    """Refuse a folder that holds anything but shards of this very configuration (its manifest was lost)."""
    for path in children(target.folder):
        if path == target.progress or (path == target.folder / manifest.DATA and path.is_dir()):
            continue
        if path == target.folder / manifest.MANIFEST and path.is_file():  # a damaged one
            continue
        if (path.name == CARD or fnmatch(path.name, REPORT)) and (target.folder / manifest.DATA).is_dir():
            continue
        raise StorageError(
            f"{target.folder} is not empty and not a chorewright dataset (it holds {path.name!r})",
            hint="choose a new folder",
        )
    ours = target.config.fingerprint().encode()
    for path in children(target.folder / manifest.DATA):
        metadata = None
        with suppress(pa.ArrowException, OSError):
            metadata = pq.read_schema(pa.BufferReader(contents(path))).metadata
        if metadata is not None and metadata.get(FINGERPRINT) == ours:
            continue
        raise StorageError(
            f"{target.folder} has no manifest, and {path.name!r} is not a shard of this configuration",
            hint="choose a new folder",
        )


def _difference(holds: GenerateConfig, asked: GenerateConfig) -> str:
    if (holds.benchmark, holds.derivation) != (asked.benchmark, asked.derivation):
        return f"{_say_maker(holds)} there, {_say_maker(asked)} asked"
    old, new = _settings(holds), _settings(asked)
    if asked.episodes > holds.episodes:  # which alone would do
        del new["episodes"], old["episodes"]
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    parts = [f"{name} {old.get(name)!r} there, {new.get(name)!r} asked" for name in names]
    return "; ".join([*parts, *["other task files"] * (holds.task_files != asked.task_files)])


def _settings(config: GenerateConfig) -> dict[str, object]:
    """What a person gives a dataset by options, as they are called."""
    effort = {flag: getattr(config.effort, name) for flag, name in EFFORTS.items()}
    own = {f"--{name.replace('_', '-')}": value for name, value in config.options}
    return {**effort, **own, "episodes": config.episodes, "seed": config.seed, "shard size": config.shard_size}


def _say_maker(config: GenerateConfig) -> str:
    """Say what made a dataset, for people."""
    if config.derivation is None:
        return f"`chorewright generate {config.benchmark}`"
    names = ", ".join(each.name for each in config.derivation.sources)
    return f"`{config.derivation}`" + f" of {names}" * bool(names)


def _check_name(folder: Place) -> None:
    name = str(folder)
    if "\0" in name or any(ord(character) < 32 for character in name):
        raise UsageError("a folder's name cannot hold control characters", hint=repr(name))
    if isinstance(folder, RemotePath):
        return
    if any(len(os.fsencode(part)) > 255 for part in folder.parts):
        raise UsageError(f"the folder's name is too long: {max(map(len, folder.parts))} characters")
    real = folder.resolve()
    if real == Path(real.anchor) or any(system in (real, *real.parents) for system in _SYSTEM_FOLDERS):
        raise UsageError(f"{name!r} is a folder of the operating system", hint="choose a folder of your own")


def children(folder: Place, pattern: str = "*") -> Sequence[Place]:
    """Return what a folder holds and has a name like the pattern, by name; of a link nothing."""
    if isinstance(folder, RemotePath):
        return sorted(folder.glob(pattern))
    return sorted(folder.glob(pattern)) if folder.is_dir() and not folder.is_symlink() else []


MOST_BYTES = 64_000_000
"""Of a manifest; one of 100 million episodes takes a third of it."""


def read_text(path: Place) -> str:
    """Return a file's text.

    Raises:
        DatasetCorrupt: it is not UTF-8, or larger than any manifest.
        StorageError: it cannot be read.
    """
    try:
        if not isinstance(path, RemotePath):
            return text.read_text(path, MOST_BYTES)
        if path.size() > MOST_BYTES:
            raise LimitError(f"the file is larger than {MOST_BYTES} bytes", location=Location(str(path)))
        return text.decode(path.read_bytes(), str(path))
    except LimitError as error:
        raise DatasetCorrupt(error.message, location=error.location) from error
    except InputError as error:
        raise DatasetCorrupt(error.message, location=error.location, hint=manifest.TORN) from error
    except UsageError as error:
        raise StorageError(error.message, location=error.location) from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error


# What the runs took that made a dataset, in ``report*.json``; no checksum covers it, as it differs from run to run.


@dataclass(frozen=True, slots=True)
class Measures:
    """What some runs took.

    Attributes:
        runs: How many they were; a run that was killed has left nothing.
        seconds: By the clock, one run after the other.
        lost_workers: How many workers died or were killed since they took too long.
        retries: How often an episode was tried again for that.
        stages: Seconds of all workers by stage.
    """

    runs: int = 0
    seconds: float = 0.0
    lost_workers: int = 0
    retries: int = 0
    stages: Mapping[str, float] = field(default_factory=dict)

    def plus(self, other: Measures) -> Measures:
        """Return what both took."""
        names = sorted({*self.stages, *other.stages})
        return Measures(
            self.runs + other.runs,
            self.seconds + other.seconds,
            self.lost_workers + other.lost_workers,
            self.retries + other.retries,
            {name: self.stages.get(name, 0.0) + other.stages.get(name, 0.0) for name in names},
        )

    def to_json(self) -> dict[str, object]:
        """Return the measures as JSON values; seconds are rounded to milliseconds."""
        return {
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
            "lost_workers": self.lost_workers,
            "retries": self.retries,
            "stages": {name: round(self.stages[name], 3) for name in sorted(self.stages)},
        }


def read_measures(folder: Place) -> Measures:
    """Return what all runs in a dataset's folder took; files that are damaged count for nothing."""
    return _sum(_read(path) for path in children(folder, REPORT))


def add_measures(target: DatasetFolder, slice_of: tuple[int, int] | None, measures: Measures) -> None:
    """Add what a run took to the file of its like.

    Raises:
        StorageError: The disk is full or not writable.
    """
    path = target.folder / ("report-{}-of-{}.json".format(*slice_of) if slice_of else "report.json")
    with storing(path):
        both = _read(path).plus(measures) if path.exists() else measures
        text = json.dumps(both.to_json(), indent=1) + "\n"
        write_whole(path, text.encode(), target.temporary(path))


def _sum(several: Iterable[Measures]) -> Measures:
    whole = Measures()
    for each in several:
        whole = whole.plus(each)
    return whole


def _read(path: Place) -> Measures:
    with suppress(StorageError, InputError):
        return decode_record(Measures, read_text(path))
    return Measures()
