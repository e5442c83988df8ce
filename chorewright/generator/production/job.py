"""The jobs of workers: some episodes of a shard made, or rejected with a reason, and written; a shard merged."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.files.stopwatch import Timed
from chorewright.generator.dataset.config import Assignment
from chorewright.generator.dataset.episode import Episode, RejectedIndex
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.parts import Part, part_path, read_part, write_part
from chorewright.generator.dataset.store.shards import merge_shard
from chorewright.generator.production.benchmark import find_benchmark, make_episode

Tell: TypeAlias = Callable[[int, bool | None], None]
"""Hears that an index is begun (None), and later whether it was accepted."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is given: a part of a shard to make; or without assignments, a shard to merge.

    Attributes:
        shard: The shard.
        assignments: Those of the part's indices, one after the other.
        settled: Those of the indices that have a file of their own; they are not made again.
        alone: Whether this is no part but one index of one, tried by itself.
    """

    shard: int
    assignments: tuple[Assignment, ...] = ()
    settled: tuple[int, ...] = ()
    alone: bool = False

    @property
    def indices(self) -> range:
        """The part's indices."""
        return range(self.assignments[0].index, self.assignments[-1].index + 1) if self.assignments else range(0)

    def __str__(self) -> str:
        if not self.assignments:
            return f"shard {self.shard}"
        first, last = self.indices[0], self.indices[-1]
        return f"episode {first}" if first == last else f"episodes {first} to {last}"


def perform(target: DatasetFolder, job: Job, tell: Tell = lambda index, accepted: None) -> Part | ShardEntry | None:
    """Do a job; the function that every executor maps. None if a part of the shard to merge was lost.

    Raises:
        ChorewrightError: A file cannot be written, or the benchmark cannot run here.
    """
    if not job.assignments:
        with Timed("write"):
            return merge_shard(target, job.shard)
    benchmark = find_benchmark(target.config.benchmark, target.config.origin)
    there = {index: held for index in job.settled if (held := read_part(target, range(index, index + 1)))}
    made: list[Episode | RejectedIndex] = []
    for assignment in job.assignments:
        if assignment.index not in there:
            tell(assignment.index, None)
            made.append(make_episode(benchmark, target.config, assignment))
            tell(assignment.index, isinstance(made[-1], Episode))
    with Timed("write"):
        part = write_part(target, job.indices, made, there)
    if len(job.indices) > 1:
        _remove(target, there)
    return part


def _remove(target: DatasetFolder, settled: Collection[int]) -> None:
    """Remove the files of single indices that are in a part now."""
    for index in settled:
        part_path(target, range(index, index + 1)).unlink(missing_ok=True)
