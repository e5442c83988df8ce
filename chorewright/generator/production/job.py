"""The jobs of workers: some episodes of a shard made, or rejected with a reason, and written; a shard merged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.errors import ChorewrightError, LimitError, UnsupportedError
from chorewright.files.stopwatch import Timed
from chorewright.generator.attempts import DEFECT, defect
from chorewright.generator.benchmark import Benchmark, find_benchmark
from chorewright.generator.config import Assignment, GenerateConfig
from chorewright.generator.episode import Episode
from chorewright.generator.store.dataset_folder import DatasetFolder
from chorewright.generator.store.manifest import RejectedIndex, ShardEntry
from chorewright.generator.store.parts import Part, part_path, read_part, write_part
from chorewright.generator.store.shards import merge_shard

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


def make_episode(benchmark: Benchmark, config: GenerateConfig, assignment: Assignment) -> Episode | RejectedIndex:
    """Make one episode, or say why there is none.

    A defect of the benchmark, or what it cannot do, rejects its index: one in a hundred thousand does not end the run;
    what the next try could do better (memory, files, a missing extra) does end it.
    """
    tries: tuple[str, ...] = ()
    try:
        with redirect_stdout(sys.stderr):  # what a user's benchmark prints shall not get into a verb's output
            episode = benchmark.episode(assignment.index, config, assignment)
        told = _mislabelled(episode, config, assignment)
        if episode.outcome.accepted and not told:
            return episode
        reason, task, scene = told or episode.outcome.reason, episode.task, assignment.scene
        tries = episode.rejections if len(episode.rejections) > 1 and not told else ()
    except (UnsupportedError, LimitError) as error:  # of this episode's problem, not of the configuration
        reason, task, scene = error.message, assignment.task, assignment.scene
    except (ChorewrightError, OSError, MemoryError, ImportError):
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            raise
        reason, task, scene = defect(error), assignment.task, assignment.scene
    return RejectedIndex(assignment.index, task, scene, reason or "no reason given", tries)


def _mislabelled(episode: Episode, config: GenerateConfig, assignment: Assignment) -> str:
    """Return why an episode cannot be that of its index; nothing if it can. Readers would take it for damaged."""
    if episode.benchmark != config.benchmark:
        return f"{DEFECT}the episode's benchmark is {episode.benchmark!r}, not config.benchmark, {config.benchmark!r}"
    if episode.index != assignment.index:
        return f"{DEFECT}the episode's index is {episode.index}, not {assignment.index}"
    return ""
