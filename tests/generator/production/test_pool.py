"""The pool of processes: a death is told, an early end ends all at once, Ctrl-C is the waiting one's."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal

import pytest

from chorewright.errors import ChorewrightError
from chorewright.generator.production.pool import processes


def _interrupted() -> None:
    others = multiprocessing.active_children()
    with processes(2, "test") as pool:
        for _ in range(4):
            pool.submit(signal.pause)
        assert len(multiprocessing.active_children()) == len(others) + 2
        raise KeyboardInterrupt


def test_what_ends_the_block_ends_the_processes_at_once() -> None:
    other = multiprocessing.get_context("spawn").Process(target=signal.pause, daemon=True)
    other.start()
    before = set(multiprocessing.active_children())  # those of earlier tests, too
    with pytest.raises(KeyboardInterrupt):
        _interrupted()
    assert other.is_alive()
    assert set(multiprocessing.active_children()) <= before, "who was there before is left alone"
    other.kill()
    other.join()


def test_a_process_that_dies_is_an_error() -> None:
    before = set(multiprocessing.active_children())
    with pytest.raises(ChorewrightError, match="a process of the test died"), processes(2, "test") as pool:
        pool.submit(os._exit, 3).result()
    assert set(multiprocessing.active_children()) <= before


def test_no_semaphores_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("_multiprocessing.SemLock", refused)
    with pytest.raises(ChorewrightError, match="cannot do the test here") as error, processes(2, "test"):
        pass
    assert "--workers 0" in str(error.value.hint)


def test_processes_leave_ctrl_c_to_the_one_that_waits() -> None:
    with processes(1, "test") as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        assert pool.submit(abs, -3).result() == 3
