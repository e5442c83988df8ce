"""The one pool: fresh processes that do jobs, each one after the other, whatever becomes of any of them.

Processes are started afresh (``spawn``), leave Ctrl-C to the one that waits for them, and end with it. Each answers
through a pipe of its own, so that a death in mid-sentence disturbs nobody else. ``carry_out`` maps a function over
jobs; ``work_off`` tells all that happens to whoever decides what follows from a death.
"""

from __future__ import annotations

import atexit
import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.resource_tracker import ensure_running
from typing import Any, Generic, TypeAlias, TypeVar

from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.processes import collect_rarely
from chorewright.files.text import tell

_GRACE = 2.0
Job = TypeVar("Job")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Told:
    """A worker's word on its job, which goes on."""

    what: Any


@dataclass(frozen=True, slots=True)
class Done(Generic[Answer]):
    """A worker's answer: what came of its job."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker's answer: its job cannot be done."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker that ended amid its job.

    Attributes:
        told: What it had told of the job.
        how: What happened to it, for people.
        hung: Whether it was ended because it took too long.
    """

    told: tuple[Any, ...]
    how: str
    hung: bool


News: TypeAlias = Told | Done[Answer] | Failed | Lost
Work: TypeAlias = Callable[[Job, Callable[[object], object]], Answer]
"""Does a job; its second argument lets it tell how the job goes on. Each process has its own copy, and keeps it."""


def carry_out(
    work: Callable[[Job], Answer],
    jobs: Iterable[Job],
    count: int,
    what: str,
    lost: Callable[[Job], Answer] | None = None,
) -> Iterator[Answer]:
    """Yield what becomes of jobs, in their order.

    A job whose process dies is done once more, when all others are done and with no other beside it. Whatever ends the
    iteration early ends the processes.

    Args:
        work: Does a job; each process has its own copy, and keeps it.
        jobs: The jobs; one is taken when a process is free for it.
        count: How many processes do them; 0 for none but this one.
        what: What they do, for messages: ``evaluation``.
        lost: What becomes of a job that has lost a second process; an error by default.

    Raises:
        ChorewrightError: A job lost its process twice. What ``work`` raises is raised here, too.
        MemoryError: It did so for lack of memory.
    """
    if count == 0:
        yield from map(work, jobs)
        return
    answers: dict[int, Answer] = {}
    again: list[tuple[int, Job]] = []
    following = 0
    for several, crew in ((enumerate(jobs), count), (again, 1)):
        with closing(work_off(partial(_ignore_telling, work), partial(next, iter(several), None), crew)) as news:
            for (place, job), each in news:
                if isinstance(each, Failed):
                    raise each.error
                if isinstance(each, Done):
                    answers[place] = each.answer
                elif isinstance(each, Lost) and several is not again:
                    tell(f"note: a process of the {what} {each.how}; its work is done again")
                    again.append((place, job))
                elif isinstance(each, Lost):
                    answers[place] = (partial(_give_up, what, each) if lost is None else lost)(job)
                while following in answers:
                    yield answers.pop(following)
                    following += 1


def _ignore_telling(work: Callable[[Job], Answer], job: tuple[int, Job], tell: object) -> Answer:
    return work(job[1])


def _give_up(what: str, lost: Lost, job: object) -> Any:
    if lost.how == _EXHAUSTED:
        raise MemoryError
    raise ChorewrightError(
        f"a process of the {what} died: twice at the same work, the last one {lost.how}",
        hint="try --workers 0; the memory may not suffice for several",
    )


def work_off(
    work: Work[Job, Answer], take: Callable[[], Job | None], count: int, patience: float | None = None
) -> Generator[tuple[Job, News[Answer]], None, None]:
    """Yield all news of jobs, as workers tell them. Whoever closes the iterator ends the workers.

    Args:
        work: Does a job.
        take: Returns the next job; None if there is none, unless news bring one.
        count: How many workers there are at most.
        patience: Seconds that a worker may take from what it told to its next word. One that takes longer is killed.
    """
    crew: list[Worker[Job, Answer]] = []
    try:
        while True:
            fresh = []
            while len(crew) < count and (job := take()) is not None:
                crew.append(Worker(work))
                fresh.append((crew[-1], job))
            for worker, job in fresh:  # while one starts, so do the others
                worker.give(job)
            if not crew:
                return
            for worker in ready(crew, patience):
                news, job = worker.hear(), worker.job
                yield job, news
                if isinstance(news, Lost):
                    crew.remove(worker)
                elif not isinstance(news, Told):
                    if (following := take()) is not None:
                        worker.give(following)
                    else:
                        crew.remove(worker)
                        worker.dismiss()
    finally:
        end(crew)


class Worker(Generic[Job, Answer]):
    """A process that does jobs, and what the one that waits for it knows of it.

    Attributes:
        job: The job that it is at.
        told: What it has told of it.
    """

    job: Job

    def __init__(self, work: Work[Job, Answer]) -> None:
        """Start the process."""
        context = _FreshProcesses()
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, work))
        self._process.start()
        theirs.close()  # so that the worker's death closes the pipe
        self._hung = False

    def give(self, job: Job) -> None:
        """Give it a job."""
        self.job = job
        self.told: list[Any] = []
        self._since: float | None = None  # when it was last heard of; None while it starts
        self._send((job,))

    def hear(self) -> News[Answer]:
        """Return its next word, and wait for it. Its death is a loss."""
        try:
            news = self.pipe.recv()
        except (EOFError, OSError):
            return self._bury()
        self._since = time.monotonic()
        if isinstance(news, Told):
            self.told.append(news.what)
        assert isinstance(news, Told | Done | Failed)
        return news

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

    def _send(self, message: tuple[Job] | None) -> None:
        with suppress(OSError):  # it died: the pipe's end tells, when it is read
            self.pipe.send(message)

    def _bury(self) -> Lost:
        self._process.join()
        self.pipe.close()
        how = "took too long" if self._hung else _say_ending(self._process.exitcode or 0)
        return Lost(tuple(self.told), how, self._hung)

    def terminate(self) -> None:
        """Ask it to end now."""
        self._process.terminate()

    def close(self) -> None:
        """Wait two seconds for its end, then kill it."""
        _see_off(self._process)
        self.pipe.close()


def ready(crew: Sequence[Worker[Job, Answer]], patience: float | None) -> list[Worker[Job, Answer]]:
    """Return the workers that can be heard, and wait until there is one; those that take too long are killed."""
    left = [] if patience is None else list(_kill_hung(crew, patience))
    pipes = wait([worker.pipe for worker in crew], min(left, default=None))
    return [worker for worker in crew if worker.pipe in pipes]


def end(crew: Sequence[Worker[Any, Any]]) -> None:
    """End workers for good: ask, wait two seconds, then kill."""
    for worker in crew:
        worker.terminate()
    for worker in crew:
        worker.close()


def _kill_hung(crew: Sequence[Worker[Any, Any]], patience: float) -> Iterator[float]:
    """Kill the workers that take too long; yield how long each of the others may, of those that have told something."""
    for worker in crew:
        rest = worker.left(patience)
        if rest is not None and rest <= 0:
            worker.kill()
        elif rest is not None:
            yield rest


_EXHAUSTED = "ran out of memory"


def _say_ending(code: int) -> str:
    if code == ExitCode.OUT_OF_MEMORY:
        return _EXHAUSTED
    return f"was ended by signal {-code} ({_signal_name(-code)})" if code < 0 else f"ended with code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


# A worker's life.


class _Process(SpawnProcess):
    """A fresh process that does not see Ctrl-C while it imports: a terminal sends it to all processes of a command."""

    def start(self) -> None:
        self.starter = os.getpid()
        ensure_running()  # the first process would start it, and it lets signals in again
        blocks = hasattr(signal, "pthread_sigmask")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
        try:
            super().start()
        finally:
            if blocks:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _FreshProcesses(SpawnContext):
    Process = _Process


@atexit.register
def _end_all() -> None:
    """End those whose iterator nobody has closed; Python would wait for them."""
    for process in multiprocessing.active_children():
        if isinstance(process, _Process) and process.starter == os.getpid():  # a fork has its parent's, too
            process.terminate()
            _see_off(process)


def _see_off(process: _Process) -> None:
    """Wait two seconds for a process's end, then kill it."""
    process.join(_GRACE)
    if process.is_alive():
        process.kill()
        process.join()


def _serve(pipe: Connection, work: Work[Any, Any]) -> None:
    """Do a job, answer, do the next one, until there is none."""
    _leave_ctrl_c()
    try:
        while (given := pipe.recv()) is not None:
            pipe.send(_answer(work, given[0], lambda what: pipe.send(Told(what))))
    except (EOFError, OSError):
        os._exit(1)  # who waits is gone
    except MemoryError:
        os._exit(ExitCode.OUT_OF_MEMORY)  # as if the system had ended it: what else it holds is not to be relied on


def _answer(work: Work[Job, Answer], job: Job, tell: Callable[[object], object]) -> Done[Answer] | Failed:
    try:
        return Done(work(job, tell))
    except (BrokenPipeError, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            traceback.print_exc()
        try:
            pickle.dumps(error)
            copy.deepcopy(error)  # which makes it anew as the other process will
        except Exception:  # whatever an error of others raises that cannot be sent
            return Failed(ChorewrightError(f"{type(error).__name__}: {error}"))
        return Failed(error)


def _leave_ctrl_c() -> None:
    """Leave Ctrl-C to the process that waits, and end with it."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
