"""What is left to do in a run: its assignments, the jobs of workers, and shards to merge when all parts are there."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

import pyarrow as pa

from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.plugins import plugin_code
from chorewright.files.processes import Timed, measure
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode, RejectedIndex
from chorewright.generator.dataset.store import parts
from chorewright.generator.dataset.store.dataset_folder import FINGERPRINT, DatasetFolder
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.shards import merge_shard
from chorewright.generator.production.attempts import DEFECT, Rejection, rejection_of
from chorewright.generator.production.benchmark import BENCHMARKS, AnyBenchmark

# The jobs of workers: some episodes of a shard made, or rejected with a reason, and written; a shard merged.


@dataclass(frozen=True, slots=True)
class IndexWord:
    """A worker's word on an index: it is begun, or if ``accepted`` is not None, done."""

    index: int
    accepted: bool | None = None


Tell: TypeAlias = Callable[[IndexWord], object]


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


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a job, None if a part of the shard to merge was lost; and the seconds of its stages."""

    what: parts.ShardPart | ShardEntry | None
    seconds: Mapping[str, float] = field(default_factory=dict)


def perform_in_worker(given: tuple[DatasetFolder, Job], tell: Tell) -> JobResult:
    """Do a job in a worker process, where each error says which job it ends.

    Raises:
        ChorewrightError: A file cannot be written, the benchmark cannot run here, or it fails.
    """
    target, job = given
    try:
        return perform(target, job, tell)
    except (ChorewrightError, BrokenPipeError, MemoryError):
        raise
    except Exception as error:
        raise ChorewrightError(f"{job} failed: {type(error).__name__}: {error}") from error


def perform(target: DatasetFolder, job: Job, tell: Tell = lambda word: None) -> JobResult:
    """Do a job; the function that every executor maps.

    Raises:
        ChorewrightError: A file cannot be written, or the benchmark cannot run here.
    """
    with measure() as stopwatch:
        what = _perform(target, job, tell)
    return JobResult(what, dict(stopwatch.seconds))


def _perform(target: DatasetFolder, job: Job, tell: Tell) -> parts.ShardPart | ShardEntry | None:
    if not job.assignments:
        with Timed("write"):
            return merge_shard(target, job.shard)
    benchmark = BENCHMARKS.find(target.config.benchmark, target.config.origin)
    there = {index: held for index in job.settled if (held := parts.read_part(target, range(index, index + 1)))}
    made: list[Episode | RejectedIndex] = []
    for assignment in job.assignments:
        if assignment.index not in there:
            tell(IndexWord(assignment.index))
            made.append(make_episode(benchmark, target.config, assignment))
            tell(IndexWord(assignment.index, isinstance(made[-1], Episode)))
    with Timed("write"):
        part = parts.write_part(target, job.indices, made, there)
    if len(job.indices) > 1:
        _remove(target, there)
    return part


def _remove(target: DatasetFolder, settled: Collection[int]) -> None:
    """Remove the files of single indices that are in a part now."""
    for index in settled:
        parts.part_path(target, range(index, index + 1)).unlink(missing_ok=True)


# Assignments as a run keeps them: made once, in ``.progress``, so that each slice reads only its own.
#
# Benchmarks decide all assignments in one pass, since each one depends on those before it. For a hundred thousand
# episodes that takes many seconds, which every slice and every resumed run would spend again.


_FILE = "assignments"
_AT_ONCE = 5000

_REPEATED = pa.dictionary(pa.int32(), pa.string())

_SCHEMA = pa.schema(
    [
        ("task", _REPEATED),
        ("parameters", _REPEATED),  # JSON
        ("scene", _REPEATED),
        ("split", _REPEATED),
        ("repeat", pa.int64()),
    ]
)


class Assignments:
    """The assignments of all indices, as a table: a tenth of what as many ``Assignment`` values would take."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __getitem__(self, index: int) -> Assignment:
        """Return one."""
        return self.of(range(index, index + 1))[0]

    def of(self, indices: range) -> tuple[Assignment, ...]:
        """Return those of a run of indices."""
        columns = [column.to_pylist() for column in self.table.slice(indices.start, len(indices)).columns]
        return tuple(
            Assignment(index, task, tuple(map(tuple, json.loads(parameters))), scene, split, repeat)
            for index, task, parameters, scene, split, repeat in zip(indices, *columns, strict=True)
        )


def assign(benchmark: AnyBenchmark, target: DatasetFolder) -> Assignments:
    """Return the assignments of all indices.

    Raises:
        UsageError: An option matches nothing; or the dataset cannot grow, since the indices that it has would
            demonstrate something else in a larger one.
    """
    config = target.config
    with plugin_code(f"the benchmark {config.benchmark!r}"):
        found = iter(benchmark.assignments(config, config.episodes))
        before = iter(benchmark.assignments(replace(config, episodes=target.held), target.held) if target.held else ())
        batches = []
        while some := list(islice(found, _AT_ONCE)):
            for old, new in zip(islice(before, len(some)), some, strict=False):
                if old != new:
                    raise _cannot_grow(target, old, new)
            batches.append(_batch(some))
    return Assignments(pa.Table.from_batches(batches, _SCHEMA))


def _cannot_grow(target: DatasetFolder, old: Assignment, new: Assignment) -> UsageError:
    return UsageError(
        f"{target.folder} cannot grow from {target.held} episodes to {target.config.episodes}: "
        f"episode {old.index} would be another one ({_difference(old, new)})",
        hint="choose another folder for the larger dataset",
    )


def _batch(some: Sequence[Assignment]) -> pa.RecordBatch:
    columns: dict[str, list[object]] = {name: [getattr(each, name) for each in some] for name in _SCHEMA.names}
    columns["parameters"] = list(map(json.dumps, columns["parameters"]))
    arrays = [pa.array(columns[field.name], field.type) for field in _SCHEMA]
    return pa.record_batch(arrays, schema=_SCHEMA)


def write_assignments(target: DatasetFolder, assignments: Assignments) -> None:
    """Keep the assignments of all indices while the run is unfinished.

    Raises:
        StorageError: The disk is full or not writable.
    """
    parts.write_stream(target, target.progress / _FILE, assignments.table, {FINGERPRINT: _stamp(target)})


def read_assignments(target: DatasetFolder) -> Assignments | None:
    """Return the kept assignments; None if none are kept for this configuration."""
    with suppress(OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        table = parts.read_stream(target.progress / _FILE)
        if table.schema.metadata[FINGERPRINT] == _stamp(target) and table.schema.types == _SCHEMA.types:
            return Assignments(table) if table.num_rows == target.config.episodes else None
    return None


def _stamp(target: DatasetFolder) -> bytes:
    return f"{target.config.fingerprint()} {target.config.episodes}".encode()


def _difference(old: Assignment, new: Assignment) -> str:
    for name in _SCHEMA.names:
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            return f"{name} {was!r} there, {now!r} in the larger one"
    return "another index"


Share: TypeAlias = Sequence[tuple[int, range]]
"""Parts of shards: each shard's number with a range of its indices."""


class Agenda:
    """The jobs of a run, and what has come of them.

    Args:
        target: Where they are written.
        share: What to make, in order.
        assignments: Those of all indices.
        ready: Shards all of whose parts are there.
        settled: Indices of the parts that have a file of their own, since they ended a worker in an earlier run.
    """

    def __init__(
        self,
        target: DatasetFolder,
        share: Share,
        assignments: Assignments,
        ready: Sequence[int],
        settled: Collection[int] = (),
    ) -> None:
        self.target = target
        self.made: list[parts.ShardPart] = []
        self.merged: list[ShardEntry] = []
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._assignments = assignments
        self._settled = sorted(settled)
        self._jobs = deque(map(Job, ready))
        self._parts = deque(share)
        self._left = Counter(shard for shard, _ in share)
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
        part = parts.write_part(self.target, range(index, index + 1), [rejected])
        if len(job.indices) == 1:
            self.done(job, JobResult(part))
        else:
            self.put_back(replace(job, settled=(*job.settled, index)))

    def done(self, job: Job, result: JobResult) -> None:
        """Note what came of a job; merging its shard may be the next one.

        The shard that replaces a shorter one is merged when all others are there.
        """
        answer = result.what
        for stage, spent in result.seconds.items():
            self.seconds[stage] += spent
        if job.alone:
            part = self._waiting.pop(job.indices[0])
            self.put_back(replace(part, settled=(*part.settled, *job.indices)))
        elif isinstance(answer, ShardEntry):
            self.merged.append(answer)
        elif isinstance(answer, parts.ShardPart):
            self.made.append(answer)
            self._left[job.shard] -= 1
            last = not self._left[job.shard] and job.shard != self.target.carried()
            if last and parts.parts_there(self.target, job.shard):
                self._jobs.appendleft(Job(job.shard))


def make_episode(benchmark: AnyBenchmark, config: GenerateConfig, assignment: Assignment) -> Episode | RejectedIndex:
    """Make one episode, or say why there is none.

    A defect of the benchmark, or what it cannot do, rejects its index: one in a hundred thousand does not end the run;
    see ``rejection_of`` for what does.
    """
    tries: tuple[str, ...] = ()
    try:
        with redirect_stdout(sys.stderr):  # what a user's benchmark prints shall not get into a verb's output
            episode = benchmark.episode(assignment.index, config, assignment)
        told = _find_mislabelled(episode, config, assignment)
        if episode.outcome.accepted and not told:
            return episode
        reason, task, scene = told or episode.outcome.reason, episode.task, assignment.scene
        tries = episode.rejections if len(episode.rejections) > 1 and not told else ()
    except Exception as error:
        why = rejection_of(error)
        reason, task, scene = why.text() if why.stage == DEFECT else why.reason, assignment.task, assignment.scene
    return RejectedIndex(assignment.index, task, scene, reason or "no reason given", tries)


def _find_mislabelled(episode: Episode, config: GenerateConfig, assignment: Assignment) -> str:
    """Return why an episode cannot be that of its index; nothing if it can. Readers would take it for damaged."""
    why = ""
    if episode.benchmark != config.benchmark:
        why = f"the episode's benchmark is {episode.benchmark!r}, not config.benchmark, {config.benchmark!r}"
    elif episode.index != assignment.index:
        why = f"the episode's index is {episode.index}, not {assignment.index}"
    return Rejection(DEFECT, why).text() if why else ""
