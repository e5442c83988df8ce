"""The production line: shards made by a pool of processes, or by Ray, under a supervisor that survives
their death.

The unit of work is a shard, and a shard's content depends on nothing but the configuration. So a killed
worker costs its shard and a killed run costs its unfinished shards; the same command makes up for both.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from chorewright.errors import MissingExtra, UsageError
from chorewright.files.cores import usable_cores
from chorewright.files.plugins import plugin_code
from chorewright.generator.benchmark import find_benchmark
from chorewright.generator.config import Assignment, GenerateConfig
from chorewright.generator.options import settled
from chorewright.generator.production.shard import make_shard
from chorewright.generator.production.supervisor import PATIENCE, supervise
from chorewright.generator.store.dataset_folder import DatasetFolder, open_dataset_folder, plain
from chorewright.generator.store.manifest import Manifest, ShardEntry
from chorewright.generator.store.shards import clear_leftovers, finish, finished_shards, writing


class Watch(Protocol):
    """Who is told how a run goes on: the progress bar, or a test."""

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None:
        """The run has so many indices in all, of which finished shards hold so many."""
        ...

    def episode(self, accepted: bool) -> None:
        """One more index is done."""
        ...

    def lost(self, episodes: int, accepted: int) -> None:
        """So many indices, so many of them accepted, have to be done again."""
        ...

    def note(self, message: str) -> None:
        """Something happened that the user should know."""
        ...


class Silent:
    """A watch that tells nobody."""

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None: ...

    def episode(self, accepted: bool) -> None: ...

    def lost(self, episodes: int, accepted: int) -> None: ...

    def note(self, message: str) -> None: ...


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did: the shards it kept and made, and the manifest if the dataset is finished now."""

    kept: tuple[ShardEntry, ...]
    made: tuple[ShardEntry, ...]
    manifest: Manifest | None


def run(
    config: GenerateConfig,
    folder: Path,
    *,
    workers: int | None = None,
    slice_of: tuple[int, int] | None = None,
    executor: str = "local",
    watch: Watch | None = None,
    patience: float = PATIENCE,
) -> RunReport:
    """Make a dataset, or what is missing of it, in a folder.

    Args:
        config: what to make; equal configurations make equal bytes.
        folder: where; a new folder, or one that the same configuration was begun in.
        workers: the number of processes; the machine's cores by default, 0 for none but this one.
        slice_of: (i, N) with 1 <= i <= N to make only every N-th shard from the i-th on. Whoever finishes the
            last shard writes the manifest.
        executor: ``local`` or ``ray``.
        watch: who is told of the progress.
        patience: seconds that a local worker may take for one episode; one that takes longer is replaced, as one
            that dies is.

    Raises:
        ChorewrightError: bad options, a folder that cannot be used, a full disk.
        KeyboardInterrupt: the run was interrupted; workers are gone, finished shards are kept.
    """
    watch = watch or Silent()
    _check(workers, slice_of, executor)
    benchmark = find_benchmark(config.benchmark)
    config = settled(benchmark, config)
    folder = plain(folder)
    target = open_dataset_folder(folder, config)
    mine = range(config.shards) if slice_of is None else range(slice_of[0] - 1, config.shards, slice_of[1])
    kept = finished_shards(target, mine)
    if len(kept) == len(mine) and (folder / "manifest.json").exists() and not target.progress.exists():
        watch.begin(sum(len(config.shard_range(n)) for n in mine), *_count(kept))
        return RunReport(tuple(kept.values()), (), finish(target))
    with plugin_code(f"the benchmark {config.benchmark!r}"):
        assignments = benchmark.assign(config, config.episodes)
    with writing(target, slice_of) as note:
        if note:
            watch.note(note)
        clear_leftovers(target, mine)
        kept = finished_shards(target, mine)
        missing = [shard for shard in mine if shard not in kept]
        watch.begin(sum(len(config.shard_range(n)) for n in mine), *_count(kept))
        jobs = [(n, [assignments[i] for i in config.shard_range(n)]) for n in missing]
        try:
            made = _executor(executor, workers, patience)(target, jobs, watch)
        finally:
            clear_leftovers(target, mine)
        manifest = finish(target)
    return RunReport(tuple(kept.values()), tuple(made), manifest)


Jobs = Sequence[tuple[int, Sequence[Assignment]]]


def _executor(
    name: str, workers: int | None, patience: float
) -> Callable[[DatasetFolder, Jobs, Watch], list[ShardEntry]]:
    if name == "ray":
        return _with_ray
    if workers == 0:
        return _in_process
    count = workers or usable_cores()
    return lambda target, jobs, watch: supervise(target, jobs, watch, count, patience)


def _in_process(target: DatasetFolder, jobs: Jobs, watch: Watch) -> list[ShardEntry]:
    return [make_shard(target, shard, assignments, watch.episode) for shard, assignments in jobs]


def _with_ray(target: DatasetFolder, jobs: Jobs, watch: Watch) -> list[ShardEntry]:
    """Map the shards over a Ray cluster; the folder must be on storage that all its nodes share."""
    import ray

    ours = not ray.is_initialized()
    if ours:
        ray.init(log_to_driver=False)
    try:
        remote = ray.remote(make_shard)
        target = replace(target, folder=target.folder.resolve())
        waiting = [remote.remote(target, shard, list(assignments)) for shard, assignments in jobs]
        made: list[ShardEntry] = []
        while waiting:
            done, waiting = ray.wait(waiting)
            for entry in ray.get(done):
                made.append(entry)
                for index in range(entry.stop - entry.first):
                    watch.episode(index < entry.accepted)
        return sorted(made, key=lambda entry: entry.shard)
    finally:
        if ours:
            ray.shutdown()


def _check(workers: int | None, slice_of: tuple[int, int] | None, executor: str) -> None:
    if workers is not None and workers < 0:
        raise UsageError(f"the number of workers must not be negative, but is {workers}")
    if slice_of is not None and not 1 <= slice_of[0] <= slice_of[1]:
        raise UsageError(f"shard {slice_of[0]}/{slice_of[1]} is not one of N: 1/N to N/N")
    if executor not in ("local", "ray"):
        raise UsageError(f"there is no executor {executor!r}", hint="executors: local, ray")
    if executor == "ray":
        try:
            importlib.import_module("ray")
        except ImportError as error:
            raise MissingExtra(
                "the executor 'ray' needs the package ray", hint="pip install 'chorewright[ray]'"
            ) from error


def _count(entries: Mapping[int, ShardEntry]) -> tuple[int, int]:
    indices = sum(entry.stop - entry.first for entry in entries.values())
    return indices, sum(entry.accepted for entry in entries.values())
