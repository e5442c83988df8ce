"""One shard: its episodes made, or rejected with a reason, and written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from chorewright.errors import ChorewrightError
from chorewright.generator.benchmark import Benchmark, find_benchmark
from chorewright.generator.config import Assignment, GenerateConfig
from chorewright.generator.episode import Episode
from chorewright.generator.store.dataset_folder import DatasetFolder
from chorewright.generator.store.manifest import RejectedIndex, ShardEntry
from chorewright.generator.store.shards import write_shard

DEFECT = "defect: "
"""How the reason of a rejection begins that the benchmark did not mean."""


def make_shard(
    target: DatasetFolder,
    shard: int,
    assignments: Sequence[Assignment],
    tell: Callable[[bool], None] = lambda accepted: None,
) -> ShardEntry:
    """Make and write one shard; the function that every executor maps."""
    benchmark = find_benchmark(target.config.benchmark)
    made: list[Episode | RejectedIndex] = []
    for assignment in assignments:
        made.append(make_episode(benchmark, target.config, assignment))
        tell(isinstance(made[-1], Episode))
    return write_shard(target, shard, made)


def make_episode(benchmark: Benchmark, config: GenerateConfig, assignment: Assignment) -> Episode | RejectedIndex:
    """Make one episode, or say why there is none.

    A defect of the benchmark rejects its index, so that one index in a hundred thousand does not end the run;
    what the next try could do better (memory, files, a missing extra) does end it.
    """
    try:
        episode = benchmark.episode(assignment.index, config, assignment)
        if episode.outcome.accepted:
            return episode
        reason, task, scene = episode.outcome.reason, episode.task, assignment.scene
    except (ChorewrightError, OSError, MemoryError, ImportError):
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            raise
        text = re.sub(r"0x[0-9a-fA-F]+", "0x", f"{type(error).__name__}: {error}")  # addresses differ
        reason, task, scene = f"{DEFECT}{text}", assignment.task, assignment.scene
    return RejectedIndex(assignment.index, task, scene, reason or "no reason given")
