"""What is left to do in a run: parts to make, and shards to merge as soon as their last part is there."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from chorewright.generator.dataset.episode import RejectedIndex
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.parts import Part, parts_there, write_part
from chorewright.generator.production.assignments import Assignments
from chorewright.generator.production.job import Job

Share: TypeAlias = Sequence[tuple[int, range]]
"""Parts of shards: each shard's number with a range of its indices."""


class Agenda:
    """The jobs of a run, and what has come of them.

    Args:
        target: Where they are written.
        parts: What to make, in order.
        assignments: Those of all indices.
        ready: Shards all of whose parts are there.
        settled: Indices of the parts that have a file of their own, since they ended a worker in an earlier run.
    """

    def __init__(
        self,
        target: DatasetFolder,
        parts: Share,
        assignments: Assignments,
        ready: Sequence[int],
        settled: Collection[int] = (),
    ) -> None:
        self.target = target
        self.made: list[Part] = []
        self.merged: list[ShardEntry] = []
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._assignments = assignments
        self._settled = sorted(settled)
        self._jobs = deque(map(Job, ready))
        self._parts = deque(parts)
        self._left = Counter(shard for shard, _ in parts)
        self._waiting: dict[int, Job] = {}  # parts, by the index that is tried by itself before

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
        settled = tuple(index for index in self._settled if index in indices) if len(indices) > 1 else ()
        return Job(shard, self._assignments.of(indices), settled)

    def put_back(self, job: Job) -> None:
        """Let a job be done again, before all others."""
        self._jobs.appendleft(job)

    def isolate(self, job: Job, index: int) -> None:
        """Let an index that ended a job's worker be tried by itself; the job waits for what comes of it."""
        if len(job.indices) == 1:
            self.put_back(job)
            return
        self._waiting[index] = job
        alone = next(each for each in job.assignments if each.index == index)
        self.put_back(Job(job.shard, (alone,), alone=True))

    def leave_out(self, job: Job, index: int, reason: str) -> None:
        """Note that an index of a job is rejected; the others are made.

        Raises:
            StorageError: The disk is full or not writable.
        """
        assignment = next(each for each in job.assignments if each.index == index)
        rejected = RejectedIndex(index, assignment.task, assignment.scene, reason)
        part = write_part(self.target, range(index, index + 1), [rejected])
        if len(job.indices) == 1:
            self.done(job, part)
        else:
            self.put_back(replace(job, settled=(*job.settled, index)))

    def done(
        self, job: Job, answer: Part | ShardEntry | None, seconds: Mapping[str, float] = MappingProxyType({})
    ) -> None:
        """Note what came of a job, and the seconds of its stages; merging its shard may be the next one.

        The shard that replaces a shorter one is merged when all others are there.
        """
        for stage, spent in seconds.items():
            self.seconds[stage] += spent
        if job.alone:
            part = self._waiting.pop(job.indices[0])
            self.put_back(replace(part, settled=(*part.settled, *job.indices)))
        elif isinstance(answer, ShardEntry):
            self.merged.append(answer)
        elif isinstance(answer, Part):
            self.made.append(answer)
            self._left[job.shard] -= 1
            last = not self._left[job.shard] and job.shard != self.target.carried()
            if last and parts_there(self.target, job.shard):
                self._jobs.appendleft(Job(job.shard))
