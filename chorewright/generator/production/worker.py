"""A worker: a process that does one job after the other, what the one that waits knows of it, and those of a cluster.

Workers are started afresh (``spawn``), ignore Ctrl-C (who waits for them ends them), and end themselves when that
process is gone. They answer through their own pipe, so that a death in mid-sentence disturbs nobody else.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.processes import begin_as_worker, fresh_processes
from chorewright.files.stopwatch import measure
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.parts import ShardPart
from chorewright.generator.production.agenda import Agenda, Job, perform
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.losses import IndexWatch, Loss, Losses

_GRACE = 2.0


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """A worker's answer: it has its job."""


@dataclass(frozen=True, slots=True)
class Told:
    """A worker's answer: an index is begun; or if ``accepted`` is not None, done."""

    index: int
    accepted: bool | None


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker's answer: its job cannot be done."""

    error: ChorewrightError


@dataclass(frozen=True, slots=True)
class JobResult:
    """A worker's answer: what came of its job, and the seconds of its stages."""

    what: ShardPart | ShardEntry | None
    seconds: Mapping[str, float]


class Worker:
    """A worker process that is at a job.

    Attributes:
        job: The job.
        index: The index that it makes; None while it starts, writes or merges.
    """

    def __init__(self, target: DatasetFolder, job: Job) -> None:
        """Start the process and give it its job."""
        context = fresh_processes()
        self.pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that the worker's death closes the pipe
        self._hung = False
        self.give(target, job)

    def give(self, target: DatasetFolder, job: Job) -> None:
        """Give it another job."""
        self.job = job
        self._done: list[bool] = []
        self.index: int | None = None
        self._since: float | None = None  # when it was last heard of; None while it starts
        self._send((target, job))

    def hear(self) -> Told | Failed | JobResult | Loss | None:
        """Return its next answer, and wait for it; None if it tells nothing. Its death is a loss."""
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            return self._bury()
        self._since = time.monotonic()
        if isinstance(answer, WorkerReady):
            return None
        if isinstance(answer, Told):
            self.index = answer.index if answer.accepted is None else None
            if answer.accepted is not None:
                self._done.append(answer.accepted)
        assert isinstance(answer, Told | Failed | JobResult)
        return answer

    def left(self, patience: float) -> float | None:
        """Return how many seconds it may still take for what it is at; None if that does not matter."""
        if self._since is None or self._hung:
            return None
        return self._since + patience - time.monotonic()

    def kill(self) -> None:
        """Kill it since it takes too long; its pipe closes, which is how its death is heard of."""
        self._hung = True
        self._process.kill()

    def dismiss(self) -> None:
        """Let it end: there are no more jobs."""
        self._send(None)
        self._process.join(_GRACE)
        end([self])

    def _send(self, message: tuple[DatasetFolder, Job] | None) -> None:
        with suppress(OSError):  # it died: the pipe's end tells, when it is read
            self.pipe.send(message)

    def _bury(self) -> Loss:
        self._process.join()
        self.pipe.close()
        how = "took longer than --episode-timeout" if self._hung else _ending(self._process.exitcode or 0)
        return Loss(self.index, len(self._done), sum(self._done), how, self._hung)

    def terminate(self) -> None:
        """Ask it to end now."""
        self._process.terminate()

    def close(self) -> None:
        """Wait two seconds for its end, then kill it."""
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


def kill_hung(crew: Sequence[Worker], patience: float) -> float | None:
    """Kill the workers that take too long for an episode; return how long the others may, None if none has begun."""
    left = None
    for worker in crew:
        rest = worker.left(patience)
        if rest is not None and rest <= 0:
            worker.kill()
        elif rest is not None:
            left = rest if left is None else min(left, rest)
    return left


def ready(crew: Sequence[Worker], patience: float) -> list[Worker]:
    """Return the workers that can be heard, and wait until there is one; those that take too long are killed."""
    pipes = wait([worker.pipe for worker in crew], kill_hung(crew, patience))
    return [worker for worker in crew if worker.pipe in pipes]


def end(crew: Sequence[Worker]) -> None:
    """End workers for good: ask, wait two seconds, then kill."""
    for worker in crew:
        worker.terminate()
    for worker in crew:
        worker.close()


def _ending(code: int) -> str:
    if code == ExitCode.OUT_OF_MEMORY:
        return "ran out of memory"
    return f"was ended by signal {-code} ({_signal_name(-code)})" if code < 0 else f"ended with code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _work(pipe: Connection) -> None:
    """A worker's life: a job, its answer, the next job, until there is none."""
    begin_as_worker()
    try:
        while (given := pipe.recv()) is not None:
            target, job = given
            pipe.send(_answer(target, job, pipe))
    except (EOFError, OSError):
        os._exit(1)  # who waits is gone
    except MemoryError:
        os._exit(ExitCode.OUT_OF_MEMORY)  # as if the system had ended it: what else it holds is not to be relied on


def _answer(target: DatasetFolder, job: Job, pipe: Connection) -> JobResult | Failed:
    try:
        BENCHMARKS.find(target.config.benchmark, target.config.origin)  # its import is no episode's fault
        pipe.send(WorkerReady())
        with measure() as stopwatch:
            what = perform(target, job, lambda index, accepted: pipe.send(Told(index, accepted)))
        return JobResult(what, stopwatch.seconds)
    except ChorewrightError as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            traceback.print_exc()
        return Failed(error)
    except (BrokenPipeError, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            traceback.print_exc()
        return Failed(ChorewrightError(f"{job} failed: {type(error).__name__}: {error}"))


# The jobs of a run mapped over a Ray cluster, a few more at a time than it has cores.
#
# Each of Ray's workers keeps a process of ours that does the jobs, so that one that dies or hangs is seen, replaced and
# reported just as on one machine.


_FOR_EACH_CORE = 2
"""Jobs in flight for each core: so many wait at most while the others are done."""

_IDLE: list[Worker] = []
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


def watched(target: DatasetFolder, job: Job, patience: float) -> JobResult | Failed | Loss:
    """Do a job in a process of its own, and return what came of it; the function that Ray maps."""
    worker = _IDLE.pop() if _IDLE else None
    if worker is None:
        worker = Worker(target, job)
    else:
        worker.give(target, job)
    try:
        while True:
            answer = worker.hear() if ready([worker], patience) else None
            if isinstance(answer, JobResult | Failed):
                _IDLE.append(worker)
                return answer
            if isinstance(answer, Loss):
                return replace(answer, done=0, accepted=0)  # nobody was told of them
    except BaseException:
        end([worker])
        raise


def _note(agenda: Agenda, losses: Losses, watch: IndexWatch, job: Job, answer: JobResult | Failed | Loss) -> None:
    if isinstance(answer, Failed):
        raise answer.error
    if isinstance(answer, Loss):
        losses.hear(job, answer)
        return
    agenda.done(job, answer.what, answer.seconds)
    if isinstance(answer.what, ShardPart):
        rejected = {each.index for each in answer.what.rejected}
        for index in set(job.indices) - set(job.settled):
            watch.episode(index not in rejected)
