"""The stopwatch: each second counts once, for the innermost stage, and an error ends its stage."""

from __future__ import annotations

import pytest

from chorewright.files import processes
from chorewright.files.processes import Timed, measure


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in a list of one."""
    now = [100.0]
    monkeypatch.setattr(processes, "perf_counter", lambda: now[0])
    return now


def test_seconds_count_for_the_innermost_stage(clock: list[float]) -> None:
    @Timed("inner")
    def work(depth: int) -> None:
        clock[0] += 1
        if depth:
            work(depth - 1)

    @Timed("broken")
    def fail() -> None:
        clock[0] += 7
        raise ZeroDivisionError

    work(3)
    with measure() as found:
        clock[0] += 50
        with Timed("outer"):
            clock[0] += 10
            work(2)
            clock[0] += 5
            with pytest.raises(ZeroDivisionError):
                fail()
        with measure() as other, Timed("other"):
            clock[0] += 2
    work(1)
    assert found.seconds == {"outer": 15, "inner": 3, "broken": 7}
    assert other.seconds == {"other": 2}
