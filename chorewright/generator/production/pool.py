"""A pool of processes that leave Ctrl-C to the one that waits for them, and are gone when that one stops."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import TypeVar

from chorewright.errors import ChorewrightError
from chorewright.files.processes import begin_as_worker, fresh_processes

_GRACE = 2.0
Job = TypeVar("Job")
Done = TypeVar("Done")


@contextmanager
def processes(count: int, what: str) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of fresh processes (``spawn``); whatever ends the block early ends them at once.

    Args:
        count: How many.
        what: What they do, for the error: ``evaluation``.

    Raises:
        ChorewrightError: One of them died, or they cannot be started here.
    """
    others = multiprocessing.active_children()
    with _pool(count, what) as pool:
        try:
            yield pool
        except BaseException as error:
            # The pool is broken then: it gives up what waits, and its end waits for its thread only.
            _end([child for child in multiprocessing.active_children() if child not in others])
            if isinstance(error, BrokenProcessPool):
                hint = "try --workers 0; the memory may not suffice for several"
                raise ChorewrightError(f"a process of the {what} died", hint=hint) from error
            raise


def _pool(count: int, what: str) -> ProcessPoolExecutor:
    try:
        return ProcessPoolExecutor(count, mp_context=fresh_processes(), initializer=begin_as_worker)
    except OSError as error:
        message = f"several processes cannot do the {what} here: a semaphore cannot be made ({error.strerror})"
        raise ChorewrightError(message, hint="try --workers 0, or make /dev/shm writable") from error


def carry_out(work: Callable[[Job], Done], jobs: Sequence[Job], count: int, what: str) -> Iterator[Done]:
    """Yield what becomes of jobs as they are done, by so many processes; in order and here if 0."""
    if count == 0:
        yield from map(work, jobs)
        return
    with processes(count, what) as pool:
        for each in as_completed([pool.submit(work, job) for job in jobs]):
            yield each.result()


def in_order(pool: ProcessPoolExecutor, work: Callable[[Job], Done], jobs: Sequence[Job]) -> Iterator[Done]:
    """Yield what becomes of jobs in their order.

    ``pool.map`` cancels what is left when it is given up. Where the processes have just ended, too, the pool's thread
    may find a cancelled job and print a traceback.
    """
    for each in [pool.submit(work, job) for job in jobs]:
        yield each.result()


def _end(children: Sequence[BaseProcess]) -> None:
    """End processes for good: ask, wait two seconds, then kill."""
    for child in children:
        child.terminate()
    for child in children:
        child.join(_GRACE)
        if child.is_alive():
            child.kill()
            child.join()
