"""The jobs of a run mapped over a Ray cluster, a few more at a time than it has cores.

Each of Ray's workers keeps a process of ours that does the jobs, so that one that dies or hangs is seen, replaced and
reported just as on one machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from chorewright.errors import ChorewrightError
from chorewright.files.pool import Done, Failed, Lost, Worker, end, ready
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.dataset.store.parts import ShardPart
from chorewright.generator.production.agenda import Agenda, Job, JobResult, perform_in_worker
from chorewright.generator.production.losses import IndexWatch, Loss, Losses

_FOR_EACH_CORE = 2
"""Jobs in flight for each core: so many wait at most while the others are done."""

_Worker: TypeAlias = Worker[tuple[DatasetFolder, Job], JobResult]
_IDLE: list[_Worker] = []
"""In a worker of Ray's: the process that waits for its next job. It ends with the worker."""


def map_with_ray(agenda: Agenda, losses: Losses, watch: IndexWatch, patience: float) -> None:
    """Do all jobs on a Ray cluster; the folder must be on storage that all its nodes share.

    Args:
        agenda: The jobs.
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
        target = replace(agenda.target, folder=agenda.target.folder.resolve())
        most = max(1, _FOR_EACH_CORE * int(ray.cluster_resources().get("CPU", 1)))
        flying: dict[object, Job] = {}
        while flying or len(agenda):
            while len(flying) < most and (job := agenda.take()) is not None:
                flying[remote.remote(target, job, patience)] = job
            done, _ = ray.wait(list(flying))
            for one in done:
                _note(agenda, losses, watch, flying.pop(one), ray.get(one))
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
    worker: _Worker = _IDLE.pop() if _IDLE else Worker(perform_in_worker)
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


def _note(agenda: Agenda, losses: Losses, watch: IndexWatch, job: Job, news: Done[JobResult] | Failed | Lost) -> None:
    if isinstance(news, Failed):
        raise news.error
    if isinstance(news, Lost):
        losses.hear(job, replace(Loss.of(news), done=0, accepted=0))  # nobody was told of them
        return
    agenda.done(job, news.answer)
    part = news.answer.what
    if isinstance(part, ShardPart):
        rejected = {each.index for each in part.rejected}
        for index in set(job.indices) - set(job.settled):
            watch.episode(index not in rejected)
