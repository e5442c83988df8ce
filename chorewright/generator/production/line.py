"""The production line: shards made by a pool of processes, or by Ray, under a supervisor that survives
their death.

The unit of work is a part of a shard, and its content depends on nothing but the configuration. So a killed
worker or run costs its unfinished parts; the same command makes up for both. Whoever finishes the last part of a
shard merges them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol, TypeAlias

from chorewright.errors import ChorewrightError, StorageError, UsageError
from chorewright.files.plugins import require_extra
from chorewright.files.pool import Done, Failed, Lost, Worker, end, ready, work_off
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import RejectedIndex
from chorewright.generator.dataset.options import settle
from chorewright.generator.dataset.store import dataset_folder
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder, Measures
from chorewright.generator.dataset.store.manifest import Manifest, ShardEntry, Tally, sum_up
from chorewright.generator.dataset.store.parts import ShardPart, find_settled_indices, parts_there, read_part
from chorewright.generator.dataset.store.places import Place, locate
from chorewright.generator.dataset.store.shards import carry, clear_leftovers, find_finished_shards, finish, writing
from chorewright.generator.production import agenda
from chorewright.generator.production.agenda import Agenda, IndexWord, Job, JobResult, Share
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.losses import PATIENCE, IndexWatch, Loss, Losses, forget_lost


def supervise(jobs: Agenda, losses: Losses, watch: Watch, workers: int, patience: float) -> None:
    """Do all jobs with so many processes.

    Args:
        jobs: All of them.
        losses: Decides what is done when a worker is lost.
        watch: Who is told of the progress.
        workers: The number of processes.
        patience: Seconds that a worker may take for one episode. One that takes longer is killed.

    Raises:
        ChorewrightError: a job cannot be done, or lost its worker too often.
    """

    def take() -> tuple[DatasetFolder, Job] | None:
        job = jobs.take()
        return None if job is None else (jobs.target, job)

    with closing(work_off(agenda.perform_in_worker, take, workers, patience)) as news:
        for (_, job), each in news:
            if isinstance(each, Failed):
                raise each.error
            if isinstance(each, Lost):
                losses.hear(job, Loss.of(each))
            elif isinstance(each, Done):
                jobs.done(job, each.answer)
            elif each.what.accepted is not None:
                watch.episode(each.what.accepted)


class Watch(IndexWatch, Protocol):
    """Who is told how a run goes on: the progress bar, or a test."""

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None:
        """The run has so many indices in all, of which so many are done."""


REJECT, STOP = "reject", "stop"
"""What is done about an index that lost its worker three times."""


class Silent:
    """A watch that tells nobody."""

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None: ...

    def episode(self, accepted: bool) -> None: ...

    def lost(self, episodes: int, accepted: int) -> None: ...

    def note(self, message: str) -> None: ...


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        kept: The shards that were finished before.
        made: The shards that this run finished.
        manifest: The manifest if the dataset is finished now.
        parts: What came of the indices that were this run's share, whether kept or made.
        measures: What this run took.
    """

    kept: tuple[ShardEntry, ...]
    made: tuple[ShardEntry, ...]
    manifest: Manifest | None
    parts: tuple[ShardPart, ...]
    measures: Measures = field(default_factory=Measures)

    @property
    def attempted(self) -> int:
        """The number of indices that were this run's share."""
        return sum(len(part.indices) for part in self.parts)

    @property
    def accepted(self) -> int:
        """How many of them have rows."""
        return sum(part.accepted for part in self.parts)

    @property
    def rejected(self) -> tuple[RejectedIndex, ...]:
        """Those of them that have none."""
        return tuple(each for part in self.parts for each in part.rejected)

    @property
    def tally(self) -> Tally:
        """The attempts of the shards that are finished."""
        return sum_up(entry.tally for entry in (*self.kept, *self.made))


def run(
    config: GenerateConfig,
    folder: str | Place,
    *,
    workers: int | None = None,
    slice_of: tuple[int, int] | None = None,
    executor: str = "local",
    watch: Watch | None = None,
    patience: float = PATIENCE,
    on_lost: str = REJECT,
    retry_lost: bool = False,
) -> RunReport:
    """Make a dataset, or what is missing of it, in a folder.

    Args:
        config: what to make; equal configurations make equal bytes.
        folder: where; a new folder (or the URL of one), or one that the same configuration was begun in, perhaps with
            fewer episodes.
        workers: the number of processes; the machine's cores by default, 0 for none but this one, which an episode
            can hang or end.
        slice_of: (i, N) with 1 <= i <= N to make only every N-th part from the i-th on. Whoever finishes the
            last one writes the manifest.
        executor: ``local`` or ``ray``.
        watch: who is told of the progress.
        patience: seconds that a worker may take for one episode; one that takes longer is replaced, as one that
            dies is.
        on_lost: what is done about an index that lost its worker three times: ``reject`` leaves it out, ``stop`` ends
            the run.
        retry_lost: whether to make indices again that were left out for that by an earlier run.

    Raises:
        ChorewrightError: bad options, a folder that cannot be used, a full disk.
        KeyboardInterrupt: the run was interrupted; workers are gone, finished parts are kept.
    """
    watch = watch or Silent()
    _check(workers, slice_of, executor)
    _check_losses(on_lost, retry_lost, slice_of)
    benchmark = BENCHMARKS.find(config.benchmark, config.origin)
    config = settle(benchmark, config)
    target = dataset_folder.open_dataset_folder(dataset_folder.plain(locate(folder)), config)
    mine, hashed = share(target, slice_of)
    shards = sorted({shard for shard, _ in mine})
    kept = find_finished_shards(target, shards, hashed)
    again = retry_lost and any(each.lost for entry in kept.values() for each in entry.rejected)
    whole = len(kept) == len(shards) and dataset_folder.read_config(target) == config
    if whole and not again and not target.progress.exists():
        parts = tuple(_finish(kept, shard, indices) for shard, indices in mine)
        watch.begin(sum(len(indices) for _, indices in mine), *_count(parts))
        return RunReport(tuple(kept.values()), (), finish(target), parts)
    known = agenda.read_assignments(target)
    assignments = agenda.assign(benchmark, target) if known is None else known
    with writing(target, slice_of) as note:
        if note:
            watch.note(note)
        clear_leftovers(target, alone=slice_of is None)
        if known is None:
            agenda.write_assignments(target, assignments)
        carry(target)
        if retry_lost:
            forget_lost(target)
        kept = find_finished_shards(target, shards, hashed)
        there, missing = _look(target, mine, kept)
        alone = _alone(target, missing)
        watch.begin(sum(len(indices) for _, indices in mine), *_count([*there, *alone]))
        waiting = {shard for shard, _ in missing}
        ready = [n for n in shards if n not in kept and n not in waiting and n != target.carried()]
        ready = [shard for shard in ready if parts_there(target, shard)]
        jobs = Agenda(target, missing, assignments, ready, [part.indices[0] for part in alone])
        losses = Losses(jobs, watch, stop=on_lost == STOP)
        begin = monotonic()
        try:
            _executor(executor, workers, patience)(jobs, losses, watch)
        finally:
            clear_leftovers(target, alone=slice_of is None)
            spent = Measures(1, monotonic() - begin, losses.workers, losses.retries, jobs.seconds)
            _keep(target, slice_of, spent, watch)
        manifest = finish(target)
    made = tuple(sorted(jobs.merged, key=lambda entry: entry.shard))
    if manifest is not None and target.carried() is not None and target.carried() not in kept:
        made += (manifest.shards[target.carried() or 0],)
    parts = tuple(sorted((*there, *jobs.made), key=lambda part: part.indices.start))
    return RunReport(tuple(kept.values()), tuple(dict.fromkeys(made)), manifest, parts, spent)


def _keep(target: DatasetFolder, slice_of: tuple[int, int] | None, spent: Measures, watch: Watch) -> None:
    """Write down what the run took; the dataset does not depend on it."""
    try:
        dataset_folder.add_measures(target, slice_of, spent)
    except StorageError as error:
        watch.note(f"what the run took is not kept: {error.message}")


def share(target: DatasetFolder, slice_of: tuple[int, int] | None) -> tuple[Share, Collection[int] | None]:
    """Return the parts that a run, or the i-th of N slices, makes; and the shards it checks, None for all."""
    shards = range(target.config.shards)
    every = [(shard, indices) for shard in shards for indices in target.parts(shard)]
    if slice_of is None:
        return every, None
    own, count = slice_of
    return every[own - 1 :: count], shards[own - 1 :: count]


def _look(target: DatasetFolder, mine: Share, kept: Mapping[int, ShardEntry]) -> tuple[list[ShardPart], Share]:
    """Return which parts are there already, and which are not."""
    there, missing = [], []
    for shard, indices in mine:
        found = read_part(target, indices)
        if shard in kept:
            there.append(_finish(kept, shard, indices))
        elif found is not None:
            there.append(found[0])
        else:
            missing.append((shard, indices))
    return there, missing


def _alone(target: DatasetFolder, missing: Share) -> list[ShardPart]:
    """Return the single indices of parts that are not there that an earlier run tried by themselves."""
    wanted = {index for _, indices in missing if len(indices) > 1 for index in indices}
    alone = [index for index in find_settled_indices(target) if index in wanted]
    return [found[0] for index in alone if (found := read_part(target, range(index, index + 1)))]


def _finish(kept: Mapping[int, ShardEntry], shard: int, indices: range) -> ShardPart:
    return ShardPart(indices, tuple(each for each in kept[shard].rejected if each.index in indices))


def _executor(name: str, workers: int | None, patience: float) -> Callable[[Agenda, Losses, Watch], None]:
    if name == "ray":
        return lambda jobs, losses, watch: map_with_ray(jobs, losses, watch, patience)
    if workers == 0:
        return _in_process
    count = workers or usable_cores()
    return lambda jobs, losses, watch: supervise(jobs, losses, watch, count, patience)


def _in_process(jobs: Agenda, losses: Losses, watch: Watch) -> None:
    def tell(word: IndexWord) -> None:
        if word.accepted is not None:
            watch.episode(word.accepted)

    while (job := jobs.take()) is not None:
        jobs.done(job, agenda.perform(jobs.target, job, tell))


def _check(workers: int | None, slice_of: tuple[int, int] | None, executor: str) -> None:
    if workers is not None and workers < 0:
        raise UsageError(f"the number of workers must not be negative, but is {workers}")
    if slice_of is not None and not 1 <= slice_of[0] <= slice_of[1]:
        raise UsageError(f"shard {slice_of[0]}/{slice_of[1]} is not one of N: 1/N to N/N")
    if executor not in ("local", "ray"):
        raise UsageError(f"there is no executor {executor!r}", hint="executors: local, ray")
    if executor == "ray":
        with require_extra("the executor 'ray' needs the package ray", "ray"):
            importlib.import_module("ray")


def _check_losses(on_lost: str, retry_lost: bool, slice_of: tuple[int, int] | None) -> None:
    if on_lost not in (REJECT, STOP):
        raise UsageError(f"lost episodes cannot be treated by {on_lost!r}", hint=f"choices: {REJECT}, {STOP}")
    if retry_lost and slice_of is not None:
        hint = "make all slices, then run it once without --shard"
        raise UsageError("lost episodes of one slice cannot be tried again by themselves", hint=hint)


def _count(parts: Iterable[ShardPart]) -> tuple[int, int]:
    every = tuple(parts)
    return sum(len(part.indices) for part in every), sum(part.accepted for part in every)


# The jobs of a run mapped over a Ray cluster, a few more at a time than it has cores.
#
# Each of Ray's workers keeps a process of ours that does the jobs, so that one that dies or hangs is seen, replaced
# and reported just as on one machine.


_FOR_EACH_CORE = 2
"""Jobs in flight for each core: so many wait at most while the others are done."""

_Worker: TypeAlias = Worker[tuple[DatasetFolder, Job], JobResult]
_IDLE: list[_Worker] = []
"""In a worker of Ray's: the process that waits for its next job. It ends with the worker."""


def map_with_ray(jobs: Agenda, losses: Losses, watch: IndexWatch, patience: float) -> None:
    """Do all jobs on a Ray cluster; the folder must be on storage that all its nodes share.

    Args:
        jobs: All of them.
        losses: Decides what is done when a process of ours is lost.
        watch: Who is told of the progress.
        patience: Seconds for one episode.

    Raises:
        ChorewrightError: A job cannot be done, or the cluster is gone.
    """
    import ray
    from ray.exceptions import RayError

    ours = not ray.is_initialized()
    try:
        if ours:
            ray.init(log_to_driver=False)
        remote = ray.remote(watched)
        target = replace(jobs.target, folder=jobs.target.folder.resolve())
        most = max(1, _FOR_EACH_CORE * int(ray.cluster_resources().get("CPU", 1)))
        flying: dict[object, Job] = {}
        while flying or len(jobs):
            while len(flying) < most and (job := jobs.take()) is not None:
                flying[remote.remote(target, job, patience)] = job
            done, _ = ray.wait(list(flying))
            for one in done:
                _note(jobs, losses, watch, flying.pop(one), ray.get(one))
    except ChorewrightError:
        raise
    except (RayError, ConnectionError) as error:
        said = str(error).strip().partition("\n")[0]
        raise ChorewrightError(
            f"the Ray cluster failed: {type(error).__name__}: {said}",
            hint="what was finished is kept: once the cluster is there, the same command continues",
        ) from error
    finally:
        end(_IDLE)
        _IDLE.clear()
        if ours:
            ray.shutdown()


def watched(target: DatasetFolder, job: Job, patience: float) -> Done[JobResult] | Failed | Lost:
    """Do a job in a process of its own, and return what came of it; the function that Ray maps."""
    worker: _Worker = _IDLE.pop() if _IDLE else Worker(agenda.perform_in_worker)
    worker.give((target, job))
    try:
        while True:
            news = worker.hear() if ready([worker], patience) else None
            if isinstance(news, Done | Failed):
                _IDLE.append(worker)
                return news
            if isinstance(news, Lost):
                return news
    except BaseException:
        end([worker])
        raise


def _note(jobs: Agenda, losses: Losses, watch: IndexWatch, job: Job, news: Done[JobResult] | Failed | Lost) -> None:
    if isinstance(news, Failed):
        raise news.error
    if isinstance(news, Lost):
        losses.hear(job, replace(Loss.of(news), done=0, accepted=0))  # nobody was told of them
        return
    jobs.done(job, news.answer)
    part = news.answer.what
    if isinstance(part, ShardPart):
        rejected = {each.index for each in part.rejected}
        for index in set(job.indices) - set(job.settled):
            watch.episode(index not in rejected)
