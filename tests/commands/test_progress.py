"""What is said of progress where there is no terminal: a line now and then."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from chorewright.commands import progress


def test_counts_are_told_in_lines_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 9.9, 10.0, 10.0, 19.0, 20.0, 20.0, 21.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.counting("evaluate") as watch:
        for done in range(1, 6):
            watch(done, 5)
    assert capsys.readouterr().err.splitlines() == ["evaluate: 2 of 5", "evaluate: 4 of 5"]


def test_the_time_left_is_told_when_enough_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    counts = progress.ProgressCounts()
    counts.begin(104, 0, 0)
    now = 90.0  # it compiled
    for _ in range(4):
        counts.episode(accepted=True)
        now += 2.0
    assert str(counts) == "4/104 episodes, 100.0 % accepted"
    counts.episode(accepted=False)
    assert counts.left == pytest.approx(198)
    assert str(counts) == "5/104 episodes, 80.0 % accepted, 3.1/min, about 3 min left"
    counts.lost(2, 1)
    assert counts.left is None


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (90, "90 s"), (150, "2 min"), (9_000, "2.5 h")])
def test_times_are_told_in_the_unit_that_suits(seconds: float, said: str) -> None:
    assert progress.duration(seconds) == said


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_bar_keeps_to_one_line(width: int) -> None:
    bar = progress.Bar(Console(file=io.StringIO(), width=width, force_terminal=True))
    bar.begin(10_000, 4, 4)
    [task] = bar.progress.tasks
    assert (task.total, task.completed) == (10_000, 4)
    for _ in range(2):
        bar.episode(accepted=True)
    assert (task.total, task.completed) == (10_000, 6)
    lines = bar.progress.console.render_lines(bar.progress.get_renderable())
    assert len(lines) == 1
    assert ("generate" in "".join(each.text for each in lines[0])) == (width >= 80)
    assert "6/10000 episodes, 100.0 % accepted" in "".join(each.text for each in lines[0])
