"""What is left to do in a run: parts to make, and shards to merge as soon as their last part is there."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from chorewright.generator.production.job import Job
from chorewright.generator.store.dataset_folder import DatasetFolder
from chorewright.generator.store.manifest import ShardEntry
from chorewright.generator.store.parts import Part, parts_there


class Agenda:
    """The jobs of a run, and what has come of them.

    Args:
        target: Where they are written.
        jobs: Parts to make, in order.
        ready: Shards all of whose parts are there.
    """

    def __init__(self, target: DatasetFolder, jobs: Sequence[Job], ready: Sequence[int]) -> None:
        self.target = target
        self.made: list[Part] = []
        self.merged: list[ShardEntry] = []
        self._waiting = deque([*map(Job, ready), *jobs])
        self._left = Counter(job.shard for job in jobs)

    def __len__(self) -> int:
        """The number of jobs that nobody has taken yet."""
        return len(self._waiting)

    def take(self) -> Job | None:
        """Return the next job; None if there is none now."""
        return self._waiting.popleft() if self._waiting else None

    def put_back(self, job: Job) -> None:
        """Let a job be done again, before all others."""
        self._waiting.appendleft(job)

    def done(self, job: Job, answer: Part | ShardEntry | None) -> None:
        """Note what came of a job; merging its shard may be the next one.

        The shard that replaces a shorter one is merged when all others are there.
        """
        if isinstance(answer, ShardEntry):
            self.merged.append(answer)
        elif isinstance(answer, Part):
            self.made.append(answer)
            self._left[job.shard] -= 1
            last = not self._left[job.shard] and job.shard != self.target.carried()
            if last and parts_there(self.target, job.shard):
                self._waiting.appendleft(Job(job.shard))
