"""What a run would cost: a few of its episodes are made in this process, and nothing is written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import settle
from chorewright.generator.dataset.store.dataset_folder import open_dataset_folder, plain
from chorewright.generator.dataset.store.parts import part_path
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.dataset.store.shards import bytes_of_each, find_finished_shards
from chorewright.generator.production.agenda import assign
from chorewright.generator.production.benchmark import BENCHMARKS, make_episode
from chorewright.generator.production.line import share

SAMPLED = 12
"""At most so many episodes are made."""

ENOUGH = 30.0
"""No further episode is begun after so many seconds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of a run, measured on a sample.

    Attributes:
        episodes: The indices that are this run's share.
        missing: Those of them that are not made yet.
        sampled: How many were made to measure.
        accepted: How many of these would have rows.
        seconds: Processor seconds for an index.
        size: Bytes of an accepted episode in a shard.
    """

    episodes: int
    missing: int
    sampled: int
    accepted: int
    seconds: float
    size: float

    @property
    def core_hours(self) -> float:
        """Processor time of what is missing, in hours of one core."""
        return self.missing * self.seconds / 3600

    @property
    def bytes(self) -> int:
        """Bytes of what is missing."""
        return round(self.missing * self.accepted / self.sampled * self.size) if self.sampled else 0


def estimate(config: GenerateConfig, folder: str | Place, slice_of: tuple[int, int] | None = None) -> Estimate:
    """Make a few episodes of a run and return what all that are missing would cost; write nothing.

    The first episode counts only where it is the only one: it also compiles and loads.

    Raises:
        ChorewrightError: Bad options, or a folder that cannot be used.
    """
    benchmark = BENCHMARKS.find(config.benchmark, config.origin)
    config = settle(benchmark, config)
    target = open_dataset_folder(plain(locate(folder)), config)
    mine, _ = share(target, slice_of)
    kept = find_finished_shards(target, sorted({shard for shard, _ in mine}), hashed=())
    missing = [
        index
        for shard, part in mine
        if shard not in kept and not part_path(target, part).exists() and not part.stop <= target.held
        for index in part
    ]
    every = sum(len(part) for _, part in mine)
    assignments = assign(benchmark, target)
    made: list[Episode] = []
    seconds: list[float] = []
    begun = time.monotonic()
    for index in _spread(missing, SAMPLED):
        before = time.process_time()
        one = make_episode(benchmark, config, assignments[index])
        seconds.append(time.process_time() - before)
        if isinstance(one, Episode):
            made.append(one)
        if time.monotonic() - begun > ENOUGH:
            break
    timed = seconds[1:] or seconds
    size = bytes_of_each(to_table(made)) if made else 0.0
    return Estimate(every, len(missing), len(seconds), len(made), sum(timed) / max(1, len(timed)), size)


def _spread(indices: Sequence[int], count: int) -> list[int]:
    """Return so many of some indices, evenly spread; all if there are no more."""
    count = min(count, len(indices))
    return [indices[number * len(indices) // count] for number in range(count)]
