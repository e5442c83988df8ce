"""The jobs of a run mapped over a Ray cluster, a few more at a time than it has cores."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from chorewright.errors import ChorewrightError
from chorewright.generator.production.agenda import Agenda
from chorewright.generator.production.job import Job, perform
from chorewright.generator.store.manifest import ShardEntry
from chorewright.generator.store.parts import Part

_FOR_EACH_CORE = 2
"""Jobs in flight for each core: so many wait at most while the others are done."""


class _Watch(Protocol):
    def episode(self, accepted: bool) -> None: ...


def map_with_ray(agenda: Agenda, watch: _Watch) -> None:
    """Do all jobs on a Ray cluster; the folder must be on storage that all its nodes share.

    Raises:
        ChorewrightError: A job cannot be done, or the cluster is gone.
    """
    import ray
    from ray.exceptions import RayError

    ours = not ray.is_initialized()
    try:
        if ours:
            ray.init(log_to_driver=False)
        remote = ray.remote(perform)
        target = replace(agenda.target, folder=agenda.target.folder.resolve())
        most = max(1, _FOR_EACH_CORE * int(ray.cluster_resources().get("CPU", 1)))
        flying: dict[object, Job] = {}
        while flying or len(agenda):
            while len(flying) < most and (job := agenda.take()) is not None:
                flying[remote.remote(target, job)] = job
            done, _ = ray.wait(list(flying))
            for one in done:
                job = flying.pop(one)
                _note(agenda, watch, job, ray.get(one))
    except ChorewrightError:
        raise
    except (RayError, ConnectionError) as error:
        said = str(error).strip().partition("\n")[0]
        raise ChorewrightError(
            f"the Ray cluster failed: {type(error).__name__}: {said}",
            hint="what was finished is kept: once the cluster is there, the same command continues",
        ) from error
    finally:
        if ours:
            ray.shutdown()


def _note(agenda: Agenda, watch: _Watch, job: Job, answer: Part | ShardEntry | None) -> None:
    agenda.done(job, answer)
    if isinstance(answer, Part):
        for number in range(len(answer.indices)):
            watch.episode(number < answer.accepted)
