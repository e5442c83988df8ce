"""What is left to do in a run: parts to make, and shards to merge as soon as their last part is there."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import TypeAlias

from chorewright.generator.production.assignments import Assignments
from chorewright.generator.production.job import Job
from chorewright.generator.store.dataset_folder import DatasetFolder
from chorewright.generator.store.manifest import ShardEntry
from chorewright.generator.store.parts import Part, parts_there

Share: TypeAlias = Sequence[tuple[int, range]]
"""Parts of shards: each shard's number with a range of its indices."""


class Agenda:
    """The jobs of a run, and what has come of them.

    Args:
        target: Where they are written.
        parts: What to make, in order.
        assignments: Those of all indices.
        ready: Shards all of whose parts are there.
    """

    def __init__(self, target: DatasetFolder, parts: Share, assignments: Assignments, ready: Sequence[int]) -> None:
        self.target = target
        self.made: list[Part] = []
        self.merged: list[ShardEntry] = []
        self._assignments = assignments
        self._jobs = deque(map(Job, ready))
        self._parts = deque(parts)
        self._left = Counter(shard for shard, _ in parts)

    def __len__(self) -> int:
        """The number of jobs that nobody has taken yet."""
        return len(self._jobs) + len(self._parts)

    def take(self) -> Job | None:
        """Return the next job; None if there is none now."""
        if self._jobs:
            return self._jobs.popleft()
        if not self._parts:
            return None
        shard, indices = self._parts.popleft()
        return Job(shard, self._assignments.of(indices))

    def put_back(self, job: Job) -> None:
        """Let a job be done again, before all others."""
        self._jobs.appendleft(job)

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
                self._jobs.appendleft(Job(job.shard))
