"""Verification: a dataset against its manifest, and against its benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.dataset.config import library_of
from chorewright.generator.dataset.episode import Episode, RejectedIndex, starts
from chorewright.generator.dataset.options import refuse_code
from chorewright.generator.dataset.store.dataset import open_manifest
from chorewright.generator.dataset.store.dataset_folder import PROGRESS, children
from chorewright.generator.dataset.store.manifest import DATA, Manifest, ShardEntry
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.reading import ShardReader, read_shard
from chorewright.generator.dataset.store.records import from_table
from chorewright.generator.dataset.store.shards import file_problem
from chorewright.generator.production.agenda import make_episode
from chorewright.generator.production.benchmark import BENCHMARKS, AnyBenchmark


@dataclass(frozen=True, slots=True)
class DatasetProblem:
    """Something that is not as the manifest says: the file, what is wrong with it, and what to do."""

    file: str
    message: str
    hint: str = "run the same generate command again: it makes damaged shards anew"

    def __str__(self) -> str:
        return f"{self.file} {self.message}"


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """A dataset's problems, none if it is whole.

    Attributes:
        manifest: The dataset's manifest.
        problems: What is wrong.
        remade: The indices that were made again and compared.
        near: Those of them whose physics gave other floats, within the benchmark's bounds.
    """

    manifest: Manifest
    problems: tuple[DatasetProblem, ...]
    remade: tuple[int, ...] = ()
    near: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(
    folder: str | Place, remake: int = 0, watch: Callable[[int, int], object] = lambda done, total: None
) -> VerifyReport:
    """Check every file, row and count of a dataset, and make some of its episodes again to compare them.

    Args:
        folder: The dataset's.
        remake: How many episodes to make again.
        watch: Told now and then how many of how many episodes are checked, and then how many are made again.

    Raises:
        UsageError: the folder is not there, or ``remake`` is negative.
        MissingPlugin: episodes shall be made again, but the benchmark is not installed, or the manifest names code.
        DatasetCorrupt: there is no manifest, or it is damaged, so that there is nothing to check against.
        UnsupportedError: it was written by a newer chorewright.
    """
    if remake < 0:
        raise UsageError(f"the episodes to make again must not be negative, but are {remake}")
    folder = locate(folder)
    manifest = open_manifest(folder)
    if remake and (derivation := manifest.config.derivation):
        names = ", ".join(each.name for each in derivation.sources)
        how, hint = ("taken from", "make episodes again there: verify --remake") if names else ("imported", None)
        raise UsageError(f"{folder} was not generated but {how} {names}".rstrip(), hint=hint)
    problems = list(_stray_files(folder, manifest))
    for entry in manifest.shards:
        problem = file_problem(folder, entry)
        if problem is not None:
            problems.append(DatasetProblem(entry.file, problem))
            continue
        rows = _row_problems(folder, manifest, entry, watch)
        problems.extend(DatasetProblem(entry.file, message) for message in rows)
    count = min(remake, manifest.config.episodes)
    lost = {each.index for each in manifest.lost}  # they would hang or kill this process
    indices = tuple(index for i in range(count) if (index := i * manifest.config.episodes // count) not in lost)
    near: list[int] = []
    if indices and not problems:
        problems.extend(_remade_problems(folder, manifest, indices, near, watch))
    return VerifyReport(manifest, tuple(problems), indices, tuple(near))


def _stray_files(folder: Place, manifest: Manifest) -> Iterator[DatasetProblem]:
    known = {folder / entry.file for entry in manifest.shards}
    known |= {
        folder / DATA / f"{path.stem}.parquet" for path in children(folder / PROGRESS, "shard-*.json")
    }  # it grows
    for path in children(folder / DATA):
        if path not in known:
            yield DatasetProblem(
                f"{DATA}/{path.name}", "does not belong to the dataset", "move strange files away, or delete them"
            )


def _row_problems(
    folder: Place, manifest: Manifest, entry: ShardEntry, watch: Callable[[int, int], object]
) -> Iterator[str]:
    indices: list[int] = []
    problems: list[str] = []
    try:
        reader = ShardReader(folder, starts().facts(library_of(manifest.config)), manifest.config.benchmark)
        for episode in reader.episodes(entry):
            indices.append(episode.index)
            watch(episode.index, manifest.config.episodes)
            problems += _episode_problems(manifest, episode)
    except DatasetCorrupt as error:
        yield f"cannot be read: {error.message}"
        return
    if sorted(indices + [rejection.index for rejection in entry.rejected]) != list(range(entry.first, entry.stop)):
        yield f"does not account for each of the episodes {entry.first} to {entry.stop - 1} once"
    if indices != sorted(indices):
        yield "has its episodes out of order"
    yield from problems


def _episode_problems(manifest: Manifest, episode: Episode) -> Iterator[str]:
    if not episode.steps and episode.scene is None and not episode.extras:  # the look reads and checks what is deferred
        yield f"holds episode {episode.index}, which has no steps, and nowhere to begin"
    if not episode.outcome.accepted:
        yield f"holds the rejected episode {episode.index}"
    elif not all(holds for _, holds in episode.outcome.conditions):
        yield f"holds episode {episode.index} as accepted although a goal condition is not met"
    if episode.benchmark != manifest.config.benchmark:
        yield f"holds episode {episode.index} of the benchmark {episode.benchmark!r}"


def _remade_problems(
    folder: Place, manifest: Manifest, indices: tuple[int, ...], near: list[int], watch: Callable[[int, int], object]
) -> Iterator[DatasetProblem]:
    """Yield what is wrong with episodes that are made again; those of other floats within bounds go to ``near``."""
    config = manifest.config
    benchmark = BENCHMARKS.find(config.benchmark, config.origin)
    refuse_code(benchmark.options, config)
    wanted = set(indices)
    every = enumerate(benchmark.assignments(config, config.episodes))
    assignments = {index: replace(each, index=index) for index, each in every if index in wanted}
    for done, index in enumerate(indices):
        watch(done, len(indices))
        entry = manifest.shards[index // config.shard_size]
        stored_rows = from_table(read_shard(folder, entry), starts().facts(library_of(config)))
        rows: list[Episode | RejectedIndex] = [*stored_rows, *entry.rejected]
        stored = next(row for row in rows if row.index == index)
        made = make_episode(benchmark, config, assignments[index])
        said = _differs(benchmark, stored, made)
        if not said and made != stored:
            near.append(index)
        if said:
            yield DatasetProblem(
                entry.file,
                f"holds another episode {index} than is made now: {said}",
                "the code that made this dataset has changed, or a shard and the manifest were altered "
                "together; generate it anew into another folder",
            )


def _differs(benchmark: AnyBenchmark, stored: Episode | RejectedIndex, made: Episode | RejectedIndex) -> str:
    if stored == made:
        return ""
    if isinstance(stored, Episode) and isinstance(made, Episode):
        return benchmark.difference(stored, made)
    reason = made.reason if isinstance(made, RejectedIndex) else "accepted"
    return f"it is now {reason!r}"
