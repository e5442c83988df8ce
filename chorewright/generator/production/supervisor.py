"""The supervisor: worker processes that each do one job after the other, replaced when they die.

Workers are started afresh (``spawn``), ignore Ctrl-C (the supervisor ends them), and end themselves when the
supervisor is gone. They answer through their own pipe, so that a death in mid-sentence disturbs nobody else.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol

from chorewright.errors import ChorewrightError
from chorewright.files.processes import begin_as_worker, fresh_processes
from chorewright.generator.production.agenda import Agenda
from chorewright.generator.production.job import Job, perform
from chorewright.generator.store.dataset_folder import DatasetFolder
from chorewright.generator.store.manifest import ShardEntry
from chorewright.generator.store.parts import Part

DEATHS_ALLOWED = 3
"""How often a job may lose its worker before the run gives up on it."""

PATIENCE = 3600.0
"""Seconds that a worker may take for one episode, if the user does not say otherwise."""

_GRACE = 2.0


class _Watch(Protocol):
    def episode(self, accepted: bool) -> None: ...

    def lost(self, episodes: int, accepted: int) -> None: ...

    def note(self, message: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Done:
    """A worker's answer: one more index is done."""

    accepted: bool


@dataclass(frozen=True, slots=True)
class Begun:
    """A worker's answer: it has its job, and makes the first episode."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker's answer: its job cannot be done."""

    error: ChorewrightError


@dataclass(frozen=True, slots=True)
class Made:
    """A worker's answer: what came of its job."""

    what: Part | ShardEntry | None


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    job: Job
    done: list[bool] = field(default_factory=list)
    since: float | None = None  # when it began its episode; None while it starts
    hung: bool = False


def supervise(agenda: Agenda, watch: _Watch, workers: int, patience: float = PATIENCE) -> None:
    """Do all jobs with so many processes.

    Args:
        agenda: The jobs.
        watch: Who is told of the progress.
        workers: The number of processes.
        patience: Seconds that a worker may take for one episode. One that takes longer is killed.

    Raises:
        ChorewrightError: a job cannot be done, or lost its worker too often.
    """
    deaths: dict[Job, int] = {}
    crew: list[_Worker] = []
    try:
        while len(crew) < workers and (job := agenda.take()) is not None:
            crew.append(_start(agenda.target, job))
        while crew:
            ready = wait([worker.pipe for worker in crew], _kill_hung(crew, patience))
            for worker in [worker for worker in crew if worker.pipe in ready]:
                try:
                    answer = worker.pipe.recv()
                except (EOFError, OSError):
                    crew.remove(worker)
                    crew.append(_start(agenda.target, _bury(worker, deaths, watch, patience)))
                    continue
                worker.since = time.monotonic()
                if isinstance(answer, Done):
                    worker.done.append(answer.accepted)
                    watch.episode(answer.accepted)
                elif isinstance(answer, Failed):
                    raise answer.error
                elif isinstance(answer, Made):
                    agenda.done(worker.job, answer.what)
                    worker.done.clear()
                    worker.since = None
                    if (job := agenda.take()) is not None:
                        worker.job = job
                        _send(worker, job)
                    else:
                        _send(worker, None)
                        crew.remove(worker)
                        worker.process.join(_GRACE)
                        _end([worker])
    finally:
        _end(crew)


def _start(target: DatasetFolder, job: Job) -> _Worker:
    context = fresh_processes()
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(target, theirs), daemon=True)
    process.start()
    theirs.close()  # so that the worker's death closes the pipe
    worker = _Worker(process, ours, job)
    _send(worker, job)
    return worker


def _send(worker: _Worker, job: Job | None) -> None:
    with suppress(OSError):  # it died: the pipe's end tells, when it is read
        worker.pipe.send(job)


def _kill_hung(crew: Sequence[_Worker], patience: float) -> float | None:
    """Kill the workers that take too long for an episode; return how long the others may, None if none has begun.

    The killed one's pipe closes, which is how its death is heard of.
    """
    left = None
    for worker in crew:
        if worker.since is not None and not worker.hung:
            rest = worker.since + patience - time.monotonic()
            if rest <= 0:
                worker.hung = True
                worker.process.kill()
            else:
                left = rest if left is None else min(left, rest)
    return left


def _bury(worker: _Worker, deaths: dict[Job, int], watch: _Watch, patience: float) -> Job:
    """Note a worker's death; return its job, to be done again."""
    worker.process.join()
    worker.pipe.close()
    job = worker.job
    deaths[job] = deaths.get(job, 0) + 1
    code = worker.process.exitcode or 0
    how = f"was ended by signal {-code} ({_signal_name(-code)})" if code < 0 else f"ended with code {code}"
    if worker.hung:
        how = f"took longer than {patience:g} seconds"
    at = f" at episode {job.indices[min(len(worker.done), len(job.indices) - 1)]}" if job.indices else ""
    if deaths[job] >= DEATHS_ALLOWED:
        hint = "give episodes more time with --episode-timeout" if worker.hung else ""
        raise ChorewrightError(
            f"{job} lost {'its' if len(job.indices) < 2 else 'their'} worker {deaths[job]} times, last{at}: it {how}",
            hint=f"{hint or 'if the machine ran out of memory, use fewer workers'}; finished parts are kept",
        )
    watch.note(f"a worker {how}{at}; {job} {'is' if len(job.indices) < 2 else 'are'} made again")
    watch.lost(len(worker.done), sum(worker.done))
    return worker.job


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _end(crew: Sequence[_Worker]) -> None:
    """End workers for good: ask, wait two seconds, then kill."""
    for worker in crew:
        worker.process.terminate()
    for worker in crew:
        worker.process.join(_GRACE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def _work(target: DatasetFolder, pipe: Connection) -> None:
    """A worker's life: a job, its answer, the next job, until there is none."""
    begin_as_worker()
    try:
        while (job := pipe.recv()) is not None:
            pipe.send(_answer(target, job, pipe))
    except (EOFError, OSError):
        os._exit(1)  # the supervisor is gone


def _answer(target: DatasetFolder, job: Job, pipe: Connection) -> Made | Failed:
    pipe.send(Begun())
    try:
        return Made(perform(target, job, lambda accepted: pipe.send(Done(accepted))))
    except ChorewrightError as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            traceback.print_exc()
        return Failed(error)
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            traceback.print_exc()
        return Failed(ChorewrightError(f"{job} failed: {type(error).__name__}: {error}"))
