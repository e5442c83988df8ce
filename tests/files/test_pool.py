"""The pool of processes: answers in order, a death costs one more try, an early end ends all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.pool import Done, Failed, Lost, Told, carry_out, work_off


def wait_for(folder: Path, name: str) -> str:
    """Return a name when the file of the next one is there, and make its own."""
    following = folder / chr(ord(name) + 1)
    while name != "c" and not following.exists():
        pass
    (folder / name).touch()
    return name


def test_answers_come_in_the_order_of_jobs(tmp_path: Path) -> None:
    assert list(carry_out(partial(wait_for, tmp_path), "abc", 3, "test")) == ["a", "b", "c"]


def wait_unless_first(go: Path, number: int) -> int:
    """Return a number; after the second one not before there is a file."""
    while number > 1 and not go.exists():
        pass
    return number


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_job_is_taken_when_a_process_is_free(count: int, tmp_path: Path) -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(9):
            taken.append(number)
            yield number

    answers = carry_out(partial(wait_unless_first, tmp_path / "go"), jobs(), count, "test")
    assert next(answers) == 0
    assert len(taken) <= 2 * max(count, 1)
    (tmp_path / "go").touch()
    assert list(answers) == list(range(1, 9))


def pause(_: object) -> None:
    signal.pause()


def interrupt() -> None:
    others = multiprocessing.active_children()
    timer = threading.Timer(0.5, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    timer.start()
    for _ in carry_out(pause, range(4), 2, "test"):
        assert len(multiprocessing.active_children()) == len(others) + 2


def test_what_ends_the_iteration_ends_the_processes_at_once() -> None:
    other = multiprocessing.get_context("spawn").Process(target=signal.pause, daemon=True)
    other.start()
    before = set(multiprocessing.active_children())  # those of earlier tests, too
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert other.is_alive()
    assert set(multiprocessing.active_children()) <= before, "who was there before is left alone"
    other.kill()
    other.join()


def die_once(folder: Path, number: int) -> int:
    if number == 1 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_job_whose_process_dies_is_done_once_more(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(carry_out(partial(die_once, tmp_path), range(4), 2, "test")) == [0, 1, 2, 3]
    assert "a process of the test was ended by signal 9 (SIGKILL); its work is done again" in capfd.readouterr().err


def test_a_job_that_loses_a_second_process_is_an_error() -> None:
    before = set(multiprocessing.active_children())
    with pytest.raises(ChorewrightError, match=r"a process of the test died: twice .* ended with code 3"):
        list(carry_out(os._exit, [3], 2, "test"))
    with pytest.raises(MemoryError):
        list(carry_out(os._exit, [int(ExitCode.OUT_OF_MEMORY)], 1, "test"))
    assert set(multiprocessing.active_children()) <= before


def die_at_two(number: int) -> int:
    if number == 2:
        os._exit(1)
    return number


def test_it_may_stand_for_something_else() -> None:
    assert list(carry_out(die_at_two, range(4), 2, "test", lambda job: -job)) == [0, 1, -2, 3]


class Own(Exception):
    """An error that cannot be pickled."""

    def __init__(self, one: object, two: object) -> None:
        super().__init__("own")


def fail_in_own_way(_: object) -> None:
    raise Own(1, 2)


def test_errors_are_raised_by_the_one_that_waits() -> None:
    with pytest.raises(ZeroDivisionError):
        list(carry_out(partial(divmod, 1), [0], 1, "test"))
    with pytest.raises(ChorewrightError, match="Own: own"):
        list(carry_out(fail_in_own_way, [0], 1, "test"))


def test_processes_leave_ctrl_c_to_the_one_that_waits() -> None:
    [handler] = carry_out(signal.getsignal, [signal.SIGINT], 1, "test")
    assert handler is signal.SIG_IGN


def tell_and_do(job: str, tell: object) -> str:
    assert callable(tell)
    tell(f"{job} begins")
    if job == "hang":
        signal.pause()
    if job == "fail":
        raise ValueError(job)
    return job.upper()


def test_news_of_jobs_are_told_and_may_bring_others() -> None:
    jobs = ["one", "fail"]
    seen = []
    for job, news in work_off(tell_and_do, lambda: jobs.pop(0) if jobs else None, 1):
        seen.append((job, type(news)))
        if seen[-1] == ("fail", Failed):
            jobs.append("two")
    assert seen == [
        (job, kind)
        for job, end in zip(("one", "fail", "two"), (Done, Failed, Done), strict=True)
        for kind in (Told, end)
    ]


def test_a_worker_that_hangs_is_killed() -> None:
    jobs = iter(["hang"])
    told, lost = (news for _, news in work_off(tell_and_do, lambda: next(jobs, None), 1, patience=0.1))
    assert isinstance(told, Told)
    assert lost == Lost(("hang begins",), "took too long", hung=True)
